"""What a sheet says beside its cells: number formats that name units, titles above the names."""

import datetime
import io

import openpyxl
import pandas as pd
import pytest
from test_books import books, one
from test_formats import read

EURO, DOLLAR = "#,##0.00\\ [$€-407]", '"$"#,##0.00'


def book(rows, formats=None, merged=()):
    """A workbook; the cells of a column from the second row on have its format."""
    made = openpyxl.Workbook()
    for line in rows:
        made.active.append(line)
    for column, codes in (formats or {}).items():
        for at, code in enumerate(codes):
            made.active[f"{column}{at + 2}"].number_format = code
    for area in merged:
        made.active.merge_cells(area)
    return books.saved(made)


def described(room, name):
    reply = room.call("describe_data", data=name)
    assert not reply.failed, reply.text
    return dict(line.split(" ", 1) for line in reply["columns"]), reply["notes"]


ROWS = [["kind", "paid", "got", "grown", "weight", "left"], ["x", 1.5, 2, 0.05, 3, 7], ["y", 2.5, 3, 0.5, 4, 8]]
FORMATS = {"B": [EURO] * 2, "C": [DOLLAR] * 2, "D": ["0.0%"] * 2, "E": ['0.0" kg"'] * 2, "F": ["#,##0.00"] * 2}
SAID = {"paid": "EUR", "got": "USD", "grown": "fraction", "weight": "kg"}


def sheet_ods(rows, units):
    def cell(value, unit):
        plain = books.ods_cell(value)
        if not isinstance(value, float | int) or unit is None:
            return plain
        kind = 'value-type="percentage"' if unit == "%" else f'value-type="currency" office:currency="{unit}"'
        return plain.replace('value-type="float"', kind)

    lines = ["".join(cell(value, unit) for value, unit in zip(line, units)) for line in rows]
    body = "".join(f"<table:table-row>{line}</table:table-row>" for line in lines)
    return books.ods(body=f'<table:table table:name="s">{body}</table:table>')


def test_a_number_format_is_evidence_of_a_unit(rooms, tmp_path):
    room = one(rooms, tmp_path, "b.xlsx", book(ROWS, FORMATS))
    lines, notes = described(room, "b")
    for name, unit in SAID.items():
        assert f"unit {unit} (by the number format of its cells)" in lines[name], lines[name]
    assert "unit" not in lines["left"] and "unit" not in lines["kind"] and notes == []
    assert read(room, "b")["paid"] == [1.5, 2.5]


def test_the_types_of_an_ods_are_evidence_of_a_unit(rooms, tmp_path):
    rows = [["kind", "paid", "got", "grown", "left"], *(line[:4] + line[5:] for line in ROWS[1:])]
    room = one(rooms, tmp_path, "b.ods", sheet_ods(rows, [None, "EUR", "USD", "%", None]))
    lines, _ = described(room, "b")
    for name in ("paid", "got", "grown"):
        assert f"unit {SAID[name]} (by the number format of its cells)" in lines[name], lines[name]
    assert "unit" not in lines["left"]
    assert room.call("query_data", sql="SELECT sum(paid + got) FROM b").failed


@pytest.mark.parametrize(
    ("sql", "refused"),
    [
        ("SELECT sum(paid + got) AS all FROM b", True),
        ("SELECT sum(paid) + sum(got) AS all FROM b", True),
        ("SELECT paid FROM b UNION ALL SELECT got FROM b", True),
        ("SELECT sum(paid) AS paid, sum(got) AS got FROM b", False),
        ("SELECT sum(paid + left) AS all FROM b", False),
        ("SELECT sum(paid * (1 + grown)) AS more FROM b", False),
        ("SELECT sum(paid * grown) + sum(paid) AS more FROM b", False),
        ("SELECT sum(weight) AS w FROM b WHERE paid > 2", False),
    ],
)
def test_the_guard_takes_a_number_format_as_it_takes_a_name(module_rooms, tmp_path_factory, sql, refused):
    data = tmp_path_factory.mktemp("guarded")
    (data / "b.xlsx").write_bytes(book(ROWS, FORMATS))
    reply = module_rooms(data=data).call("query_data", sql=sql)
    assert reply.failed == refused, reply.text
    assert not refused or ("EUR" in reply.text and "number format" in reply.text), reply.text


def test_what_a_query_makes_of_money_is_not_called_money_for_ever(rooms, tmp_path):
    # The note that a field carries must not go along into results that are something else.
    room = one(rooms, tmp_path, "b.xlsx", book(ROWS, FORMATS))
    made = room.call("query_data", sql="SELECT paid / got AS q, CASE WHEN got > 2 THEN paid ELSE 1000 * left END AS c FROM b")
    lines, _ = described(room, made["dataRef"])
    assert "unit" not in lines["q"] and "unit" not in lines["c"], lines


def test_cells_of_one_column_in_two_currencies_get_a_column_that_says_which(rooms, tmp_path):
    rows = [["n", "paid"], [1, 10.0], [2, 20.0], [3, None], [4, 5.0]]
    room = one(rooms, tmp_path, "b.xlsx", book(rows, {"B": [EURO, DOLLAR, EURO, "0.00"]}))
    assert read(room, "b") == {"n": [1, 2, 3, 4], "paid": [10, 20, None, 5], "paid_currency": ["EUR", "USD", None, None]}
    _, notes = described(room, "b")
    assert any("paid_currency has the unit of each row" in note and "EUR in 1 (first in B2)" in note for note in notes), notes
    refused = room.call("query_data", sql="SELECT sum(paid) FROM b")
    assert refused.failed and "paid_currency" in refused.text, refused.text
    apart = room.call("query_data", sql="SELECT paid_currency, sum(paid) AS s FROM b WHERE paid_currency IS NOT NULL GROUP BY 1 ORDER BY 1")
    assert apart["preview"] == [{"paid_currency": "EUR", "s": 10.0}, {"paid_currency": "USD", "s": 20.0}]


def test_a_name_against_the_format_is_told(rooms, tmp_path):
    rows = [["price_usd", "share_pct", "fee_cents"], [1.5, 0.05, 250], [2.5, 0.5, 300]]
    room = one(rooms, tmp_path, "b.xlsx", book(rows, {"A": [EURO] * 2, "B": ["0%"] * 2, "C": [DOLLAR] * 2}))
    lines, _ = described(room, "b")
    assert "unit EUR (by the number format of its cells, against its name: usd)" in lines["price_usd"]
    assert "unit fraction (by the number format of its cells)" in lines["share_pct"]
    assert "unit USD cents" in lines["fee_cents"]


def test_a_few_percent_among_numbers_are_told_and_claim_nothing(rooms, tmp_path):
    rows = [["n"], [0.5], [12], [13], [14]]
    room = one(rooms, tmp_path, "b.xlsx", book(rows, {"A": ["0%", "0", "0", "0"]}))
    lines, notes = described(room, "b")
    assert "unit" not in lines["n"]
    assert any("only some of the 4 numbers of n" in note and "fraction in 1 (first in A2)" in note for note in notes), notes


def test_two_sheets_of_one_shape_are_not_taken_for_each_other(rooms, tmp_path):
    # What is kept by content knew the file and not the sheet.
    room = one(rooms, tmp_path, "b.xlsx", books.xlsx({"old": [["k", "v"], [1, 1], [2, 2]], "new": [["k", "v"], [1, 10], [1, 30]]}))
    for sheet, mean in [("old", "mean 1.5"), ("new", "mean 20"), ("old", "mean 1.5")]:
        lines, _ = described(room, f"b/{sheet}")
        assert mean in lines["v"], lines
    # `k` is a key of the one and not of the other: only the second join multiplies rows.
    joined = 'SELECT sum(a.v) AS s FROM "b/{}" a JOIN "b/{}" b ON a.k = b.k'
    assert not room.call("query_data", sql=joined.format("new", "old")).failed
    assert room.call("query_data", sql=joined.format("old", "new")).failed


TABLE = [["region", "sold", "when"], ["N", 1, datetime.date(2024, 1, 1)], ["S", 2, datetime.date(2024, 1, 2)]]

# Rows above the table, merged areas, and how many rows pandas must be told to skip.
TITLES = {
    "one": ([["Sales of 2024"]], [], 1),
    "merged": ([["Sales of 2024", None, None]], ["A1:C1"], 1),
    "with_a_blank_row": ([["Sales of 2024"], []], [], 2),
    "two_and_a_blank_row": ([["Sales"], ["Department of the north"], []], ["A1:C1"], 3),
    "not_in_the_first_column": ([[None, "Sales"]], [], 1),
}


@pytest.mark.parametrize("name", TITLES)
def test_a_title_above_the_names_is_skipped_and_told(rooms, tmp_path, name):
    above, merged, skipped = TITLES[name]
    contents = book([*above, *TABLE], merged=merged)
    room = one(rooms, tmp_path, "b.xlsx", contents)
    want = pd.read_excel(io.BytesIO(contents), skiprows=skipped)
    got = read(room, "b")
    assert list(got) == list(want.columns)
    assert got["region"] == want["region"].tolist() and got["sold"] == want["sold"].tolist()
    assert got["when"] == [moment.date().isoformat() for moment in want["when"]]
    _, notes = described(room, "b")
    said = f"{skipped} row{'' if skipped == 1 else 's'} above the names"
    assert any(note.startswith(said) and f"the names are in row {skipped + 1}" in note for note in notes), notes


def test_years_may_be_names_below_a_title(rooms, tmp_path):
    rows = [["Sales"], ["region", 2023, 2024], ["N", 5, 6]]
    room = one(rooms, tmp_path, "b.xlsx", book(rows))
    assert read(room, "b") == {"region": ["N"], "2023": [5], "2024": [6]}


# Whose first row has the names, although something looks like a title.
PLAIN = {
    "names_at_once": TABLE,
    "one_column": [["who"], ["Ann"], ["Bob"], ["Cy"]],
    "one_column_of_numbers": [["n"], [1], [2]],
    "a_name_and_rows_of_numbers": [["n"], [1, 2], [3, 4]],
    "a_name_and_a_text_beside_a_number": [["who"], ["Ann", 3]],
    "names_of_which_only_two": [["a", "b"], ["x", "y"], ["z", "w"]],
    "a_long_list_with_a_remark": [["who"], *([[f"p{n}"] for n in range(30)]), ["x", "remark"]],
}


@pytest.mark.parametrize("name", PLAIN)
def test_a_first_row_that_has_the_names_stays(rooms, tmp_path, name):
    contents = book(PLAIN[name])
    room = one(rooms, tmp_path, "b.xlsx", contents)
    want = pd.read_excel(io.BytesIO(contents))
    assert list(read(room, "b"))[0] == want.columns[0]
    reply = room.call("describe_data", data="b")
    assert reply["rows"] == len(want) and not any("skipped" in note for note in reply["notes"])
