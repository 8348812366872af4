"""Who may be a source, on a live PostgreSQL: roles that only read, sections without a fault,
connections that are secured, and no secret in anything that is told or kept.
"""

import json
import subprocess
from pathlib import Path

import pytest
from conftest import run
from servers.shop import PASSWORD, config, room, server, shop  # noqa: F401


ROLES = {
    "is a superuser": "ALTER ROLE {r} SUPERUSER",
    "may create roles": "ALTER ROLE {r} CREATEROLE",
    "may create databases": "ALTER ROLE {r} CREATEDB",
    "may replicate": "ALTER ROLE {r} REPLICATION",
    "passes by the policies": "ALTER ROLE {r} BYPASSRLS",
    "is a member of pg_write_all_data": "GRANT pg_write_all_data TO {r}",
    "is a member of pg_execute_server_program": "GRANT pg_execute_server_program TO {r}",
    "is a member of pg_write_server_files": "GRANT pg_write_server_files TO {r}",
    "is a superuser, as a member of admin": "ALTER ROLE {r} NOINHERIT; GRANT admin TO {r}",
    "owns public.owned": "CREATE TABLE owned (a int); ALTER TABLE owned OWNER TO {r}",
    "owns the schema": "CREATE SCHEMA owned AUTHORIZATION {r}",
    "owns the database shop": "ALTER DATABASE shop OWNER TO {r}",
    "may INSERT public.orders": "GRANT INSERT ON orders TO {r}",
    "may UPDATE public.orders": "GRANT UPDATE ON orders TO {r}",
    "may DELETE public.orders": "GRANT DELETE ON orders TO {r}",
    "may TRUNCATE public.orders": "GRANT TRUNCATE ON orders TO {r}",
    "may REFERENCES public.orders": "GRANT REFERENCES ON orders TO {r}",
    "may TRIGGER public.orders": "GRANT TRIGGER ON orders TO {r}",
    "may UPDATE the column id": "GRANT UPDATE (id) ON orders TO {r}",
    "may INSERT secret.pay": "GRANT INSERT ON secret.pay TO PUBLIC",
    "may USAGE public.counter": "CREATE SEQUENCE counter; GRANT USAGE ON SEQUENCE counter TO {r}",
    "may create in the schema public": "GRANT CREATE ON SCHEMA public TO PUBLIC",
    "may create schemas": "GRANT CREATE ON DATABASE shop TO {r}",
    "may make temporary tables": "GRANT TEMPORARY ON DATABASE shop TO PUBLIC",
    "may call public.leak()": "CREATE FUNCTION leak() RETURNS int LANGUAGE sql SECURITY DEFINER"
    " AS 'SELECT salary FROM secret.pay'",
}


def check(server, role: str, folder: Path, *flags: str) -> subprocess.CompletedProcess:
    file = folder / "check.toml"
    file.write_text(config())
    return run(
        "sources", "check", *flags, "--home", folder / "home", "--config", file,
        check=False, env={"SHOP": server.url(role, PASSWORD)},
    )  # fmt: skip


def test_a_role_that_may_do_more_than_read_is_refused_and_mended(server, tmp_path):
    """Each right too many is found, named, and gone after the SQL that is printed for it."""
    server.reader("tempted", PASSWORD)
    assert check(server, "tempted", tmp_path).returncode == 0
    for fault, grant in ROLES.items():
        server.sql(grant.format(r="tempted"))
        found = check(server, "tempted", tmp_path, "--json")
        assert found.returncode == 1, fault
        [source] = json.loads(found.stdout)
        faults = [one for one in source["faults"] if one["what"].startswith(fault)]
        assert faults, (fault, source)
        assert PASSWORD not in found.stdout + found.stderr
        server.sql("\n".join(one["mend"] for one in source["faults"]).replace("another_role", "admin"))
        after = check(server, "tempted", tmp_path, "--explain")
        assert after.returncode == 0, (fault, after.stdout)


def test_a_refused_role_reads_nothing(server, rooms, data):
    address = server.reader("writer", PASSWORD)
    server.sql("GRANT INSERT ON orders TO writer")
    room = rooms(data=data, config=config(), env={"SHOP": address})
    reply = room.call("query_data", sql="SELECT * FROM shop.public.orders")
    assert reply.failed and "writer may INSERT public.orders" in reply.text, reply.text
    listed = room.call("list_data")
    assert not any(entry["name"].startswith("shop.") for entry in listed["datasets"])
    assert any("may INSERT" in note for note in listed["notes"]), listed.text
    server.sql("REVOKE INSERT ON orders FROM writer")
    assert not room.call("query_data", sql="SELECT * FROM shop.public.orders").failed


BAD = {
    "password": ("postgres://reader:wrong-Kx9@127.0.0.1:{port}/shop", "does not let this role in"),
    "database": ("postgres://reader:{password}@127.0.0.1:{port}/nowhere", "role in"),
    "port": ("postgres://reader:{password}@127.0.0.1:1/shop", "does not answer"),
    "address": ("reader:{password}@", "the address is not one of PostgreSQL's"),
    "tls": ("postgres://reader:{password}@127.0.0.1:{port}/shop", "secure connection"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_source_that_cannot_be_used_says_why_and_never_its_secret(server, rooms, data, case):
    address, says = BAD[case]
    address = address.format(port=server.port, password="Sup3r-Secret-Word")
    more = {"tls": '"require"'} if case == "tls" else {}
    room = rooms(data=data, config=config(**more), env={"SHOP": address, "RUST_LOG": "trace"})
    replies = [
        room.call("query_data", sql="SELECT * FROM shop.public.orders"),
        room.call("list_data"),
        room.call("describe_data", data="shop.public.orders"),
    ]
    assert says in replies[0].text, replies[0].text
    checked = run(
        "sources", "check", "--explain", "--config", next(room.home.parent.glob("config*.toml")),
        "--home", room.home, check=False, env={"SHOP": address},
    )  # fmt: skip
    told = [reply.text for reply in replies] + [checked.stdout, checked.stderr]
    for text in told:
        assert "Sup3r" not in text and "wrong-Kx9" not in text, text
    # The files are there all the same.
    assert room.call("query_data", sql="SELECT count(*) AS n FROM sales")["preview"] == [{"n": 5}]


def test_tls_is_verified_against_whom_the_configuration_trusts(server, shop):
    roots = server.secure()
    orders = "SELECT count(*) AS n FROM shop.public.orders"
    refused = shop(tls='"verify"').call("query_data", sql=orders)
    assert refused.failed and "secure connection" in refused.text, refused.text
    for more in ({"tls": '"verify"', "tls_roots": f'"{roots}"'}, {"tls": '"require"'}):
        reply = shop(**more).call("query_data", sql=orders)
        assert reply.get("preview") == [{"n": 6}], reply.text
        assert server.value(
            "SELECT bool_and(ssl) FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid)"
            " WHERE a.usename = 'reader' AND a.backend_start > now() - interval '3 seconds'"
        ) == "t"


def test_no_secret_is_kept_in_the_home(server, room):
    room.call("query_data", sql="SELECT * FROM shop.public.orders")
    for file in room.home.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            assert PASSWORD.encode() not in content and server.address.encode() not in content, file


WRONG = [
    ('name = "shop"\nkind = "postgres"\nurl_env = "SHOP"', "say what may be read"),
    ('name = "shop"\nkind = "postgres"\nschemas = ["public"]', "url_env"),
    ('name = "shop"\nkind = "oracle"\nurl_env = "X"', "oracle"),
    ('name = "Shop"\nkind = "postgres"\nurl_env = "X"\nschemas = ["a"]', "small letters"),
    ('name = "shop"\nkind = "postgres"\nurl_env = "X"\nschemas = ["pg_catalog"]', "pg_catalog"),
    ('name = "shop"\nkind = "postgres"\nurl_env = "postgres://a:b@c/d"\nschemas = ["a"]', "variable"),
    ('name = "shop"\nkind = "postgres"\nurl_env = "X"\nurl_file = "y"\nschemas = ["a"]', "not both"),
    ('name = "shop"\nkind = "postgres"\nurl_env = "X"\ntables = ["orders"]', "schema.table"),
    ('name = "shop"\nkind = "postgres"\nurl_env = "X"\nschemas = ["a"]\nconnections = 0', "1 to 64"),
    ('name = "shop"\nkind = "postgres"\nurl_env = "X"\nschemas = ["a"]\nstatement_m = 5', "statement_ms"),
    ('name = "shop"\nkind = "sqlite"\nurl_env = "X"', "sqlite has a `file`"),
]


@pytest.mark.parametrize(("section", "says"), WRONG)
def test_a_wrong_section_is_refused_with_file_and_line(tmp_path, section, says):
    file = tmp_path / "dataroom.toml"
    file.write_text(f"# a room\n\n[[source]]\n{section}\n")
    done = run("list", "--home", tmp_path / "home", "--config", file, check=False)
    assert done.returncode != 0 and says in done.stderr, done.stderr
    assert "dataroom.toml" in done.stderr and "line " in done.stderr, done.stderr
