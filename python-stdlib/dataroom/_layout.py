"""The labels of a frame's rows and columns: into what a Parquet file says, and back.

Parquet's columns have names: unique text. pandas' have labels of any kind, twice the
same or in levels, and rows have an index. pyarrow names a column by its label's text,
stores an index as columns of its own and says in the metadata `pandas` how both were;
so does the room for `to_parquet`, and reads what pyarrow has said. What that cannot say
(labels of several kinds, duplicates, booleans) the room leaves word of for itself.

An output is different: the model is told its columns' names and goes by them. There an
index becomes columns and levels become one name, with a warning.
"""

import ast
import datetime

import numpy as np
import pandas as pd


class Unnameable(TypeError):
    """A label that no column can be named by."""


def lay_out(frame, index, warnings):
    """`(entries, index_columns, note)`: what to store, and what to say of it.

    An entry is `(stored name, label, array)`. `index`: "columns" makes an index into
    columns (outputs), "keep" stores it so that it comes back, "drop" leaves it out.
    """
    native = index != "columns"
    stored, note = _names(frame.columns, native, warnings)
    entries = [
        (name, label, frame.iloc[:, at].array)
        for at, (name, label) in enumerate(zip(stored, frame.columns))
    ]
    if index == "drop":
        return entries, [], note
    if native:
        index_columns, levels = _kept_index(frame.index, set(stored))
        if not all(name is None or isinstance(name, str) for name in frame.index.names):
            names = [_typed(name) for name in frame.index.names]
            note = {**(note or {}), "index": names} if None not in names else note
        return entries + levels, index_columns, note
    return _index_columns(frame.index, set(stored) | set(frame.columns), warnings) + entries, [], note


def _kept_index(index, taken):
    if isinstance(index, pd.RangeIndex):
        span = {"kind": "range", "name": index.name, "start": index.start, "stop": index.stop, "step": index.step}
        if span["name"] is None or isinstance(span["name"], str):
            return [span], []
    levels = []
    for at, name in enumerate(index.names):
        stored = None if name is None else str(name)
        if stored is None or stored in taken:
            stored = f"__index_level_{at}__"
        while stored in taken:
            stored += "_"
        taken.add(stored)
        label = name if name is None or isinstance(name, str) else str(name)
        levels.append((stored, label, index.get_level_values(at).array))
    return [stored for stored, _, _ in levels], levels


def _index_columns(index, taken, warnings):
    if isinstance(index, pd.RangeIndex) and index.name is None:
        return []
    if index.nlevels == 1 and index.name is None and index.inferred_type == "integer":
        warnings.append("its unnamed integer index was left out; reset_index() keeps it as a column")
        return []
    levels = []
    for at, name in enumerate(index.names):
        if name is None:
            name = "index" if index.nlevels == 1 else f"level_{at}"
        name = str(name)
        while name in taken:
            name = f"{name}_index"
        taken.add(name)
        levels.append((name, name, index.get_level_values(at).array))
    listed = ", ".join(repr(name) for name, _, _ in levels)
    warnings.append(f"its index became the column{'s' if len(levels) > 1 else ''} {listed}")
    return levels


def _names(columns, native, warnings):
    """Stored names, unique and text; and a note that brings the labels back."""
    stored, taken, changed = [], set(), []
    for label in columns:
        if not isinstance(label, tuple):
            name = str(label)
        elif native:
            name = str(tuple(map(str, label)))
        else:
            name = "_".join(str(part) for part in label if str(part) != "")
        try:
            name.encode()
        except UnicodeEncodeError:
            raise Unnameable(f"column {_short(label)}: its name is not valid Unicode") from None
        unique, n = name, 1
        while unique in taken:
            n += 1
            unique = f"{name}_{n}"
        taken.add(unique)
        stored.append(unique)
        if unique != label:
            changed.append(f"{_short(label)} is stored as {unique!r}")
    named = native and any(name is not None for name in columns.names)
    if not changed and not named and (columns.inferred_type in ("string", "empty") or not native):
        return stored, None
    note = _note(columns, stored) if native or not isinstance(columns, pd.MultiIndex) else None
    if changed and (note is None or not native):
        shown = "; ".join(changed[:5]) + (f"; and {len(changed) - 5} more" if len(changed) > 5 else "")
        warnings.append(f"columns have unique text names in the store: {shown}")
    return stored, note


def _note(columns, stored):
    labels = [_typed(label) for label in columns]
    names = [_typed(name) for name in columns.names]
    if None in labels or None in names:
        return None
    note = {"labels": dict(zip(stored, labels)), "names": names}
    if isinstance(columns, pd.MultiIndex):
        return {**note, "levels": [str(level.dtype) for level in columns.levels]}
    if isinstance(columns, pd.RangeIndex):
        return {**note, "range": [columns.start, columns.stop, columns.step]}
    if isinstance(columns.dtype, pd.CategoricalDtype):
        categories = [_typed(category) for category in columns.categories]
        return None if None in categories else {**note, "categories": categories, "ordered": columns.ordered}
    return {**note, "type": str(columns.dtype)}


def _short(label):
    text = repr(label)
    return text if len(text) <= 80 else text[:77] + "…"


def _typed(label):
    """A label in JSON, with its type; None if it has no such form."""
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
    if isinstance(label, tuple):
        parts = [_typed(part) for part in label]
        return None if None in parts else ["tuple", parts]
    if isinstance(label, datetime.datetime) and label is not pd.NaT:
        return ["timestamp", label.isoformat()]
    if isinstance(label, datetime.date) and label is not pd.NaT:
        return ["date", label.isoformat()]
    return None


def _label(typed):
    kind, value = typed
    if kind == "timestamp":
        return pd.Timestamp(value)
    if kind == "date":
        return datetime.date.fromisoformat(value)
    if kind == "float":
        return float(value)
    if kind == "tuple":
        return tuple(map(_label, value))
    return value


def column_indexes(columns):
    """What pandas' metadata says of the columns' labels, a level each."""
    return [_level(columns.get_level_values(at), name) for at, name in enumerate(columns.names)]


def _level(values, name):
    dtype = values.dtype
    described = {"name": None if name is None else str(name), "metadata": None}
    described["field_name"] = described["name"]
    if isinstance(dtype, np.dtype) and dtype.kind in "iufM":
        return {**described, "pandas_type": str(dtype), "numpy_type": str(dtype)}
    if isinstance(dtype, pd.DatetimeTZDtype):
        said = {"metadata": {"timezone": str(dtype.tz)}, "numpy_type": f"datetime64[{dtype.unit}]"}
        return {**described, "pandas_type": "datetimetz", **said}
    return {**described, "pandas_type": "unicode", "numpy_type": "str", "metadata": {"encoding": "UTF-8"}}


def index_columns(pandas):
    """The stored columns that are the rows' index."""
    return [name for name in pandas.get("index_columns") or [] if isinstance(name, str)]


def restored(frame, pandas, note):
    """The frame with the index and the labels that it was written with."""
    frame = _restore_index(frame, pandas, note or {})
    known = (note or {}).get("labels") or {}
    if known and set(known) == set(frame.columns):
        try:
            frame.columns = _from_note(note, [_label(known[name]) for name in frame.columns])
            return frame
        except (KeyError, TypeError, ValueError):
            # Another program has changed the footer: the names are still true.
            return frame
    return _restore_labels(frame, pandas)


def _from_note(note, labels):
    names = [_label(name) for name in note["names"]]
    if "levels" in note:
        columns = pd.MultiIndex.from_tuples(labels, names=names)
        levels = [level.astype(dtype) for level, dtype in zip(columns.levels, note["levels"])]
        return columns.set_levels(levels)
    if "range" in note and labels == list(range(*note["range"])):
        return pd.RangeIndex(*note["range"], name=names[0])
    if "categories" in note:
        categories = [_label(category) for category in note["categories"]]
        return pd.CategoricalIndex(labels, categories, ordered=note["ordered"], name=names[0])
    dtype = note.get("type")
    dtype = dtype if dtype in ("object", "bool", "str") else None
    return pd.Index(labels, dtype=dtype, name=names[0], tupleize_cols=False)


def _restore_index(frame, pandas, note):
    spans = pandas.get("index_columns") or []
    stored = index_columns(pandas)
    if stored and all(name in frame.columns for name in stored):
        # Not `set_index`: it takes evenly spaced numbers for a range.
        arrays = [frame[name].array for name in stored]
        frame = frame.drop(columns=stored)
        frame.index = pd.Index(arrays[0]) if len(arrays) == 1 else pd.MultiIndex.from_arrays(arrays)
        described = (c for c in pandas.get("columns") or () if isinstance(c, dict))
        labels = {c.get("field_name"): c.get("name") for c in described}
        names = [labels.get(name, name) for name in stored]
        typed = note.get("index") or []
        frame.index.names = [_label(name) for name in typed] if len(typed) == len(names) else names
    elif len(spans) == 1 and isinstance(spans[0], dict):
        span = spans[0]
        index = pd.RangeIndex(span["start"], span["stop"], span["step"], name=span.get("name"))
        if len(index) == len(frame):
            frame.index = index
    return frame


def _restore_labels(frame, pandas):
    described = pandas.get("column_indexes") or []
    if not described or not all(isinstance(level, dict) for level in described):
        return frame
    try:
        if len(described) > 1:
            labels = [ast.literal_eval(name) for name in frame.columns]
            levels = [pd.Index([label[at] for label in labels]) for at in range(len(described))]
            levels = [_as(level, said) for level, said in zip(levels, described)]
            names = [said.get("name") for said in described]
            frame.columns = pd.MultiIndex.from_arrays(levels, names=names)
        else:
            frame.columns = _as(frame.columns, described[0])
            frame.columns.name = described[0].get("name")
    except (IndexError, SyntaxError, TypeError, ValueError):
        # The names are text that says nothing of the kind: they are what there is.
        return frame
    return frame


def _as(labels, said):
    wanted, how = said.get("numpy_type") or "", said.get("pandas_type") or ""
    if how == "datetimetz":
        zone = (said.get("metadata") or {}).get("timezone") or "UTC"
        return pd.to_datetime(labels, utc=True).tz_convert(zone)
    if wanted.startswith("datetime64"):
        return pd.to_datetime(labels).as_unit(wanted[11:-1]) if "[" in wanted else pd.to_datetime(labels)
    if wanted.startswith(("int", "uint", "float")):
        return labels.astype(wanted)
    return labels
