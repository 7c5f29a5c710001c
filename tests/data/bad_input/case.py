"""One bad input: what is done, and what must come of it; and the files that list them."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sklearn.exceptions import NotFittedError

import cattleya

__all__ = ["CASES", "Case"]

FOLDER = Path(__file__).parent
ARROW, BAR = " => ", " | "
OTHER_ERRORS = {
    error.__name__: error
    for error in (
        NotFittedError,
        cattleya.MemoryLimitExceeded,
        cattleya.NoSuchCounterfactual,
        cattleya.NoSuchReason,
        cattleya.TimeoutExpired,
    )
}


@dataclass(frozen=True)
class Case:
    """A Python expression that must be refused, or a command; it is run as it is written.

    Attributes
    ----------
    about : str
        The public name that it is a bad use of.
    text : str
        The expression, or the command.
    outcome : str
        The name of the exception, or the exit code.
    value, remedy : str
        What the message must have: what was wrong, and what to do.
    without : str
        A library that is not installed.
    """

    about: str
    text: str
    outcome: str
    value: str
    remedy: str
    without: str = ""

    @property
    def is_command(self) -> bool:
        """Whether it is run on the command line."""
        return self.outcome.isdigit()

    @property
    def error(self) -> type[Exception]:
        """The exception that must be raised."""
        found: type[Exception] = OTHER_ERRORS.get(self.outcome) or getattr(builtins, self.outcome)
        return found


def _read(path: Path) -> Iterator[Case]:
    """Give the cases of a file.

    A line ``## NAME`` says what the next are about; a case is a line ``text => outcome | value |
    remedy``, and perhaps ``| library that is not installed``.
    """
    about = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            about = line.removeprefix("## ")
        elif line.strip():
            text, _, expected = line.rpartition(ARROW)
            outcome, value, remedy, *without = expected.strip().split(BAR)
            yield Case(about, text.strip(), outcome, value, remedy, *without)


CASES = [
    case
    for name in ("trees", "models", "rows", "answers", "what_if", "shown", "commands", "formats")
    for case in _read(FOLDER / f"{name}.txt")
]
