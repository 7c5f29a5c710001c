"""Which adapter takes a model: one per library, imported only when a model of it is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, Protocol, cast

from cattleya.adapters.adapted import AdaptedModel, not_a_model
from cattleya.adapters.wrappers import unwrapped

__all__ = ["ADAPTERS", "TARGET_NAME", "Adapt", "adapt"]

#: The modules that adapt the models of each library, by the library's name. A new one is a line.
ADAPTERS = {
    "cattleya": "cattleya.adapters.own",
    "sklearn": "cattleya.adapters.sklearn",
}


#: The attribute of a model in which :mod:`cattleya.adapters.training` keeps the target's name.
TARGET_NAME = "target_name_"


class Adapt(Protocol):
    """What each of these modules has, under the name ``adapt``."""

    def __call__(
        self,
        model: Any,
        feature_names: Sequence[str] | None,
        missing_values: bool | None,
        output: int | None,
    ) -> AdaptedModel:
        """Return a model as the library sees it; ``TypeError`` says why it cannot be explained.

        ``output`` is the one to explain of a model that predicts several.
        """


def adapt(
    model: Any,
    feature_names: Sequence[str] | None,
    missing_values: bool | None = None,
    output: int | None = None,
) -> AdaptedModel:
    """Return the tree of a model, and the reader of its rows.

    The adapter is that of the library that the model's class, or the nearest of its bases, is from.
    Wrappers that decide as the model in them does are taken as that model.
    """
    outer = model
    model, notes = unwrapped(outer)
    if notes and feature_names is None and not hasattr(model, "feature_names_in_"):
        feature_names = getattr(outer, "feature_names_in_", None)  # the wrapper keeps them alone
    for base in type(model).__mro__:
        library = base.__module__.partition(".")[0]
        if library in ADAPTERS:
            found = cast("Adapt", import_module(ADAPTERS[library]).adapt)
            adapted = found(model, feature_names, missing_values, output)
            return replace(adapted, target_name=_target_name(model), notes=notes)
    raise TypeError(not_a_model(model))


def _target_name(model: Any) -> str | None:
    """Return the column that a model predicts, as training writes it down in the model."""
    name = getattr(model, TARGET_NAME, None)
    return name if isinstance(name, str) else None
