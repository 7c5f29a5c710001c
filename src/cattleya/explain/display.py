"""How an explanation shows itself: in print, in a terminal, in a notebook, as a page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast, overload

if TYPE_CHECKING:
    from rich.console import Group

    from cattleya.explain.explanation import Explanation

__all__ = ["Shown"]


class Shown:
    """What ``print``, ``rich``, notebooks and browsers ask for.

    Words and pages are above explanations, and are imported only when somebody looks.
    """

    @property
    def _explanation(self) -> Explanation:
        return cast("Explanation", self)

    def __str__(self) -> str:
        from cattleya.present.words import describe

        return describe(self._explanation)

    def __rich__(self) -> Group:
        from cattleya.present.words.show import styled

        return styled(self._explanation)

    def _repr_html_(self) -> str:
        from cattleya.present.pages.page import fragment

        return fragment(self._explanation)

    @overload
    def to_html(
        self,
        path: None = None,
        *,
        timeout: float | None = 5.0,
        shape: Sequence[int] | None = None,
        about: str | None = None,
    ) -> str: ...
    @overload
    def to_html(
        self,
        path: str | os.PathLike[str],
        *,
        timeout: float | None = 5.0,
        shape: Sequence[int] | None = None,
        about: str | None = None,
    ) -> None: ...
    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        timeout: float | None = 5.0,
        shape: Sequence[int] | None = None,
        about: str | None = None,
    ) -> str | None:
        """Write a page with all the answers: one file that needs no network.

        It is written in full or not at all. Names and values are shown as they are: nothing in
        them is run.

        Parameters
        ----------
        path : path, optional
            Where to write it; by default the text is returned.
        timeout : float or None
            Seconds for each question that may take long, such as counting the reasons. The page
            says which were not settled.
        shape : sequence of int, optional
            Height and width, and channels if there are any, of a row that is an image: pixel after
            pixel, line by line. The page then shows the paper's figure: the instance, a reason,
            the heat map, the explanatory features.
        about : str, optional
            Which row it is, as the page should call it, such as ``"application 0815"``; by default
            its label in the table that it was taken from, where it is a row of one.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", "no", ("b", "yes", "no")))
        >>> page = cattleya.Explainer(tree).explain([1, 0]).to_html()
        >>> page[:15], "<title>Why yes?" in page
        ('<!doctype html>', True)
        """
        from cattleya.present.pages.page import page

        text = page(self._explanation, timeout, shape, about)
        if path is None:
            return text
        from cattleya.support.files.atomic import write_text

        write_text(path, text)
        return None
