"""DataFrames out of the room's Python.

Each column becomes a description with the addresses of its arrays; the host copies
them into Arrow. Types follow pyarrow: NaN in a float column is null, text is text
whatever it is stored as, objects are what they all are. A column whose values have no
counterpart is an error that names it; nothing is turned into text behind its author's
back.
"""

import datetime
import decimal
import json

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from ._host_calls import address, call

_INT64 = (-(2**63), 2**63 - 1)


class Unwritable(TypeError):
    """A column or table that cannot leave the room as it is."""


def write_frame(frame, destination, *, index, warnings):
    """Hands `frame` to the host. `destination` is `{"output": name}` or `{"fd": n}`.

    `index`: "columns" makes an index into columns (outputs), "keep" stores it so that
    it comes back (`to_parquet`), "drop" leaves it out. What the reader should know is
    appended to `warnings`.
    """
    frame, index_names = _settle_index(frame, index, warnings)
    stored, labels = _names(frame.columns, warnings)
    keep = []
    columns, described, categories = [], [], {}
    for position, name in enumerate(stored):
        series = frame.iloc[:, position]
        try:
            data = _column(series.array, keep)
        except Unwritable as error:
            raise Unwritable(f"column {_short(frame.columns[position])}: {error}") from None
        columns.append({"name": name, **data})
        described.append(_description(name, frame.columns[position], series.dtype, data))
        if isinstance(series.dtype, pd.CategoricalDtype):
            values = series.dtype.categories
            if len(values) <= 10_000 and values.inferred_type in ("string", "integer", "boolean"):
                categories[name] = values.tolist()
    metadata = {"pandas": json.dumps(_pandas(described, index_names))}
    notes = {"categories": categories} if categories else {}
    if labels is not None:
        notes["labels"] = labels
    if notes:
        metadata["dataroom.columns"] = json.dumps(notes)
    call(
        "table",
        **destination,
        rows=len(frame),
        columns=columns,
        metadata=metadata,
        warnings=list(warnings),
    )
    del keep


def _short(label):
    text = repr(label)
    return text if len(text) <= 80 else text[:77] + "…"


def _settle_index(frame, index, warnings):
    plain = isinstance(frame.index, pd.RangeIndex) and frame.index.name is None
    if index == "drop" or (plain and index == "columns"):
        return frame.reset_index(drop=True), []
    if index == "keep":
        if isinstance(frame.index, pd.RangeIndex):
            span = frame.index
            kept = {"kind": "range", "name": span.name, "start": span.start, "stop": span.stop, "step": span.step}
            return frame.reset_index(drop=True), [kept]
        names = [
            name if name is not None else f"__index_level_{i}__"
            for i, name in enumerate(frame.index.names)
        ]
        return frame.reset_index(names=names), names
    if frame.index.nlevels == 1 and frame.index.name is None and frame.index.inferred_type == "integer":
        warnings.append("its unnamed integer index was left out; reset_index() keeps it as a column")
        return frame.reset_index(drop=True), []
    taken = set(frame.columns)
    names = []
    for i, name in enumerate(frame.index.names):
        name = name if name is not None else ("index" if frame.index.nlevels == 1 else f"level_{i}")
        while name in taken:
            name = f"{name}_index"
        taken.add(name)
        names.append(name)
    listed = ", ".join(map(repr, names))
    warnings.append(f"its index became the column{'s' if len(names) > 1 else ''} {listed}")
    if isinstance(frame.columns, pd.MultiIndex):
        frame = frame.set_axis(frame.columns.to_flat_index(), axis=1)
    index_frame = frame.index.to_frame(index=False, name=names if len(names) > 1 else names[0])
    return pd.concat([index_frame, frame.reset_index(drop=True)], axis=1), []


def _names(columns, warnings):
    """Stored names, unique and text; and the labels to give back, if they differ."""
    stored, taken, changed = [], set(), []
    for label in columns:
        if isinstance(label, tuple):
            name = "_".join(str(part) for part in label if str(part) != "")
        else:
            name = str(label)
        try:
            name.encode()
        except UnicodeEncodeError:
            raise Unwritable(f"column {_short(label)}: its name is not valid Unicode") from None
        unique, n = name, 1
        while unique in taken:
            n += 1
            unique = f"{name}_{n}"
        taken.add(unique)
        stored.append(unique)
        if unique != label:
            changed.append(f"{_short(label)} is stored as {unique!r}")
    if not changed:
        return stored, None
    shown = "; ".join(changed[:5]) + (f"; and {len(changed) - 5} more" if len(changed) > 5 else "")
    warnings.append(f"columns have unique text names in the store: {shown}")
    labels = [_label(label) for label in columns]
    return stored, None if None in labels else labels


def _label(label):
    if label is None:
        return ["none", None]
    if isinstance(label, (bool, np.bool_)):
        return ["bool", bool(label)]
    if isinstance(label, (int, np.integer)):
        return ["int", int(label)]
    if isinstance(label, (float, np.floating)):
        return ["float", repr(float(label))]
    if isinstance(label, str):
        return ["str", label]
    if isinstance(label, datetime.datetime) and label is not pd.NaT:
        return ["timestamp", label.isoformat()]
    return None


def _description(stored, label, dtype, data):
    metadata = None
    pandas_type = {"coded": "unicode", "category": "categorical", "null": "empty"}.get(data["kind"])
    numpy_type = str(dtype)
    if data["kind"] == "fixed":
        pandas_type = data["type"]
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
        "name": None if label is None else str(label),
        "field_name": stored,
        "pandas_type": pandas_type,
        "numpy_type": numpy_type,
        "metadata": metadata,
    }


def _pandas(described, index_names):
    for column in described:
        if column["field_name"] in index_names and column["field_name"].startswith("__index_level_"):
            column["name"] = None
    return {
        "index_columns": index_names,
        "column_indexes": [
            {
                "name": None,
                "field_name": None,
                "pandas_type": "unicode",
                "numpy_type": "object",
                "metadata": {"encoding": "UTF-8"},
            }
        ],
        "columns": described,
        "creator": {"library": "dataroom", "version": "0.1.0"},
        "pandas_version": pd.__version__,
    }


def _hold(keep, array, dtype=None):
    """A contiguous array that lives until the host has copied it; its address."""
    array = np.ascontiguousarray(array, dtype=dtype)
    keep.append(array)
    return address(array)


def _mask(keep, mask):
    return _hold(keep, mask, bool) if mask.any() else None


def _column(array, keep):
    dtype = array.dtype
    if isinstance(dtype, pd.StringDtype):
        return _coded("text", np.asarray(array, dtype=object), keep)
    if isinstance(array, pd.arrays.NumpyExtensionArray):
        array = array.to_numpy()
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
        return _moments(kind, array.asi8, unit, keep, None)
    values = np.asarray(array)
    if dtype.kind == "O":
        return _objects(values, keep)
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
        return str(tz)
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
    return {
        "kind": "category",
        "codes": _hold(keep, array.codes, np.int32),
        "ordered": bool(array.ordered),
        "unique": len(categories),
        "categories": _column(categories.array, keep),
    }


def _coded(kind, values, keep, encode=None):
    """Unique values and codes; or the values themselves, where they do not repeat."""
    missing = pd.isna(values)
    sample = values[:2000]
    if len(values) > 2000 and len(set(sample[~missing[:2000]].tolist())) > 1000:
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


def _objects(values, keep):
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
    known = values[~missing] if missing.shape == values.shape else values
    if kind == "mixed" and all(isinstance(v, (list, dict, tuple, np.ndarray)) for v in known):
        return _nested(values, keep)
    kinds = sorted({type(value).__name__ for value in known[:100_000]})
    raise Unwritable(
        f"its values are of several Python types ({', '.join(kinds[:6])}); make them one, "
        "for instance with .astype(str)"
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
            raise Unwritable(f"{value} among floats would lose digits; turn the column into one type")
    return _filled("float64", values, missing, 0.0, np.float64, keep)


def _decimal(value):
    if not value.is_finite():
        raise Unwritable(f"the decimal {value} has no counterpart in Parquet")
    return format(value, "f")


def _microseconds(value):
    if value.tzinfo is not None:
        raise Unwritable("times of day with a zone have no counterpart in Parquet")
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond


def _nested(values, keep):
    def plain(value):
        if isinstance(value, np.ndarray):
            return value.tolist()
        if isinstance(value, (np.integer, np.floating, np.bool_)):
            return value.item()
        raise TypeError(type(value).__name__)

    def text(value):
        if value is None or value is pd.NA or (isinstance(value, float) and value != value):
            return "null"
        return json.dumps(value, default=plain, allow_nan=False)

    try:
        texts = [text(value) for value in values]
    except (TypeError, ValueError) as error:
        raise Unwritable(f"its nested values hold something that is no JSON ({error})") from None
    return _parts("json", None, len(texts), *_bytes(texts), keep)
