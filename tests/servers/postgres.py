"""A PostgreSQL server of the tests' own: Debian's, on a free port, in a folder of its own.

    with Postgres() as server:
        server.sql("CREATE TABLE t (a int)")
        url = server.reader("reader")   # a role that only reads, and its address

It runs as a user that is not root (the server refuses root), takes about two seconds to
start, and is stopped at the end. Nothing of it is left.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_preload_libraries": "pg_stat_statements",
    "max_connections": "30",
    "logging_collector": "off",
}


def programs() -> Path:
    """Where Debian has them; the newest."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if found:
        return found[-1].parent
    if there := shutil.which("postgres"):
        return Path(there).parent
    raise AssertionError("no PostgreSQL server: install it with `apt-get install postgresql`")


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def other_user() -> dict:
    """Whom to run as: `postgres` or `nobody` where this is root."""
    if os.getuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise AssertionError("there is no user `postgres` or `nobody` to run a server as")


class Postgres:
    """See the module. `settings` are the server's."""

    def __init__(self, **settings: str):
        self.bin, self.port, self.user = programs(), free_port(), other_user()
        self.settings = {**SETTINGS, **settings}
        self.database = "shop"
        self.process = None

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="dataroom-postgres-"))
        if self.user:
            os.chown(self.folder, self.user["user"], self.user["group"])
        initdb = [self.bin / "initdb", "-D", self.folder / "data", "-U", "admin", "--no-sync"]
        initdb += ["--auth-local=trust", "--auth-host=scram-sha-256", "-E", "UTF8"]
        self._run([*initdb, "--locale=C.UTF-8", "--no-instructions"])
        self.start()
        self.sql(f"CREATE DATABASE {self.database}", database="postgres")
        self.sql(
            f"REVOKE TEMPORARY ON DATABASE {self.database} FROM PUBLIC;"
            "REVOKE CREATE ON SCHEMA public FROM PUBLIC"
        )
        return self

    def __exit__(self, *error):
        # At once: nobody wants what it has.
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, command, **options):
        options = {"capture_output": True, "text": True, "cwd": "/", **self.user, **options}
        done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, **options)
        assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def start(self):
        command = [self.bin / "postgres", "-D", self.folder / "data", "-k", self.folder]
        command += ["-p", self.port, "-c", "listen_addresses=127.0.0.1"]
        for name, value in self.settings.items():
            command += ["-c", f"{name}={value}"]
        log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
            **self.user,
        )  # fmt: skip
        until = time.monotonic() + 30
        ready = [self.bin / "pg_isready", "-q", "-h", self.folder, "-p", self.port]
        while subprocess.run(list(map(str, ready))).returncode:
            failed = self.process.poll() is not None or time.monotonic() > until
            assert not failed, (self.folder / "log").read_text()
            time.sleep(0.05)

    def stop(self):
        """At once, rolling back what runs."""
        self._end(signal.SIGINT)

    def kill(self):
        """As a crash would: nothing is rolled back, connections break."""
        self._end(signal.SIGQUIT)

    def restart(self):
        self.stop()
        self.start()

    def _end(self, how):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(timeout=30)
        self.process = None

    def secure(self) -> Path:
        """Has the server speak TLS from now on; the certificate of who signed for it."""
        folder = self.folder
        ca = ["-subj", "/CN=tests", "-keyout", folder / "ca.key", "-out", folder / "ca.pem"]
        new = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        new += ["-nodes", "-days", "2"]
        self._run([*new, *ca])
        signed = ["-CA", folder / "ca.pem", "-CAkey", folder / "ca.key", "-subj", "/CN=127.0.0.1"]
        signed += ["-addext", "subjectAltName=IP:127.0.0.1"]
        signed += ["-addext", "basicConstraints=critical,CA:FALSE"]
        self._run([*new, *signed, "-keyout", folder / "tls.key", "-out", folder / "tls.pem"])
        self.settings |= {
            "ssl": "on",
            "ssl_cert_file": str(folder / "tls.pem"),
            "ssl_key_file": str(folder / "tls.key"),
        }
        self.restart()
        return folder / "ca.pem"

    def sql(self, text: str, database: str | None = None) -> list[list[str]]:
        """Runs statements as the administrator; the rows of all of them, as texts."""
        command = [self.bin / "psql", "-X", "-q", "-A", "-t", "-F", "\x1f", "-R", "\x1e"]
        command += ["-v", "ON_ERROR_STOP=1", "-h", self.folder, "-p", self.port, "-U", "admin"]
        command += ["-d", database or self.database, "-f", "-"]
        done = subprocess.run(
            list(map(str, command)), input=text, capture_output=True, text=True, cwd="/"
        )
        assert done.returncode == 0, f"{text}\n{done.stderr}"
        rows = done.stdout.rstrip("\n")
        return [row.split("\x1f") for row in rows.split("\x1e")] if rows else []

    def background(self, text: str) -> subprocess.Popen:
        """Runs statements as the administrator while others go on; returns when they have begun."""
        command = [self.bin / "psql", "-X", "-q", "-h", self.folder, "-p", self.port, "-U", "admin"]
        command += ["-d", self.database, "-f", "-"]
        process = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, cwd="/"
        )
        process.stdin.write(text.replace("; ", ";\n") + ";\n")
        process.stdin.close()
        until = time.monotonic() + 10
        while not self.activity("admin", "pg_sleep") and time.monotonic() < until:
            time.sleep(0.05)
        return process

    @contextmanager
    def asking(self, text: str):
        """One query that is asked again and again on one connection: a function of no arguments."""
        command = [self.bin / "psql", "-X", "-q", "-A", "-t", "-h", self.folder, "-p", self.port]
        command += ["-U", "admin", "-d", self.database, "-f", "-"]
        process = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/"
        )

        def ask() -> list[str]:
            process.stdin.write(f"{text};\n\\echo asked\n")
            process.stdin.flush()
            return list(iter(lambda: process.stdout.readline().rstrip("\n"), "asked"))

        try:
            yield ask
        finally:
            process.stdin.close()
            process.wait(timeout=10)

    def value(self, text: str) -> str:
        """The one value of a query."""
        [[value]] = self.sql(text)
        return value

    def reader(self, role: str, password: str = "pässwörd-Zq7", schemas=("public",)) -> str:
        """A role that may read these schemas and nothing else; its address."""
        self.sql(f"CREATE ROLE {role} LOGIN PASSWORD '{password}'")
        for schema in schemas:
            self.sql(
                f"GRANT USAGE ON SCHEMA {schema} TO {role};"
                f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role};"
                f"ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} GRANT SELECT ON TABLES TO {role}"
            )
        return self.url(role, password)

    def url(self, role: str, password: str = "pässwörd-Zq7") -> str:
        from urllib.parse import quote

        where = f"127.0.0.1:{self.port}/{self.database}"
        return f"postgres://{quote(role)}:{quote(password)}@{where}"

    def activity(self, role: str, like: str = "") -> list[str]:
        """The statements that run for this role, those that begin with `SELECT {like}` if given."""
        rows = self.sql(
            "SELECT query FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND "
            f"usename = '{role}' AND state <> 'idle' AND backend_type = 'client backend'"
            + (f" AND query LIKE 'SELECT {like}%'" if like else "")
        )
        return [query for [query] in rows]

    def idle(self, role: str, seconds: float = 5.0) -> bool:
        """Whether nothing runs for this role, at last."""
        until = time.monotonic() + seconds
        while self.activity(role):
            if time.monotonic() > until:
                return False
            time.sleep(0.05)
        return True
