"""`-i NAME=…`: files, sheets, datasets and references, told apart, and what is in a folder beside."""

import sys
from pathlib import Path

import pytest
from conftest import run

sys.path.insert(0, str(Path(__file__).parent / "formats"))

import books  # noqa: E402

ONE, TWO = "n\n1\n", "n\n1\n2\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder to stand in, with a home that is in it and a data folder."""
    here = tmp_path / "here"
    for name, text in {
        "flights.csv": ONE,
        "data/flights.csv": TWO,
        "data/more.csv": TWO,
        "sub/pay.csv": TWO,
        "home/exports/pay.csv": TWO,
        "pay": "no table",
    }.items():
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(text)
    sheets = {"first": [["n"], [1]], "last of all": [["n"], [1], [2], [3]]}
    (here / "book.xlsx").write_bytes(books.xlsx(sheets))
    (here / "plan.ods").write_bytes(books.ods({"only": [["n"], [1]]}))
    (here / "data/book.xlsx").write_bytes(books.xlsx({"first": [["n"], [5]] * 9, "second": [["n"], [5]]}))
    (here / "script.py").write_text("len(x)")
    monkeypatch.chdir(here)

    def ask(data, *folders, **options):
        where = [word for folder in folders for word in ("--data", folder)]
        return run("run", "script.py", "-i", f"x={data}", "--home", "home", *where, check=False, **options)

    return ask


TAKEN = [
    ("flights.csv", [], 1),
    ("./flights.csv", ["data"], 1),
    ("data/flights.csv", ["data"], 2),
    ("data/flights.csv", [], 2),
    ("flights", ["data"], 2),
    ("more", ["data"], 2),
    ("more.csv", ["data"], 2),
    ("sub/pay.csv", [], 2),
    ("book.xlsx/first", [], 1),
    ("book.xlsx/last of all", [], 3),
    ("book/last of all", [], 3),
    ("./book/first", ["data"], 1),
    ("book/second", ["data"], 1),
    ("plan.ods", [], 1),
    ("plan.ods/only", [], 1),
]


@pytest.mark.parametrize(("data", "folders", "rows"), TAKEN)
def test_what_is_named_is_taken(place, data, folders, rows):
    done = place(data, *folders)
    assert (done.returncode, done.stdout.strip()) == (0, str(rows)), done.stderr


REFUSED = [
    # Two files: neither is guessed.
    ("flights.csv", ["data"], ["`flights.csv` is a file here, and another one in a data folder", "./flights.csv", "`data/flights.csv`"]),
    ("book/first", ["data"], ["is a file here, and another one", "`data/book.xlsx/first`"]),
    # A word is no search: not in folders below, not among exports.
    ("pay", [], ["pay", "not a dataset", "ending"]),
    ("./pay", [], ["pay", "not a dataset", "ending"]),
    ("./flights", [], ["./flights is no data file"]),
    ("pay.csv", [], ["no dataset is named `pay.csv`"]),
    ("./pay.csv", [], ["./pay.csv is no data file"]),
    ("book.xlsx", [], ["`book.xlsx/first`", "`book.xlsx/last of all`", "ask for one"]),
    ("book.xlsx/frist", [], ["book.xlsx/frist", "`book.xlsx/first`"]),
    ("nowhere/x.csv", [], ["nowhere/x.csv is no data file"]),
]


@pytest.mark.parametrize(("data", "folders", "words"), REFUSED)
def test_what_could_be_two_things_or_nothing_is_refused(place, data, folders, words):
    done = place(data, *folders)
    assert done.returncode == 1 and done.stdout == "", done.stdout
    for word in words:
        assert word in done.stderr, done.stderr


def test_a_file_that_is_a_dataset_as_well_is_no_question(place):
    done = place("flights.csv", ".")
    assert (done.returncode, done.stdout.strip()) == (0, "1"), done.stderr


def test_a_folder_of_very_many_files_does_not_hinder_one(place, tmp_path):
    # All of the folder was walked to find the one file.
    many = tmp_path / "here" / "many"
    many.mkdir()
    for n in range(100_001):
        (many / f"{n}.x").touch()
    done = place("flights.csv")
    assert (done.returncode, done.stdout.strip()) == (0, "1"), done.stderr


def test_a_sheet_that_was_named_is_found_again_by_a_replay(place):
    Path("script.py").write_text("outputs['t'] = x")
    made = place("book/last of all")
    reference = made.stderr.split(" = ")[1].split()[0]
    done = run("replay", reference, "--home", "home", check=False)
    assert done.returncode == 0 and "identical" in done.stdout, done.stdout + done.stderr
