"""Tables of other libraries as pandas has them: told by their looks, and never imported."""

from __future__ import annotations

from typing import Any

__all__ = ["as_pandas"]


def as_pandas(table: Any) -> Any:
    """Return a frame of polars or a table of pyarrow as one of pandas; anything else as it is.

    polars itself does this by way of pyarrow, which need not be there.

    Examples
    --------
    >>> as_pandas([1, 2])
    [1, 2]
    """
    if hasattr(table, "iloc") or not hasattr(table, "to_pandas") or not hasattr(table, "columns"):
        return table
    try:
        return table.to_pandas()
    except ImportError:
        import pandas as pd

        return pd.DataFrame({name: table[name].to_list() for name in table.columns})
