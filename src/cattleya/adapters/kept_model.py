"""A model that was opened before, kept as numbers and texts: it is opened without its library.

Importing scikit-learn and skops takes longer than everything else that a small command does. What
is kept of a model is what an explanation needs: its trees, the columns that it takes, and what its
steps make of them where that is plain (``pipeline/wired.py``). Models of which this does not say
everything are not kept. An entry is named by the SHA-256 of the model's file, and by the releases
that read it; nothing in it is trusted, and where it is not in order the file is read again.
"""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from importlib.metadata import version
from typing import Any

import numpy as np

from cattleya.adapters.adapted import AdaptedModel, TrainingRows
from cattleya.adapters.behind import Adapted, behind_steps
from cattleya.adapters.columns import ModelColumns
from cattleya.adapters.ensembles import AdaptedEnsemble
from cattleya.adapters.own import KeptModel
from cattleya.adapters.pipeline.rows import PipelineRows, RawColumns
from cattleya.adapters.pipeline.wired import WiredSteps
from cattleya.adapters.pipeline.wires import MISSING, REFUSED, Coded, Scaled, domain_of
from cattleya.adapters.registry import adapt_any
from cattleya.adapters.sklearn_tree import TreeRows
from cattleya.model.domain.domain import Domain
from cattleya.model.ensemble.ensemble import Ensemble
from cattleya.model.ensemble.rows import EnsembleRows
from cattleya.model.tree.rows import Columns
from cattleya.model.tree.tree import Tree
from cattleya.support.files.cache import Cache
from cattleya.support.version import VERSION

__all__ = ["entry_name", "opened"]

FORM = 1  # of what is written here
READERS = ("scikit-learn", "skops", "numpy")  # whose releases decide what is read from a file
OPERATIONS = ("add", "multiply", "divide", "at least", "at most")


class _NotKept(Exception):
    """A model of which what is kept would not say everything."""


def entry_name(content: bytes, *settings: object) -> str:
    """Return the name under which a model is kept: what is in its file, and who reads it how."""
    readers = [f"{name} {version(name)}" for name in READERS]
    about = json.dumps([FORM, VERSION, *readers, *map(str, settings)])
    return hashlib.sha256(about.encode() + b"\n" + hashlib.sha256(content).digest()).hexdigest()


def opened(cache: Cache, name: str, load: Callable[[], Any]) -> Any:
    """Return a model as it is kept, or else load it and keep it."""
    content = cache.read(name)
    if content is not None:
        try:
            return _read(json.loads(content), load)
        except Exception:  # not what is written here: it shows up in every way
            pass
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = load()
    for warning in said:  # of each opening, so that the model is not kept
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if said:
        return model
    try:
        form = _form(model)
        cache.write(name, json.dumps(form, allow_nan=False).encode())
    except (_NotKept, ValueError, TypeError):  # or a model that is refused, with its reason, later
        pass
    return model


def _form(model: Any) -> dict[str, Any]:
    """Return what is kept of a model, as JSON values."""
    adapted = adapt_any(model, None)
    if adapted.notes or adapted.step is not None or adapted.output is not None:
        raise _NotKept
    form: dict[str, Any] = {"target": adapted.target_name, "steps": None, "matched": None}
    if isinstance(adapted, AdaptedEnsemble):
        form |= {"ensemble": adapted.ensemble.to_json(), "name": adapted.name}
        form["takes_missing"] = adapted.takes_missing
    elif adapted.ensemble is not None:
        raise _NotKept
    else:
        form |= {"tree": adapted.tree_for_all.to_json(), "training": None}
        form["is_plain"] = adapted.tree_for_missing is not None
        if adapted.training is not None:
            training = adapted.training
            form["training"] = [training.rows.tolist(), training.mix.tolist()]
    rows = adapted.rows
    if isinstance(rows, PipelineRows):
        form["steps"] = _steps_form(rows, len(adapted.shown_names))
    elif isinstance(rows, (TreeRows, EnsembleRows)):
        form["matched"] = rows.columns.names
    else:
        raise _NotKept
    columns = ModelColumns.of(model, _domain(adapted))
    form["columns"] = {
        "names": columns.names,
        "count": columns.count,
        "categories": [
            [name, [_out(value) for value in known]] for name, known in columns.categories.items()
        ],
        "all_numbers": columns.all_numbers,
        "numbers": sorted(columns.numbers),
    }
    return form


def _domain(adapted: Adapted) -> Domain | None:
    if isinstance(adapted, AdaptedModel):
        return adapted.domain
    return None if adapted.trace is None else adapted.trace()


def _steps_form(rows: PipelineRows, count: int) -> dict[str, Any]:
    from cattleya.adapters.pipeline.tracing import traced

    if rows.count is None or any(map(_warns, rows.transformer.get_params().values())):
        raise _NotKept
    found = traced(rows.transformer, rows.names, rows.count, count)
    if not found.is_whole:
        raise _NotKept
    return {
        "names": rows.names,
        "count": rows.count,
        "fitted_on_frame": rows.fitted_on_frame,
        "raw_names": found.raw_names,
        "untraced": found.untraced,
        "wires": [_wire_form(wire) for wire in found.wires],
    }


def _warns(step: Any) -> bool:
    """Tell whether a step says something of values that it does not know: that would be lost."""
    unknown = getattr(step, "handle_unknown", "error")
    has_dropped = getattr(step, "drop", None) is not None
    return bool(unknown == "warn" or (unknown != "error" and has_dropped))


def _wire_form(wire: Any) -> list[Any]:
    if isinstance(wire, Scaled) and set(wire.instead) <= {MISSING}:
        return [wire.raw, [list(step) for step in wire.steps], *map(_out, wire.instead.values())]
    if isinstance(wire, Coded):
        table = [[_out(value), _out(became)] for value, became in wire.table.items()]
        return [wire.raw, table, _out(wire.other), "coded"]
    raise _NotKept


def _out(value: Any) -> Any:
    """Return a value of a column as JSON has it: what it lacks stands in a list."""
    if value is REFUSED:
        return ["refused"]
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and math.isnan(value):
        return ["missing"]
    if value is None or type(value) in (str, bool, int) or (type(value) is float):
        return value
    raise _NotKept


def _in(value: Any) -> Any:
    return {"refused": REFUSED, "missing": MISSING}[value[0]] if isinstance(value, list) else value


def _read(form: dict[str, Any], load: Callable[[], Any]) -> KeptModel:
    """Return a model of what was kept of it; an error where that is not in order."""
    asked = _Asked(load)
    adapted: Adapted
    if "ensemble" in form:
        ensemble = Ensemble.from_json(form["ensemble"])
        names = _names(form["matched"], ensemble.n_features)
        read = replace(ensemble.columns, columns=replace(ensemble.columns.columns, names=names))
        proba = None if ensemble.class_names is None else ensemble.predict_proba
        adapted = AdaptedEnsemble(
            ensemble,
            read,
            _typed(form["name"], str),
            takes_missing=_typed(form["takes_missing"], bool, type(None)),
            own_proba=proba,
        )
    else:
        adapted = _tree_read(form, asked)
    if form["steps"] is not None:
        adapted = _behind(adapted, form["steps"], asked)
    kept = form["columns"]
    columns = ModelColumns(
        _names(kept["names"]),
        _typed(kept["count"], int, type(None)),
        {_typed(name, str): tuple(map(_in, known)) for name, known in kept["categories"]},
        _typed(kept["all_numbers"], bool),
        frozenset(_names(kept["numbers"]) or ()),
    )
    target = _typed(form["target"], str, type(None))
    return KeptModel(adapted, columns, target, lambda *settings: adapt_any(load(), *settings))


def _tree_read(form: dict[str, Any], asked: _Asked) -> AdaptedModel:
    routed = Tree.from_json(form["tree"])
    is_plain = _typed(form["is_plain"], bool)
    plain = Tree(**routed.arguments() | {"missing_left": None}) if is_plain else routed
    names = _names(form["matched"], routed.n_features)
    columns = Columns(names, routed.n_features, routed.row_dtype, takes_missing=True)
    training = None
    if form["training"] is not None:
        rows, mix = form["training"]
        shape = routed.n_nodes, 0 if routed.predicts_numbers else len(routed.class_names)
        training = TrainingRows(
            np.array(rows, dtype=np.intp).reshape(shape[0]),
            np.array(mix, dtype=np.float64).reshape(shape),
        )
    return AdaptedModel(
        plain,
        TreeRows(columns, asked),
        tree_for_missing=routed if is_plain else None,
        own_proba=None if routed.predicts_numbers else routed.predict_proba,
        training=training,
    )


def _behind(adapted: Adapted, form: dict[str, Any], asked: _Asked) -> Adapted:
    count = _typed(form["count"], int)
    raw = RawColumns(_names(form["names"], count), count, _typed(form["fitted_on_frame"], bool))
    raw_names, untraced = _names(form["raw_names"], count), _names(form["untraced"])
    wires = tuple(_wire(wire, count) for wire in form["wires"])
    shown = adapted.shown_names
    if len(wires) != len(shown) or raw_names is None or untraced is None:
        raise ValueError("the steps do not make the columns of the trees")
    domain = partial(domain_of, wires, raw_names, shown, adapted.row_dtype, untraced)
    domain()  # which shows whether the columns are in order
    steps = WiredSteps(wires, raw.names, lambda: asked.rows.transformer)
    return behind_steps(adapted, raw, steps, domain)


def _wire(form: list[Any], count: int) -> Scaled | Coded:
    raw = _typed(form[0], int)
    if not 0 <= raw < count:
        raise ValueError(f"there is no column {raw}")
    if form[-1] == "coded":
        table = {_in(value): _number(became) for value, became in form[1]}
        return Coded(raw, table, _number(form[2]))
    _, listed, *filled = form
    steps = tuple((operation, _number(by)) for operation, by in listed)
    if any(operation not in OPERATIONS or not math.isfinite(by) for operation, by in steps):
        raise ValueError("a step is not known")
    return Scaled(raw, steps, {MISSING: _in(filled[0])} if filled else {})


def _number(form: Any) -> Any:
    value = _in(form)
    return value if value is REFUSED else float(_typed(value, float, int))


def _names(form: Any, count: int | None = None) -> tuple[str, ...] | None:
    if form is None:
        return None
    if count not in (None, len(_typed(form, list))):
        raise ValueError(f"{len(form)} names for {count} columns")
    return tuple(_typed(name, str) for name in form)


def _typed(value: Any, *types: type) -> Any:
    if type(value) not in types:
        raise TypeError(f"{value!r} is no {types[0].__name__}")
    return value


class _Asked:
    """The model itself, which is loaded when it is first asked."""

    def __init__(self, load: Callable[[], Any]) -> None:
        self._load = load

    @cached_property
    def rows(self) -> Any:
        """The reader of its rows, with its steps."""
        return adapt_any(self._load(), None).rows

    def apply(self, X: Any) -> Any:
        """Return the leaves of rows; what the model does not take, it refuses."""
        return getattr(self.rows, "transformed", self.rows).model.apply(X)
