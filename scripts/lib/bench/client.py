"""The smallest MCP client: JSON lines over a pipe, nothing between us and the server.

The official Python client checks and converts every message on two event loops; that
costs as much as the server does. This one costs some microseconds.
"""

import json
import subprocess
import time
from pathlib import Path

from figures import Wrong

PROTOCOL = "2025-11-25"


class Server:
    """`dataroom serve`, and requests to it by one thread."""

    def __init__(self, binary: Path, home: Path, data: Path | None = None, config: str = ""):
        home.mkdir(parents=True, exist_ok=True)
        command = [binary, "serve", "--home", home]
        if data:
            command += ["--data", data]
        if config:
            (home / "dataroom.toml").write_text(config)
        self._complaints = open(home / "stderr.log", "w+b")
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._complaints
        )
        self._last = 0
        client = {"name": "bench", "version": "1"}
        hello = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client}
        self._wait(self.send("initialize", hello))
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    @property
    def pid(self) -> int:
        return self._process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._complaints.close()

    def _write(self, message: dict):
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def send(self, method: str, params: dict) -> int:
        self._last += 1
        self._write({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        return self._last

    def receive(self) -> dict:
        """The next reply to any request; what the server tells of itself is skipped."""
        while True:
            line = self._process.stdout.readline()
            if not line:
                self._complaints.seek(0)
                raise Wrong(f"the server left: {self._complaints.read().decode(errors='replace')}")
            message = json.loads(line)
            if "id" in message and "method" not in message:
                return message

    def _wait(self, request: int) -> dict:
        message = self.receive()
        if message["id"] != request:
            raise Wrong(f"asked {request}, answered {message['id']}")
        if "error" in message:
            raise Wrong(f"the server refused: {message['error']}")
        return message["result"]

    def ask(self, code: str, inputs: dict[str, str] | None = None) -> int:
        """Begins a `run_python`; the reply comes from `receive`."""
        arguments = {"code": code, **({"inputs": inputs} if inputs else {})}
        return self.send("tools/call", {"name": "run_python", "arguments": arguments})

    def call(self, tool: str, arguments: dict) -> dict:
        """What a tool answers."""
        return self._wait(self.send("tools/call", {"name": tool, "arguments": arguments}))

    def kill(self):
        """Ends the server, so that whoever waits for it is told."""
        self._process.kill()

    def cancel(self, request: int):
        params = {"requestId": request, "reason": "measured"}
        self._write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})

    def python(self, code: str, inputs: dict[str, str] | None = None) -> tuple[dict, float]:
        """What `run_python` answers, and the seconds of the round trip."""
        began = time.perf_counter()
        result = self._wait(self.ask(code, inputs))
        return result, time.perf_counter() - began

    def result(self, code: str, inputs: dict[str, str] | None = None) -> tuple[dict, float]:
        """As `python`, of a script that has to come to its end."""
        answer, seconds = self.python(code, inputs)
        if answer.get("isError"):
            raise Wrong(f"the run failed: {answer['content']}")
        return answer["structuredContent"], seconds
