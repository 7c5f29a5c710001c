"""Images: which pixels make a tree see a digit in a drawing.

    python examples/images.py --row 313 --picture digit.png

The data are the handwritten digits that come with scikit-learn, 8 by 8 pixels from 0 to 16. The
picture is the paper's figure: the instance, a reason, the heat map, the explanatory features.
"""

from __future__ import annotations

import argparse

import matplotlib as mpl
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya import plots


def main() -> None:
    """Train, explain one digit that the tree has not seen, and draw it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--row", type=int, default=313, help="which of the rows kept for the trial")
    parser.add_argument("--picture", default="digit.png", help="where to save the picture")
    options = parser.parse_args()
    mpl.use("agg")  # a picture in a file needs no window

    digits = load_digits()
    kept, tried, kept_label, tried_label = train_test_split(
        digits.data, digits.target, random_state=0
    )
    model = DecisionTreeClassifier(random_state=0).fit(kept, kept_label)
    print(f"A tree that is right on {model.score(tried, tried_label):.1%} of {len(tried)} digits.")

    if not 0 <= options.row < len(tried):
        parser.error(f"--row must be 0 to {len(tried) - 1}, not {options.row}")
    explainer = cattleya.Explainer(model, feature_names=digits.feature_names)
    e = explainer.explain(tried[options.row])
    print(f"The tree says {e.prediction}; in truth it is {tried_label[options.row]}. Why?")
    print(f"  A shortest reason: {e.minimal_reason()}")
    print(f"  In every reason: {', '.join(sorted(map(str, e.necessary()))) or 'nothing'}")
    sizes = e.count_by_size()
    print(f"  All reasons: {e.count():,}, of {min(sizes)} to {max(sizes)} conditions")
    for digit in range(10):
        if digit != e.prediction:
            changes = e.contrastive(toward=digit, limit=1)[0]
            print(f"  Why not {digit}? Because of {changes}")

    axes = plots.image(e, shape=(8, 8), reason=e.minimal_reason())
    axes[0].figure.savefig(options.picture, dpi=150, bbox_inches="tight")
    print(f"The picture: {options.picture}")


if __name__ == "__main__":
    main()
