"""Our SQL against DuckDB's answers: TPC-H, and a corpus by area.

Each query goes through the binary and MCP, and its kept result is read as any program
would read it. The same query goes to DuckDB on the same files.
"""

import math
import os
import random
import struct
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

sys.path.insert(0, str(Path(__file__).parent / "sql"))

import chance  # noqa: E402
import slt  # noqa: E402
import small  # noqa: E402
import tpch  # noqa: E402

HERE = Path(__file__).parent / "sql"
CORPUS = [case for path in sorted(HERE.glob("corpus/*.slt")) for case in slt.read(path)]
TPCH = slt.read(HERE / "tpch" / "queries.slt")
SCALE = 0.1


class Pair:
    """A room and a DuckDB over one folder."""

    def __init__(self, room, folder: Path):
        self.room = room
        self.duckdb = duckdb.connect()
        self.duckdb.execute("SET TimeZone = 'UTC'")
        for file in folder.glob("*.parquet"):
            self.duckdb.execute(f"CREATE VIEW {file.stem} AS FROM '{file}'")

    def check(self, case: slt.Case):
        reply = self.room.call("query_data", sql=case.sql)
        assert not reply.failed, reply.text
        theirs = self.duckdb.execute(case.duckdb).fetchall()
        assert reply["total"] == reply["rows"]
        difference = slt.difference(self.rows(reply["dataRef"]), theirs, case.ordered)
        assert difference is None, f"{case.sql}\n{difference}"
        return reply

    def rows(self, ref: str) -> list[tuple]:
        (file,) = self.room.home.glob(f"artifacts/*/{ref}.parquet")
        table = pq.read_table(file)
        return list(zip(*(column.to_pylist() for column in table.columns))) if table.num_columns else []


@pytest.fixture(scope="module")
def corpus(module_rooms, tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    small.write(folder)
    return Pair(module_rooms(folder), folder)


@pytest.fixture(scope="module")
def benchmark(module_rooms, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tpch")
    tpch.write(folder, SCALE)
    return Pair(module_rooms(folder), folder)


def test_there_are_as_many_queries_as_were_promised():
    assert len(CORPUS) >= 300 and len(TPCH) == 22
    assert len({case.sql for case in CORPUS}) == len(CORPUS), "each is asked once"


@pytest.mark.parametrize("case", CORPUS, ids=[case.id for case in CORPUS])
def test_corpus(corpus, case):
    corpus.check(case)


@pytest.mark.parametrize("seed", range(4))
def test_queries_by_chance(corpus, seed):
    """As many as DATAROOM_TEST_QUERIES says, for a longer look."""
    differ, answered = [], 0
    count = int(os.environ.get("DATAROOM_TEST_QUERIES", "150"))
    for sql in chance.queries(seed, count):
        try:
            theirs = corpus.duckdb.execute(sql).fetchall()
        except duckdb.Error:
            continue
        reply = corpus.room.call("query_data", sql=sql)
        if reply.failed:
            differ.append(f"{sql}\n  {reply.text}")
            continue
        answered += 1
        difference = slt.difference(corpus.rows(reply["dataRef"]), theirs, False)
        if difference is not None:
            differ.append(f"{sql}\n  {difference}")
    assert not differ, "\n".join(differ)
    assert answered > count * 0.95, "what no engine answers proves nothing"


@pytest.mark.parametrize("case", TPCH, ids=[case.name for case in TPCH])
def test_tpch(benchmark, case):
    reply = benchmark.check(case)
    assert reply["total"] > 0, "an empty answer proves nothing"
    # A supplier's phone number is one.
    warnings = [told for told in reply["warnings"] if not told.startswith("no rows are shown")]
    assert warnings == [], "a warning on a sound query is a false alarm"


def doubles(count: int) -> list[float]:
    """Of every size and sign, the smallest and the largest among them, the same each time."""
    chosen = random.Random(20261130)
    every = (struct.unpack("<d", chosen.randbytes(8))[0] for _ in iter(int, 1))
    finite = (value for value in every if abs(value) < 1e307)
    values = [next(finite) for _ in range(count)]
    # Neighbours that leave nothing of each other but a remainder.
    for at in range(0, count - 3, 7):
        values[at + 2] = -values[at]
        values[at + 3] = chosen.choice([5e-324, -5e-324, 2.0**-1022, values[at] * 2.0**-53, 1.5])
    return values


def test_a_moving_sum_is_the_exact_sum_of_its_frame_to_the_last_bit(module_rooms, tmp_path_factory):
    values = doubles(5_000)
    folder = tmp_path_factory.mktemp("moving")
    table = pa.table({"i": pa.array(range(len(values)), pa.int64()), "x": values})
    pq.write_table(table, folder / "v.parquet")
    pair = Pair(module_rooms(folder), folder)
    frame = "OVER (ORDER BY i ROWS BETWEEN 6 PRECEDING AND CURRENT ROW)"
    reply = pair.room.call("query_data", sql=f"SELECT sum(x) {frame} AS s, avg(x) {frame} AS a FROM v")
    for at, (total, mean) in enumerate(pair.rows(reply["dataRef"])):
        exact = math.fsum(values[max(0, at - 6) : at + 1])
        assert (total, mean) == (exact, exact / min(at + 1, 7)), at


def test_a_part_used_twice_that_is_too_large_to_keep_is_computed_in_each_place(module_rooms, tmp_path_factory):
    """A quarter of the query's memory may be kept: 5 MB here, where the groups take 8."""
    folder = tmp_path_factory.mktemp("large")
    numbers = pa.array([at * 7919 % 500_000 for at in range(1_000_000)], pa.int64())
    pq.write_table(pa.table({"k": numbers, "v": pa.array(range(1_000_000), pa.int64())}), folder / "l.parquet")
    room = module_rooms(folder, config="[query]\nmemory_bytes = 20000000\n")
    sql = (
        "WITH r AS (SELECT k, max(v) AS m FROM l GROUP BY k) "
        "SELECT count(*) AS n, min(r.m) AS low FROM r WHERE r.m > (SELECT avg(m) FROM r)"
    )
    pair = Pair(room, folder)
    pair.check(slt.Case("here", "large", sql, sql, False, ""))
