"""A million rows from Parquet into a DataFrame and back, against native pandas.

Each side runs the same script in a fresh interpreter, in turns. A room's input is
read before its script begins, so of each round there are two pairs of times:

- the first read of the interpreter: natively with pandas and pyarrow imported before
  the clock starts, in the room the whole run of `x.shape[0]` (of `len(x)` it would read no column), start and end included;
- `pd.read_parquet` in the script once more, with the clock around it on both sides.

Both have to be within the figure. What was read is summed up column by column after
the clock, and the two sides must agree.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from client import Server
from figures import Report, Wrong, median, ms, say

ROWS = 1_000_000
SEED = 20_130_101
WITHIN = 1.5
# The script measures itself; the clock that scripts have otherwise goes by their work.
REAL_TIME = '[policy]\nclock = "real"\n'

# Run by both sides; PATH, SCRATCH and SUMMARY are set before it.
READ = """\
import time

def clocked(work):
    began = time.perf_counter()
    value = work()
    return value, time.perf_counter() - began

df, read = clocked(lambda: pd.read_parquet(PATH))
_, write = clocked(lambda: df.to_parquet(SCRATCH))

def summary(df):
    found = {"rows": len(df), "dtypes": [str(t) for t in df.dtypes]}
    for name, column in df.items():
        kind = str(column.dtype)
        if name == "day":
            number = [str(column.min()), str(column.max()), int(column.nunique())]
        elif "datetime" in kind:
            number = [str(column.min()), str(column.max())]
        elif kind == "str":
            number = [column.min(), column.max(), int(column.nunique())]
        elif "float" in kind:
            number = f"{column.sum():.6g}"
        else:
            number = int(column.sum())
        found[name] = [number, int(column.isna().sum())]
    return found

result = {"read": read, "write": write}
if SUMMARY:
    result["summary"] = summary(df)
    result["written"] = summary(pd.read_parquet(SCRATCH))
"""

# The first read, then the script.
NATIVE = """\
import json, sys, time
import pandas as pd
import pyarrow.parquet
PATH, SCRATCH, SUMMARY = sys.argv[1], sys.argv[2], sys.argv[3] == "1"
began = time.perf_counter()
x = pd.read_parquet(PATH)
first = time.perf_counter() - began
del x
"""


def make(path: Path) -> None:
    """The input: ten columns of the kinds that tables have, written by pyarrow."""
    random = np.random.default_rng(SEED)
    seconds = random.integers(0, 365 * 86_400, ROWS)
    start = np.datetime64("2013-01-01T00:00:00", "us")
    stamps = start + seconds.astype("timedelta64[s]")
    cities = np.array(["Berlin", "København", "London", "Москва", "東京", "Zürich", "Oslo", "Rome"])
    quantity = pd.array(random.integers(1, 500, ROWS), dtype="Int64")
    quantity[random.random(ROWS) < 0.1] = pd.NA
    price = random.lognormal(3, 1, ROWS)
    price[random.random(ROWS) < 0.05] = np.nan
    frame = pd.DataFrame(
        {
            "id": np.arange(ROWS, dtype="int64") * 7 + 3,
            "code": random.integers(-30_000, 30_000, ROWS).astype("int32"),
            "price": price,
            "weight": random.normal(0, 1, ROWS),
            "paid": random.random(ROWS) < 0.7,
            "city": pd.array(cities[random.integers(0, len(cities), ROWS)], dtype="str"),
            "order": pd.array([f"order-{n:016x}" for n in random.permutation(ROWS)], dtype="str"),
            "at": stamps,
            "day": stamps.astype("datetime64[D]").astype(object),
            "quantity": quantity,
        }
    )
    frame.to_parquet(path, engine="pyarrow", compression="snappy")


def native(path: Path, scratch: Path, check: bool) -> dict:
    code = NATIVE + READ + 'print(json.dumps({**result, "first": first}))\n'
    done = subprocess.run(
        [sys.executable, "-c", code, path, scratch, "1" if check else "0"],
        capture_output=True, text=True, check=False,
    )
    if done.returncode:
        raise Wrong(f"native pandas failed: {done.stderr}")
    return json.loads(done.stdout)


def room(server: Server, check: bool) -> dict:
    """The whole run with an input, and the script; with their times inside the server."""
    whole, trip = server.result("result = x.shape[0]", {"x": "x"})
    if whole["result"] != ROWS:
        raise Wrong(f"{whole['result']} rows came in")
    code = f'del x\nPATH, SCRATCH, SUMMARY = "/in/x.parquet", "/tmp/y.parquet", {check}\n{READ}'
    times = server.result(code, {"x": "x"})[0]["result"]
    return {**times, "first": whole["limits"]["used"]["wall_ms"] / 1000, "trip": trip}


def measure(report: Report, binary: Path, folder: Path, rounds: int):
    say(f"making {ROWS:,} rows")
    data = folder / "tables"
    data.mkdir()
    path, scratch = data / "x.parquet", folder / "y.parquet"
    make(path)
    size = path.stat().st_size
    # Answers first: what is wrong need not be measured. It also warms every cache.
    with Server(binary, folder / "tables-home", data, REAL_TIME) as server:
        say("do both sides read the same?")
        expected, got = native(path, scratch, True), room(server, True)
        for part in ("summary", "written"):
            if expected[part] != got[part]:
                differ = [key for key in expected[part] if expected[part][key] != got[part].get(key)]
                shown = {key: (expected[part][key], got[part].get(key)) for key in differ}
                raise Wrong(f"{part}: native and room differ: {shown}")
        natives, rooms = [], []
        for number in range(rounds):
            say(f"reading and writing, round {number + 1} of {rounds}")
            natives.append(native(path, scratch, False))
            rooms.append(room(server, False))
    report.numbers["tables"] = {"native": natives, "room": rooms, "file_bytes": size}
    show(report, natives, rooms)
    trip = median([one["trip"] for one in rooms])
    report.note(
        f"Tables: {ROWS:,} rows x 10 columns (int64, int32, two float64, bool, text of 8 values, text "
        f"of a million values, timestamp, date, nullable Int64), snappy, {size / 1e6:.0f} MB, seed {SEED}; "
        f"{rounds} rounds in turns, medians; native reads with as many threads as there are cores. "
        f"MCP round trip of `result = x.shape[0]`: {ms(trip)}."
    )


def show(report: Report, natives: list[dict], rooms: list[dict]):
    wanted = [
        ("first", "1 M x 10 Parquet to DataFrame, first read, whole run", WITHIN),
        ("read", "1 M x 10 `pd.read_parquet` in the script", WITHIN),
        ("write", "1 M x 10 `to_parquet` in the script", None),
    ]
    for key, what, within in wanted:
        ours, theirs = (median([one[key] for one in side]) for side in (rooms, natives))
        ratio = ours / theirs
        report.add(
            what,
            f"≤ {within} x native" if within else "",
            f"{ratio:.2f} x ({ms(ours)}, native {ms(theirs)})",
            ratio <= within if within else None,
        )
