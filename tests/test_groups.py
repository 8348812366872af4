"""`min_group`: no small group is shown, and none follows from what was shown."""

from pathlib import Path

import pandas as pd
import pytest

CONFIG = "[policy]\nmin_group = 5\n"


def conversations():
    """The parts of groups.txt: a title, and questions with what is shown."""
    text = (Path(__file__).parent / "sql" / "groups.txt").read_text()
    for part in text.strip().split("\n\n")[1:]:
        title, *lines = part.splitlines()
        assert len(lines) % 2 == 0 and all(line.startswith("=") for line in lines[1::2]), title
        yield title, list(zip(lines[::2], [line[1:].strip() for line in lines[1::2]]))


def people(seed: int) -> pd.DataFrame:
    rows = range(1, 61)
    regions = ["north"] * 30 + ["south"] * 20 + ["west"] * 7 + ["east"] * 3
    return pd.DataFrame(
        {"name": [f"p{n:02}" for n in rows], "amount": list(rows), "region": regions,
         "half": ["a", "b"] * 30, "table_of": seed}
    )  # fmt: skip


TALKS = list(conversations())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    for seed in range(len(TALKS) + 3):
        people(seed).to_parquet(folder / f"t{seed}.parquet")
    return folder


@pytest.fixture(scope="module")
def grouped(module_rooms, folder):
    return module_rooms(data=folder, config=CONFIG)


def shown(reply) -> str:
    rows = [" ".join(str(cell) for cell in list(row.values())[:2]) for row in reply["preview"]]
    whole = " +" if reply["complete"] and rows else ""
    assert ("rows" in reply.structured) == bool(whole), reply.text
    return ", ".join(rows) + whole


@pytest.mark.parametrize("talk", range(len(TALKS)), ids=[title for title, _ in TALKS])
def test_a_conversation_shows_no_small_group(grouped, talk):
    for sql, want in TALKS[talk][1]:
        reply = grouped.call("query_data", sql=sql.format(t=f"t{talk}"))
        assert not reply.failed, reply.text
        assert shown(reply) == want, (sql, reply.text)


def test_no_other_road_counts_the_rows_of_what_was_computed(grouped):
    ref = grouped.call("query_data", sql="SELECT * FROM t0 WHERE name = 'p07'")["dataRef"]
    made = grouped.python("outputs['one'] = df[df.name == 'p07']; result = len(df); print(len(df))", df="t0")
    assert made["result"] is None and "hidden" in made["stdout"]
    one = made["outputs"]["one"]
    replies = [
        grouped.call("list_data"),
        grouped.call("trace_result", data=ref),
        grouped.call("export_data", data=ref, format="csv"),
        grouped.call("render_chart", data=ref, kind="table"),
        grouped.call("describe_data", data=ref),
        grouped.call("describe_data", data=one["dataRef"]),
    ]
    assert "rows" not in one and not any(reply.failed for reply in replies)
    for reply in replies[1:]:
        assert '"rows"' not in reply.text and '"marks"' not in reply.text, reply.text
    assert all("rows" not in artifact for artifact in replies[0]["artifacts"])
    # A result of a result: one row, and a filter on what was counted.
    for sql in (f"SELECT count(*) AS n FROM {ref}", f"SELECT sum(amount) AS s FROM {one['dataRef']}"):
        assert grouped.call("query_data", sql=sql)["preview"] == []
    # The twin: of a dataset, rows are told.
    assert grouped.call("describe_data", data="t0")["rows"] == 60


def test_a_restart_and_the_budget_forget_nothing(rooms, folder, tmp_path):
    config = CONFIG + "group_queries = 3\n"
    t = f"t{len(TALKS) + 1}"
    first = f"SELECT sum(amount) AS s FROM {t} WHERE amount <= 30"
    next_to_it = f"SELECT sum(amount) AS s FROM {t} WHERE amount <= 31"
    room = rooms(data=folder, config=config, home=tmp_path / "home")
    assert room.call("query_data", sql=first)["preview"] == [{"s": 465}]
    again = rooms(data=folder, config=config, home=tmp_path / "home")
    assert again.call("query_data", sql=next_to_it)["preview"] == []
    assert again.call("query_data", sql=first)["preview"] == [{"s": 465}]
    assert again.call("query_data", sql=first)["preview"] == [{"s": 465}]
    assert again.call("query_data", sql=first)["preview"] == []


def test_none_is_none_whatever_min_group_says(rooms, folder):
    room = rooms(data=folder, config=CONFIG + 'values = "none"\n')
    assert room.call("query_data", sql="SELECT count(*) AS n FROM t0")["preview"] == []
