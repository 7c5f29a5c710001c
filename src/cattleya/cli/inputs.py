"""The model and the row that a command is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cattleya.cli.errors import BadInput, file_errors, input_errors
from cattleya.cli.screen import progress
from cattleya.explain.explainer import Explainer
from cattleya.support.files.atomic import written_over

if TYPE_CHECKING:
    import pandas as pd

    from cattleya.adapters.columns import ModelColumns

__all__ = ["check_apart", "find_row", "load_model", "need_pyarrow", "open_model", "open_table"]


def open_model(path: str, trust: bool, **settings: Any) -> tuple[Explainer, ModelColumns]:
    """Load a model; return its explainer, and the columns that it takes."""
    from cattleya.adapters.columns import ModelColumns

    model = load_model(path, trust)
    with input_errors(repr(path)):
        return Explainer(model, **settings), ModelColumns.of(model)


def load_model(path: str, trust: bool) -> Any:
    """Load a model as it is."""
    from cattleya.adapters.model_files import read_model

    with progress("loading the model"), file_errors("read", path), input_errors():
        return read_model(path, trust=trust)


def open_table(path: str, text: tuple[str, ...] = (), id_column: str | None = None) -> pd.DataFrame:
    """Read a table; columns in ``text`` and identifiers stay as they are written."""
    from cattleya.support.files.tables import read_table

    with progress("reading the table"), file_errors("read", path), input_errors():
        return read_table(path, text, id_column)


def check_apart(out: str | None, *inputs: str) -> None:
    """Refuse to overwrite an input, before the work begins."""
    path = None if out is None else written_over(out, inputs)
    if path is not None:
        raise BadInput(f"writing {out!r} would overwrite the input {path!r}; write to another file")


def need_pyarrow() -> None:
    """Say what to do if pyarrow is not installed."""
    from cattleya.batch.arrow import arrow

    try:
        arrow()
    except ImportError as error:
        raise BadInput(str(error)) from error


def find_row(
    columns: ModelColumns, path: str, number: int | None, id_: str | None, id_column: str | None
) -> tuple[int, pd.DataFrame, list[str]]:
    """Return a row's number, the row with the model's columns, and the columns not taken."""
    from cattleya.support.files.tables import inferred, row_by_id, row_by_number

    table = open_table(path, columns.text, id_column)
    with input_errors(repr(path)):
        if id_ is not None and id_column is not None:
            number = row_by_id(table, id_column, id_)
            if id_column not in columns.text:
                table[id_column] = inferred(table[id_column])
        number = row_by_number(table, number or 0)
        one_row, ignored = columns.choose(table.iloc[[number]])
    return number, one_row, ignored
