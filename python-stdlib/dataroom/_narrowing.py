"""64-bit integers where compiled code wants an index.

The room's integers are 64 bits wide, an index in memory is still 32 bits wide. numpy
casts where it must; a few of pandas' compiled functions take index arrays of exactly
that width. They refuse a 64-bit array before doing any work, so it is safe to cast (a
cast that would lose a value raises) and call again.
"""

import functools
import importlib
import itertools
import sys
import types

import numpy as np

from ._memory import replace_method
from ._widening import widening


def as_index(array):
    """`array` with 32-bit indices; the cast raises if one does not fit."""
    return array.astype(np.intp)


def _is_wide(value):
    if isinstance(value, (list, tuple)):
        return any(map(_is_wide, value))
    return isinstance(value, np.ndarray) and value.dtype == np.int64


def _narrowed(value):
    if isinstance(value, (list, tuple)) and _is_wide(value):
        return type(value)(map(_narrowed, value))
    return as_index(value) if _is_wide(value) else value


def retrying(function):
    """`function`, called again with 32-bit indices where it refuses 64-bit ones."""

    @functools.wraps(function)
    def retried(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except (ValueError, TypeError) as error:
            if not _refuses(error):
                raise
            refused = error
        values, names = (*args, *kwargs.values()), tuple(kwargs)
        wide = [place for place, value in enumerate(values) if _is_wide(value)]
        # Some of them are indices, or all: others count, in 64 bits, and stay as they are.
        for number in range(1, len(wide) + 1):
            for places in itertools.combinations(wide, number):
                narrow = [_narrowed(value) if at in places else value for at, value in enumerate(values)]
                named = dict(zip(names, narrow[len(args):], strict=True))
                try:
                    given = function(*narrow[: len(args)], **named)
                except (ValueError, TypeError) as error:
                    if not _refuses(error) and not _has_no_other(error):
                        raise
                    continue
                _give_back(values, narrow)
                return given
        raise refused

    return retried


def _refuses(error):
    return "Buffer dtype mismatch" in str(error) or "Expected np.intp" in str(error)


def _has_no_other(error):
    """Of functions that there are for several types: none of these together."""
    return "No matching signature" in str(error)


def _give_back(values, narrow):
    """What the function was called to fill."""
    for value, used in zip(values, narrow, strict=True):
        if isinstance(value, np.ndarray) and used is not value and value.flags.writeable:
            np.copyto(value, used)


def _incrementing(plain):
    """A column is inserted: those behind it move on by one, in arithmetic that is wide."""

    @functools.wraps(plain)
    def increment_above(self, loc):
        try:
            return plain(self, loc)
        except ValueError as error:
            if not _refuses(error):
                raise
        places = self.as_array
        return type(self)(as_index(places + (places >= loc)))

    return increment_above


def _as_long(value):
    if isinstance(value, np.ndarray) and value.dtype.num == _INT32:
        return value.view(np.long)
    return value


_INT32 = np.dtype(np.int32).num
# Compiled code that takes an array of 32-bit integers by its type's number: that of a
# `long`. The same memory goes in under that name.
_LONGS = (
    "scipy.optimize._lbfgsb", "scipy.optimize._slsqplib", "scipy.integrate._odepack",
    "scipy.integrate._vode", "scipy.integrate._dop", "scipy.sparse.linalg._eigen.arpack._arpacklib",
)


def taking_longs(function):
    """`function`, which knows 32-bit integers as `long`."""

    @functools.wraps(function)
    def taking(*args, **kwargs):
        return function(*map(_as_long, args), **{name: _as_long(value) for name, value in kwargs.items()})

    return taking


def _wrap_longs(name):
    try:
        module = importlib.import_module(name)
    except ImportError:
        return
    wrapped = {
        function: taking_longs(function)
        for function in vars(module).values()
        if isinstance(function, types.BuiltinFunctionType)
    }
    # Who has imported one by its name has it too.
    for user in list(sys.modules.values()):
        for name, value in list(vars(user).items()):
            if isinstance(value, types.BuiltinFunctionType) and value in wrapped:
                setattr(user, name, wrapped[value])


class _Index(np.ndarray):
    """Indices whose sums and products with whole numbers are indices again."""

    def __add__(self, other):
        return as_index(np.asarray(self) + other)

    def __rmul__(self, other):
        return as_index(other * np.asarray(self))


def _empty(shape, dtype=float, **options):
    return np.empty(shape, np.intp if dtype is int else dtype, **options)


def _ones(shape, dtype=None, **options):
    ones = np.ones(shape, dtype, **options)
    return ones.view(_Index) if dtype is np.intp else ones


def _where(*args):
    found = np.where(*args)
    return tuple(one.view(_Index) for one in found) if len(args) == 1 else found


# Code that makes index arrays of its own: by `dtype=int`, by arithmetic with
# others, which is wide. It is given a numpy in which these are indices.
_MAKES_INDICES = {
    "sklearn.utils._random": {"empty": _empty},
    # `-1 * np.ones(n, dtype=np.intp)`, where nothing was seen yet to fill with.
    "pandas._libs.groupby": {"ones": _ones},
    # `np.where(…)[0] + 1`, where an hour comes twice.
    "pandas._libs.tslibs.tzconversion": {"where": _where},
    # Only to ask how many columns there may be; their numbers have 64 bits.
    "sklearn.preprocessing._polynomial": {"intp": np.int64},
}


def _make_indices(name, functions):
    plain = types.ModuleType("numpy")
    plain.__dict__.update(np.__dict__)
    plain.__dict__.update(functions)
    importlib.import_module(name).np = plain


def _sparse_types():
    """scipy computes a sparse matrix in the first of its types that can hold the data."""
    from scipy.sparse import _sputils

    wide = {np.long: np.int64, np.ulong: np.uint64}
    _sputils.supported_dtypes[:] = [wide.get(kind, kind) for kind in _sputils.supported_dtypes]
    _sputils._upcast_memo.clear()


def _taking(plain):
    """A compiled class that is made of indices, as one that takes them wide."""

    class taken(plain):
        __new__ = staticmethod(retrying(plain.__new__))

        # What has no `__init__` of its own would be given none's arguments.
        if plain.__init__ is not object.__init__:
            __init__ = retrying(plain.__init__)

    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(taken, name, getattr(plain, name))
    return taken


# Compiled classes that scikit-learn's own Python makes.
_CLASSES = {
    "sklearn.tree._criterion": ("Gini", "Entropy"),
    "sklearn.utils._fast_dict": ("IntFloatDict",),
}


def _take_classes():
    taken = {}
    for module, names in _CLASSES.items():
        for name in names:
            plain = getattr(importlib.import_module(module), name)
            taken[plain] = _taking(plain)
    for module in [module for name, module in sys.modules.items() if name.startswith("sklearn.")]:
        tables = [value for value in vars(module).values() if type(value) is dict]
        for table in (vars(module), *tables):
            for key, value in list(table.items()):
                if isinstance(value, type) and value in taken:
                    table[key] = taken[value]
    fast_dict = importlib.import_module("sklearn.utils._fast_dict")
    fast_dict.IntFloatDict.to_arrays = widening(fast_dict.IntFloatDict.to_arrays)
    fast_dict.argmin = widening(fast_dict.argmin)


def install():
    """Wraps the functions that are known to insist."""
    from pandas._libs import algos, groupby, internals, join, lib
    from pandas._libs.tslibs import tzconversion
    from sklearn.cluster import _hierarchical_fast
    from sklearn.neighbors import _ball_tree, _kd_tree
    from sklearn.tree import _criterion, _partitioner
    from sklearn.utils import _sorting, sparsefuncs_fast

    for module, names in (
        (lib, ("maybe_indices_to_slice", "get_reverse_indexer")),
        (algos, ("groupsort_indexer",)),
        (tzconversion, ("tz_localize_to_utc",)),
        (sparsefuncs_fast, ("assign_rows_csr",)),
        (internals, ("update_blklocs_and_blknos", "get_concat_blkno_indexers")),
        (groupby, dir(groupby)),
        (join, dir(join)),
        (_hierarchical_fast, ("average_merge", "max_merge")),
        (_ball_tree, ("simultaneous_sort",)),
        (_kd_tree, ("simultaneous_sort",)),
        (_sorting, ("_py_simultaneous_sort",)),
        (_criterion, ("_py_precompute_absolute_errors",)),
        (_partitioner, ("_py_swap_array_slices",)),
    ):
        for name in names:
            function = getattr(module, name)
            if callable(function) and not isinstance(function, type) and hasattr(function, "__code__"):
                wrapped = widening(retrying(function))
                # pandas asks a function of many types for which it has one.
                if hasattr(function, "__signatures__"):
                    wrapped.__signatures__ = function.__signatures__
                setattr(module, name, wrapped)
    replace_method(internals.BlockPlacement, "increment_above", _incrementing)
    for name in _LONGS:
        _wrap_longs(name)
    _sparse_types()
    _take_classes()
    for name, functions in _MAKES_INDICES.items():
        _make_indices(name, functions)
