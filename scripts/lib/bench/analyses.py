"""Whole analyses in the room against native CPython, script by script (`analyses/`).

Both sides read the same Parquet files and run the same text in a fresh interpreter, in
turns, with the packages imported before the clock starts (in the room they always
are). The clock covers reading the inputs, the script and, in the room, the whole run.
The answers have to be the same. Native is CPython of the guest's own version with the
guest's own packages and pyarrow, and may use all cores.
"""

import json
import math
import statistics
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd

from client import Server
from figures import Report, Wrong, median, ms, say

SCRIPTS = Path(__file__).with_name("analyses")
SEED = 20_261_130
WITHIN_MEAN, WITHIN_WORST = 1.5, 4.0

NATIVE = """\
import json, sys, time
import numpy as np, pandas as pd, pyarrow.parquet
import sklearn.ensemble, sklearn.linear_model, sklearn.model_selection, statsmodels.api
inputs = json.loads(sys.argv[2])
code = compile(open(sys.argv[1]).read(), sys.argv[1], "exec")
began = time.perf_counter()
variables = {"np": np, "pd": pd, **{name: pd.read_parquet(path) for name, path in inputs.items()}}
exec(code, variables)
took = time.perf_counter() - began
print(json.dumps({"seconds": took, "result": variables["result"]}))
"""


def group_tables(random) -> dict[str, pd.DataFrame]:
    rows = 1_000_000
    factor = lambda n, form: pd.array([form % k for k in random.integers(1, n + 1, rows)], dtype="str")
    x = pd.DataFrame(
        {
            "id1": factor(100, "id%03d"), "id2": factor(100, "id%03d"), "id3": factor(10_000, "id%010d"),
            "id4": random.integers(1, 101, rows), "id5": random.integers(1, 101, rows),
            "id6": random.integers(1, 10_001, rows), "v1": random.integers(1, 6, rows),
            "v2": random.integers(1, 16, rows), "v3": np.round(random.random(rows) * 100, 6),
        }
    )
    return {"x": x}


def join_tables(random) -> dict[str, pd.DataFrame]:
    rows = 1_000_000
    side = lambda n, key: pd.DataFrame({key: np.arange(1, n + 1), "v2": np.round(random.random(n) * 100, 6)})
    x = pd.DataFrame(
        {
            "id1": random.integers(1, 11, rows), "id2": random.integers(1, 1_101, rows),
            "id3": random.integers(1, 1_100_001, rows), "v1": np.round(random.random(rows) * 100, 6),
        }
    )
    x["id5"] = pd.array([f"id{n}" for n in x["id2"]], dtype="str")
    medium = side(1_000, "id2")
    medium["id5"] = pd.array([f"id{n}" for n in medium["id2"]], dtype="str")
    return {"x": x, "small": side(10, "id1"), "medium": medium, "large": side(1_000_000, "id3")}


def clean_tables(random) -> dict[str, pd.DataFrame]:
    rows = 300_000
    pick = lambda values: np.array(values, dtype=object)[random.integers(0, len(values), rows)]
    number = random.integers(1, 200_000, rows)
    cents = random.integers(0, 2_000_000, rows)
    days = pd.Timestamp("2015-01-01") + pd.to_timedelta(random.integers(0, 4_000, rows), unit="D")
    x = pd.DataFrame(
        {
            "name": [f"{a}{b} {n}{c}" for a, b, n, c in zip(pick(["", " "]), pick(["anna", "BEN", "Zoë"]), number, pick(["", "  "]))],
            "country": pick(["de", " DE", "Germany", "gb", "U.K.", "FR ", "", "us"]),
            "amount": [f"{p}{n / 100:,.2f}{s}" for p, n, s in zip(pick(["", "$"]), cents, pick(["", "", "", " n/a"]))],
            "signed": [d.strftime(f) for d, f in zip(days, pick(["%d.%m.%Y", "%d.%m.%Y", "%d.%m.%Y", "%Y/%m/%d"]))],
            "mail": [f"{n}{at}example.org" for n, at in zip(number, pick(["@", "@", "@", " at "]))],
        }
    )
    return {"x": x.astype("str")}


def time_tables(random) -> dict[str, pd.DataFrame]:
    sensors, readings = 50, 20_000
    at = np.datetime64("2025-01-01", "us") + random.integers(0, 365 * 86_400, sensors * readings).astype("timedelta64[s]")
    value = np.round(random.normal(20, 3, sensors * readings), 4)
    sensor = np.repeat([f"s{n:02d}" for n in range(sensors)], readings)
    return {"x": pd.DataFrame({"at": at, "sensor": pd.array(sensor, dtype="str"), "value": value})}


def regression_tables(random) -> dict[str, pd.DataFrame]:
    rows = 200_000
    area, age = random.uniform(20, 250, rows), random.integers(0, 120, rows)
    kind, region = random.integers(0, 4, rows), random.integers(0, 16, rows)
    log = 10 + 0.008 * area - 0.002 * age + 0.1 * kind + 0.03 * region + random.normal(0, 0.2, rows)
    names = {"kind": [f"k{n}" for n in kind], "region": [f"r{n:02d}" for n in region]}
    x = pd.DataFrame({**{k: pd.array(v, dtype="str") for k, v in names.items()}, "area": area, "age": age})
    return {"x": x.assign(price=np.exp(log))}


def text_tables(random) -> dict[str, pd.DataFrame]:
    rows = 500_000
    pick = lambda values: np.array(values, dtype=object)[random.integers(0, len(values), rows)]
    parts = zip(
        random.integers(0, 60_000, rows), pick(["GET", "GET", "POST"]),
        pick(["/", "/shop/cart", "/shop/item", "/search", "/robots.txt", "/über/uns"]),
        pick(["", "?q=a&page=2", "?id=17", "?utm=crawl&x=1"]), pick([200, 200, 200, 304, 404, 500]),
        random.integers(100, 99_999, rows),
    )
    line = [f"host{h}.example.org {v} {p}{q} {s} {b}" for h, v, p, q, s, b in parts]
    return {"x": pd.DataFrame({"line": pd.array(line, dtype="str")})}


TABLES = {
    "group_by": group_tables, "join": join_tables, "clean": clean_tables,
    "time_series": time_tables, "regression": regression_tables, "text": text_tables,
}


def native(python: Path, script: Path, inputs: dict[str, Path]) -> tuple[object, float]:
    paths = json.dumps({name: str(path) for name, path in inputs.items()})
    done = subprocess.run(
        [python, "-c", NATIVE, script, paths], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Wrong(f"native {script.name} failed: {done.stderr}")
    answer = json.loads(done.stdout)
    return answer["result"], answer["seconds"]


def room(server: Server, script: Path, inputs: dict[str, Path]) -> tuple[object, float]:
    names = {name: path.stem for name, path in inputs.items()}
    answer, _ = server.result(script.read_text(), names)
    return answer["result"], answer["limits"]["used"]["wall_ms"] / 1000


def alike(one: object, other: object) -> bool:
    """Equal, floats to twelve digits."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, float) or isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)
    return one == other


def measure(report: Report, binary: Path, folder: Path, python: Path, rounds: int):
    data = folder / "analyses"
    data.mkdir()
    ratios, numbers = {}, {}
    for name, tables in TABLES.items():
        inputs = {}
        for variable, table in tables(np.random.default_rng(SEED)).items():
            inputs[variable] = data / f"{name}_{variable}.parquet"
            table.to_parquet(inputs[variable], engine="pyarrow", compression="snappy", index=False)
        script = SCRIPTS / f"{name}.py"
        with Server(binary, folder / "analyses-home", data) as server:
            natives, rooms = [], []
            for number in range(rounds):
                say(f"analysis {name}, round {number + 1} of {rounds}")
                expected, theirs = native(python, script, inputs)
                got, ours = room(server, script, inputs)
                if not alike(expected, got):
                    raise Wrong(f"{name}: native {expected}, room {got}")
                natives.append(theirs)
                rooms.append(ours)
        ratios[name] = median(rooms) / median(natives)
        numbers[name] = {"native": natives, "room": rooms}
        shown = f"{ratios[name]:.2f} x ({ms(median(rooms))}, native {ms(median(natives))})"
        report.add(f"analysis: {name.replace('_', ' ')}", "", shown)
    report.numbers["analyses"] = numbers
    mean, worst = statistics.geometric_mean(ratios.values()), max(ratios.values())
    report.add("analyses, geometric mean", f"{WITHIN_MEAN} x native", f"{mean:.2f} x", mean <= WITHIN_MEAN)
    report.add("analyses, the worst", f"{WITHIN_WORST} x native", f"{worst:.2f} x", worst <= WITHIN_WORST)
