"""Two engines over one folder of Parquet files, and what a query costs each."""

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from client import Server
from figures import Wrong, say

# The queries, how answers are compared and the maker of the tables are those of the tests.
sys.path.append(str(Path(__file__).resolve().parents[4] / "tests" / "sql"))

import slt  # noqa: E402

# The clock of all that a process has computed, as clock_getcpuclockid(3) names it.
SCHEDULED = 2
# What neither answers by then hangs.
HUNG = 300


def processor(pid: int) -> float:
    """Seconds of processor time that a process has had, its finished threads included."""
    return time.clock_gettime((~pid << 3) | SCHEDULED)


class Room:
    """A server over a folder."""

    def __init__(self, binary: Path, home: Path, data: Path, config: str = ""):
        self.home = home
        self.server = Server(binary, home, data, config)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.__exit__()

    def ask(self, sql: str) -> tuple[dict, float, float]:
        """The reply, and the seconds of processor and of the clock that it took."""
        hung = threading.Timer(HUNG, self.server.kill)
        hung.start()
        try:
            began, had = time.perf_counter(), processor(self.server.pid)
            reply = self.server.call("query_data", {"sql": sql})
            return reply, processor(self.server.pid) - had, time.perf_counter() - began
        finally:
            hung.cancel()

    def answered(self, sql: str) -> tuple[dict, float, float]:
        """As `ask`, of a query that has to have an answer."""
        reply, cpu, wall = self.ask(sql)
        if reply.get("isError"):
            raise Wrong(f"{sql}\n{reply['content']}")
        return reply["structuredContent"], cpu, wall

    def rows(self, ref: str) -> list[tuple]:
        """All rows of a kept result, by another reader than ours."""
        (file,) = self.home.glob(f"artifacts/*/{ref}.parquet")
        return rows(pq.read_table(file))


class Duck:
    """DuckDB in this process, which does nothing meanwhile."""

    def __init__(self, data: Path | None = None):
        self.connection = duckdb.connect()
        self.connection.execute("SET threads = 1; SET TimeZone = 'UTC'")
        for file in data.glob("*.parquet") if data else ():
            self.connection.execute(f"CREATE VIEW {file.stem} AS FROM '{file}'")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def answered(self, sql: str) -> tuple[list[tuple], float, float]:
        """The rows, and the seconds of processor and of the clock."""
        began, had = time.perf_counter(), time.process_time()
        table = self.connection.execute(sql).to_arrow_table()
        cpu, wall = time.process_time() - had, time.perf_counter() - began
        return rows(table), cpu, wall


def drawn(seed: str, below: int) -> str:
    """A whole number of a row, the same each time; `seed` is of the row `i` and the column."""
    return f"CAST(hash({seed}) % {below} AS BIGINT)"


def made_once(folder: Path, what: str, make: Callable[[Path], None]) -> Path:
    """The folder, which `make` fills if it is not there yet."""
    if not folder.exists():
        say(f"making {what}")
        partial = folder.with_suffix(f".{os.getpid()}")
        partial.mkdir(parents=True)
        make(partial)
        partial.rename(folder)
    return folder


def copied(columns: str, rows: int, name: str) -> Callable[[Path], None]:
    """Has DuckDB write a table of these columns into a folder."""

    def make(folder: Path):
        options = " (HEADER)" if name.endswith(".csv") else ""
        with duckdb.connect() as connection:
            connection.execute(f"COPY (SELECT {columns} FROM range({rows}) r(i)) TO '{folder / name}'{options}")

    return make


def rows(table: pa.Table) -> list[tuple]:
    return list(zip(*(column.to_pylist() for column in table.columns)))


def unlike(case: slt.Case, ours: list[tuple], theirs: list[tuple]):
    """Raises if the answers differ."""
    difference = slt.difference(ours, theirs, case.ordered)
    if difference is not None:
        raise Wrong(f"{case.name}: {difference}")
