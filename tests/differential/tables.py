"""Tables in a form that can be compared and kept as text: `canonical`.

Both sides pass through here: a DataFrame natively becomes what pyarrow makes of it
(`from_frame`); the room's outputs are read by pyarrow from the Parquet that it exported.
"""

import base64
import json

import pandas as pd
import pyarrow as pa


def from_frame(frame) -> pa.Table:
    """What an output has to be: pyarrow's columns, and the room's rule for the index.

    An index that only counts (unnamed, of integers) is left out; any other becomes
    columns, as `reset_index` names them. Labels become text.
    """
    if isinstance(frame, pd.Series):
        frame = frame.to_frame(name="value" if frame.name is None else frame.name)
    index = frame.index
    counts = index.nlevels == 1 and index.name is None and index.inferred_type == "integer"
    if isinstance(frame.columns, pd.MultiIndex):
        frame = frame.set_axis(["_".join(str(p) for p in c if str(p) != "") for c in frame.columns], axis=1)
    frame = frame.reset_index(drop=bool(counts or (index.nlevels == 1 and not len(index) and index.name is None)))
    frame.columns = frame.columns.map(str)
    return pa.Table.from_pandas(frame, preserve_index=False)


def canonical(table: pa.Table) -> dict:
    columns = [[field.name, *_column(table.column(at))] for at, field in enumerate(table.schema)]
    return {"rows": table.num_rows, "columns": columns}


def _column(column: pa.ChunkedArray) -> tuple[str, list]:
    """Its type and its values; moments as integers, so that no digit is lost."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
        if isinstance(column, pa.ChunkedArray):
            column = column.chunk(0)
        name, values = _column(pa.chunked_array([column.dictionary_decode()]))
        return f"dictionary of {name}", values
    if pa.types.is_large_string(kind):
        column, kind = column.cast(pa.string()), pa.string()
    if kind == pa.timestamp("s") or (pa.types.is_timestamp(kind) and kind.unit == "s"):
        # Parquet has no seconds.
        kind = pa.timestamp("ms", kind.tz)
        column = column.cast(kind)
    name = str(kind)
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        column = column.cast(pa.int64())
    elif pa.types.is_time64(kind) or pa.types.is_date64(kind):
        column = column.cast(pa.int64())
    elif pa.types.is_time32(kind) or pa.types.is_date32(kind):
        column = column.cast(pa.int32())
    return name.replace("element:", "item:"), [_value(value) for value in column.to_pylist()]


def _value(value):
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else repr(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, list):
        return [_value(item) for item in value]
    if isinstance(value, dict):
        return {key: _value(item) for key, item in value.items()}
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def with_warnings(result: str) -> dict:
    """What a script's `result` says: what was shown, and what numpy warned of."""
    said = json.loads(result)
    return {"shown": said["shown"], **({"warned": said["warned"]} if said["warned"] else {})}
