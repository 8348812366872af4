"""Indices as a script sees them: 64 bits wide.

Libraries hand 32-bit index arrays (`intp`) to each other, because their compiled
parts insist; a script gets what a 64-bit Python would give it. So the functions that
give indices look who asks: a function of a library gets the array as it is, a script
gets it as `int64`. What slips through is still computed with as 64 bits (the binary
sees to that), only its dtype reads `int32`.

`is_index` is exact: a 32-bit integer that someone asked for is of another type
(`_int32`).
"""

import copy
import functools
import operator
import sys
import types

import numpy as np
import pandas as pd
from pandas._libs import algos
from pandas.core import algorithms, nanops
from pandas.core.base import IndexOpsMixin
from pandas.core.dtypes import cast, common
from pandas.core.groupby.groupby import BaseGroupBy
from pandas.core.groupby.ops import BaseGrouper
from scipy.sparse import issparse

from ._beyond_memory import ravel, unravel
from ._memory import replace_method

_LIBRARY = "/usr/local/lib/"
_WIDE = {np.dtype(np.long).num: np.int64, np.dtype(np.ulong).num: np.uint64}


def is_index(dtype):
    """Whether numpy's `dtype` is an index or a C `long`, by this machine's width."""
    return isinstance(dtype, np.dtype) and dtype.num in _WIDE


def wide(value):
    """`value` with its indices as 64-bit integers, in containers too; itself, if it has none."""
    if isinstance(value, (np.ndarray, np.generic)):
        if is_index(value.dtype):
            return value.astype(_WIDE[value.dtype.num])
        return _wide_objects(value) if value.dtype == object else value
    if isinstance(value, tuple):
        parts = [wide(part) for part in value]
        if all(map(operator.is_, parts, value)):
            return value
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if type(value) is list and value and isinstance(value[0], _HOLDERS):
        parts = [wide(part) for part in value]
        return value if all(map(operator.is_, parts, value)) else parts
    if isinstance(value, dict):
        parts = {key: wide(part) for key, part in value.items()}
        changed = {key: part for key, part in parts.items() if part is not value[key]}
        if changed:
            value = copy.copy(value)
            value.update(changed)
        return value
    if isinstance(value, (pd.Series, pd.Index)) and is_index(value.dtype):
        return value.astype(_WIDE[value.dtype.num])
    return _wide_sparse(value) if issparse(value) else value


# What a list may hold that has indices; a list of a million names is not searched.
_HOLDERS = (np.ndarray, np.generic, tuple, list, dict)


_OF_SPARSE = ("data", "indices", "indptr")


def _wide_sparse(matrix):
    parts = {name: vars(matrix)[name] for name in _OF_SPARSE if name in vars(matrix)}
    changed = {name: wide(part) for name, part in parts.items() if is_index(getattr(part, "dtype", None))}
    if changed:
        matrix = copy.copy(matrix)
        vars(matrix).update(changed)
    return matrix


def _wide_objects(array):
    """An array of arrays of indices, such as neighbours within a radius."""
    if not array.size or not isinstance(array.flat[0] if array.ndim else None, np.ndarray):
        return array
    given = np.empty_like(array)
    for place, value in np.ndenumerate(array):
        given[place] = wide(value)
    return given


def for_a_script(frame):
    return not frame.f_code.co_filename.startswith(_LIBRARY)


def widening(function):
    """`function`, whose indices are wide when a script called it."""

    @functools.wraps(function)
    def widened(*args, **kwargs):
        given = function(*args, **kwargs)
        if not for_a_script(sys._getframe(1)) or given is kwargs.get("out", _NOTHING):
            return given
        return wide(given)

    return widened


class _Typed:
    """A compiled function of several types, which are its keys, widened."""

    def __init__(self, plain):
        functools.update_wrapper(self, plain)
        self._plain = plain

    def __call__(self, *args, **kwargs):
        given = self._plain(*args, **kwargs)
        return wide(given) if for_a_script(sys._getframe(1)) else given

    def __getitem__(self, kind):
        return widening(self._plain[kind])

    def __getattr__(self, name):
        return getattr(self._plain, name)


def _checking_indexer(plain):
    """Of integers of 32 bits it makes indices, which numpy has as another type of 32 bits."""

    @functools.wraps(plain)
    def check_array_indexer(array, indexer):
        given = plain(array, indexer)
        return given.astype(np.int64) if isinstance(given, np.ndarray) and given.dtype == np.int32 else given

    return check_array_indexer


def _filling(plain):
    """`plain`, which fills an `out` of 64-bit integers as one of indices."""

    @functools.wraps(plain)
    def filled(self, axis=None, out=None, **kwargs):
        if not isinstance(out, np.ndarray) or out.dtype != np.int64:
            return plain(self, axis, out, **kwargs)
        np.copyto(out, plain(self, axis, np.zeros(out.shape, np.intp), **kwargs))
        return out

    return filled


_NOTHING = object()
_ARRAY_METHODS = ("argmax", "argmin", "argpartition", "argsort", "nonzero", "searchsorted")
_OF_TEXT = ("count", "find", "index", "rfind", "rindex", "str_len")
_PANDAS_METHODS = (
    "argmax", "argmin", "argsort", "factorize", "get_indexer", "get_indexer_for", "get_indexer_non_unique",
    "get_loc", "get_loc_level", "get_locs", "join", "_outer_indexer", "reindex", "searchsorted", "sort_values", "sortlevel",
)
_PANDAS = (IndexOpsMixin, pd.api.extensions.ExtensionArray)


def with_subclasses(kind):
    """The class and all that are made of it."""
    return {kind}.union(*(with_subclasses(below) for below in kind.__subclasses__()))


def install():
    """Wraps what gives indices. Run once, when pandas has been imported."""
    for name in ("argmax", "argmin"):
        replace_method(np.ndarray, name, _filling)
    for name in _ARRAY_METHODS:
        replace_method(np.ndarray, name, widening)
    for owner in set().union(*map(with_subclasses, _PANDAS)):
        for name in _PANDAS_METHODS:
            if isinstance(vars(owner).get(name), types.FunctionType):
                setattr(owner, name, widening(vars(owner)[name]))
    for name in ("cut", "factorize", "qcut"):
        setattr(pd, name, widening(getattr(pd, name)))
    pd.api.indexers.check_array_indexer = _checking_indexer(pd.api.indexers.check_array_indexer)
    for name in ("pad", "backfill"):
        setattr(algos, name, _Typed(getattr(algos, name)))
    cast._maybe_promote_cached = _of_its_kind(cast._maybe_promote_cached)
    for module in (np.char, np.strings, np._core.umath):
        for name in _OF_TEXT:
            if hasattr(module, name):
                setattr(module, name, widening(getattr(module, name)))
    for name in ("nanargmax", "nanargmin"):
        setattr(nanops, name, widening(getattr(nanops, name)))
    for module in (algos, common):
        module.ensure_platform_int = _as_it_is(module.ensure_platform_int)
    for owner, names in _READ.items():
        for name in names:
            setattr(owner, name, _read_wide(vars(owner)[name]))
    algorithms._reconstruct_data = _of_values(algorithms._reconstruct_data)
    _columns()


def _as_it_is(plain):
    """`ensure_platform_int`: of a script's integers that is what they are."""

    @functools.wraps(plain)
    def ensured(array):
        given = plain(array)
        if not for_a_script(sys._getframe(1)):
            return given
        return array if isinstance(array, np.ndarray) and array.dtype == np.int64 else wide(given)

    return ensured


def _of_its_kind(plain):
    """What is kept by its dtype, where an index and an `int32` are equal."""

    @functools.wraps(plain)
    def promoted(dtype, *args):
        given, value = plain(dtype, *args)
        return (dtype if given == dtype else given), value

    return promoted


def _read_wide(plain):
    """A property that a script reads wide."""

    def read(self):
        given = plain.__get__(self, type(self))
        return wide(given) if for_a_script(sys._getframe(1)) else given

    return property(read, doc=plain.__doc__)


def _of_values(plain):
    """What a table of different values is made into: indices are values there."""

    @functools.wraps(plain)
    def reconstruct(values, dtype, original):
        return plain(values, np.dtype(_WIDE[dtype.num]) if is_index(dtype) else dtype, original)

    return reconstruct


# Properties that are indices.
_READ = {
    BaseGroupBy: ("indices",),
    BaseGrouper: ("ids", "codes"),
}


def _columns():
    """A column or an index made of indices has 64-bit integers, whoever made it."""
    from pandas.core import construction, frame, series
    from pandas.core.indexes import base
    from pandas.core.internals import construction as internals

    def taking_wide(plain):
        @functools.wraps(plain)
        def taken(data, *args, **kwargs):
            if is_index(kwargs.get("dtype")):
                kwargs["dtype"] = np.dtype(_WIDE[kwargs["dtype"].num])
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
    "ix_", "lexsort", "mask_indices", "nanargmax", "nanargmin", "nonzero", "searchsorted",
    "tril_indices", "tril_indices_from", "triu_indices", "triu_indices_from",
    "unique", "unique_all", "unique_counts", "unique_inverse", "where",
)
# These add up in the operands' own width.
_SUMS = ("convolve", "correlate", "dot", "einsum", "inner", "tensordot", "vdot")


def script_numpy():
    """numpy as a script sees it."""
    module = types.ModuleType("numpy", np.__doc__)
    module.__dict__.update(np.__dict__)
    for name in _FUNCTIONS:
        setattr(module, name, widening(getattr(np, name)))
    for name, function in (("ravel_multi_index", ravel), ("unravel_index", unravel)):
        setattr(module, name, widening(function))
    for name in _SUMS:
        setattr(module, name, _of_wide(getattr(np, name)))
    for name in ("int_", "intp", "long"):
        setattr(module, name, np.int64)
    for name in ("uint", "uintp", "ulong"):
        setattr(module, name, np.uint64)
    return module


def _of_wide(function):
    @functools.wraps(function)
    def widened(*args, **kwargs):
        return function(*map(wide, args), **kwargs)

    return widened
