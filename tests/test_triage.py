"""The triage pack on a live PostgreSQL: written by the command, used by a real MCP client."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from conftest import run
from servers.postgres import Postgres

ROLE, PASSWORD = "dataroom_triage", "tri-Zq7-age"
ORDER = ["try/1-tables.sql", "sql/1-dependencies.sql", "try/2-data.sql", "sql/2-views.sql", "sql/3-indexes.sql"]
NOTHING = "00000000-0000-4000-8000-000000000000"


def window(days=7):
    until = datetime.now(UTC) + timedelta(minutes=5)
    since = until - timedelta(days=days)
    return {"since": since.isoformat(), "until": until.isoformat()}


def run_of(number, server):
    return server.value(f"SELECT md5('run {number}')::uuid")


def packed(folder, shape, server, database):
    """The pack of a shape, as its README says, in a database of its own."""
    pack = folder / shape
    run("triage", "init", "--schema", shape, "--dir", pack)
    server.sql(f"CREATE DATABASE {database}", database="postgres")
    for file in ORDER:
        server.sql((pack / file).read_text(), database=database)
    role = (pack / "sql/4-role.sql").read_text()
    if server.value(f"SELECT count(*) FROM pg_roles WHERE rolname = '{ROLE}'") == "1":
        role = "\n".join(line for line in role.splitlines() if not line.startswith("CREATE ROLE"))
    server.sql(f"\\set password '{PASSWORD}'\n{role}", database=database)
    url = server.url(ROLE, PASSWORD).replace(f"/{server.database}", f"/{database}")
    return pack, {"TRIAGE_URL": url}


@pytest.fixture(scope="module")
def server():
    with Postgres() as server:
        yield server


@pytest.fixture(scope="module", params=["airflow", "plain"])
def pack(request, server, tmp_path_factory):
    return packed(tmp_path_factory.mktemp("pack"), request.param, server, f"triage_{request.param}")


@pytest.fixture(scope="module")
def room(pack, module_rooms):
    folder, env = pack
    return module_rooms(config=(folder / "dataroom.toml").read_text(), env=env)


def test_the_pack_is_right_for_its_database(pack):
    folder, env = pack
    done = run("tools", "check", "--config", folder / "dataroom.toml", "--json", env=env)
    told = json.loads(done.stdout)
    assert told["ok"] and len(told["lines"]) == 4, told
    assert all("planned cost" in line["what"] for line in told["lines"][1:]), told


def test_three_calls_are_enough_for_a_summary(room, server):
    """In three runs load_events failed; common class ConnectionTimeout; two pipelines depend on it."""
    groups = room.call("recent_failure_groups", **window())
    worst = groups["rows"][0]
    assert (worst["task"], worst["runs"], worst["error_class"]) == ("load_events", 3, "ConnectionTimeout")
    assert (groups["total"], groups["complete"], groups["totals"]) == (3, True, {"all_failures": 5})

    tasks = room.call("failed_tasks_for_run", run_id=worst["last_run_id"])
    assert tasks["totals"] == {"pipeline": "events", "run_state": "failed"}
    by_task = {row["task"]: row for row in tasks["rows"]}
    assert by_task["load_events"]["error_class"] == "ConnectionTimeout"
    assert by_task["publish_events"]["state"] == "upstream_failed"
    assert by_task["publish_events"]["error"] is None and by_task["publish_events"]["error_class"] is None

    impact = room.call("downstream_impact", node=worst["node"], depth=3)
    pipelines = [row["node"] for row in impact["rows"] if row["kind"] == "pipeline"]
    assert pipelines == ["reports", "sessions"] and impact["totals"]["pipelines"] == 2
    assert impact["totals"]["beyond_depth"] == 0 and impact["complete"]


def test_what_a_log_has_of_secrets_stays_there(room, server):
    reply = room.call("failed_tasks_for_run", run_id=run_of(4, server))
    assert "hunter2" not in reply.text and "loader:" not in reply.text, reply.text
    assert sum(reply["redacted"].values()) >= 1 and "it is data" in reply["notice"]
    assert reply["read"]["source"] == "triage" and len(reply["read"]["statement"]) == 16


def test_unknown_is_told_from_nothing(room, server):
    fine = room.call("failed_tasks_for_run", run_id=run_of(1, server))
    assert not fine.failed and fine["rows"] == [] and fine["total"] == 0 and fine["complete"]
    assert fine["totals"]["run_state"] == "success"
    unknown = room.call("failed_tasks_for_run", run_id=NOTHING)
    assert unknown.failed and unknown.text.startswith("NOT_FOUND"), unknown.text
    last = room.call("downstream_impact", node="board/weekly")
    assert (last["rows"], last["total"], last["complete"]) == ([], 0, True)
    unknown = room.call("downstream_impact", node="board/monthly")
    assert unknown.failed and unknown.text.startswith("NOT_FOUND"), unknown.text
    none = room.call("recent_failure_groups", since="2001-01-01T00:00:00Z", until="2001-01-02T00:00:00Z")
    assert (none["rows"], none["total"], none["complete"]) == ([], 0, True)


def test_a_cycle_ends_and_depth_is_the_nearest(room):
    reply = room.call("downstream_impact", node="sessions", depth=5)
    assert {row["node"]: row["depth"] for row in reply["rows"]} == {"reports": 1, "board/weekly": 2}
    near = room.call("downstream_impact", node="events.load_events", depth=1)
    assert {row["node"] for row in near["rows"]} == {"events.publish_events", "warehouse.events"}
    assert near["totals"] == {"pipelines": 0, "beyond_depth": 2}


def test_nothing_else_of_the_database_is_there(room):
    listed = room.call("list_data")
    assert "triage" not in json.dumps(listed.structured.get("datasets", listed.structured))
    for table in ("triage.triage.assistant_runs", "triage.assistant_runs", "assistant_runs"):
        assert room.call("query_data", sql=f"SELECT * FROM {table}").failed
        assert room.call("describe_data", data=table).failed


def test_a_wide_fan_is_cut_and_counted(room, server, pack):
    database = f"triage_{pack[0].name}"
    server.sql(
        "INSERT INTO triage.node SELECT 'fan.' || n, 'task' FROM generate_series(0, 10000) n;"
        "INSERT INTO triage.dependency SELECT 'fan.0', 'fan.' || n FROM generate_series(1, 10000) n",
        database=database,
    )
    try:
        reply = room.call("downstream_impact", node="fan.0", depth=5)
        assert reply["total"] == 10_000 and reply["truncated"] and not reply["complete"]
        assert reply["returned"] == len(reply["rows"]) == 50
    finally:
        server.sql("DELETE FROM triage.node WHERE node LIKE 'fan.%'", database=database)


def test_init_overwrites_nothing_unless_it_is_told_to(tmp_path):
    folder = tmp_path / "pack"
    done = run("triage", "init", "--dir", folder)
    assert (folder / "README.md").read_text().startswith("# Triage") and "README.md" in done.stdout
    (folder / "dataroom.toml").write_text("mine")
    (folder / "README.md").unlink()
    again = run("triage", "init", "--dir", folder, check=False)
    assert again.returncode == 1 and "dataroom.toml" in again.stderr and "--force" in again.stderr
    assert (folder / "dataroom.toml").read_text() == "mine" and not (folder / "README.md").exists()
    run("triage", "init", "--dir", folder, "--force", "--schema", "plain")
    assert "[[tool]]" in (folder / "dataroom.toml").read_text()
    wrong = run("triage", "init", "--schema", "dagster", check=False)
    assert wrong.returncode and "airflow and plain" in wrong.stderr


def test_a_role_that_may_more_is_told_with_the_sql_that_mends_it(pack, server):
    folder, env = pack
    database = f"triage_{folder.name}"
    grant = f"INSERT ON triage.node {{}} {ROLE}"
    server.sql("GRANT " + grant.format("TO"), database=database)
    check = ("tools", "check", "--config", folder / "dataroom.toml")
    try:
        bad = run(*check, "--explain", env=env, check=False)
        assert bad.returncode == 1 and f"REVOKE INSERT ON triage.node FROM {ROLE};" in bad.stdout
        [mend] = [line for line in bad.stdout.splitlines() if line.startswith("REVOKE")]
        server.sql(mend, database=database)
    finally:
        server.sql("REVOKE " + grant.format("FROM"), database=database)
    assert run(*check, env=env).stdout.count("ok  ") == 4
