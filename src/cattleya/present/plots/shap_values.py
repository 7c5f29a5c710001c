"""Explanatory importance in the form that the plots of the ``shap`` library take."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya.explain.explanation import Explanation, checked_explanation, explained_row
from cattleya.model.domain.domain import Category
from cattleya.present.plots import style
from cattleya.present.plots.bars import by_feature
from cattleya.present.plots.fonts import visible
from cattleya.support.arrays import Floats

__all__ = ["to_shap"]


def to_shap(
    explanation: Explanation | Iterable[Explanation],
    by: str = "feature",
    kind: str = "sufficient",
    *,
    timeout: float | None = None,
) -> Any:
    """Return explanatory importance as a ``shap.Explanation``, for the plots people know.

    The values are no SHAP values: they are exact, never negative, and do not add up to the model's
    output. With ``by="feature"`` a value is the share of the explanations that mention the feature;
    with ``by="condition"`` the share that contain the condition. ``output_names`` says so
    (``"share of the sufficient reasons that mention it"``), ``base_values`` is 0, and the values
    add up to the average number of features, or of conditions, in an explanation, which is what
    ``shap.plots.waterfall`` shows as ``f(x)``. Where a plot labels its axis "SHAP value", give it
    this label: ``plt.xlabel(values.output_names)``.

    Features are those that the user gave, also where a Pipeline makes several columns of one. For a
    category, ``data`` has the place of its value and ``display_data`` the value.

    Parameters
    ----------
    explanation : Explanation, or several
        One gives one row, for ``shap.plots.waterfall`` and ``shap.plots.bar``. Several, of one
        explainer, give a matrix with a line for each, for ``shap.plots.beeswarm``.
    by : {"feature", "condition"}
        What the values are about. With ``"condition"`` only one explanation can be given, as the
        conditions of two rows differ; those in no explanation are left out.
    kind : {"sufficient", "contrastive"}
        Which explanations are meant.
    timeout : float, optional
        Of each row, as for :meth:`cattleya.Explanation.importance`.

    Examples
    --------
    >>> import cattleya
    >>> from cattleya import plots
    >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
    >>> values = plots.to_shap(cattleya.Explainer(tree).explain([1, 1, 1]))
    >>> values.feature_names, values.values.tolist(), values.output_names
    (['a', 'b', 'c'], [0.5, 0.5, 1.0], 'share of the sufficient reasons that mention it')
    """
    if by not in ("feature", "condition"):
        raise ValueError(f"by must be 'feature' or 'condition', not {by!r}")
    if isinstance(explanation, str) or not isinstance(explanation, (Explanation, Iterable)):
        explanation = checked_explanation(explanation)
    if isinstance(explanation, Explanation):
        return _of_one(_shap(), explanation, by, kind, timeout)
    several = [checked_explanation(one) for one in explanation]
    if by == "condition":
        raise ValueError("the conditions of several rows differ; use by='feature', or give one row")
    if not several:
        raise ValueError("no explanation was given: give at least one, not []")
    if any(e.tree != several[0].tree for e in several):
        raise ValueError("the explanations are of different trees; give those of one explainer")
    return _of_features(_shap(), several, kind, timeout)


def _shap() -> Any:
    try:
        import shap
    except ImportError as error:
        raise ImportError(
            'to_shap needs the shap library, which is not installed: pip install "cattleya[shap]"'
        ) from error
    return shap


def _of_one(shap: Any, explanation: Explanation, by: str, kind: str, timeout: float | None) -> Any:
    if by == "feature":
        return _of_features(shap, [explanation], kind, timeout)[0]
    ranked = [(c, s) for c, s in explanation.importance(kind, timeout=timeout).items() if s]
    made = shap.Explanation(
        values=np.array([float(share) for _, share in ranked]),
        base_values=0.0,
        feature_names=[_name(style.label(explanation, condition)) for condition, _ in ranked],
    )
    return _labelled(made, kind, by)


def _of_features(
    shap: Any, several: Sequence[Explanation], kind: str, timeout: float | None
) -> Any:
    attributes = explained_row(several[0]).context.domain.attributes
    has_categories = any(isinstance(attribute, Category) for attribute in attributes)
    made = shap.Explanation(
        values=np.array([_by_feature(e, kind, timeout) for e in several]),
        base_values=np.zeros(len(several)),
        data=np.array([_numbers(e) for e in several]),
        # Plots take colours from the numbers, and show these.
        display_data=np.array([_cells(e) for e in several]) if has_categories else None,
        feature_names=[_name(attribute.name) for attribute in attributes],
    )
    return _labelled(made, kind, "feature")


def _by_feature(explanation: Explanation, kind: str, timeout: float | None) -> Floats:
    attributes = explained_row(explanation).context.domain.attributes
    conditions = {c: s for c, s in explanation.importance(kind, timeout=timeout).items() if s}
    shares = by_feature(explanation, kind, conditions, timeout)
    return np.array([float(shares.get(attribute.name, 0)) for attribute in attributes])


def _labelled(made: Any, kind: str, by: str) -> Any:
    """Return values that say what they are; shap takes no text for all outputs when it is made."""
    says = "mention it" if by == "feature" else "contain it"
    names = {"sufficient": "sufficient reasons", "contrastive": "contrastive explanations"}
    made.output_names = f"share of the {names.get(kind, kind)} that {says}"
    return made


def _numbers(explanation: Explanation) -> list[float]:
    """Return what the row has of each feature; of a category, which of its values."""
    attributes = explained_row(explanation).context.domain.attributes
    return [
        float(attribute.value_of(explanation.row))
        if isinstance(attribute, Category)
        else math.nan
        if own.value is None
        else float(own.value)  # type: ignore[arg-type]  # a number: it is no category
        for attribute, own in zip(attributes, explanation.values, strict=True)
    ]


def _cells(explanation: Explanation) -> npt.NDArray[np.object_]:
    cells = np.empty(len(explanation.values), dtype=object)
    cells[:] = ["missing" if own.value is None else own.value for own in explanation.values]
    return cells


def _name(text: str) -> str:
    # shap hands names to matplotlib, which would read what is between dollars as mathematics, and
    # takes what is before an equality sign for a value.
    return visible(text).replace("$", r"\$").replace("<=", "\N{LESS-THAN OR EQUAL TO}")
