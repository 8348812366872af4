"""DataFrames out of the room's Python.

Each column becomes a description with the addresses of its arrays; the host copies
them into Arrow. Types follow pyarrow: NaN in a float column is null, text is text
whatever it is stored as, objects are what they all are. A column whose values have no
counterpart is an error that names it; nothing is turned into text behind its author's
back.
"""

import json

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from . import _categories, _layout, _nesting, _objects
from ._host_calls import Mixed, address, call

_MOST_CATEGORIES = 10_000
_INT64 = (-(2**63), 2**63 - 1)


class Unwritable(TypeError):
    """A column or table that cannot leave the room as it is."""


def write_frame(frame, destination, *, index, warnings):
    """Hands `frame` to the host. `destination` is `{"output": name}` or `{"fd": n}`.

    `index`: "columns" makes an index into columns (outputs), "keep" stores it so that
    it comes back (`to_parquet`), "drop" leaves it out. What the reader should know is
    appended to `warnings`.
    """
    try:
        len(frame)
    except OverflowError:
        raise Unwritable(f"it has more than {2**31 - 1} rows, the most that there can be here") from None
    try:
        entries, index_names, layout = _layout.lay_out(frame, index, warnings)
    except _layout.Unnameable as error:
        raise Unwritable(str(error)) from None
    try:
        _hand_over(frame, entries, (index_names, layout), destination, warnings, _Kept(by_host=True))
    except Mixed:
        _hand_over(frame, entries, (index_names, layout), destination, warnings, _Kept(by_host=False))


class _Kept:
    """The arrays that the host is about to read."""

    def __init__(self, by_host):
        self.arrays = []
        # Whether the host looks at texts and dates itself; else they are made plain here.
        self.by_host = by_host
        # How many lists or dicts are around what is being written.
        self.depth = 0


def _hand_over(frame, entries, labels, destination, warnings, keep):
    columns, described = [], []
    said, warnings = _Said(), list(warnings)
    for name, label, array in entries:
        try:
            data = _column(array, keep)
        except Unwritable as error:
            raise Unwritable(f"column {_short(label)}: {error}") from None
        columns.append({"name": name, **data})
        described.append(_description(name, label, array.dtype, data))
        if isinstance(array.dtype, pd.CategoricalDtype):
            said.categories_of(name, array, warnings)
    index_names, layout = labels
    metadata = {"pandas": json.dumps(_pandas(described, index_names, frame.columns))}
    notes = said.notes()
    if layout is not None:
        notes["layout"] = layout
    if notes:
        metadata["dataroom.columns"] = json.dumps(notes)
    call(
        "table",
        **destination,
        rows=len(frame),
        columns=columns,
        metadata=metadata,
        warnings=warnings,
        objects=_objects.described(),
    )


class _Said:
    """All categories of each column: Parquet keeps those in use only."""

    def __init__(self):
        self.text, self.binary, self.other = {}, {}, {}

    def categories_of(self, name, array, warnings):
        values = array.categories
        if not _categories.are_text(values):
            said = _categories.note(array)
            if said is not None:
                self.other[name] = said
                return
        elif len(values) <= _MOST_CATEGORIES:
            if values.inferred_type == "bytes":
                self.binary[name] = [value.hex() for value in values]
            else:
                self.text[name] = values.tolist()
            return
        if array.ordered or len(values) > len(np.unique(array.codes)):
            warnings.append(f"column {_short(name)}: the order of its categories and the unused ones are lost")

    def notes(self):
        kinds = {"categories": self.text, "byte_categories": self.binary, "levels": self.other}
        return {kind: said for kind, said in kinds.items() if said}


def _short(label):
    text = repr(label)
    return text if len(text) <= 80 else text[:77] + "…"


def _description(stored, label, dtype, data):
    metadata = None
    pandas_type = {"coded": "unicode", "category": "categorical", "null": "empty"}.get(data["kind"])
    numpy_type = str(dtype)
    if data["kind"] == "fixed":
        pandas_type = data["type"]
    elif data["kind"] == "objects":
        pandas_type = {"text": "unicode"}.get(data["of"], data["of"])
    elif data["kind"] == "time":
        pandas_type = "timedelta" if data["type"] == "duration" else "datetime"
        numpy_type = f"datetime64[{data['unit']}]" if data["type"] == "timestamp" else numpy_type
        if data.get("zone"):
            pandas_type, metadata = "datetimetz", {"timezone": data["zone"]}
    elif data["kind"] == "coded" and data["type"] != "text":
        pandas_type = {"binary": "bytes", "json": "object"}.get(data["type"], data["type"])
    elif data["kind"] == "category":
        numpy_type = "int8"
        metadata = {"num_categories": data["unique"], "ordered": data["ordered"]}
    return {
        "name": None if label is None else stored if isinstance(label, tuple) else str(label),
        "field_name": stored,
        "pandas_type": pandas_type,
        "numpy_type": numpy_type,
        "metadata": metadata,
    }


def _pandas(described, index_names, columns):
    return {
        "index_columns": index_names,
        "column_indexes": _layout.column_indexes(columns),
        "columns": described,
        "creator": {"library": "dataroom", "version": "0.1.0"},
        "pandas_version": pd.__version__,
    }


def _hold(keep, array, dtype=None):
    """A contiguous array that lives until the host has copied it; its address."""
    array = np.ascontiguousarray(array, dtype=dtype)
    keep.arrays.append(array)
    return address(array)


def _mask(keep, mask):
    return _hold(keep, mask, bool) if mask.any() else None


def _column(array, keep):
    dtype = array.dtype
    if isinstance(dtype, pd.StringDtype):
        return _texts(array._ndarray, keep)
    if isinstance(array, pd.arrays.NumpyExtensionArray):
        # `to_numpy` would look at each object.
        array = array._ndarray
        dtype = array.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _category(array, keep)
    if isinstance(dtype, pd.DatetimeTZDtype):
        zone = _zone(dtype.tz)
        return _moments("timestamp", array.asi8, dtype.unit, keep, zone)
    if isinstance(dtype, pd.api.extensions.ExtensionDtype):
        if hasattr(array, "_mask") and hasattr(array, "_data"):
            data = _numpy(array._data, keep, nan_is_null=False)
            return {**data, "mask": _mask(keep, array._mask)}
        raise Unwritable(
            f"the type {dtype} has no counterpart in Parquet; turn it into text with .astype(str) "
            "or into numbers first"
        )
    if dtype.kind in "mM":
        unit = np.datetime_data(dtype)[0]
        kind = "timestamp" if dtype.kind == "M" else "duration"
        return _moments(kind, np.asarray(array).view(np.int64), unit, keep, None)
    values = np.asarray(array)
    if dtype.kind == "O":
        return _of_objects(values, keep)
    return _numpy(values, keep)


def _numpy(values, keep, nan_is_null=True):
    if values.dtype.kind not in "iufb" or values.dtype.itemsize > 8:
        raise Unwritable(f"the type {values.dtype} has no counterpart in Parquet")
    mask = None
    if values.dtype.kind == "f" and nan_is_null:
        mask = _mask(keep, np.isnan(values))
    return {
        "kind": "fixed",
        "type": values.dtype.name,
        "values": _hold(keep, values, values.dtype.newbyteorder("=")),
        "mask": mask,
    }


def _moments(kind, counts, unit, keep, zone):
    if unit not in ("s", "ms", "us", "ns"):
        raise Unwritable(f"times in the unit {unit!r} have no counterpart in Parquet")
    return {"kind": "time", "type": kind, "unit": unit, "zone": zone, "values": _hold(keep, counts, np.int64)}


def _zone(tz):
    key = getattr(tz, "key", None)
    if key:
        return key
    offset = tz.utcoffset(None)
    if offset is None:
        raise Unwritable(
            f"the time zone {tz} has no name that others know; .dt.tz_convert('UTC') or to a named zone helps"
        )
    if not offset:
        return "UTC"
    minutes, seconds = divmod(int(offset.total_seconds()), 60)
    if seconds:
        raise Unwritable(f"the time zone {tz} has an offset with seconds")
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def _category(array, keep):
    categories = array.categories
    if isinstance(categories.dtype, (pd.IntervalDtype, pd.PeriodDtype)):
        raise Unwritable(
            f"categories of the type {categories.dtype} have no counterpart in Parquet; "
            "turn them into text with .astype(str)"
        )
    if not _categories.are_text(categories):
        plain, missing = _categories.values(array)
        described = _column(plain, keep)
        return described if missing is None else {**described, "mask": _mask(keep, missing)}
    values = np.asarray(categories, dtype=object)
    if categories.inferred_type == "bytes":
        described = _coded("binary", values, keep, whole=True)
    else:
        described = _texts(values, keep, whole=True)
    return {
        "kind": "category",
        "codes": _hold(keep, array.codes, np.int32),
        "ordered": bool(array.ordered),
        "unique": len(categories),
        "categories": described,
    }


def _texts(values, keep, whole=False):
    if keep.by_host:
        return {"kind": "objects", "of": "text", "values": _hold(keep, values)}
    return _coded("text", values, keep, whole=whole)


def _coded(kind, values, keep, encode=None, whole=False):
    """Unique values and codes; or the values themselves, where they do not repeat.

    `whole`: they are known not to.
    """
    missing = pd.isna(values)
    sample = values[:2000]
    if whole:
        codes, unique = None, values
    elif len(values) > 2000 and len(set(sample[~missing[:2000]].tolist())) > 1000:
        unique = values[~missing]
        codes = None
        if missing.any():
            codes = np.where(missing, -1, np.cumsum(~missing) - 1)
    else:
        codes, unique = pd.factorize(values)
    unique = unique.tolist()
    if encode is not None:
        unique = [encode(value) for value in unique]
    try:
        data, lengths = _bytes(unique)
    except UnicodeEncodeError as error:
        where = error.object[max(0, error.start - 10) : error.end + 10]
        raise Unwritable(
            f"the text {where!r} is not valid Unicode (a lone surrogate); "
            "clean it with .str.encode('utf-8', 'replace').str.decode('utf-8')"
        ) from None
    return _parts(kind, codes, len(unique), data, lengths, keep)


def _parts(kind, codes, unique, data, lengths, keep):
    data = np.frombuffer(data, dtype=np.uint8)
    return {
        "kind": "coded",
        "type": kind,
        "codes": None if codes is None else _hold(keep, codes, np.int32),
        "unique": unique,
        "data": _hold(keep, data),
        "data_length": len(data),
        "lengths": None if lengths is None else _hold(keep, lengths),
    }


def _bytes(values):
    """The values in one piece, and their lengths, or None if a NUL parts them."""
    if values and isinstance(values[0], str):
        data = "\0".join(values).encode()
        if data.count(0) == len(values) - 1:
            return data, None
        values = [value.encode() for value in values]
    lengths = np.fromiter(map(len, values), dtype=np.uint32, count=len(values))
    return b"".join(values), lengths


def _of_objects(values, keep):
    of = _objects.alike(values) if keep.by_host else None
    if of is not None:
        return {"kind": "objects", "of": of, "values": _hold(keep, values)}
    kind = infer_dtype(values, skipna=True)
    missing = pd.isna(values)
    if kind == "empty" or missing.all():
        return {"kind": "null"}
    if kind == "string":
        return _coded("text", values, keep)
    if kind == "bytes":
        return _coded("binary", values, keep)
    if kind == "boolean":
        return _filled("bool", values, missing, False, bool, keep)
    if kind == "integer":
        return _integers(values, missing, keep)
    if kind in ("floating", "mixed-integer-float"):
        return _floats(values, missing, keep)
    if kind == "decimal":
        return _coded("decimal", values, keep, encode=_decimal)
    if kind == "date":
        codes, unique = pd.factorize(values)
        days = np.append(unique.astype("datetime64[D]").astype(np.int64), 0)[codes]
        return _filled("date", days, missing, 0, np.int32, keep)
    if kind == "time":
        us = np.array([0 if gone else _microseconds(t) for t, gone in zip(values, missing)], dtype=np.int64)
        return _filled("time", us, missing, 0, np.int64, keep)
    if kind in ("datetime", "datetime64"):
        moments = pd.Series(values)
        try:
            moments = pd.to_datetime(moments)
        except (ValueError, TypeError) as error:
            raise Unwritable(f"its times are not of one kind ({error})") from None
        if moments.dtype.kind == "O":
            raise Unwritable("its times have several time zones; pd.to_datetime(…, utc=True) makes them one")
        return _column(moments.array, keep)
    if kind in ("timedelta", "timedelta64"):
        return _column(pd.to_timedelta(pd.Series(values)).array, keep)
    known = values[~missing]
    if kind == "mixed" and _nesting.nested(known):
        try:
            return _nested(values, missing, keep)
        except _nesting.Mixed as error:
            raise Unwritable(str(error)) from None
    raise Unwritable(_several(known, keep.depth))


def _nested(values, missing, keep):
    keep.depth += 1
    try:
        hold = lambda array, dtype: _hold(keep, array, dtype)  # noqa: E731
        return _nesting.take_apart(values, missing, lambda items: _column(items, keep), hold, keep.depth)
    finally:
        keep.depth -= 1


def _several(known, depth):
    kinds = ", ".join(sorted({type(value).__name__ for value in known[:100_000]})[:6])
    if depth:
        return (
            f"its lists or dicts hold values of different kinds in the same place ({kinds}); make them one "
            "kind, or keep each as text with .map(json.dumps)"
        )
    if "," in kinds:
        return f"its values are of several Python types ({kinds}); make them one, for instance with .astype(str)"
    return (
        f"its values are Python objects of the type {kinds}, which has no counterpart in Parquet; take out what "
        "is needed of them, or turn them into text with .astype(str)"
    )


def _filled(kind, values, missing, filler, dtype, keep):
    filled = np.where(missing, filler, values).astype(dtype)
    return {"kind": "fixed", "type": kind, "values": _hold(keep, filled), "mask": _mask(keep, missing)}


def _integers(values, missing, keep):
    known = values[~missing]
    low, high = min(known), max(known)
    if low >= _INT64[0] and high <= _INT64[1]:
        return _filled("int64", values, missing, 0, np.int64, keep)
    if low >= 0 and high < 2**64:
        return _filled("uint64", values, missing, 0, np.uint64, keep)
    raise Unwritable(
        "it has integers that do not fit 64 bits; turn them into decimal.Decimal or text"
    )


def _floats(values, missing, keep):
    for value in values[~missing]:
        if isinstance(value, int) and int(float(value)) != value:
            raise Unwritable(f"{value} among floats would lose digits; make them all floats, or all text")
    return _filled("float64", values, missing, 0.0, np.float64, keep)


def _decimal(value):
    if not value.is_finite():
        raise Unwritable(f"the decimal {value} has no counterpart in Parquet")
    return format(value, "f")


def _microseconds(value):
    if value.tzinfo is not None:
        raise Unwritable("times of day with a zone have no counterpart in Parquet")
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond
