"""The first query of a CSV of 1 GB: what it takes from a file that was never seen.

The room reads every cell before it says what a column is, and keeps what it read;
DuckDB looks at the first rows and keeps nothing. Both are asked for a filter and groups.
"""

from pathlib import Path

from figures import Report, Wrong, say

from . import sides
from .sides import Duck, Room, slt

BYTES = 1_000_000_000
ROWS = 13_500_000
WITHIN = 1.5


def drawn(number: int, below: int) -> str:
    return sides.drawn(f"i + {number}", below)


COLUMNS = f"""\
i AS id, DATE '2015-01-01' + CAST({drawn(0, 3650)} AS INTEGER) AS day,
['north', 'south', 'east', 'west', 'north-east', 'south-west'][1 + {drawn(1, 6)}] AS region,
'product-' || lpad(CAST({drawn(2, 5000)} AS VARCHAR), 5, '0') AS product, {drawn(3, 500)} AS quantity,
round({drawn(4, 1_000_000)} / 100, 2) AS price,
CASE WHEN {drawn(5, 20)} = 0 THEN NULL ELSE {drawn(5, 101)} / 100 END AS discount,
TIMESTAMP '2015-01-01' + to_seconds({drawn(6, 300_000_000)}) AS shipped"""
QUERY = """\
SELECT region, count(*) AS n, sum(quantity) AS units, avg(price) AS price, max(shipped) AS last
FROM {} WHERE day >= DATE '2020-01-01' AND quantity < 400 GROUP BY region ORDER BY region"""


def table(data: Path) -> Path:
    """The folder of the file, made once."""
    folder = data / f"csv-{ROWS}-{len(COLUMNS)}"
    return sides.made_once(folder, "a CSV of 1 GB", sides.copied(COLUMNS, ROWS, "sales.csv"))


def measure(report: Report, binary: Path, folder: Path, data: Path, rounds: int):
    found = table(data)
    file = found / "sales.csv"
    size = file.stat().st_size
    if size < BYTES:
        raise Wrong(f"the CSV has {size} bytes")
    case = slt.Case("csv", "csv", QUERY.format("sales"), QUERY.format(f"read_csv('{file}')"), True, "")
    ours, theirs = [], []
    for number in range(rounds):
        say(f"the first query of a CSV of 1 GB, round {number + 1} of {rounds}")
        with Duck() as duck:
            answer, *times = duck.answered(case.duckdb)
            theirs.append(times)
        # A home that has never seen it.
        with Room(binary, folder / f"csv-home-{number}", found) as room:
            reply, *times = room.answered(case.sql)
            ours.append(times)
            difference = slt.difference(room.rows(reply["dataRef"]), answer, True)
            again = room.answered(case.sql)[1]
        if difference is not None:
            raise Wrong(f"the CSV: {difference}")
    report.numbers["csv"] = {"room": ours, "duckdb": theirs}
    for at, what in enumerate(("processor time", "wall clock")):
        one, other = (min(times[at] for times in side) for side in (ours, theirs))
        report.add(
            f"{size / 1e9:.2f} GB of CSV, first `query_data` with a filter and groups, {what}",
            f"{WITHIN} x DuckDB", f"{one / other:.2f} x ({one:.1f} s, DuckDB with one thread {other:.1f} s)",
            one / other <= WITHIN,
        )
    report.note(f"The second query of that CSV takes {again:.2f} s of processor time.")
