"""``python -m cattleya.demo``: one row of scikit-learn's breast-cancer data, explained."""

from __future__ import annotations

import sys

from cattleya.explainer import Explainer
from cattleya.words import describe

__all__ = ["main"]


def main() -> int:
    """Train a tree, and explain its decision on one patient it has not seen."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split
    from sklearn.tree import DecisionTreeClassifier

    data = load_breast_cancer(as_frame=True)
    train, test, train_class, test_class = train_test_split(
        data.data, data.target, random_state=0, stratify=data.target
    )
    model = DecisionTreeClassifier(random_state=0).fit(train, train_class)
    accuracy = model.score(test, test_class)
    explainer = Explainer(model, class_names=data.target_names)
    # Of the tumours it had not seen, the one with the longest path: there is most to explain.
    paths = [len(explainer.explain(row).direct_reason()) for row in test.to_numpy()]
    place = paths.index(max(paths))
    patient = test.iloc[[place]]
    truth = data.target_names[test_class.iloc[place]]

    print(
        "Breast-cancer data (569 tumours, 30 measurements of cell nuclei under the microscope).\n"
        f"A decision tree of {explainer.tree.n_nodes} nodes, trained on {len(train)} of them, is "
        f"right on {accuracy:.1%} of the other {len(test)}.\n"
        f"Here is what it decided about tumour {patient.index[0]}, which it had not seen "
        f"(in truth {truth}), and why.\n"
    )
    print(describe(explainer.explain(patient)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
