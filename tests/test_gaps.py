"""Gaps in time at the column's own step, against pandas' ranges."""

import re

import numpy as np
import pandas as pd
import pytest


def without(moments, *slices):
    keep = np.ones(len(moments), bool)
    for at in slices:
        keep[at] = False
    return moments[keep]


def hours(count, freq="h"):
    return pd.date_range("2024-01-01", periods=count, freq=freq)


# Column: its moments, pandas' frequency and how it is said.
REGULAR = {
    "hourly_with_gaps": (without(hours(2000), slice(30, 35), slice(100, 101), 500), "h", "hourly"),
    "hourly_without": (hours(500), "h", "hourly"),
    "half_of_the_hours": (hours(800)[np.random.default_rng(3).random(800) < 0.45], "h", "hourly"),
    "seconds": (without(hours(5000, "s"), slice(4000, 4100)), "s", "every second"),
    "minutes": (without(hours(5000, "min"), 7, 9), "min", "every minute"),
    "quarters_of_an_hour": (without(hours(900, "15min"), slice(10, 13)), "15min", "every 15 minutes"),
    "milliseconds": (without(hours(900, "250ms"), slice(10, 13)), "250ms", "every 250 milliseconds"),
    "days": (without(hours(400, "D"), slice(40, 43), 90), "D", "daily"),
    "days_at_noon": (without(pd.date_range("2024-01-01 12:00", periods=90, freq="D"), slice(5, 7)), "D", "daily"),
    "weeks": (without(hours(80, "W-WED"), 30), "W-WED", "weekly"),
    "every_other_week": (without(hours(80, "2W-WED"), 30), "2W-WED", "every 2 weeks"),
    "months": (without(hours(60, "MS"), slice(20, 22), 50), "MS", "monthly"),
    "months_by_their_end": (without(hours(60, "ME"), slice(20, 22)), "ME", "monthly"),
    "quarters": (without(hours(40, "QS"), 11), "QS", "quarterly"),
    "quarters_by_their_end": (without(hours(40, "QE"), 11, 12), "QE", "quarterly"),
    "years": (without(hours(30, "YS"), slice(4, 6)), "YS", "yearly"),
    "many_hours": (without(pd.date_range("1990-01-01", periods=100_000, freq="h"), slice(70_000, 70_024)), "h", "hourly"),
}


def expected(moments, freq):
    """Rhythm's missing steps, gaps and the longest, from pandas."""
    whole = pd.date_range(moments[0], moments[-1], freq=freq)
    missing = len(whole.difference(moments))
    places = np.diff(whole.get_indexer(moments))
    longest = moments[places.argmax()], moments[places.argmax() + 1]
    return missing, int((places > 1).sum()), longest


@pytest.fixture(scope="module")
def said(module_rooms, tmp_path_factory):
    folder = tmp_path_factory.mktemp("gaps")
    random = np.random.default_rng(1)
    for name, (moments, *_) in REGULAR.items():
        twice = moments.append(moments[: len(moments) // 3])
        pd.DataFrame({"at": twice[random.permutation(len(twice))]}).to_parquet(folder / f"{name}.parquet")
    days = pd.date_range("2024-01-01", "2024-03-31", freq="D")
    days = days[(days < "2024-02-10") | (days > "2024-02-12")]
    at = random.choice(days, 3000) + pd.to_timedelta(random.integers(0, 86_400_000, 3000), "ms")
    pd.DataFrame({"at": pd.DatetimeIndex(at).append(days + pd.Timedelta("7h"))}).to_parquet(folder / "events.parquet")
    local = pd.date_range("2024-03-01", "2024-04-30", freq="D", tz="Europe/Berlin").tz_convert("UTC")
    pd.DataFrame({"at": local}).to_parquet(folder / "local_days.parquet")
    scattered = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.sort(random.integers(0, 10**9, 40)), "s")
    pd.DataFrame({"at": scattered}).to_parquet(folder / "scattered.parquet")
    pd.DataFrame({"at": REGULAR["days"][0].date}).to_parquet(folder / "dates.parquet")
    room = module_rooms(folder)

    def ask(name):
        (line,) = room.call("describe_data", data=name)["columns"]
        return line

    return ask


@pytest.mark.parametrize("name", REGULAR)
def test_gaps_are_judged_at_the_column_s_own_step(said, name):
    moments, freq, rhythm = REGULAR[name]
    missing, gaps, longest = expected(moments, freq)
    line = said(name)
    if gaps == 0:
        assert f", {rhythm} without gaps" in line, line
        return
    found = re.search(r", ([^,]+) with (\d+) gaps? \((\d+) \w+ missing\), longest (\S+) to (\S+)", line)
    assert found, line
    assert (found[1], int(found[2]), int(found[3])) == (rhythm, gaps, missing), line
    ends = pd.Timestamp(found[4]), pd.Timestamp(found[5].rstrip(","))
    assert ends[1] - ends[0] == longest[1] - longest[0], line
    assert gaps > 20 or ends == longest, line


def test_dates_are_judged_as_moments_are(said):
    assert "daily with 2 gaps (4 days missing), longest 2024-02-09 to 2024-02-13" in said("dates")


def test_events_are_judged_by_days_and_said_to_be(said):
    words = "at no regular times, by days daily with 1 gap (3 days missing), longest 2024-02-09 to 2024-02-13"
    assert words in said("events"), said("events")


def test_a_day_on_which_clocks_are_changed_is_no_gap(said):
    assert "daily without gaps" in said("local_days")


def test_what_has_no_rhythm_has_no_gaps(said):
    assert "gap" not in said("scattered"), said("scattered")
