"""Every script of the corpus gives in the room what it gives natively."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import answers
import cases
import inputs
from compare import unexplained
from conftest import BINARY
from sides import Job, Room

ALL = cases.load()


@pytest.fixture(scope="session")
def running(request, tmp_path_factory):
    """The selected cases, started two at a time, each with its answer to come."""
    folder = tmp_path_factory.mktemp("inputs")
    inputs.write(folder)
    room = Room(BINARY, folder, tmp_path_factory.mktemp("differential"))
    wanted = [item.callspec.params["case"] for item in request.session.items if item.fspath == __file__]
    with ThreadPoolExecutor(2) as pool:
        yield {
            case.id: pool.submit(room.answer, Job(case.id, cases.whole(case.code), case.inputs))
            for case in wanted
        }


# Cases that do not agree yet. One that does has to leave the list.
OPEN = {
    line.partition(" | ")[0]
    for line in (Path(__file__).resolve().parent / "open.txt").read_text().splitlines()
    if line and not line.startswith("#")
}


assert OPEN <= {case.id for case in ALL}, "open.txt names cases that are not in the corpus"


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.id)
def test_the_room_answers_as_native_python(running, case):
    native = answers.recorded(case)
    room = running[case.id].result()
    room.pop("message", None)
    found = unexplained(case, native, room)
    assert bool(found) == (case.id in OPEN), found[:8]
