"""Exact explanations of what a decision tree decided.

The layers, each calling only those below it:

1. presentation: ``cli``, ``pages``, ``plots``, ``words``, ``findings``, ``demo``. Computes nothing.
2. what users import: ``explainer``, ``explanation`` (made of ``explained_row``, ``how_many``,
   ``what_if`` and ``shown``), ``batch`` and ``many_counterfactuals`` for many rows. Knows no
   algorithm.
3. answers: ``sufficient_reasons``, ``diversity``, ``counting``, ``circuit``, ``counterfactuals``,
   ``fairness``, ``row_reasons``, ``reason``.
4. vocabularies: ``row_atoms`` (the interface, and the paper's conditions), ``features`` and
   ``intervals`` (with ``attribute_atoms``); ``verification``, ``domain_verification`` and
   ``domain_contrasts``, which share no code with the search.
5. plain values: ``complete_reason``, ``feature_names``, ``feature_lookup``, ``leaf_regions``,
   ``domain``, ``number``, ``grid``, ``stated_domain``, ``vocabulary``, ``wording``, ``walker``,
   ``prover``, ``tree``, ``condition``, ``user_condition``, ``fact``, ``rows``, ``limits``,
   ``printable``.
6. the native core ``_core``: arrays in, arrays out.

Beside them, ``adapters`` turn foreign models into a ``Tree`` and a ``Domain``; scikit-learn is
imported there, and only when a model of it is given. ``files`` reads and writes models and tables.
``experiments`` runs the paper's table again, through the public names only.
"""

from typing import Any

from cattleya.circuit import Circuit
from cattleya.condition import Condition
from cattleya.diversity import DiverseReasons, Representation
from cattleya.errors import (
    MemoryLimitExceeded,
    NoSuchCounterfactual,
    NoSuchReason,
    TimeoutExpired,
)
from cattleya.explainer import Explainer
from cattleya.explanation import Explanation
from cattleya.reason import Reason
from cattleya.tree import Tree
from cattleya.verification import Verification

__version__ = "0.1.0"

__all__ = [
    "Circuit",
    "Condition",
    "DiverseReasons",
    "Explainer",
    "Explanation",
    "MemoryLimitExceeded",
    "NoSuchCounterfactual",
    "NoSuchReason",
    "Reason",
    "Representation",
    "TimeoutExpired",
    "Tree",
    "Verification",
    "__version__",
]


def __getattr__(name: str) -> Any:
    """Load the pictures when they are first asked for: most users of the library draw none."""
    if name == "plots":
        from importlib import import_module

        return import_module("cattleya.plots")
    raise AttributeError(f"module 'cattleya' has no attribute {name!r}")
