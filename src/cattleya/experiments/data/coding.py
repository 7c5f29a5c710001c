"""Tables as numbers, the paper's way: categories as arbitrary numbers, numbers as they are.

scikit-learn's trees took no missing values when the paper was written. An empty cell therefore gets
the number -1 in a column of text, like a category, and the median in a column of numbers.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from cattleya.adapters.training.table import classes_of
from cattleya.support.files.unpacking import check_archive
from cattleya.support.text import quoted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Data", "from_arrays_file", "from_table"]

Labels = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Data:
    """A data set as numbers; ``x`` is an array or a sparse matrix, ``y`` is 0, 1, ..."""

    name: str
    origin: str
    x: Any
    y: Labels
    features: tuple[str, ...]
    classes: tuple[str, ...]

    @cached_property
    def checksum(self) -> str:
        """The first digits of the SHA-256 of the numbers: which data this is."""
        digest = hashlib.sha256(repr(self.x.shape).encode())
        parts = (self.x.indptr, self.x.indices, self.x.data) if self.sparse else (self.x,)
        for part in (*parts, self.y):
            digest.update(np.ascontiguousarray(part).data)
        return digest.hexdigest()[:16]

    @property
    def sparse(self) -> bool:
        """Whether the rows are sparse."""
        return hasattr(self.x, "indptr")

    def row(self, number: int) -> Any:
        """Return one row as a user has it: an array, or a sparse row."""
        return self.x[[number]] if self.sparse else self.x[number]

    def dense_row(self, number: int) -> npt.NDArray[np.float64]:
        """Return one row as an array."""
        row = self.x[[number]].toarray()[0] if self.sparse else self.x[number]
        return np.ascontiguousarray(row, dtype=np.float64)


def from_table(name: str, origin: str, table: pd.DataFrame, target: str | None = None) -> Data:
    """Code a table: text by its rank among the sorted values.

    The target is the last column unless named. Rows without one are left out.
    """
    import pandas as pd

    if target is None:
        target = str(table.columns[-1])
    elif target not in table.columns:
        raise ValueError(
            f"{origin} has no column {target!r} to predict; it has {quoted(list(table.columns))}"
        )
    table = table[table[target].notna()]
    try:
        classes_of(table[target], target)
    except ValueError as error:
        raise ValueError(f"{origin}: {error}; name the column to predict with --target") from error
    classes, y = np.unique(table[target].astype(str).to_numpy(dtype=object), return_inverse=True)
    columns = []
    features = [str(column) for column in table.columns if column != target]
    for feature in features:
        column = table[feature]
        if pd.api.types.is_numeric_dtype(column):
            numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
            empty = np.isnan(numbers)
            if empty.all():
                raise ValueError(f"{origin}: the column {feature!r} is empty; leave it out")
            if np.isinf(numbers).any():
                raise ValueError(
                    f"{origin}: the column {feature!r} is infinite in row "
                    f"{table.index[np.isinf(numbers).argmax()]}, which no tree takes; empty the "
                    f"cell, or leave the column out"
                )
            columns.append(np.where(empty, np.median(numbers[~empty]), numbers))
        else:
            columns.append(pd.Categorical(column.astype("object")).codes.astype(np.float64))
    x = np.ascontiguousarray(np.column_stack(columns))
    return Data(name, origin, x, y.astype(np.int64), tuple(features), tuple(map(str, classes)))


def from_arrays_file(name: str, path: Path) -> Data:
    """Read a .npz file: images (``pixels``, ``digit``) or a binary matrix in CSR form and ``y``."""
    try:
        with path.open("rb") as file:
            remedy = "give it as .csv.gz if that is right"
            check_archive(path.name, file, path.stat().st_size, remedy)
        return _from_arrays(name, path)
    except (BadZipFile, EOFError, KeyError, OSError, TypeError, ValueError) as error:
        raise ValueError(
            f"{path.name!r} cannot be read: {error}; write it again, with numpy.savez"
        ) from error


def _from_arrays(name: str, path: Path) -> Data:
    from scipy.sparse import csr_matrix

    with np.load(path, allow_pickle=False) as arrays:
        if "pixels" in arrays:
            labels = arrays["digit"]
            if len(labels) != len(arrays["pixels"]):
                raise ValueError(
                    f"it has {len(arrays['pixels'])} images and {len(labels)} digits: give a label "
                    f"for each"
                )
            x = arrays["pixels"].reshape(len(labels), -1).astype(np.float32)
            features = [f"pixel {i}" for i in range(x.shape[1])]
        elif {"indices", "indptr", "shape", "y"} <= set(arrays):
            ones = np.ones(len(arrays["indices"]), dtype=np.float32)
            shape = tuple(arrays["shape"].tolist())
            x = csr_matrix((ones, arrays["indices"], arrays["indptr"]), shape=shape)
            labels = arrays["y"]
            features = [f"word {i}" for i in range(shape[1])]
        else:
            raise ValueError(
                f"it has the arrays {quoted(sorted(arrays))}; it must have 'pixels' and "
                f"'digit', or 'indices', 'indptr', 'shape' and 'y'"
            )
    classes, y = np.unique(labels, return_inverse=True)
    return Data(
        name, path.name, x, y.astype(np.int64), tuple(features), tuple(map(str, classes.tolist()))
    )
