"""What bad input gets: an ending with a name, in time, and a server that goes on.

Each line is a script, the limits that it is to meet (small, so that this is
quick), and the endings that are right. After each, the same server has to answer.
"""

import os
import textwrap

import pytest

from conftest import SLACK

CONFIG = """\
[limits]
wall_ms = 3000
fuel = 60_000_000_000
memory_bytes = 500_000_000
stdout_bytes = 1_000_000
stderr_bytes = 1_000_000
output_bytes = 100_000_000
output_rows = 1_000_000
output_columns = 100
output_cells = 2_000_000
outputs = 4
scratch_bytes = 20_000_000
scratch_files = 1_000
open_files = 32
host_call_bytes = 4_000_000
host_calls = 2_000
"""
WALL = 3.0

TIME = {"limit:wall_ms", "limit:fuel"}
# CPython turns a refused allocation into MemoryError, which the script may see.
MEMORY = {"limit:memory_bytes", "raised"}

LINES = {
    "endless loop": ("while True: pass", TIME),
    "endless loop that catches everything": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        TIME,
    ),
    "endless loop in a destructor": (
        "class A:\n    def __del__(self):\n        while True: pass\na = A()\ndel a",
        TIME,
    ),
    "ten billion bytes": ("x = bytearray(10**10)", MEMORY),
    "a list of ten billion": ("[0]*10**10", MEMORY),
    "a text of two GiB": ("'x'*2**31", MEMORY),
    "memory bit by bit": ("a = []\nwhile True: a.append(bytearray(10**6))", MEMORY | TIME),
    "memory in numpy": ("import numpy as np; np.ones(10**9)", MEMORY),
    "deep recursion": ("def f(): f()\nf()", {"raised", "limit:stack"}),
    "deep recursion without a limit": (
        "import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()",
        {"raised", "limit:stack", "limit:memory_bytes"},
    ),
    "deep recursion in C": (
        "import sys\nsys.setrecursionlimit(10**9)\na = []\nfor _ in range(10**6): a = [a]\nrepr(a)",
        {"raised", "limit:stack", "limit:memory_bytes"},
    ),
    "a regex that never ends": ("import re; re.match(r'(a+)+$', 'a' * 60 + 'b')", TIME),
    "a huge power": ("9**9**9", TIME | MEMORY),
    "100 MB printed": ("print('x' * 100_000_000)", {"limit:stdout_bytes"}),
    "100 MB printed in bits": (
        "for _ in range(10**6): print('x' * 100)",
        {"limit:stdout_bytes"},
    ),
    "stderr": (
        "import sys\nfor _ in range(10**5): sys.stderr.write('x' * 1000)",
        {"limit:stderr_bytes"},
    ),
    "a 1 GB output": (
        "import numpy as np, pandas as pd\n"
        "a = np.zeros(20_000_000 // 8)\n"
        "outputs['t'] = pd.DataFrame({i: a for i in range(50)}, copy=False)",
        {"limit:output_bytes", "limit:output_rows", "limit:memory_bytes", "raised"},
    ),
    "too many rows": (
        "import numpy as np, pandas as pd\n"
        "outputs['t'] = pd.DataFrame({'a': np.zeros(1_000_001, 'int8')})",
        {"limit:output_rows"},
    ),
    "too many columns": (
        "import pandas as pd\noutputs['t'] = pd.DataFrame({f'c{i}': [1] for i in range(101)})",
        {"limit:output_columns"},
    ),
    "nulls without number": (
        "import pandas as pd\n"
        "outputs['t'] = pd.DataFrame({'a': [None] * 900_000}).assign(b=None, c=None)",
        {"limit:output_cells"},
    ),
    "small objects without end": (
        "a = []\nwhile True: a.append([1, 2, 3])",
        {"limit:memory_bytes"} | TIME,
    ),
    "too many outputs": (
        "import pandas as pd\nfor i in range(5): outputs[f't{i}'] = pd.DataFrame({'a': [1]})",
        {"limit:outputs"},
    ),
    "a result too big": ("result = 'x' * 10_000_000", {"limit:result_bytes", "raised", "failed:ResultTooBig"}),
    "a million files": (
        "import os\nos.makedirs('/tmp/m', exist_ok=True)\n"
        "for i in range(10**6): open(f'/tmp/m/{i}', 'w').close()",
        {"limit:scratch_files", "raised"},
    ),
    "a big file": (
        "f = open('/tmp/big', 'wb')\nfor _ in range(1000): f.write(bytes(10**6))",
        {"limit:scratch_bytes", "raised"},
    ),
    "a sparse file": (
        "f = open('/tmp/big', 'wb')\nf.seek(2**40)\nf.write(b'x')\nf.flush()",
        {"limit:scratch_bytes", "raised"},
    ),
    "files left open": (
        "a = [open(f'/tmp/{i}', 'w') for i in range(1000)]",
        {"limit:open_files", "raised"},
    ),
    "sleep": ("import time; time.sleep(10**6)", {"limit:wall_ms"}),
    "select": ("import select; select.select([], [], [], 10**6)", {"limit:wall_ms", "raised"}),
    "sys.exit": ("import sys; sys.exit(3)", {"exited"}),
    "os._exit": ("import os; os._exit(3)", {"exited"}),
    "os.abort": ("import os; os.abort()", {"aborted"}),
    "SystemExit": ("raise SystemExit", {"exited"}),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", {"raised"}),
    "GeneratorExit": ("raise GeneratorExit", {"raised"}),
    "no socket": ("import socket; socket.create_connection(('127.0.0.1', 80))", {"raised"}),
    "no subprocess": ("import subprocess; subprocess.run(['ls'])", {"raised"}),
    "no fork": ("import os; os.fork()", {"raised"}),
    "no system": ("import os; os.system('ls')", {"raised"}),
    "no threads": (
        "import threading; t = threading.Thread(target=print); t.start(); t.join()",
        {"raised"},
    ),
    "no ctypes": ("import ctypes; ctypes.string_at(0)", {"raised"}),
    "passwd": ("open('/etc/passwd').read()", {"raised"}),
    "out of the inputs": ("import os; os.listdir('/in/../..' ); open('/in/../../etc/passwd')", {"raised"}),
    "environ": ("open('/proc/self/environ').read()", {"raised"}),
    "fd by path": ("open('/dev/fd/0').read()", {"raised"}),
    "write to an input": ("open('/in/x', 'w')", {"raised"}),
    "write to the library": ("open('/usr/local/lib/x', 'w')", {"raised"}),
    "symlink": ("import os; os.symlink('/etc/passwd', '/tmp/l'); open('/tmp/l').read()", {"raised"}),
    "hard link": ("import os; os.link('/usr/local/lib/python315.zip', '/tmp/l')", {"raised"}),
    "rename out": (
        "import os; open('/tmp/a', 'w').close(); os.rename('/tmp/a', '/tmp/../../a')",
        {"raised"},
    ),
    "odd paths": (
        "for p in ['/tmp/a:b', '/tmp/a\\\\b', 'C:\\\\x', '//x/y', '/tmp/x/']:\n"
        "    try: open(p, 'w').close()\n"
        "    except OSError: continue\n"
        "    import os\n"
        "    assert os.path.basename(p) in os.listdir('/tmp'), p\n",
        {"completed", "raised"},
    ),
    "closing fds": (
        "import os\nfor fd in range(6):\n    try: os.close(fd)\n    except OSError: pass\n",
        {"completed", "raised", "aborted"},
    ),
    "closing fds, then files": (
        "import os\nfor fd in range(64):\n    try: os.close(fd)\n    except OSError: pass\n"
        "print('still here')\nopen('/tmp/x', 'w').write('x')\n",
        {"completed", "raised", "aborted"},
    ),
    "NUL in code": ("x = 1\0", {"raised", "refused"}),
    "a lone surrogate": ("x = '\\ud800'; result = x", {"raised", "completed"}),
    "ten MB of code": ("x = 1\n" * 1_700_000, {"refused"}),
    "nested code": ("(" * 100_000, {"raised", "refused", "limit:stack"}),
    "code that kills the parser": ("x = " + "-" * 500_000 + "1", {"raised", "refused", "limit:stack", "limit:memory_bytes"}),
    "empty code": ("", {"completed", "refused"}),
    "only a comment": ("# nothing", {"completed"}),
    "breaking our own things": (
        "import builtins, sys, json\n"
        "json.dumps = None; builtins.len = None; builtins.print = None\n"
        "sys.stdout = None; sys.excepthook = None; del builtins.isinstance\n"
        "result = 1",
        # The interpreter's own report of an exception needs builtins.
        {"completed", "raised", "aborted"},
    ),
    "outputs is another thing": ("outputs = None", {"completed", "raised"}),
    "outputs with a bad name": (
        "import pandas as pd; outputs[b'\\xff'] = pd.DataFrame()",
        {"raised"},
    ),
    "a subclass that lies": (
        "import pandas as pd\n"
        "class Lies(pd.DataFrame):\n"
        "    def __len__(self): return 10**12\n"
        "    @property\n"
        "    def shape(self): return (10**12, 10**12)\n"
        "outputs['t'] = Lies({'a': [1]})",
        {"completed", "raised", "limit:output_rows"},
    ),
}

HOST = {
    "empty": "_host.call(b'')",
    "garbage": "_host.call(b'\\xff' * 100)",
    "text": "_host.call(b'hello')",
    "huge": "_host.call(bytes(10**8))",
    "just over": "_host.call(bytes(4_000_001))",
    "nested": "_host.call(b'[' * 1_000_000)",
    "nested objects": "_host.call(b'{\"a\":' * 500_000)",
    "numbers": "_host.call(b'{\"op\": 99999999999999999999999999}')",
    "often": "while True:\n    try: _host.call(b'{}')\n    except Exception: pass",
    "no bytes": "_host.call('text')",
    "random": (
        "import random\n"
        "for n in range(500):\n"
        "    try: _host.call(random.randbytes(n))\n"
        "    except Exception: pass\n"
    ),
    "forged": (
        "import json\n"
        "for op in ['read', 'open', 'output', 'begin', 'write', 'finish', 'result', 'column', 'exit']:\n"
        "    for address in [0, 1, -1, 2**31, 2**32 - 1, 2**32, 2**63]:\n"
        "        frame = {'op': op, 'name': 't', 'address': address, 'ptr': address, 'length': 2**31}\n"
        "        try: _host.call(json.dumps(frame).encode())\n"
        "        except Exception: pass\n"
    ),
    "from a thread": (
        "import threading\n"
        "t = threading.Thread(target=_host.call, args=(b'x',)); t.start(); t.join()"
    ),
    "again and out of turn": (
        "for op in ['begin', 'begin', 'done', 'begin', 'done']:\n"
        "    _host.call(b'{\"op\": \"%s\", \"warnings\": []}' % op.encode())\n"
    ),
    "at exit": "import atexit; atexit.register(lambda: _host.call(b'x'))",
    "in a destructor": "class A:\n    def __del__(self): _host.call(b'x')\nkept = A()",
    "in the collector": (
        "import gc\ngc.callbacks.append(lambda *a: _host.call(b'x'))\ngc.collect()"
    ),
}


# Stands between our guest package and the host: of the first message with the
# operation OP it sends the variant number WHICH, with one value replaced, instead.
FORGER = """\
import copy, json, _host, numpy as np, pandas as pd
from dataroom import _host_calls

ODD = [0, 1, 8, -1, 2**31, 2**32 - 8, 2**32, 2**63, 1e300, 'x', None, [], {}]

def variants(value):
    if isinstance(value, (dict, list)):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            for inner in variants(value[key]):
                other = copy.copy(value)
                other[key] = inner
                yield other
    yield from ODD

class Door:
    done = False
    @classmethod
    def call(cls, message):
        frame = json.loads(message)
        if frame['op'] == OP and not cls.done:
            cls.done = True
            forged = list(variants(frame))
            print(len(forged))
            message = json.dumps(forged[WHICH]).encode()
        return _host.call(message)

x = pd.DataFrame({
    'i': np.arange(50), 's': [str(i) for i in range(50)],
    'c': pd.Categorical(list('ab') * 25), 'n': pd.array([1, None] * 25, 'Int64'),
    'l': [[i, i + 1] if i else None for i in range(50)], 'r': [{'a': str(i)} for i in range(50)],
    'm': [[('k', i)] for i in range(50)],
})
x.to_parquet('/tmp/x.parquet')
assert _host_calls._ask is _host.call
_host_calls._ask = Door.call
"""
READ = "pd.read_parquet('/tmp/x.parquet')"
FORGED = {
    "open": READ,
    "next_column": READ,
    "fill": READ,
    "close": READ,
    "table": "outputs['t'] = x",
    "table of a file": "x.to_parquet('/tmp/y.parquet')",
    "done": "result = 1",
}


@pytest.fixture(scope="module")
def hostile(module_rooms, data):
    return module_rooms(data=data, config=CONFIG)


def works(room):
    assert room.result("result = int(sales['units'].sum())", sales="sales") == 15


@pytest.mark.parametrize("name", LINES)
def test_it_ends_with_its_name_in_time_and_the_next_call_works(hostile, name):
    code, endings = LINES[name]
    reply = hostile.python(code)
    assert reply.ending in endings, reply.text[:2000]
    assert reply.failed == (reply.ending != "completed"), reply.text[:2000]
    # The guest's own time, and the whole call's on a busy machine.
    if reply.structured:
        assert reply["limits"]["used"]["wall_ms"] < WALL * 1000 + 100, name
    assert reply.seconds < WALL + SLACK, name
    assert len(reply.text) < 20_000
    works(hostile)


@pytest.mark.parametrize("name", HOST)
def test_the_host_call_takes_nothing_on_trust(hostile, name):
    reply = hostile.python(f"import _host\n{HOST[name]}")
    assert reply.ending in {
        "completed",
        "raised",
        "limit:host_call_bytes",
        "limit:host_calls",
    }, reply.text[:2000]
    assert reply.seconds < WALL + SLACK, name
    works(hostile)


@pytest.mark.parametrize("name", FORGED)
def test_forged_messages_harm_nobody_but_their_run(hostile, name):
    """A run may write over its own memory, and then end as it likes; but with a name."""
    which, count, step = 0, 1, 1
    while which < count:
        code = f"OP, WHICH = {name.split()[0]!r}, {which}\n{FORGER}\n{FORGED[name]}"
        reply = hostile.python(code)
        assert reply.ending in {
            "completed",
            "raised",
            "aborted",
            "limit:output_rows",
            "limit:output_bytes",
            "limit:memory_bytes",
            "limit:result_bytes",
            "limit:wall_ms",
        }, reply.text[:2000]
        assert reply.seconds < WALL + SLACK, (name, which)
        if which == 0:
            count = int(reply["stdout"].split()[0])
            assert count > 20
            # A hundred of them, spread over all fields, are enough for each day.
            step = max(1, count // 100)
        which += step
    works(hostile)


def test_the_exit_code_is_told(hostile):
    error = hostile.python("import sys; sys.exit(3)")["error"]
    assert error["kind"] == "SystemExit" and "code 3" in error["message"]


def test_limits_bite_where_they_are_set_and_not_before(hostile):
    """Each limit's neighbour passes."""
    for code in [
        "print('x' * 999_000)",
        "import numpy as np, pandas as pd\n"
        "outputs['t'] = pd.DataFrame({'a': np.zeros(1_000_000, 'int8')})",
        "import pandas as pd\nfor i in range(4): outputs[f't{i}'] = pd.DataFrame({'a': [1]})",
        "f = open('/tmp/big', 'wb')\nfor _ in range(19): f.write(bytes(10**6))\nf.close()",
        "x = bytearray(100_000_000)",
        "import pandas as pd\noutputs['t'] = pd.DataFrame({f'c{i}': [1] for i in range(100)})",
        "import pandas as pd\noutputs['t'] = pd.DataFrame({'a': [None] * 900_000}).assign(b=None)",
    ]:
        reply = hostile.python(code)
        assert reply.ending == "completed", reply.text


def test_scratch_is_gone_with_the_run(hostile):
    hostile.python("open('/tmp/left', 'w').write('secret')")
    reply = hostile.python("open('/tmp/left').read()")
    assert reply["error"]["kind"] == "FileNotFoundError"


def test_nothing_of_the_machine_is_to_be_seen(hostile, data):
    code = textwrap.dedent(
        """
        import os, sys
        seen = []
        for top in ['/', '/in', '/tmp', '/usr', '/usr/local/lib']:
            for folder, folders, files in os.walk(top):
                seen += files + folders
                if len(seen) > 2000: break
        result = {'env': dict(os.environ), 'argv': sys.argv, 'seen': seen[:200]}
        """
    )
    text = hostile.python(code).text
    machine = [str(data), str(hostile.home), os.environ["HOME"], os.environ["PATH"]]
    for secret in [*machine, "DATAROOM", "sales.parquet", ".cwasm"]:
        assert secret not in text, secret


def test_monkeypatching_pandas_does_not_reach_the_next_run(hostile):
    hostile.python(
        "import pandas as pd, numpy as np\n"
        "pd.DataFrame.sum = pd.Series.sum = np.sum = lambda *a, **k: 42\n"
        "pd.read_csv = None\n"
    )
    works(hostile)


def test_a_thousand_bytes_of_output_names_stay_short(hostile):
    reply = hostile.python("import pandas as pd; outputs['x' * 100_000] = pd.DataFrame({'a': [1]})")
    assert reply.failed and len(reply.text) < 20_000
    works(hostile)
