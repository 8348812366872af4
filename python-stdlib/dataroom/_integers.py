"""Where extension modules insist on 32-bit indices.

numpy's default integer is made 64 bits wide when the start image is built; an index
is still 32 bits wide, and a few compiled functions take index arrays of exactly that
width. They refuse a 64-bit array before doing any work, so it is safe to cast (a cast
that would lose a value raises) and call again.
"""

import functools

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
