"""What Python does not let one write: the interpreter's own structures.

Only used while the start image is made, to finish in numpy's compiled types what the
rewritten binary began. Everything here is inside the guest's memory.
"""

import gc
import sys

import numpy as np

_TYPE_NAME, _TYPE_HASH = 12, 60


class _Place:
    def __init__(self, address, count, kind):
        self.__array_interface__ = {
            "version": 3, "data": (int(address), False), "shape": (int(count),), "typestr": kind,
        }


def at(address, count=1, kind="<u4"):
    """What stands at an address, as an array that writes through: words, if nothing else is said."""
    return np.asarray(_Place(address, count, kind))


def swap_names(one, other):
    """Two built-in types exchange their names."""
    places = [at(id(kind) + _TYPE_NAME) for kind in (one, other)]
    places[0][0], places[1][0] = int(places[1][0]), int(places[0][0])


def replace_method(kind, name, make):
    """A built-in type's method becomes `make(method)`, for everyone who calls it from Python."""
    inner = next(d for d in gc.get_referents(kind.__dict__) if type(d) is dict and name in d)
    inner[name] = make(inner[name])
    sys._clear_internal_caches()
    sys._clear_type_cache()


def hash_by(kind, function):
    """A built-in type's hash becomes the function's."""

    class Hashed:
        def __hash__(self):
            return 0

    replace_method(kind, "__hash__", lambda _: function)
    at(id(kind) + _TYPE_HASH)[0] = at(id(Hashed) + _TYPE_HASH)[0]
