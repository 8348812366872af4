"""Every call leaves one line without values, and lines cannot be meddled with unnoticed."""

import json
import shutil

import pytest
from conftest import run


def lines(home):
    shown = run("audit", "show", "--json", "--home", home).stdout
    return [json.loads(line) for line in shown.splitlines()]


def verified(home, *more):
    done = run("audit", "verify", "--json", "--home", home, *more, check=False)
    told = json.loads(done.stdout)
    assert done.returncode == (0 if told["whole"] else 1), done.stdout
    return told


def test_each_call_is_one_line_with_shapes_and_no_values(rooms, data):
    room = rooms(data=data)
    room.call("list_data", filter="Smith-Jones")
    room.call("query_data", sql="SELECT region FROM sales WHERE region = 'north' AND units > 12345")
    room.call("query_data", sql="SELECT regio FROM sales WHERE region = 'secret-word'")
    room.call("describe_data", data="nothing-of-this-name")
    room.call("describe_data", data="sales")
    ref = room.call("query_data", sql="SELECT sum(units) AS n FROM sales")["dataRef"]
    room.call("export_data", data=ref, format="csv", name="my-secret-name")
    room.call("export_data", data=ref, odd="Smith-Jones")
    said = lines(room.home)
    have = [(line["tool"], line.get("code")) for line in said]
    assert have == [
        ("list_data", None), ("query_data", None), ("query_data", "COLUMN"), ("describe_data", "DATASET"),
        ("describe_data", None), ("query_data", None), ("export_data", None), ("export_data", "ARGUMENTS"),
    ]  # fmt: skip
    text = "".join(path.read_text() for path in (room.home / "audit").glob("*.json*"))
    for value in ("Smith", "north", "12345", "secret-word", "nothing-of", "my-secret", ref, ref[13:]):
        assert value not in text, value
    assert said[1]["sql"] == "SELECT region FROM sales WHERE region = ? AND units > ?"
    assert (said[1]["rows"], said[1]["through"], said[1]["owner"][:6]) == (0, "mcp", "local:")
    assert said[5]["rows"] == 1 and said[5]["bytes"] > 100
    assert said[4]["data"] == ["sales"] and said[6]["data"] == [ref[:13] + "…"]
    assert verified(room.home)["whole"]


def test_commands_are_written_down_too_and_can_be_narrowed(data, tmp_path):
    home = ("--home", tmp_path, "--data", data)
    run("list", *home)
    run("query", "SELECT 'x' FROM sales", *home)
    run("query", "SELECT 'x' FROM sales", "--json", *home)
    run("describe", "sales", "--json", *home)
    run("query", "SELECT nope FROM sales", *home, check=False)
    said = [(line["through"], line["tool"], line.get("code")) for line in lines(tmp_path)]
    assert said == [
        ("command", "list", None), ("command", "query", None), ("command", "query", None),
        ("command", "describe_data", None), ("command", "query", "COLUMN"),
    ]  # fmt: skip
    shown = run("audit", "show", "--since", "1h", "--home", tmp_path).stdout
    assert "SELECT ? FROM sales" in shown and "COLUMN" in shown
    assert "SELECT" not in run("audit", "show", "--since", "2999-01-01", "--home", tmp_path).stdout
    failed = run("audit", "show", "--since", "soon", "--home", tmp_path, check=False)
    assert failed.returncode == 1 and "2h" in failed.stderr


@pytest.fixture(scope="module")
def chain(tmp_path_factory, data):
    home = tmp_path_factory.mktemp("chain")
    for n in range(6):
        run("query", f"SELECT {n} AS n FROM sales", "--home", home, "--data", data)
    return home


@pytest.mark.parametrize(
    ("how", "says"),
    [
        (lambda lines: lines, None),
        (lambda lines: [line.replace('"ms":', '"ms":9') if n == 2 else line for n, line in enumerate(lines)], "line 3 was changed"),
        (lambda lines: lines[:3] + lines[4:], "line 4 was removed"),
        (lambda lines: lines[:2] + [lines[3], lines[2]] + lines[4:], "line 3 was moved"),
        (lambda lines: lines[:4], "lines 5 to 6 were written and are not there"),
    ],
    ids=["untouched", "changed", "removed", "moved", "cut off"],
)  # fmt: skip
def test_verify_says_what_was_done_to_which_line(chain, tmp_path, how, says):
    home = tmp_path / "home"
    shutil.copytree(chain, home)
    file = home / "audit" / "audit-000001.jsonl"
    file.write_text("".join(how(file.read_text().splitlines(keepends=True))))
    told = verified(home)
    assert told["whole"] is (says is None)
    assert says is None or any(says in said for said in told["said"]), told


def test_a_head_that_was_kept_finds_a_chain_written_anew(chain, tmp_path, data):
    seq, digest = verified(chain)["last"]
    assert verified(chain, "--head", f"{seq}:{digest}")["whole"]
    for n in range(6):
        run("query", f"SELECT {n} AS n FROM sales", "--home", tmp_path, "--data", data)
    assert verified(tmp_path)["whole"]
    told = verified(tmp_path, "--head", f"{seq}:{digest}")
    assert any("another chain" in said for said in told["said"])


def test_what_cannot_be_written_down_is_not_answered(rooms, data):
    room = rooms(data=data)
    assert not room.call("list_data").failed
    head = room.home / "audit" / "head.json"
    head.rename(head.with_name("kept"))
    head.mkdir()
    refused = room.call("query_data", sql="SELECT region FROM sales")
    assert refused.failed and "audit" in refused.text and "nothing was answered" in refused.text
    assert "north" not in refused.text
    head.rmdir()
    head.with_name("kept").rename(head)
    assert not room.call("query_data", sql="SELECT region FROM sales").failed
    assert verified(room.home)["whole"]


def test_it_need_not_be_written_if_that_is_allowed_and_what_was_lost_is_counted(rooms, data):
    room = rooms(data=data, config="[audit]\nrequired = false\n")
    room.call("list_data")
    head = room.home / "audit" / "head.json"
    head.rename(head.with_name("kept"))
    head.mkdir()
    assert not room.call("list_data").failed
    head.rmdir()
    head.with_name("kept").rename(head)
    room.call("list_data")
    assert [line.get("lost", 0) for line in lines(room.home)] == [0, 1]


def test_several_servers_on_one_home_and_one_that_is_killed_make_one_chain(rooms, data, tmp_path):
    config = "[audit]\nfile_bytes = 4096\n"
    one = rooms(data=data, home=tmp_path / "shared", config=config)
    two = rooms(data=data, home=tmp_path / "shared", config=config)
    for room in (one, two):
        room.together(*[lambda room=room: room.acall("list_data")] * 12)
    one.kill()
    for _ in range(3):
        two.call("list_data")
    told = verified(two.home)
    assert told["whole"] and told["lines"] == 27, told
    assert len(list((two.home / "audit").glob("audit-*.jsonl"))) > 1
