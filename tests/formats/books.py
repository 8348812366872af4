"""Workbooks, written by openpyxl and, for ODS, by hand: there is no writer of it among the tools."""

import datetime
import io
import zipfile
from xml.sax.saxutils import escape, quoteattr

import openpyxl

DAY = datetime.date(2024, 2, 29)
MOMENT = datetime.datetime(2024, 2, 29, 13, 45, 30)
TIME = datetime.time(13, 45, 30)

# Sheets: rows of cells; the first has the names.
SHEETS = {
    "types": [
        ["n", "x", "ok", "day", "at", "who", "nothing"],
        [1, 0.5, True, DAY, MOMENT, "Ann", None],
        [-2, 1e300, False, datetime.date(1999, 12, 31), datetime.datetime(2000, 1, 1), "Зоя & <Bo>", None],
        [None, None, None, None, None, None, None],
        [9007199254740992, 3, True, DAY, MOMENT, " two  spaces\nand a line ", None],
    ],
    "mixed": [["a", "b"], [1, "x"], ["two", 2], [3.5, True]],
    "time": [["t"], [TIME], [datetime.time(0, 0)], [datetime.time(23, 59, 59)]],
    "names": [["a", "a", None, 2024], [1, 2, 3, 4]],
}


def xlsx(sheets=SHEETS):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    return saved(book)


def saved(book):
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


NAMES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "calcext": "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0",
}


def ods_cell(value):
    def of(kind, name, text):
        return f'<table:table-cell office:value-type="{kind}" office:{name}="{text}"><text:p>shown</text:p></table:table-cell>'

    match value:
        case None:
            return "<table:table-cell/>"
        case bool():
            return of("boolean", "boolean-value", str(value).lower())
        case int() | float():
            return of("float", "value", repr(value))
        case datetime.datetime():
            return of("date", "date-value", value.isoformat())
        case datetime.date():
            return of("date", "date-value", value.isoformat())
        case datetime.time():
            return of("time", "time-value", value.strftime("PT%HH%MM%SS"))
    lines = [escape(line).replace("  ", ' <text:s text:c="1"/>') for line in value.split("\n")]
    body = "".join(f"<text:p>{line}</text:p>" for line in lines)
    return f'<table:table-cell office:value-type="string">{body}</table:table-cell>'


def ods_sheet(name, rows):
    body = "".join(
        "<table:table-row>" + "".join(map(ods_cell, row)) + "</table:table-row>" for row in rows
    )
    return (
        f"<table:table table:name={quoteattr(name)}><table:table-column/>{body}"
        '<table:table-row table:number-rows-repeated="1048000">'
        '<table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>'
    )


def ods(sheets=SHEETS, body=None):
    spaces = " ".join(f'xmlns:{key}="{uri}"' for key, uri in NAMES.items())
    tables = body or "\n".join(ods_sheet(name, rows) for name, rows in sheets.items())
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {spaces}><office:body>'
        f"<office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    )
    return packed({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": content})


def packed(parts):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, contents in parts.items():
            archive.writestr(name, contents)
    return file.getvalue()
