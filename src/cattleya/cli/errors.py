"""What can go wrong on the command line, and the exit code that says so."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

import click

import cattleya
from cattleya.support.files.errors import one_line
from cattleya.support.text import printable

__all__ = ["EXIT_CODES", "BadInput", "Exit", "file_errors", "input_errors", "note", "report"]

TRACEBACK = "CATTLEYA_TRACEBACK"
LONGEST_LINE = 2000
# file_errors reports the files that users name; what remains is the output itself.
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


class Exit(IntEnum):
    """Exit codes."""

    OK = 0
    UNEXPECTED = 1
    BAD_INPUT = 2
    TIMEOUT = 3
    MEMORY = 4
    NO_SUCH_REASON = 5
    REFUTED = 6
    SOME_ROWS_FAILED = 7
    ALL_ROWS_FAILED = 8
    FINDINGS = 9
    INTERRUPTED = 130


#: For the help of every command.
EXIT_CODES = """\b
Exit codes:
  0    success
  1    unexpected error; please report it
  2    wrong usage, or a file or value that cannot be used
  3    the time limit (--timeout) was reached
  4    the memory limit was reached
  5    there is no such reason: every reason needs something that was excluded
  6    the result, or the reason, could not be proved (verify, verify-reason)
  7    some rows could not be explained, or not in time (batch); the result says which, and why
  8    no row could be explained (batch); the result says why
  9    decisions depend on a protected feature (report --protected); the report says which;
       or the model is not as it should be, or another (audit --check, compare --check)
  130  interrupted
"""


class BadInput(Exception):
    """A file or value that cannot be used; the message says which, and what to do."""


@contextmanager
def input_errors(about: str = "") -> Iterator[None]:
    """Report errors raised inside as errors of the input ``about``."""
    start = f"{about}: " if about else ""
    try:
        yield
    except (ValueError, TypeError, AttributeError, LookupError) as error:
        if isinstance(error, cattleya.NoSuchReason):
            raise
        raise BadInput(f"{start}{error}") from error


@contextmanager
def file_errors(doing: str, path: str) -> Iterator[None]:
    """Report an error of the system with the file, and what was being done with it."""
    try:
        yield
    except OSError as error:
        raise BadInput(f"cannot {doing} {path!r}: {error.strerror or error}") from error


def report(error: BaseException, command: str) -> Exit:
    """Print an error to stderr in one or two lines, and return the exit code."""
    code, lines = _told(error)
    for line in [f"{command}: {lines[0]}", *lines[1:]]:
        print(_cut(printable(line)), file=sys.stderr)
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)
    return code


def note(text: str) -> None:
    """Print a note to stderr."""
    print(printable(f"note: {' '.join(text.split())}"), file=sys.stderr)


def _cut(line: str) -> str:
    """Shorten a very long line in the middle: a value that is refused may be of any length."""
    half = LONGEST_LINE // 2
    return line if len(line) <= LONGEST_LINE else f"{line[:half]} … {line[-half:]}"


def _told(error: BaseException) -> tuple[Exit, list[str]]:  # noqa: PLR0911 - one per code
    text = one_line(error)
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return Exit.INTERRUPTED, ["interrupted"]
    if isinstance(error, click.UsageError):
        where = error.ctx.command_path if error.ctx else "cattleya"
        return Exit.BAD_INPUT, [error.format_message(), f"try '{where} --help'"]
    if isinstance(error, click.ClickException):
        return Exit.BAD_INPUT, [error.format_message()]
    if isinstance(error, BadInput):
        return Exit.BAD_INPUT, [text]
    if isinstance(error, cattleya.TimeoutExpired):
        return Exit.TIMEOUT, [
            text.replace("give a longer timeout", "give more time with --timeout, in seconds")
        ]
    if isinstance(error, (MemoryError, cattleya.MemoryLimitExceeded)):
        return Exit.MEMORY, [text or "out of memory"]
    if isinstance(error, cattleya.NoSuchReason):
        return Exit.NO_SUCH_REASON, [text.partition("; is_free_of")[0]]  # of Python
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return Exit.BAD_INPUT, [f"cannot write the answer: {error.strerror}"]
    return Exit.UNEXPECTED, [
        f"unexpected {type(error).__name__}: {text}",
        f"this is a fault of cattleya; set {TRACEBACK}=1 to see where, and please report it",
    ]
