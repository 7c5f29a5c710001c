"""``cattleya explore``: look around in a table and a model, in the browser."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from cattleya.cli import options
from cattleya.cli.errors import EXIT_CODES, BadInput, file_errors, input_errors
from cattleya.cli.inputs import columns_of, load_explained, open_table, typed
from cattleya.explain.explainer import Explainer
from cattleya.model.domain.column_types import ColumnTypes, types_of
from cattleya.support.files.csv_form import TableForm
from cattleya.support.files.plain import plain_table
from cattleya.support.garbage import no_garbage_search
from cattleya.support.limits import Deadline

if TYPE_CHECKING:
    from cattleya.adapters.columns import ModelColumns
    from cattleya.explore.explorer import Explorer
    from cattleya.explore.table import Rows

__all__ = ["explore"]

SWITCH = 0.001  # seconds that one thread computes while another waits for its turn
EXAMPLES = """\b
Examples:
  cattleya explore model.skops people.csv
  cattleya explore model.skops people.parquet --port 8123 --no-browser
  cattleya explore digits.skops digits.csv --image 28x28

The page is for this machine only: it listens on 127.0.0.1, and its address has a token that nobody
else knows. The first line of the output is that address. Ctrl-C ends it.

MODEL is as for cattleya explain. Of a Parquet file only the rows that are shown are read and given
to the model, and the first 50,000 to count reasons on; other files are read whole.
"""


@click.command(epilog=f"{EXAMPLES}\n{EXIT_CODES}", short_help="Look around in the browser.")
@click.argument("model", type=click.Path())
@click.argument("data", type=click.Path())
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default="a free one",
    help="The port to listen on.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on; with another than the loopback, whoever has the token can ask.",
)
@click.option("--no-browser", is_flag=True, help="Do not open the browser.")
@click.option(
    "--image",
    metavar="HEIGHTxWIDTH",
    callback=lambda _, __, text: options.shape(text),
    help="Draw rows as images, such as 28x28; their pixels are in line order.",
)
@options.protected
@click.option(
    "--timeout",
    type=float,
    default=5.0,
    show_default=True,
    metavar="SECONDS",
    help="The time limit for each question.",
)
@options.target
@options.over
@options.types_from_data
@options.table_form
@options.memory_limit
@options.trust
@options.no_cache
def explore(
    model: str,
    data: str,
    port: int,
    host: str,
    no_browser: bool,
    image: tuple[int, ...] | None,
    protected: tuple[str, ...],
    timeout: float,
    over: str,
    types_from_data: bool,
    form: TableForm,
    memory_limit: int,
    trust: bool,
    no_cache: bool,
    **target: Any,
) -> None:
    """Look around in the decisions of MODEL about DATA, in the browser."""
    with no_garbage_search():  # in what is imported and read, of which nothing is garbage
        asked = options.asked(target)
        with input_errors():
            Deadline(timeout)
        try:
            from cattleya.explore.server import listening, needs_extra

            needs_extra()
        except ImportError as error:
            raise BadInput(str(error)) from error
        settings = {"over": over, "memory_limit": memory_limit * options.MIB} | asked
        loaded = load_explained(model, trust, no_cache)
        explorer = _opened(
            loaded, model, data, form, trust, types_from_data, settings, image, timeout
        )
        explorer.protected = protected
        with file_errors("listen on", f"{host}:{port}"), input_errors():
            running = listening(explorer, port=port, host=host)
        gc.freeze()
    with contextlib.suppress(KeyboardInterrupt), running:  # the usual way to end it
        click.echo(running.address)
        click.echo("Ctrl-C ends it.", err=True)
        if not no_browser:
            running.open_browser()
        running.start()
        _answer_at_once()
        running.wait()


def _answer_at_once() -> None:
    """Have a click wait less: for threads that compute, and for what is never freed."""
    gc.freeze()
    sys.setswitchinterval(SWITCH)


def _opened(
    loaded: Any,
    model: str,
    data: str,
    form: TableForm,
    trust: bool,
    types_from_data: bool,
    settings: dict[str, Any],
    image: tuple[int, ...] | None,
    timeout: float,
) -> Explorer:
    """Open the table, with the model that was loaded."""
    from cattleya.explore.explorer import Explorer
    from cattleya.support.files.parquet_rows import ParquetRows
    from cattleya.support.files.tables import PARQUET

    make = partial(Explainer, loaded, **settings)
    with input_errors(repr(model)):
        explainer = make()
        columns = columns_of(loaded, explainer)
    if data.lower().endswith(PARQUET):
        with file_errors("read", data), input_errors():
            parquet = ParquetRows(data)
        source, types = cast("Rows", parquet), parquet.types()
    else:
        source, types = _rows_of(data, columns, form)
    with input_errors(repr(data)):
        if isinstance(source, ParquetRows):
            types = None if types is None else columns.choose(types)[0]
            columns.choose(source.rows([0]))  # a column that is not there is named now
        if types_from_data:
            explainer = typed(make, types)
        return Explorer(
            explainer,
            source,
            lambda rows: columns.choose(rows)[0],
            os.path.basename(data),
            os.path.basename(model),
            _opening(model, data, form, trust, types_from_data and types is not None, settings),
            image,
            timeout=timeout,
        )


def _rows_of(data: str, columns: ModelColumns, form: TableForm) -> tuple[Rows, Any]:
    """Read a table that is not Parquet; return it, and what its columns say about their values."""
    from cattleya.explore.table import FrameRows, PlainRows

    with file_errors("read", data), input_errors():
        plain = None if columns.text else plain_table(Path(data), form)
    if plain is not None:
        with input_errors(repr(data)):
            names = columns.chosen(list(plain.columns))[0] or plain.columns
        taken = plain[names]
        if taken.is_numbers:
            return PlainRows(plain, names), ColumnTypes.of_numbers(names, taken.dtypes)
    table = open_table(data, columns.text, None, form)
    with input_errors(repr(data)):
        return FrameRows(table), types_of([columns.choose(table)[0]])


def _opening(
    model: str,
    data: str,
    form: TableForm,
    trust: bool,
    types_from_data: bool,
    settings: dict[str, Any],
) -> str:
    """Return the Python lines that open the same model and table."""
    asked = ", ".join(f"{name}={value!r}" for name, value in settings.items() if value is not None)
    plain = form == TableForm()
    if data.lower().endswith((".parquet", ".pq")):
        reads = [
            f"source = ParquetRows({data!r})",
            "rows, _ = columns.choose(source.rows(range(len(source))))",
        ]
        reader = "from cattleya.support.files.parquet_rows import ParquetRows"
        types = "columns.choose(source.types())[0]"
    else:
        reads = [
            f"table = read_table({data!r}, columns.text{'' if plain else f', form={form!r}'})",
            "rows, _ = columns.choose(table)",
        ]
        reader = "from cattleya.support.files.tables import read_table"
        types = "types_of([rows])"
    return "\n".join(
        [
            "import cattleya",
            "from cattleya.adapters.columns import ModelColumns",
            "from cattleya.adapters.model_files import read_model",
            *(["from cattleya.model.domain.column_types import types_of"] * ("types_of" in types)),
            *([] if plain else ["from cattleya.support.files.csv_form import TableForm"]),
            reader,
            *(["from cattleya import Probability, Value"] * ("target" in settings)),
            "",
            f"model = read_model({model!r}{', trust=True' if trust else ''})",
            "columns = ModelColumns.of(model)",
            *reads,
            f"explainer = cattleya.Explainer(model, {asked}"
            + (f", data={types})" if types_from_data else ")"),
        ]
    )
