"""The triage pack's tools on ten million task rows: round trips, against the database's own time.

A PostgreSQL of our own is filled with runs and tasks as `dataroom triage init` expects them,
gets the pack's views, indexes and role, and answers the pack's tools through the server. The
database's own time is what `EXPLAIN ANALYZE` says of planning and running the same statement
with the same values; what is over it is ours, the protocol's and the driver's.
"""

import os
import random
import re
import subprocess
import sys
import time
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

from client import Server
from figures import Report, Wrong, median, ms, percentile, say

sys.path.insert(0, str(Path(__file__).parents[3] / "tests"))

from servers.postgres import Postgres  # noqa: E402

TASKS, EACH, OVER = 10_000_000, 10, 0.010
ROLE, PASSWORD = "dataroom_triage", "bench-of-triage"
# One run in a hundred failed; its fourth task did, and those behind it did not run.
FILL = """
INSERT INTO public.dag_run
SELECT md5('run ' || n)::uuid, 'pipeline_' || n % 200, CASE WHEN n % 100 = 0 THEN 'failed' ELSE 'success' END,
       now() - n * interval '8 seconds', now() - n * interval '8 seconds' + interval '10 minutes'
FROM generate_series(1, {runs}) AS n;
INSERT INTO public.task_instance
SELECT md5('run ' || n)::uuid, 'pipeline_' || n % 200, 'task_' || t, -1, 1,
       CASE WHEN n % 100 > 0 OR t < 4 THEN 'success' WHEN t = 4 THEN 'failed' ELSE 'upstream_failed' END,
       now() - n * interval '8 seconds', now() - n * interval '8 seconds' + t * interval '1 minute'
FROM generate_series(1, {runs}) AS n, generate_series(1, {each}) AS t;
INSERT INTO public.task_log (run_id, task_id, try_number, level, message)
SELECT md5('run ' || n)::uuid, 'task_4', 1, CASE l WHEN 3 THEN 'ERROR' ELSE 'INFO' END,
       CASE l WHEN 3 THEN (ARRAY['ConnectionTimeout', 'KeyError', 'MemoryError'])[1 + n / 100 % 3]
              || ': at postgres://loader:a-password@db.internal/x' ELSE 'line ' || l END
FROM generate_series(100, {runs}, 100) AS n, generate_series(1, 3) AS l;
"""
DEPEND = """
INSERT INTO triage.node SELECT 'pipeline_' || p || '.task_' || t, 'task'
FROM generate_series(0, 199) AS p, generate_series(1, {each}) AS t;
INSERT INTO triage.node SELECT 'pipeline_' || p, 'pipeline' FROM generate_series(0, 199) AS p;
INSERT INTO triage.dependency SELECT 'pipeline_' || p || '.task_' || t, 'pipeline_' || p || '.task_' || t + 1
FROM generate_series(0, 199) AS p, generate_series(1, {each} - 1) AS t;
INSERT INTO triage.dependency SELECT 'pipeline_' || p || '.task_{each}', 'pipeline_' || (p * 7 + 1) % 200
FROM generate_series(0, 199) AS p;
"""


def measure(report: Report, binary: Path, folder: Path, quick: bool):
    tasks = TASKS // 20 if quick else TASKS
    settings = {"shared_buffers": "1GB", "max_wal_size": "8GB", "autovacuum": "off", "jit": "off"}
    with Postgres(**settings) as server:
        pack = filled(server, binary, folder, tasks)
        url = server.url(ROLE, PASSWORD)
        os.environ["TRIAGE_URL"] = url
        text = (pack / "dataroom.toml").read_text()
        tools = {tool["name"]: tool for tool in tomllib.loads(text)["tool"]}
        with Server(binary, folder / "triage-home", config=text) as client:
            for name, given in questions(tasks // EACH, 100 if quick else 300).items():
                report.attempt(name, lambda: one(report, server, client, tools[name], given, tasks))
    report.note(
        "A round trip of a triage tool is the whole call over MCP: arguments checked, a read-only "
        "transaction begun, the statement run, texts blacked out, the reply written. The database's own "
        "time is planning and execution by EXPLAIN ANALYZE, of the same statement and values."
    )


def filled(server: Postgres, binary: Path, folder: Path, tasks: int) -> Path:
    say(f"filling a PostgreSQL with {tasks:,} tasks")
    pack = folder / "triage"
    subprocess.run([binary, "triage", "init", "--dir", pack], check=True, capture_output=True)
    runs = tasks // EACH
    server.sql((pack / "try/1-tables.sql").read_text())
    server.sql(FILL.format(runs=runs, each=EACH))
    for file in ("1-dependencies", "2-views", "3-indexes"):
        server.sql((pack / f"sql/{file}.sql").read_text())
    server.sql(DEPEND.format(each=EACH))
    server.sql(f"\\set password '{PASSWORD}'\n" + (pack / "sql/4-role.sql").read_text())
    server.sql("VACUUM ANALYZE")
    return pack


def questions(runs: int, count: int) -> dict[str, list[dict]]:
    draw = random.Random(7)
    windows = []
    # The runs began every eight seconds, back from now.
    hours = runs * 8 // 3600 - 12
    for _ in range(count // 5):
        until = datetime.now(UTC) - timedelta(hours=draw.randrange(hours))
        windows.append({"since": (until - timedelta(hours=6)).isoformat(), "until": until.isoformat()})
    return {
        "failed_tasks_for_run": [{"run": draw.randrange(1, runs // 100) * 100} for _ in range(count)],
        "downstream_impact": [
            {"node": f"pipeline_{draw.randrange(200)}.task_4", "depth": draw.randrange(1, 6)} for _ in range(count)
        ],
        "recent_failure_groups": windows,
    }


def one(report: Report, server: Postgres, client: Server, tool: dict, given: list[dict], tasks: int):
    name = tool["name"]
    say(name)
    if name == "failed_tasks_for_run":
        numbers = " UNION ALL ".join(f"SELECT md5('run {each['run']}')::uuid" for each in given)
        given = [{"run_id": run} for [run] in server.sql(numbers)]
    theirs = own_times(server, tool, given)
    ours = []
    for arguments in [*given[:5], *given]:
        began = time.perf_counter()
        reply = client.call(name, arguments)
        ours.append(time.perf_counter() - began)
        content = reply.get("structuredContent", {})
        if reply.get("isError") or not content.get("rows") or "a-password" in str(reply):
            raise Wrong(f"{name} {arguments} gave {str(reply)[:300]}")
    ours = ours[5:]
    over = [whole - own for whole, own in zip(ours, theirs)]
    report.numbers[f"triage {name}"] = {"round_trips": ours, "database": theirs}
    report.add(
        f"`{name}` on {tasks:,} tasks, p50 / p99 of {len(ours)}",
        f"{ms(OVER)} over the database (p50)",
        f"{ms(median(ours))} / {ms(percentile(ours, 0.99))}; the database {ms(median(theirs))}; over it {ms(median(over))}",
        median(over) <= OVER,
    )


def own_times(server: Postgres, tool: dict, given: list[dict]) -> list[float]:
    """Planning and running, of each question, by the server's own clock."""
    types = {"run_id": "uuid", "node": "text", "depth": "int", "since": "timestamptz", "until": "timestamptz"}

    def filled_in(arguments: dict) -> str:
        def value(found):
            return f"'{arguments[found[1]]}'::{types[found[1]]}"

        return re.sub(r"(?<!:):([a-z_]+)", value, tool["sql"])

    rounds = [f"EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) {filled_in(arguments)};" for arguments in given]
    # Once to warm the caches that the tool's calls find warm, too.
    server.sql("\n".join(rounds))
    told = [line for [line] in server.sql("\n".join(rounds))]
    times = [float(found[1]) for line in told if (found := re.search(r"(?:Planning|Execution) Time: ([0-9.]+) ms", line))]
    if len(times) != 2 * len(given):
        raise Wrong(f"{len(times)} times for {len(given)} questions")
    return [(plan + run) / 1000 for plan, run in zip(times[::2], times[1::2])]
