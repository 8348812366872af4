"""Lists, maps and structs: the objects that pyarrow makes of them, and back.

The host takes a nested column apart into offsets, masks and flat columns. Reading, a
list becomes a numpy array, a map a list of pairs, a struct a dict, as pyarrow's
`to_pandas` has them: integers among nulls as floats, moments in a list without their
zone, nanoseconds in a struct as numbers. Where a float would change an integer, the
integers stay, as Python's own.

Writing goes the other way round: the items of all rows become one column, whose type
is what they all are. Values of two kinds are an error, never text.
"""

import datetime

import numpy as np
import pandas as pd

_EXACT = 2**53
_DEEPEST = 32
_MOST_PLACES = 50_000_000


def assemble(kind, buffers, rows, leaf):
    """The objects of a nested column of `rows` rows.

    `leaf(kind, buffers, rows)` gives a flat column's objects, None where null.
    """
    buffers = list(buffers)
    what = kind["kind"]
    if what == "struct":
        missing = _missing(kind, buffers)
        fields = [(field["name"], _plain(field, _own(field, buffers), leaf)) for field in kind["fields"]]
        names = [name for name, _ in fields]
        values = [dict(zip(names, row)) for row in zip(*(column for _, column in fields))]
        return _objects(values, missing)
    bounds = buffers.pop(0).view(np.int32).tolist()
    missing = _missing(kind, buffers)
    if what == "map":
        keys = _plain(kind["keys"], _own(kind["keys"], buffers), leaf)
        items = list(zip(keys, _plain(kind["values"], _own(kind["values"], buffers), leaf)))
    else:
        items = _items(kind["items"], _own(kind["items"], buffers), leaf)
    values = [items[start:end] for start, end in zip(bounds, bounds[1:])]
    return _objects(values, missing)


def _missing(kind, buffers):
    return buffers.pop(0).view(bool) if kind["masked"] else None


def _own(nested, buffers):
    own = buffers[: nested["take"]]
    del buffers[: nested["take"]]
    return own


def _objects(values, missing):
    objects = np.empty(len(values), dtype=object)
    for at, value in enumerate(values):
        objects[at] = value
    if missing is not None:
        objects[missing] = None
    return objects


def _items(kind, buffers, leaf):
    """A flat array of a list's items."""
    what = kind["kind"]
    if what in ("list", "map", "struct"):
        return assemble(kind, buffers, kind["rows"], leaf)
    if what == "time":
        code = "m8" if kind["type"] == "duration" else "M8"
        return buffers[0].view(f"{code}[{kind['unit']}]")
    objects = kind.get("type") in ("date", "time") or (kind.get("type") == "bool" and len(buffers) > 1)
    if what != "fixed" or objects:
        return leaf(kind, buffers, kind["rows"])
    values = buffers[0].view(np.dtype(kind["type"]))
    if len(buffers) == 1:
        return values
    missing = buffers[1].view(bool)
    if values.dtype.kind in "iu":
        known = values[~missing]
        if known.size and (known.max() > _EXACT or known.min() < -_EXACT):
            return _objects(values.tolist(), missing)
        values = values.astype(np.float64)
    values[missing] = np.nan
    return values


def _plain(kind, buffers, leaf):
    """A field's values as Python has them."""
    if kind["kind"] == "time":
        return _moments(kind, buffers[0].view(np.int64))
    values = _items(kind, buffers, leaf)
    if kind["kind"] != "fixed" or values.dtype.kind == "O":
        return values.tolist()
    plain = values.tolist()
    if len(buffers) > 1:
        for at in np.flatnonzero(buffers[1].view(bool)).tolist():
            plain[at] = None
    return plain


def _moments(kind, counts):
    code = "m8" if kind["type"] == "duration" else "M8"
    values = counts.view(f"{code}[{kind['unit']}]").tolist()
    if kind["type"] == "timestamp" and kind["zone"] is not None and kind["unit"] != "ns":
        zone = pd.DatetimeTZDtype(unit=kind["unit"], tz=kind["zone"]).tz
        utc = datetime.timezone.utc
        values = [v and v.replace(tzinfo=utc).astimezone(zone) for v in values]
    if kind["unit"] == "ns":
        for at in np.flatnonzero(counts == np.iinfo(np.int64).min).tolist():
            values[at] = None
    return values


class Mixed(TypeError):
    """Nested values that have no one type."""


def nested(known):
    """Whether each of these values is a list or a dict."""
    return all(isinstance(v, (list, tuple, dict, np.ndarray, set, frozenset)) for v in known)


def take_apart(values, missing, column, hold, depth):
    """A description of a column of lists, maps or dicts.

    `column(array)` describes a flat array or an object array of items; `hold(array,
    dtype)` keeps an array alive and gives its address.
    """
    if depth > _DEEPEST:
        raise Mixed(f"its values are nested more than {_DEEPEST} deep, or hold themselves")
    known = values[~missing]
    mask = hold(missing, bool) if missing.any() else None
    if isinstance(known[0], dict):
        if not all(isinstance(value, dict) for value in known):
            raise Mixed("its values are lists and dicts; make them one")
        return {"kind": "struct", "mask": mask, "fields": _fields(values, missing, column)}
    if any(isinstance(value, dict) for value in known):
        raise Mixed("its values are lists and dicts; make them one")
    for value in known:
        if isinstance(value, np.ndarray) and value.ndim != 1:
            raise Mixed(f"it holds an array of {value.ndim} dimensions; .tolist() makes lists of it")
    lengths = np.zeros(len(values), dtype=np.int64)
    lengths[~missing] = [len(value) for value in known]
    ends = np.append(0, np.cumsum(lengths))
    if ends[-1] >= 2**31:
        raise Mixed(f"it has {ends[-1]} items, 2**31 - 1 is the most")
    listed = {"mask": mask, "offsets": hold(ends, np.int32), "item_rows": int(ends[-1])}
    if _pairs(known):
        keys, held = zip(*[pair for value in known for pair in value])
        return {"kind": "map", **listed, "keys": column(_array(keys)), "values": column(_array(held))}
    return {"kind": "list", **listed, "items": column(_flat(known))}


def _flat(known):
    """The items of all lists, one after another."""
    types = {value.dtype if isinstance(value, np.ndarray) else None for value in known}
    if len(types) == 1 and None not in types and types != {np.dtype(object)}:
        return np.concatenate(list(known))
    return _array([item for value in known for item in value])


def _array(values):
    array = np.empty(len(values), dtype=object)
    for at, value in enumerate(values):
        array[at] = value
    return array


def _pairs(known):
    """Whether these lists are maps: of pairs whose first is text, or whose two differ.

    Where both are of one type, pyarrow takes a tuple for a list of two.
    """
    found = False
    for value in known:
        if not isinstance(value, list):
            return False
        for pair in value:
            if not (isinstance(pair, tuple) and len(pair) == 2):
                return False
            found = True
    if not found:
        return False
    firsts = {type(pair[0]) for value in known for pair in value}
    seconds = {type(pair[1]) for value in known for pair in value if pair[1] is not None}
    return firsts == {str} or (len(firsts) == 1 and not (firsts & seconds))


def _fields(values, missing, column):
    names = {}
    for value in values[~missing]:
        for name in value:
            if not isinstance(name, str):
                raise Mixed(f"a key of its dicts is a {type(name).__name__}, {str(name)[:40]!r}: keys are text")
            names[name] = None
    if not names:
        raise Mixed("its dicts are empty, and a struct without fields has no counterpart in Parquet")
    if len(names) * len(values) > _MOST_PLACES:
        raise Mixed(
            f"its dicts have {len(names)} different keys in {len(values)} rows, and each row would have a place "
            "for each; keep them as text with .map(json.dumps)"
        )
    # By the keys that a row has, not by all that there are: most rows may have few.
    held = {name: np.full(len(values), None, dtype=object) for name in names}
    for at in np.flatnonzero(~missing).tolist():
        for name, value in values[at].items():
            held[name][at] = value
    fields = [{"name": name, **column(array)} for name, array in held.items()]
    return fields

