"""What a page is about, and what made it: so that whoever holds it can tell, and make it again."""

from __future__ import annotations

from datetime import UTC, datetime

from cattleya.present.words.numbers import is_any_rounded, name
from cattleya.support.text import shown
from cattleya.support.version import VERSION

__all__ = ["Origin", "checked_about"]


class Origin:
    """The part of a page's contents that every page has.

    Attributes
    ----------
    about : str
        The row or the table, as a reader knows it; empty where nobody said.
    tree_hash : str
        The SHA-256 of the tree, as the files of results have it.
    """

    def __init__(self, about: str, tree_hash: str) -> None:
        self.about = name(about) if about else ""
        self.tree_hash = tree_hash

    @property
    def version(self) -> str:
        """The version of the library."""
        return VERSION

    @property
    def rounded(self) -> bool:
        """Whether a threshold that was shown so far is rounded."""
        return is_any_rounded()

    @property
    def date(self) -> str:
        """The day on which the page is made."""
        return datetime.now(UTC).date().isoformat()


def checked_about(about: str | None) -> str | None:
    """Return what a page is about; refuse what is no text."""
    if about is not None and not isinstance(about, str):
        raise TypeError(f"about must be text, such as 'application 0815', not {shown(about)}")
    return about
