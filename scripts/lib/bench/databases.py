"""Rows of a PostgreSQL server as an artifact, against psql's copy of them to CSV.

The server is Debian's, started here as the tests start theirs. What is read of a table is an
artifact whose footer says when it was begun; its file says when it was whole. The same rows
as the result of a query are written once more, which is a figure of its own.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
from client import Server
from figures import Report, Wrong, say

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests"))
from servers.postgres import Postgres  # noqa: E402

ROWS, MANY = 1_000_000, 10_000_000
WITHIN, MOST = 1.5, 100
TABLE = f"""
CREATE TABLE sales AS SELECT i AS id, DATE '2015-01-01' + i % 3650 AS day,
  (ARRAY['north', 'south', 'east', 'west'])[1 + i % 4] AS region, 'product-' || i % 5000 AS product,
  i % 500 AS quantity, (i % 1000000 / 100.0)::numeric(10,2) AS price,
  CASE WHEN i % 20 > 0 THEN i % 101 / 100.0::float8 END AS discount,
  TIMESTAMP '2015-01-01' + i * interval '300 seconds' AS shipped, i % 2 = 0 AS gift,
  i / 7.0::float8 AS weight FROM generate_series(1, {ROWS}) i;
CREATE TABLE many AS SELECT i AS id, i % 1000000 AS grp, 'n' || i AS name
  FROM generate_series(1, {MANY}) i;
CREATE INDEX ON many (grp);
CREATE EXTENSION pg_stat_statements; VACUUM ANALYZE"""


def query(server: Server, sql: str) -> tuple[dict, float]:
    began = time.perf_counter()
    reply = server.call("query_data", {"sql": sql})
    wall = time.perf_counter() - began
    if reply.get("isError"):
        raise Wrong(f"{sql}: {reply['content']}")
    return reply["structuredContent"], wall


def by_psql(database: Postgres, target: Path) -> float:
    command = [database.bin / "psql", "-X", "-q", "-h", database.folder, "-p", database.port]
    command += ["-U", "admin", "-d", database.database, "-c", f"\\copy sales to '{target}' csv"]
    began = time.perf_counter()
    subprocess.run(list(map(str, command)), check=True)
    return time.perf_counter() - began


def read_in(home: Path) -> float:
    """Seconds from the beginning of the newest snapshot to its whole file."""
    newest = (0.0, 0.0)
    for file in (home / "artifacts").glob("*/data_*.parquet"):
        meta = json.loads(pq.read_metadata(file).metadata[b"dataroom"])
        if meta["origin"]["by"] == "remote":
            began = time.mktime(time.strptime(meta["created"][:19], "%Y-%m-%dT%H:%M:%S"))
            began += float("0" + meta["created"].rstrip("Z")[19:]) - time.timezone
            newest = max(newest, (began, file.stat().st_mtime - began))
    return newest[1]


def measure(report: Report, binary: Path, folder: Path, times: int):
    say("databases: a server with 11 M rows")
    with Postgres() as database:
        database.sql(TABLE)
        home = folder / "databases"
        home.mkdir()
        (home / "url").write_text(database.reader("reader"))
        config = '[[source]]\nname = "shop"\nkind = "postgres"\nurl_file = "url"\nschemas = ["public"]\n'
        with Server(binary, home, config=config) as server:
            psql, read, whole = [], [], []
            for _ in range(times):
                psql.append(by_psql(database, folder / "sales.csv"))
                answer, wall = query(server, "SELECT * FROM shop.public.sales")
                if answer["rows"] != ROWS:
                    raise Wrong(f"{answer['rows']} rows")
                whole.append(wall)
                read.append(read_in(home))
            ratio, again = min(read) / min(psql), min(whole) / min(psql)
            what = "1 M rows x 10 columns of PostgreSQL to an artifact, against `psql \\copy` to CSV"
            report.add(what, f"{WITHIN} x", f"{ratio:.2f} x ({min(read):.2f} s)", ratio <= WITHIN)
            report.add("… and through a query to a second one", "", f"{again:.2f} x")
            database.sql("SELECT pg_stat_statements_reset()")
            answer, wall = query(server, "SELECT id, name FROM shop.public.many WHERE grp = 77")
            left = int(database.value(
                "SELECT coalesce(sum(rows), 0) FROM pg_stat_statements WHERE query LIKE 'SELECT \"%'"
            ))  # fmt: skip
            if answer["rows"] != 10:
                raise Wrong(f"{answer['rows']} rows of 10")
            what = "a filter that matches 10 of 10 M remote rows: rows that leave the server"
            report.add(what, f"{MOST}", f"{left} ({wall * 1000:.0f} ms)", left <= MOST)
