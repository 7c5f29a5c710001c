"""What ``audit`` and ``compare`` have in common: their options, models, table and output."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial, wraps
from typing import Any, TypeVar

import click

from cattleya.cli import options
from cattleya.cli.errors import input_errors
from cattleya.cli.inputs import check_apart, columns_of, load_model, open_table, typed
from cattleya.cli.page import write_whole
from cattleya.cli.screen import show, show_json
from cattleya.explain.explainer import Explainer
from cattleya.model.domain.column_types import types_of
from cattleya.support.files.csv_form import TableForm
from cattleya.support.text import printable

__all__ = ["Whole", "whole_options"]

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    options.regions,
    options.check,
    click.option("--html", type=click.Path(), metavar="FILE", help="Also write it as a page."),
    click.option(
        "--timeout",
        type=float,
        metavar="SECONDS",
        help="The time limit for all of it; what is known by then is told, if that can be.",
    ),
    options.target,
    options.types_from_data,
    options.table_form,
    options.memory_limit,
    options.as_json,
    options.trust,
)


@dataclass(frozen=True)
class Whole:
    """The options that both commands have."""

    regions: int
    check: bool
    html: str | None
    timeout: float | None
    types_from_data: bool
    form: TableForm
    memory_limit: int
    as_json: bool
    trust: bool
    asked: dict[str, Any]

    def read(
        self, paths: Sequence[str], data: str | None
    ) -> tuple[list[Explainer], Any, list[Any] | None]:
        """Return explainers of models, the table, and the columns of it that each takes by place.

        The last is None where all of them know the names of their columns.
        """
        loaded = [load_model(path, self.trust) for path in paths]
        limit = self.memory_limit * options.MIB
        makers = [
            partial(Explainer, model, over="intervals", memory_limit=limit, **self.asked)
            for model in loaded
        ]
        explainers, columns = [], []
        for path, make, model in zip(paths, makers, loaded, strict=True):
            with input_errors(repr(path)):
                explainers.append(make())
                columns.append(columns_of(model, explainers[-1]))
        check_apart(self.html, *paths, *([] if data is None else [data]))
        if data is None:
            return explainers, None, None
        text = tuple(dict.fromkeys(name for own in columns for name in own.text))
        table, chosen = open_table(data, text, None, self.form), []
        with input_errors(repr(data)):
            for which, own in enumerate(columns):
                rows, _ = own.choose(table)
                chosen.append(rows)
                if self.types_from_data:
                    explainers[which] = typed(makers[which], types_of([rows]))
        by_place = any(own.names is None for own in columns)
        return explainers, table, chosen if by_place or len(paths) == 1 else None

    def tell(
        self,
        command: str,
        found: Any,
        given: dict[str, Any],
        more: Mapping[str, Any] | None = None,
        text: str = "",
        **row: Any,
    ) -> None:
        """Show what was found, as JSON or as text; write the page, where one was asked for.

        ``given`` is the input, ``more`` and ``text`` what is told after what was found, and ``row``
        goes to the page.
        """
        models = [str(path) for name, path in given.items() if name != "data"]
        about = " and ".join(os.path.basename(path) for path in models)
        page = write_whole(found, self.html, about, **row)
        if self.as_json:
            form = given | {"html": page} | found.to_dict(self.regions) | dict(more or {})
            show_json(command, form)
            return
        show(f"{found}{text}")
        if page is not None:
            what = "audit" if len(models) == 1 else "comparison"
            show(f"\nThe {what} as a page: {printable(page)}")


def whole_options(command: F) -> F:
    """Add the options to a command, which gets them as ``how``."""
    names = {one.name for one in fields(Whole)} - {"asked"}

    @wraps(command)
    def run(**given: Any) -> Any:
        asked = options.asked(given)
        own = {name: given.pop(name) for name in names}
        return command(how=Whole(asked=asked, **own), **given)

    for option in reversed(_OPTIONS):
        run = option(run)
    return run  # type: ignore[return-value]  # the command, with more options
