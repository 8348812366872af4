"""Tables of a PostgreSQL server in the room: exactly, read-only, and no more of them than needed.

The server is Debian's, started here (`servers/postgres.py`); psql and pyarrow are the judges.
"""

import json
import re
import signal
import struct
import subprocess
import time
import tomllib
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import anyio
import pyarrow.parquet as pq
import pytest
from conftest import BINARY, run
from servers.shop import PASSWORD, config, room, server, shop  # noqa: F401

CASES = Path(__file__).parent / "databases"
TYPES = tomllib.loads((CASES / "postgres_types.toml").read_text("utf-8"))
FILTERS = tomllib.loads((CASES / "postgres_filters.toml").read_text("utf-8"))["conditions"]


# Rows of tables that have left the server, to the reader, since the last reset.
LEFT = """SELECT coalesce(sum(rows), 0) FROM pg_stat_statements s JOIN pg_roles r
 ON r.oid = s.userid WHERE r.rolname = 'reader' AND query LIKE 'SELECT "%'"""


def left(server) -> int:
    return int(server.value(LEFT))


def asked(server) -> list[str]:
    rows = server.sql(
        "SELECT query FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid"
        " WHERE r.rolname = 'reader' AND query LIKE 'SELECT \"%'"
    )
    return [query for [query] in rows]


def reset(server):
    server.sql("SELECT pg_stat_statements_reset()")


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def column_of(case) -> str:
    return case.get("name", case["type"])


def test_each_type_arrives_as_the_server_has_it(server, room):
    exact = TYPES["exact"]
    columns = ", ".join(f'"{column_of(case)}" {case["type"]}' for case in exact)
    server.sql(f"CREATE TABLE types (row int, {columns})")
    most = max(len(case["values"]) for case in exact)
    for row in range(most):
        with_value = [case for case in exact if row < len(case["values"])]
        names = ", ".join(f'"{column_of(case)}"' for case in with_value)
        values = ", ".join(literal(case["values"][row]) for case in with_value)
        server.sql(f"INSERT INTO types (row, {names}) VALUES ({row}, {values})")
    server.sql(f"INSERT INTO types (row) VALUES ({most})")
    table = pq.read_table(room.export("shop.public.types", "parquet")).sort_by("row")
    wrong = []
    for case in exact:
        name = column_of(case)
        arrived = table.column(name)
        if str(arrived.type).replace("element:", "item:") != case["arrow"]:
            wrong.append(f"{name}: {arrived.type}")
        there = server.sql(f'SELECT to_jsonb("{name}")::text, "{name}"::text FROM types ORDER BY row')
        for value, (as_json, text) in zip(arrived.to_pylist(), there, strict=True):
            if not same(value, as_json, text, case["type"]):
                wrong.append(f"{name}: {value!r} is {text!r} there")
    assert not wrong, "\n".join(wrong)


def same(value, as_json: str, text: str, of: str) -> bool:
    if value is None:
        return as_json == ""
    if isinstance(value, bool):
        return str(value).lower() == text
    if isinstance(value, float):
        there = float(text)
        if of == "real":
            [there] = struct.unpack("f", struct.pack("f", there))
        return str(value) == str(there)
    if isinstance(value, (int, Decimal)):
        return Decimal(value) == Decimal(text)
    if isinstance(value, bytes):
        return "\\x" + value.hex() == text
    if isinstance(value, list):
        there = json.loads(as_json, parse_float=Decimal)
        return [v if v is None else Decimal(v) if of != "text[]" else v for v in value] == there
    if isinstance(value, datetime):
        return value.isoformat(" ").replace("+00:00", "+00") == text
    if isinstance(value, date):
        return value.isoformat() == text
    if of == "interval":
        # The server writes it otherwise and takes it for the same.
        return value in next(case for case in TYPES["exact"] if case["type"] == of)["values"]
    return str(value) == text


def test_what_has_no_exact_form_is_said_and_the_others_are_read(server, room):
    refused = TYPES["refused"]
    columns = ", ".join(f"c{at} {case['type']}" for at, case in enumerate(refused))
    server.sql(f"CREATE TABLE refused (id int, {columns}); INSERT INTO refused (id) VALUES (7)")
    described = room.call("describe_data", data="shop.public.refused")
    assert len(described["columns"]) == 1, described.text
    for at, case in enumerate(refused):
        note = next(note for note in described["notes"] if note.startswith(f"c{at} is not read"))
        assert case["says"] in note, note
    reply = room.call("query_data", sql="SELECT c0 FROM shop.public.refused")
    assert reply.failed and TYPES["refused"][0]["says"] in reply.text, reply.text
    assert room.call("query_data", sql="SELECT * FROM shop.public.refused")["preview"] == [{"id": 7}]


def test_a_value_without_a_place_is_an_error_and_never_another(server, room):
    for at, case in enumerate(TYPES["broken"]):
        server.sql(f"CREATE TABLE broken{at} (odd {case['type']}, id int)")
        server.sql(f"INSERT INTO broken{at} VALUES ({literal(case['value'])}, 1)")
        reply = room.call("query_data", sql=f"SELECT * FROM shop.public.broken{at}")
        assert reply.failed and "column odd has a value" in reply.text, (case, reply.text)
        # The others can be read all the same.
        reply = room.call("query_data", sql=f"SELECT id FROM shop.public.broken{at}")
        assert reply["preview"] == [{"id": 1}], (case, reply.text)


def test_conditions_leave_what_they_leave_there_and_go_with_the_statement(server, room):
    wrong = []
    # A collation of the server's is no reason for another answer than the room's own.
    there = [
        case["where"].replace("name > ", 'name COLLATE "C" > ')
        .replace("loud = ", "loud::text = ").replace("key = ", "key::text = ")
        .replace("padded = 'ab'", "padded::bytea = 'ab'")
        for case in FILTERS
    ]  # fmt: skip
    expected = server.sql(
        " UNION ALL ".join(
            f"SELECT {at}, count(*), sum(id) FROM rows WHERE {where}" for at, where in enumerate(there)
        )
    )
    expected = {int(at): (count, total) for at, count, total in expected}
    with server.asking(f"{LEFT}; SELECT pg_stat_statements_reset()") as gone:
        gone()
        for at, case in enumerate(FILTERS):
            sql = f"SELECT count(*) AS n, sum(id) AS s FROM shop.public.rows WHERE {case['where']}"
            reply = room.call("query_data", sql=sql)
            if reply.failed:
                wrong.append(f"{sql}: {reply.text}")
                continue
            [row] = reply["preview"]
            if (str(row["n"]), str(row["s"] or "")) != expected[at]:
                wrong.append(f"{sql}: {row}, there {expected[at]}")
            if (rows := int(gone()[0])) > case.get("most", 20_000):
                wrong.append(f"{sql}: {rows} rows left the server")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("sql", "columns", "rows"),
    [
        ("SELECT count(*) FROM shop.public.rows", 1, 20_000),
        ("SELECT * FROM shop.rows LIMIT 5", 13, 5),
        ("SELECT name FROM shop.rows WHERE id = 3", 2, 1),
        ("SELECT a.id FROM shop.rows a WHERE a.id = 1 UNION ALL"
         " SELECT b.id FROM shop.rows b WHERE b.id = 2", 1, 2),
        ("SELECT id FROM (SELECT * FROM shop.rows) WHERE id < 4", 1, 3),
        ("SELECT sum(o.total) FROM shop.public.orders o", 1, 6),
        ("EXPLAIN SELECT * FROM shop.rows", 13, 0),
    ],
)  # fmt: skip
def test_no_more_columns_and_rows_leave_than_are_needed(server, room, sql, columns, rows):
    reset(server)
    reply = room.call("query_data", sql=sql)
    assert not reply.failed, reply.text
    assert left(server) == rows
    [statement] = asked(server)
    assert statement.split(" FROM ")[0].count('"') == 2 * columns, statement


def test_files_artifacts_and_databases_are_joined(server, room):
    kept = room.call(
        "query_data", sql="SELECT customer, sum(total) AS total FROM shop.public.orders GROUP BY customer"
    )
    joined = room.call(
        "query_data",
        sql=f"SELECT k.customer, k.total, s.units FROM {kept['dataRef']} k"
        " JOIN shop.public.orders o ON o.customer = k.customer JOIN sales s ON s.units = o.id"
        " ORDER BY o.id",
    )
    assert [(row["customer"], row["units"]) for row in joined["preview"]] == [
        ("c1", 1), ("c2", 2), ("c0", 3), ("c1", 4), ("c2", 5),
    ], joined.text  # fmt: skip


def test_a_join_that_multiplies_is_refused_on_what_was_read(room):
    sql = "SELECT sum(o.total) FROM shop.public.orders o JOIN shop.items i ON i.order_id = o.id"
    reply = room.call("query_data", sql=sql)
    assert reply.failed and "FANOUT" in reply.text, reply.text
    clean = "SELECT max(o.total) AS m FROM shop.public.orders o JOIN shop.items i ON i.order_id = o.id"
    assert float(room.call("query_data", sql=clean)["preview"][0]["m"]) == 60


def test_scripts_charts_and_descriptions_take_tables_by_name(room):
    assert room.result("result = int(o.total.sum())", o="shop.public.orders") == 210
    described = room.call("describe_data", data="shop.public.orders", columns=["total"])
    assert described["rows"] == 6 and "total decimal" in described["columns"][0]
    chart = room.call("render_chart", data="shop.public.orders", kind="bar", x="customer", y="total")
    assert not chart.failed, chart.text


def test_tables_are_listed_and_found_by_short_and_other_case_names(room):
    names = [entry["name"] for entry in room.call("list_data", filter="shop.")["datasets"]]
    assert "shop.public.orders" in names and "shop.other.orders" in names
    assert not any("secret" in name for name in names)
    for name in ("shop.items", "SHOP.Public.ITEMS"):
        reply = room.call("query_data", sql=f"SELECT count(*) AS n FROM {name}")
        assert reply["preview"] == [{"n": 12}], reply.text


def test_a_table_under_two_names_is_one_and_twice_under_one_is_read_once(server, room):
    sql = "SELECT count(*) AS n FROM shop.items a JOIN {} b ON a.id = b.id WHERE a.id < 4"
    reply = room.call("query_data", sql=sql.format("shop.public.items"))
    assert reply.failed and "one table under two names" in reply.text, reply.text
    reset(server)
    assert room.call("query_data", sql=sql.format("shop.items"))["preview"] == [{"n": 3}]
    assert len(asked(server)) == 1


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("shop.orders", "shop.other.orders or shop.public.orders"),
        ("shop.public.ordres", "public.orders"),
        ("shop.secret.pay", "no such table"),
        ("shop.pg_catalog.pg_authid", "no such table"),
        ("shop.information_schema.tables", "no such table"),
        ('shop."public.orders; DROP TABLE orders"', "no such table"),
    ],
)
def test_a_table_that_is_not_allowed_is_none(server, room, name, says):
    reply = room.call("query_data", sql=f"SELECT * FROM {name}")
    assert reply.failed and says in reply.text, reply.text
    assert server.value("SELECT count(*) FROM orders") == "6"


def test_zero_rows_of_a_condition_that_went_with_the_statement_are_explained(room):
    reply = room.call("query_data", sql="SELECT * FROM shop.rows WHERE name = 'no such'")
    told = " ".join(reply["warnings"])
    assert reply["rows"] == 0 and "no row of" in told and "empty" not in told, told


def test_a_number_is_traced_to_what_was_read_and_replayed_from_it(server, room):
    sql = "SELECT sum(total) AS s FROM shop.public.orders WHERE customer = 'c1'"
    kept = room.call("query_data", sql=sql)
    steps = room.call("trace_result", data=kept["dataRef"])["steps"]
    assert [step["kind"] for step in steps] == ["database", "sql"], steps
    assert steps[0]["source"] == "shop.public.orders" and "customer = ?" in steps[0]["sql"]
    assert "c1" not in json.dumps(steps[0])
    # Other rows there now, and the same answer from what was read.
    server.sql("UPDATE orders SET total = total + 1")
    try:
        replayed = run("replay", kept["dataRef"], "--home", room.home)
        assert "same" in replayed.stdout, replayed.stdout
    finally:
        server.sql("UPDATE orders SET total = total - 1")


def test_a_changed_table_is_said_with_what_changed(server, room):
    server.sql("CREATE TABLE moving (a int, b text); INSERT INTO moving VALUES (1, 'x')")
    kept = room.call("query_data", sql="SELECT a FROM shop.public.moving")
    note = room.call("trace_result", data=kept["dataRef"])["steps"][0].get("note")
    assert note is None
    server.sql("ALTER TABLE moving DROP COLUMN b, ADD COLUMN c date, ALTER COLUMN a TYPE bigint")
    note = room.call("trace_result", data=kept["dataRef"])["steps"][0]["note"]
    for part in ("column b is gone", "column c (date) was added", "column a is bigint and was integer"):
        assert part in note, note
    again = room.call("query_data", sql="SELECT a FROM shop.public.moving")
    assert any("column b is gone" in warning for warning in again["warnings"]), again.text
    reply = room.call("query_data", sql="SELECT b FROM shop.public.moving")
    assert reply.failed and "COLUMN" in reply.text, reply.text


def refused_statements():
    """Ours, and those that are refused over files: neither reaches a server."""
    ours = (CASES / "postgres_refused.txt").read_text("utf-8")
    for case in re.split(r"^refuse ", ours, flags=re.M)[1:]:
        head, statement = case.split("\n----")[0].split("\n", 1)
        yield head, statement


# All that a statement could leave behind: relations, rows, large objects, locks, settings, roles.
STATE = """
SELECT (SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_proc),
  (SELECT count(*) FROM pg_largeobject_metadata), (SELECT count(*) FROM pg_roles),
  (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'),
  (SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE a.usename = 'reader'),
  (SELECT count(*) FROM pg_prepared_xacts), (SELECT sum(total) FROM orders),
  (SELECT count(*) FROM rows), (SELECT string_agg(setconfig::text, '') FROM pg_db_role_setting),
  (SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' AND state <> 'idle')
"""


def test_what_is_refused_leaves_nothing_at_the_server(server, room):
    cases = list(refused_statements())
    assert len(cases) > 150
    wrong = []
    with server.asking(STATE.strip()) as state:
        before = state()
        assert before and before == state()
        for code, statement in cases:
            reply = room.call("query_data", sql=statement)
            # A table that the source does not give is told by the source.
            is_told = "no such table" in reply.text if code == "TABLE_NONE" else (
                re.match(rf"{code}\b", reply.text)
            )
            if not reply.failed or not is_told:
                wrong.append(f"{statement}\n    is not {code}: {reply.text[:200]}")
            assert PASSWORD not in reply.text
            assert state() == before, statement
    assert not wrong, "\n".join(wrong)


SLOW = "SELECT count(nothing) AS n FROM shop.public.slow"


def test_a_cancelled_query_is_cancelled_at_the_server(server, room):
    async def cancelled():
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: room.acall("query_data", sql=SLOW))
            await anyio.sleep(1.0)
            assert server.activity("reader", '"nothing"')
            group.cancel_scope.cancel()

    room.portal.call(cancelled)
    assert server.idle("reader")
    assert not room.call("query_data", sql="SELECT count(*) FROM shop.public.orders").failed


def test_an_interrupted_command_is_cancelled_at_the_server(server, tmp_path):
    file = tmp_path / "dataroom.toml"
    file.write_text(config())
    command = [BINARY, "query", SLOW, "--home", tmp_path / "home", "--config", file]
    env = {"SHOP": server.address, "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    # As from a person's shell, also where the tests run in the background of another.
    asking = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    process = subprocess.Popen(
        list(map(str, command)),
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=asking,
    )
    until = time.monotonic() + 20
    while not server.activity("reader", '"nothing"'):
        assert time.monotonic() < until, process.communicate()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode != 0 and server.idle("reader")


def test_limits_of_time_rows_and_bytes_are_kept(server, shop):
    late = shop(statement_ms=500)
    reply = late.call("query_data", sql=SLOW)
    assert reply.failed and "too long" in reply.text and reply.seconds < 5, reply.text
    assert server.idle("reader")
    few = shop(scan_rows=100)
    reply = few.call("query_data", sql="SELECT count(*) FROM shop.rows")
    assert reply.failed and "100 rows" in reply.text, reply.text
    assert few.call("query_data", sql="SELECT count(*) AS n FROM shop.rows WHERE id <= 100")[
        "preview"
    ] == [{"n": 100}]
    small = shop(scan_bytes=1000)
    reply = small.call("query_data", sql="SELECT name FROM shop.rows")
    assert reply.failed and "1000 bytes" in reply.text, reply.text
    assert server.idle("reader")


def test_a_server_that_is_killed_or_started_again_is_told_of_and_found_again(server, room):
    orders = "SELECT count(*) AS n FROM shop.public.orders"
    assert room.call("query_data", sql=orders)["preview"] == [{"n": 6}]
    server.restart()
    assert room.call("query_data", sql=orders)["preview"] == [{"n": 6}]
    replies = []

    async def killed():
        async def ask():
            replies.append(await room.acall("query_data", sql="SELECT count(nothing) FROM shop.drip"))

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            await anyio.sleep(1.0)
            await anyio.to_thread.run_sync(server.kill)

    room.portal.call(killed)
    [reply] = replies
    assert reply.failed and "the connection to the database broke" in reply.text, reply.text
    reply = room.call("query_data", sql=orders)
    assert reply.failed and "does not answer" in reply.text and PASSWORD not in reply.text
    server.start()
    assert room.call("query_data", sql=orders)["preview"] == [{"n": 6}]


def test_a_server_without_free_connections_says_so_and_then_works(server, shop):
    orders = "SELECT count(*) AS n FROM shop.public.orders"
    server.sql("ALTER ROLE reader CONNECTION LIMIT 0")
    try:
        room = shop()
        reply = room.call("query_data", sql=orders)
        assert reply.failed and "53300" in reply.text, reply.text
    finally:
        server.sql("ALTER ROLE reader CONNECTION LIMIT -1")
    assert room.call("query_data", sql=orders)["preview"] == [{"n": 6}]


def test_calls_wait_for_a_connection_and_none_is_lost(server, shop):
    room = shop(connections=1)

    def ask():
        return room.acall("query_data", sql="SELECT count(*) AS n FROM shop.public.orders")

    replies = room.together(*[ask] * 6)
    assert [reply["preview"] for reply in replies] == [[{"n": 6}]] * 6
    connections = server.value("SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader'")
    assert int(connections) <= 2


def test_a_table_of_1600_columns(server, room):
    columns = ", ".join(f"c{n} int DEFAULT {n}" for n in range(1600))
    server.sql(f"CREATE TABLE wide ({columns}); INSERT INTO wide DEFAULT VALUES")
    reply = room.call("query_data", sql="SELECT c1599 + c0 AS n FROM shop.wide")
    assert reply["preview"] == [{"n": 1599}], reply.text
    assert not room.call("describe_data", data="shop.wide").failed


def test_a_cell_of_300_mb_is_refused_in_time_and_the_next_call_works(server, room):
    server.sql("CREATE VIEW huge AS SELECT 1 AS id, repeat(repeat('x', 1000), 300000) AS cell")
    reply = room.call("query_data", sql="SELECT cell FROM shop.huge")
    assert reply.failed and "column cell has a value of 286 MB" in reply.text, reply.text
    assert reply.seconds < 20
    assert room.call("query_data", sql="SELECT id FROM shop.huge")["preview"] == [{"id": 1}]


def test_a_table_that_is_changed_or_locked_meanwhile(server, room, shop):
    server.sql("CREATE TABLE shifting (a int, b text); INSERT INTO shifting VALUES (1, 'x')")
    changing = server.background(
        "BEGIN; ALTER TABLE shifting DROP COLUMN b; SELECT pg_sleep(2); COMMIT"
    )
    reply = room.call("query_data", sql="SELECT b FROM shop.shifting")
    assert reply.failed and "the table was changed" in reply.text, reply.text
    changing.wait()
    assert room.call("query_data", sql="SELECT a FROM shop.shifting")["preview"] == [{"a": 1}]
    impatient = shop(statement_ms=700)
    locking = server.background("BEGIN; LOCK TABLE shifting; SELECT pg_sleep(3); COMMIT")
    reply = impatient.call("query_data", sql="SELECT a FROM shop.shifting")
    assert reply.failed and "took too long" in reply.text, reply.text
    locking.wait()
    assert not impatient.call("query_data", sql="SELECT a FROM shop.shifting").failed


def test_only_tables_and_columns_that_are_allowed_are_there(server, shop, rooms, data):
    room = shop(schemas="[]", tables='["public.items"]')
    assert [entry["name"] for entry in room.call("list_data", filter="shop.")["datasets"]] == [
        "shop.public.items"
    ]
    assert room.call("query_data", sql="SELECT * FROM shop.public.orders").failed
    address = server.reader("narrow", PASSWORD, ())
    server.sql("GRANT USAGE ON SCHEMA public TO narrow; GRANT SELECT (id) ON orders TO narrow")
    room = rooms(data=data, config=config(), env={"SHOP": address})
    assert room.call("query_data", sql="SELECT * FROM shop.orders WHERE id = 1")["preview"] == [
        {"id": 1}
    ]
    reply = room.call("query_data", sql="SELECT total FROM shop.orders")
    assert reply.failed and "the role may not read this column" in reply.text, reply.text
    assert room.call("query_data", sql="SELECT * FROM shop.items").failed
