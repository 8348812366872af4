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

MEMORY = 300_000_000
# Guest and decoded columns each up to the limit, the start image, and what is transient.
MOST = 2 * MEMORY + 300_000_000
CONFIG = f"[limits]\nmemory_bytes = {MEMORY}\n"

LONG = "x" * 60_000
# Written as the plain type, from a dictionary that pyarrow need not spread.
PLAIN = {"store_schema": False}
PAGE = {"use_dictionary": False, "data_page_size": 1 << 30}


def repeated(value, rows, arrow_type):
    codes = pa.array(np.zeros(rows, "int32"))
    return pa.DictionaryArray.from_arrays(codes, pa.array([value], arrow_type))


def long_texts(rows):
    return pa.array([LONG] * rows, pa.large_string())


def lists(rows, values):
    offsets = pa.array(np.linspace(0, len(values), rows + 1).astype("int64"))
    return pa.LargeListArray.from_arrays(offsets, values)


def zeros(count):
    return pa.array(np.zeros(count, "int64"))


# What is in the column, how it is written, and the rows if they fit into a run.
BOMBS = {
    "text": (lambda: long_texts(20_000), {}, 20_000),
    "bytes": (lambda: repeated(LONG.encode(), 30_000, pa.binary()), PLAIN, 30_000),
    "category": (lambda: repeated(LONG, 100_000, pa.string()), {}, 100_000),
    "lists": (lambda: lists(20_000, zeros(50_000_000)), {}, None),
    "one_list": (lambda: lists(1, zeros(50_000_000)), {}, None),
    "lists_of_text": (lambda: lists(1, long_texts(10_000)), {}, 1),
    "pages": (lambda: long_texts(10_000), PAGE, None),
    "gzip": (lambda: long_texts(10_000), PAGE | {"compression": "gzip"}, None),
    "prefixes": (
        lambda: long_texts(10_000),
        PAGE | {"column_encoding": {"a": "DELTA_BYTE_ARRAY"}, "data_page_size": 1 << 20},
        None,
    ),
    "nulls": (lambda: pa.nulls(50_000_000, pa.int64()), {}, None),
    "booleans": (lambda: pa.array(np.zeros(400_000_000, bool)), PAGE, None),
}


class Folder:
    """The bombs that were asked for."""

    def __init__(self, path):
        self.path = path

    def file(self, name):
        file = self.path / f"{name}.parquet"
        if not file.exists():
            make, options, _ = BOMBS[name]
            options = {"compression": "zstd"} | options
            pq.write_table(pa.table({"a": make()}), file, row_group_size=1 << 30, **options)
            assert file.stat().st_size < 6_000_000
        return file


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    path = tmp_path_factory.mktemp("bombs")
    pq.write_table(pa.table({"a": [1, 2, 3]}), path / "small.parquet")
    return Folder(path)


@pytest.fixture(scope="module")
def bombs(module_rooms, files):
    return module_rooms(data=files.path, config=CONFIG)


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
def test_a_run_decodes_no_more_than_its_memory(bombs, files, name):
    files.file(name)
    peak = Peak(bombs)
    # A script that only wants the number of rows is given no column.
    reply = bombs.python("result = d.shape[0]", d=name)
    assert peak.bytes() < MOST, (peak.bytes(), reply.text)
    if rows := BOMBS[name][2]:
        assert reply["result"] == rows, reply.text
    else:
        assert reply.failed
        named = "a" in reply.text and "memory" in reply.text
        assert named or reply.ending in {"limit:memory_bytes", "limit:wall_ms"}, reply.text
    works(bombs)


@pytest.mark.parametrize("name", BOMBS)
def test_a_description_takes_bounded_memory(bombs, files, name):
    files.file(name)
    peak = Peak(bombs)
    bombs.call("describe_data", data=name)
    # A page, or a list of a row, is unpacked as a whole.
    assert peak.bytes() < 2_600_000_000, peak.bytes()
    works(bombs)


DOOR = """
import base64, json, os, _host
def call(op, **fields):
    fields['op'] = op
    return json.loads(_host.call(json.dumps(fields).encode()))
"""


@pytest.mark.parametrize("name", ["text", "lists", "prefixes"])
def test_eight_readers_share_one_budget(bombs, files, name):
    file = base64.b64encode(files.file(name).read_bytes()).decode()
    code = DOOR + (
        f"open('d', 'wb').write(base64.b64decode({file!r}))\n"
        "fd = os.open('d', os.O_RDONLY)\n"
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
rows = np.random.default_rng(1).integers(0, 2**62, 4_000_000)
pd.DataFrame({'a': rows[:2_000_000], 'b': rows[2_000_000:]}).to_parquet('q')
fd = os.open('q', os.O_RDONLY)
for _ in range(200):
    reader = call('open', fd=fd)['ok']['reader']
    call('close', reader=reader)
result = os.path.getsize('q')
"""
    peak = Peak(bombs)
    began = time.monotonic()
    assert bombs.result(code) > 30_000_000
    assert peak.bytes() < MOST, peak.bytes()
    assert time.monotonic() - began < 30


def test_a_few_rows_with_thousands_of_keys_are_refused_before_they_are_spread(bombs):
    code = (
        "outputs['t'] = pd.DataFrame({'a': [{f'k{i}': 1 for i in range(12_000)}]"
        " + [{'k0': 1}] * 12_000})"
    )
    peak = Peak(bombs)
    reply = bombs.python(code)
    assert reply.failed and "12000 different keys" in reply.text, reply.text
    assert peak.bytes() < MOST, peak.bytes()


def test_codes_of_a_long_text_are_refused_before_they_are_spread(bombs):
    code = "outputs['t'] = pd.DataFrame({'a': pd.Series(['x' * 60_000]).repeat(20_000)})"
    peak = Peak(bombs)
    reply = bombs.python(code)
    assert reply.failed and reply.ending in {"limit:output_bytes", "limit:memory_bytes"}, reply.text
    assert peak.bytes() < MOST, peak.bytes()


def test_memory_is_given_back_after_tables_of_many_small_parts(bombs):
    """glibc kept what was freed: an idle server grew to two gigabytes."""
    code = (
        "outputs['t'] = pd.DataFrame({'a': [{f'k{i}': 1 for i in range(2_000)}]"
        " + [{'k0': 1}] * 2_000})"
    )
    for _ in range(4):
        assert not bombs.python(code).failed
    status = Path(f"/proc/{bombs.pid}/status")
    for _ in range(100):
        lines = status.read_text().splitlines()
        resident = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))
        if resident < 300_000_000:
            return
        time.sleep(0.1)
    raise AssertionError(resident)


def test_an_interpreter_that_aborts_for_want_of_memory_met_that_limit(bombs):
    """CPython cannot raise MemoryError everywhere; what it does instead is to abort."""
    reply = bombs.python("a = []\nwhile True: a.append([1, 2, 3])")
    assert reply.ending == "limit:memory_bytes", reply.text
    assert "smaller types" in reply["error"]["hint"]
    assert bombs.python("import os; os.abort()").ending == "aborted"
