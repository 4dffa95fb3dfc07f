"""Store vectors as whole numbers from -127 to 127 with a scale for each vector: a quarter of the size of floats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST = 127


def as_int8(vectors: NDArray[np.float32], most: int = MOST) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return the rows rounded to whole numbers from -most to most, and the scale of each row."""
    scales = np.maximum(np.abs(vectors).max(axis=1, initial=0.0), 1e-12).astype(np.float32) / most
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales


def int8_rows(vectors: NDArray[np.float32]) -> NDArray[np.void]:
    """Return vectors as the bytes of a file: of each its scale, then its components."""
    rows = np.empty(len(vectors), np.dtype([("scale", "<f4"), ("values", "i1", (vectors.shape[1],))]))
    rows["values"], rows["scale"] = as_int8(vectors)
    return rows
