"""The harness sees what it has to see: a judge that lets everything pass proves nothing."""

import random
import sys
from pathlib import Path

import pyarrow as pa
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import answers
import cases
import chains
import frames
from compare import differences, unexplained
from tables import canonical


@pytest.mark.parametrize(
    ("native", "room", "same"),
    [
        ({"float": 1.0}, {"float": 1.0 + 1e-13}, True),
        ({"float": 1.0}, {"float": 1.0 + 1e-11}, False),
        ({"float": 0.0}, {"float": -0.0}, False),
        ({"float": "nan"}, {"float": "nan"}, True),
        ({"int64": 2**53}, {"int64": 2**53 + 1}, False),
        ({"int64": 1}, {"int32": 1}, False),
        ({"int64": 1}, {"int64": 1.0}, False),
        (True, 1, False),
        ([1, 2], [1, 2, 3], False),
        ({"raises": "KeyError"}, {"raises": "ValueError"}, False),
    ],
)
def test_a_difference_is_seen(native, room, same):
    assert (differences(native, room) == []) is same


def test_a_tolerance_is_for_floats_only():
    assert differences({"float": 1.0}, {"float": 1.05}, relative=0.1) == []
    assert differences({"int64": 100}, {"int64": 101}, relative=0.1) != []


def test_an_explained_difference_is_one_and_the_only_one():
    case = cases.parse("t", "### a\n#: unlike .shown[1] 32 bits\nshow(1)\n")[0]
    assert unexplained(case, {"shown": [1, 2]}, {"shown": [1, 3]}) == []
    assert unexplained(case, {"shown": [1, {"a": 2}]}, {"shown": [1, {"a": 3}]}) == []
    assert unexplained(case, {"shown": [1, 2]}, {"shown": [1, 2]}) != []
    assert unexplained(case, {"shown": [1, 2]}, {"shown": [2, 3]}) != []
    ten = [0] * 10
    assert unexplained(case, {"shown": [*ten, 1]}, {"shown": [*ten, 2]}) != []


def test_types_of_columns_are_compared():
    wide, narrow = (canonical(pa.table({"a": pa.array([1], kind)})) for kind in (pa.int64(), pa.int32()))
    assert differences(wide, narrow) != []
    assert differences(wide, wide) == []


def test_a_tolerance_without_a_reason_is_refused():
    assert cases.parse("t", "### a\n#: rel 1e-9 the solver's path\nshow(1)\n")[0].relative == 1e-9
    for option in ("rel 1e-9", "abs 1", "native a => b", "unlike .shown[0]", "skip this"):
        with pytest.raises(ValueError, match="t: a"):
            cases.parse("t", f"### a\n#: {option}\nshow(1)\n")


def test_an_edited_script_has_no_answer_until_it_is_recorded():
    case = cases.load(["numpy_creation"])[0]
    answers.recorded(case)
    case.code += "show(1)\n"
    with pytest.raises(answers.Stale, match="--record"):
        answers.recorded(case)


def test_the_same_seed_gives_the_same_chains():
    table = chains.steps()
    one, two = ([chains.make(random.Random(5), table).code() for _ in range(3)] for _ in range(2))
    assert one == two
    for n in range(500):
        chain = chains.make(random.Random(n), table)
        compile(chain.code(), "room", "exec"), compile(chain.code(native=True), "native", "exec")


def test_a_frame_can_be_cut_down():
    frame = frames.Frame((("i0", "int64", ("1", "2")), ("s1", "str", ("'a'", "None"))))
    assert [len(one.columns) for one in frame.smaller()] == [1, 1, 2, 2]
    assert all(len(one.columns[0][2]) == 1 for one in frame.smaller()[2:])
