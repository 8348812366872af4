"""What Python's own library and numpy lack here, or do by this machine's width.

- `struct` and `array`: C's `long` and a size have 8 bytes, as on a 64-bit machine.
- `np.fromfile` and `ndarray.tofile` need a second handle of the same file, which the
  sandbox has not: they read and write through the file object.
- `sys.maxsize` is 2**63 - 1 (preload.py). What hands it to compiled code as a size means
  the largest there is, and gives it that.
- `hashlib.pbkdf2_hmac` comes from OpenSSL, which the runtime has not.
"""

import array
import csv
import functools
import hashlib
import hmac
import io
import os
import struct
import sys
import types
from compression._common import _streams

import numpy as np
from numpy._core import arrayprint
from numpy._core.printoptions import format_options

from ._memory import replace_method

# Letters of native sizes, and those of 8 bytes.
_WIDE = str.maketrans({"l": "q", "L": "Q", "n": "q", "N": "Q", "P": "Q"})


def install():
    """Run once, before other packages are imported."""
    _struct()
    _array()
    _files()
    _sizes()
    if not hasattr(hashlib, "pbkdf2_hmac"):
        hashlib.pbkdf2_hmac = pbkdf2_hmac


@functools.lru_cache(256)
def _format(text):
    letters = text.decode("ascii") if isinstance(text, bytes) else text
    return text if letters[:1] in ("=", "<", ">", "!") else letters.translate(_WIDE)


def _wide_format(text):
    return _format(text) if isinstance(text, (str, bytes)) else text


def _struct():
    plain = struct.Struct

    class Struct(plain):
        """`struct.Struct`, whose native sizes are those of a 64-bit machine."""

        def __new__(cls, format):
            return plain.__new__(cls, _wide_format(format))

        def __init__(self, format):
            plain.__init__(self, _wide_format(format))

    def taking(function):
        @functools.wraps(function)
        def taken(format, /, *args, **kwargs):
            return function(_wide_format(format), *args, **kwargs)

        return taken

    for name in ("calcsize", "iter_unpack", "pack", "pack_into", "unpack", "unpack_from"):
        setattr(struct, name, taking(getattr(struct, name)))
    Struct.__module__ = "struct"
    struct.Struct = Struct


def _array():
    plain = array.array

    class array_(plain):
        """`array.array`, whose `'l'` has 8 bytes."""

        def __new__(cls, typecode, *initial):
            wide = {"l": "q", "L": "Q"}.get(typecode, typecode)
            return plain.__new__(cls, wide, *initial)

    array_.__name__ = array_.__qualname__ = "array"
    array_.__module__ = "array"
    array.array = array.ArrayType = array_


_LARGEST = 2**31 - 1


class _Sys(types.ModuleType):
    """`sys`, whose largest size is this machine's."""

    maxsize = _LARGEST

    def __getattr__(self, name):
        return getattr(sys, name)


def _sizes():
    # "As much as there is", to a decompressor; "no old version", to numpy's printing.
    for module in (_streams, arrayprint):
        module.sys = _Sys("sys")
    format_options.get()["legacy"] = _LARGEST
    plain = csv.field_size_limit

    @functools.wraps(plain)
    def field_size_limit(*new):
        limit = plain(*(min(one, _LARGEST) if one == sys.maxsize else one for one in new))
        return sys.maxsize if limit == _LARGEST else limit

    csv.field_size_limit = field_size_limit


def _files():
    replace_method(np.ndarray, "tofile", _to_file)
    plain = np.fromfile

    @functools.wraps(plain)
    def fromfile(file, dtype=float, count=-1, sep="", offset=0, *, like=None):
        if isinstance(file, (str, bytes, os.PathLike)):
            with open(file, "rb") as opened:
                return fromfile(opened, dtype, count, sep, offset)
        file.fileno()
        kind = np.dtype(dtype)
        if kind.hasobject:
            raise ValueError("Cannot read into object array")
        if sep and offset:
            raise TypeError("'offset' argument only permitted for binary files")
        file.seek(offset, os.SEEK_CUR)
        if sep:
            return np.fromstring(file.read().decode("ascii"), dtype, count, sep=sep)
        data = file.read(-1 if count < 0 else count * kind.itemsize)
        return np.frombuffer(data[: len(data) // kind.itemsize * kind.itemsize], kind).copy()

    for module in (np, np._core.multiarray, np._core.numeric, np._core):
        if getattr(module, "fromfile", None) is plain:
            module.fromfile = fromfile


def _to_file(plain):
    @functools.wraps(plain)
    def tofile(self, fid, /, sep="", format="%s"):
        if isinstance(fid, (str, bytes, os.PathLike)):
            with open(fid, "wb") as opened:
                return tofile(self, opened, sep, format)
        if isinstance(fid, io.TextIOBase):
            # What was written before stands before.
            fid.flush()
            fid = fid.buffer
        fid.fileno()
        if self.dtype.hasobject and not sep:
            raise OSError("cannot write object arrays to a file in binary mode")
        if sep:
            fid.write(sep.join(format % (value,) for value in self.ravel().tolist()).encode("ascii"))
        else:
            fid.write(self.tobytes())

    return tofile


def pbkdf2_hmac(hash_name, password, salt, iterations, dklen=None):
    """PKCS #5 v2.0's key of a password (RFC 8018)."""
    if iterations < 1:
        raise ValueError("iteration value must be greater than 0.")
    start = hmac.new(bytes(password), digestmod=hash_name)
    length = start.digest_size if dklen is None else dklen
    if length < 1:
        raise ValueError("key length must be greater than 0.")
    key = b""
    for block in range(1, -(-length // start.digest_size) + 1):
        turn = start.copy()
        turn.update(bytes(salt) + block.to_bytes(4, "big"))
        last = turn.digest()
        mixed = int.from_bytes(last, "big")
        for _ in range(iterations - 1):
            turn = start.copy()
            turn.update(last)
            last = turn.digest()
            mixed ^= int.from_bytes(last, "big")
        key += mixed.to_bytes(start.digest_size, "big")
    return key[:length]
