"""The Parquet files that cases have as inputs, written by pyarrow from fixed seeds."""

import datetime as dt
import random
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def write(folder: Path):
    """Each table of this module, as `NAME.parquet`."""
    for make in (sales, typed, wide_integers, prices, people, rates):
        pq.write_table(make(), folder / f"{make.__name__}.parquet")


def sales() -> pa.Table:
    """Orders: ties, nulls, repeated keys, a month of days."""
    draw = random.Random(1)
    n = 200
    regions = ["north", "south", "east", "west", None]
    day = dt.datetime(2024, 2, 20)
    return pa.table(
        {
            "order": pa.array(range(1000, 1000 + n), pa.int64()),
            "region": [draw.choice(regions) for _ in range(n)],
            "product": [draw.choice("ABCDEFG") for _ in range(n)],
            "units": pa.array([draw.randrange(1, 12) for _ in range(n)], pa.int64()),
            "amount": [None if draw.random() < 0.05 else round(draw.uniform(-50, 900), 2) for _ in range(n)],
            "when": pa.array(
                [day + dt.timedelta(minutes=draw.randrange(40 * 24 * 60)) for _ in range(n)],
                pa.timestamp("us"),
            ),
            "paid": [draw.choice([True, False]) for _ in range(n)],
        }
    )


def typed() -> pa.Table:
    """One column a type, with a null in each that may have one."""
    n = 6
    moments = [dt.datetime(2024, 3, 31, 1, 30) + dt.timedelta(hours=k, microseconds=k) for k in range(n)]
    columns = {
        f"{sign}int{bits}": pa.array(
            [0, 1, 2, 3, *([2 ** (bits - 1) - 1, -(2 ** (bits - 1))] if not sign else [2**bits - 1, 7])],
            getattr(pa, f"{sign}int{bits}")(),
        )
        for bits in (8, 16, 32, 64)
        for sign in ("", "u")
    }
    columns |= {
        "integers_with_null": pa.array([1, None, 3, 4, 5, 6], pa.int64()),
        "flag": pa.array([True, False, None, True, False, True]),
        "single": pa.array([0.1, -0.0, None, float("inf"), 1e-45, 3.4e38], pa.float32()),
        "double": pa.array([0.1, -0.0, None, float("-inf"), 5e-324, 1.7e308]),
        "text": ["", "Straße", None, "ёлка", "👩‍👩‍👧", "a b"],
        "naive": pa.array([*moments[:5], None], pa.timestamp("ns")),
        "zoned": pa.array([*moments[:5], None], pa.timestamp("us", "Europe/Berlin")),
        "day": pa.array([dt.date(1969, 12, 31), None, *[dt.date(2024, 2, 26 + k) for k in range(4)]]),
        "money": pa.array([Decimal("1.10"), None, *[Decimal(f"{k}.05") for k in range(4)]], pa.decimal128(12, 2)),
        "kind": pa.array(["b", "a", None, "b", "c", "a"]).dictionary_encode(),
        "span": pa.array([dt.timedelta(hours=k, microseconds=-k) for k in range(5)] + [None], pa.duration("us")),
    }
    return pa.table(columns)


def wide_integers() -> pa.Table:
    """Numbers that do not fit into 32 bits, or only just; and small ones whose sums do not."""
    draw = random.Random(2)
    n = 300
    edges = [2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**32 - 1, 2**32, 2**53, 2**53 + 1, 2**62, -(2**62)]
    return pa.table(
        {
            "key": pa.array([draw.randrange(50_000, 90_000) for _ in range(n)], pa.int64()),
            "big": pa.array([draw.choice(edges) + draw.randrange(-3, 4) for _ in range(n)], pa.int64()),
            "small": pa.array([draw.randrange(1_500_000_000, 2_100_000_000) for _ in range(n)], pa.int32()),
            "tiny": pa.array([draw.randrange(-128, 128) for _ in range(n)], pa.int8()),
            "group": pa.array([draw.choice("xyz") for _ in range(n)]),
        }
    )


def prices() -> pa.Table:
    """A daily series with a trend, a week's season, noise and two gaps."""
    draw = random.Random(3)
    days = [dt.datetime(2023, 1, 1) + dt.timedelta(days=k) for k in range(180)]
    value = [
        round(100 + 0.3 * k + 5 * ((k % 7) in (5, 6)) + draw.gauss(0, 2), 4) for k in range(len(days))
    ]
    return pa.table(
        {
            "day": pa.array(days, pa.timestamp("ms")),
            "price": [None if k in (40, 41, 99) else v for k, v in enumerate(value)],
            "volume": pa.array([draw.randrange(10**8, 10**10) for _ in days], pa.int64()),
        }
    )


def people() -> pa.Table:
    """Names in several scripts, with repeats and blanks."""
    names = ["Ann", "Zoë", "Борис", "李雷", "ann ", " Ann", None, "O'Neil", "Ĳsbrand", "😀 Joy", "İpek", "straße"]
    draw = random.Random(4)
    return pa.table(
        {
            "id": pa.array([draw.randrange(20) for _ in range(40)], pa.int32()),
            "name": [draw.choice(names) for _ in range(40)],
            "mail": [f"user{draw.randrange(9)}@example.{draw.choice(['com', 'org', 'рф'])}" for _ in range(40)],
            "joined": [f"{draw.randrange(1, 29):02}.{draw.randrange(1, 13):02}.20{draw.randrange(10, 25)}" for _ in range(40)],
            "score": pa.array([draw.randrange(0, 5) for _ in range(40)], pa.int64()),
        }
    )


def rates() -> pa.Table:
    """Measurements with two classes, to be modelled."""
    draw = random.Random(5)
    n = 150
    x1 = [round(draw.gauss(0, 1), 6) for _ in range(n)]
    x2 = [round(draw.gauss(2, 3), 6) for _ in range(n)]
    y = [round(1.5 + 2 * a - 0.5 * b + draw.gauss(0, 0.7), 6) for a, b in zip(x1, x2, strict=True)]
    return pa.table(
        {
            "x1": x1,
            "x2": x2,
            "y": y,
            "hit": pa.array([int(v + draw.gauss(0, 1) > 0.5) for v in y], pa.int64()),
            "count": pa.array([max(0, round(draw.expovariate(1 / (2 + abs(a))))) for a in x1], pa.int64()),
            "site": [draw.choice(["p", "q", "r"]) for _ in range(n)],
        }
    )
