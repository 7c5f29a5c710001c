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

    data = load_breast_cancer()
    train, test, train_class, test_class = train_test_split(
        data.data, data.target, random_state=0, stratify=data.target
    )
    model = DecisionTreeClassifier(random_state=0).fit(train, train_class)
    accuracy = model.score(test, test_class)
    explainer = Explainer(model, data.feature_names, data.target_names)
    # Of the tumours it had not seen, the one whose path says most that is not needed.
    seen = [explainer.explain(row) for row in test]
    explained = max(seen, key=lambda e: len(e.direct_reason()) - len(e.sufficient_reason()))
    truth = data.target_names[test_class[seen.index(explained)]]

    print(
        "Breast-cancer data (569 tumours, 30 measurements of cell nuclei under the microscope).\n"
        f"A decision tree of {explainer.tree.n_nodes} nodes, trained on {len(train)} of them, is "
        f"right on {accuracy:.1%} of the other {len(test)}.\n"
        f"Here is what it decided about one that it had not seen (in truth {truth}), and why.\n"
    )
    print(describe(explained))
    return 0


if __name__ == "__main__":
    sys.exit(main())
