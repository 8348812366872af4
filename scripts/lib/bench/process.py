"""`dataroom run` as a process, in turns with native Python."""

import subprocess
import sys
import time
from pathlib import Path

from figures import Report, Wrong, median, ms, say

WITHIN = 0.040


def measure(report: Report, binary: Path, folder: Path, count: int):
    say("`dataroom run` as a process")
    script = folder / "one.py"
    script.write_text("print(1)\n")
    contestants = {
        "dataroom": [binary, "run", "--home", folder / "process-home", script],
        "python": [sys.executable, script],
        "pandas": [sys.executable, "-c", "import pandas; print(1)"],
    }
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for number in range(count + 3):
        for name, command in contestants.items():
            began = time.perf_counter()
            done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
            taken = time.perf_counter() - began
            if done.returncode or not done.stdout.startswith(b"1\n"):
                raise Wrong(f"{name} printed {done.stdout!r} and {done.stderr!r}")
            # The first ones fill the caches.
            if number >= 3:
                times[name].append(taken)
    report.numbers["process"] = times
    ours = times["dataroom"]
    report.add(
        f"`dataroom run` of `print(1)` as a process, min / median of {count}",
        "40 ms", f"{ms(min(ours))} / {ms(median(ours))}", median(ours) <= WITHIN,
    )
    report.note(
        f"Native `print(1)` as a process: {ms(median(times['python']))}; with `import pandas`, which the "
        f"room's run has imported: {ms(median(times['pandas']))}."
    )
