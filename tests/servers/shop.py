"""A PostgreSQL server with the tables of a shop, a role that only reads, and rooms that reach it.

Fixtures for whichever file of tests imports them; each file has a server of its own.
"""

import pytest
from servers.postgres import Postgres

PASSWORD = "pässwörd-Zq7"


@pytest.fixture(scope="module")
def server():
    with Postgres() as server:
        server.sql(
            "CREATE EXTENSION pg_stat_statements;"
            "CREATE EXTENSION citext;"
            "CREATE TYPE mood AS ENUM ('happy', 'so-so');"
            "CREATE DOMAIN positive AS integer CHECK (value > 0);"
            "CREATE DOMAIN base_price AS numeric(8,2);"
            "CREATE DOMAIN price AS base_price;"
            "CREATE TYPE place AS (x integer, label text);"
            "CREATE TABLE rows AS SELECT i AS id, (i % 100)::smallint AS small,"
            " (i * 0.01)::numeric(10,2) AS amount, (i + 0.5)::numeric AS loose,"
            " i / 20000.0::float8 AS ratio, 'n' || (i % 1000) AS name, 'ab'::char(4) AS padded,"
            " (CASE WHEN i % 2 = 0 THEN 'Yes' ELSE 'no' END)::citext AS loud,"
            " (CASE WHEN i % 2 = 0 THEN 'happy' ELSE 'so-so' END)::mood AS mood,"
            " DATE '2024-01-01' + i % 366 AS day,"
            " TIMESTAMP '2024-01-01' + i * interval '1 minute' AS at,"
            " CASE i % 3 WHEN 0 THEN true WHEN 1 THEN false END AS flag,"
            " lpad(to_hex(i), 32, '0')::uuid AS key"
            " FROM generate_series(1, 20000) i;"
            "CREATE TABLE orders AS SELECT i AS id, 'c' || i % 3 AS customer,"
            " (i * 10)::numeric(10,2) AS total FROM generate_series(1, 6) i;"
            "CREATE TABLE items AS SELECT i AS id, i % 6 + 1 AS order_id, 'it' || i AS item"
            " FROM generate_series(1, 12) i;"
            "CREATE VIEW slow AS SELECT id, pg_sleep(100)::text AS nothing FROM orders;"
            "CREATE VIEW drip AS SELECT id, pg_sleep(0.002)::text AS nothing FROM rows;"
            "CREATE SCHEMA other; CREATE TABLE other.orders (id int);"
            "CREATE SCHEMA secret; CREATE TABLE secret.pay (salary int);"
            "ANALYZE rows"
        )
        server.address = server.reader("reader", PASSWORD, ("public", "other"))
        yield server


def config(schemas='["public", "other"]', **more) -> str:
    lines = {"name": '"shop"', "kind": '"postgres"', "url_env": '"SHOP"', "schemas": schemas}
    lines |= {key: str(value) for key, value in more.items()}
    return "[[source]]\n" + "\n".join(f"{key} = {value}" for key, value in lines.items())


@pytest.fixture(scope="module")
def room(module_rooms, server, data):
    return module_rooms(data=data, config=config(), env={"SHOP": server.address})


@pytest.fixture
def shop(rooms, server, data):
    """A room of its own, by what its source says besides."""
    return lambda **more: rooms(data=data, config=config(**more), env={"SHOP": server.address})
