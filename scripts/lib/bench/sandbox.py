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
    fresh, cancel, limits = found["fresh"], found["cancel"], found["limits"]
    report.add(
        f"fresh sandbox, `1+1`, through the crate, p50 / p99 of {fresh['n']}",
        "1 / 3 ms",
        f"{fresh['p50_ms']:.2f} / {fresh['p99_ms']:.2f} ms",
        fresh["p50_ms"] <= 1 and fresh["p99_ms"] <= 3,
    )
    slowest = max(cancel, key=lambda name: cancel[name]["max_ms"])
    report.add(
        f"cancelled until gone, slowest of {len(cancel)} scripts x {cancel[slowest]['n']}",
        "100 ms",
        f"{cancel[slowest]['max_ms']:.1f} ms ({slowest})",
        cancel[slowest]["max_ms"] <= 100,
    )
    report.add(
        "past the wall-clock limit until gone", "100 ms", f"{limits['wall_ms']:.1f} ms",
        limits["wall_ms"] <= 100,
    )
    memory(report, found)
    at_once = found["at_once"]
    report.note(
        f"The crate alone: opens in {found['open_ms']:.0f} ms, first run {fresh['first_ms']:.1f} ms, image "
        f"{found['image_bytes'] / 1e6:.0f} MB; 16 threads at once: slowest {at_once['max_ms']:.0f} ms."
    )
    shown = ", ".join(f"{name} {times['p50_ms']:.1f}/{times['max_ms']:.1f}" for name, times in cancel.items())
    report.note(f"Cancelled until gone, p50/max in ms: {shown}.")
    shown = ", ".join(f"{name} {value:.0f}" for name, value in limits.items() if name != "wall_ms")
    report.note(f"From the run's begin until its limit has ended it, in ms: {shown}.")


def memory(report: Report, found: dict):
    each, worked = found["memory"]["per_idle_run"], found["memory"]["per_run_after_work"]
    report.add(
        "memory of each further idle run, through the crate", "10 MB",
        f"{mb(each['rss'])} RSS, {mb(each['pss'])} PSS", each["rss"] * 1024 <= 10e6,
    )
    report.add(
        "… after a merge, a group-by and a sort", "",
        f"{mb(worked['rss'])} RSS, {mb(worked['pss'])} PSS",
    )
    row = found["in_a_row"]
    flat(
        report, f"{row['runs']:,} runs in a row, through the crate",
        [(one["runs"], one["rss_kib"], one["open_files"]) for one in row["samples"]],
    )


def flat(report: Report, what: str, samples: list[tuple[int, int, int]]):
    """Memory and open files after each tenth; the first fifth may still grow."""
    (_, rss, files), (_, last_rss, last_files) = samples[2], samples[-1]
    report.add(
        what, "memory flat, no file left open",
        f"RSS {mb(rss)} after {samples[2][0]}, {mb(last_rss)} at the end; "
        f"open files {files}, {last_files}",
        last_rss - rss <= GROWTH_KIB and last_files <= files,
    )
