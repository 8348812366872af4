"""Workbooks that no spreadsheet program writes, titles above tables, and what number formats say."""

import datetime
import io
import random
import sys
import zipfile
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parent / "formats"))

import books  # noqa: E402
import raw_books  # noqa: E402
from conftest import types_of  # noqa: E402
from raw_books import HEAD, READ, REFUSED, raw, row, second  # noqa: E402
from test_formats import plain, read  # noqa: E402


@pytest.fixture(scope="module")
def room(module_rooms, tmp_path_factory):
    path = tmp_path_factory.mktemp("books")
    for name, contents in READ.items():
        (path / f"{name}.xlsx").write_bytes(contents)
    for name, (contents, _) in REFUSED.items():
        (path / f"{name}.xlsx").write_bytes(contents)
    return module_rooms(data=path)


def as_pandas(contents):
    """Columns as pandas reads them; a day is a moment of its midnight in both."""
    frame = pd.read_excel(io.BytesIO(contents), keep_default_na=False, na_values=["#N/A"])
    return {str(name): [same(v) for v in frame[name].tolist()] for name in frame.columns}


def same(value):
    if isinstance(value, pd.Timedelta | datetime.timedelta):
        return value.total_seconds()
    value = plain(value)
    if value == "":
        return None
    return value.removesuffix("T00:00:00") if isinstance(value, str) else value


@pytest.mark.parametrize("name", READ)
def test_a_book_written_by_hand_is_read_as_openpyxl_reads_it(room, name):
    frame = read(room, name)
    assert {column: [same(v) for v in values] for column, values in frame.items()} == as_pandas(READ[name])


@pytest.mark.parametrize("name", REFUSED)
def test_a_book_that_contradicts_itself_is_refused_with_the_cell(room, name):
    reply = room.call("describe_data", data=name)
    assert reply.failed, reply.text
    assert REFUSED[name][1] in reply.text and f"{name}.xlsx" in reply.text and "sheet data" in reply.text, reply.text
    assert not room.call("describe_data", data="plain").failed


def one(rooms, tmp_path, name, contents, **options):
    data = tmp_path / "data"
    data.mkdir(exist_ok=True)
    (data / name).write_bytes(contents)
    return rooms(data, **options)


def test_a_promise_of_texts_that_no_memory_holds_is_not_believed(rooms, tmp_path):
    # A library reserved what the file said that it would need.
    parts = zipfile.ZipFile(io.BytesIO(raw(HEAD + raw_books.TWO)))
    parts = {name: parts.read(name) for name in parts.namelist()}
    texts = parts["xl/sharedStrings.xml"].replace(b'uniqueCount="6"', b'uniqueCount="9999999999999999"')
    room = one(rooms, tmp_path, "lie.xlsx", books.packed({**parts, "xl/sharedStrings.xml": texts}))
    assert read(room, "lie") == {"a": [1], "b": [2]}


def test_parts_are_found_by_what_is_said_of_them_not_by_name(rooms, tmp_path):
    parts = zipfile.ZipFile(io.BytesIO(raw(HEAD + raw_books.TWO)))
    moved = {}
    for name in parts.namelist():
        text = parts.read(name).decode().replace('Target="xl/workbook.xml"', 'Target="/Main/Book.xml"')
        text = text.replace('Target="sharedStrings.xml"', 'Target="../other/words.XML"')
        name = name.replace("xl/_rels/workbook", "main/_rels/book").replace("xl/workbook", "main/book")
        name = name.replace("xl/sharedStrings.xml", "other\\Words.xml").replace("xl/", "main/")
        moved[name] = text
    room = one(rooms, tmp_path, "moved.xlsx", books.packed(moved))
    assert read(room, "moved") == {"a": [1], "b": [2]}


def test_days_that_no_calendar_has_stay_numbers(rooms, tmp_path):
    cells = "".join(
        row(at, f'<c r="A{at}" s="1"><v>{value}</v></c><c r="B{at}" s="2"><v>{value}</v></c>')
        for at, value in enumerate(["-1", "60", "1e300", "9e15"], 2)
    )
    room = one(rooms, tmp_path, "days.xlsx", raw(HEAD + cells))
    assert read(room, "days")["a"] == [-1, 60, 1e300, 9e15]
    assert types_of(room.call("describe_data", data="days", columns=["b"])) == {"b": "text"}


def test_a_formula_without_a_value_is_told_with_its_cell(rooms, tmp_path):
    # Nulls without a word: a script's workbook that no program has computed yet.
    book = openpyxl.Workbook()
    for line in [["n", "twice", "text"], [1, "=A2*2", '="x"'], [2, "=A3*2", "y"]]:
        book.active.append(line)
    room = one(rooms, tmp_path, "f.xlsx", books.saved(book))
    assert read(room, "f") == {"n": [1, 2], "twice": [None, None], "text": [None, "y"]}
    words = "3 formulas have no value in the file (first in B2) and are read as missing in twice, text"
    assert any(note.startswith(words) for note in room.call("describe_data", data="f")["notes"])
    # Whoever computes with such a column is told, whoever does not is not.
    warned = room.call("query_data", sql="SELECT count(twice) AS s FROM f")["warnings"]
    assert warned[0].startswith(f"f: {words}"), warned
    assert room.call("query_data", sql="SELECT sum(n) AS s, count(*) AS c FROM f")["warnings"] == []
    ran = room.call("run_python", code="result = int(f.n.sum())", inputs={"f": "f"})
    assert ran["result"] == 3 and ran["warnings"][0].startswith(f"f: {words}"), ran.text
    computed = second('<c r="A2"><f>1+1</f><v>2</v></c><c r="B2" t="str"><f>""</f><v></v></c>')
    room = one(rooms, tmp_path, "g.xlsx", raw(computed))
    assert room.call("describe_data", data="g")["notes"] == []


def test_a_formula_of_an_ods_without_a_value_is_told(rooms, tmp_path):
    formula = '<table:table-cell table:formula="of:=[.A1]"/>'
    lines = [books.ods_cell("a") + books.ods_cell("b"), books.ods_cell(1) + formula]
    body = "".join(f"<table:table-row>{line}</table:table-row>" for line in lines)
    body = f'<table:table table:name="s">{body}</table:table>'
    room = one(rooms, tmp_path, "f.ods", books.ods(body=body))
    assert any("1 formulas have no value in the file (first in B2)" in n for n in room.call("describe_data", data="f")["notes"])


@pytest.mark.parametrize(
    "cell",
    [
        '<table:table-cell office:value-type="float" office:value="one"/>',
        '<table:table-cell office:value-type="float" office:value="NaN"/>',
        '<table:table-cell office:value-type="float"/>',
        '<table:table-cell office:value-type="date" office:date-value="2024-02-30"/>',
        '<table:table-cell office:value-type="boolean" office:boolean-value="maybe"/>',
    ],
)
def test_a_cell_of_an_ods_that_is_not_what_it_says_is_refused(rooms, tmp_path, cell):
    lines = [books.ods_cell("a") + books.ods_cell("b"), books.ods_cell(1) + cell]
    body = "".join(f"<table:table-row>{line}</table:table-row>" for line in lines)
    room = one(rooms, tmp_path, "w.ods", books.ods(body=f'<table:table table:name="s">{body}</table:table>'))
    reply = room.call("describe_data", data="w")
    assert reply.failed and "sheet s" in reply.text and "the cell B2 has no value of the type" in reply.text


def test_merged_cells_below_the_names_are_told(rooms, tmp_path):
    book = openpyxl.Workbook()
    for line in [["group", "n"], ["x", 1], [None, 2], ["y", 3]]:
        book.active.append(line)
    book.active.merge_cells("A2:A3")
    room = one(rooms, tmp_path, "m.xlsx", books.saved(book))
    assert read(room, "m")["group"] == ["x", None, "y"]
    assert any("1 areas of merged cells (first at A2)" in note for note in room.call("describe_data", data="m")["notes"])


def test_an_old_book_or_one_with_a_password_is_named_as_such(rooms, tmp_path):
    room = one(rooms, tmp_path, "old.xlsx", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600))
    reply = room.call("describe_data", data="old")
    assert reply.failed and "an old .xls file or has a password" in reply.text


@pytest.mark.parametrize("seed", range(4))
def test_a_book_with_any_bytes_changed_is_read_or_refused_and_the_server_lives(rooms, tmp_path, seed):
    source = random.Random(seed)
    parts = zipfile.ZipFile(io.BytesIO(raw(HEAD + raw_books.TWO + raw_books.LATE)))
    parts = {name: parts.read(name) for name in parts.namelist()}
    data = tmp_path / "data"
    data.mkdir()
    for at in range(60):
        name = source.choice(["xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml", "xl/workbook.xml"])
        text = bytearray(parts[name])
        for _ in range(source.randint(1, 4)):
            place = source.randrange(len(text))
            text[place : place + source.randint(0, 3)] = source.choice([b"", b"<", b">", b"/", b'"', b"-9", b"1e9", b"A1", b"\xff"])
        (data / f"b{at}.xlsx").write_bytes(books.packed({**parts, name: bytes(text)}))
    (data / "good.xlsx").write_bytes(READ["plain"])
    room = rooms(data)
    for at in range(60):
        reply = room.call("describe_data", data=f"b{at}.xlsx")
        assert "panic" not in reply.text and "internal" not in reply.text.lower(), reply.text
    assert read(room, "good") == {"a": [1, 3], "b": [2, 4]}
