"""Parquet into DataFrames.

The host decodes; here the buffers become arrays and the arrays become the columns
that pandas with pyarrow would give: text as `str`, integers with nulls as float64,
booleans with nulls, dates, times and decimals as objects, everything else as its
numpy or extension type. Where the file says that a frame with nullable types, with an
index or with labels that are not text was written, those come back.

In one place the answer differs, because pyarrow's is a wrong number: a column of
integers with nulls of which some are too big for a float64 stays exact, as `Int64`.
"""

import json
import os
import warnings
from datetime import time, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
from pandas._libs.lib import to_object_array

from . import _categories, _layout, _nesting, _objects, _pruning
from ._host_calls import address, call

_TEXT = pd.StringDtype(storage="python", na_value=np.nan)
_NULLABLE_TEXT = pd.StringDtype(storage="python", na_value=pd.NA)
_NULLABLE = {
    "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64",
    "Float32", "Float64", "boolean",
}
_EXACT = 2**53


def read_frame(path, columns=None, seen=None):
    """The Parquet file at `path` as a DataFrame; `columns` by their stored names.

    `seen`: what `_pruning` says that a script can see of it.
    """
    fd = os.open(path, os.O_RDONLY)
    try:
        return read_descriptor(fd, columns, seen)
    finally:
        os.close(fd)


def read_descriptor(fd, columns=None, seen=None):
    """The Parquet file open as `fd` as a DataFrame."""
    if columns is not None or seen is not None:
        columns = _narrowed(fd, columns, seen)
    return read_opened(call("open", fd=fd, columns=columns, objects=_objects.types()))


def read_opened(opened):
    """The table that the host has begun to decode."""
    pairs = {**opened["metadata"], **opened["key_values"]}
    notes = _Notes(pairs)
    arrays = []
    try:
        for _ in opened["columns"]:
            described = call("next_column", reader=opened["reader"])
            arrays.append(_column(opened["reader"], described, notes))
    finally:
        call("close", reader=opened["reader"])
    return _frame(opened, arrays, notes)


def _narrowed(fd, columns, seen):
    """The columns to read; None for all. pandas reads those of an index with any."""
    opened = call("open", fd=fd, columns=[])
    call("close", reader=opened["reader"])
    notes = _Notes({**opened["metadata"], **opened["key_values"]})
    if columns is None:
        return _pruning.chosen(seen, opened["names"], notes.pandas, notes.room)
    columns = list(columns)
    return columns + [name for name in _layout.index_columns(notes.pandas) if name not in columns]


class _Notes:
    """What the writer of the file has left word of."""

    def __init__(self, pairs):
        self.pandas = _json(pairs.get("pandas"))
        self.room = _json(pairs.get("dataroom.columns"))
        self.types = {}
        for column in self.pandas.get("columns") or ():
            if isinstance(column, dict):
                self.types[column.get("field_name") or column.get("name")] = column

    def numpy_type(self, name):
        return self.types.get(name, {}).get("numpy_type")

    def categories(self, name):
        text = (self.room.get("categories") or {}).get(name)
        binary = (self.room.get("byte_categories") or {}).get(name)
        return text if binary is None else [bytes.fromhex(value) for value in binary]

    def levels(self, name):
        """Categories that are neither text nor bytes: `_categories`."""
        return (self.room.get("levels") or {}).get(name)

    def ordered(self, name):
        return bool((self.types.get(name, {}).get("metadata") or {}).get("ordered"))


def _json(text):
    try:
        value = json.loads(text) if text else {}
    except ValueError:
        value = {}
    return value if isinstance(value, dict) else {}


def column(reader, described):
    """A column that is in no file."""
    return _column(reader, described, _Notes({}))


def _column(reader, described, notes):
    name = described["name"]
    if described["kind"] == "objects":
        array = _made(reader, described, notes.numpy_type(name))
    else:
        buffers = [np.empty(size, dtype=np.uint8) for size in described["buffers"]]
        call("fill", reader=reader, addresses=[address(buffer) for buffer in buffers])
        array = _array(described, buffers, name, described["rows"], notes)
    levels = notes.levels(name)
    return array if levels is None else _categories.restored(array, levels)


def _made(reader, described, wanted):
    """A column of which the host makes the objects."""
    text = described["of"] == "text"
    missing = None if not text else pd.NA if wanted == "string" else np.nan
    block = _objects.block(described["buffers"][0])
    values = np.empty(described["rows"], dtype=object)
    call("fill", reader=reader, addresses=[address(block), address(values)], missing=id(missing))
    return _typed(values, wanted) if text else values


def _array(kind, buffers, name, rows, notes):
    what = kind["kind"]
    if what == "fixed":
        return _fixed(kind["type"], buffers, name, notes)
    if what == "time":
        return _moments(kind, buffers[0])
    if what == "coded":
        return _coded(kind, buffers, name, rows, notes)
    if what == "category":
        return _category(kind, buffers, name, notes)
    if what in ("list", "map", "struct"):
        return _nesting.assemble(kind, buffers, rows, _leaf)
    return np.full(rows, None, dtype=object)


def _leaf(kind, buffers, rows):
    """A flat column inside a nested one: objects, None where null."""
    if kind["kind"] == "coded":
        return _decoded(kind, buffers, None)
    return _array(kind, buffers, None, rows, _Notes({}))


def _fixed(type_name, buffers, name, notes):
    mask = buffers[1].view(bool) if len(buffers) > 1 else None
    if type_name == "date":
        unique, codes = _unique(buffers[0].view(np.int32))
        return _with_none(unique.astype("datetime64[D]").astype(object).take(codes), mask)
    if type_name == "time":
        # pandas has no such type; microseconds are what `datetime.time` can hold.
        values = buffers[0].view(np.int64)
        if (values % 1000).any():
            warnings.warn(f"column {name!r}: times are cut to microseconds", stacklevel=2)
        unique, codes = _unique(values // 1000)
        times = np.array([_time(us) for us in unique.tolist()] + [None], dtype=object)
        return _with_none(times[codes], mask)
    values = buffers[0].view(np.dtype(type_name))
    wanted = notes.numpy_type(name)
    if wanted in _NULLABLE:
        return _masked(values, mask, wanted)
    if mask is None:
        return values
    if values.dtype.kind == "b":
        return _with_none(values.astype(object), mask)
    if values.dtype.kind in "iu":
        known = values[~mask]
        if known.size and (known.max() > _EXACT or known.min() < -_EXACT):
            exact = "Int64" if values.dtype.kind == "i" else "UInt64"
            return _masked(values.astype(exact.lower()), mask, exact)
        values = values.astype(np.float64)
    values[mask] = np.nan
    return values


def _unique(values):
    """Unique values and codes: an object is made once, not once a row."""
    codes, unique = pd.factorize(values)
    return unique, codes


def _time(microseconds):
    seconds, us = divmod(microseconds, 1_000_000)
    return time(seconds // 3600, seconds // 60 % 60, seconds % 60, us)


def _with_none(objects, mask):
    if mask is not None:
        objects[mask] = None
    return objects


def _masked(values, mask, wanted):
    dtype = pd.api.types.pandas_dtype(wanted)
    if mask is None:
        mask = np.zeros(len(values), dtype=bool)
    return dtype.construct_array_type()(values.astype(dtype.numpy_dtype, copy=False), mask)


def _moments(kind, buffer):
    values = buffer.view(np.int64)
    unit = kind["unit"]
    if kind["type"] == "duration":
        return values.view(f"m8[{unit}]")
    values = values.view(f"M8[{unit}]")
    if kind["zone"] is None:
        return values
    dtype = pd.DatetimeTZDtype(unit=unit, tz=kind["zone"])
    return pd.arrays.DatetimeArray._simple_new(values, dtype=dtype)


def _values(kind, buffers):
    """The unique values of a column of variable width, as a list."""
    data, rest = buffers[0], buffers[1:]
    binary = kind["type"] == "binary"
    if kind["unique"] == 0:
        return []
    if kind["separator"] is not None:
        return data.tobytes().decode().split(kind["separator"])
    lengths = rest[-1].view(np.uint32).tolist()
    whole, at, values = data.tobytes(), 0, []
    for length in lengths:
        part = whole[at : at + length]
        values.append(part if binary else part.decode())
        at += length
    return values


def _listed(values):
    # A third of the time of `objects[:] = values`, which looks for nested lists.
    return to_object_array([values])[0]


def _decoded(kind, buffers, missing):
    values = _values(kind, buffers)
    if kind["type"] == "decimal":
        values = [Decimal(value) for value in values]
    if not kind["coded"]:
        return _listed(values)
    values.append(missing)
    return _listed(values).take(buffers[1].view(np.int32))


def _coded(kind, buffers, name, rows, notes):
    objects = _decoded(kind, buffers, np.nan if kind["type"] == "text" else None)
    if kind["type"] != "text":
        return objects
    wanted = notes.numpy_type(name)
    if wanted == "string":
        objects[pd.isna(objects)] = pd.NA
    return _typed(objects, wanted)


def _typed(objects, wanted):
    dtype = _NULLABLE_TEXT if wanted == "string" else _TEXT
    # The values are text by construction: looking at each again would cost as much
    # as reading them.
    return dtype.construct_array_type()._simple_new(objects, dtype)


def _category(kind, buffers, name, notes):
    codes = buffers[0].view(np.int32)
    # The categories are never null, and never nullable.
    inner = _array(kind["categories"], buffers[1:], None, kind["unique"], notes)
    categories = pd.Index(inner)
    known = notes.categories(name)
    ordered = kind["ordered"] or notes.ordered(name)
    if known is not None:
        wanted = pd.Index(known) if not len(categories) else pd.Index(known).astype(categories.dtype)
        places = wanted.get_indexer(categories)
        if (places >= 0).all():
            codes = np.append(places, -1)[codes]
            categories = wanted
    if not categories.is_unique:
        codes = np.append(categories.factorize()[0], -1)[codes]
        categories = categories.unique()
    dtype = pd.CategoricalDtype(categories, ordered=ordered)
    return pd.Categorical.from_codes(codes, dtype=dtype, validate=False)


def _frame(opened, arrays, notes):
    rows = opened["rows"]
    frame = pd.DataFrame(dict(enumerate(arrays)), index=pd.RangeIndex(rows), copy=False)
    names = list(opened["columns"])
    frame.columns = pd.Index(names) if names else pd.Index([], dtype=object)
    return _layout.restored(frame, notes.pandas, notes.room.get("layout"))
