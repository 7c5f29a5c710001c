"""One row of data that comes with scikit-learn, explained: what ``cattleya demo`` shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cattleya.explain.explainer import Explainer
from cattleya.explain.explanation import Explanation

__all__ = ["DATA", "SHAPES", "Demonstration", "demonstrate"]

#: What each data set is about, and what one of its rows is called.
DATA = {
    "breast_cancer": ("569 tumours, 30 measurements of cell nuclei under the microscope", "tumour"),
    "wine": ("178 wines from three growers, 13 chemical measurements", "wine"),
    "digits": ("1797 handwritten digits, 64 pixels each, from 0 to 16", "digit"),
    "iris": ("150 iris flowers of three species, 4 measurements", "flower"),
}
#: Height and width of those whose rows are images.
SHAPES = {"digits": (8, 8)}


@dataclass(frozen=True, eq=False)
class Demonstration:
    """A tree that was trained on bundled data, and its decision on a row it has not seen."""

    name: str
    explainer: Explainer
    explanation: Explanation
    truth: str
    trained_on: int
    held_out: int
    right: int
    held_out_rows: Any

    @property
    def about(self) -> str:
        """Which row it is."""
        _, noun = DATA[self.name]
        return f"a {noun} of scikit-learn's {self.name} data that it had not seen"

    @property
    def introduction(self) -> str:
        """What the data are, how good the tree is, and which row comes next."""
        about, noun = DATA[self.name]
        return (
            f"{self.name.replace('_', '-').capitalize()} data ({about}).\n"
            f"A decision tree of {self.explainer.tree.n_nodes} nodes, trained on "
            f"{self.trained_on} of them, is right on {self.right / self.held_out:.1%} of the other "
            f"{self.held_out}.\n"
            f"Here is what it decided about one {noun} that it had not seen (its true class "
            f"is {self.truth}), and why."
        )


def demonstrate(name: str = "breast_cancer") -> Demonstration:
    """Train a tree on three quarters of a data set, and explain one row of the rest."""
    from sklearn import datasets
    from sklearn.model_selection import train_test_split
    from sklearn.tree import DecisionTreeClassifier

    if name not in DATA:
        raise ValueError(f"there is no data set {name!r}; there are {', '.join(DATA)}")
    data = getattr(datasets, f"load_{name}")()
    train, test, train_class, test_class = train_test_split(
        data.data, data.target, random_state=0, stratify=data.target
    )
    model = DecisionTreeClassifier(random_state=0).fit(train, train_class)
    classes = [str(label) for label in data.target_names]
    explainer = Explainer(model, data.feature_names, classes, over="intervals")
    decided = [(explainer.explain(row), truth) for row, truth in zip(test, test_class, strict=True)]
    # Of the rows it is right on, the one whose path says most that is not needed.
    right = [e for e, truth in decided if e.prediction == truth]
    explained = max(right, key=lambda e: len(e.direct_reason()) - len(e.sufficient_reason()))
    return Demonstration(
        name=name,
        explainer=explainer,
        explanation=explained,
        truth=classes[explained.row_class],
        trained_on=len(train),
        held_out=len(test),
        right=len(right),
        held_out_rows=test,
    )
