"""Our SQL against DuckDB's answers: TPC-H, and a corpus by area.

Each query goes through the binary and MCP, and its kept result is read as any program
would read it. The same query goes to DuckDB on the same files.
"""

import sys
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

sys.path.insert(0, str(Path(__file__).parent / "sql"))

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


@pytest.mark.parametrize("case", TPCH, ids=[case.name for case in TPCH])
def test_tpch(benchmark, case):
    reply = benchmark.check(case)
    assert reply["total"] > 0, "an empty answer proves nothing"
    # A supplier's phone number is one.
    warnings = [told for told in reply["warnings"] if not told.startswith("no rows are shown")]
    assert warnings == [], "a warning on a sound query is a false alarm"
