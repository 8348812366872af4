"""The 22 queries of TPC-H at scale 1, over Parquet, in turns with DuckDB."""

from functools import cache
from pathlib import Path
from statistics import geometric_mean

from figures import Report, Wrong, ms, say

from .sides import Duck, Room, made_once, slt, unlike

import tpch as maker  # of the tests

SCALE = 1.0
WITHIN = 1.3
SQL = Path(maker.__file__).parent


@cache
def cases() -> list[slt.Case]:
    return slt.read(SQL / "tpch" / "queries.slt")


def tables(data: Path) -> Path:
    """The folder of the tables, made once."""
    # A change of the maker makes others.
    folder = data / f"tpch-{SCALE:g}-{Path(maker.__file__).stat().st_size}"
    return made_once(folder, "the tables of TPC-H (a minute)", lambda partial: maker.write(partial, SCALE))


def measure(report: Report, binary: Path, folder: Path, data: Path, rounds: int):
    found = tables(data)
    ratios: dict[str, float] = {}
    numbers = {}
    say("TPC-H")
    with Room(binary, folder / "tpch-home", found) as room, Duck(found) as duck:
        for case in cases():
            # Answers first: they also warm every cache of both sides.
            reply, _, _ = room.answered(case.sql)
            theirs, _, _ = duck.answered(case.duckdb)
            unlike(case, room.rows(reply["dataRef"]), theirs)
            if not theirs:
                raise Wrong(f"{case.name}: an empty answer proves nothing")
            pairs = [(room.answered(case.sql)[1], duck.answered(case.duckdb)[1]) for _ in range(rounds)]
            one, other = (min(side) for side in zip(*pairs))
            ratios[case.name], numbers[case.name] = one / other, pairs
            say(f"{case.name}: {ms(one)}, DuckDB {ms(other)}: {one / other:.2f}")
    mean = geometric_mean(ratios.values())
    report.numbers["tpch"] = numbers
    totals = [sum(min(pair[side] for pair in pairs) for pairs in numbers.values()) for side in (0, 1)]
    report.add(
        f"TPC-H SF1 on Parquet, 22 queries, processor time, one thread, best of {rounds}, geometric mean",
        f"{WITHIN} x DuckDB", f"{mean:.2f} x (in all {totals[0]:.1f} s, DuckDB {totals[1]:.1f} s)", mean <= WITHIN,
    )
    worst = sorted(ratios.items(), key=lambda item: -item[1])
    report.note("TPC-H by query, against DuckDB: " + ", ".join(f"{name} {ratio:.2f}" for name, ratio in worst) + ".")
