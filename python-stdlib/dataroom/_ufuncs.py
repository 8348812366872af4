"""A ufunc computes in 64 bits before it computes in C's `long`.

Where numpy looks for a loop by what can be cast safely (`array // 1000`), it takes the
first that fits, and those of C's `long` stand before those of 64 bits. So in each
ufunc's table the two change places. The loops of `long` stay for libraries that ask
for them by name (`dtype=np.intp`).
"""

import numpy as np

from ._memory import at

_WIDE = {7: 9, 8: 10}
# Of a PyUFuncObject on wasm32.
_ARGUMENTS, _FUNCTIONS, _DATA, _LOOPS, _TYPES = 16, 24, 28, 32, 44


def install():
    """Run once, right after numpy's import."""
    for ufunc in {value for value in vars(np._core.umath).values() if isinstance(value, np.ufunc)}:
        _widen(ufunc)


def _widen(ufunc):
    arguments, loops = (int(at(id(ufunc) + offset)[0]) for offset in (_ARGUMENTS, _LOOPS))
    if (arguments, loops) != (ufunc.nargs, ufunc.ntypes):
        raise SystemError(f"{ufunc} is not laid out as it was measured")
    if not loops:
        return
    types = at(at(id(ufunc) + _TYPES)[0], loops * arguments, "|u1").reshape(loops, arguments)
    tables = [at(at(id(ufunc) + offset)[0], loops) for offset in (_FUNCTIONS, _DATA)]
    signatures = [tuple(map(int, row)) for row in types]
    for place, signature in enumerate(signatures):
        wide = tuple(_WIDE.get(kind, kind) for kind in signature)
        if wide != signature and wide in signatures:
            other = signatures.index(wide)
            types[[place, other]] = types[[other, place]]
            for table in tables:
                table[[place, other]] = table[[other, place]]
