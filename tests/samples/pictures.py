"""Pictures to compare with baselines, reduced to a grid of grey levels that fonts hardly change.

``python tests/pictures.py`` draws them again and writes ``tests/baselines/pictures.json``. Look at
the pictures before you commit that.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_digits, load_wine
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya import plots
from tests import DATA

BASELINES = DATA / "baselines" / "pictures.json"
LINES, COLUMNS = 16, 24

Grid = npt.NDArray[np.float64]


@cache
def wine() -> cattleya.Explanation:
    data = load_wine()
    model = DecisionTreeClassifier(random_state=0).fit(data.data, data.target)
    return cattleya.Explainer(model, data.feature_names, data.target_names).explain(data.data[62])


@cache
def digit() -> cattleya.Explanation:
    data = load_digits()
    model = DecisionTreeClassifier(random_state=0).fit(data.data, data.target)
    return cattleya.Explainer(model).explain(data.data[3])


PICTURES: dict[str, Callable[[], Any]] = {
    "importance": lambda: plots.importance(wine()),
    "importance of 300": lambda: plots.importance(chain(300), most=None),
    "sizes": lambda: plots.sizes(wine()),
    "tree": lambda: plots.tree(wine()),
    "contrast": lambda: plots.contrast(wine(), wine().contrastive()[-1]),
    "image": lambda: plots.image(digit()),
}


def chain(length: int) -> cattleya.Explanation:
    """A row of a tree that asks one variable after the other, every third of which is 0."""
    nested: Any = "yes"
    for i in reversed(range(length)):
        nested = (f"x{i}", nested, "no") if i % 3 == 0 else (f"x{i}", "no", nested)
    row = {f"x{i}": i % 3 != 0 for i in range(length)}
    return cattleya.Explainer(cattleya.Tree.from_nested(nested)).explain(row)


def grid(axes: Any) -> Grid:
    """The figure of some Axes as mean grey levels, 0 to 255, of a few large cells."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas: Any = FigureCanvasAgg(np.ravel(axes)[0].figure)
    canvas.draw()
    grey = np.asarray(canvas.buffer_rgba())[:, :, :3] @ [0.299, 0.587, 0.114]
    lines = np.array_split(grey, LINES, axis=0)
    return np.array([[cell.mean() for cell in np.array_split(line, COLUMNS, 1)] for line in lines])


def baselines() -> dict[str, Grid]:
    """The grids as they should be."""
    written = json.loads(BASELINES.read_text())
    return {
        name: np.array([list(bytes.fromhex(line)) for line in lines], dtype=float)
        for name, lines in written.items()
    }


def main() -> None:
    """Write the baselines."""
    from matplotlib import style

    found = {}
    with style.context("default"):
        for name, draw in PICTURES.items():
            found[name] = [bytes(line).hex() for line in grid(draw()).round().astype(np.uint8)]
    BASELINES.parent.mkdir(exist_ok=True)
    BASELINES.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
