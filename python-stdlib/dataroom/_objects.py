"""Texts and dates as the host makes and reads them, in this interpreter's memory.

The host lays the objects of a column out in one block (`bridge/objects` in the host's
source), and reads objects of these two types where they are. It is told where the
types are; how objects are laid out it knows, and `install` fails the start image if
this interpreter does otherwise.

What the host makes is immortal, since a part of a block cannot be freed. So a block is
kept until the run ends; a run that has taken many is given arrays instead, of which it
makes objects itself.
"""

import datetime

import numpy as np
import pandas as pd

from ._memory import at

_MOST = 256 << 20
_forever = 0
_taken = 0
_blocks = []


def install():
    """Run once, when the start image is made."""
    global _forever
    _forever = int(at(id(None))[0])
    for text, size, state in (("plain text", 1, 0x64), ("Zürich", 1, 0x24), ("Москва", 2, 0x28), ("🦆 duck", 4, 0x30)):
        header = 5 if text.isascii() else 7
        words = at(id(text), header).tolist()
        data = bytes(at(id(text) + 4 * header, size * len(text), "|u1"))
        if words[1] != id(str) or words[2] != len(text) or words[4] & 0x7C != state:
            raise SystemError("a text is laid out in another way")
        if data != text.encode({1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}[size]):
            raise SystemError("a text's characters are laid out in another way")
    day = datetime.date(2020, 3, 4)
    words = bytes(at(id(day), 17, "|u1"))
    if words[12:] != bytes([0, 7, 228, 3, 4]) or _forever < 1 << 30:
        raise SystemError("a date is laid out in another way")
    number = 1.5
    if float(at(id(number) + 8, 1, "<f8")[0]) != 1.5:
        raise SystemError("a float is laid out in another way")
    for missing in (np.nan, pd.NA):
        # As many rows may be these as there are, and none of them counts.
        at(id(missing))[0] = _forever


def types():
    """What the host is told; None if it is to make no more objects."""
    if _taken > _MOST or not _forever:
        return None
    return {"text": id(str), "date": id(datetime.date), "float": id(float), "forever": _forever}


def described():
    """The same, with the objects that stand for none: of objects that the host reads."""
    missing = [id(None), id(pd.NA), id(pd.NaT)]
    return {"text": id(str), "date": id(datetime.date), "float": id(float), "forever": 0, "missing": missing}


def block(size):
    """Memory for objects."""
    global _taken
    _taken += size
    memory = np.empty(size, dtype=np.uint8)
    _blocks.append(memory)
    return memory


def alike(values):
    """Of which of the two types these are, by the first that is there; None if of neither."""
    for value in values[:1000].tolist():
        if type(value) is str:
            return "text"
        if type(value) is datetime.date:
            return "date"
        if not (value is None or value is pd.NA or (type(value) is float and value != value)):
            return None
    return None
