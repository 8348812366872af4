"""Errors that a model can act on: the script, and what has to be said of it."""

import json
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from conftest import BINARY

# A script; the exception's class; the line; words of message, source or hint.
SCRIPTS = [
    ("x = 1\ny = x / 0\n", "ZeroDivisionError", 2, ["division by zero", "y = x / 0"]),
    ("def f(a):\n    return a['b']\n\nf({})\n", "KeyError", 2, ["'b'"]),
    ("import pandas as pd\n\npd.DataFrame({'a': [1]})['b']\n", "KeyError", 3, ["'b'"]),
    ("raise ValueError('my own words')", "ValueError", 1, ["my own words"]),
    ("x = (1,\ny = 2\n", "SyntaxError", None, ["never closed"]),
    ("if True:\nprint(1)\n", "IndentationError", 2, ["expected an indented block"]),
    ("amount = 1\nprint(amuont)\n", "NameError", 2, ["amount"]),
    ("import pandas as pd\npd.DataFarme()\n", "AttributeError", 2, ["DataFrame"]),
    ("import polars\n", "ModuleNotFoundError", 1, ["polars", "pandas"]),
    ("import duckdb\n", "ModuleNotFoundError", 1, ["duckdb"]),
    ("import requests\n", "ModuleNotFoundError", 1, ["requests", "network"]),
    (
        "import pandas as pd\nresult = pd.DataFrame({'a': [1]})\n",
        None,
        None,
        ["DataFrame", "outputs"],
    ),
    ("outputs['x'] = object()\n", None, None, ["x", "DataFrame"]),
    ("result = object()\n", None, None, ["result", "object"]),
    ("result = 'x' * 100_000\n", None, None, ["result", "outputs"]),
    ("import pandas as pd\npd.read_csv('/nowhere.csv')\n", "FileNotFoundError", 2, ["inputs"]),
    ("open('/etc/passwd')\n", "FileNotFoundError", 1, []),
    ("assert 1 == 2, 'not equal'\n", "AssertionError", 1, ["not equal"]),
    (
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise TypeError('outer') from e\n",
        "TypeError",
        4,
        ["outer"],
    ),
]


@pytest.mark.parametrize(("code", "kind", "line", "words"), SCRIPTS)
def test_a_script_hears_what_is_wrong_with_it(room, code, kind, line, words):
    reply = room.python(code)
    assert reply.failed
    error = reply["error"]
    if kind:
        assert error["kind"] == kind, reply.text
    if line:
        assert error["line"] == line, reply.text
        assert error["source"].strip() == code.splitlines()[line - 1].strip()
    for word in words:
        assert word in reply.text, (word, reply.text)
    # Only the script's own frames: nothing of ours, nothing of the libraries.
    for ours in ["site-packages", "python315.zip", "_dataroom", "/usr/local", "prologue"]:
        assert ours not in reply.text, reply.text


def test_a_syntax_error_has_its_column(room):
    error = room.python("a = 1\nb = = 2\n")["error"]
    # The second `=` is the fifth character.
    assert (error["line"], error["column"], error["source"]) == (2, 5, "b = = 2")


REFERENCE = "data_" + "0" * 32
REFUSALS = [
    ("run_python", {"code": "1", "inputs": {"sales": "sles"}}, ["sles", "sales", "list_data"]),
    ("run_python", {"code": "1", "inputs": {"a b": "sales"}}, ["a b", "variable name"]),
    ("run_python", {"code": "1", "inputs": {"class": "sales"}}, ["class", "keyword"]),
    ("run_python", {"code": "1", "inputs": {"outputs": "sales"}}, ["outputs"]),
    ("run_python", {"code": "1", "inputs": {"x": REFERENCE}}, ["unknown or expired dataRef"]),
    ("run_python", {"code": "1", "inputs": {"x": "data_zz"}}, ["unknown or expired dataRef"]),
    ("run_python", {"code": 1}, ["code", "string"]),
    ("run_python", {"cod": "1"}, ["code", "missing"]),
    ("describe_data", {"data": REFERENCE}, ["unknown or expired dataRef", "again"]),
    ("describe_data", {"data": "salse"}, ["salse", "sales"]),
    ("describe_data", {"data": "sales", "columns": ["amuont"]}, ["amuont", "amount"]),
    ("describe_data", {"data": "../sales"}, ["../sales"]),
    ("describe_data", {"data": "/etc/passwd"}, ["/etc/passwd"]),
    ("export_data", {"data": "sales", "format": "xls"}, ["xls", "xlsx", "csv"]),
    ("export_data", {"data": REFERENCE, "format": "csv"}, ["unknown or expired dataRef"]),
    ("trace_result", {"data": REFERENCE}, ["unknown or expired dataRef"]),
]


def test_a_message_without_a_suggestion_is_said_once(room):
    error = room.python("quite_unheard_of")["error"]
    assert error["message"] == "name 'quite_unheard_of' is not defined"
    error = room.python("import os\nos.fork()")["error"]
    assert error["message"] == "module 'os' has no attribute 'fork'"


@pytest.mark.parametrize(("tool", "arguments", "words"), REFUSALS)
def test_a_refusal_names_the_thing_and_the_next_step(room, tool, arguments, words):
    reply = room.call(tool, **arguments)
    assert reply.failed
    for word in words:
        assert word in reply.text, (word, reply.text)


@pytest.mark.parametrize(
    "name", ["../x", "/etc/x", "a/b", "..", ".hidden", "a\\b", "C:x", "x\0y", "ё", "x" * 300, "", "con"]
)
def test_an_export_stays_in_its_folder_whatever_it_is_called(room, name):
    reply = room.call("export_data", data="sales", format="csv", name=name)
    # Refused or renamed; never somewhere else.
    if not reply.failed:
        file = Path(reply["file"])
        assert file.parent == room.home / "exports" and file.is_file()
    assert not (room.home / "x.csv").exists()


def test_an_export_replaces_no_file(room):
    one, two = (room.export("sales", "csv", "same") for _ in range(2))
    assert one != two and one.read_bytes() == two.read_bytes()


def test_a_foreign_reference_is_refused_in_the_same_words_as_an_unknown_one(room, rooms):
    foreign = rooms().table("import pandas as pd; outputs['t'] = pd.DataFrame({'a': [1]})")
    said = room.call("describe_data", data=foreign).text
    unknown = room.call("describe_data", data=REFERENCE).text
    assert said.replace(foreign, "") == unknown.replace(REFERENCE, "")


def test_a_failed_run_keeps_nothing(room):
    before = room.call("list_data").text
    code = "import pandas as pd\noutputs['t'] = pd.DataFrame({'a': [1]})\n1/0\n"
    assert room.python(code).failed
    assert room.call("list_data").text == before


NESTED = [
    ("[[2**64], [1]]", ["'a'", "64 bits", "text"]),
    ("[[2**53 + 1], [0.5]]", ["9007199254740993", "text"]),
    ("[{'v': 1}, {'v': 'x'}]", ["'a'", "different kinds", "json.dumps"]),
]


@pytest.mark.parametrize(("values", "words"), NESTED)
def test_a_nested_value_that_would_change_is_refused_by_name(room, values, words):
    reply = room.python(f"outputs['t'] = pd.DataFrame({{'a': {values}}})")
    assert reply.failed
    for word in ["outputs['t']", *words]:
        assert word in reply.text or word.replace("'", '\\"') in reply.text, (word, reply.text)


def test_nested_whole_numbers_of_64_bits_are_kept(room):
    code = "outputs['t'] = pd.DataFrame({'a': [[2**63 - 1, -2**63], [1]]})"
    data = room.table(code)
    assert room.result("result = [str(n) for n in t.a[0]]", t=data) == [str(2**63 - 1), str(-(2**63))]


def test_a_misused_door_says_what_to_use(room):
    error = room.python("import _host, json\nresult = json.loads(_host.call(b'[1]'))")
    assert "does not understand" in error.text and "to_parquet" in error.text, error.text


ZONE = """
import _host, json
values = np.zeros(1, np.int64)
column = {'name': 'a', 'kind': 'time', 'type': 'timestamp', 'unit': 'ns', 'zone': ZONE,
          'values': values.__array_interface__['data'][0]}
message = {'op': 'table', 'output': 't', 'rows': 1, 'columns': [column]}
result = json.loads(_host.call(json.dumps(message).encode()))
"""


@pytest.mark.parametrize("zone", ["../../etc/passwd", "Mars/Phobos", "", "x" * 200])
def test_a_zone_that_nobody_knows_is_not_stored(room, zone):
    reply = room.python(f"ZONE = {zone!r}\n{ZONE}")
    assert "time zone" in reply["result"]["error"]["message"], reply.text
    assert not reply["outputs"]


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "Etc/GMT+5", "US/Eastern", "+05:30", "-11:00"])
def test_a_known_zone_is_stored(room, zone):
    reply = room.python(f"ZONE = {zone!r}\n{ZONE}")
    assert reply["outputs"]["t"]["rows"] == 1, reply.text


NUL = """
k = n["a"]
result = {
    "unique": k.unique().tolist(), "codes": pd.factorize(k)[0].tolist(), "isin": k.isin(["x"]).tolist(),
    "sums": n.groupby("a")["b"].sum().to_dict(), "merged": len(n.merge(n, on="a")),
    "counts": k.value_counts().to_dict(), "one": n.drop_duplicates("a")["b"].tolist(),
    "dummies": list(pd.get_dummies(k)), "categories": k.astype("category").cat.categories.tolist(),
    "at": n.set_index("a").loc["x\\0z", "b"].tolist(), "lengths": k.str.len().tolist(),
}
import json
result = json.dumps(result).replace("\\u0000", "<NUL>")
"""


def test_texts_with_a_nul_are_told_apart(rooms, tmp_path):
    """They were one text to pandas here, which was warned of."""
    frame = pd.DataFrame({"a": ["x\0y", "x\0z", "x", "x\0z"] * 3, "b": range(12)})
    frame.to_parquet(tmp_path / "n.parquet")
    scope = {"pd": pd, "n": pd.read_parquet(tmp_path / "n.parquet")}
    exec(NUL, scope)
    reply = rooms(data=tmp_path).python(NUL, n="n")
    assert reply["result"] == scope["result"] and "NUL" not in str(reply["warnings"])


def test_a_message_that_is_too_long_is_answered(tmp_path):
    """rmcp drops a line of over 16 MiB: whoever sent it waited for ever."""
    home = ["--home", str(tmp_path / "home")]
    server = subprocess.Popen(
        [str(BINARY), "serve", *home], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    def ask(message):
        server.stdin.write(message + "\n")
        server.stdin.flush()
        return json.loads(server.stdout.readline())

    hello = {"protocolVersion": "2025-06-18", "capabilities": {},
             "clientInfo": {"name": "test", "version": "1"}}
    ask(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}))
    server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    long = "x" * 40_000_000
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": "run_python", "arguments": {"code": long}}}
    answer = ask(json.dumps(call))
    assert answer["id"] == 2 and "longer than" in answer["error"]["message"], answer
    # Its id comes after more than is looked at: an error without one.
    answer = ask(json.dumps({"params": {"a": long}, "id": 3}))
    assert answer.get("id") is None and answer["error"]["code"] == -32600, answer
    answer = ask('{"jsonrpc":"2.0","id":4,"method":"tools/list"}')
    assert answer["id"] == 4 and answer["result"]["tools"]
    server.stdin.close()
    assert server.wait(10) == 0
