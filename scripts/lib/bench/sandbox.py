"""The figures of the crate alone, from its example `latency`."""

import json
import os
import subprocess
from pathlib import Path

from figures import Report, Wrong, mb, say

GROWTH_KIB = 8 * 1024


def measure(report: Report, latency: Path, cache: Path, quick: bool):
    say("the sandbox by itself (a minute)")
    # Set-up keeps one runtime and removes older ones; the newest is ours.
    runtimes = sorted(cache.glob("runtime-*"), key=os.path.getmtime)
    if not runtimes:
        raise Wrong(f"no runtime in {cache}")
    command = [latency, runtimes[-1], cache, *(["--quick"] if quick else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Wrong(f"the sandbox: {done.stderr.strip()}")
    found = json.loads(done.stdout)
    report.numbers["sandbox"] = found
    for name, part in (
        ("fresh", fresh), ("memory", memory), ("in_a_row", in_a_row), ("cancel", cancelled),
        ("limits", limits), ("at_once", at_once),
    ):
        report.attempt(f"the sandbox, {name}", lambda part=part, name=name: part(report, right(found[name])))
    report.note(f"The crate alone: opens in {found['open_ms']:.0f} ms, image {found['image_bytes'] / 1e6:.0f} MB.")


def right(figure: dict) -> dict:
    if "error" in figure:
        raise Wrong(figure["error"])
    return figure


def split(figures: dict) -> tuple[dict, list[str]]:
    """Those that were measured, and what is wrong with the others."""
    wrong = {n: f for n, f in figures.items() if isinstance(f, dict) and "error" in f}
    return {n: f for n, f in figures.items() if n not in wrong}, [f"{n}: {f['error']}" for n, f in wrong.items()]


def fresh(report: Report, found: dict):
    p50, p99 = found["p50_ms"], found["p99_ms"]
    report.add(
        f"fresh sandbox, `1+1`, through the crate, p50 / p99 of {found['n']}",
        "1 / 3 ms", f"{p50:.2f} / {p99:.2f} ms", p50 <= 1 and p99 <= 3,
    )
    report.note(
        f"A fresh run of `1+1` takes {found['page_faults']} page faults; the very first one "
        f"{found['first_ms']:.1f} ms."
    )


def cancelled(report: Report, found: dict):
    times, wrong = split(found)
    slowest = max(times, key=lambda name: times[name]["max_ms"])
    most = times[slowest]["max_ms"]
    report.add(
        f"cancelled until gone, slowest of {len(times)} scripts x {times[slowest]['n']}",
        "100 ms", f"{most:.1f} ms ({slowest})", most <= 100,
    )
    shown = ", ".join(f"{name} {one['p50_ms']:.1f}/{one['max_ms']:.1f}" for name, one in times.items())
    report.note(f"Cancelled until gone, p50/max in ms: {shown}.")
    if wrong:
        raise Wrong("; ".join(wrong))


def limits(report: Report, found: dict):
    times, wrong = split(found)
    if "wall_ms" in times:
        past = times.pop("wall_ms")
        report.add("past the wall-clock limit until gone", "100 ms", f"{past:.1f} ms", past <= 100)
    shown = ", ".join(f"{name} {value:.0f}" for name, value in times.items())
    report.note(f"From a run's begin until a limit, set low, has ended it, in ms: {shown}.")
    if wrong:
        raise Wrong("; ".join(wrong))


def at_once(report: Report, found: dict):
    report.note(f"16 threads at once through the crate: all right, slowest {found['max_ms']:.0f} ms.")


def memory(report: Report, found: dict):
    each, worked = found["per_idle_run"], found["per_run_after_work"]
    report.add(
        "memory of each further idle run, through the crate", "10 MB",
        f"{mb(each['pss'])} PSS, {mb(each['rss'])} RSS", each["pss"] * 1024 <= 10e6,
    )
    report.add(
        "… after a merge, a group-by and a sort", "",
        f"{mb(worked['pss'])} PSS, {mb(worked['rss'])} RSS",
    )


def in_a_row(report: Report, found: dict):
    samples = [(one["runs"], one["rss_kib"], one["open_files"]) for one in found["samples"]]
    flat(report, f"{found['runs']:,} runs in a row, through the crate", samples)


def flat(report: Report, what: str, samples: list[tuple[int, int, int]]):
    """Memory and open files after each tenth; the first fifth may still grow."""
    (_, rss, files), (_, last_rss, last_files) = samples[2], samples[-1]
    report.add(
        what, "memory flat, no file left open",
        f"RSS {mb(rss)} after {samples[2][0]}, {mb(last_rss)} at the end; "
        f"open files {files}, {last_files}",
        last_rss - rss <= GROWTH_KIB and last_files <= files,
    )
