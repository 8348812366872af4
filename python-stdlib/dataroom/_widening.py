"""Indices as a script sees them: 64 bits wide.

Libraries hand 32-bit index arrays (`intp`) to each other, because their compiled
parts insist; a script gets what a 64-bit Python would give it. So the functions that
give indices look who asks: a function of a library gets the array as it is, a script
gets it as `int64`. What slips through is still computed with as 64 bits (the binary
sees to that), only its dtype reads `int32`.

`is_index` is exact: a 32-bit integer that someone asked for is of another type
(`_int32`).
"""

import functools
import sys
import types

import numpy as np
import pandas as pd

from ._memory import replace_method

_LIBRARY = "/usr/local/lib/"
_WIDE = {np.dtype(np.long).num: np.int64, np.dtype(np.ulong).num: np.uint64}


def is_index(dtype):
    """Whether numpy's `dtype` is an index or a C `long`, by this machine's width."""
    return isinstance(dtype, np.dtype) and dtype.num in _WIDE


def wide(value):
    """`value` with its indices as 64-bit integers, in containers too."""
    kind = type(value)
    if kind is np.ndarray or isinstance(value, (np.ndarray, np.generic)):
        return value.astype(_WIDE[value.dtype.num]) if is_index(value.dtype) else value
    if isinstance(value, tuple):
        parts = [wide(part) for part in value]
        return kind(*parts) if hasattr(value, "_fields") else tuple(parts)
    if kind is list:
        return [wide(part) for part in value]
    if isinstance(value, dict):
        return kind((key, wide(part)) for key, part in value.items())
    if isinstance(value, (pd.Series, pd.Index)) and is_index(value.dtype):
        return value.astype(_WIDE[value.dtype.num])
    return value


def _for_a_script(frame):
    return not frame.f_code.co_filename.startswith(_LIBRARY)


def _widened(function):
    """`function`, whose indices are wide when a script called it."""

    @functools.wraps(function)
    def widened(*args, **kwargs):
        given = function(*args, **kwargs)
        if not _for_a_script(sys._getframe(1)) or given is kwargs.get("out", _NOTHING):
            return given
        return wide(given)

    return widened


_NOTHING = object()
_ARRAY_METHODS = ("argmax", "argmin", "argpartition", "argsort", "nonzero", "searchsorted")
_PANDAS = (
    (pd.Index, (
        "argmax", "argmin", "argsort", "factorize", "get_indexer", "get_indexer_for",
        "get_indexer_non_unique", "get_loc", "join", "reindex", "searchsorted", "sort_values", "sortlevel",
    )),
    (pd.MultiIndex, (
        "argsort", "get_indexer", "get_loc", "get_loc_level", "get_locs", "reindex", "searchsorted", "sortlevel",
    )),
    (pd.DatetimeIndex, ("get_loc", "searchsorted")),
    (pd.RangeIndex, ("argsort", "factorize", "get_indexer", "get_loc", "searchsorted", "sort_values")),
    (pd.IntervalIndex, ("get_indexer", "get_indexer_non_unique", "get_loc")),
    (pd.Series, ("argsort", "argmax", "argmin", "factorize", "searchsorted")),
    (pd.api.extensions.ExtensionArray, ("argsort", "argmax", "argmin", "factorize", "searchsorted")),
    (pd.Categorical, ("argsort", "searchsorted")),
    (pd, ("cut", "factorize", "qcut")),
)
_DRAWS = (
    "binomial", "choice", "geometric", "hypergeometric", "logseries", "multinomial",
    "multivariate_hypergeometric", "negative_binomial", "permutation", "poisson",
    "random_integers", "tomaxint", "zipf",
)


def install():
    """Wraps what gives indices. Run once, when pandas has been imported."""
    for name in _ARRAY_METHODS:
        replace_method(np.ndarray, name, _widened)
    for owner, names in _PANDAS:
        for name in names:
            if name in vars(owner):
                setattr(owner, name, _widened(vars(owner)[name]))
    _indices_of_groups()
    _draws()
    _columns()


def _indices_of_groups():
    from pandas.core.groupby.groupby import BaseGroupBy

    plain = BaseGroupBy.indices.fget

    def indices(self):
        given = plain(self)
        return wide(given) if _for_a_script(sys._getframe(1)) else given

    BaseGroupBy.indices = property(indices, doc=BaseGroupBy.indices.__doc__)


def _draws():
    """Random integers are drawn as 64 bits wide, as natively."""
    from numpy.random import mtrand

    def randint(plain):
        @functools.wraps(plain)
        def drawn(*args, **kwargs):
            # Its place among the arguments is behind the object's own and three.
            given = len(args) > 3 + isinstance(args[0] if args else None, np.random.RandomState)
            if not given and kwargs.get("dtype", int) is int and _for_a_script(sys._getframe(1)):
                kwargs["dtype"] = np.int64
            return plain(*args, **kwargs)

        return drawn

    for kind in (np.random.RandomState, np.random.Generator):
        for name in _DRAWS:
            if name in vars(kind):
                replace_method(kind, name, _widened)
    replace_method(np.random.RandomState, "randint", randint)
    for module in (np.random, mtrand):
        for name in _DRAWS:
            if name in vars(module):
                setattr(module, name, _widened(vars(module)[name]))
        module.randint = randint(module.randint)


def _columns():
    """A column or an index made of indices has 64-bit integers, whoever made it."""
    from pandas.core import construction, frame, series
    from pandas.core.indexes import base
    from pandas.core.internals import construction as internals

    def taking_wide(plain):
        @functools.wraps(plain)
        def taken(data, *args, **kwargs):
            return plain(wide(data) if type(data) is np.ndarray else data, *args, **kwargs)

        return taken

    wrapped = {
        plain: taking_wide(plain)
        for plain in (construction.sanitize_array, internals.ndarray_to_mgr)
    }
    for module in (construction, frame, series, base, internals):
        for name, value in list(vars(module).items()):
            if isinstance(value, types.FunctionType) and value in wrapped:
                setattr(module, name, wrapped[value])


_FUNCTIONS = (
    "argmax", "argmin", "argpartition", "argsort", "argwhere", "bincount", "count_nonzero",
    "diag_indices", "diag_indices_from", "digitize", "flatnonzero", "histogram", "intersect1d",
    "ix_", "lexsort", "mask_indices", "nanargmax", "nanargmin", "nonzero", "ravel_multi_index",
    "searchsorted", "tril_indices", "tril_indices_from", "triu_indices", "triu_indices_from",
    "unique", "unique_all", "unique_counts", "unique_inverse", "unravel_index", "where",
)
# Of two Python integers these compute in 32 bits.
_OF_TWO_INTEGERS = (
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "divmod",
    "floor_divide", "fmod", "left_shift", "mod", "pow", "power", "remainder", "right_shift",
)
# These add up in the operands' own width.
_SUMS = ("convolve", "correlate", "dot", "einsum", "inner", "tensordot", "vdot")


def script_numpy():
    """numpy as a script sees it."""
    module = types.ModuleType("numpy", np.__doc__)
    module.__dict__.update(np.__dict__)
    for name in _FUNCTIONS:
        setattr(module, name, _widened(getattr(np, name)))
    for name in _SUMS:
        setattr(module, name, _of_wide(getattr(np, name)))
    for name in _OF_TWO_INTEGERS:
        setattr(module, name, _Ufunc(getattr(np, name)))
    for name in ("int_", "intp", "long"):
        setattr(module, name, np.int64)
    for name in ("uint", "uintp", "ulong"):
        setattr(module, name, np.uint64)
    return module


class _Ufunc:
    """A ufunc that takes two Python integers as 64-bit ones."""

    def __init__(self, ufunc):
        self._ufunc = ufunc
        self.__name__, self.__doc__ = ufunc.__name__, ufunc.__doc__

    def __call__(self, one, other, *args, **kwargs):
        if isinstance(one, int) and isinstance(other, int) and -(2**63) <= one < 2**63:
            one = np.bool_(one) if isinstance(one, bool) else np.int64(one)
        return self._ufunc(one, other, *args, **kwargs)

    def __getattr__(self, name):
        return getattr(self._ufunc, name)

    def __repr__(self):
        return repr(self._ufunc)


def _of_wide(function):
    @functools.wraps(function)
    def widened(*args, **kwargs):
        return function(*map(wide, args), **kwargs)

    return widened
