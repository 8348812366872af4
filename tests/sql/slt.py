"""Queries as data, and what two engines answer to one.

A file holds blocks; `#` begins a comment between them:

    query [name] [ordered]
    SELECT …
    duckdb
    SELECT …              what to ask DuckDB instead
    because …             and why it is not the same text
    ----

Nothing in the files is an expected value: DuckDB is asked when the test runs. Rows are
compared in order where the query says `ordered`, else as a bag.
"""

import math
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path


@dataclass
class Case:
    file: str
    name: str
    sql: str
    duckdb: str
    ordered: bool
    because: str

    @property
    def id(self) -> str:
        return f"{self.file}:{self.name}"


def read(path: Path) -> list[Case]:
    cases, block = [], None
    for line in path.read_text().splitlines():
        if block is None:
            if line.startswith("query"):
                block = [line]
        elif line == "----":
            cases.append(case(path.stem, len(cases) + 1, block))
            block = None
        else:
            block.append(line)
    assert block is None, f"{path} ends within a block"
    return cases


def case(file: str, number: int, block: list[str]) -> Case:
    words, lines = block[0].split()[1:], block[1:]
    ordered = "ordered" in words
    names = [word for word in words if word != "ordered"]
    because = ""
    if lines[-1].startswith("because "):
        because = lines.pop().removeprefix("because ")
    at = lines.index("duckdb") if "duckdb" in lines else None
    assert (at is None) == (because == ""), f"{file} {number}: another text needs its reason"
    sql = "\n".join(lines[:at])
    duckdb = sql if at is None else "\n".join(lines[at + 1 :])
    return Case(file, names[0] if names else str(number), sql, duckdb, ordered, because)


def plain(value):
    """A cell as something that can be compared."""
    if isinstance(value, Decimal):
        return float(value) if abs(value) < 10**15 and -value.as_tuple().exponent > 9 else value.normalize() + 0
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return Decimal(value).normalize() + 0
    if isinstance(value, float):
        return value if not value.is_integer() or abs(value) > 2**53 else Decimal(int(value)).normalize() + 0
    if isinstance(value, datetime):
        naive = value.replace(tzinfo=None) if value.tzinfo is None else (value - value.utcoffset()).replace(tzinfo=None)
        return naive.isoformat()
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day).isoformat()
    if isinstance(value, timedelta):
        return Decimal(value.days) if not value.seconds else value.total_seconds()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def same(one, other) -> bool:
    rounded = isinstance(one, float) or isinstance(other, float)
    one, other = plain(one), plain(other)
    numbers = (float, Decimal)
    if isinstance(one, numbers) and isinstance(other, numbers):
        if isinstance(one, Decimal) and isinstance(other, Decimal) and not rounded:
            return one == other
        one, other = float(one), float(other)
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


def key(row):
    """Rows sorted by it stand alike in both answers, rounding aside."""

    def part(value):
        value = plain(value)
        if value is None:
            return (0, "")
        if isinstance(value, (float, Decimal)):
            if math.isnan(value):
                return (3, "")
            # Floats that differ in their last digits stand at one place.
            exact = value if isinstance(value, Decimal) else 0
            return (2, Decimal(f"{value:.10g}"), exact)
        return (4, str(value))

    return [part(value) for value in row]


def difference(ours: list, theirs: list, ordered: bool) -> str | None:
    """How two answers differ, in words; None if they do not."""
    if len(ours) != len(theirs):
        return f"{len(ours)} rows, and DuckDB has {len(theirs)}"
    if not ordered:
        ours, theirs = sorted(ours, key=key), sorted(theirs, key=key)
    for number, (one, other) in enumerate(zip(ours, theirs), 1):
        if len(one) != len(other):
            return f"{len(one)} columns, and DuckDB has {len(other)}"
        if not all(map(same, one, other)):
            return f"row {number} is {one}, and DuckDB has {other}"
    return None
