"""`int32` and C's `long` are two types.

On wasm32 numpy calls its `long` `int32`, and an index (`intp`) is the same type. The
start image's binary computes with `long` as with 64 bits; a 32-bit integer that was
asked for must not be widened. So `int32` is here the other type of 32 bits, C's
`int`: everywhere in numpy's Python modules, before anything else is imported.
"""

import sys

import numpy as np
from numpy._core import _type_aliases, arrayprint

from ._memory import swap_names

_LONG, _ULONG = np.long, np.ulong
_INT, _UINT = np.intc, np.uintc
# What code means that writes a dtype as text. `'intp'` is how pandas asks for an index.
_WIDE = {
    "int": "int64", "int_": "int64", "long": "int64", "uint": "uint64", "ulong": "uint64",
}


def install():
    """Run once, right after numpy's import."""
    renamed = {_LONG: _INT, _ULONG: _UINT}
    for name, module in list(sys.modules.items()):
        if name != "numpy" and not name.startswith("numpy."):
            continue
        for attribute in ("int32", "uint32"):
            old = vars(module).get(attribute)
            if old in renamed:
                setattr(module, attribute, renamed[old])
    names = _type_aliases.sctypeDict
    for table in (names, _type_aliases.allTypes):
        for key, kind in list(table.items()):
            if "32" in str(key) and kind in renamed:
                table[key] = renamed[kind]
    for name, wide in _WIDE.items():
        names[name] = names[wide]
    # What libraries compute in where they mean C's `long`.
    np.int_, np.uint = np.int64, np.uint64
    np.dtypes.Int32DType, np.dtypes.UInt32DType = type(np.dtype(_INT)), type(np.dtype(_UINT))
    swap_names(_LONG, _INT)
    swap_names(_ULONG, _UINT)
    # What is the default is not written behind an array.
    arrayprint._typelessdata[arrayprint._typelessdata.index(_LONG)] = np.int64
