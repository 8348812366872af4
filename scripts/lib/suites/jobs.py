"""Runs test files, in the guest or natively, and gives back how each test went.

A file runs together with its neighbours in one interpreter, because a fresh one reads
pytest anew. What takes the interpreter with it loses only itself: the test that had
begun is recorded as `aborted`, and the rest runs again without what is known.
"""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from recorder import MARK

HERE = Path(__file__).parent
# Files that share an interpreter. More would save little and lose more to an abort.
TOGETHER = 12
# An abort that is no test's (a file that cannot even be collected) ends the job.
MOST_ABORTS = 40
NATIVE_SECONDS = 3600


@dataclass
class Guest:
    """The sandbox's example `suite` over the folders laid out by `layout.py`."""

    binary: Path
    runtime: Path
    images: Path
    layout: Path
    root: str = "/mnt/site"

    def run(self, job: dict) -> tuple[str, str]:
        command = [
            self.binary, self.runtime, self.images, HERE / "guest.py",
            f"site={self.layout / 'site'}", f"packages={self.layout / 'packages'}", f"runner={HERE}",
        ]
        done = subprocess.run(command, input=json.dumps(job).encode(), capture_output=True)
        said = done.stderr.decode(errors="replace").strip()
        return done.stdout.decode(errors="replace"), said[-2000:]


@dataclass
class Native:
    """The Python of scripts/lib/native.sh, which has the guest's versions."""

    python: Path
    layout: Path

    def __post_init__(self):
        code = "import pandas; print(pandas.__file__.removesuffix('/pandas/__init__.py'))"
        asked = subprocess.run([self.python, "-c", code], capture_output=True, text=True, check=True)
        self.root = asked.stdout.strip()

    def run(self, job: dict) -> tuple[str, str]:
        command = [self.python, HERE / "native.py", HERE, self.layout / "packages"]
        # What the guest has: one time zone, no home, nothing of this machine's settings.
        environment = {"PATH": "/usr/bin:/bin", "TZ": "UTC", "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                command, input=json.dumps(job).encode(), capture_output=True, env=environment, cwd="/tmp",
                timeout=NATIVE_SECONDS,
            )
        except subprocess.TimeoutExpired as late:
            return (late.stdout or b"").decode(errors="replace"), f"took more than {NATIVE_SECONDS} s"
        return done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")[-2000:]


def read(stdout: str) -> tuple[dict, str | None, bool]:
    """What a run said: outcome by test, the test that had only begun, whether it ended."""
    outcomes, begun, ended = {}, None, False
    for line in stdout.split("\n"):
        if not line.startswith(MARK):
            continue
        try:
            entry = json.loads(line[len(MARK):])
        except ValueError:
            # Cut off by an abort.
            continue
        if "begin" in entry:
            begun = entry["begin"]
        elif "id" in entry:
            outcomes[entry["id"]] = {"was": entry["was"], "why": entry["why"]}
            begun = None
        else:
            ended = True
    return outcomes, begun, ended


def options(library: str, root: str) -> list[str]:
    chosen = ["-m", "not slow and not network and not db"]
    if library == "pandas":
        # Its data files are in no package; the tests that read them skip on both sides.
        chosen += ["-c", f"{root}/pandas/pyproject.toml", "--no-strict-data-files"]
    else:
        # A config that says nothing, or pytest goes looking for one.
        chosen += ["-c", "/dev/null"]
    return chosen


def run_together(world, files: list[str]) -> dict:
    """The outcomes of all tests in `files`."""
    library = files[0].split("/")[0]
    outcomes: dict = {}
    for _ in range(MOST_ABORTS):
        job = {"library": library, "files": files, "done": sorted(outcomes), "options": options(library, world.root)}
        stdout, stderr = world.run(job)
        found, begun, ended = read(stdout)
        outcomes.update(found)
        if ended:
            return outcomes
        last = stderr.splitlines()[-1] if stderr else "nothing was said"
        if begun is None:
            outcomes[",".join(files)] = {"was": "aborted", "why": last}
            return outcomes
        outcomes[begun] = {"was": "aborted", "why": last}
    return outcomes


def together(files: list[str]) -> list[list[str]]:
    """Neighbours in one folder, at most TOGETHER at a time."""
    groups: list[list[str]] = []
    for file in files:
        folder = file.rpartition("/")[0]
        if groups and groups[-1][0].rpartition("/")[0] == folder and len(groups[-1]) < TOGETHER:
            groups[-1].append(file)
        else:
            groups.append([file])
    return groups


def run_all(world, files: list[str], at_once: int, tell=lambda *_: None) -> dict:
    outcomes: dict = {}

    def one(group):
        found = run_together(world, group)
        tell(group, found)
        return found

    with ThreadPoolExecutor(at_once) as pool:
        for found in pool.map(one, together(files)):
            outcomes.update(found)
    return outcomes


if __name__ == "__main__":
    sys.exit("run scripts/suites")
