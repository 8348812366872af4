"""Where pandas itself looks at the machine's width."""

import functools
import types

import numpy as np

from ._libraries import wide_property
from ._memory import replace_method
from ._narrowing import retrying
from ._widening import widening

# Its hash natively, which tables of hashes are made of, and one that nothing else has here.
_HASH_OF_NA, _OWN_HASH_OF_NA = 2**61 - 1, 2**31 - 1


def install():
    """Run once, when pandas has been imported."""
    import pandas.core.arrays.masked as masked
    from pandas._libs import algos, missing
    from pandas.core.dtypes import cast, common

    missing.NAType.__hash__ = lambda self: _OWN_HASH_OF_NA
    for module in (cast, common):
        module.ensure_int32 = _as_int32(algos.ensure_int32)
    plain = masked.BaseMaskedArray._hash_pandas_object

    @functools.wraps(plain)
    def _hash_pandas_object(self, **options):
        hashed = plain(self, **options)
        hashed[self.isna()] = _HASH_OF_NA
        return hashed

    masked.BaseMaskedArray._hash_pandas_object = _hash_pandas_object
    _rows_of_groups()
    _functions()
    _compiled()


def _rows_of_groups():
    """The compiled code gives the rows of minima as indices."""
    from pandas.core.groupby.ops import WrappedCythonOp

    plain = WrappedCythonOp._get_out_dtype

    @functools.wraps(plain)
    def _get_out_dtype(self, dtype):
        return np.dtype(np.intp) if self.how in ("idxmin", "idxmax") else plain(self, dtype)

    WrappedCythonOp._get_out_dtype = _get_out_dtype


def _functions():
    """A script may call these, which pandas keeps below `pandas.core`."""
    from pandas.core import algorithms, sorting

    for module in (algorithms, sorting):
        for name, function in list(vars(module).items()):
            own = isinstance(function, types.FunctionType) and function.__globals__ is vars(module)
            if own and name[0] != "_":
                setattr(module, name, widening(function))


# What tables of hashes and the places of blocks give are indices.
_TABLES = ("factorize", "get_labels_groupby", "lookup", "unique")


def _compiled():
    """Compiled classes, as a script sees them, and what is made of them."""
    from pandas._libs import hashtable, internals, lib
    from pandas.core.internals.managers import BaseBlockManager

    for kind in [kind for kind in vars(hashtable).values() if isinstance(kind, type)]:
        for name in _TABLES:
            if name in vars(kind):
                replace_method(kind, name, widening)
    hashtable.unique_label_indices = widening(_giving_indices(retrying(hashtable.unique_label_indices)))
    hashtable.IntpHashTable = hashtable.Int64HashTable
    replace_method(internals.BlockPlacement, "as_array", wide_property)
    for name in ("blknos", "blklocs"):
        setattr(BaseBlockManager, name, wide_property(vars(BaseBlockManager)[name]))
    lib.is_range_indexer = _is_range(lib.is_range_indexer)


def _giving_indices(plain):
    """Its integers of 32 bits are indices."""

    @functools.wraps(plain)
    def giving(*args, **kwargs):
        return plain(*args, **kwargs).view(np.intp)

    return giving


def _is_range(plain):
    """No array here is as long as the machine's widest index and more."""

    @functools.wraps(plain)
    def is_range_indexer(left, n):
        return n <= np.iinfo(np.intp).max and plain(left, n)

    return is_range_indexer


def _as_int32(plain):
    """To pandas' compiled code a 32-bit integer is a `long`; to a script it is `int32`."""

    def ensure_int32(array):
        return plain(array).view(np.int32)

    return ensure_int32
