"""Tables of SQLite files in the room: exactly, and the file is left as it is.

Python's own sqlite3 makes the files, and is the judge of what is in them.
"""

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import threading

import anyio
import pyarrow.parquet as pq
import pytest

SETUP = """
CREATE TABLE numbers (id INTEGER PRIMARY KEY, v INTEGER, ratio REAL, name TEXT COLLATE NOCASE, loose);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO numbers SELECT i, i % 100, i / 20000.0, CASE i % 2 WHEN 0 THEN 'N' ELSE 'n' END || (i % 1000),
  'x' || i FROM n;
CREATE TABLE classes (i INTEGER, r REAL, t TEXT, b BLOB, n NUMERIC, u, d DATE, e DATETIME, two INTEGER,
  large NUMERIC);
INSERT INTO classes VALUES
  (9223372036854775807, 0.1, 'Zoë', x'00ff', 1, 'x', '2024-02-30', NULL, 1, 9007199254740993),
  (-9223372036854775808, 1, '007', x'', 2.5, 'y', '', NULL, 'one', 0.5),
  (NULL, -0.0, '', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE texts (bad TEXT, u TEXT); INSERT INTO texts VALUES (CAST(x'ff' AS TEXT), 'x');
CREATE TABLE strict (a INT, b ANY) STRICT; INSERT INTO strict VALUES (1, 2.5);
CREATE TABLE "odd ""name; --" ("x""y" INTEGER, "q ?1" TEXT); INSERT INTO "odd ""name; --" VALUES (1, 'a');
CREATE TABLE orders (id INTEGER PRIMARY KEY, total REAL); INSERT INTO orders VALUES (1, 10), (2, 20.5);
CREATE TABLE hidden (id INTEGER); INSERT INTO hidden VALUES (7), (8);
CREATE VIEW shown AS SELECT id FROM hidden;
CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;
CREATE VIEW silent AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
  SELECT i FROM n WHERE i < 0;
CREATE TABLE cell (id INTEGER, blob BLOB); INSERT INTO cell VALUES (1, zeroblob(300000000));
CREATE VIRTUAL TABLE search USING fts5(x);
"""
ALLOWED = ["numbers", "texts", "classes", "strict", 'odd "name; --', "orders", "shown", "endless", "silent", "cell"]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    file = tmp_path_factory.mktemp("sqlite") / "shop.db"
    connection = sqlite3.connect(file)
    connection.executescript(SETUP)
    connection.close()
    return file


def config(file, **more) -> str:
    tables = "[" + ", ".join(f"'{name}'" for name in ALLOWED) + "]"
    lines = {"name": '"lite"', "kind": '"sqlite"', "file": f"'{file}'", "tables": tables}
    lines |= {key: str(value) for key, value in more.items()}
    return "[[source]]\n" + "\n".join(f"{key} = {value}" for key, value in lines.items())


@pytest.fixture(scope="module")
def room(module_rooms, file, data):
    return module_rooms(data=data, config=config(file))


@pytest.fixture
def lite(rooms, data):
    """A room of its own, over this file, by what its source says besides."""
    return lambda file, **more: rooms(data=data, config=config(file, **more))


def there(file, sql: str) -> list:
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    # As everywhere else.
    connection.execute("PRAGMA case_sensitive_like = ON")
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def read(room, table: str) -> list:
    return [tuple(row.values()) for row in pq.read_table(room.export(table, "parquet")).to_pylist()]


def test_values_decide_what_a_column_is(file, room):
    described = room.call("describe_data", data="lite.main.classes")
    notes = " ".join(described["notes"])
    for column, counted in [("two", "1 integers, 1 texts"), ("large", "1 integers, 1 reals")]:
        assert f"{column} is not read" in notes and counted in notes, notes
    types = {"i": "int64", "r": "double", "t": "string", "b": "binary", "n": "double", "u": "string"}
    columns = ", ".join(types)
    kept = room.call("query_data", sql=f"SELECT {columns} FROM lite.classes")
    table = pq.read_table(room.export(kept["dataRef"], "parquet"))
    assert {name: str(table.schema.field(name).type) for name in types} == types
    assert [tuple(row.values()) for row in table.to_pylist()] == there(file, f"SELECT {columns} FROM classes")
    # Dates stay as they are kept, also those that are none.
    days = room.call("query_data", sql="SELECT d FROM lite.classes")["preview"]
    assert [row["d"] for row in days] == ["2024-02-30", "", None]


def test_a_text_that_is_none_is_an_error_and_never_another(room):
    reply = room.call("query_data", sql="SELECT bad FROM lite.texts")
    assert reply.failed and '"bad" has a text that is not valid UTF-8' in reply.text, reply.text
    assert not room.call("query_data", sql="SELECT u FROM lite.texts").failed


def test_strict_tables_views_and_odd_names(file, room):
    assert read(room, "lite.main.strict") == [(1, 2.5)]
    assert read(room, "lite.shown") == there(file, "SELECT * FROM shown")
    reply = room.call("query_data", sql='SELECT "q ?1" AS q FROM lite.main."odd ""name; --" WHERE "x""y" = 1')
    assert reply["preview"] == [{"q": "a"}], reply.text
    assert room.call("query_data", sql="SELECT count(*) AS n FROM lite.shown")["preview"] == [{"n": 2}]


CONDITIONS = [
    "id = 77", "id IN (1, 5, 9, -1)", "id BETWEEN 10 AND 19 AND name LIKE 'n%'", "v < 3 OR v > 97",
    "ratio = 0.5", "ratio > 0.9999", "name = 'n7'", "name <> 'n7'", "name > 'n99'", "name < 'N'",
    "loose = 'x3'", "loose > 'x9'", "v IS NULL", "name IN ('N2', 'n3')", "ratio = 1",
]  # fmt: skip


def test_conditions_leave_what_they_leave_there(file, room):
    wrong = []
    for where in CONDITIONS:
        binary = where.replace("name", "(name COLLATE BINARY)")
        [expected] = there(file, f"SELECT count(*), coalesce(sum(id), 0) FROM numbers WHERE {binary}")
        reply = room.call(
            "query_data", sql=f"SELECT count(*) AS n, coalesce(sum(id), 0) AS s FROM lite.numbers WHERE {where}"
        )
        found = reply.text if reply.failed else tuple(reply["preview"][0].values())
        if found != expected:
            wrong.append(f"{where}: {found}, there {expected}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "name", ["lite.hidden", "lite.main.hidden", "lite.sqlite_schema", "lite.search", "lite.temp.numbers"]
)
def test_a_table_that_is_not_allowed_is_none(room, name):
    reply = room.call("query_data", sql=f"SELECT * FROM {name}")
    assert reply.failed and "no such table" in reply.text, reply.text


def test_files_and_databases_are_joined(room):
    reply = room.call(
        "query_data",
        sql="SELECT o.total, s.region FROM lite.orders o JOIN sales s ON s.units = o.id ORDER BY o.id",
    )
    assert [row["total"] for row in reply["preview"]] == [10, 20.5], reply.text


def test_limits_of_time_rows_and_bytes_are_kept(file, lite):
    late = lite(file, statement_ms=1000)
    for view in ("endless", "silent"):
        reply = late.call("query_data", sql=f"SELECT i FROM lite.{view} WHERE i <> 5")
        assert reply.failed and "too long" in reply.text and reply.seconds < 8, reply.text
    few = lite(file, scan_rows=100)
    reply = few.call("query_data", sql="SELECT v FROM lite.numbers")
    assert reply.failed and "100 rows" in reply.text, reply.text
    sql = "SELECT count(v) AS n FROM lite.numbers WHERE id <= 100"
    assert few.call("query_data", sql=sql)["preview"] == [{"n": 100}]
    reply = lite(file, scan_bytes=1000).call("query_data", sql="SELECT name FROM lite.numbers")
    assert reply.failed and "1000 bytes" in reply.text, reply.text


def test_a_cell_of_300_mb_is_refused_and_its_neighbour_read(room):
    reply = room.call("query_data", sql="SELECT blob FROM lite.cell")
    assert reply.failed and "too large" in reply.text, reply.text
    assert room.call("query_data", sql="SELECT id FROM lite.cell")["preview"] == [{"id": 1}]


def test_a_cancelled_query_ends(room):
    async def cancelled():
        with anyio.move_on_after(0.5):
            await room.acall("query_data", sql="SELECT i FROM lite.silent")

    room.portal.call(cancelled)
    replies = room.together(
        *[lambda: room.acall("query_data", sql="SELECT count(*) AS n FROM lite.orders")] * 8
    )
    assert [reply["preview"] for reply in replies] == [[{"n": 2}]] * 8


def test_the_file_is_left_as_it_is(file, room):
    before = hashlib.sha256(file.read_bytes()).hexdigest(), sorted(os.listdir(file.parent))
    for table in ("numbers", "orders", "shown"):
        assert not room.call("query_data", sql=f"SELECT * FROM lite.{table}").failed
    after = hashlib.sha256(file.read_bytes()).hexdigest(), sorted(os.listdir(file.parent))
    assert before == after
    with sqlite3.connect(file, timeout=0) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        connection.rollback()


@pytest.fixture
def small(tmp_path):
    (tmp_path / "db").mkdir()
    file = tmp_path / "db" / "small.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE orders (id INTEGER, total)")
        connection.execute("INSERT INTO orders VALUES (1, 10)")
    connection.close()
    return file


ORDERS = "SELECT sum(total) AS s FROM lite.orders"


def test_a_writer_is_waited_for_and_then_told_of(small, lite):
    room = lite(small)
    writer = sqlite3.connect(small, check_same_thread=False)
    writer.execute("BEGIN EXCLUSIVE")
    reply = room.call("query_data", sql=ORDERS)
    assert reply.failed and "another program is writing" in reply.text and reply.seconds < 10, reply.text
    threading.Timer(0.5, writer.rollback).start()
    assert room.call("query_data", sql=ORDERS)["preview"] == [{"s": 10}]
    writer.close()


def test_what_is_written_meanwhile_is_seen_and_another_type_told_of(small, lite):
    room = lite(small)
    assert room.call("query_data", sql=ORDERS)["preview"] == [{"s": 10}]
    with sqlite3.connect(small) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("INSERT INTO orders VALUES (2, 20)")
    assert room.call("query_data", sql=ORDERS)["preview"] == [{"s": 30}]
    with writer:
        writer.execute("INSERT INTO orders VALUES (3, 'thirty')")
    reply = room.call("query_data", sql=ORDERS)
    assert reply.failed and "COLUMN" in reply.text, reply.text
    with writer:
        writer.execute("DELETE FROM orders WHERE id = 3")
    writer.close()
    assert room.call("query_data", sql=ORDERS)["preview"] == [{"s": 30}]


CRASH = """
import os, sqlite3, sys
c = sqlite3.connect(sys.argv[1]); c.execute("PRAGMA cache_size = 1"); c.execute("BEGIN")
c.execute("CREATE TABLE filler (x)")
for n in range(2000): c.execute("INSERT INTO filler VALUES (zeroblob(1000))")
c.execute("UPDATE orders SET total = 99"); os._exit(9)
"""


def test_a_write_that_was_broken_off_is_told_of(small, lite):
    """What it left in the file is not read; whoever may write undoes it."""
    subprocess.run([sys.executable, "-c", CRASH, small], check=False)
    assert small.with_name("small.db-journal").exists()
    room = lite(small)
    reply = room.call("query_data", sql=ORDERS)
    assert reply.failed and "in the middle of writing" in reply.text, reply.text
    with sqlite3.connect(small) as writer:
        writer.execute("SELECT count(*) FROM orders").fetchall()
    writer.close()
    assert room.call("query_data", sql=ORDERS)["preview"] == [{"s": 10}]


def test_a_changed_table_is_said_with_what_changed(small, lite):
    room = lite(small)
    assert not room.call("query_data", sql=ORDERS).failed
    with sqlite3.connect(small) as writer:
        writer.execute("ALTER TABLE orders ADD COLUMN day TEXT")
    writer.close()
    again = room.call("query_data", sql=ORDERS)
    assert any("column day" in warning and "added" in warning for warning in again["warnings"]), again.text


def test_a_table_of_2000_columns(tmp_path, lite):
    file = tmp_path / "wide.db"
    with sqlite3.connect(file) as connection:
        columns = ", ".join(f"c{n} INTEGER DEFAULT {n}" for n in range(2000))
        connection.execute(f"CREATE TABLE orders ({columns})")
        connection.execute("INSERT INTO orders DEFAULT VALUES")
    connection.close()
    reply = lite(file).call("query_data", sql="SELECT c1999 + c0 AS n FROM lite.orders")
    assert reply["preview"] == [{"n": 1999}], reply.text


NO_DATABASE = {
    "missing": (lambda small: small.with_name("missing.db"), "cannot be read"),
    "folder": (lambda small: small.parent, "is no file"),
    "text": (lambda small: small.with_name("text.db"), "no database of SQLite's"),
    "damaged": (lambda small: small.with_name("damaged.db"), ""),
    "uri": (lambda small: f"file:{small}?mode=rwc", "cannot be read"),
    "memory": (lambda small: ":memory:", "cannot be read"),
}


@pytest.mark.parametrize("case", NO_DATABASE)
def test_what_is_no_database_is_said_and_never_made(small, lite, case):
    path, says = NO_DATABASE[case]
    small.with_name("text.db").write_text("no database " * 1000)
    shutil.copy(small, small.with_name("damaged.db"))
    with small.with_name("damaged.db").open("r+b") as damaged:
        damaged.seek(4096)
        damaged.write(b"\xff" * 4096)
    before = sorted(os.listdir(small.parent))
    room = lite(path(small))
    reply = room.call("query_data", sql=ORDERS)
    assert reply.failed and says in reply.text, reply.text
    assert sorted(os.listdir(small.parent)) == before, case
    # The files of the room are there all the same.
    assert room.call("query_data", sql="SELECT count(*) AS n FROM sales")["preview"] == [{"n": 5}]
