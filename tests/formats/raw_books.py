"""Workbooks written element by element: what spreadsheet programs never write, and readers must survive."""

from books import packed

NS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"

# Styles by number: plain, a date, hours that go on, euros, dollars, percent.
FORMATS = ["General", "yyyy\\-mm\\-dd", "[h]:mm:ss", "#,##0.00\\ [$€-407]", '"$"#,##0.00', "0.0%", "[$$-C09]0.00"]
STRINGS = ["a", "b", "c", "x", "y", ""]


def raw(rows, *, after="", before="", strings=STRINGS, formats=FORMATS, book="", sheet="data"):
    """A workbook with one sheet whose rows are this XML."""
    kinds = [
        ("worksheet", "worksheets/sheet1.xml"),
        ("styles", "styles.xml"),
        ("sharedStrings", "sharedStrings.xml"),
    ]
    overrides = "".join(
        f'<Override PartName="/xl/{target}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.{kind}+xml"/>'
        for kind, target in [("sheet.main", "workbook.xml"), *kinds]
    )
    numbered = "".join(
        f'<Relationship Id="r{at}" Type="{OFFICE}/{kind}" Target="{target}"/>' for at, (kind, target) in enumerate(kinds)
    )
    codes = "".join(
        f'<numFmt numFmtId="{200 + at}" formatCode="{code.replace(chr(34), "&quot;")}"/>' for at, code in enumerate(formats)
    )
    styles = "".join(f'<xf numFmtId="{200 + at}"/>' for at in range(len(formats)))
    texts = "".join(f'<si><t xml:space="preserve">{text}</t></si>' for text in strings)
    main = f'<Relationship Id="r" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    xml = {
        "[Content_Types].xml": f'<Types xmlns="{TYPES}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{overrides}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{RELS}">{main}</Relationships>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{RELS}">{numbered}</Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{NS}" xmlns:r="{OFFICE}">{book}<sheets><sheet name="{sheet}" sheetId="1" r:id="r0"/></sheets></workbook>',
        "xl/styles.xml": f'<styleSheet xmlns="{NS}"><numFmts>{codes}</numFmts><fonts><font/></fonts><fills><fill><patternFill/></fill></fills><borders><border/></borders><cellXfs>{styles}</cellXfs></styleSheet>',
        "xl/sharedStrings.xml": f'<sst xmlns="{NS}" uniqueCount="{len(strings)}">{texts}</sst>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{NS}">{before}<sheetData>{rows}</sheetData>{after}</worksheet>',
    }
    return packed({name: f'<?xml version="1.0" encoding="UTF-8"?>{text}' for name, text in xml.items()})


def row(number, cells):
    return f'<row r="{number}">{cells}</row>'


def shared(place, index):
    return f'<c r="{place}" t="s"><v>{index}</v></c>'


HEAD = row(1, shared("A1", 0) + shared("B1", 1))
TWO = row(2, '<c r="A2"><v>1</v></c><c r="B2"><v>2</v></c>')
LATE = row(3, '<c r="A3"><v>3</v></c><c r="B3"><v>4</v></c>')


def second(cell):
    return HEAD + row(2, cell)


# What openpyxl (through pandas) reads as the room must: name -> workbook.
READ = {
    "plain": raw(HEAD + TWO + LATE),
    "no_numbers": raw("".join(f"<row>{''.join(f'<c><v>{v}</v></c>' for v in values)}</row>" for values in [(1, 2), (3, 4)])),
    "rows_without_numbers_after_one_with": raw(HEAD + "<row><c><v>7</v></c><c><v>8</v></c></row>"),
    "a_gap_of_rows_and_columns": raw(HEAD + row(5, '<c r="B5"><v>4</v></c>')),
    "a_dimension_that_lies": raw(HEAD + TWO, before='<dimension ref="C9:ZZ99999"/>'),
    "a_dimension_backwards": raw(HEAD + TWO, before='<dimension ref="B2:A1"/>'),
    "empty_cells_and_rows": raw(HEAD + '<row r="2"/>' + row(3, '<c r="A3" s="3"/><c r="B3"><v>1</v></c>')),
    "inline_texts": raw(
        HEAD
        + row(2, '<c r="A2" t="inlineStr"><is><t xml:space="preserve"> p </t></is></c>')
        + row(3, '<c r="A3" t="inlineStr"><is><r><t xml:space="preserve">rich </t></r><r><t>text</t></r></is></c>')
    ),
    "phonetic_text_is_none_of_it": raw(second('<c r="A2" t="inlineStr"><is><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></is></c>')),
    "entities": raw(second('<c r="A2" t="str"><v>&lt;a&#38;b&gt;</v></c>')),
    "truths": raw(second('<c r="A2" t="b"><v>1</v></c><c r="B2" t="b"><v>0</v></c>')),
    "numbers_as_written": raw(second('<c r="A2"><v>1E+3</v></c><c r="B2" t="n"><v>-0.1</v></c>')),
    "dates": raw(
        HEAD
        + row(2, '<c r="A2" s="1"><v>1</v></c><c r="B2" s="1"><v>45351</v></c>')
        + row(3, '<c r="A3" s="1"><v>59</v></c><c r="B3" s="1"><v>45351.5</v></c>')
        + row(4, '<c r="A4" s="1"><v>61</v></c><c r="B4" s="1"><v>2958465.999</v></c>')
    ),
    "dates_from_1904": raw(
        HEAD + row(2, '<c r="A2" s="1"><v>1</v></c><c r="B2" s="1"><v>43889.25</v></c>'), book='<workbookPr date1904="1"/>'
    ),
    "iso_dates": raw(second('<c r="A2" t="d"><v>2024-02-29</v></c><c r="B2" t="d"><v>2024-02-29T10:20:30</v></c>')),
    "hours_that_go_on": raw(second('<c r="A2" s="2"><v>1.5</v></c><c r="B2" s="2"><v>0.25</v></c>')),
    "errors": raw(second('<c r="A2" t="e"><v>#N/A</v></c><c r="B2"><v>2</v></c>')),
    "a_text_of_a_formula": raw(second('<c r="A2" t="str"><f>"x"&amp;"y"</f><v>xy</v></c><c r="B2" t="str"><f>""</f><v></v></c>')),
    "an_empty_shared_text": raw(second('<c r="A2" t="s"><v>5</v></c><c r="B2" t="s"><v>3</v></c>')),
    "unknown_elements": raw(second('<c r="A2"><v>1</v><extLst><ext uri="u"><v>9</v></ext></extLst></c><c r="B2"><v>2</v></c>')),
}

# What must not be read: name -> workbook, words of the error.
REFUSED = {
    "rows_backwards": (raw(HEAD + LATE + TWO), "the cell A2 comes after B3"),
    "columns_backwards": (raw(HEAD + row(2, '<c r="B2"><v>2</v></c><c r="A2"><v>1</v></c>')), "the cell A2 comes after B2"),
    "rows_backwards_to_the_names": (raw(TWO + HEAD), "the cell A1 comes after B2"),
    "a_cell_twice": (raw(HEAD + row(2, '<c r="A2"><v>1</v></c><c r="A2"><v>2</v></c>')), "the cell A2 is there twice"),
    "a_row_twice": (raw(HEAD + TWO + TWO), "the cell A2 comes after B2"),
    "a_cell_of_another_row": (raw(HEAD + row(2, '<c r="A3"><v>1</v></c>')), "the cell A3 stands in row 2"),
    "row_zero": (raw(HEAD + '<row r="0"><c><v>1</v></c></row>'), "a row has a number that is none"),
    "a_row_below_zero": (raw(HEAD + '<row r="-1"><c><v>1</v></c></row>'), "a row has a number that is none"),
    "a_row_beyond_all": (raw(HEAD + '<row r="4294967295"><c><v>1</v></c></row>'), "a row has a number that is none"),
    "a_row_beyond_excel": (raw(HEAD + '<row r="1048577"><c><v>1</v></c></row>'), "a row has a number that is none"),
    "a_cell_in_row_zero": (raw(second('<c r="A0"><v>1</v></c>')), "where the cell A2 may be, one has no place"),
    "a_cell_below_zero": (raw(second('<c r="A-2"><v>1</v></c>')), "where the cell A2 may be, one has no place"),
    "a_cell_beyond_all": (raw(second('<c r="ZZZZZZ2"><v>1</v></c>')), "where the cell A2 may be, one has no place"),
    "a_cell_beyond_excel": (raw(second('<c r="XFE2"><v>1</v></c>')), "where the cell A2 may be, one has no place"),
    "a_cell_without_a_row": (raw(second('<c r="B"><v>1</v></c>')), "where the cell A2 may be, one has no place"),
    "a_text_beyond_the_last": (raw(second(shared("B2", 6))), "the cell B2 has a text that is none of the 6"),
    "a_text_below_zero": (raw(second(shared("B2", -1))), "the cell B2 has a text that is none of the 6"),
    "a_text_by_no_number": (raw(second(shared("B2", "two"))), "the cell B2 has a text that is none of the 6"),
    "a_style_beyond_the_last": (raw(second('<c r="A2" s="99"><v>1</v></c>')), "the cell A2 has a style that is none of the 7"),
    "no_number": (raw(second('<c r="A2"><v>one</v></c>')), "the cell A2 is no number"),
    "no_number_but_nan": (raw(second('<c r="A2"><v>NaN</v></c>')), "the cell A2 is no number"),
    "a_number_beyond_floats": (raw(second('<c r="A2"><v>1e999</v></c>')), "the cell A2 is no number"),
    "neither_true_nor_false": (raw(second('<c r="A2" t="b"><v>2</v></c>')), "the cell A2 is neither true nor false"),
    "an_unknown_type": (raw(second('<c r="A2" t="q"><v>2</v></c>')), "the cell A2 is of a type that no sheet has"),
    "no_end": (raw(HEAD + '<row r="2"><c r="A2"><v>1'), "sheet data"),
}
