"""Places in arrays that are bigger than this machine's memory.

`np.unravel_index` and `np.ravel_multi_index` only compute, so a script may ask them for
an array of 2**40 elements; numpy's own refuse what an index of 32 bits cannot reach.
"""

import math

import numpy as np

_MOST = 2**63 - 1


def _dimensions(shape):
    sizes = (int(shape),) if np.ndim(shape) == 0 else tuple(map(int, shape))
    total = math.prod(sizes)
    return sizes, total, 2**31 <= total <= _MOST


def unravel(indices, shape, order="C"):
    """`np.unravel_index`."""
    sizes, total, big = _dimensions(shape)
    if not big or order not in ("C", "F"):
        return np.unravel_index(indices, shape, order)
    left = np.asarray(indices)
    if left.dtype.kind not in "iu":
        raise TypeError("only int indices permitted")
    left = left.astype(np.int64)
    outside = left[(left < 0) | (left >= total)]
    if outside.size:
        raise ValueError(f"index {outside[0]} is out of bounds for array with size {total}")
    parts = []
    for size in sizes if order == "F" else reversed(sizes):
        parts.append(left % size)
        left = left // size
    return tuple(parts if order == "F" else reversed(parts))


def ravel(multi_index, dims, mode="raise", order="C"):
    """`np.ravel_multi_index`."""
    sizes, _, big = _dimensions(dims)
    if not big or order not in ("C", "F") or len(multi_index) != len(sizes):
        return np.ravel_multi_index(multi_index, dims, mode, order)
    modes = (mode,) * len(sizes) if isinstance(mode, str) else mode
    place, step = np.int64(0), 1
    parts = [*zip(multi_index, sizes, modes, strict=True)]
    for part, size, how in parts if order == "F" else reversed(parts):
        part = np.asarray(part)
        if part.dtype.kind not in "iu":
            raise TypeError("only int indices permitted")
        if how == "wrap":
            part = part % size
        elif how == "clip":
            part = np.clip(part, 0, size - 1)
        elif np.any((part < 0) | (part >= size)):
            raise ValueError("invalid entry in coordinates array")
        place = place + part.astype(np.int64) * step
        step *= size
    return place
