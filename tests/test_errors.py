"""Errors that a model can act on: the script, and what has to be said of it."""

from pathlib import Path

import pytest

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
