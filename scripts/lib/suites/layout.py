"""Lays out what the suites need, in a folder of the cache that is there whole or not.

    layout.py CACHE

prints the folder. Below it `site` has the tests of numpy, pandas and scikit-learn in
the places where their wheels have them, and nothing else of these libraries;
`packages` has pytest and hypothesis.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

WHEELS = Path(__file__).with_name("wheels.txt")
TESTED = ("numpy", "pandas", "sklearn")
# Tests are the same in every platform's wheel; the hashes are these ones'.
PLATFORM = (
    "--python-version=3.13", "--implementation=cp", "--abi=cp313", "--platform=manylinux_2_28_x86_64",
    "--platform=manylinux_2_27_x86_64",
)
COMPILED = {".so", ".pyx", ".pxd", ".c"}


def place(name: str) -> str | None:
    """Where a wheel's file goes, if it is wanted."""
    path = PurePosixPath(name)
    top = path.parts[0]
    if top not in TESTED:
        foreign = top.startswith(("numpy", "pandas", "scikit_learn"))
        unwanted = ".dist-info" in top and path.name != "METADATA"
        return None if foreign or unwanted else f"packages/{name}"
    beside = path.name in ("conftest.py", "pyproject.toml") and len(path.parts) == 2
    if beside or ("tests" in path.parts[:-1] and path.suffix not in COMPILED):
        return f"site/{name}"
    return None


def unpack(wheel: Path, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        for name in names:
            to = None if name.endswith("/") else place(name)
            if to is None:
                continue
            target = folder / to
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(name))
            mark_packages(PurePosixPath(name), names, folder)


def mark_packages(path: PurePosixPath, names: set[str], folder: Path) -> None:
    """An empty `__init__.py` where the wheel has one: pytest names modules by them."""
    for parent in path.parents[:-1]:
        marker = f"{parent}/__init__.py"
        if marker in names and place(marker) is None:
            (folder / "site" / marker).touch()


def lay_out(cache: Path) -> Path:
    key = hashlib.sha256(WHEELS.read_bytes() + Path(__file__).read_bytes()).hexdigest()[:16]
    folder = cache / f"suites-{key}"
    if folder.exists():
        return folder
    with tempfile.TemporaryDirectory(prefix="suites-work-", dir=cache) as work:
        wheels, fresh = Path(work, "wheels"), Path(work, "fresh")
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
             "--require-hashes", "--only-binary=:all:", *PLATFORM, "--dest", wheels, "--requirement", WHEELS],
            check=True, stdout=sys.stderr,
        )
        for wheel in sorted(wheels.iterdir()):
            unpack(wheel, fresh)
        try:
            fresh.rename(folder)
        except OSError:
            # Another process was first.
            if not folder.exists():
                raise
    return folder


if __name__ == "__main__":
    print(lay_out(Path(sys.argv[1])))
