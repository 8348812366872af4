"""Runs scripts on the two sides; each gives answers of the same form.

An answer is `{"shown": […], "outputs": {name: table}}` or `{"raises": type}`.
"""

import json
import os
import queue
import subprocess
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
from tables import canonical, with_warnings

CONFIG = """
[policy]
sample_rows = 0
result_bytes = 65536
[limits]
wall_ms = 120000
"""

# Without one of its own, a child reads the environment of its parent while it starts, and
# pytest changes that between two tests in another thread: exec then fails with EFAULT.
ENVIRONMENT = dict(os.environ)


@dataclass
class Job:
    id: str
    script: str
    inputs: list[str]


class Native:
    """The native interpreter, in two processes, which fork for each job."""

    def __init__(self, python: Path, folder: Path, seconds: int = 300):
        self.command = [str(python), str(Path(__file__).with_name("native_child.py")), str(folder), str(seconds)]
        self.processes = 2
        self._idle = queue.SimpleQueue()
        self._started = []

    def __enter__(self):
        for _ in range(self.processes):
            child = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self._started.append(child)
            self._idle.put(child)
        return self

    def __exit__(self, *error):
        for child in self._started:
            child.stdin.close()
            child.wait()

    def answer(self, job: Job) -> dict:
        child = self._idle.get()
        try:
            child.stdin.write(json.dumps(vars(job)) + "\n")
            child.stdin.flush()
            line = child.stdout.readline()
        finally:
            self._idle.put(child)
        if not line:
            raise RuntimeError(f"native Python ended at {job.id}: {child.wait()}")
        return json.loads(line)

    def answers(self, jobs: Iterable[Job]) -> Iterator[tuple[str, dict]]:
        return _all(self, jobs, self.processes)


class Room:
    """`dataroom run`, a process a job, in a home of its own."""

    def __init__(self, binary: Path, folder: Path, home: Path):
        self.binary, self.folder, self.home = binary, folder, home
        home.mkdir(parents=True, exist_ok=True)
        self.config = home / "differential.toml"
        self.config.write_text(CONFIG)

    def answers(self, jobs: Iterable[Job]) -> Iterator[tuple[str, dict]]:
        return _all(self, jobs, os.cpu_count())

    def answer(self, job: Job) -> dict:
        inputs = [part for name in job.inputs for part in ("-i", f"{name}={self.folder / name}.parquet")]
        reply = self._dataroom("run", "-", *inputs, stdin=job.script)
        if reply.get("ending") == "raised":
            error = reply["error"]
            return {"raises": error["kind"], "message": (error["message"] or "")[:300]}
        if not reply.get("ok"):
            return {"broke": json.dumps(reply)[:600]}
        outputs = {name: self._table(made["dataRef"]) for name, made in reply["outputs"].items()}
        shown = with_warnings(reply["result"]) if isinstance(reply["result"], str) else {}
        return {**shown, **({"outputs": outputs} if outputs else {})}

    def _table(self, reference: str) -> dict:
        reply = self._dataroom("export", reference, "--format", "parquet")
        path = Path(reply["file"])
        table = canonical(pq.read_table(path))
        path.unlink()
        return table

    def _dataroom(self, *arguments, stdin="") -> dict:
        done = subprocess.run(
            [str(self.binary), *arguments, "--json", "--home", str(self.home), "--config", str(self.config)],
            input=stdin,
            capture_output=True,
            text=True,
            env=ENVIRONMENT,
        )
        try:
            return json.loads(done.stdout)
        except json.JSONDecodeError:
            raise RuntimeError(f"dataroom {arguments} said no JSON:\n{done.stdout}\n{done.stderr}") from None


def _all(side, jobs: Iterable[Job], at_once: int) -> Iterator[tuple[str, dict]]:
    """Each job's answer, in the jobs' order."""
    jobs = list(jobs)
    with ThreadPoolExecutor(at_once) as pool:
        yield from zip((job.id for job in jobs), pool.map(side.answer, jobs), strict=True)
