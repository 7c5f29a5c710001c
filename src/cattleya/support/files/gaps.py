"""Missing cells of texts in one form, as a CSV file has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["gaps_as_nan"]


def gaps_as_nan(frame: pd.DataFrame) -> None:
    """Put NaN for None among objects: to scikit-learn, None is a category by itself."""
    for name in frame.columns[frame.isna().any()]:
        if str(frame[name].dtype) == "object":
            frame[name] = frame[name].where(frame[name].notna(), np.nan)
