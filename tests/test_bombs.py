"""Small files and messages that stand for gigabytes: the server's memory stays bounded.

Each file is written by pyarrow. What the server takes at its most is the kernel's word
(VmHWM); a run may have MEMORY bytes, and what it decodes for a run no more than that.
"""

import base64
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

MEMORY = 500_000_000
# Guest and decoded columns each up to the limit, the start image, and what is transient.
MOST = 2 * MEMORY + 300_000_000
CONFIG = f"[limits]\nmemory_bytes = {MEMORY}\n[policy]\nvalues = 'sample'\n"

LONG = "x" * 60_000


def repeated(value, rows, arrow_type):
    indices = pa.array(np.zeros(rows, "int32"))
    return pa.DictionaryArray.from_arrays(indices, pa.array([value], arrow_type))


def lists(rows, each):
    offsets = pa.array(np.arange(rows + 1, dtype="int32") * each)
    return pa.ListArray.from_arrays(offsets, pa.array(np.zeros(rows * each, "int64")))


# What is in the column, how it is written, and whether it fits into a run.
BOMBS = {
    "text": (lambda: pa.array([LONG] * 100_000, pa.large_string()), {}, True),
    "bytes": (lambda: pa.array([LONG.encode()] * 30_000, pa.binary()), {}, True),
    "category": (lambda: repeated(LONG, 100_000, pa.string()), {}, True),
    "lists": (lambda: lists(20_000, 5_000), {}, False),
    "one_list": (lambda: lists(1, 100_000_000), {}, False),
    "lists_of_text": (
        lambda: pa.ListArray.from_arrays(
            pa.array([0, 50_000], pa.int32()), pa.array([LONG] * 50_000, pa.large_string())
        ),
        {},
        False,
    ),
    "pages": (
        lambda: pa.array([LONG] * 20_000, pa.large_string()),
        {"use_dictionary": False, "data_page_size": 1 << 30},
        False,
    ),
    "gzip": (
        lambda: pa.array([LONG] * 20_000, pa.large_string()),
        {"use_dictionary": False, "data_page_size": 1 << 30, "compression": "gzip"},
        False,
    ),
    "prefixes": (
        lambda: pa.array([LONG] * 30_000, pa.large_string()),
        {"use_dictionary": False, "column_encoding": {"a": "DELTA_BYTE_ARRAY"}},
        False,
    ),
    "nulls": (lambda: pa.nulls(100_000_000, pa.int64()), {}, False),
    "booleans": (lambda: pa.array(np.zeros(600_000_000, bool)), {"data_page_size": 1 << 30}, False),
}


@pytest.fixture(scope="module")
def bombs(module_rooms, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bombs")
    for name, (make, options, _) in BOMBS.items():
        table = pa.table({"a": make()})
        options = {"compression": "zstd", "use_dictionary": True} | options
        pq.write_table(table, folder / f"{name}.parquet", row_group_size=1 << 30, **options)
        assert (folder / f"{name}.parquet").stat().st_size < 6_000_000
        del table
    pq.write_table(pa.table({"a": [1, 2, 3]}), folder / "small.parquet")
    room = module_rooms(data=folder, config=CONFIG)
    room.files = folder
    return room


class Peak:
    """The most memory that the server had since."""

    def __init__(self, room):
        self.status = Path(f"/proc/{room.pid}/status")
        Path(f"/proc/{room.pid}/clear_refs").write_text("5")

    def bytes(self):
        lines = self.status.read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def works(room):
    assert room.result("result = int(d.a.sum())", d="small") == 6


@pytest.mark.parametrize("name", BOMBS)
def test_a_run_decodes_no_more_than_its_memory(bombs, name):
    peak = Peak(bombs)
    reply = bombs.python("result = len(d)", d=name)
    assert peak.bytes() < MOST, peak.bytes()
    if BOMBS[name][2]:
        assert reply["result"] == len(BOMBS[name][0]())
    else:
        assert reply.failed
        assert "column 'a'" in reply.text or 'column \\"a\\"' in reply.text or reply.ending in {
            "limit:memory_bytes", "limit:wall_ms"
        }, reply.text
    works(bombs)


@pytest.mark.parametrize("name", BOMBS)
def test_a_description_takes_bounded_memory(bombs, name):
    peak = Peak(bombs)
    bombs.call("describe_data", data=name)
    # Its own bound is that of one batch.
    assert peak.bytes() < 2_600_000_000, peak.bytes()
    works(bombs)


DOOR = """
import base64, json, os, _host
def call(op, **fields):
    fields['op'] = op
    return json.loads(_host.call(json.dumps(fields).encode()))
"""


@pytest.mark.parametrize("name", ["text", "lists", "prefixes"])
def test_eight_readers_share_one_budget(bombs, name):
    file = base64.b64encode((bombs.files / f"{name}.parquet").read_bytes()).decode()
    code = DOOR + (
        f"open('/work/d', 'wb').write(base64.b64decode({file!r}))\n"
        "fd = os.open('/work/d', os.O_RDONLY)\n"
        "readers = [call('open', fd=fd)['ok']['reader'] for _ in range(8)]\n"
        "result = [str(call('next_column', reader=reader))[:300] for reader in readers]\n"
    )
    peak = Peak(bombs)
    reply = bombs.python(code)
    assert reply.ending in {"completed", "limit:wall_ms"}, reply.text
    assert peak.bytes() < MOST, (peak.bytes(), reply.text)
    works(bombs)


def test_a_scratch_file_is_not_copied_for_each_reader(bombs):
    """And threads of closed readers do not pile up."""
    code = DOOR + """
rows = np.random.default_rng(1).integers(0, 2**62, 6_000_000)
pd.DataFrame({'a': rows[:3_000_000], 'b': rows[3_000_000:]}).to_parquet('/work/q')
fd = os.open('/work/q', os.O_RDONLY)
for _ in range(200):
    reader = call('open', fd=fd)['ok']['reader']
    call('close', reader=reader)
result = os.path.getsize('/work/q')
"""
    peak = Peak(bombs)
    began = time.monotonic()
    assert bombs.result(code) > 40_000_000
    assert peak.bytes() < MOST, peak.bytes()
    assert time.monotonic() - began < 30


def test_a_few_rows_with_thousands_of_keys_are_refused_before_they_are_spread(bombs):
    code = (
        "outputs['t'] = pd.DataFrame({'a': [{f'k{i}': 1 for i in range(20_000)}]"
        " + [{'k0': 1}] * 20_000})"
    )
    peak = Peak(bombs)
    reply = bombs.python(code)
    assert reply.ending == "limit:output_bytes", reply.text
    assert peak.bytes() < MOST, peak.bytes()


def test_codes_of_a_long_text_are_refused_before_they_are_spread(bombs):
    code = "outputs['t'] = pd.DataFrame({'a': pd.Series(['x' * 60_000]).repeat(1_000_000)})"
    peak = Peak(bombs)
    reply = bombs.python(code)
    assert reply.failed and reply.ending in {"limit:output_bytes", "limit:memory_bytes"}, reply.text
    assert peak.bytes() < MOST, peak.bytes()
