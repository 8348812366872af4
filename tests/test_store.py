"""What was computed stays, whatever happens to the server."""

import re
import time
from pathlib import Path

import pytest

TABLE = "import pandas as pd\noutputs['t'] = pd.DataFrame({'a': range(1000)})"
BIG = """\
import numpy as np, pandas as pd
for i in range(20):
    outputs[f't{i}'] = pd.DataFrame({c: np.random.rand(500_000) for c in 'abcd'})
"""


def files(home: Path) -> list[Path]:
    return [path for path in home.rglob("*") if path.is_file()]


def references(room) -> set[str]:
    text = room.call("list_data").text
    return {f"data_{part[:32]}" for part in text.split('"data_')[1:]}


def test_a_restart_loses_nothing(rooms, tmp_path):
    home = tmp_path / "home"
    first = rooms(home=home)
    reference = first.table(TABLE)
    trace = first.call("trace_result", data=reference).structured
    first.kill()
    second = rooms(home=home)
    assert references(second) == {reference}
    assert second.result("result = int(t['a'].sum())", t=reference) == 499_500
    assert second.call("trace_result", data=reference).structured == trace


def test_two_servers_on_one_home_do_not_harm_each_other(rooms, tmp_path):
    home = tmp_path / "home"
    one, two = rooms(home=home), rooms(home=home)
    made = {one.table(TABLE) for _ in range(3)} | {two.table(TABLE) for _ in range(3)}
    assert len(made) == 6
    assert references(one) == references(two) == made
    for reference in made:
        assert one.result("result = len(t)", t=reference) == 1000
        assert two.result("result = len(t)", t=reference) == 1000


@pytest.mark.parametrize("after", [0.05, 0.2, 0.5, 1.0, 2.0])
def test_killed_at_any_moment_an_artifact_is_whole_or_absent(rooms, tmp_path, after):
    home = tmp_path / "home"
    room = rooms(home=home)
    before = room.table(TABLE)

    async def kill():
        import anyio

        await anyio.sleep(after)
        room.kill()

    room.together(lambda: room.acall("run_python", code=BIG), kill)

    again = rooms(home=home)
    left = references(again)
    assert before in left
    for reference in left - {before}:
        assert again.result("result = list(t.shape)", t=reference) == [500_000, 4]
    # What was half written is swept, at the latest by the next server.
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        odd = [path for path in files(home) if "tmp" in path.name]
        if not odd:
            break
        time.sleep(0.2)
    assert not odd


def test_an_expired_reference_is_unknown_and_its_file_goes(rooms, tmp_path):
    home = tmp_path / "home"
    room = rooms(home=home, config="[store]\ntime_to_live_hours = 1\n")
    reply = room.python(TABLE)
    reference = reply["outputs"]["t"]["dataRef"]
    assert references(room) == {reference}
    # An hour later, as its footer has it: the same digits of another year.
    (file,) = [path for path in files(home) if path.suffix == ".parquet"]
    whole = file.read_bytes()
    expires = re.search(rb'\\?"expires\\?":\s*\\?"(\d{4})-', whole)
    file.write_bytes(whole[: expires.start(1)] + b"1999" + whole[expires.end(1) :])
    said = room.call("describe_data", data=reference)
    assert said.failed and "unknown or expired dataRef" in said.text
    assert references(room) == set()
    again = rooms(home=home)
    again.call("list_data")
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and any(p.suffix == ".parquet" for p in files(home)):
        time.sleep(0.2)
    assert not any(path.suffix == ".parquet" for path in files(home))


def test_an_artifact_over_its_cap_is_refused_and_leaves_nothing(rooms, tmp_path):
    home = tmp_path / "home"
    room = rooms(home=home, config="[store]\nartifact_bytes = 200_000\n")
    code = "import numpy as np, pandas as pd\noutputs['t'] = pd.DataFrame({'a': np.random.rand(%d)})"
    reply = room.python(code % 100_000)
    assert reply.failed and "200" in reply.text
    assert references(room) == set()
    assert room.table(code % 10_000)


def test_the_owner_has_a_cap_too(rooms, tmp_path):
    home = tmp_path / "home"
    room = rooms(home=home, config="[store]\nowner_bytes = 300_000\n")
    code = "import numpy as np, pandas as pd\noutputs['t'] = pd.DataFrame({'a': np.random.rand(20_000)})"
    room.table(code)
    reply = room.python(code)
    assert reply.failed, reply.text
    assert len(references(room)) == 1


def test_the_home_is_for_its_owner_only(rooms, tmp_path):
    home = tmp_path / "home"
    rooms(home=home).table(TABLE)
    assert home.stat().st_mode & 0o077 == 0


def test_a_link_out_of_a_data_folder_is_refused(rooms, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.csv").write_text("a\n1\n")
    data = tmp_path / "data"
    data.mkdir()
    (data / "fine.csv").write_text("a\n1\n")
    (data / "link.csv").symlink_to(outside / "secret.csv")
    (data / "folder").symlink_to(outside)
    room = rooms(data=data)
    listed = room.call("list_data").text
    assert '"fine"' in listed and "secret" not in listed
    for name in ["link", "secret", "folder/secret", "../outside/secret"]:
        reply = room.python("result = len(x)", x=name)
        assert reply.failed, name
    assert room.result("result = len(x)", x="fine") == 1


def test_a_changed_file_is_read_again(rooms, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "d.csv").write_text("a\n1\n")
    room = rooms(data=data)
    assert room.result("result = int(d['a'].sum())", d="d") == 1
    (data / "d.csv").write_text("a\n2\n")
    assert room.result("result = int(d['a'].sum())", d="d") == 2
    (data / "new.csv").write_text("a\n3\n")
    assert room.result("result = int(d['a'].sum())", d="new") == 3


def test_a_read_only_home_is_a_clear_message(tmp_path):
    from conftest import run

    home = tmp_path / "a-file"
    home.write_text("")
    done = run("serve", "--home", home, check=False, timeout=60)
    assert done.returncode != 0
    assert str(home) in done.stderr
    assert done.stdout == ""
