"""What nobody should be shown, by other names: `sql/sensitive.txt`, artifacts and scripts."""

import re

import pandas as pd
import pytest
from conftest import ROOT, run

NAMES = ["ann", "ben", "cid", "dov", "eva", "fay", "gus", "hal", "ivy", "jon", "kay", "lou"]
EMAILS = [f"zq{name}.b@example.org" for name in NAMES]
# Test numbers of the networks and their neighbours with right check digits.
CARDS = [
    4111111111111111, 5555555555554444, 4012888888881881, 5105105105105100, 378282246310005,
    371449635398431, 6011111111111117, 3530111333300000, 4222222222222, 30569309025904,
    6011000990139424, 3566002020360505,
]  # fmt: skip
PHONES = [f"+49309000{n:03}" for n in range(12)]
CITIES = ["Oslo", "Rome", "Bonn"] * 4


def cases() -> list[tuple[str, str]]:
    text = (ROOT / "tests" / "sql" / "sensitive.txt").read_text()
    return re.findall(r"^case (\w+)\n(.*?)\n----$", text, re.M | re.S)


CASES = cases()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sensitive")
    people = pd.DataFrame(
        {
            "id": range(1, 13),
            "email": EMAILS,
            "card": CARDS,
            "phone": PHONES,
            "city": CITIES,
            "spent": [n * 1.5 for n in range(12)],
            "age": range(28, 40),
        }
    )
    people.to_parquet(folder / "people.parquet")
    notes = ["soon", "late", "never"] * 4
    orders = {"id": range(12), "person_id": range(1, 13), "total": range(50, 62), "note": notes}
    pd.DataFrame(orders).to_parquet(folder / "orders.parquet")
    places = {"city": ["Oslo", "Rome"], "code": ["osl", "rom"]}
    pd.DataFrame(places).to_parquet(folder / "places.parquet")
    return folder


@pytest.fixture(scope="module")
def room(module_rooms, folder):
    return module_rooms(folder)


def told(text: str) -> list[str]:
    """Parts of what nobody should be shown that stand in a text."""
    parts = [email.split("@")[0] for email in EMAILS] + [email[::-1] for email in EMAILS]
    parts += [str(card) for card in CARDS] + [phone[1:] for phone in PHONES]
    parts += [f"zq{name}" for name in NAMES] + [f"ZQ{name.upper()}" for name in NAMES]
    return [part for part in parts if part in text]


def test_there_are_as_many_pairs_as_were_promised():
    words = [word for word, _ in CASES]
    leaks = sum(word in ("hidden", "unquoted", "empty") for word in words)
    assert leaks >= 50 and len(CASES) - leaks >= 50 and len(set(CASES)) == len(CASES)
    assert (ROOT / "tests" / "sql" / "sensitive.txt").read_text().count("\ncase ") == len(CASES)


@pytest.mark.parametrize(("want", "sql"), CASES, ids=[f"{word}-{sql[:60]}" for word, sql in CASES])
def test_a_value_is_hidden_by_whatever_name_and_its_clean_twin_is_not(room, want, sql):
    reply = room.call("query_data", sql=sql)
    if want in ("unquoted", "quoted"):
        assert reply.failed and ("a value of the data cannot be read" in reply.text) == (want == "unquoted")
        assert told(reply.text) == [] and ("Cannot cast" in reply.text.replace("cannot", "Cannot")) == (want == "quoted")
        return
    assert not reply.failed, reply.text
    # The query itself may name an address; the answer may not.
    answer = str(reply["preview"]) + " ".join(w for w in reply["warnings"] if not w.startswith("no rows: "))
    answer += " ".join(w.partition(";")[2] for w in reply["warnings"] if w.startswith("no rows: "))
    assert told(answer) == []
    warnings = str(reply["warnings"])
    if want == "hidden":
        assert reply["total"] > 0 and reply["preview"] == [] and "no rows are shown" in warnings
    elif want == "shown":
        assert 0 < len(reply["preview"]) == min(reply["total"], 20) and "no rows are shown" not in warnings
    elif want == "near":
        assert re.search(r"near it there is|goes from|it has", warnings), warnings
    else:
        assert "alone leaves none" in warnings and not re.search(r"near it|goes from|it has", warnings)


def test_an_artifact_remembers_what_its_columns_are_made_of(room):
    made = room.call("query_data", sql="SELECT card AS x, split_part(email, '@', 1) AS u, age FROM people LIMIT 3")
    assert '"x" is made of card numbers and 1 more' in str(made["warnings"])
    of = made["dataRef"]
    for sql in (f"SELECT x FROM {of}", f"SELECT max(u) AS y FROM {of}", f"SELECT x + age AS z FROM {of}"):
        again = room.call("query_data", sql=sql)
        assert again["preview"] == [] and again["total"] > 0 and told(again.text) == [], sql
        once_more = room.call("query_data", sql=f"SELECT * FROM {again['dataRef']}")
        assert once_more["preview"] == [] and told(once_more.text) == [], sql
    assert len(room.call("query_data", sql=f"SELECT age FROM {of}")["preview"]) == 3
    assert "made of" not in room.call("query_data", sql=f"SELECT count(x) AS n FROM {of}").text


def test_a_description_of_such_an_artifact_tells_no_value(room):
    of = room.call("query_data", sql="SELECT card AS x, substr(email, 1, 5) AS u, age FROM people LIMIT 3")["dataRef"]
    described = room.call("describe_data", data=of)
    assert told(described.text) == []
    lines = dict(line.split(" ", 1) for line in described["columns"])
    assert "SENSITIVE card numbers (by what it was made of)" in lines["x"]
    assert "SENSITIVE mail addresses" in lines["u"] and "SENSITIVE" not in lines["age"]
    assert "28 to 30" in lines["age"] or "28" in lines["age"]


def test_a_restarted_server_still_knows(rooms, folder, tmp_path):
    home = tmp_path / "home"
    first = rooms(folder, home=home)
    of = first.call("query_data", sql="SELECT card AS x FROM people LIMIT 2")["dataRef"]
    first.__exit__(None, None, None)
    again = rooms(folder, home=home).call("query_data", sql=f"SELECT x AS y FROM {of}")
    assert again["preview"] == [] and told(again.text) == []


def test_a_script_s_column_is_known_by_the_name_that_an_input_s_has(room):
    of = room.call("query_data", sql="SELECT card AS x, age FROM people LIMIT 3")["dataRef"]
    made = room.python(
        "outputs['a'] = t.sort_values('x')[['x']]\n"
        "outputs['b'] = t.groupby('age').x.max().astype(float).reset_index()\n"
        "outputs['c'] = t.groupby('age').x.agg(list).reset_index()\n"
        "outputs['d'] = t[['age']]\n"
        "outputs['e'] = (t.x > 0).to_frame()",
        t=of,
    )
    assert told(made.text) == []
    for name in "abc":
        assert made["outputs"][name]["sample"] == [], name
        assert '"x" is made of card numbers' in str(made["outputs"][name]["warnings"])
    assert len(made["outputs"]["d"]["sample"]) == 3 and len(made["outputs"]["e"]["sample"]) == 3


def test_what_a_script_got_from_sql_is_known_as_well(room):
    made = room.python(
        "outputs['a'] = sql('SELECT card AS y FROM t LIMIT 2')\n"
        "outputs['b'] = sql('SELECT age AS z FROM t LIMIT 2')",
        t="people",
    )
    assert made["outputs"]["a"]["sample"] == [] and len(made["outputs"]["b"]["sample"]) == 2
    failed = room.python("sql('SELECT CAST(email AS INT) FROM t')", t="people")
    assert failed.failed and told(failed.text) == [] and "a value of the data cannot be read" in failed.text
    quoted = room.python("sql('SELECT CAST(code AS INT) FROM t')", t="places")
    assert quoted.failed and "osl" in quoted.text


@pytest.mark.parametrize(
    ("column", "is_hidden"),
    [
        ("pd.Series([[e] for e in EMAILS])", True),
        ("pd.Series([['a', 'b'] for e in EMAILS])", False),
        ("pd.Series([{'a': 1, 'b': {'c': e}} for e in EMAILS])", True),
        ("pd.Series([{'a': 1, 'b': {'c': len(e)}} for e in EMAILS])", False),
        ("pd.Series([{'card_no': n} for n in range(12)])", True),
        ("pd.Series(CARDS + [None]).astype(float)", True),
        ("pd.Series([card / 7 for card in CARDS])", False),
    ],
)
def test_what_holds_addresses_or_cards_is_looked_into(room, column, is_hidden):
    made = room.python(f"EMAILS, CARDS = {EMAILS}, {CARDS}\noutputs['t'] = pd.DataFrame({{'x': {column}}})")
    table = made["outputs"]["t"]
    assert (table["sample"] == []) == is_hidden, table
    assert told(room.call("describe_data", data=table["dataRef"]).text) == []
    asked = room.call("query_data", sql=f"SELECT x AS y FROM {table['dataRef']} LIMIT 2")
    assert (asked["preview"] == []) == is_hidden


def test_groups_that_differ_in_spelling_are_not_quoted_where_they_are_addresses(rooms, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    emails = ["Zqann.b@example.org", "zqann.b@example.org", "zqben.b@example.org"]
    pd.DataFrame({"email": emails, "city": ["Oslo", "oslo", "Rome"]}).to_parquet(data / "t.parquet")
    room = rooms(data)
    hidden = room.call("query_data", sql="SELECT split_part(email, '@', 1) AS u, count(*) AS n FROM t GROUP BY 1")
    assert "differ only in spelling" in hidden.text and told(hidden.text) == []
    shown = room.call("query_data", sql="SELECT city, count(*) AS n FROM t GROUP BY 1")
    assert '"Oslo" and "oslo"' in str(shown["warnings"])


def test_one_row_that_is_made_of_many_is_hidden_too_where_only_aggregates_are_shown(rooms, folder):
    room = rooms(folder, config='[policy]\nvalues = "aggregates"\n')
    assert room.call("query_data", sql="SELECT max(card) AS x FROM people")["preview"] == []
    assert room.call("query_data", sql="SELECT max(age) AS x FROM people")["preview"] == [{"x": 39}]


def test_a_person_is_told_all(folder, tmp_path):
    asked = ["--data", folder, "--home", tmp_path / "home"]
    failed = run("query", "SELECT CAST(email AS INT) FROM people", *asked, check=False)
    assert failed.returncode and "zqann.b@example.org" in failed.stdout + failed.stderr


@pytest.mark.parametrize(
    ("name", "values", "is_hidden"),
    [
        ("card", CARDS[:4], True),
        ("card_no", CARDS[:4], True),
        ("card_num", CARDS[:4], True),
        ("cardNumber", CARDS[:4], True),
        ("pan", CARDS[:4], True),
        ("credit_card", CARDS[:4], True),
        ("ccnum", [str(card) for card in CARDS[:4]], True),
        # Numbers of a card's length in a column called so: nobody checks digits to tell them.
        ("card", [4111111111111112, 5555555555554445, 1234567890123456], True),
        ("phone_num", ["0301234567", "0307654321"], True),
        ("passport_num", ["C01X00T47"], True),
        ("card", ["Visa", "Mastercard", "Visa"], False),
        ("card", [1, 2, 3, 4], False),
        ("card_id", [101, 102, 103], False),
        ("card_type", ["debit", "credit"], False),
        ("num_cards", [1, 2, 3, 4], False),
        ("phone_count", [1, 2], False),
        ("company", ["a", "b"], False),
    ],
)
def test_a_few_numbers_in_a_column_that_is_called_so_are_enough(room, name, values, is_hidden):
    made = room.python(f"outputs['t'] = pd.DataFrame({{{name!r}: {values!r}}})")["outputs"]["t"]
    assert (made["sample"] == []) == is_hidden, made
