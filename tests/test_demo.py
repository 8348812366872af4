"""The demo: the conversation works, and its check can fail."""

import copy
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import demo
import fetch_flights
from conftest import BINARY, CACHE, ROOT


@pytest.fixture(scope="module")
def flights() -> Path:
    return Path(os.environ.get("DATAROOM_TEST_FLIGHTS") or fetch_flights.fetch(CACHE))


def test_the_demo_plays_to_its_end(flights, tmp_path):
    script = ROOT / "scripts" / "lib" / "demo.py"
    command = [sys.executable, script, BINARY, flights, "--keep", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    for words in ["Reached the model", "336,776 flights", "agrees with native pandas"]:
        assert words in done.stdout
    for name in ["by_quarter.csv", "by_quarter.xlsx"]:
        assert f"For you: {tmp_path / name}" in done.stdout
        assert (tmp_path / name).stat().st_size > 0
    # Plain text where there is no terminal.
    assert "\033" not in done.stdout


@pytest.fixture(scope="module")
def right(flights, tmp_path_factory) -> dict:
    """What a faultless room answers, computed by native pandas."""
    frames = {path.stem: pd.read_csv(path) for path in flights.glob("*.csv")}
    result, outputs = demo.native(demo.DELAYS, frames)
    table = outputs["by_quarter"]
    joined, _ = demo.native(demo.WEATHER, {"delays": table, "weather": frames["weather"]})
    folder = tmp_path_factory.mktemp("exports")
    table.to_csv(folder / "t.csv", index=False)
    table.to_excel(folder / "t.xlsx", index=False)
    return {
        "delays": {"result": demo.plain(result)},
        "joined": {"result": demo.plain(joined)},
        "csv": {"file": str(folder / "t.csv"), "rows": len(table)},
        "xlsx": {"file": str(folder / "t.xlsx"), "rows": len(table)},
        "trace": {"steps": [{"code": demo.DELAYS}]},
    }


def test_right_answers_pass_the_check(flights, right):
    demo.check(right, flights)
    # By hand from the published data: these five, in this order.
    carriers = [row["carrier"] for row in right["delays"]["result"]]
    assert carriers == ["AS", "EV", "AA", "WN", "UA"]


@pytest.mark.parametrize(
    "harm",
    [
        lambda got: got["delays"]["result"].reverse(),
        lambda got: got["delays"]["result"][4].update(q3=2.4),
        lambda got: got["joined"]["result"][0].update(arrived=77_910),
        lambda got: got["csv"].update(rows=63),
        lambda got: got["trace"].update(steps=[]),
    ],
)
def test_a_wrong_answer_fails_the_check(flights, right, harm):
    wrong = copy.deepcopy(right)
    harm(wrong)
    with pytest.raises(demo.Failed):
        demo.check(wrong, flights)


def test_a_wrong_export_fails_the_check(flights, right, tmp_path):
    wrong = copy.deepcopy(right)
    table = pd.read_csv(wrong["csv"]["file"])
    table.loc[3, "mean_delay"] += 1e-6
    table.to_csv(tmp_path / "t.csv", index=False)
    wrong["csv"]["file"] = str(tmp_path / "t.csv")
    with pytest.raises(AssertionError):
        demo.check(wrong, flights)
