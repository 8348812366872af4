"""What every case has before its first line, in the room and natively: `show`.

`show(value, ...)` notes values in a form that keeps the type of each, every integer
exactly and every float to its last bit; what was noted is compared. `attempt(function)`
notes what it returns, or the type of the exception that it raises, `warned(function)`
what it returns and each warning. What numpy warns of elsewhere that floats did (`divide
by zero encountered in log`) is noted too, each text once.

This text is put in front of a case's own, so it must run alike on both sides: it looks
at values with Python's own means (`tolist`, `int`, `repr`) and calculates nothing.
"""

import datetime as _datetime
import decimal as _decimal
import json as _json
import warnings as _warnings

_shown = []
_warned = set()
_warnings.filterwarnings("always", ".* encountered in ", RuntimeWarning)


def _note_warning(message, category, *_, **__):
    if " encountered in " in str(message):
        _warned.add(f"{category.__name__}: {message}")


_warnings.showwarning = _note_warning


def show(*values):
    _shown.extend(_plain(value) for value in values)


def attempt(*functions):
    for function in functions:
        try:
            value = function()
        except Exception as error:
            _shown.append({"raises": _kind_of(error)})
        else:
            show(value)


def _kind_of(error):
    """The exception's type; for one of pyarrow or the room's own, what it is made of."""
    kinds = type(error).__mro__
    return next(k.__name__ for k in kinds if k.__module__.split(".")[0] not in ("pyarrow", "dataroom"))


def warned(*functions):
    for function in functions:
        with _warnings.catch_warnings(record=True) as seen:
            _warnings.simplefilter("always")
            show(function(), [f"{type(w.message).__name__}: {w.message}" for w in seen])


def _plain(value):
    """`value` as JSON that tells its type."""
    kind = type(value)
    if value is None or kind in (bool, str):
        return value
    if kind is int:
        return value if abs(value) < 2**63 else {"int": str(value)}
    if kind is float:
        return {"float": _number(value)}
    if value is pd.NA or value is pd.NaT:
        return {"missing": repr(value)}
    if isinstance(value, np.generic):
        return {value.dtype.name: _scalar(value)}
    for check, render in _CONTAINERS:
        if isinstance(value, check):
            return render(value)
    if isinstance(value, (np.dtype, pd.api.extensions.ExtensionDtype)):
        # An object is a pointer, which is as wide as an address.
        size = None if getattr(value, "kind", "O") == "O" else value.itemsize
        return {"dtype": str(value), "bytes": size}
    if isinstance(value, type):
        return {"type": f"{value.__module__}.{value.__qualname__}"}
    if hasattr(value, "toarray"):
        return {"sparse": value.format, "of": _plain(value.toarray())}
    return {kind.__name__: _text(value)}


def _text(value):
    """Values whose text is all of them; others have to be taken apart by the case."""
    if isinstance(value, pd.Timestamp):
        return f"{value.isoformat()} {value.unit} {value.tz}"
    if isinstance(value, pd.Timedelta):
        return f"{value.isoformat()} {value.unit}"
    if isinstance(value, (_datetime.date, _datetime.time)):
        return value.isoformat()
    plain = (_datetime.timedelta, _decimal.Decimal, complex, bytes, range, slice, pd.Period, pd.Interval)
    plain += (pd.offsets.BaseOffset, _datetime.tzinfo, np.random.SeedSequence)
    if isinstance(value, plain):
        return repr(value)
    if hasattr(value, "numerator") and hasattr(value, "denominator"):
        return str(value)
    raise TypeError(f"show() has no form for a {type(value).__name__}: take it apart")


def _number(value):
    return value if value == value and abs(value) != float("inf") else repr(value)


def _scalar(value):
    if value.dtype.kind in "mM":
        return str(value)
    plain = value.item()
    if isinstance(plain, float):
        return _number(plain)
    if isinstance(plain, complex):
        return [_number(plain.real), _number(plain.imag)]
    if isinstance(plain, np.generic):
        return repr(float(plain))
    return plain if isinstance(plain, (bool, int, str)) else repr(plain)


def _array(value):
    out = {"array": value.dtype.name if value.dtype.names is None else str(value.dtype)}
    if value.ndim != 1:
        out["shape"] = list(value.shape)
    flat = value.ravel()
    if value.dtype.kind == "O":
        out["values"] = [_plain(item) for item in flat.tolist()]
    elif value.dtype.kind == "f":
        out["values"] = [_number(float(item)) for item in flat]
    elif value.dtype.kind in "biuU":
        out["values"] = flat.tolist()
    else:
        out["values"] = [_scalar(item) for item in flat]
    if isinstance(value, np.ma.MaskedArray):
        out["mask"] = np.ma.getmaskarray(value).ravel().tolist()
    return out


def _extension(value):
    if isinstance(value, pd.Categorical):
        return {
            "category": value.codes.tolist(),
            "codes": value.codes.dtype.name,
            "of": _plain(value.categories),
            "ordered": bool(value.ordered),
        }
    if type(value) is pd.arrays.NumpyExtensionArray:
        return _array(value.to_numpy())
    if isinstance(value.dtype, np.dtype) and value.dtype.kind in "mM":
        return _array(value.to_numpy())
    return {str(value.dtype): [_bare(item) for item in value.tolist()]}


def _bare(item):
    """A value in an array that has told its type already."""
    if isinstance(item, float):
        # Not as text: a text may be "nan", too.
        number = _number(item)
        return number if number is item else {"float": number}
    if item is pd.NaT or item is pd.NA:
        return None
    if isinstance(item, pd.Timestamp):
        return item.isoformat()
    return item if item is None or isinstance(item, (str, bool, int)) else str(item)


def _index(value):
    name = {} if value.names == [None] * value.nlevels else {"names": _plain(list(value.names))}
    if isinstance(value, pd.RangeIndex):
        return {"range": [value.start, value.stop, value.step], **name}
    if isinstance(value, pd.MultiIndex):
        levels = [_extension_or_array(value.get_level_values(n)) for n in range(value.nlevels)]
        return {"levels": levels, **name}
    freq = getattr(value, "freqstr", None)
    return {
        "index": type(value).__name__,
        "of": _extension_or_array(value),
        **({"freq": freq} if freq else {}),
        **name,
    }


def _extension_or_array(value):
    held = value.array
    return _extension(held) if not isinstance(held, np.ndarray) else _array(held)


def _series(value):
    return {"series": _extension_or_array(value), "name": _plain(value.name), "index": _index(value.index)}


def _frame(value):
    return {
        "frame": list(value.shape),
        "columns": _index(value.columns),
        "index": _index(value.index),
        "data": [_extension_or_array(value.iloc[:, at]) for at in range(value.shape[1])],
    }


def _listed(value):
    """Sequences; the named tuples of scipy and numpy by their names."""
    name = type(value).__name__
    if name not in ("list", "tuple"):
        fields = getattr(value, "_fields", None)
        if fields:
            return {name: {field: _plain(getattr(value, field)) for field in fields}}
    return {name: [_plain(item) for item in value]} if name != "list" else [_plain(item) for item in value]


_CONTAINERS = (
    (np.ndarray, _array),
    (pd.DataFrame, _frame),
    (pd.Series, _series),
    (pd.Index, _index),
    (pd.api.extensions.ExtensionArray, _extension),
    (dict, lambda value: {"dict": [[_plain(key), _plain(item)] for key, item in value.items()]}),
    ((set, frozenset), lambda value: {"set": sorted((_plain(item) for item in value), key=repr)}),
    ((list, tuple), _listed),
)
