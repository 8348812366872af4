"""Files of every format as people have them: the room reads what pandas, told how, reads."""

import datetime
import decimal
import gzip
import io
import math
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import types_of
from test_bombs import Peak

sys.path.insert(0, str(Path(__file__).parent / "formats"))

import books  # noqa: E402
from texts import REFUSED, TEXT, TEXTS  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("formats")
    for cases in (TEXTS, REFUSED, TEXT):
        for name, (contents, *_) in cases.items():
            (path / name).write_bytes(contents)
    return path


@pytest.fixture(scope="module")
def room(module_rooms, folder):
    return module_rooms(data=folder)


def plain(value):
    """A value as it is compared: a missing one is None, a moment its text."""
    if value is None or value is pd.NaT or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, pd.Timestamp):
        return value.isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return value.item() if hasattr(value, "item") else value


def table(frame):
    return {name: [plain(v) for v in frame[name].tolist()] for name in frame.columns}


def read(room, name):
    """The whole table, through a Parquet export."""
    frame = pd.read_parquet(room.export(name, "parquet"), dtype_backend="pyarrow")
    return {column: [plain(v) for v in frame[column].tolist()] for column in frame.columns}


def expected(folder, name, options):
    options = dict(options)
    form, moment = options.pop("date", None), options.pop("moment", None)
    columns = options.pop("dates", ["d"])
    source = io.BytesIO(options.pop("inner")) if "inner" in options else folder / name
    frame = pd.read_csv(source, **options)
    for column in columns if form or moment else []:
        frame[column] = pd.to_datetime(frame[column], format=form or moment)
    for column in frame.columns:
        if frame[column].dtype.kind == "M" and not moment:
            frame[column] = frame[column].dt.date
    return table(frame)


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_read_as_pandas_reads_it_when_told_how(room, folder, name):
    _, options, words = TEXTS[name]
    assert read(room, name) == expected(folder, name, options)
    notes = room.call("describe_data", data=name)["notes"]
    assert words in " ".join(notes), notes
    assert words or notes == [], notes


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_rightly_is_refused_with_its_place(room, name):
    reply = room.call("describe_data", data=name)
    assert reply.failed and REFUSED[name][1] in reply.text and name in reply.text, reply.text


@pytest.mark.parametrize("name", TEXT)
def test_what_is_not_certain_stays_text_and_says_why(room, name):
    reply = room.call("describe_data", data=name, columns=["a"])
    assert types_of(reply) == {"a": "text"}, reply.text
    assert TEXT[name][1] in " ".join(reply["notes"]), reply.text
    room.call("query_data", sql="SELECT 1 AS one")


BOOKS = {"book.xlsx": books.xlsx(), "sheets.ods": books.ods()}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    path = tmp_path_factory.mktemp("shelf")
    for name, contents in BOOKS.items():
        (path / name).write_bytes(contents)
    (path / "alone.xlsx").write_bytes(books.xlsx({"only one": [["a"], [1]]}))
    (path / "alone_too.ods").write_bytes(books.ods({"only one": [["a"], [1]]}))
    return path


@pytest.fixture(scope="module")
def library(module_rooms, shelf):
    return module_rooms(data=shelf)


def sheet_of(rows):
    """What a sheet holds, as pandas reads it from the same cells in Excel."""
    frame = pd.read_excel(io.BytesIO(books.xlsx({"s": rows})), dtype_backend="pyarrow")
    return frame


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("sheet", ["types", "time"])
def test_a_sheet_is_a_table_with_the_types_of_its_cells(library, book, sheet):
    frame = sheet_of(books.SHEETS[sheet])
    name = f"{book.split('.')[0]}/{sheet}"
    got = read(library, name)
    assert list(got) == list(frame.columns)
    for column in got:
        wanted = [plain(value) for value in frame[column].tolist()]
        # A column of days is one of days; pandas makes midnights of them.
        wanted = [v.removesuffix("T00:00:00") if column == "day" and v else v for v in wanted]
        assert got[column] == wanted, column
    described = library.call("describe_data", data=name)
    types = types_of(described)
    if sheet == "types":
        assert list(types.values()) == ["int64", "float64", "bool", "date", "timestamp[us]", "text", "null"]
        assert any("1 rows between others are blank" in note for note in described["notes"])
    else:
        assert types == {"t": "time[us]"}


@pytest.mark.parametrize("book", BOOKS)
def test_what_a_sheet_leaves_open_is_said(library, book):
    stem = book.split(".")[0]
    assert read(library, f"{stem}/mixed") == {"a": ["1", "two", "3.5"], "b": ["x", "2", "TRUE"]}
    notes = library.call("describe_data", data=f"{stem}/mixed")["notes"]
    assert "a is kept as text: it holds 1 texts (first in A3) and 2 numbers (first in A2)" in notes
    assert read(library, f"{stem}/names") == {"a": [1], "a_2": [2], "column_3": [3], "2024": [4]}


def test_sheets_are_named_after_the_book_and_the_only_one_is_the_book(library):
    listed = [entry["name"] for entry in library.call("list_data")["datasets"]]
    several = [f"{book}/{sheet}" for book in ("book", "sheets") for sheet in sorted(books.SHEETS)]
    assert listed == sorted(["alone", "alone_too", *several])
    assert read(library, "alone") == read(library, "alone_too.ods") == {"a": [1]}
    assert read(library, "book.xlsx/time") == read(library, "book/time")
    reply = library.call("describe_data", data="book")
    assert reply.failed and "`book/mixed`" in reply.text and "`book/types`" in reply.text
    assert library.call("query_data", sql='SELECT count(*) AS n FROM "book/types"')["preview"] == [{"n": 4}]


def test_errors_of_formulas_are_missing_and_counted(rooms, tmp_path):
    book = openpyxl.Workbook()
    for row in [[None], [None, "a", "b"], [None, 1, "x"], [None, "#DIV/0!", "y"], [None, 3, "#N/A"]]:
        book.active.append(row)
    data = tmp_path / "data"
    data.mkdir()
    (data / "e.xlsx").write_bytes(books.saved(book))
    cell = '<table:table-cell office:value-type="string" calcext:value-type="error"><text:p>#N/A</text:p></table:table-cell>'
    row = f"<table:table-row>{cell}{books.ods_cell(2)}</table:table-row>"
    head = "<table:table-row>" + books.ods_cell("a") + books.ods_cell("b") + "</table:table-row>"
    body = f'<table:table table:name="s">{head}{row}</table:table>'
    (data / "f.ods").write_bytes(books.ods(body=body))
    room = rooms(data)
    assert read(room, "e") == {"a": [1, None, 3], "b": ["x", "y", None]}
    notes = room.call("describe_data", data="e")["notes"]
    assert "2 cells hold an error of a formula (first in B4) and are read as missing in a, b" in notes
    assert "the names are in row 2, the first with anything in it" in notes
    assert read(room, "f") == {"a": [None], "b": [2]}


REPEATED = (
    '<table:table table:name="s"><table:table-row><table:table-cell office:value-type="string" '
    'table:number-columns-repeated="{columns}"><text:p>a</text:p></table:table-cell></table:table-row>'
    '<table:table-row table:number-rows-repeated="{rows}"><table:table-cell office:value-type="float" '
    'office:value="1" table:number-columns-repeated="{columns}"/></table:table-row></table:table>'
)


def test_a_book_that_unpacks_to_gigabytes_is_refused_and_the_next_is_read(rooms, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    zeros = b"0" * (300 << 20)
    good = zipfile.ZipFile(io.BytesIO(books.xlsx({"s": [["a"], [1]]})))
    parts = {name: good.read(name) for name in good.namelist()}
    (data / "bomb.xlsx").write_bytes(books.packed({**parts, "xl/media/x.bin": zeros}))
    (data / "few.ods").write_bytes(books.ods(body=REPEATED.format(columns=3, rows=5)))
    (data / "rows.ods").write_bytes(books.ods(body=REPEATED.format(columns=16384, rows=1_000_000)))
    (data / "wide.ods").write_bytes(books.ods(body=REPEATED.format(columns=20_000, rows=1)))
    (data / "cut.xlsx").write_bytes(books.xlsx()[:-100])
    (data / "text.xlsx").write_text("a,b\n1,2\n")
    room = rooms(data, config="[query]\nwall_ms = 5000\n")
    peak = Peak(room)
    assert "it unpacks to more than 256 MiB" in room.call("describe_data", data="bomb").text
    assert "more than 16384 c" in room.call("describe_data", data="wide").text
    for name in ("cut", "text"):
        reply = room.call("describe_data", data=name)
        assert reply.failed and "workbook" in reply.text and f"{name}.xlsx" in reply.text, reply.text
    assert len(read(room, "few")["a"]) == 5
    assert "more than 500000000 cells" in room.call("describe_data", data="rows").text
    assert peak.bytes() < 1_000_000_000, peak.bytes()


ARROW = {
    "plain.arrow": (pa.ipc.new_file, None),
    "stream.arrows": (pa.ipc.new_stream, None),
    "lz4.feather": (pa.ipc.new_file, "lz4"),
    "zstd.arrow": (pa.ipc.new_file, "zstd"),
}


def arrow_table():
    return pa.table(
        {
            "n": pa.array([1, None, 3], "int16"),
            "t": ["a", None, "я"],
            "v": pa.array(["x", "y", None], pa.string_view()),
            "d": pa.array([DECIMAL, None, DECIMAL], pa.decimal128(20, 2)),
            "l": pa.array([[1, 2], [], None], pa.list_(pa.int64())),
            "s": pa.array([{"a": 1}, None, {"a": 3}]),
            "c": pa.array(["u", "v", "u"]).dictionary_encode(),
            "at": pa.array([0, 1, None], pa.timestamp("us", "UTC")),
        }
    )


DECIMAL = decimal.Decimal("12345678901234567.89")


@pytest.fixture(scope="module")
def arrows(module_rooms, tmp_path_factory):
    path = tmp_path_factory.mktemp("arrows")
    for name, (writer, compression) in ARROW.items():
        options = pa.ipc.IpcWriteOptions(compression=compression)
        table = arrow_table()
        with writer(path / name, table.schema, options=options) as file:
            file.write_table(table, max_chunksize=2)
    whole = (path / "plain.arrow").read_bytes()
    (path / "cut.arrow").write_bytes(whole[: len(whole) // 2])
    (path / "not.arrow").write_bytes(b"a,b\n1,2\n" * 100)
    span = pa.array([pa.MonthDayNano([1, 2, 3])])
    with pa.ipc.new_file(path / "span.arrow", pa.schema([("span", span.type)])) as file:
        file.write_table(pa.table({"span": span}))
    return module_rooms(data=path)


@pytest.mark.parametrize("name", ARROW)
def test_arrow_files_and_streams_are_read_value_for_value(arrows, name):
    got = pq.read_table(arrows.export(name, "parquet")).to_pydict()
    assert got == arrow_table().to_pydict()


@pytest.mark.parametrize(
    ("name", "words"),
    [("cut.arrow", "cut off"), ("not.arrow", "Arrow data"), ("span.arrow", "column span is of type")],
)
def test_arrow_that_cannot_be_kept_is_refused_with_its_name(arrows, name, words):
    reply = arrows.call("describe_data", data=name)
    assert reply.failed and words in reply.text and name in reply.text, reply.text


def test_an_arrow_message_that_lies_about_its_size_is_refused(rooms, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    table = pa.table({"a": pa.array(np.zeros(100_000, "int64"))})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as file:
        file.write_table(table)
    whole = sink.getvalue()
    size = struct.pack("<q", 800_000)
    assert whole.count(size) == 1
    (data / "true.arrows").write_bytes(whole)
    (data / "lie.arrows").write_bytes(whole.replace(size, struct.pack("<q", 1 << 50)))
    room = rooms(data)
    assert "takes more than 2048 MiB" in room.call("describe_data", data="lie").text
    assert room.call("describe_data", data="true")["rows"] == 100_000


@pytest.mark.parametrize("ending", ["csv.gz", "ndjson.zst"])
def test_a_packed_text_is_bounded_and_its_neighbour_is_read(rooms, tmp_path, ending):
    data = tmp_path / "data"
    data.mkdir()
    # Long rows: it is the bytes that are counted, not the rows.
    long = b"x" * 4000
    line = b"1," + long + b"\n" if ending == "csv.gz" else b'{"a": "' + long + b'"}\n'
    head = b"a,b\n" if ending == "csv.gz" else b""
    chunk = line * 2000
    if ending == "csv.gz":
        many = gzip.compress(chunk, 9)
        bomb = gzip.compress(head) + many * 40
        good = gzip.compress(head + line * 1000)
    else:
        many = pa.compress(chunk, codec="zstd", asbytes=True)
        bomb = many * 40
        good = pa.compress(line * 1000, codec="zstd", asbytes=True)
    (data / f"bomb.{ending}").write_bytes(bomb)
    (data / f"good.{ending}").write_bytes(good)
    room = rooms(data)
    peak = Peak(room)
    reply = room.call("describe_data", data="bomb")
    assert reply.failed and "it unpacks to more than 256 MiB" in reply.text, reply.text
    assert room.call("describe_data", data="good")["rows"] >= 1000
    assert peak.bytes() < 500_000_000
    assert not list(room.home.glob("converted/*.partial"))
