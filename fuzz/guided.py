"""``python -m fuzz.guided TARGET --seconds N``: a target of ``fuzz.readers`` under atheris.

What atheris is to follow must be imported under its eyes, so that this process, which
``fuzz.readers`` starts, imports nothing of the package before. It ends by itself.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["cattleya"]):
    from fuzz.readers import READERS, TARGETS, seeds

    for name in READERS:
        __import__(f"cattleya.{name}")


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.guided", description=__doc__)
    parser.add_argument("target", choices=list(TARGETS))
    parser.add_argument("--seconds", type=int, default=60)
    given = parser.parse_args()
    broken = Path("build")
    broken.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as corpus:
        for number, seed in enumerate(seeds()):
            (Path(corpus) / str(number)).write_bytes(seed)
        options = [f"-max_total_time={given.seconds}", "-max_len=4096", "-timeout=30"]
        options += ["-verbosity=0", f"-artifact_prefix={broken}/", "-print_final_stats=1"]
        atheris.Setup([sys.argv[0], *options, corpus], TARGETS[given.target])
        atheris.Fuzz()


if __name__ == "__main__":
    main()
