"""`describe_data` against pandas, its units, what it hides, and that it is free the second time."""

import json
import re
import time

import numpy as np
import pandas as pd
import pytest
from conftest import run

N = 5_000
NUMBER = r"(-?[\d.]+(?:e-?\d+)?)"


def frame() -> pd.DataFrame:
    random = np.random.default_rng(7)
    days = pd.date_range("2024-01-01", "2024-12-31", freq="D")
    days = days[(days < "2024-03-04") | (days > "2024-03-10")]
    currency = random.choice(["EUR", "USD", "usd "], N)
    return pd.DataFrame(
        {
            "id": random.permutation(N) + 1,
            "amount": np.round(random.normal(100, 30, N), 2),
            "currency": currency,
            "price_eur": random.integers(1, 900, N),
            "weight_kg": np.where(random.random(N) < 0.1, np.nan, random.random(N) * 50),
            "fee_cents": random.integers(0, 5, N),
            "kind": random.choice(["card", "cash", None], N, p=[0.6, 0.3, 0.1]),
            "day": random.choice(days, N),
            "contact": [f"person{n}@example.org" for n in range(N)],
            "note": [f"call +4930{9_000_000 + n}" if n % 2 else "nothing" for n in range(N)],
            "phone": [f"+4930{9_000_000 + n}" for n in range(N)],
            "order_no": 4_111_111_111_110_000 + np.arange(N),
            "label": ["€%.2f" % (n % 50) if n % 3 else "$%.2f" % (n % 50) for n in range(N)],
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("described")
    frame().to_parquet(folder / "sales.parquet")
    return folder


@pytest.fixture(scope="module")
def room(module_rooms, folder):
    return module_rooms(folder)


def lines(reply) -> dict[str, str]:
    assert not reply.failed, reply.text
    return dict(line.split(" ", 1) for line in reply["columns"])


@pytest.fixture(scope="module")
def said(room):
    return lines(room.call("describe_data", data="sales"))


@pytest.mark.parametrize("column", ["id", "amount", "price_eur", "weight_kg", "fee_cents"])
def test_numbers_are_those_of_pandas(said, column):
    values = frame()[column]
    line = said[column]
    low, high = re.search(f"{NUMBER} to {NUMBER}", line).groups()
    assert (float(low), float(high)) == (values.min(), values.max())
    assert float(re.search(f"mean {NUMBER}", line)[1]) == pytest.approx(values.mean(), rel=1e-5)
    quartiles = re.search(f"quartiles {NUMBER} {NUMBER} {NUMBER}", line).groups()
    wanted = values.quantile([0.25, 0.5, 0.75])
    assert [float(q) for q in quartiles] == pytest.approx(list(wanted), rel=1e-5)
    if "distinct" in line:
        assert int(re.search(r"(\d+) distinct", line)[1]) == values.nunique()
    else:
        assert ": key" in line and values.is_unique
    nulls = re.search(f"{NUMBER}% null", line)
    assert float(nulls[1] if nulls else 0) == pytest.approx(values.isna().mean() * 100, abs=0.005)


def test_frequent_values_and_gaps_are_those_of_pandas(said):
    kinds = frame()["kind"].value_counts()
    top = ", ".join(f'"{kind}" {count}' for kind, count in kinds.items())
    assert f"top {top}" in said["kind"]
    assert "2024-01-01 to 2024-12-31, daily with 1 gap (7 days missing), longest 2024-03-03 to 2024-03-11" in said["day"]
    days = pd.Series(sorted(frame()["day"].unique()))
    assert (days.diff() > pd.Timedelta(days=1)).sum() == 1


def test_units_come_with_their_evidence_and_mixed_ones_are_flagged(said):
    counts = frame()["currency"].str.strip().str.upper().value_counts()
    mixed = ", ".join(f"{code} {count}" for code, count in counts.items())
    assert f"MIXED UNITS {mixed} (by column currency)" in said["amount"]
    assert "unit EUR (by its name: eur)" in said["price_eur"]
    assert "unit kg (by its name: kg)" in said["weight_kg"]
    assert "cents" in said["fee_cents"] and "MIXED UNITS" in said["fee_cents"], "cents of two currencies"
    assert "MIXED UNITS" in said["label"] and "EUR" in said["label"]
    assert "unit" not in said["id"] and "unit" not in said["kind"]


def test_what_is_sensitive_is_flagged_and_none_of_it_is_shown(room, said):
    assert "SENSITIVE mail addresses (by values)" in said["contact"]
    assert "SENSITIVE phone numbers (by values and name)" in said["phone"]
    assert "SENSITIVE" not in said["order_no"], "one in ten ids has the check digit of a card"
    reply = room.call("describe_data", data="sales", columns=["contact", "phone"])
    assert "person" not in reply.text and "+4930" not in reply.text
    assert not re.search(r"\+4930\d{7}", reply.text)


def test_forty_columns_fit_into_four_kilobytes(rooms, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    wide = pd.concat([frame().add_suffix(f"_{n}") for n in range(4)], axis=1).iloc[:, :40]
    wide.to_parquet(data / "wide.parquet")
    reply = rooms(data).call("describe_data", data="wide")
    assert len(reply["columns"]) == 40
    assert len(reply.text.encode()) < 4_096, len(reply.text.encode())
    assert all("distinct" in line or "key" in line for line in reply["columns"])


@pytest.mark.alone  # It compares times.
def test_the_second_time_is_free_also_in_another_process_and_never_stale(rooms, tmp_path):
    data, home = tmp_path / "data", tmp_path / "home"
    data.mkdir()
    big = pd.DataFrame({f"x{n}": np.random.default_rng(n).random(400_000) for n in range(8)})
    big.to_parquet(data / "big.parquet")
    time.sleep(2.6)  # A file that was written just now may still change under its time stamp.
    room = rooms(data, home=home)
    first = room.call("describe_data", data="big")
    second = room.call("describe_data", data="big")
    assert second["columns"] == first["columns"] and second.seconds < first.seconds / 3
    room.__exit__(None, None, None)
    third = rooms(data, home=home).call("describe_data", data="big")
    assert third["columns"] == first["columns"] and third.seconds < first.seconds / 2
    some = rooms(data, home=home).call("describe_data", data="big", columns=["x3"])
    assert some["columns"] == [line for line in first["columns"] if line.startswith("x3 ")]
    big["x3"] = 1.0
    big.to_parquet(data / "big.parquet")
    changed = lines(rooms(data, home=home).call("describe_data", data="big"))
    assert "always 1" in changed["x3"] and changed["x4"] == lines(first)["x4"]


def test_a_damaged_description_is_made_again(rooms, folder, tmp_path):
    home = tmp_path / "home"
    room = rooms(folder, home=home)
    first = room.call("describe_data", data="sales")
    (kept,) = home.glob("profiles/*.json")
    kept.write_text(kept.read_text()[:100])
    assert room.call("describe_data", data="sales")["columns"] == first["columns"]


@pytest.mark.parametrize("values", ["aggregates", "none"])
def test_a_description_under_each_policy_has_no_more_than_it_may(module_rooms, folder, values):
    room = module_rooms(folder, config=f'[policy]\nvalues = "{values}"\n')
    reply = room.call("describe_data", data="sales")
    said = lines(reply)
    assert "top" not in reply.text and "EUR 1" not in reply.text and "card" not in reply.text
    assert "MIXED UNITS (by column currency)" in said["amount"]
    shows = values == "aggregates"
    assert ("mean" in said["amount"]) is shows and ("quartiles" in said["amount"]) is shows
    assert ("2024-03" in said["day"]) is shows


def test_a_person_sees_median_and_what_it_is(folder, tmp_path):
    out = run("describe", "sales", "--data", folder, "--home", tmp_path / "home").stdout
    row = next(line for line in out.splitlines() if line.startswith("weight_kg"))
    assert row.split()[-1] == "kg"
    tool = json.loads(run("describe", "sales", "--data", folder, "--home", tmp_path / "home", "--json").stdout)
    assert tool["rows"] == N and len(tool["columns"]) == len(frame().columns)


CUSTOMERS = "pd.DataFrame({{'{name}': ['ann@example.org', 'ben@example.org', None], 'n': [1, 2, 3]}})"


@pytest.mark.parametrize("name", ["contact", "mail"])
def test_of_a_sensitive_table_no_rows_are_shown(room, name):
    """The model needs no customer's address to count customers."""
    reply = room.python("outputs['t'] = " + CUSTOMERS.format(name=name))
    table = reply["outputs"]["t"]
    assert table["sample"] == [] and "example.org" not in reply.text
    assert f'no rows are shown: "{name}" holds mail addresses' in str(table["warnings"])
    asked = room.call("query_data", sql=f"SELECT * FROM {table['dataRef']}")
    assert not asked.failed and asked["preview"] == [] and "example.org" not in asked.text
    assert asked["total"] == 3 and not asked["complete"]
    # The table beside it: the same without the column.
    asked = room.call("query_data", sql=f"SELECT n FROM {table['dataRef']} ORDER BY n")
    assert [row["n"] for row in asked["preview"]] == [1, 2, 3]


def test_numbers_and_counts_of_what_is_sensitive_are_shown(room):
    code = "outputs['t'] = pd.DataFrame({'mail_count': [3, 4], 'price': [1.5, 2.5], 'city': ['Oslo', 'Rome']})"
    assert len(room.python(code)["outputs"]["t"]["sample"]) == 2


def test_cards_kept_as_numbers_are_sensitive(room):
    # Test numbers of the networks, with right check digits.
    cards = [4111111111111111, 5555555555554444, 4012888888881881, 4222222222222, 5105105105105100,
             378282246310005, 371449635398431, 6011111111111117, 3530111333300000, 30569309025904]
    reply = room.python(f"outputs['t'] = pd.DataFrame({{'x': {cards}, 'n': 1}})")
    assert reply["outputs"]["t"]["sample"] == [] and "4111111111111111" not in reply.text
    plain = [card + 1 for card in cards]
    reply = room.python(f"outputs['t'] = pd.DataFrame({{'x': {plain}, 'n': 1}})")
    assert len(reply["outputs"]["t"]["sample"]) == 5


def test_an_empty_answer_tells_no_address_that_is_near(room):
    table = room.table("outputs['t'] = " + CUSTOMERS.format(name="contact"))
    asked = room.call("query_data", sql=f"SELECT n FROM {table} WHERE contact = 'Ann@example.org'")
    assert not asked.failed and "ann@example.org" not in asked.text
    assert '"contact" holds mail addresses: none is shown' in str(asked["warnings"])
    asked = room.call("query_data", sql=f"SELECT contact FROM {table} WHERE n = 77")
    assert "1 to 3" in str(asked["warnings"])
