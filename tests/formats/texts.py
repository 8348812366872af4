"""Texts as they are found: each is written here, and read by pandas with the options that a
person would give it who knows the file. The room is given none."""

import gzip

import pandas as pd
import pyarrow as pa

RUSSIAN = [("город", "население"), ("Москва", "13149803"), ("Санкт-Петербург", "5600044"), ("Ёлкино", "12")]


def rows(cells, sep=",", end="\n"):
    return "".join(sep.join(row) + end for row in cells)


def dates(name, form):
    return {"post": lambda d: d.assign(**{name: pd.to_datetime(d[name], format=form).dt.date})}


def zst(text):
    return pa.compress(text, codec="zstd", asbytes=True)


# name: file's bytes, pandas' options, and words that describe_data has to say.
TEXTS = {
    "semicolon.csv": (b"a;b\n1;x\n2;y\n", {"sep": ";"}, "separated by `;`"),
    "pipe.csv": (b"a|b\n1|x\n2|y\n", {"sep": "|"}, "separated by `|`"),
    "tab.csv": (b"a\tb\n1\tx\n", {"sep": "\t"}, "separated by tabs"),
    "sep_line.csv": (b"sep=;\na;b\n1;x\n", {"sep": ";", "skiprows": 1}, "first line names"),
    "single.csv": (b"'a','b'\n'1,5','x'\n'2','y'\n", {"quotechar": "'", "decimal": ","}, "single quotes"),
    "escaped.csv": (
        b'a,b\n1,"say \\"hi, you\\""\n2,"plain"\n3,"a\\"b,c"\n',
        {"escapechar": "\\"},
        "a quote within quotes",
    ),
    "utf8_bom.csv": ("a,б\n1,ж\n".encode("utf-8-sig"), {"encoding": "utf-8-sig"}, ""),
    "utf16_bom.csv": ("a,б\n1,ж\n".encode("utf-16"), {"encoding": "utf-16"}, "utf-16le"),
    "utf16_be.csv": (
        b"\xfe\xff" + "a,б\n1,ж\n".encode("utf-16-be"),
        {"encoding": "utf-16"},
        "utf-16be",
    ),
    "utf16_bare.csv": ("name,n\nann,1\nbob,2\n".encode("utf-16-le"), {"encoding": "utf-16-le"}, "utf-16le"),
    "cp1251.csv": (rows(RUSSIAN).encode("cp1251"), {"encoding": "cp1251"}, "windows-1251"),
    "koi8.csv": (rows(RUSSIAN * 3).encode("koi8-r"), {"encoding": "koi8-r"}, "koi8"),
    "cp1252.csv": (
        "stadt,n\nMünchen,1\nKöln,2\nDüsseldorf,3\n".encode("cp1252"),
        {"encoding": "cp1252"},
        "windows-1252",
    ),
    "shift_jis.csv": (
        "都市,人口\n東京,13960000\n大阪,8838000\n".encode("shift_jis"),
        {"encoding": "shift_jis"},
        "shift_jis",
    ),
    "crlf.csv": (b"a,b\r\n1,x\r\n2,y\r\n", {}, ""),
    "cr.csv": (b"a,b\r1,x\r2,y\r", {"lineterminator": "\r"}, ""),
    "mixed_ends.csv": (b"a,b\r\n1,x\n2,y\r3,z\n", {}, ""),
    "no_last_end.csv": (b"a,b\n1,x\n2,y", {}, ""),
    "breaks.csv": (b'a,b\n1,"x\r\ny"\n2,"\n"\n', {}, ""),
    "decimal.csv": (b"a;b\n1,5;x\n-0,25;y\n100;z\n", {"sep": ";", "decimal": ","}, "decimal mark"),
    "german.csv": (
        b"betrag;n\n1.234,50;1\n-12.345.678,00;2\n7;3\n1.000;4\n",
        {"sep": ";", "decimal": ",", "thousands": "."},
        "between thousands",
    ),
    "french.csv": (
        "montant;n\n1 234,5;1\n12 345 678,25;2\n".encode(),
        {"sep": ";", "decimal": ",", "thousands": " "},
        "decimal mark",
    ),
    "hard_space.csv": (
        "montant;n\n1\u00a0234,5;1\n12\u00a0345,25;2\n".encode(),
        {"sep": ";", "decimal": ",", "thousands": " ", "inner": b"montant;n\n1 234,5;1\n12 345,25;2\n"},
        "between thousands",
    ),
    "english.csv": (
        b'amount,n\n"1,234.50",1\n"12,345,678",2\n7,3\n',
        {"thousands": ","},
        "between thousands",
    ),
    "swiss.csv": (b"betrag,n\n1'234.50,1\n12'345'678.00,2\n", {"thousands": "'"}, "thousands"),
    # What one column leaves open, another settles.
    "settled_comma.csv": (
        b"a;b\n1,234;0,5\n2,500;1,25\n",
        {"sep": ";", "decimal": ","},
        "decimal mark in a, b",
    ),
    "settled_dot.csv": (
        b'a,b\n"1,234",0.5\n"2,500",1.25\n',
        {"thousands": ","},
        "between thousands are dropped in a",
    ),
    "ids.csv": (b"zip,n\n01234,1\n00501,2\n", {"dtype": {"zip": "str"}}, "leading zeros"),
    "twice.csv": (b"a,a,b\n1,2,3\n", {"names": ["a", "a_2", "b"], "header": 0}, "repeats the name a"),
    "nameless.csv": (
        b"a,,b\n1,2,3\n",
        {"names": ["a", "column_2", "b"], "header": 0},
        "has no name",
    ),
    "headless.csv": (
        b"1,ann,2024-01-31\n5,bob,2024-02-29\n",
        {"header": None, "names": ["column_1", "column_2", "column_3"]} | {"parse_dates": ["column_3"]},
        "no header",
    ),
    "years.csv": (b"region,2023,2024\nnorth,1,2\nsouth,3,4\n", {}, ""),
    "longer.csv": (b"a,b\n1,x,\n2,y\n3,z,,\n", {"usecols": [0, 1], "names": ["a", "b"], "header": 0}, "beyond the last"),
    "day_dot.csv": (b"d,n\n31.12.2024,1\n01.02.2024,2\n", {"date": "%d.%m.%Y"}, "day, month, year"),
    "day_slash.csv": (b"d,n\n31/12/2024,1\n01/02/2024,2\n", {"date": "%d/%m/%Y"}, "day, month, year"),
    "month_slash.csv": (b"d,n\n12/31/2024,1\n1/2/2024,2\n", {"date": "%m/%d/%Y"}, "month, day, year"),
    "year_slash.csv": (b"d,n\n2024/12/31,1\n2024/2/1,2\n", {"date": "%Y/%m/%d"}, "another form"),
    "named.csv": (b"d,n\n31 Dec 2024,1\n1 Feb 2024,2\n", {"date": "%d %b %Y"}, "another form"),
    "named_dash.csv": (b"d,n\n31-Dec-2024,1\n01-Feb-2024,2\n", {"date": "%d-%b-%Y"}, "another form"),
    "named_first.csv": (b'd,n\n"Dec 31, 2024",1\n"February 1, 2024",2\n', {"date": "mixed"}, "another form"),
    "moments.csv": (
        b"d,n\n31.12.2024 23:59:59,1\n01.02.2024 00:00:00,2\n",
        {"moment": "%d.%m.%Y %H:%M:%S"},
        "day, month, year",
    ),
    "half_days.csv": (
        b"d,n\n12/31/2024 11:59 PM,1\n1/2/2024 12:05 AM,2\n1/2/2024 12:05 PM,3\n",
        {"moment": "%m/%d/%Y %I:%M %p"},
        "month, day, year",
    ),
    # The month of one column says what the other's is.
    "settled_days.csv": (
        b"d,e\n01/02/2024,31/12/2024\n03/04/2024,30/11/2024\n",
        {"date": "%d/%m/%Y", "dates": ["d", "e"]},
        "day, month, year in d, e",
    ),
    "packed.csv.gz": (gzip.compress(b"a,b\n1,x\n2,y\n"), {}, ""),
    "two_members.csv.gz": (gzip.compress(b"a,b\n1,x\n") + gzip.compress(b"2,y\n"), {}, ""),
    "packed.tsv.gz": (gzip.compress(b"a\tb\n1\tx\n"), {"sep": "\t"}, ""),
    "packed_1251.csv.gz": (gzip.compress(rows(RUSSIAN).encode("cp1251")), {"encoding": "cp1251"}, "windows-1251"),
    "squeezed.csv.zst": (zst(b"a,b\n1,x\n2,y\n"), {"inner": b"a,b\n1,x\n2,y\n"}, ""),
}

# Files of which no right table can be made, and what is said of them.
REFUSED = {
    "ragged.csv": (b"a,b\n1,2\n3\n4,5\n", "line 3: found 1 cell where the header names 2 columns"),
    "two_ragged.csv": (
        b"a,b\n1,2\n3\n4,5\n6,7,8\n",
        "line 3: 2 of 4 rows have another number of cells than the header, which has 2: "
        "1 on line 3, 3 on line 5; mend these rows",
    ),
    "five_ragged.csv": (
        b'a,b\n1,2\n3\n"x\ny",5\n6,7,8\n9\n1,2\n,,1\nTotal\n',
        "line 3: 5 of 8 rows have another number of cells than the header, which has 2: "
        "1 on line 3, 3 on line 6, 1 on line 7 and 2 more; mend these rows",
    ),
    "a_title_above.csv": (
        b"Sales of 2024\na,b\n1,2\n3,4\n",
        "line 2: 3 of 3 rows have another number of cells than the header, which has 1: "
        "2 on line 2, 2 on line 3, 2 on line 4; the first line may be none of the table",
    ),
    "ragged_crlf.csv": (b"a,b\r\n\r\n1,2\r\n3\r\n", "line 4: found 1 cell"),
    "ragged_cr.csv": (b"a,b\r1,2\r3,4,5\r", "line 3: found 3 cells"),
    "ragged_mixed.csv": (b"a,b\r\n1,2\n3,4\r5,6,7\n", "line 4: found 3 cells"),
    "after_breaks.csv": (b'a,b\n"1\n\n1",2\n3\n', "line 5: found 1 cell"),
    "open.csv": (b'a,b\n1,"x\n2,y\n', "line 2: a quote opened in the last cell"),
    "broken.csv": ("a,б\n1,ж\n2,".encode() + b"\xff\n", "line 3, column 2 (б): it is not UTF-8"),
    "binary.csv": (bytes(range(256)), "it is not UTF-8"),
    "cut.csv.gz": (gzip.compress(b"a,b\n" + b"1,2\n" * 1000)[:-20], "damaged or cut off"),
    "cut.csv.zst": (zst(b"a,b\n" + b"1,2\n" * 1000)[:-4], "damaged or cut off"),
    "no.csv.gz": (b"a,b\n1,2\n", "damaged or cut off"),
    "odd.csv": ("a,b\n1,2\n".encode("utf-16-le") + b"1", "it is not UTF-16LE"),
    "place.ndjson": (b'{"a": 1}\n{"a": 1, "b": tru}\n', "line 2, character 15"),
    "late.json": (b'[{"a": 1},\n {"a": "x", "a": 2}]', "line 2, character"),
}

# What is kept as text because no one reading is certain, and what is said of it.
TEXT = {
    "thousands.csv": (b'a,n\n"1,234",1\n"5,678",2\n', "decimal marks or stand between thousands"),
    "days.csv": (b"a,n\n01/02/2024,1\n03/04/2024,2\n", "day/month or month/day"),
    "dots.csv": (b"a;b\n1.234;0,5\n5.678;1,5\n", "because the file has decimal commas"),
    "mixed.csv": (b"a,n\n31/12/2024,1\n12/31/2024,2\n", ""),
    "two_groups.csv": (b'a,n\n"1,234.5",1\n1\'234.5,2\n', ""),
    "short_year.csv": (b"a,n\n31.12.24,1\n01.02.24,2\n", ""),
    "no_day.csv": (b"a,n\n31.02.2024,1\n01.02.2024,2\n", ""),
    "phone.csv": (b"a,n\n+7 495 123,1\n+7 495 124,2\n", ""),
    "zero_groups.csv": (b'a,n\n"0,123.5",1\n"1,234.5",2\n', ""),
}
