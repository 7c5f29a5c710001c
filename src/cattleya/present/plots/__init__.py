"""Pictures of explanations, drawn with matplotlib (``pip install "cattleya[plots]"``).

Each function draws on ``ax``, or on a new figure, and returns the Axes. Blue means that the row is
on the side of a condition where it is true or above the threshold (``x1``, ``age > 30.5``), red
that it is on the other (``not x1``, ``age <= 30.5``), as in the paper's heat maps. Colour is never
all that tells things apart: red is also lighter, and hatched or marked.

The files: ``style`` has what all pictures share, ``fonts`` the text in them, ``path`` what is near
a row's path; each of the others draws one picture. matplotlib is imported when something is drawn.
"""

from cattleya.present.plots.bars import importance
from cattleya.present.plots.contrasts import contrast
from cattleya.present.plots.images import (
    image,
    image_features,
    image_heat_map,
    image_instance,
    image_reason,
)
from cattleya.present.plots.shap_values import to_shap
from cattleya.present.plots.size_bars import sizes
from cattleya.present.plots.staircase import trade_off
from cattleya.present.plots.tree_picture import tree
from cattleya.present.plots.whole import regions, rules

__all__ = [
    "contrast",
    "image",
    "image_features",
    "image_heat_map",
    "image_instance",
    "image_reason",
    "importance",
    "regions",
    "rules",
    "sizes",
    "to_shap",
    "trade_off",
    "tree",
]


def __dir__() -> list[str]:
    """Name the pictures; the files that draw them are no part of what is offered."""
    return __all__
