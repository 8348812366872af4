"""`dataroom replay`: the same again, or the step that differs and how."""

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path

import anyio
import pandas as pd
import pyarrow.parquet as pq
import pytest

from conftest import run

# Five steps, each from the table of the one before it: what may differ between two
# runs of a Python is in them.
CHAIN = [
    # Random numbers of every kind.
    """\
import random, secrets, uuid
rng = np.random.default_rng()
n = 2_000
outputs["t"] = pd.DataFrame({
    "id": range(n),
    "region": rng.choice(["north", "south", "east", "west"], n),
    "amount": rng.normal(100, 15, n) + np.random.rand(n) + random.random(),
    "key": [uuid.uuid4().hex for _ in range(n)],
    "token": [secrets.token_hex(4) for _ in range(n)],
}).merge(sales.groupby("region", as_index=False)["units"].sum(), on="region", how="left")
""",
    # Group-by, and floats whose sums depend on their order.
    """\
g = t.groupby("region")["amount"].agg(["sum", "mean", "std", "median", "count"]).reset_index()
outputs["t"] = t.merge(g, on="region").sample(frac=0.5)
""",
    # Sets, hashes and identities of texts.
    """\
words = {key[:3] for key in t["key"]} | set(t["region"])
outputs["t"] = pd.DataFrame({
    "word": list(words), "hash": [hash(w) % 1000 for w in words], "id": [id(w) % 4096 for w in words],
    "order": range(len(words)),
})
""",
    # Strings and regular expressions.
    """\
import re
t["upper"] = t["word"].str.upper() + "-" + t["hash"].astype(str).str.zfill(4)
t["digits"] = [re.sub(r"[^0-9]", "", w) for w in t["word"]]
t["text"] = (t["hash"] / 7).map("{:.17g}".format)
outputs["t"] = t.sort_values("upper").sample(200)
""",
    # Time: wall clock, timers, sleeps, and what is named by them.
    """\
import datetime, os, tempfile, time
began = time.perf_counter()
time.sleep(0.01)
sum(range(10_000))
t["at"] = pd.Timestamp.now()
t["utc"] = datetime.datetime.now(datetime.timezone.utc)
t["seconds"] = time.time()
t["took"] = time.perf_counter() - began
t["cpu"] = time.process_time_ns() + time.monotonic_ns()
t["file"] = tempfile.mktemp()
for name in "bca":
    open(f"/tmp/{name}", "w").close()
t["listed"] = ",".join(os.listdir("/tmp"))
outputs["t"] = t
""",
]


@pytest.fixture
def shell(tmp_path, data):
    return Shell(tmp_path, data)


class Shell:
    """A person with a home and a data folder of their own."""

    def __init__(self, folder: Path, data: Path):
        self.folder, self.home, self.data = folder, folder / "home", folder / "data"
        self.data.mkdir()
        sales = pd.read_parquet(data / "sales.parquet")
        sales.drop(columns="day").to_csv(self.data / "sales.csv", index=False)

    def __call__(self, *arguments, config=None, **options):
        self.home.mkdir(exist_ok=True)
        (self.home / "dataroom.toml").write_text(config or "")
        folders = ["--data", self.data] if arguments[0] in ("run", "replay", "trace") else []
        return run(*arguments, "--home", self.home, *folders, **options)

    def table(self, code: str, config=None, cwd=None, **inputs) -> str:
        script = self.folder / "script.py"
        script.write_text(code)
        given = [word for name, data in inputs.items() for word in ("-i", f"{name}={data}")]
        said = self("run", script, *given, config=config, cwd=cwd).stderr
        return re.search(r"data_[0-9a-f]{32}", said)[0]

    def chain(self) -> list[str]:
        steps = [self.table(CHAIN[0], sales="sales")]
        for code in CHAIN[1:]:
            steps.append(self.table(code, t=steps[-1]))
        return steps

    def replay(self, data: str, code=0, **options) -> str:
        done = self("replay", data, check=False, **options)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def artifact(self, reference: str) -> Path:
        return next(self.home.rglob(f"{reference}.parquet"))

    def rewrite(self, reference: str, footer=lambda meta: meta, rows=lambda table: table):
        """What a hand that can write to the home can do to an artifact."""
        file = self.artifact(reference)
        table = pq.read_table(file)
        kept = dict(table.schema.metadata)
        meta = json.loads(pq.read_metadata(file).metadata[b"dataroom"])
        footer(meta)
        kept[b"dataroom"] = json.dumps(meta).encode()
        pq.write_table(rows(table).replace_schema_metadata(kept), file)


def test_a_five_step_chain_is_identical_100_of_100(shell):
    last = shell.chain()[-1]
    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(lambda _: shell("replay", last, check=False), range(100)))
    assert [done.returncode for done in said] == [0] * 100, said[0].stdout + said[0].stderr
    whole = {done.stdout for done in said}
    assert len(whole) == 1
    lines = whole.pop().splitlines()
    assert lines[-1] == "identical: 5 steps computed again, every value as recorded"
    assert lines[0] == "1. sales: same"
    assert len(lines) == 7 and all(line.endswith(": same") for line in lines[:6])


def test_a_chain_that_is_made_again_later_differs_only_in_its_time(shell):
    """The chain does draw, and its clock does run: two runs of it are not one."""
    first, second = shell.chain(), shell.chain()
    frames = [[pd.read_parquet(shell.artifact(ref)) for ref in refs] for refs in (first, second)]
    for one, other in zip(frames[0][:4], frames[1][:4], strict=True):
        pd.testing.assert_frame_equal(one, other)
    one, other = frames[0][4], frames[1][4]
    timed = ["at", "utc", "seconds"]
    assert (one[timed] != other[timed]).all().all()
    # What it took goes by fuel, and to work out a date costs a little more or less fuel by
    # which date it is.
    took = ["took", "cpu"]
    pd.testing.assert_frame_equal(one[took], other[took], rtol=1e-3)
    same = one.columns.difference(timed + took)
    pd.testing.assert_frame_equal(one[same], other[same])
    assert one["listed"].iloc[0] == "a,b,c"


def test_the_clock_is_right_and_goes_on(shell):
    began = datetime.now(timezone.utc)
    code = """\
import time
a = pd.Timestamp.now(tz="UTC"); time.sleep(0.25); b = pd.Timestamp.now(tz="UTC")
c = time.perf_counter(); sum(range(3_000_000)); d = time.perf_counter()
outputs["t"] = pd.DataFrame({"a": [a], "b": [b], "worked": [d - c]})
"""
    table = pd.read_parquet(shell.artifact(shell.table(code)))
    ended = datetime.now(timezone.utc)
    assert began - timedelta(seconds=1) <= table["a"][0] <= ended
    slept = (table["b"] - table["a"])[0].total_seconds()
    assert 0.25 <= slept < 0.3
    assert 0.005 < table["worked"][0] < 5


def test_a_changed_dataset_is_named_with_its_time_and_what_it_does(shell):
    table = shell.table("outputs['t'] = sales.assign(double=sales['units'] * 2)", sales="sales")
    file = shell.data / "sales.csv"
    text = file.read_text()
    # Other bytes, the same values: the table still comes out.
    file.write_text(text.replace("north", '"north"'))
    said = shell.replay(table, code=1).splitlines()
    assert said[0] == "1. sales: CHANGED"
    today = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:")
    assert re.search(rf"its content is [0-9a-f]{{64}} since {today}.*; it was [0-9a-f]{{64}}", said[1])
    assert re.match(r"2\. data_\w+ \(outputs\[\"t\"\]\): same", said[2])
    assert "note: computed from sales as it is now" in said[3]
    assert said[-1] == "not identical: step 1, sales: changed"
    # Other values: which, and where.
    file.write_text(text.replace("south,20.0,2", "south,20.0,7"))
    said = shell.replay(table, code=1)
    assert 'column "units" differs in 1 of 5 rows, first in row 2' in said
    assert 'column "double" differs in 1 of 5 rows, first in row 2' in said
    # And back.
    file.write_text(text)
    assert "identical: 1 step" in shell.replay(table)


def test_an_imported_file_is_found_from_another_folder_and_known_when_it_changed(shell):
    (shell.folder / "own.csv").write_text("a\n1\n2\n")
    table = shell.table("outputs['t'] = x + 1", x="./own.csv", cwd=shell.folder)
    assert "identical" in shell.replay(table, cwd="/")
    (shell.folder / "own.csv").write_text("a\n1\n3\n4\n")
    said = shell.replay(table, code=1, cwd="/")
    assert "own.csv: CHANGED" in said and "3 rows instead of 2" in said
    (shell.folder / "own.csv").unlink()
    said = shell.replay(table, code=1, cwd="/")
    assert "own.csv: GONE" in said and "its input ./own.csv is not there any more" in said


@pytest.mark.parametrize("how", ["deleted", "expired"])
def test_a_middle_step_that_is_gone_is_named_and_the_others_are_computed(shell, how):
    steps = shell.chain()
    if how == "deleted":
        shell.artifact(steps[2]).unlink()
    else:
        past = "2020-01-01T00:00:00Z"
        shell.rewrite(steps[2], footer=lambda meta: meta.update(expires=past))
    said = shell.replay(steps[4], code=1)
    assert f"{steps[2]}: GONE" in said and "unknown or expired" in said
    assert f"its input {steps[2]} is not there any more" in said
    # The last step has its input still.
    assert re.search(rf"{steps[4]} .*: same", said)


def test_a_step_of_another_version_is_computed_and_its_version_named(shell):
    table = shell.table("outputs['t'] = sales", sales="sales")
    engine = "start-00000000000000000000000000000000.cwasm"
    shell.rewrite(table, footer=lambda meta: meta["versions"].update(engine=engine, dataroom="0.0.1"))
    said = shell.replay(table)
    assert re.search(rf"note: made by engine {engine}, computed again by start-\w+\.cwasm", said)
    assert "note: made by dataroom 0.0.1, computed again by 0." in said
    assert "identical" in said


def test_a_step_of_a_version_without_a_clock_says_so(shell):
    table = shell.table("outputs['t'] = sales", sales="sales")
    shell.rewrite(table, footer=lambda meta: meta.pop("run"))
    said = shell.replay(table)
    assert "recorded no clock" in said and "identical" in said


CODE = """\
x = sales.copy()
x['half'] = x['units'] / 2
outputs['t'] = x
"""


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (CODE.replace("/ 2", "/ 4"), ['DIFFERS', 'column "half" differs in 5 of 5 rows, first in row 1']),
        (CODE.replace("'half'", "'part'"), ['column "half" is missing', 'column "part" is new']),
        (CODE.replace("/ 2", "// 2"), ['column "half" is int64 instead of float64']),
        (CODE.replace("sales.copy()", "sales.iloc[1:]"), ["4 rows instead of 5"]),
        (CODE.replace("copy()", "copy()[['units', 'region', 'amount']]"), ["another order"]),
        (CODE.replace("x['units'] / 2", "1 / 0"), ["FAILED", "ZeroDivisionError: division by zero, line 2"]),
        (CODE.replace("['t']", "['u']"), ["FAILED", 'the script put no outputs["t"]']),
        (CODE + "import sys; sys.exit(4)", ["FAILED", "left with code 4"]),
        (CODE + "while True: pass", ["FAILED", "met its limit wall_ms"]),
    ],
)
def test_a_step_that_differs_says_how(shell, code, words):
    table = shell.table(CODE, sales="sales")
    shell.rewrite(table, footer=lambda meta: meta["origin"].update(code=code))
    said = shell.replay(table, code=1, config="[limits]\nwall_ms = 2000\n")
    for word in words:
        assert word in said, said
    assert said.splitlines()[-1].startswith(f"not identical: step 2, {table}")


def test_rows_that_were_changed_in_the_file_are_found(shell):
    table = shell.table(CODE, sales="sales")

    def other(rows):
        frame = rows.to_pandas()
        frame.loc[3, "half"] = 17.5
        return rows.from_pandas(frame, schema=rows.schema)

    shell.rewrite(table, rows=other)
    said = shell.replay(table, code=1)
    assert 'column "half" differs in 1 of 5 rows, first in row 4' in said
    assert "the kept file's rows are not those that its record was made of" in said


def test_a_chain_with_one_wrong_step_names_that_step_alone(shell):
    steps = shell.chain()
    shell.rewrite(steps[3], footer=lambda meta: meta["origin"].update(
        code=meta["origin"]["code"].replace("/ 7", "/ 9")))
    said = shell.replay(steps[4], code=1)
    assert said.splitlines()[-1] == (
        f'not identical: step 5, {steps[3]} (outputs["t"]): differs'
    )
    assert said.count("DIFFERS") == 1 and said.count(": same") == 5
    assert 'column "text" differs in' in said


def test_real_time_can_be_had_and_is_marked_as_not_replayable(shell):
    real = '[policy]\nclock = "real"\n'
    code = "import time\nt0 = time.time(); time.sleep(0.05)\noutputs['t'] = pd.DataFrame({'a': [time.time() - t0]})"
    table = shell.table(code, config=real)
    assert pd.read_parquet(shell.artifact(table))["a"][0] >= 0.05
    said = shell.replay(table, code=1)
    assert "IMPOSSIBLE" in said and 'policy.clock = "real"' in said


def test_two_tables_of_one_run_are_both_compared(shell):
    code = "x = np.random.rand(3)\noutputs['a'] = pd.DataFrame({'x': x})\noutputs['b'] = pd.DataFrame({'x': x * 2})"
    script = shell.folder / "two.py"
    script.write_text(code)
    one, two = re.findall(r"data_[0-9a-f]{32}", shell("run", script).stderr)
    both = shell.table("outputs['t'] = a + b", a=one, b=two)
    assert "identical: 3 steps" in shell.replay(both)


def test_what_cannot_be_replayed_says_what_to_do(shell):
    done = shell("replay", "sales", check=False)
    assert done.returncode == 1 and done.stdout == ""
    assert "sales is a dataset" in done.stderr and "`dataroom list`" in done.stderr
    done = shell("replay", "data_" + "0" * 32, check=False)
    assert done.returncode == 1 and "unknown or expired dataRef" in done.stderr


def test_replay_keeps_nothing_and_changes_nothing(shell):
    last = shell.chain()[-1]
    before = {path: path.read_bytes() for path in shell.home.rglob("*.parquet")}
    shell.replay(last)
    assert {path: path.read_bytes() for path in shell.home.rglob("*.parquet")} == before


def test_json_is_what_trace_result_says_with_replay(shell, rooms):
    last = shell.chain()[-1]
    said = json.loads(shell("replay", last, "--json").stdout)
    assert said["replay"]["identical"] is True
    assert [step["verdict"] for step in said["replay"]["steps"]] == ["same"] * 6
    room = rooms(data=shell.data, home=shell.home)
    assert room.call("trace_result", data=last, replay=True).structured == said
    assert "replay" not in room.call("trace_result", data=last).structured
    (shell.data / "sales.csv").unlink()
    reply = room.call("trace_result", data=last, replay=True)
    assert not reply.failed and reply["replay"]["identical"] is False
    assert reply["replay"]["steps"][0] == {"data": "sales", "verdict": "gone", "details": reply["replay"]["steps"][0]["details"]}
    assert shell("replay", last, "--json", check=False).returncode == 1


def test_where_values_are_hidden_a_replay_tells_none(shell, rooms):
    table = shell.table(CODE, sales="sales")
    shell.rewrite(table, footer=lambda meta: meta["origin"].update(
        code="raise ValueError('SECRET-' + sales['region'][0])"))
    room = rooms(data=shell.data, home=shell.home, config='[policy]\nvalues = "none"\n')
    reply = room.call("trace_result", data=table, replay=True)
    step = reply["replay"]["steps"][-1]
    assert step["verdict"] == "failed"
    assert "SECRET-north" not in reply.text and "hidden" in str(step["details"])


def test_a_cancelled_replay_ends_and_the_room_goes_on(rooms, shell):
    slow = "import time; time.sleep(3)\noutputs['t'] = pd.DataFrame({'a': [1]})"
    table = shell.table(slow)
    room = rooms(home=shell.home, config="[serve]\nconcurrency = 1\n")
    room.result("result = 1")

    async def cancelled():
        with anyio.move_on_after(0.5):
            await room.acall("trace_result", data=table, replay=True)

    room.portal.call(cancelled)
    began = time.perf_counter()
    assert room.result("result = 1") == 1
    assert time.perf_counter() - began < 1
