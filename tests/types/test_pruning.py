"""A script that uses 2 of 200 columns does not pay for 200, and cannot tell.

How many columns were read is told by the host calls that a run took: two a column.
"""

import pandas as pd
import pytest
from prunings import MISSING, NARROW, WHOLE

TABLE = pd.DataFrame(
    {"a": [1, 2, 3], "b": [40, 50, 60], "c": [7.5, 8.5, 9.5], "d": [10, 11, 12], "k": ["x", "y", "x"]}
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pruning")
    TABLE.to_parquet(folder / "plain.parquet")
    TABLE.set_index("k").to_parquet(folder / "indexed.parquet")
    TABLE.rename(columns=dict(zip("abcdk", range(5)))).to_parquet(folder / "numbered.parquet")
    return folder


@pytest.fixture(scope="module")
def room(module_rooms, folder):
    return module_rooms(data=folder)


def native(code):
    scope = {"__name__": "__main__", "pd": pd, "df": TABLE.copy()}
    exec(code, scope)
    return scope["result"]


def calls(reply):
    return reply["limits"]["used"]["host_calls"]


@pytest.fixture(scope="module")
def calls_of(room):
    """Host calls of a run that reads so many columns, for a script that sees them."""
    base = calls(room.python("result = len(df)", df="plain"))
    return lambda columns: base + 2 * columns


@pytest.mark.parametrize("code", NARROW)
def test_a_script_reads_the_columns_that_it_uses(room, calls_of, code):
    reply = room.python(code, df="plain")
    assert not reply.failed, reply.text
    assert reply["result"] == native(code)
    if NARROW[code] is None:
        assert calls(reply) == calls(room.python("result = list(df)", df="plain"))
    else:
        assert calls(reply) == calls_of(len(NARROW[code]))


@pytest.mark.parametrize("code", WHOLE)
def test_whoever_can_see_the_whole_table_sees_it(room, code):
    reply = room.python(code, df="plain")
    assert calls(reply) >= calls(room.python("result = list(df)", df="plain"))
    try:
        wanted = native(code)
    except Exception as error:
        # `import __main__` and the like: natively it is the test's own module.
        assert type(error).__name__ in ("KeyError", "AttributeError"), error
        wanted = reply["result"] if not reply.failed else None
        assert wanted in (list(TABLE), None) or reply.failed
        return
    assert not reply.failed, reply.text
    assert reply["result"] == wanted


@pytest.mark.parametrize("code", MISSING)
def test_a_column_that_is_not_there_is_missed_as_before(room, code):
    with pytest.raises((KeyError, AttributeError)) as missed:
        native(code)
    error = room.python(code, df="plain")["error"]
    assert error["kind"] == missed.type.__name__
    assert error["message"].startswith(str(missed.value.args[0]))


def test_an_index_is_there_whichever_columns_are_used(room):
    code = "result = [df['a'].tolist(), df['a'].index.tolist(), df.index.name]"
    assert room.result(code, df="indexed") == [[1, 2, 3], ["x", "y", "x"], "k"]


def test_labels_that_are_no_text_are_not_taken_for_names(room):
    reply = room.python("result = df['0'].tolist()", df="numbered")
    assert reply["error"]["kind"] == "KeyError"
    assert room.result("result = df[0].tolist()", df="numbered") == [1, 2, 3]


def test_two_inputs_are_narrowed_each_on_its_own(room, calls_of):
    reply = room.python("result = [df['a'].sum().item(), list(other)]", df="plain", other="indexed")
    assert reply["result"] == [6, list("abcd")]
