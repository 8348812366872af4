"""Files for the person, read back by the programs that people read them with."""

import csv
import datetime as dt
import html.parser
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import anyio
import duckdb
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import BINARY, run
from openpyxl.utils.escape import unescape

HOSTILE = ["<img src=x onerror=alert(1)>", "=HYPERLINK(\"http://x\")", "a|b\nc", "__proto__", "\u202eevil"]
TEXTS = ["plain", "a;b,c\td|e", 'he said "no"', "two\r\nlines", "=1+1", "-2", "@x", "\tx", "", None, "ёлка"]


@pytest.fixture(scope="module")
def tables(tmp_path_factory) -> Path:
    """A data folder: types, hostile names and cells, units, and a large table."""
    folder = tmp_path_factory.mktemp("tables")
    rows = len(TEXTS)
    kinds = pa.table({
        "text": pa.array(TEXTS),
        "whole": pa.array([None, *range(-1, rows - 2)], pa.int64()),
        "price_eur": pa.array([None, *(n + 0.5 for n in range(rows - 1))], pa.float64()),
        "discount_pct": pa.array([12.5] * rows),
        "yes": pa.array([True, None] * 5 + [False]),
        "day": pa.array([dt.date(2024, 2, 29)] * rows),
        "at": pa.array([dt.datetime(2024, 2, 29, 23, 59, 59)] * rows, pa.timestamp("us")),
    })
    pq.write_table(kinds, folder / "kinds.parquet")
    pq.write_table(pa.table({name: pa.array(HOSTILE) for name in HOSTILE}), folder / "hostile.parquet")
    columns = ", ".join(f"hash(i + {n}) % 1000003 AS c{n}" for n in range(6))
    duckdb.sql(f"COPY (SELECT i, {columns} FROM range(400000) r(i)) TO '{folder / 'large.parquet'}'")
    return folder


@pytest.fixture(scope="module")
def room(module_rooms, tables):
    return module_rooms(data=tables)


def exported(room, data, format, **options) -> Path:
    reply = room.call("export_data", data=data, format=format, **options)
    assert not reply.failed, reply.text
    return Path(reply["file"])


def neutral(text):
    return f"'{text}" if text and text[0] in "=+-@\t\r\n" else text


@pytest.mark.parametrize(("delimiter", "mark"), [("comma", ","), ("semicolon", ";"), ("tab", "\t"), ("pipe", "|")])
def test_a_csv_of_each_delimiter_is_read_back_by_others(room, delimiter, mark):
    path = exported(room, "kinds", "csv", delimiter=delimiter)
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter=mark, strict=True))
    assert [row[0] for row in rows[1:]] == [neutral(text) or "" for text in TEXTS]
    assert {len(row) for row in rows} == {7}
    by_pandas = pd.read_csv(path, sep=mark, keep_default_na=False, na_values={"whole": [""]})
    assert list(by_pandas["text"]) == [neutral(text) or "" for text in TEXTS]
    by_duckdb = duckdb.execute(
        "SELECT text, whole FROM read_csv(?, delim = ?, quote = '\"', escape = '\"', header = true, all_varchar = true)",
        [str(path), mark],
    ).fetchall()
    assert [row[1] for row in by_duckdb] == [None, *map(str, range(-1, len(TEXTS) - 2))]


def test_a_csv_for_a_european_excel(room):
    path = exported(room, "kinds", "csv", decimal="comma", bom=True)
    assert path.read_bytes().startswith(b"\xef\xbb\xbftext;whole;price_eur;")
    frame = pd.read_csv(path, sep=";", decimal=",", encoding="utf-8-sig")
    assert frame["price_eur"].dropna().tolist() == [n + 0.5 for n in range(len(TEXTS) - 1)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"format": "csv", "delimiter": "comma", "decimal": "comma"}, ["both", "semicolon"]),
        ({"format": "xlsx", "bom": True}, ["for csv", "xlsx"]),
        ({"format": "csv", "delimiter": ";"}, ["semicolon"]),
        ({"format": "csv", "overwrite": True}, ["overwrite", "not an argument"]),
        ({"format": "pdf"}, ["markdown", "html", "ndjson"]),
    ],
)
def test_options_that_do_not_fit_are_refused(room, arguments, words):
    reply = room.call("export_data", data="kinds", **arguments)
    assert reply.failed
    for word in words:
        assert word in reply.text, reply.text


def test_ndjson_is_read_back_by_others(room):
    path = exported(room, "kinds", "ndjson")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert path.suffix == ".ndjson" and [line["text"] for line in lines] == TEXTS
    found = duckdb.sql(f"SELECT text, whole FROM read_ndjson('{path}')").fetchall()
    assert found == list(zip(TEXTS, [None, *range(-1, len(TEXTS) - 2)]))


def test_xlsx_has_types_formats_filters_and_a_header_that_stays(room):
    path = exported(room, "kinds", "xlsx")
    sheet = openpyxl.load_workbook(path)["Data"]
    assert sheet.freeze_panes == "A2" and sheet.auto_filter.ref == f"A1:G{len(TEXTS) + 1}"
    assert [cell.value for cell in sheet[1]] == ["text", "whole", "price_eur", "discount_pct", "yes", "day", "at"]
    assert sheet["A1"].font.bold and sheet.column_dimensions["A"].width > 6
    # A CR is `_x000D_` in a workbook (ECMA-376, ST_Xstring).
    assert [unescape(cell.value or "") or None for cell in sheet["A"][1:]] == [text or None for text in TEXTS]
    assert {cell.data_type for cell in sheet["A"][1:] if cell.value} == {"s"}
    assert sheet["C3"].value == 0.5 and sheet["C3"].number_format == '#,##0.00 "EUR"'
    assert sheet["D3"].value == 12.5 and sheet["D3"].number_format == '0.0#"%"'
    assert sheet["B3"].number_format == "General" and sheet["E2"].value is True
    assert sheet["F2"].value == dt.datetime(2024, 2, 29) and sheet["F2"].number_format == "yyyy-mm-dd"
    assert sheet["G2"].value == dt.datetime(2024, 2, 29, 23, 59, 59)


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.cells = set(), set(), []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}
        if tag in ("th", "td"):
            self.cells.append("")

    def handle_data(self, text):
        if self.cells and self.lasttag in ("th", "td"):
            self.cells[-1] += text


def test_html_has_no_markup_of_the_data(room):
    page = exported(room, "hostile", "html").read_text()
    seen = Tags()
    seen.feed(page)
    ours = {"html", "head", "meta", "title", "style", "body", "table", "thead", "tbody", "tr", "th", "td"}
    assert seen.tags == ours, seen.tags ^ ours
    assert not {name for name in seen.attributes if name.startswith("on") or name in ("src", "href")}
    heads = [cell.strip() for cell in seen.cells[: len(HOSTILE)]]
    assert heads == [*HOSTILE[:4], "\\u{202e}evil"]


def test_markdown_is_a_table_whatever_is_in_it(room):
    path = exported(room, "hostile", "markdown")
    lines = path.read_text().splitlines()
    assert path.suffix == ".md" and len(lines) == 2 + len(HOSTILE)
    for line in lines:
        assert len(re.findall(r"(?<!\\)\|", line)) == len(HOSTILE) + 1, line
        assert not re.search(r"<(?!br>)", line) and "://" not in line


def test_a_large_table_is_not_for_reading(room):
    for format in ("markdown", "html"):
        reply = room.call("export_data", data="large", format=format, name="never")
        assert reply.failed and "400000 rows" in reply.text and "LIMIT" in reply.text
    assert not list((room.home / "exports").glob("never*"))


def test_where_values_are_hidden_a_refusal_still_says_what_to_do(rooms, tables):
    room = rooms(data=tables, config='[policy]\nvalues = "none"\n')
    reply = room.call("export_data", data="large", format="html")
    assert reply.failed and "LIMIT" in reply.text, reply.text


@pytest.mark.parametrize("format", ["csv", "xlsx", "parquet", "json", "ndjson"])
def test_a_cancelled_export_leaves_nothing(rooms, tables, format):
    room = rooms(data=tables)

    folder = room.home / "exports"

    async def cancelled():
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: room.acall("export_data", data="large", format=format, name="gone"))
            while not list(folder.glob(".*")):
                await anyio.sleep(0.001)
            group.cancel_scope.cancel()

    room.portal.call(cancelled)
    deadline = time.monotonic() + 30
    while list(folder.glob(".*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list(folder.iterdir()) == []


def test_a_killed_export_leaves_a_hidden_file_that_the_next_one_sweeps(tables, tmp_path):
    home = tmp_path / "home"
    command = [BINARY, "--home", home, "export", "large", "--data", tables, "--format", "xlsx"]
    child = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not list(home.glob("exports/.*")):
        assert child.poll() is None and time.monotonic() < deadline
        time.sleep(0.005)
    child.send_signal(signal.SIGKILL)
    child.wait()
    (left,) = (home / "exports").iterdir()
    assert re.fullmatch(r"\.dataroom-export-[0-9a-f]{32}\.part", left.name)
    run("--home", home, "export", "kinds", "--data", tables, "--format", "csv")
    assert [path.name for path in (home / "exports").iterdir()] == ["kinds.csv"]


@pytest.mark.parametrize("format", ["csv", "xlsx", "parquet"])
def test_a_full_disk_leaves_no_half_file(tables, tmp_path, format):
    """The exports' folder is a file system of one megabyte, of a namespace that only this test has."""
    config, disk = tmp_path / "dataroom.toml", tmp_path / "disk"
    disk.mkdir()
    config.write_text(f'[export]\nfolder = "{disk}"\n')
    script = (
        f'mount -t tmpfs -o size=1m none {disk} && '
        f'"$0" --home {tmp_path}/home --config {config} export large --data {tables} --format {format}; '
        f'echo "ended $?"; ls -A {disk}; '
        f'"$0" --home {tmp_path}/home --config {config} export kinds --data {tables} --format {format}'
    )
    done = subprocess.run(
        ["unshare", "--map-root-user", "--mount", "sh", "-c", script, str(BINARY)],
        capture_output=True, text=True, timeout=300, env=os.environ,
    )
    assert "the disk is full" in done.stderr, done.stderr
    # Between the failure and the one that fits there was nothing.
    assert done.stdout.splitlines() == ["ended 1", f"{disk}/kinds.{format}"], done.stdout


def test_only_a_person_replaces_a_file(tables, tmp_path):
    def export(*more):
        return run("--home", tmp_path / "home", "export", "kinds", "--data", tables, "--format", "csv", *more)

    first = Path(export("--name", "x").stdout.strip())
    first.write_text("mine")
    assert export("--name", "x").stdout.strip().endswith("x (2).csv") and first.read_text() == "mine"
    done = export("--name", "x", "--overwrite", "--decimal", "comma", "--bom")
    assert done.stdout.strip() == str(first) and "semicolons" in done.stderr
    assert first.read_text(encoding="utf-8-sig").startswith("text;whole")
    refused = run("export", "kinds", "--format", "csv", "--delimiter", ":", check=False)
    assert refused.returncode == 2 and "comma, semicolon, tab, pipe" in refused.stderr


def test_an_export_tells_how_far_it_is(room):
    told = []

    async def note(progress, total, message):
        told.append((progress, total, message))

    async def exported():
        return await room.client.call_tool(
            "export_data", {"data": "large", "format": "xlsx"}, progress_callback=note
        )

    assert not room.portal.call(exported).is_error
    values = [value for value, *_ in told]
    assert values == sorted(set(values)) and any("rows" in message for *_, message in told), told


# Reports.

MADE = """
import matplotlib.pyplot as plt
outputs["total"] = pd.DataFrame({"sum_eur": [kinds["price_eur"].sum()], "rows": [len(kinds)]})
outputs["one"] = pd.DataFrame({"n": [41]})
plt.plot([1, 2]); plt.savefig("line.png")
open("bad.svg", "w").write('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
"""


@pytest.fixture(scope="module")
def made(room):
    reply = room.python(MADE, kinds="kinds")
    assert not reply.failed, reply.text
    files = {name: file["dataRef"] for name, file in reply["files"].items()}
    return {**{name: table["dataRef"] for name, table in reply["outputs"].items()}, **files}


class Report(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.targets, self.pictures, self.link_texts = [], [], set(), [], []
        self.in_link = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.append(tag)
        self.in_link = tag == "a"
        if tag == "a":
            self.links.append(found["href"])
        if "id" in found:
            self.targets.add("#" + found["id"])
        if tag == "img":
            self.pictures.append(found["src"])
        assert not {name for name in found if name.startswith("on")}

    def handle_endtag(self, tag):
        self.in_link = self.in_link and tag != "a"

    def handle_data(self, text):
        if self.in_link:
            self.link_texts.append(text)


def test_a_report_links_each_number_to_the_code_that_made_it(room, made):
    items = [
        {"text": "# What came out\n\n**Sum**: {{%s:sum_eur}} of {{%s:rows}} rows, {{ %s }}.\n- <b>no</b>"
                 % (made["total"], made["total"], made["one"])},
        {"result": made["total"], "cell": "sum_eur"},
        {"table": "hostile", "rows": 2},
        {"chart": made["line.png"]},
        {"chart": made["bad.svg"]},
    ]
    reply = room.call("export_data", data=made["total"], format="report", name="sums", items=items)
    assert not reply.failed, reply.text
    # The model is told what it is told of every export, and no value.
    total = sum(n + 0.5 for n in range(len(TEXTS) - 1))
    assert str(total) not in reply.text and set(reply.structured) <= {"file", "dataRef", "view", "bytes", "blake3", "notes"}
    path = Path(reply["file"])
    text = path.read_text()
    assert path.name == "sums.html" and "default-src 'none'" in text
    page = Report(text)
    assert "script" not in page.tags and page.tags.count("b") == 0
    assert set(page.links) <= page.targets and len(page.targets) == 5
    assert [found for found in page.link_texts if "EUR" in found] == [f"{total} EUR", f"{total} EUR"]
    assert str(len(TEXTS)) in page.link_texts and "41" in page.link_texts
    kinds = [picture.split(";")[0] for picture in page.pictures]
    assert kinds == ["data:image/png", "data:image/svg+xml"]
    # The appendix has what trace_result has.
    step = room.call("trace_result", data=made["total"])["steps"][-1]
    assert html.escape(step["code"], quote=True).replace("&#x27;", "&#39;") in text
    assert step["content_hash"] in text and all(one["content_hash"] in text for one in step["inputs"])
    assert "the first 2 of 5 rows" in text and "&lt;img src=x" in text


def test_a_report_tells_what_its_numbers_warn_of(room):
    warned = room.call("query_data", sql="SELECT 7 / 2 AS halves")
    clean = room.call("query_data", sql="SELECT 3 AS whole")
    assert warned["warnings"] and not clean["warnings"]
    items = [{"table": warned["dataRef"]}, {"result": clean["dataRef"]}]
    reply = room.call("export_data", data=clean["dataRef"], format="report", name="warned", items=items)
    text = Path(reply["file"]).read_text()
    warned_of, clean_of = (text.index(f"<h3>{at}. {made['dataRef']}") for at, made in ((2, warned), (1, clean)))
    assert "which there" in text and text.count("see its warnings") == 0
    for warning in warned["warnings"]:
        assert html.escape(warning, quote=False) in text[warned_of:], warning
    assert "class=\"warnings\"" not in text[clean_of:warned_of]


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ({"text": "{{%(total)s:sum_euro}}"}, ["{{", "sum_euro", "sum_eur"]),
        ({"text": "{{nothing:x}}"}, ["{{nothing:x}}", "list_data"]),
        ({"text": "{{kinds:whole}}"}, ["11 rows", "one row"]),
        ({"text": "{{%(total)s}}"}, ["2 columns"]),
        ({"text": "a", "table": "kinds"}, ["exactly one"]),
        ({}, ["exactly one"]),
        ({"table": "kinds", "rows": 1001}, ["1 to 1000"]),
        ({"chart": "kinds"}, ["no picture"]),
        ({"result": "data_" + "0" * 32}, ["unknown or expired dataRef"]),
        ({"html": "<b>"}, ["html", "text"]),
    ],
)
def test_a_report_refuses_what_it_cannot_show_and_names_it(room, made, item, words):
    item = {key: value % made if "%(" in str(value) else value for key, value in item.items()}
    before = set((room.home / "exports").glob("*"))
    reply = room.call("export_data", data="kinds", format="report", items=[{"text": "fine"}, item])
    assert reply.failed and set((room.home / "exports").glob("*")) == before
    for word in words:
        assert word in reply.text, reply.text
    assert "html" in item or "items[1]" in reply.text, reply.text


def test_items_are_for_reports(room):
    reply = room.call("export_data", data="kinds", format="csv", items=[{"text": "x"}])
    assert reply.failed and "report" in reply.text


def test_a_report_from_the_command_line(tables, tmp_path):
    items = json.dumps([{"text": "# Kinds"}, {"table": "kinds"}])
    done = run("--home", tmp_path / "h", "export", "kinds", "--data", tables, "--format", "report", "--items", items)
    page = Path(done.stdout.strip()).read_text()
    assert "<h2 dir=\"auto\">Kinds</h2>" in page and "dataset: kinds" in page and "price_eur</th>" in page
