"""`result` as JSON.

| Python | JSON |
|---|---|
| None, NaT, NA | null |
| NaN, infinities | "NaN", "Infinity", "-Infinity" |
| numpy scalars | the number, boolean or text that they are |
| integers beyond ±2**53 | text: most readers of JSON would change their last digits |
| Decimal, complex | text |
| datetimes, dates, times | ISO 8601 text; durations as `str` has them |
| tuples, sets, arrays | lists (sets sorted where they can be) |
| small Series | an object of its labels and values |
| dict keys | text |

Anything else is an error that says what to do instead.
"""

import datetime
import decimal
import math
from json import JSONEncoder

import numpy as np
import pandas as pd

_DEEPEST = 32
_MOST = 100_000
_EXACT = 2**53
_ENCODER = JSONEncoder(ensure_ascii=False, allow_nan=False)


class Unserialisable(TypeError):
    """A `result` that is not small plain data."""


def to_json(value):
    """The JSON text of a script's `result`."""
    return _ENCODER.encode(_Plain().value(value, 0))


class _Plain:
    def __init__(self):
        self.count = 0

    def value(self, value, depth):
        self.count += 1
        if self.count > _MOST:
            raise Unserialisable(
                f"`result` has more than {_MOST} values: put a table into outputs['name'] instead"
            )
        if depth > _DEEPEST:
            raise Unserialisable(f"`result` is nested more than {_DEEPEST} deep, or holds itself")
        if value is None or value is pd.NA or value is pd.NaT:
            return None
        if isinstance(value, (bool, np.bool_)):
            return bool(value)
        if isinstance(value, (int, np.integer)):
            value = int(value)
            return value if -_EXACT <= value <= _EXACT else self.digits(value)
        if isinstance(value, (float, np.floating)):
            return self.number(float(value))
        if isinstance(value, str):
            return str(value).encode("utf-8", "replace").decode()
        return self.other(value, depth)

    @staticmethod
    def digits(value):
        try:
            return str(value)
        except ValueError:
            raise Unserialisable("`result` holds an integer of thousands of digits") from None

    @staticmethod
    def number(value):
        if math.isfinite(value):
            return value
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"

    def other(self, value, depth):
        if isinstance(value, (np.datetime64, np.timedelta64)):
            value = pd.Timestamp(value) if isinstance(value, np.datetime64) else pd.Timedelta(value)
            return self.value(value, depth)
        if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
            return value.isoformat()
        if isinstance(value, (datetime.timedelta, decimal.Decimal, complex, np.complexfloating)):
            return str(value)
        if isinstance(value, (pd.Period, pd.Interval)):
            return str(value)
        if isinstance(value, pd.DataFrame):
            rows, columns = value.shape
            raise Unserialisable(
                f"`result` is a DataFrame of {rows} rows and {columns} columns: put it into "
                "outputs['name'], or make it small plain data, for instance with "
                ".head(5).to_dict('records')"
            )
        if isinstance(value, dict):
            return {self.key(k): self.value(v, depth + 1) for k, v in value.items()}
        if isinstance(value, pd.Series):
            if not value.index.is_unique:
                return self.sequence(value.tolist(), depth)
            return {self.key(k): self.value(v, depth + 1) for k, v in value.items()}
        if isinstance(value, np.ndarray):
            return self.value(value.item(), depth) if value.ndim == 0 else self.sequence(value, depth)
        if isinstance(value, (list, tuple, pd.Index, pd.api.extensions.ExtensionArray)):
            return self.sequence(value, depth)
        if isinstance(value, (set, frozenset)):
            try:
                value = sorted(value)
            except TypeError:
                value = list(value)
            return self.sequence(value, depth)
        raise Unserialisable(
            f"`result` holds a {type(value).__name__}, which is no plain data: use numbers, text, "
            "lists and dicts, or put a table into outputs['name']"
        )

    def key(self, key):
        if isinstance(key, str):
            return self.value(key, 0)
        if isinstance(key, tuple):
            return ", ".join(str(self.key(part)) for part in key)
        if isinstance(key, (datetime.datetime, datetime.date)) and key is not pd.NaT:
            return key.isoformat()
        if isinstance(key, (np.generic,)):
            return self.key(key.item())
        return str(key)

    def sequence(self, values, depth):
        return [self.value(value, depth + 1) for value in values]
