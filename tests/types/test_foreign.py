"""Files that others wrote: the room sees in them what pyarrow sees."""

import pyarrow.parquet as pq
import pytest
from foreign import WRITERS
from look import LOOK, look


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("foreign")


@pytest.fixture(scope="module")
def room(module_rooms, folder):
    return module_rooms(data=folder, config="[policy]\nsample_rows = 0\nresult_bytes = 65536\n")


# Every cell counts, and is too much to hand back: a hash of what is seen.
SEE = LOOK + """
import hashlib
def told(frame):
    seen = look(frame.iloc[:0, :50])
    rows = repr([[_cell(v) for v in frame.iloc[:, at].tolist()] for at in range(frame.shape[1])])
    first = [_cell(v) for v in frame.head(1).iloc[:, :50].to_numpy(dtype=object).ravel().tolist()]
    return [list(frame.shape), seen["columns"], seen["index"], seen["cells"], first,
            hashlib.sha256(rows.encode()).hexdigest()]
"""


def native(path):
    import pandas as pd

    scope = {"pd": pd}
    exec(SEE, scope)
    return scope["told"](pq.read_table(path).to_pandas())


@pytest.mark.parametrize("name", WRITERS)
def test_the_room_sees_what_pyarrow_sees(room, folder, name):
    file = folder / f"{name.replace(' ', '_')}.parquet"
    WRITERS[name](file)
    assert room.result(SEE + "result = told(x)", x=file.stem) == native(file)
