"""`int32` and C's `long` are two types.

On wasm32 numpy calls its `long` `int32`, and an index (`intp`) is the same type. The
start image's binary computes with `long` as with 64 bits; a 32-bit integer that was
asked for must not be widened. So `int32` is here the other type of 32 bits, C's
`int`: everywhere in numpy's Python modules, before anything else is imported.
"""

import functools
import sys

import numpy as np
from numpy._core import _type_aliases, arrayprint, numerictypes
from numpy.lib import _iotools

from ._memory import hash_by, swap_names

_LONG, _ULONG = np.long, np.ulong
_INT, _UINT = np.intc, np.uintc
_NARROW = {_LONG: _INT, _ULONG: _UINT}
# `int_` is what libraries compute in where they mean C's `long`.
_ATTRIBUTES = {
    "int32": _NARROW, "uint32": _NARROW, "int_": {_LONG: np.int64}, "uint": {_ULONG: np.uint64},
}
# What code means that writes a dtype as text.
_WIDE = {
    "int": "int64", "int_": "int64", "intp": "int64", "long": "int64",
    "uint": "uint64", "uintp": "uint64", "ulong": "uint64",
}


def install():
    """Run once, right after numpy's import."""
    for name, module in list(sys.modules.items()):
        if name != "numpy" and not name.startswith("numpy."):
            continue
        for attribute, kinds in _ATTRIBUTES.items():
            old = vars(module).get(attribute)
            if old in kinds:
                setattr(module, attribute, kinds[old])
    names = _type_aliases.sctypeDict
    for table in (names, _type_aliases.allTypes):
        for key, kind in list(table.items()):
            if "32" in str(key) and kind in _NARROW:
                table[key] = _NARROW[kind]
    for name, wide in _WIDE.items():
        names[name] = names[wide]
    for kinds in _type_aliases.sctypes.values():
        kinds[:] = [_NARROW.get(kind, kind) for kind in kinds]
    for module in (np, numerictypes):
        module.isdtype = _knowing_indices(module.isdtype)
    # It tries its types one after the other, those of 64 bits behind `long`.
    converters = _iotools.StringConverter._mapper
    converters[:] = [one for one in converters if one[0] is not _LONG]
    np.dtypes.Int32DType, np.dtypes.UInt32DType = type(np.dtype(_INT)), type(np.dtype(_UINT))
    swap_names(_LONG, _INT)
    swap_names(_ULONG, _UINT)
    # numpy takes what fits into a hash for one; a number's own is less.
    for kind in (_INT, _UINT):
        hash_by(kind, lambda self: hash(int(self)))
    # What is the default is not written behind an array.
    arrayprint._typelessdata[arrayprint._typelessdata.index(_LONG)] = np.int64


def _knowing_indices(plain):
    """`np.isdtype`, whose tables of kinds have no `long`."""
    known = {np.dtype(_LONG).num: np.dtype(np.int64), np.dtype(_ULONG).num: np.dtype(np.uint64)}

    @functools.wraps(plain)
    def isdtype(dtype, kind):
        asked = kind if isinstance(kind, tuple) else (kind,)
        if isinstance(dtype, np.dtype) and all(isinstance(one, str) for one in asked):
            dtype = known.get(dtype.num, dtype)
        return plain(dtype, kind)

    return isdtype
