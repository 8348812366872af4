"""Runs scripts on the two sides; each gives answers of the same form.

An answer is `{"shown": […], "outputs": {name: table}}` or `{"raises": type}`.
"""

import json
import os
import subprocess
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
from tables import canonical

CONFIG = """
[policy]
sample_rows = 0
result_bytes = 65536
[limits]
wall_ms = 120000
"""


@dataclass
class Job:
    id: str
    script: str
    inputs: list[str]


class Native:
    """The native interpreter, in two processes; jobs are dealt out between them."""

    def __init__(self, python: Path, folder: Path, seconds: int = 300, processes: int = 2):
        self.python, self.folder, self.seconds, self.processes = python, folder, seconds, processes

    def answers(self, jobs: Iterable[Job]) -> dict[str, dict]:
        jobs = list(jobs)
        shares = [share for at in range(self.processes) if (share := jobs[at :: self.processes])]
        with ThreadPoolExecutor(self.processes) as pool:
            return {key: value for part in pool.map(self._share, shares) for key, value in part.items()}

    def _share(self, jobs: list[Job]) -> dict[str, dict]:
        request = {"folder": str(self.folder), "jobs": [vars(job) for job in jobs], "seconds": self.seconds}
        done = subprocess.run(
            [str(self.python), str(Path(__file__).with_name("native_child.py"))],
            input=json.dumps(request),
            capture_output=True,
            text=True,
        )
        answers = {}
        for line in done.stdout.splitlines():
            answer = json.loads(line)
            answers[answer.pop("id")] = answer
        if len(answers) != len(jobs):
            raise RuntimeError(f"native Python ended after {len(answers)} of {len(jobs)} jobs:\n{done.stderr}")
        return answers


class Room:
    """`dataroom run`, a process a job, in a home of its own."""

    def __init__(self, binary: Path, folder: Path, home: Path):
        self.binary, self.folder, self.home = binary, folder, home
        home.mkdir(parents=True, exist_ok=True)
        self.config = home / "differential.toml"
        self.config.write_text(CONFIG)
        self._first = threading.Lock()

    def answers(self, jobs: Iterable[Job]) -> Iterator[tuple[str, dict]]:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = list(jobs)
            yield from zip((job.id for job in jobs), pool.map(self.answer, jobs), strict=True)

    def answer(self, job: Job) -> dict:
        inputs = [part for name in job.inputs for part in ("-i", f"{name}={self.folder / name}.parquet")]
        reply = self._dataroom("run", "-", *inputs, stdin=job.script)
        if reply.get("ending") == "raised":
            error = reply["error"]
            return {"raises": error["kind"], "message": (error["message"] or "")[:300]}
        if not reply.get("ok"):
            return {"broke": json.dumps(reply)[:600]}
        outputs = {name: self._table(made["dataRef"]) for name, made in reply["outputs"].items()}
        shown = {"shown": json.loads(reply["result"])} if isinstance(reply["result"], str) else {}
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
        )
        try:
            return json.loads(done.stdout)
        except json.JSONDecodeError:
            raise RuntimeError(f"dataroom {arguments} said no JSON:\n{done.stdout}\n{done.stderr}") from None
