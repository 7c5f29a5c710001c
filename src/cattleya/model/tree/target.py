"""What is explained: which outcome each leaf of a tree stands for.

Explanations are about an outcome, and every question asks which leaves give another. That is
decided here, once: a target labels the leaves, and the tree with these labels is what the
vocabularies and the search for other rows see. By default the outcome is what the model predicts, a
class or a number; a threshold on a probability or on a number is another labelling.

A leaf's number is compared with a threshold as numpy compares what ``predict`` and
``predict_proba`` give with a Python number: in 64 bits, or in 32 where the model's numbers have 32.
The proof labels the leaves by code of its own (:mod:`cattleya.proof.judge`).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, ClassVar, Protocol

import numpy as np

from cattleya.model.tree.classes import Classes
from cattleya.model.tree.threshold import Bound, chosen_bound
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Numbers
from cattleya.support.text import plain_value, shown

__all__ = ["PredictedClass", "Probability", "Target", "Value", "checked_target", "target_of_form"]


class Target(Protocol):
    """What is explained of a model."""

    @property
    def bound(self) -> Bound | None:
        """The range of numbers that is asked about; None where each class is an outcome."""

    def numbers(self, tree: Tree, classes: Classes) -> Numbers | None:
        """Return the number of each leaf that the bound is about; refuse a tree that has none."""

    def outcomes(self, tree: Tree, classes: Classes, own: float | None = None) -> Tree:
        """Return the tree whose classes are the outcomes: the same tests, other leaves.

        ``own`` is the row's own number, for a bound that is around it.
        """

    def classes(self, outcomes: Tree, classes: Classes) -> Classes:
        """Return the outcomes, and how they are shown."""

    def form(self, classes: Classes) -> dict[str, Any] | None:
        """Return the target as JSON values, by which :func:`target_of_form` makes it again."""


@dataclass(frozen=True)
class PredictedClass:
    """What the model predicts: the class, or exactly the number.

    Examples
    --------
    >>> tree = Tree.from_nested(("x1", "no", "yes"))
    >>> PredictedClass().outcomes(tree, Classes.of(tree.class_names)) is tree
    True
    """

    bound: ClassVar[None] = None

    def numbers(self, tree: Tree, classes: Classes) -> Numbers | None:
        """Return the numbers that the tree predicts, if it does."""
        return tree.leaf_value

    def outcomes(self, tree: Tree, classes: Classes, own: float | None = None) -> Tree:
        """Return the tree itself."""
        return tree

    def classes(self, outcomes: Tree, classes: Classes) -> Classes:
        """Return the classes; of numbers, each."""
        if not outcomes.predicts_numbers:
            return classes
        texts = tuple(f"exactly {name}" for name in classes.names)
        return Classes(outcomes.class_names, texts, "number")

    def form(self, classes: Classes) -> None:
        """Return nothing: it is what is explained where nothing else is said."""


class _Bounded:
    """What both targets with a bound share: place 1 is the outcome inside it, place 0 the other."""

    bound: Bound

    def numbers(self, tree: Tree, classes: Classes) -> Numbers:
        raise NotImplementedError

    def _said(self, classes: Classes) -> str:
        """Return what stands before the bound in the words of an outcome."""
        return ""

    def outcomes(self, tree: Tree, classes: Classes, own: float | None = None) -> Tree:
        """Return the tree with two classes, the words for the two outcomes.

        :meta private:
        """
        numbers, start = self.numbers(tree, classes), self._said(classes)
        inside = self.bound.holds(numbers, own)
        names = tuple(f"{start}{words}" for words in self.bound.words(own, numbers.dtype.name))
        return tree.relabelled(inside.astype(np.int32), names)

    def classes(self, outcomes: Tree, classes: Classes) -> Classes:
        """Return the two outcomes.

        :meta private:
        """
        return Classes.of(outcomes.class_names, noun="outcome")

    def __repr__(self) -> str:
        (given,) = self.bound.form().items()
        label = f"{self.label!r}, " if isinstance(self, Probability) else ""
        return f"{type(self).__name__}({label}{given[0]}={given[1]})"


@dataclass(frozen=True, repr=False)
class Probability(_Bounded):
    """Whether the probability of a class reaches a threshold, as ``model.predict_proba`` gives it.

    The probability is compared as numpy compares it: to the last bit, ties included.

    Parameters
    ----------
    label : label of a class
        Or the name that is shown for it.
    at_least : float, optional
        The threshold; the probability may be equal to it.
    below : float, optional
        The same the other way round. Give one of both.

    Examples
    --------
    >>> import cattleya
    >>> tree = cattleya.Tree([1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 0, 0],
    ...                      n_features=1, feature_names=["age"], class_names=["no", "yes"],
    ...                      leaf_probability=[[0, 0], [0.9, 0.1], [0.6, 0.4]])
    >>> target = cattleya.Probability("yes", at_least=0.3)
    >>> e = cattleya.Explainer(tree, target=target).explain([40])
    >>> e.prediction, e.outcome
    ('no', 'probability of yes at least 0.3')
    >>> print(e.sufficient_reason())
    age > 30.5
    """

    label: Hashable
    _: KW_ONLY
    at_least: float | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        _put_bound(self, "Probability", {"at_least": self.at_least, "below": self.below})
        for threshold in self.bound.numbers:
            if not 0 <= threshold <= 1:
                raise ValueError(f"a probability is between 0 and 1: {shown(threshold)} is not")

    def numbers(self, tree: Tree, classes: Classes) -> Numbers:
        """Return the probability of the class at each leaf.

        :meta private:
        """
        if tree.predicts_numbers:
            raise ValueError(
                "the model predicts numbers, not classes: ask about them with cattleya.Value, "
                "such as Value(at_least=100)"
            )
        place = classes.meant(self.label, "label")
        if tree.leaf_probability is None:
            raise ValueError(
                "the tree has no probabilities at its leaves: give it leaf_probability, or explain "
                "the model that it was made from"
            )
        return tree.leaf_probability[:, place]

    def _said(self, classes: Classes) -> str:
        return f"probability of {classes.names[classes.meant(self.label, 'label')]} "

    def form(self, classes: Classes) -> dict[str, Any]:
        """Return the target as JSON values.

        :meta private:
        """
        label = plain_value(classes.labels[classes.meant(self.label, "label")])
        own = label if isinstance(label, (str, bool, int, float)) else str(label)
        return {"probability": own} | self.bound.form()


@dataclass(frozen=True, repr=False)
class Value(_Bounded):
    """Whether the number that the model predicts is in a range.

    It is compared as numpy compares what ``model.predict`` gives. Give exactly one range.

    Parameters
    ----------
    at_least : float, optional
        The number is this, or more.
    below : float, optional
        The number is less than this.
    between : (float, float), optional
        The number is at least the first and at most the second: both ends count.
    within : float, optional
        The number differs from this row's own prediction by at most so much: ``numpy.abs(number -
        own) <= within``. What is explained is then another range for each row.

    Examples
    --------
    >>> import cattleya
    >>> tree = cattleya.Tree([1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], None,
    ...                      n_features=1, feature_names=["age"], leaf_value=[0, 95000, 120000])
    >>> e = cattleya.Explainer(tree, target=cattleya.Value(at_least=100_000)).explain([40])
    >>> e.prediction, e.outcome
    (120000.0, 'at least 100,000')
    >>> cattleya.Explainer(tree, target=cattleya.Value(within=500)).explain([20]).outcome
    'within 500 of 95,000'
    """

    _: KW_ONLY
    at_least: float | None = None
    below: float | None = None
    between: tuple[float, float] | None = None
    within: float | None = None

    def __post_init__(self) -> None:
        given = {one.name: getattr(self, one.name) for one in fields(self)}
        _put_bound(self, "Value", given)

    def numbers(self, tree: Tree, classes: Classes) -> Numbers:
        """Return the number that each leaf predicts.

        :meta private:
        """
        if tree.leaf_value is None:
            raise ValueError(
                "the model predicts classes, not numbers: ask about the probability of one with "
                f"cattleya.Probability, such as Probability({classes.labels[-1]!r}, at_least=0.3)"
            )
        return tree.leaf_value

    def form(self, classes: Classes) -> dict[str, Any]:
        """Return the target as JSON values.

        :meta private:
        """
        return {"value": True} | self.bound.form()


def _put_bound(target: _Bounded, name: str, given: dict[str, Any]) -> None:
    """Check the range of a target, and keep it in the form of plain numbers."""
    bound = chosen_bound(name, given)
    put = object.__setattr__
    put(target, "bound", bound)
    put(target, bound.kind, bound.numbers if len(bound.numbers) > 1 else bound.numbers[0])


def checked_target(target: Any) -> Target:
    """Return what is to be explained; refuse what is no target."""
    if target is None:
        return PredictedClass()
    if not isinstance(target, (PredictedClass, Probability, Value)):
        raise TypeError(
            f"target must be None, a cattleya.Probability or a cattleya.Value, not {shown(target)}"
        )
    return target


def target_of_form(form: Any) -> Target:
    """Return the target that a file names; refuse what is none.

    >>> target_of_form({"value": True, "between": [1.0, 2.5]})
    Value(between=[1.0, 2.5])
    """
    if form is None:
        return PredictedClass()
    if isinstance(form, Mapping):
        given: dict[str, Any]
        given = {key: tuple(one) if isinstance(one, list) else one for key, one in form.items()}
        label, is_value = given.pop("probability", None), given.pop("value", None)
        try:
            if is_value is True and label is None:
                return Value(**given)
            if is_value is None and isinstance(label, (str, bool, int, float)):
                return Probability(label, **given)
        except TypeError:
            pass  # an unknown key
    raise ValueError(f"{shown(form)} is no target; give None, a probability or a value")
