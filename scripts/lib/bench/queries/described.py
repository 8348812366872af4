"""`describe_data` of a large table: the first time, and again."""

import time
from pathlib import Path

import duckdb
from figures import Report, Wrong, median, ms, say

from . import sides
from .sides import Room

ROWS = 10_000_000
COLD, CACHED = 5.0, 0.010
AGAIN = 20


def drawn(number: int, below: int) -> str:
    return sides.drawn(f"i * 31 + {number}", below)


def column(number: int) -> str:
    """Twenty columns of five kinds, from two distinct values to all distinct."""
    kinds = (
        f"{drawn(number, 10 ** (1 + number // 3))}",
        f"{drawn(number, 1_000_000_007)} / 997.0",
        f"'label-' || CAST({drawn(number, 40 * (number + 1))} AS VARCHAR)",
        f"TIMESTAMP '2020-01-01' + to_seconds({drawn(number, 100_000_000)})",
        f"CASE WHEN {drawn(number, 10)} = 0 THEN NULL ELSE CAST({drawn(number, 100_000)} / 100.0 AS DECIMAL(12, 2)) END",
    )
    return f"{kinds[number % 5]} AS c{number:02}"


COLUMNS = ", ".join(["i AS id", *(column(number) for number in range(1, 20))])


def table(data: Path) -> Path:
    """The folder of the table, made once."""
    folder = data / f"described-{ROWS}-{len(COLUMNS)}"
    make = sides.copied(COLUMNS, ROWS, "wide.parquet")
    return sides.made_once(folder, "a table of 10 M rows and 20 columns", make)


def measure(report: Report, binary: Path, folder: Path, data: Path):
    found = table(data)
    say("describe_data of 10 M rows and 20 columns")
    with Room(binary, folder / "described-home", found) as room:

        def described() -> tuple[dict, float]:
            began = time.perf_counter()
            reply = room.server.call("describe_data", {"data": "wide"})
            taken = time.perf_counter() - began
            if reply.get("isError"):
                raise Wrong(f"describe_data: {reply['content']}")
            return reply["structuredContent"], taken

        first, cold = described()
        again = [described() for _ in range(AGAIN)]
    check(first, found)
    if any(reply["columns"] != first["columns"] for reply, _ in again):
        raise Wrong("describe_data: another answer the second time")
    cached = median([taken for _, taken in again])
    report.numbers["described"] = {"cold": cold, "cached": [taken for _, taken in again]}
    report.add("`describe_data` of 10 M rows x 20 columns, the first time", "5 s", f"{cold:.2f} s", cold <= COLD)
    report.add(f"the same again, median of {AGAIN}", "10 ms", ms(cached), cached <= CACHED)


def check(reply: dict, found: Path):
    """A few of its figures, by DuckDB."""
    with duckdb.connect() as connection:
        low, high, labels, last = connection.execute(
            f"SELECT min(c01), max(c01), count(DISTINCT c07), max(c13) FROM '{found / 'wide.parquet'}'"
        ).fetchone()
    columns = {line.split()[0]: line for line in reply["columns"]}
    expected = {"c01": f", {low} to {high},", "c07": f" {labels} distinct", "c13": f" to {last.isoformat()},"}
    for name, part in expected.items():
        if part not in columns[name]:
            raise Wrong(f"describe_data: expected {part!r} in {columns[name]!r}")
