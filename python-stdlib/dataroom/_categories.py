"""Categories that are neither text nor bytes.

Parquet has dictionaries of text; other categories are stored as the plain values that
they stand for, which is what pyarrow gives back of its own files, too. In the footer
the room leaves word of all categories, used or not, and of their order; with that a
column becomes a categorical again when the room reads it.
"""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd

_MOST = 100_000


def are_text(categories):
    """Whether Parquet has a dictionary for these categories."""
    if len(categories) == 0:
        return isinstance(categories.dtype, pd.StringDtype) or categories.dtype.kind == "O"
    return categories.inferred_type in ("string", "bytes")


def values(array):
    """The plain values of a categorical, and a mask where numpy has no null."""
    categories, codes = array.categories.array, array.codes
    if categories.dtype.kind in "iub" and isinstance(categories.dtype, np.dtype):
        plain = np.append(np.asarray(categories), np.zeros(1, dtype=categories.dtype))
        return plain.take(codes), codes < 0
    return categories.take(codes, allow_fill=True), None


def note(array):
    """What the footer says of a categorical; None if it would be too long."""
    categories = array.categories
    if len(categories) > _MOST:
        return None
    described = {"ordered": bool(array.ordered), "type": str(categories.dtype)}
    if categories.dtype.kind in "mM":
        return {**described, "values": categories.asi8.tolist()}
    texts = [_text(value) for value in categories]
    return None if None in texts else {**described, "values": texts}


def _text(value):
    if isinstance(value, (bool, np.bool_)):
        return ["bool", bool(value)]
    if isinstance(value, (int, np.integer)):
        return ["int", int(value)]
    if isinstance(value, (float, np.floating)):
        return ["float", repr(float(value))]
    if isinstance(value, Decimal):
        return ["decimal", str(value)]
    if isinstance(value, datetime.datetime):
        return None
    if isinstance(value, datetime.date):
        return ["date", value.isoformat()]
    if isinstance(value, datetime.time):
        return ["time", value.isoformat()]
    return None


_FROM_TEXT = {
    "bool": bool,
    "int": int,
    "float": float,
    "decimal": Decimal,
    "date": datetime.date.fromisoformat,
    "time": datetime.time.fromisoformat,
}


def restored(array, said):
    """`array` as the categorical that the footer speaks of; as it is, if it is not."""
    try:
        dtype = pd.api.types.pandas_dtype(said["type"])
        if dtype.kind in "mM":
            # Counts of a zoned type are of UTC.
            counts = np.array(said["values"], dtype=np.int64)
            unit = getattr(dtype, "unit", None) or np.datetime_data(dtype)[0]
            categories = pd.Index(counts.view(f"{dtype.kind}8[{unit}]"))
            if isinstance(dtype, pd.DatetimeTZDtype):
                categories = categories.tz_localize("UTC").tz_convert(dtype.tz)
        else:
            plain = [_FROM_TEXT[kind](value) for kind, value in said["values"]]
            categories = pd.Index(plain, dtype=dtype)
        given = pd.Index(array)
        codes = categories.get_indexer(given)
        if (codes[~given.isna()] < 0).any():
            return array
        dtype = pd.CategoricalDtype(categories, ordered=bool(said["ordered"]))
    except (KeyError, TypeError, ValueError, ArithmeticError):
        # Another program has changed the file, or its footer.
        return array
    return pd.Categorical.from_codes(codes, dtype=dtype, validate=False)
