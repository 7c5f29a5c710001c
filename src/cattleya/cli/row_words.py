"""The text around an explanation: which row it is, and what is in it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cattleya.support.text import printable

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["cells_of", "introduction", "table_of"]

WIDTH = 100
CELLS_SHOWN = 30


def table_of(data: str, model: str, row: str = "") -> str:
    """Say which table it is, or which row of one, and which model decided.

    >>> table_of("people.csv", "model.skops", "row 3")
    'row 3 of people.csv (model model.skops)'
    """
    return f"{row} of {data} (model {model})" if row else f"{data} (model {model})"


def introduction(where: str, one_row: pd.DataFrame) -> str:
    """Say which row is explained, and what is in it."""
    cells = [
        f"{printable(str(name))} = {'missing' if missing else printable(str(cell))}"
        for (name, cell), missing in zip(
            cells_of(one_row).items(), one_row.iloc[0].isna(), strict=True
        )
    ]
    more = len(cells) - CELLS_SHOWN
    shown = cells[:CELLS_SHOWN] + ([f"and {more} more"] if more > 0 else [])
    return _listed(f"{printable(where[:1].upper() + where[1:])}:", shown)


def cells_of(one_row: pd.DataFrame) -> dict[Any, Any]:
    """Return the cells of a row as they are in their columns: as one series, 4 could become 4.0."""
    return {name: one_row[name].iloc[0] for name in one_row}


def _listed(heading: str, items: Sequence[str]) -> str:
    """Return a list in lines that break only between its items."""
    whole = ", ".join(item.replace(" ", "\0") for item in items)
    lines = textwrap.wrap(
        f"{heading} {whole}",
        WIDTH,
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace("\0", " ")
