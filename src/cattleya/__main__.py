"""``python -m cattleya``: the command line."""

import sys

from cattleya.cli import run

if __name__ == "__main__":
    sys.exit(run())
