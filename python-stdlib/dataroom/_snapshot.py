"""The last things before the snapshot: what makes a run cheap.

A run sees the snapshot's memory copy-on-write, so what a run costs, in time and in
memory, is how many pages it writes to. Two things write to pages that hold nothing
new:

- *Reference counts*: to look at an object is to write to it. So every object of the
  snapshot is made immortal (PEP 683): its count is never touched again. Nothing is
  lost by it, since a run's whole memory is thrown away.
- *First times*: the interpreter specialises code as it is executed, and caches what it
  looked up. So a run is rehearsed here until nothing changes any more.

And one thing spreads what is new over many pages: the allocator fills the holes that the
imports have left all over the heap before it takes fresh memory. So the holes are filled
here, and what a run allocates lies together.
"""

import gc
import io
import linecache
import sys
import warnings

import numpy as np

from . import _host_calls, _notices, _run
from ._memory import at

_IMMORTAL = 5 << 28
_LARGEST_HOLE = 1 << 20
_fillers = ()
_REHEARSALS = 40
_SCRIPTS = ("1 + 1", "result = 1", "x = [1]\nresult = {'a': x}", "print('x')", "result = undefined")


def rehearse():
    """Plays runs, with a host that wants nothing."""
    kept = {name: sys.modules[name] for name in ("__main__", "numpy")}
    plain, out, err = _run.call, sys.stdout, sys.stderr
    show = warnings.showwarning
    for turn in range(_REHEARSALS):
        sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
        request = {"code": _SCRIPTS[turn % len(_SCRIPTS)], "inputs": [], "seed": 1, "result_bytes": 1000}
        _run.call = lambda op, **fields: _host_calls.played(request, op, fields)
        try:
            _run.main()
        finally:
            _run.call, sys.stdout, sys.stderr = plain, out, err
            sys.modules.update(kept)
            warnings.showwarning = show
            _notices.texts.clear()
    linecache.clearcache()


def immortalise():
    """Makes every object that there is immortal, and tells where the last one lies."""
    gc.collect()
    # The objects of this search come and go: they are neither marked nor followed.
    found, layers = {}, []
    own = {id(found), id(layers), id(sys._getframe())}
    own.add(id(own))
    layer = gc.get_objects()
    while layer:
        own.add(id(layer))
        layers.append(layer)
        layer = [one for one in layer if id(one) not in own and id(one) not in found]
        own.add(id(layer))
        layers.append(layer)
        found.update((id(one), None) for one in layer)
        layer = gc.get_referents(*layer)
    addresses = np.fromiter(found, dtype=np.uint32, count=len(found))
    first = int(addresses.min())
    words = at(first, (int(addresses.max()) - first) // 4 + 1)
    words[(addresses - first) // 4] = _IMMORTAL
    return int(addresses.max())


def fill_holes(top):
    """Takes all free memory before the address `top`, for good.

    From large to small, so that the pieces that are left of a hole are filled too. A size
    has no hole left when it is given from behind `top`.
    """
    global _fillers
    size = _LARGEST_HOLE
    while size >= 8:
        filler = bytes(size)
        if id(filler) < top:
            # A pair for each, and not a list, which would grow and leave holes.
            _fillers = (_fillers, filler)
        else:
            top = id(filler)
            del filler
            size = size * 7 // 8 if size > 1024 else size - 4
    # The first steps of a run need not ask for memory.
    bytes(_LARGEST_HOLE)
