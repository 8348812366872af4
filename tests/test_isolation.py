"""What one run leaves behind reaches no other run: places in the pool are reused."""

import pytest

# Long enough to fill what a place keeps resident, and spread over all of memory.
LEAVE = """
import numpy as np
marks = [b"CANARY-7f3a" * 1000 for _ in range(8000)]
array = np.frombuffer(b"CANARY-7f3a" * 4_000_000, dtype=np.uint8).copy()
open("/tmp/left", "wb").write(b"CANARY-7f3a" * 100_000)
import pandas as pd
pd.left_here = pd.DataFrame.merge
pd.DataFrame.merge = None
import os
os.environ["LEFT"] = "CANARY-7f3a"
result = len(marks)
"""

# Memory that the guest gets without having written it, and the files and names.
SEARCH = """
import numpy as np, os, pandas as pd
mark = b"CANARY-" + b"7f3a"
found = sum(np.empty(size, dtype=np.uint8).tobytes().count(mark)
            for size in (1000, 100_000, 10_000_000, 150_000_000))
result = [found, os.listdir("/tmp"), os.environ.get("LEFT"), hasattr(pd, "left_here"),
          len(pd.DataFrame({"a": [1]}).merge(pd.DataFrame({"a": [1]})))]
"""


@pytest.mark.parametrize("round", range(3))
def test_nothing_of_a_run_is_found_by_the_next(rooms, round):
    room = rooms(config="[serve]\nconcurrency = 1\n")
    for _ in range(3):
        assert room.result(LEAVE) == 8000
        assert room.result(SEARCH) == [0, [], None, False, 1]


def test_the_search_finds_what_is_there(room):
    """The canary's twin: in one run, freed memory does hold what was in it."""
    code = (
        "import numpy as np\n"
        "mark = b'CANARY-' + b'7f3a'\n"
        "a = np.frombuffer(mark * 1_000_000, dtype=np.uint8).copy()\n"
        "size = a.size\ndel a\n"
        "result = np.empty(size, dtype=np.uint8).tobytes().count(mark) > 1000"
    )
    assert room.result(code) is True
