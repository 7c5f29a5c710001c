"""Which adapter takes a model: one per library, imported only when a model of it is given."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol, cast

from cattleya.adapters.adapted import AdaptedModel, not_a_model

__all__ = ["ADAPTERS", "Adapt", "adapt"]

#: The modules that adapt the models of each library, by the library's name. A new one is a line.
ADAPTERS = {
    "cattleya": "cattleya.adapters.own",
    "sklearn": "cattleya.adapters.sklearn",
}


class Adapt(Protocol):
    """What each of these modules has, under the name ``adapt``."""

    def __call__(
        self, model: Any, feature_names: Sequence[str] | None, missing_values: bool | None
    ) -> AdaptedModel:
        """Return a model as the library sees it; ``TypeError`` says why it cannot be explained."""


def adapt(
    model: Any, feature_names: Sequence[str] | None, missing_values: bool | None = None
) -> AdaptedModel:
    """Return the tree of a model, and the reader of its rows.

    The adapter is that of the library that the model's class, or the nearest of its bases, is from.
    """
    for base in type(model).__mro__:
        library = base.__module__.partition(".")[0]
        if library in ADAPTERS:
            found = cast("Adapt", import_module(ADAPTERS[library]).adapt)
            return found(model, feature_names, missing_values)
    raise TypeError(not_a_model(model))
