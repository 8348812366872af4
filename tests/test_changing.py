"""Files that change while they are read, and queries that nobody waits for any more."""

import os
import time
from pathlib import Path

import anyio
import numpy as np
import pandas as pd
import pytest

ROWS = 60_000
# Counts pairs for about as long as the machine is given.
PAIRS = "SELECT sum(a.x + b.x) AS s FROM t a JOIN t b ON a.x % 7 = b.x % 7 /* allow: fanout(a), fanout(b) */"


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    write(folder / "t.parquet", 0)
    return folder


def write(path, offset):
    frame = pd.DataFrame({"x": np.arange(ROWS) + offset, "y": np.arange(ROWS) * 3 + offset})
    frame.to_parquet(path, row_group_size=1_000)


def rewritten(path):
    """Other values under the same inode, as a program writes that does not know better."""
    other = path.with_suffix(".new")
    write(other, 1)
    with path.open("r+b") as file:
        file.truncate()
        file.write(other.read_bytes())
    other.unlink()


def truncated(path):
    os.truncate(path, path.stat().st_size // 2)


def appended(path):
    with path.open("ab") as file:
        file.write(b"more")


CHANGES = [rewritten, truncated, appended]


def meanwhile(room, change, tool, **arguments):
    """The reply of a call during which `change` happens."""

    async def later():
        await anyio.sleep(0.6)
        await anyio.to_thread.run_sync(change)

    return room.together(lambda: room.acall(tool, **arguments), later)[0]


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_written_to_during_a_query_is_a_named_refusal(rooms, data, change):
    room = rooms(data, config="[query]\nwall_ms = 3000\n")
    slow = "SELECT count(*) AS n FROM (SELECT * FROM t LIMIT 1), generate_series(1, 60000) s(v), generate_series(1, 60000) r(w) WHERE v * w % 7 = 8"
    reply = meanwhile(room, lambda: change(data / "t.parquet"), "query_data", sql=slow)
    assert reply.failed and "DATA" in reply.text and '"t" changed while the query read it' in reply.text, reply.text
    assert room.call("list_data")["artifacts"] == []


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_written_to_during_a_run_is_a_named_refusal(rooms, data, change):
    room = rooms(data)
    code = "import time\nend = time.time() + 1.5\nwhile time.time() < end: time.sleep(0.05)\noutputs['t'] = t.head(1)"
    reply = meanwhile(room, lambda: change(data / "t.parquet"), "run_python", code=code, inputs={"t": "t"})
    assert reply.failed and "changed while it was read" in reply.text, reply.text
    assert room.call("list_data")["artifacts"] == []


@pytest.mark.parametrize("change", [os.unlink, lambda path: os.replace(_other(path), path)])
def test_a_file_that_is_replaced_or_deleted_is_read_whole_as_it_was(rooms, data, change):
    room = rooms(data)
    code = "import time\ntime.sleep(1.5)\nresult = int(t.x.sum())"
    reply = meanwhile(room, lambda: change(data / "t.parquet"), "run_python", code=code, inputs={"t": "t"})
    assert reply["result"] == ROWS * (ROWS - 1) // 2, reply.text


def _other(path):
    other = path.with_suffix(".new")
    write(other, 1)
    return other


def resident(room):
    lines = Path(f"/proc/{room.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))


HEAVY = {
    "cross join": "SELECT count(*) AS n FROM generate_series(1, 1000000) a(x), generate_series(1, 1000000) b(y) WHERE x * y % 7 = 8",
    "endless": "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r) SELECT count(*) AS n FROM r",
    "sort on disk": "SELECT x, repeat('x', 200) || CAST(x * 7919 % 1000003 AS VARCHAR) AS t FROM generate_series(1, 30000000) s(x) ORDER BY t",
    "groups": "SELECT x % 20000000 AS g, count(*) AS n FROM generate_series(1, 400000000) s(x) GROUP BY g",
}


@pytest.mark.parametrize("kind", HEAVY)
def test_a_cancelled_query_ends_and_leaves_nothing(rooms, data, kind):
    """One core has one place for queries: the next begins when the cancelled one has ended."""
    room = rooms(data, config="[query]\nwall_ms = 60000\nmemory_bytes = 200000000\n")
    assert room.call("query_data", sql="SELECT count(*) AS n FROM t")["preview"] == [{"n": ROWS}]
    before = resident(room)

    async def cancelled():
        with anyio.move_on_after(1.5):
            await room.acall("query_data", sql=HEAVY[kind])
            raise AssertionError("it was not cancelled")

    async def all_places():
        async with anyio.create_task_group() as group:
            for _ in range(os.cpu_count() or 1):
                group.start_soon(cancelled)

    room.portal.call(all_places)
    began = time.perf_counter()
    reply = room.call("query_data", sql="SELECT count(*) AS n FROM t")
    seconds = time.perf_counter() - began
    assert reply["preview"] == [{"n": ROWS}]
    # 200 ms to stop, and the next one's own time on a machine with other work.
    assert seconds < 0.2 + 0.5, seconds
    assert list(room.home.glob("spill/*")) == []
    artifacts = room.call("list_data")["artifacts"]
    assert len(artifacts) == 2, artifacts
    for _ in range(150):
        if resident(room) < before + 100_000_000:
            break
        time.sleep(0.1)
    assert resident(room) < before + 100_000_000, (before, resident(room))
