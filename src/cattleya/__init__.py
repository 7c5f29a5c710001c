"""Exact explanations of what a decision tree decided.

The layers, each calling only those below it:

1. presentation: ``words``, ``demo``. Computes nothing.
2. what users import: ``explainer``, ``explanation``. Knows no algorithm.
3. answers: ``verification``, ``counting``, ``circuit``, ``row_reasons``, ``reason``.
4. plain values: ``complete_reason``, ``vocabulary``, ``walker``, ``tree``, ``condition``, ``rows``,
   ``limits``.
5. the native core ``_core``: arrays in, arrays out.

Beside them, ``adapters`` turn foreign models into a ``Tree``; scikit-learn is imported there, and
only when a model of it is given.
"""

from cattleya.circuit import Circuit
from cattleya.condition import Condition
from cattleya.errors import MemoryLimitExceeded, TimeoutExpired
from cattleya.explainer import Explainer
from cattleya.explanation import Explanation
from cattleya.reason import Reason
from cattleya.tree import Tree
from cattleya.verification import Verification

__version__ = "0.1.0"

__all__ = [
    "Circuit",
    "Condition",
    "Explainer",
    "Explanation",
    "MemoryLimitExceeded",
    "Reason",
    "TimeoutExpired",
    "Tree",
    "Verification",
    "__version__",
]
