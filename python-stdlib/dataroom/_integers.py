"""Where extension modules insist on 32-bit indices.

numpy's default integer is made 64 bits wide when the start image is built; an index
is still 32 bits wide, and a few compiled functions take index arrays of exactly that
width. They refuse a 64-bit array before doing any work, so it is safe to cast (a cast
that would lose a value raises) and call again.

The other way round, an index that a script got from numpy (`np.where`, `np.argsort`,
`np.bincount` …) would wrap at 2**31 in its later arithmetic, without a word. So a
script's own `numpy` is a copy of the module in which those functions give 64-bit
integers, as they do on a 64-bit CPython; libraries keep the original, because their
compiled parts insist.
"""

import functools
import types

import numpy as np


def as_index(array):
    """`array` with 32-bit indices; raises if one does not fit."""
    narrow = array.astype(np.intp)
    if not np.array_equal(narrow, array):
        raise OverflowError("an index is beyond what 32 bits can address")
    return narrow


def _narrowed(value):
    if isinstance(value, np.ndarray) and value.dtype == np.int64:
        return as_index(value)
    return value


def retrying(function):
    """`function`, called again with 32-bit indices where it refuses 64-bit ones."""

    @functools.wraps(function)
    def retried(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except (ValueError, TypeError) as error:
            text = str(error)
            if "Buffer dtype mismatch" not in text and "rule 'safe'" not in text:
                raise
            if not any(isinstance(a, np.ndarray) and a.dtype == np.int64 for a in (*args, *kwargs.values())):
                raise
        narrow = {name: _narrowed(value) for name, value in kwargs.items()}
        return function(*map(_narrowed, args), **narrow)

    return retried


def install():
    """Wraps the functions that are known to insist."""
    from pandas._libs import internals, lib

    for module, names in (
        (lib, ("maybe_indices_to_slice",)),
        (internals, ("update_blklocs_and_blknos", "get_concat_blkno_indexers")),
    ):
        for name in names:
            setattr(module, name, retrying(getattr(module, name)))

    plain_repeat = np.repeat

    @functools.wraps(plain_repeat)
    def repeat(a, repeats, axis=None):
        counts = np.asarray(repeats)
        if counts.dtype.kind in "iu" and counts.dtype != np.intp:
            repeats = as_index(counts)
        return plain_repeat(a, repeats, axis)

    np.repeat = repeat


def _wide(value):
    """Index arrays and scalars in `value`, also in tuples, as 64-bit integers."""
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype == np.intp:
        return value.astype(np.int64)
    if isinstance(value, tuple):
        parts = [_wide(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, list):
        return [_wide(part) for part in value]
    return value


_INDICES = (
    "argmax", "argmin", "argpartition", "argsort", "argwhere", "bincount", "diag_indices",
    "diag_indices_from", "digitize", "flatnonzero", "ix_", "lexsort", "mask_indices", "nanargmax",
    "nanargmin", "nonzero", "ravel_multi_index", "searchsorted", "tril_indices",
    "tril_indices_from", "triu_indices", "triu_indices_from", "unravel_index",
)


def _widened(function):
    @functools.wraps(function)
    def widened(*args, **kwargs):
        return _wide(function(*args, **kwargs))

    return widened


def _but_the_first(function):
    """For functions that give values first, and indices or counts after them."""

    @functools.wraps(function)
    def widened(*args, **kwargs):
        given = function(*args, **kwargs)
        if not isinstance(given, tuple):
            return given
        rest = [_wide(part) for part in given[1:]]
        return type(given)(given[0], *rest) if hasattr(given, "_fields") else (given[0], *rest)

    return widened


def script_numpy():
    """numpy as a script sees it."""
    module = types.ModuleType("numpy", np.__doc__)
    module.__dict__.update(np.__dict__)
    for name in _INDICES:
        setattr(module, name, _widened(getattr(np, name)))
    for name in ("unique", "unique_all", "unique_counts", "unique_inverse"):
        setattr(module, name, _but_the_first(getattr(np, name)))

    @functools.wraps(np.where)
    def where(condition, *values):
        given = np.where(condition, *values)
        return given if values else _wide(given)

    @functools.wraps(np.histogram)
    def histogram(*args, **kwargs):
        return _wide(np.histogram(*args, **kwargs))

    module.where = where
    module.histogram = histogram
    return module
