"""Every type of a column that the room promises to keep, with its edge values.

A case is an Arrow array. pandas has no type for some of them, or Parquet has not: these
come back as what native pandas makes of them.
"""

import datetime as dt
from decimal import Decimal

import pyarrow as pa

UNITS = ("s", "ms", "us", "ns")
SUMMER, WINTER = dt.datetime(2024, 7, 1, 12), dt.datetime(2024, 2, 29, 23, 59, 59)
FIRST, LAST = dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59)
# The ends of what 64 bits of nanoseconds can say, without the one that stands for null.
NS_ENDS = [-(2**63) + 1, 2**63 - 1]


def coded(values, codes=(1, None, 0), ordered=False, key=None):
    keys = pa.array(codes, key or pa.int8())
    return pa.DictionaryArray.from_arrays(keys, values, ordered=ordered)


def _integers():
    for sign in ("int", "uint"):
        for bits in (8, 16, 32, 64):
            kind = getattr(pa, f"{sign}{bits}")()
            low = -(2 ** (bits - 1)) if sign == "int" else 0
            high = 2 ** (bits - 1) - 1 if sign == "int" else 2**bits - 1
            yield f"{sign}{bits}", pa.array([low, 0, 1, high], kind)
            yield f"{sign}{bits} with nulls", pa.array([1, None, 2**7 - 1], kind)


def _floats():
    nan, inf = float("nan"), float("inf")
    yield "float16", pa.array([0.5, -0.0, nan, inf, -inf, 65504.0, 6e-8, 1.5], pa.float16())
    yield "float32", pa.array([0.1, -0.0, nan, inf, -inf, 3.4028235e38, 1e-45], pa.float32())
    yield "float64", pa.array([0.1, -0.0, nan, inf, -inf, 1.7976931348623157e308, 5e-324])
    for bits in (16, 32, 64):
        yield f"float{bits} with nulls", pa.array([1.5, None, -2.0], getattr(pa, f"float{bits}")())


def _decimals():
    for name, kind, values in (
        ("128", pa.decimal128(10, 2), ["1.10", None, "-99999999.99"]),
        ("128 of 38 digits", pa.decimal128(38, 0), ["1" * 38, "-" + "9" * 38, "0"]),
        ("128 all fraction", pa.decimal128(38, 38), ["0." + "1" * 38, None]),
        ("256 of 76 digits", pa.decimal256(76, 0), ["1" * 76, "-" + "9" * 76]),
        ("256 all fraction", pa.decimal256(76, 76), ["0." + "1" * 76, None]),
        ("32", pa.decimal32(9, 2), ["1234567.89", None]),
        ("64", pa.decimal64(18, 4), ["12345678901234.5678", None]),
        ("of more digits than needed", pa.decimal128(38, 10), ["1.5000000000", None]),
    ):
        yield f"decimal {name}", pa.array([value and Decimal(value) for value in values], kind)


TEXTS = ["", "a", None, "ёлка", "日本語", "👩‍👩‍👧", "a\0b", "line\nline", "x" * 10_000]


def _texts():
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        yield str(kind), pa.array(TEXTS, kind)
    yield "string that repeats", pa.array(["same", "other"] * 5_000)
    yield "string that does not repeat", pa.array([f"text {n}" for n in range(20_000)])
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view()):
        yield str(kind), pa.array([b"", b"\0\xff", None, b"a" * 1000], kind)
    yield "fixed binary", pa.array([b"\0\xff", None, b"ab"], pa.binary(2))


def _categories():
    yield "category", coded(["a", "b"])
    yield "category, ordered and unused", coded(["low", "mid", "high", "none"], (2, None, 0), True)
    yield "category, in reverse", coded(["z", "y", "x"], (2, 1, 0))
    yield "category, all null", coded(["a"], (None, None))
    yield "category, empty", coded(pa.array([], pa.string()), ())
    yield "category of large strings", coded(pa.array(["a", "b"], pa.large_string()))
    yield "category with wide keys", coded(["a", "b"], key=pa.int32())
    yield "category of bytes", coded([b"\0", b"\xff"])
    yield "category of integers", coded([30, 20])
    yield "category of floats", coded([1.5, -0.5])
    yield "category of booleans", coded([True, False])
    yield "category of dates", coded([dt.date(2024, 1, 1), dt.date(1, 1, 1)])
    yield "category of moments", coded(pa.array([WINTER, SUMMER], pa.timestamp("us")))
    yield "category of zoned moments", coded(pa.array([WINTER, SUMMER], pa.timestamp("us", "UTC")))
    yield "category of decimals", coded(pa.array([Decimal("1.5"), Decimal("2.5")]))


def _times():
    days = [dt.date(1, 1, 1), dt.date(1969, 12, 31), None, dt.date(9999, 12, 31)]
    yield "date32", pa.array(days, pa.date32())
    yield "date64", pa.array(days, pa.date64())
    yield "time32[s]", pa.array([dt.time(0), None, dt.time(23, 59, 59)], pa.time32("s"))
    yield "time32[ms]", pa.array([dt.time(0), None, dt.time(23, 59, 59, 999_000)], pa.time32("ms"))
    yield "time64[us]", pa.array([dt.time(0), None, dt.time(23, 59, 59, 999_999)], pa.time64("us"))
    yield "time64[ns]", pa.array([0, None, 86_399_999_999_000], pa.time64("ns"))
    for unit in UNITS:
        yield f"timestamp[{unit}]", pa.array([WINTER, None, dt.datetime(1677, 9, 22)], pa.timestamp(unit))
        if unit != "ns":
            yield f"timestamp[{unit}] far away", pa.array([FIRST, None, LAST], pa.timestamp(unit))
        for zone in ("UTC", "Europe/Berlin", "+05:30", "-00:30", "America/New_York"):
            moments = pa.array([WINTER, None, SUMMER], pa.timestamp(unit, zone))
            yield f"timestamp[{unit}, {zone}]", moments
        spans = [dt.timedelta(days=-1), None, dt.timedelta(days=40_000)]
        yield f"duration[{unit}]", pa.array(spans, pa.duration(unit))
    yield "timestamp[ns] at its ends", pa.array([*NS_ENDS, None], pa.timestamp("ns"))
    yield "duration[ns] at its ends", pa.array([*NS_ENDS, None], pa.duration("ns"))
    yield "timestamp[us] without nulls", pa.array([WINTER, SUMMER], pa.timestamp("us"))


def _nested():
    whole, some = [[1, 2], [], None, [3]], [[1, 2], [], None, [3, None]]
    for kind in (pa.list_, pa.large_list):
        yield f"{kind.__name__} of integers", pa.array(whole, kind(pa.int64()))
        yield f"{kind.__name__} of strings", pa.array([["a", None, ""], []], kind(pa.string()))
    yield "list with nulls inside", pa.array(some, pa.list_(pa.int64()))
    yield "list of small integers", pa.array([[-128], [127]], pa.list_(pa.int8()))
    yield "fixed size list", pa.array([[1, 2], [3, 4]], pa.list_(pa.int64(), 2))
    yield "fixed size list with nulls", pa.array([[1.5, 2.5], None], pa.list_(pa.float64(), 2))
    for name, kind, items in (
        ("booleans", pa.bool_(), [True, None]),
        ("floats", pa.float32(), [1.5, float("inf")]),
        ("moments", pa.timestamp("us"), [WINTER, None]),
        ("moments in ns", pa.timestamp("ns"), [WINTER, None]),
        ("zoned moments", pa.timestamp("us", "Europe/Berlin"), [WINTER, None]),
        ("spans", pa.duration("us"), [dt.timedelta(1, 1), None]),
        ("dates", pa.date32(), [dt.date(2024, 2, 29), None]),
        ("times", pa.time64("us"), [dt.time(1, 2, 3, 4), None]),
        ("decimals", pa.decimal128(3, 2), [Decimal("1.50"), None]),
        ("bytes", pa.binary(), [b"\0\xff", None]),
        ("categories", pa.dictionary(pa.int8(), pa.string()), ["b", "a", None]),
        ("nulls", pa.null(), [None]),
        ("lists", pa.list_(pa.int64()), [[1], [2, 3], None, []]),
        ("lists of lists", pa.list_(pa.list_(pa.string())), [[["a"], None], [], None]),
        ("structs", pa.struct({"a": pa.string()}), [{"a": "x"}, None, {"a": None}]),
        ("maps", pa.map_(pa.string(), pa.int64()), [[("a", 1)], [], None]),
    ):
        yield f"list of {name}", pa.array([items, [], None], pa.list_(kind))
        fields = pa.struct({"f": kind, "ключ": pa.int64()})
        yield f"struct of {name}", pa.array([{"f": items[0], "ключ": 1}, {"f": None, "ключ": 2}], fields)
    yield "struct that is null", pa.array([{"a": "x", "b": 1.5}, None], pa.struct({"a": pa.string(), "b": pa.float64()}))
    yield "map", pa.array([[("a", 1), ("b", 2)], [], None], pa.map_(pa.string(), pa.int64()))
    yield "map with null values", pa.array([[("a", "x"), ("b", None)]], pa.map_(pa.string(), pa.string()))
    yield "map of integers", pa.array([[(1, "x")], None], pa.map_(pa.int64(), pa.string()))
    deep = pa.struct({"l": pa.list_(pa.struct({"m": pa.map_(pa.string(), pa.list_(pa.int64()))}))})
    yield "nested of nested", pa.array([{"l": [{"m": [("k", [1, 2])]}, None]}, None, {"l": []}], deep)


def _nothing():
    yield "null", pa.nulls(3)
    for kind in (pa.int64(), pa.string(), pa.float64(), pa.bool_(), pa.timestamp("us"), pa.date32(),
                 pa.decimal128(5, 2), pa.binary(), pa.list_(pa.int64()), pa.struct({"a": pa.int64()})):
        yield f"{kind}, all null", pa.nulls(3, kind)
        yield f"{kind}, empty", pa.array([], kind)
    yield "bool", pa.array([True, False])
    yield "bool with nulls", pa.array([True, None, False])
    # Beyond what a float keeps: must not pass through one on the way.
    yield "int64 with nulls beyond 2**53", pa.array([2**53 + 1, None, -(2**63)], pa.int64())
    yield "list with nulls beyond 2**53", pa.array([[2**53 + 1, None], [1]], pa.list_(pa.int64()))
    yield "uint64 with nulls beyond 2**63", pa.array([2**64 - 1, None, 0], pa.uint64())


CASES = {
    name: array
    for part in (_integers, _floats, _decimals, _texts, _categories, _times, _nested, _nothing)
    for name, array in part()
}
