"""``cattleya``, and ``python -m cattleya``: the command line."""

import os
import signal
import sys

from cattleya.support.garbage import no_garbage_search

__all__ = ["main"]

INTERRUPTED = 130


def main() -> int:
    """Run the command line; Ctrl-C while it is still being imported prints no traceback either."""
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if usual:
        signal.signal(signal.SIGINT, _stop)
    # Trees multiply no matrices: threads for that would only take time to start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with (
        no_garbage_search()
    ):  # what is imported stays: to look through it takes a tenth of the time
        from cattleya.cli import run
    if usual:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return run()


def _stop(*_: object) -> None:
    os.write(2, b"cattleya: interrupted\n")
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main())
