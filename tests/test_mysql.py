"""Tables of a MariaDB server in the room: exactly, read-only, and no more of them than needed.

The server is Debian's, started here (`servers/mariadb.py`); its own client is the judge.
"""

import json
import time
import tomllib
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import anyio
import pyarrow.parquet as pq
import pytest
from conftest import run
from servers.mariadb import MariaDb

CASES = Path(__file__).parent / "databases"
TYPES = tomllib.loads((CASES / "mysql_types.toml").read_text("utf-8"))
FILTERS = tomllib.loads((CASES / "mysql_filters.toml").read_text("utf-8"))["conditions"]
PASSWORD = "Pw-Zq7+x"


@pytest.fixture(scope="module")
def server():
    with MariaDb() as server:
        server.sql(
            "CREATE DATABASE shop; USE shop;"
            "CREATE TABLE numbers (id int unsigned PRIMARY KEY, small smallint, amount decimal(10,2),"
            " ratio double, tiny float, name varchar(20) COLLATE utf8mb4_general_ci,"
            " mood enum('happy', 'so-so'), day date, at datetime, flag bool);"
            "INSERT INTO numbers SELECT seq, seq % 100, seq * 0.01, seq / 20000e0, 0.1,"
            " CONCAT(IF(seq % 2000 = 7, 'N', 'n'), seq % 1000), IF(seq % 2 = 0, 'happy', 'so-so'),"
            " DATE '2024-01-01' + INTERVAL seq % 366 DAY,"
            " TIMESTAMP '2024-01-01 00:00:00' + INTERVAL seq MINUTE,"
            " CASE seq % 3 WHEN 0 THEN 1 WHEN 1 THEN 0 END FROM seq_1_to_20000;"
            "CREATE TABLE orders (id int PRIMARY KEY, total decimal(10,2));"
            "INSERT INTO orders SELECT seq, seq * 10 FROM seq_1_to_6;"
            "CREATE TABLE `a``b:c-?` (`x``y` int, `q:r ?` int);"
            "INSERT INTO `a``b:c-?` VALUES (1, 2), (3, 4);"
            "CREATE VIEW slow AS SELECT id, SLEEP(100) AS nothing FROM orders;"
            "CREATE VIEW drip AS SELECT id, SLEEP(0.002) AS nothing FROM numbers;"
            "CREATE VIEW huge AS SELECT 1 AS id, REPEAT('x', 300 * 1024 * 1024) AS cell;"
            "CREATE DATABASE secret; CREATE TABLE secret.pay (salary int);"
        )
        reader(server, "reader")
        yield server


def reader(server, name: str):
    """A role that only reads."""
    server.sql(
        f"CREATE USER {name}@'%' IDENTIFIED BY '{PASSWORD}'; GRANT SELECT ON shop.* TO {name}@'%'"
    )


def config(**more) -> str:
    lines = {"name": '"shop"', "kind": '"mysql"', "url_env": '"SHOP"', "schemas": '["shop"]'}
    lines |= {key: str(value) for key, value in more.items()}
    return "[[source]]\n" + "\n".join(f"{key} = {value}" for key, value in lines.items())


def address(server, role="reader") -> dict:
    return {"SHOP": server.url(role, PASSWORD, "shop")}


@pytest.fixture(scope="module")
def room(module_rooms, server, data):
    return module_rooms(data=data, config=config(), env=address(server))


@pytest.fixture
def shop(rooms, server, data):
    """A room of its own, by what its source says besides."""
    return lambda **more: rooms(data=data, config=config(**more), env=address(server))


def sent(server, do) -> int:
    """Rows that the server sent while something was done, by its own count."""
    def count():
        return int(server.sql("SHOW GLOBAL STATUS LIKE 'Rows_sent'")[0][1])

    own = count()
    own = count() - own
    before = count()
    do()
    return count() - before - own


def test_each_type_arrives_as_the_server_has_it(server, room):
    exact = TYPES["exact"]
    columns = ", ".join(f"c{at} {case['type']}" for at, case in enumerate(exact))
    server.sql(f"CREATE TABLE shop.types (row int, {columns})")
    rows = max(len(case["values"]) for case in exact) + 1
    for row in range(rows):
        cells = [(at, case["values"][row]) for at, case in enumerate(exact) if row < len(case["values"])]
        names = "".join(f", c{at}" for at, _ in cells)
        values = "".join(f", {literal(exact[at]['type'], value)}" for at, value in cells)
        server.sql(
            "SET time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES';"
            f"INSERT INTO shop.types (row{names}) VALUES ({row}{values})"
        )
    table = pq.read_table(room.export("shop.shop.types", "parquet")).sort_by("row")
    wrong = []
    for at, case in enumerate(exact):
        arrived = table.column(f"c{at}")
        if str(arrived.type) != case["arrow"]:
            wrong.append(f"{case['type']}: {arrived.type}")
        shown = f"HEX(c{at})" if case["arrow"] == "binary" else f"c{at} + 0" if "bit" in case["type"] else f"c{at}"
        there = server.sql(f"SET time_zone = '+00:00'; SELECT {shown} FROM shop.types ORDER BY row")
        for value, there in zip(arrived.to_pylist(), (row[0] for row in there), strict=True):
            if not same(value, there, case["arrow"]):
                wrong.append(f"{case['type']}: {value!r} is {there!r} there")
    assert not wrong, "\n".join(wrong)


def literal(of: str, value: str) -> str:
    if value.startswith("0x"):
        return f"x'{value[2:]}'"
    return value if "bit" in of else "'" + value.replace("'", "''") + "'"


def same(value, there: str, arrow: str) -> bool:
    if value is None:
        return there == "NULL"
    if arrow == "float":
        # The client writes six digits of it.
        return abs(value - float(there)) <= 1e-5 * abs(value)
    if isinstance(value, float):
        return value == float(there)
    if isinstance(value, (int, Decimal)):
        return Decimal(value) == Decimal(there)
    if isinstance(value, bytes):
        return value.hex().upper() == there
    if isinstance(value, datetime):
        return value.replace(tzinfo=None) == datetime.fromisoformat(there)
    if isinstance(value, date):
        return value.isoformat() == there
    return str(value) == there


def test_what_has_no_exact_form_is_said_and_the_others_are_read(server, room):
    columns = ", ".join(f"c{at} {case['type']}" for at, case in enumerate(TYPES["refused"]))
    server.sql(f"CREATE TABLE shop.refused (id int, {columns}); INSERT INTO shop.refused (id) VALUES (7)")
    described = room.call("describe_data", data="shop.refused")
    assert len(described["columns"]) == 1, described.text
    for at, case in enumerate(TYPES["refused"]):
        note = next(note for note in described["notes"] if note.startswith(f"c{at} is not read"))
        assert case["type"] in note, note
    assert room.call("query_data", sql="SELECT * FROM shop.refused")["preview"] == [{"id": 7}]


def test_a_value_without_a_place_is_an_error_and_never_another(server, room):
    for at, case in enumerate(TYPES["broken"]):
        server.sql(
            f"SET sql_mode = ''; CREATE TABLE shop.broken{at} (odd {case['type']}, id int);"
            f"INSERT INTO shop.broken{at} VALUES ('{case['value']}', 1)"
        )
        reply = room.call("query_data", sql=f"SELECT * FROM shop.broken{at}")
        assert reply.failed and 'column "odd"' in reply.text and case["says"] in reply.text, reply.text
        # The others can be read all the same.
        reply = room.call("query_data", sql=f"SELECT id FROM shop.broken{at}")
        assert reply["preview"] == [{"id": 1}], (case, reply.text)


def test_conditions_leave_what_they_leave_there_and_go_with_the_statement(server, room):
    wrong = []
    for case in FILTERS:
        where = case["where"]
        # The room compares letters, whatever the server's order of them is.
        there = where.replace("name ", "CAST(name AS BINARY) ").replace("tiny = 0.1", "TRUE")
        [[count, total]] = server.sql(f"SELECT COUNT(*), COALESCE(SUM(id), 0) FROM shop.numbers WHERE {there}")
        sql = f"SELECT count(*) AS n, coalesce(sum(id), 0) AS s FROM shop.numbers WHERE {where}"
        replies = []
        gone = sent(server, lambda: replies.append(room.call("query_data", sql=sql)))
        [reply] = replies
        if reply.failed:
            wrong.append(f"{where}: {reply.text}")
            continue
        [row] = reply["preview"]
        if "tiny" not in where and (str(row["n"]), str(row["s"])) != (count, total):
            wrong.append(f"{where}: {row}, there {count}, {total}")
        # The catalog is asked for the table's columns, besides.
        if gone - CATALOG > case.get("most", 20_000):
            wrong.append(f"{where}: {gone} rows left the server")
    assert not wrong, "\n".join(wrong)


# Rows of the catalog that a query may cost: which tables and columns there are.
CATALOG = 60


def test_names_and_values_are_never_read_as_sql(server, room):
    sql = 'SELECT "x`y" AS x FROM shop.shop."a`b:c-?" WHERE "q:r ?" = 4'
    assert room.call("query_data", sql=sql)["preview"] == [{"x": 3}]
    for value in ("\\", "'' OR 1=1 -- ", "\\'' OR 1=1 -- ", "`; DROP TABLE shop.orders"):
        reply = room.call("query_data", sql=f"SELECT id FROM shop.numbers WHERE name = '{value}'")
        assert reply["rows"] == 0, reply.text


def test_files_and_databases_are_joined(server, room):
    joined = room.call(
        "query_data",
        sql="SELECT o.total, s.units FROM shop.orders o JOIN sales s ON s.units = o.id ORDER BY o.id",
    )
    assert [row["units"] for row in joined["preview"]] == [1, 2, 3, 4, 5], joined.text
    assert room.result("result = int(o.total.sum())", o="shop.shop.orders") == 210


@pytest.mark.parametrize(
    "name", ["shop.secret.pay", "shop.mysql.user", "shop.information_schema.tables", "shop.shop.ORDRES"]
)
def test_a_table_that_is_not_allowed_is_none(room, name):
    reply = room.call("query_data", sql=f"SELECT * FROM {name}")
    assert reply.failed and "no such table" in reply.text, reply.text


SLOW = "SELECT count(nothing) AS n FROM shop.slow"
ORDERS = "SELECT count(*) AS n FROM shop.orders"


def gone(server) -> bool:
    """Whether nothing runs for the reader any more, soon."""
    until = time.monotonic() + 5
    while server.running("reader"):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def test_a_cancelled_query_is_stopped_at_the_server(server, room):
    async def cancelled():
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: room.acall("query_data", sql=SLOW))
            until = time.monotonic() + 10
            while not server.running("reader"):
                assert time.monotonic() < until
                await anyio.sleep(0.05)
            group.cancel_scope.cancel()

    room.portal.call(cancelled)
    assert gone(server)
    assert room.call("query_data", sql=ORDERS)["preview"] == [{"n": 6}]


def test_limits_of_time_rows_and_bytes_are_kept(server, shop):
    late = shop(statement_ms=500)
    reply = late.call("query_data", sql=SLOW)
    assert reply.failed and "too long" in reply.text and reply.seconds < 5, reply.text
    assert gone(server)
    few = shop(scan_rows=100)
    reply = few.call("query_data", sql="SELECT count(*) FROM shop.numbers")
    assert reply.failed and "100 rows" in reply.text, reply.text
    sql = "SELECT count(*) AS n FROM shop.numbers WHERE id <= 100"
    assert few.call("query_data", sql=sql)["preview"] == [{"n": 100}]
    small = shop(scan_bytes=1000)
    reply = small.call("query_data", sql="SELECT name FROM shop.numbers")
    assert reply.failed and "1000 bytes" in reply.text, reply.text
    assert gone(server)


def test_a_server_that_is_killed_or_started_again_is_told_of_and_found_again(server, room):
    assert room.call("query_data", sql=ORDERS)["preview"] == [{"n": 6}]
    server.restart()
    assert room.call("query_data", sql=ORDERS)["preview"] == [{"n": 6}]
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
    reply = room.call("query_data", sql=ORDERS)
    assert reply.failed and "does not answer" in reply.text and PASSWORD not in reply.text
    server.start()
    assert room.call("query_data", sql=ORDERS)["preview"] == [{"n": 6}]


def test_a_server_without_free_connections_says_so_and_then_works(server, rooms, data):
    reader(server, "crowd")
    server.sql("ALTER USER crowd@'%' WITH MAX_USER_CONNECTIONS 1")
    room = rooms(data=data, config=config(), env=address(server, "crowd"))
    held = server.client("crowd", PASSWORD)
    try:
        reply = room.call("query_data", sql=ORDERS)
        assert reply.failed and "1226" in reply.text and "busy" in reply.text, reply.text
    finally:
        held.kill()
        held.wait()
    server.sql("ALTER USER crowd@'%' WITH MAX_USER_CONNECTIONS 0")
    assert room.call("query_data", sql=ORDERS)["preview"] == [{"n": 6}]


def test_calls_wait_for_a_connection_and_none_is_lost(server, shop):
    room = shop(connections=1)
    replies = room.together(*[lambda: room.acall("query_data", sql=ORDERS)] * 6)
    assert [reply["preview"] for reply in replies] == [[{"n": 6}]] * 6


def test_a_changed_table_is_said_with_what_changed(server, room):
    server.sql("CREATE TABLE shop.moving (a int, b text); INSERT INTO shop.moving VALUES (1, 'x')")
    assert not room.call("query_data", sql="SELECT a FROM shop.moving").failed
    server.sql("ALTER TABLE shop.moving DROP COLUMN b, MODIFY a bigint")
    again = room.call("query_data", sql="SELECT a FROM shop.moving")
    assert any("column b is gone" in warning for warning in again["warnings"]), again.text
    reply = room.call("query_data", sql="SELECT b FROM shop.moving")
    assert reply.failed and "COLUMN" in reply.text, reply.text


def test_a_table_of_1017_columns(server, room):
    columns = ", ".join(f"c{n} smallint DEFAULT {n}" for n in range(1017))
    server.sql(f"CREATE TABLE shop.wide ({columns}); INSERT INTO shop.wide () VALUES ()")
    reply = room.call("query_data", sql="SELECT c1016 + c0 AS n FROM shop.wide")
    assert reply["preview"] == [{"n": 1016}], reply.text


def test_a_cell_of_300_mb_is_refused_in_time_and_the_next_call_works(server, room):
    reply = room.call("query_data", sql="SELECT cell FROM shop.huge")
    assert reply.failed and "larger than 64 MiB" in reply.text and reply.seconds < 30, reply.text
    assert room.call("query_data", sql="SELECT id FROM shop.huge")["preview"] == [{"id": 1}]


ROLES = {
    "may INSERT on": "GRANT INSERT ON shop.* TO {r}",
    "may UPDATE (`total`) on": "GRANT UPDATE (total) ON shop.orders TO {r}",
    "may DELETE on": "GRANT DELETE ON shop.orders TO PUBLIC",
    "may CREATE on": "GRANT CREATE ON shop.* TO {r}",
    "may CREATE TEMPORARY TABLES on": "GRANT CREATE TEMPORARY TABLES ON shop.* TO {r}",
    "may DROP on": "GRANT DROP ON shop.* TO {r}",
    "may ALTER on": "GRANT ALTER ON shop.* TO {r}",
    "may INDEX on": "GRANT INDEX ON shop.* TO {r}",
    "may TRIGGER on": "GRANT TRIGGER ON shop.* TO {r}",
    "may EVENT on": "GRANT EVENT ON shop.* TO {r}",
    "may LOCK TABLES on": "GRANT LOCK TABLES ON shop.* TO {r}",
    "may EXECUTE on": "GRANT EXECUTE ON shop.* TO {r}",
    "may REFERENCES on": "GRANT REFERENCES ON shop.* TO {r}",
    "may FILE on": "GRANT FILE ON *.* TO {r}",
    "may PROCESS on": "GRANT PROCESS ON *.* TO {r}",
    "may SUPER on": "GRANT SUPER ON *.* TO {r}",
    "may RELOAD on": "GRANT RELOAD ON *.* TO {r}",
    "may SHUTDOWN on": "GRANT SHUTDOWN ON *.* TO {r}",
    "may CREATE USER on": "GRANT CREATE USER ON *.* TO {r}",
    "may READ_ONLY ADMIN on": "GRANT READ_ONLY ADMIN ON *.* TO {r}",
    "may pass its rights": "GRANT SELECT ON shop.* TO {r} WITH GRANT OPTION",
    "may read *.*, and": "GRANT SELECT ON *.* TO {r}",
    "may read `my%`.*, and": "GRANT SELECT ON `my%`.* TO {r}",
    "may TRIGGER on `secret`.*": "GRANT TRIGGER ON secret.* TO inner_role; GRANT inner_role TO outer_role;"
    "GRANT outer_role TO {r}",
    "may use the database anyones": "CREATE DATABASE anyones; CREATE USER ''@'%';"
    "GRANT SELECT, INSERT ON anyones.* TO ''@'%'",
}


def check(server, role: str, folder: Path, *flags: str):
    file = folder / "check.toml"
    file.write_text(config())
    return run(
        "sources", "check", *flags, "--home", folder / "home", "--config", file,
        check=False, env=address(server, role),
    )  # fmt: skip


def test_a_role_that_may_do_more_than_read_is_refused_and_mended(server, tmp_path):
    """Each right too many is found, named, and gone after the SQL that is printed for it."""
    reader(server, "tempted")
    server.sql("CREATE ROLE inner_role; CREATE ROLE outer_role")
    clean = check(server, "tempted", tmp_path)
    assert clean.returncode == 0, clean.stdout + clean.stderr
    for fault, grant in ROLES.items():
        server.sql(grant.format(r="tempted@'%'"))
        found = check(server, "tempted", tmp_path, "--json")
        assert found.returncode == 1, (fault, found.stdout)
        [source] = json.loads(found.stdout)
        # One: so that those before are mended.
        [one] = source["faults"]
        assert one["what"].startswith(fault), (fault, source)
        assert PASSWORD not in found.stdout + found.stderr
        server.sql(one["mend"])
    after = check(server, "tempted", tmp_path, "--explain")
    assert after.returncode == 0, after.stdout


def test_a_refused_role_reads_nothing(server, rooms, data):
    reader(server, "writer")
    server.sql("GRANT INSERT ON shop.orders TO writer@'%'")
    room = rooms(data=data, config=config(), env=address(server, "writer"))
    reply = room.call("query_data", sql="SELECT * FROM shop.orders")
    assert reply.failed and "may INSERT on `shop`.`orders`" in reply.text, reply.text
    server.sql("REVOKE INSERT ON shop.orders FROM writer@'%'")
    assert not room.call("query_data", sql="SELECT * FROM shop.orders").failed


BAD = {
    "password": ("mysql://reader:Sup3r-Secret@127.0.0.1:{port}/shop", "does not let this role in"),
    "port": ("mysql://reader:Sup3r-Secret@127.0.0.1:1/shop", "does not answer"),
    "scheme": ("postgres://reader:Sup3r-Secret@127.0.0.1:{port}/shop", "mysql://"),
    "parameter": ("mysql://reader:Sup3r-Secret@127.0.0.1:{port}/shop?x=1", "parameter"),
    "tls": ("mysql://reader:Sup3r-Secret@127.0.0.1:{port}/shop", "secure connection"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_source_that_cannot_be_used_says_why_and_never_its_secret(server, rooms, data, case):
    bad, says = BAD[case]
    more = {"tls": '"require"'} if case == "tls" else {}
    env = {"SHOP": bad.format(port=server.port), "RUST_LOG": "trace"}
    room = rooms(data=data, config=config(**more), env=env)
    replies = [room.call("query_data", sql="SELECT * FROM shop.orders"), room.call("list_data")]
    assert says in replies[0].text, replies[0].text
    assert not any("Sup3r" in reply.text for reply in replies)
