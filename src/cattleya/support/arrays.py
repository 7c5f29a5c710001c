"""The arrays that cross between Python and the native core, each under one name."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["Bools", "Bytes", "Floats", "Int32s", "Int64s", "Numbers", "Places", "Words"]

Floats = npt.NDArray[np.float64]
#: The numbers at leaves, which are compared in as many bits as they have.
Numbers = npt.NDArray[np.float32] | npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
#: Numbers of nodes, columns, conditions and atoms, as the core has them.
Int32s = npt.NDArray[np.int32]
#: Where each of several lists starts in an array that holds all of them.
Int64s = npt.NDArray[np.int64]
#: Places in other arrays, as numpy gives them.
Places = npt.NDArray[np.intp]
#: Truth values, and sets of bits.
Bytes = npt.NDArray[np.uint8]
#: The limbs of long numbers, and longer sets of bits.
Words = npt.NDArray[np.uint64]
