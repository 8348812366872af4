"""What the figures were measured on."""

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

from figures import Report


def describe(report: Report, binary: Path):
    """Notes that say where the numbers come from."""
    cores = len(os.sched_getaffinity(0))
    model = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    load = os.getloadavg()[0]
    report.note(
        f"Machine: {cores} cores ({model}), {memory:.0f} GiB, {platform.system()} "
        f"{platform.release()}; load before the first measurement {load:.1f}"
        + (". **Other work was going on: expect better figures without.**" if load > 0.5 * cores else ".")
    )
    ours = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True)
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "pandas", "pyarrow", "duckdb", "mcp"))
    report.note(
        f"{ours.stdout.strip()}, the optimised development build; peers: CPython "
        f"{platform.python_version()}, {packages}."
    )
    report.numbers["machine"] = {"cores": cores, "model": model, "load": load}


def resident(pid: int) -> dict[str, int]:
    """Memory of a process in KiB: RSS (a page once per mapping), PSS (each page once)."""
    wanted = {"Rss": "rss", "Pss": "pss", "Anonymous": "anonymous"}
    found = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        key, _, rest = line.partition(":")
        if key in wanted:
            found[wanted[key]] = int(rest.split()[0])
    return found


def peak(pid: int) -> int:
    """The most memory that a process has had, in KiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def open_files(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))
