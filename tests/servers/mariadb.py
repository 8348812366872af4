"""A real MariaDB for tests: Debian's server in a folder of its own, stopped at the end.

It runs as a user that is not root, on a free port of loopback and on a socket, and reads no
configuration of the machine's. `MariaDb.sql` is the server's own command line client, which
also judges what the room reads.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

SERVER = shutil.which("mariadbd") or "/usr/sbin/mariadbd"
INSTALL = "mariadb-install-db"
CLIENT = "mariadb"

# The data folder is thrown away: nothing of it has to survive a power cut.
OPTIONS = [
    "--innodb-buffer-pool-size=64M",
    "--innodb-log-file-size=16M",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-doublewrite=0",
    "--performance-schema=OFF",
    "--skip-log-bin",
    "--skip-name-resolve",
    "--secure-file-priv=",
    "--max-allowed-packet=1G",
    "--max-connections=40",
    "--character-set-server=utf8mb4",
]


def user() -> dict:
    """Whom the server runs as: not root, which it refuses."""
    if os.getuid() != 0:
        return {}
    for name in ("mysql", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}
    raise RuntimeError("MariaDB does not run as root, and there is no user mysql or nobody")


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


class MariaDb:
    def __init__(self, *options: str):
        if not Path(SERVER).exists() or not shutil.which(INSTALL):
            raise RuntimeError("MariaDB is missing: apt-get install mariadb-server")
        self.folder = Path(tempfile.mkdtemp(prefix="dataroom-mariadb-"))
        self.options = list(options)
        self.user = user()
        if self.user:
            os.chown(self.folder, self.user["user"], self.user["group"])
        self.socket = self.folder / "socket"
        self.log = self.folder / "log"
        self.port = free_port()
        self.process = None

    def __enter__(self):
        self._run(
            INSTALL, "--no-defaults", f"--datadir={self.folder}/data", "--skip-test-db",
            "--auth-root-authentication-method=normal", "--skip-name-resolve",
        )  # fmt: skip
        self.start()
        return self

    def __exit__(self, *error):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, *command: str):
        done = subprocess.run(
            command, cwd=self.folder, env=dict(os.environ), capture_output=True, text=True,
            **self.user,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{command[0]} failed:\n{done.stdout}\n{done.stderr}")

    def start(self):
        command = [
            SERVER, "--no-defaults", f"--datadir={self.folder}/data", f"--socket={self.socket}",
            f"--port={self.port}", "--bind-address=127.0.0.1",
            f"--pid-file={self.folder}/pid", *OPTIONS, *self.options,
        ]  # fmt: skip
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                command, cwd=self.folder, env=dict(os.environ), stdout=log, stderr=log, **self.user
            )
        deadline = time.monotonic() + 60
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"MariaDB did not start:\n{self.log.read_text()}")
            time.sleep(0.05)

    def _answers(self) -> bool:
        return self._client("SELECT 1").returncode == 0

    def kill(self, how=signal.SIGKILL):
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait()
            self.process = None

    def restart(self):
        self.kill(signal.SIGTERM)
        self.start()

    def _client(self, sql: str, *options: str) -> subprocess.CompletedProcess:
        command = [CLIENT, "--no-defaults", f"--socket={self.socket}", "--user=root"]
        command += ["--batch", "--raw", "--skip-column-names", "--default-character-set=utf8mb4"]
        return subprocess.run(
            [*command, *options], input=sql, env=dict(os.environ), capture_output=True, text=True
        )

    def sql(self, sql: str, *options: str) -> list[list[str]]:
        """What root gets for one or more statements: rows of texts, NULL as `NULL`."""
        done = self._client(sql, *options)
        if done.returncode:
            raise AssertionError(done.stderr)
        return [line.split("\t") for line in done.stdout.splitlines()]

    def client(self, user: str, password: str) -> subprocess.Popen:
        """A client of this user's that is connected and does nothing, until it is killed."""
        command = [CLIENT, "--no-defaults", f"--socket={self.socket}", f"--user={user}"]
        command += [f"--password={password}", "--batch", "--skip-column-names", "--unbuffered"]
        client = subprocess.Popen(
            command, env=dict(os.environ), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        client.stdin.write("SELECT 1;\n")
        client.stdin.flush()
        client.stdout.readline()
        return client

    def url(self, user: str, password: str = "", database: str = "") -> str:
        return f"mysql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def running(self, user: str) -> list[str]:
        """Statements that this user's connections are at."""
        found = self.sql(
            "SELECT info FROM information_schema.processlist "
            f"WHERE user = '{user}' AND command <> 'Sleep' AND info IS NOT NULL"
        )
        return [row[0] for row in found]
