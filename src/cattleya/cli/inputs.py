"""The model and the row that a command is about."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from cattleya.cli.errors import BadInput, file_errors, input_errors, note
from cattleya.cli.screen import progress
from cattleya.explain.explainer import Explainer, context_of
from cattleya.support.files.atomic import written_over
from cattleya.support.files.cache import Cache
from cattleya.support.files.csv_form import TableForm

if TYPE_CHECKING:
    import pandas as pd

    from cattleya.adapters.columns import ModelColumns

__all__ = [
    "OpenRow",
    "WhichRow",
    "check_apart",
    "columns_of",
    "load_explained",
    "load_model",
    "need_pyarrow",
    "open_model",
    "open_row",
    "open_table",
    "readable",
    "typed",
]

AS_IT_IS = TableForm()


def open_model(path: str, trust: bool, **settings: Any) -> tuple[Explainer, ModelColumns]:
    """Load a model; return its explainer, and the columns that it takes."""
    model = load_model(path, trust)
    with input_errors(repr(path)):
        explainer = Explainer(model, **settings)
        return explainer, columns_of(model, explainer)


def columns_of(model: Any, explainer: Explainer) -> ModelColumns:
    """Return the columns that a model takes, and which of them are numbers."""
    from cattleya.adapters.columns import ModelColumns
    from cattleya.adapters.own import KeptModel

    if isinstance(model, KeptModel):
        return model.columns
    return ModelColumns.of(model, context_of(explainer).domain)


def load_model(path: str, trust: bool, **how: Any) -> Any:
    """Load a model as it is, or as far as an explainer needs it."""
    from cattleya.adapters.model_files import read_model

    with progress("loading the model"), file_errors("read", path), input_errors():
        return read_model(path, trust=trust, **how)


def load_explained(path: str, trust: bool, no_cache: bool) -> Any:
    """Load a model as far as an explainer needs it, from the user's cache if it is there."""
    cache = None if no_cache else Cache.of_user()
    return load_model(path, trust, is_only_explained=True, cache=cache)


def open_table(
    path: str,
    text: tuple[str, ...] = (),
    id_column: str | None = None,
    form: TableForm = AS_IT_IS,
) -> pd.DataFrame:
    """Read a table; columns in ``text`` and identifiers stay as they are written."""
    from cattleya.support.files.tables import read_table

    with progress("reading the table"), file_errors("read", path), input_errors():
        return read_table(path, text, id_column, form)


def typed(make: Callable[..., Explainer], types: Any) -> Explainer:
    """Return an explainer under the types of a table; without them if the model does not fit."""
    if types is None:
        return make()
    try:
        return make(data=types)
    except ValueError as error:
        note(f"the types of the columns are not taken from the data: {error}")
        return make()


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


class WhichRow(NamedTuple):
    """How a row of a table is named: by its number, or by what a column has there."""

    number: int | None
    id: str | None = None
    id_column: str | None = None

    def told(self, number: int) -> str:
        """Say which row it is, once its number is known."""
        how = "counting from 0" if self.id is None else f"{self.id_column} = {self.id}"
        return f"row {number} ({how})"


class OpenRow(NamedTuple):
    """A row of a table, with the explainer of the model that decides about it.

    ``table`` has the columns that the model takes, and ``ignored`` names the others.
    """

    explainer: Explainer
    columns: ModelColumns
    table: pd.DataFrame
    number: int
    ignored: list[str]

    @property
    def row(self) -> pd.DataFrame:
        """The row, as a table of one."""
        return self.table.iloc[[self.number]]


def open_row(
    model: str,
    data: str,
    which: WhichRow,
    form: TableForm,
    *,
    trust: bool,
    types_from_data: bool,
    load: Callable[[str, bool], Any] = load_model,
    **settings: Any,
) -> OpenRow:
    """Load a model and a table, and find a row."""
    from cattleya.model.domain.column_types import types_of

    loaded = load(model, trust)
    make = partial(Explainer, loaded, **settings)
    with input_errors(repr(model)):
        explainer = make()
        columns = columns_of(loaded, explainer)
    number, table, ignored = _find_row(columns, data, which, form)
    if types_from_data:
        with input_errors(f"{data!r}, --types-from-data"):
            explainer = typed(make, types_of([table]))
    return OpenRow(explainer, columns, table, number, ignored)


def _find_row(
    columns: ModelColumns, path: str, which: WhichRow, form: TableForm
) -> tuple[int, pd.DataFrame, list[str]]:
    """Return a row's number, the table with the model's columns, and the columns not taken."""
    from cattleya.support.files.tables import inferred, row_by_id, row_by_number

    number, id_, id_column = which
    table = open_table(path, columns.text, id_column, form)
    with input_errors(repr(path)):
        if id_ is not None and id_column is not None:
            number = row_by_id(table, id_column, id_)
            if id_column not in columns.text:
                table[id_column] = inferred(table[id_column])
        number = row_by_number(table, number or 0)
        chosen, ignored = columns.choose(table)
    return number, chosen, ignored


def readable(explainer: Explainer, columns: ModelColumns, table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a table that the model takes.

    Every row is read where a cell might be none of the model's: a column of numbers has text.
    """
    numbers = [name for name in table if name not in columns.text]
    if all(dtype.kind in "biuf" for dtype in table[numbers].dtypes):
        return table
    from cattleya.batch.reading import read_rows

    context = context_of(explainer)
    bad = read_rows(context.model.rows, table, context.tree.n_features).error
    if bad:
        first = min(bad)
        more = f", and {len(bad) - 1:,} more" if len(bad) > 1 else ""
        note(f"not counted, as they cannot be read: row {first} ({bad[first]}){more}")
    return table.drop(index=table.index[sorted(bad)]) if bad else table
