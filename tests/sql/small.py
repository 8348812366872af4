"""Small tables with what queries stumble over: nulls, ties, signs, accents, zones."""

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

WORDS = ["apple", "Äpfel", "banana", "cherry", "date", "elder berry", "fig", "Grape", "pear", "zucchini"]


def tables() -> dict[str, pa.Table]:
    ids = range(1, 201)
    day, moment = date(2024, 1, 1), datetime(2024, 1, 1, 6)
    t = pa.table({
        "id": pa.array(ids, pa.int64()),
        "grp": pa.array([None if i % 11 == 0 else "abcde"[i * 7 % 5] for i in ids]),
        "k": pa.array([(i * 37) % 21 - 10 for i in ids], pa.int32()),
        "big": pa.array([9_007_199_254_740_990 + i for i in ids], pa.int64()),
        "x": pa.array([None if i % 9 == 0 else ((i * 53) % 97 - 48) / 4 for i in ids], pa.float64()),
        "d": pa.array([Decimal((i * 619) % 5000 + 25).scaleb(-2) for i in ids], pa.decimal128(12, 2)),
        "s": pa.array([WORDS[i * 3 % 10] for i in ids]),
        "day": pa.array([day + timedelta(days=i * 3 % 366) for i in ids], pa.date32()),
        "ts": pa.array([moment + timedelta(hours=i * 31, minutes=i * 7) for i in ids], pa.timestamp("us")),
        "tz": pa.array(
            [(moment + timedelta(hours=i * 29)).replace(tzinfo=timezone.utc) for i in ids],
            pa.timestamp("us", "UTC"),
        ),
        "b": pa.array([None if i % 13 == 0 else i % 3 == 0 for i in ids], pa.bool_()),
    })  # fmt: skip
    u = pa.table({
        "t_id": pa.array([None if i % 17 == 0 else (i * 5) % 120 for i in range(1, 101)], pa.int64()),
        "v": pa.array([i * 13 % 23 - 3 for i in range(1, 101)], pa.int32()),
    })  # fmt: skip
    g = pa.table({"grp": ["a", "b", "c", None, "z"], "name": ["Ada", "Ben", "Cy", "None", "Zoe"]})
    n = pa.table({
        "id": pa.array([1, 2, 3, 4], pa.int64()),
        "arr": pa.array([[1, 2], [3], [], [4, None, 6]], pa.list_(pa.int64())),
    })  # fmt: skip
    # What stays behind where a sum adds and takes away: each is followed by small numbers.
    wild = [1e20, float("nan"), float("inf"), -1e300, None, float("-inf"), 5e-324, 1e16, -0.0]
    m = pa.table({
        "id": pa.array(range(1, 91), pa.int64()),
        "x": pa.array(
            [wild[i // 10] if i % 10 == 4 else (i * 7 % 13) / 8 - 0.5 for i in range(90)], pa.float64()
        ),
        "y": pa.array([(i * 11 % 17) / 10 for i in range(90)], pa.float64()),
    })  # fmt: skip
    return {"t": t, "u": u, "g": g, "n": n, "m": m}


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables().items():
        pq.write_table(table, folder / f"{name}.parquet")
