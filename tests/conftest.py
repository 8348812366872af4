"""What the whole-program tests share: a server behind a real MCP client.

Every test talks to the built binary over stdio through the official client, as a
host does. `rooms` starts servers, each on a home of its own; `room` is one with
the data folder below. Where the binary is, scripts/test says.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pandas as pd
import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "lib"))

CACHE = Path(
    os.environ.get("DATAROOM_CACHE")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "dataroom")
)
TARGET = Path(os.environ.get("CARGO_TARGET_DIR") or CACHE / "target")
BINARY = Path(os.environ.get("DATAROOM_TEST_BINARY") or TARGET / "debug" / "dataroom")

# Room for a busy machine with two cores, on top of a limit.
SLACK = 1.0


# They wait, cancel, measure memory or use all cores themselves: nothing runs beside them.
ALONE = {
    "test_bombs.py", "test_changing.py", "test_concurrency.py", "test_demo.py", "test_export.py",
    "test_hostile.py",
    "test_query.py", "test_setup.py", "test_setup_packages.py", "test_suites.py",
}  # fmt: skip


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.name in ALONE:
            item.add_marker(pytest.mark.alone)


def types_of(described) -> dict[str, str]:
    """The types by column, of a description of columns whose names have no blanks."""
    heads = (line.split(": ")[0].split(" ", 1) for line in described["columns"])
    return {name: data_type for name, data_type in heads}


def run(*arguments, check=True, **options) -> subprocess.CompletedProcess:
    """The binary as a person runs it."""
    done = subprocess.run(
        [str(BINARY), *map(str, arguments)],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=options.pop("timeout", 600),
        env={**os.environ, **options.pop("env", {})},
        **options,
    )
    if check and done.returncode:
        raise AssertionError(f"dataroom {arguments} failed:\n{done.stdout}\n{done.stderr}")
    return done


@dataclass
class Reply:
    """What reached the model."""

    text: str
    structured: dict[str, Any] | None
    failed: bool
    seconds: float

    def __getitem__(self, key):
        assert self.structured is not None, self.text
        return self.structured[key]

    def get(self, key, default=None):
        return (self.structured or {}).get(key, default)

    @property
    def ending(self) -> str:
        """How a run ended: `completed`, `raised`, `limit:wall_ms`, `failed:KIND`, `refused`..."""
        if self.structured is None:
            return "refused"
        if hit := self.structured["limits"].get("hit"):
            return f"limit:{hit}"
        if self.failed and self.structured["ending"] == "completed":
            return f"failed:{self.structured['error']['kind']}"
        return self.structured["ending"]


class Room:
    """A running server and the client that talks to it."""

    def __init__(self, portal, home: Path, arguments: list, mode: str, env: dict):
        self.portal, self.home = portal, home
        self.pid_file = home.parent / f"{home.name}.{time.monotonic_ns()}.pid"
        # The client does not tell whom it started; the shell does, and becomes it.
        shell = 'echo $$ > "$0"; exec "$@"'
        command = [str(BINARY), "serve", "--home", str(home), *map(str, arguments)]
        self.server = StdioServerParameters(
            command="sh",
            args=["-c", shell, str(self.pid_file), *command],
            env={**os.environ, **env},
        )
        self.mode = mode

    def __enter__(self):
        client = Client(self.server, mode=self.mode)
        self._context = self.portal.wrap_async_context_manager(client)
        self.client = self._context.__enter__()
        self.pid = int(self.pid_file.read_text())
        return self

    def __exit__(self, *error):
        return self._context.__exit__(*error)

    def call(self, tool: str, **arguments) -> Reply:
        return self.portal.call(lambda: self.acall(tool, **arguments))

    async def acall(self, tool: str, **arguments) -> Reply:
        began = time.perf_counter()
        result = await self.client.call_tool(tool, arguments)
        seconds = time.perf_counter() - began
        text = "\n".join(part.text for part in result.content if part.type == "text")
        return Reply(text, result.structured_content, bool(result.is_error), seconds)

    def python(self, code: str, **inputs: str) -> Reply:
        return self.call("run_python", code=code, **({"inputs": inputs} if inputs else {}))

    def result(self, code: str, **inputs: str):
        """The `result` of a script that has to succeed."""
        reply = self.python(code, **inputs)
        assert not reply.failed, reply.text
        return reply["result"]

    def table(self, code: str, name: str = "t", **inputs: str) -> str:
        """The reference of an output of a script that has to succeed."""
        reply = self.python(code, **inputs)
        assert not reply.failed, reply.text
        return reply["outputs"][name]["dataRef"]

    def export(self, data: str, format: str, name: str | None = None) -> Path:
        named = {"name": name} if name else {}
        reply = self.call("export_data", data=data, format=format, **named)
        assert not reply.failed, reply.text
        return Path(reply["file"])

    def together(self, *calls: Callable) -> list:
        """Runs async functions of this room at once; gives what each returned or raised."""

        async def all_of_them():
            results = [None] * len(calls)

            async def one(at, call):
                try:
                    results[at] = await call()
                except Exception as error:
                    results[at] = error

            async with anyio.create_task_group() as group:
                for at, call in enumerate(calls):
                    group.start_soon(one, at, call)
            return results

        return self.portal.call(all_of_them)

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)


@pytest.fixture(scope="session")
def portal():
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture(scope="session")
def browser():
    from browser.chromium import chromium

    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def data(tmp_path_factory) -> Path:
    """A data folder with one file of each format, small enough to know by heart."""
    folder = tmp_path_factory.mktemp("data")
    sales = pd.DataFrame(
        {
            "region": ["north", "south", "north", "east", None],
            "amount": [10.5, 20.0, 1.25, -3.0, 100.0],
            "units": [1, 2, 3, 4, 5],
            "day": pd.to_datetime(
                ["2024-01-01", "2024-01-02", "2024-01-03", "2024-02-29", "2024-12-31"]
            ),
        }
    )
    sales.to_parquet(folder / "sales.parquet")
    sales[["region", "units"]].to_csv(folder / "regions.csv", index=False)
    sales[["region", "amount"]].to_csv(folder / "amounts.tsv", sep="\t", index=False)
    people = [{"name": "Ann", "age": 41}, {"name": "Zoë", "age": None}]
    (folder / "people.json").write_text(json.dumps(people), encoding="utf-8")
    lines = "".join(json.dumps({"id": n, "даты": f"день {n}"}) + "\n" for n in range(3))
    (folder / "events.ndjson").write_text(lines, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def module_rooms(portal, tmp_path_factory):
    yield from _rooms(portal, tmp_path_factory.mktemp("rooms"))


@pytest.fixture
def rooms(portal, tmp_path):
    """Starts servers: `rooms(data=FOLDER, config=TEXT, home=FOLDER, mode=ERA)`."""
    yield from _rooms(portal, tmp_path)


def _rooms(portal, folder: Path):
    running = []

    def start(data=None, config=None, home=None, mode="auto", env=None) -> Room:
        home = home or folder / f"home{len(running)}"
        arguments = ["--data", data] if data else []
        if config:
            file = folder / f"config{len(running)}.toml"
            file.write_text(config)
            arguments += ["--config", file]
        room = Room(portal, home, arguments, mode, env or {})
        running.append(room)
        return room.__enter__()

    yield start
    for room in reversed(running):
        try:
            room.__exit__(None, None, None)
        except BaseExceptionGroup:
            # A server that the test killed.
            pass


@pytest.fixture(scope="module")
def room(module_rooms, data) -> Room:
    return module_rooms(data=data)
