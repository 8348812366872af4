"""Files and figures that a script leaves are handed to the person, byte for byte.

Scripts write as their authors are used to. What they wrote is read back here by
libraries that are not ours.
"""

import io
import zipfile
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from conftest import run

PNG = b"\x89PNG\r\n\x1a\n"


def files(reply):
    assert not reply.failed, reply.text
    return reply.get("files", {})


def exported(room, reference):
    reply = room.call("export_data", data=reference)
    assert not reply.failed, reply.text
    return reply


def content(room, reference):
    return Path(exported(room, reference)["file"]).read_bytes()


HABITS = [
    ("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()", {"figure-1.png": "chart"}),
    ("import matplotlib.pyplot as plt\nplt.plot([1, 2])", {"figure-1.png": "chart"}),
    ("pd.Series([1, 2]).plot()", {"figure-1.png": "chart"}),
    (
        "import matplotlib.pyplot as plt\nplt.plot([1])\nplt.show()\nplt.plot([2])\nplt.show()",
        {"figure-1.png": "chart", "figure-2.png": "chart"},
    ),
    (
        "import matplotlib.pyplot as plt\nplt.plot([1])\nplt.savefig('/home/me/Desktop/late.png')",
        {"late.png": "chart"},
    ),
    (
        "import matplotlib.pyplot as plt\nplt.plot([1])\nplt.savefig(r'C:\\Users\\me\\late.svg')\nplt.show()",
        {"late.svg": "chart"},
    ),
    (
        "import matplotlib.pyplot as plt\nplt.plot([1])\nplt.savefig('plots/late.png')",
        {"plots/late.png": "chart"},
    ),
    (
        "import matplotlib.pyplot as plt\nf, a = plt.subplots()\nf.savefig('/tmp/late.pdf')\nplt.close(f)",
        {"late.pdf": "file"},
    ),
    ("import seaborn as sns\nsns.histplot([1, 2, 2])", {"figure-1.png": "chart"}),
    ("pd.DataFrame({'a': [1]}).to_csv('/out/x.csv')", {"x.csv": "file"}),
    ("pd.DataFrame({'a': [1]}).to_csv('x.csv')", {"x.csv": "file"}),
    ("pd.DataFrame({'a': [1]}).to_excel('x.xlsx', index=False)", {"x.xlsx": "file"}),
    ("pd.DataFrame({'a': [1]}).to_parquet('x.parquet')", {"x.parquet": "file"}),
    ("open('notes.txt', 'w').write('hello')", {"notes.txt": "file"}),
    ("import os\nos.makedirs('a/b')\nopen('a/b/c.md', 'w').write('x')", {"a/b/c.md": "file"}),
    ("import tempfile\ntempfile.NamedTemporaryFile(delete=False).write(b'x')", {}),
    ("open('x.txt', 'w').write('x')\nimport os\nos.remove('x.txt')", {}),
    ("result = 1", {}),
]


@pytest.mark.parametrize(("code", "expected"), HABITS)
def test_a_persons_habits_leave_files(room, code, expected):
    left = files(room.python(code))
    assert {name: file["kind"] for name, file in left.items()} == expected


def test_what_is_exported_is_what_was_written(room):
    code = """
import matplotlib.pyplot as plt
frame = pd.DataFrame({"name": ["Ä", "a,b"], "n": [1, 2]})
frame.to_csv("t.csv", index=False)
frame.to_excel("t.xlsx", index=False)
frame.plot.bar(x="name", y="n")
plt.savefig("t.png")
open("blob.npy", "wb").write(bytes(range(256)) * 20_000)
open("empty.txt", "w").close()
"""
    left = files(room.python(code))
    frame = pd.DataFrame({"name": ["Ä", "a,b"], "n": [1, 2]})
    csv = content(room, left["t.csv"]["dataRef"])
    pd.testing.assert_frame_equal(pd.read_csv(io.BytesIO(csv)), frame)
    assert left["t.csv"]["bytes"] == len(csv)
    workbook = content(room, left["t.xlsx"]["dataRef"])
    assert zipfile.ZipFile(io.BytesIO(workbook)).testzip() is None
    pd.testing.assert_frame_equal(pd.read_excel(io.BytesIO(workbook)), frame, check_dtype=False)
    assert content(room, left["t.png"]["dataRef"]).startswith(PNG)
    assert content(room, left["blob.npy"]["dataRef"]) == bytes(range(256)) * 20_000
    assert content(room, left["empty.txt"]["dataRef"]) == b""


CODECS = [
    ("'snappy'", "SNAPPY"), ("None", "UNCOMPRESSED"), ("'gzip'", "GZIP"), ("'brotli'", "BROTLI"),
    ("'lz4'", "LZ4"), ("'ZSTD'", "ZSTD"),
]


@pytest.mark.parametrize(("asked", "codec"), CODECS)
def test_a_parquet_file_is_compressed_as_it_was_asked(room, asked, codec):
    code = f"pd.DataFrame({{'a': ['x'] * 9}}).to_parquet('x.parquet', compression={asked})"
    file = io.BytesIO(content(room, files(room.python(code))["x.parquet"]["dataRef"]))
    assert pq.read_metadata(file).row_group(0).column(0).compression == codec
    assert pq.read_table(file)["a"].to_pylist() == ["x"] * 9


def test_an_unknown_codec_is_refused_with_those_that_there_are(room):
    reply = room.python("pd.DataFrame({'a': [1]}).to_parquet('x.parquet', compression='rar')")
    assert reply.failed
    assert reply["error"]["kind"] == "ValueError" and "zstd" in reply["error"]["message"]


def test_a_file_is_no_table_and_a_table_needs_a_format(room):
    reply = room.python("open('a.txt', 'w').write('x')\noutputs['t'] = pd.DataFrame({'a': [1]})")
    file, table = files(reply)["a.txt"]["dataRef"], reply["outputs"]["t"]["dataRef"]
    for tool, arguments, words in [
        ("run_python", {"code": "1", "inputs": {"x": file}}, ["is a file", "export_data"]),
        ("describe_data", {"data": file}, ["is a file", "export_data"]),
        ("export_data", {"data": file, "format": "csv"}, ["is a file", "leave the format out"]),
        ("export_data", {"data": table}, ["is a table", "csv, xlsx, parquet, json"]),
    ]:
        refusal = room.call(tool, **arguments)
        assert refusal.failed
        for word in words:
            assert word in refusal.text, refusal.text
    assert not room.call("export_data", data=table, format="csv").failed


def test_files_are_listed_and_traced(room):
    code = "open('story.txt', 'w').write('x')"
    reference = files(room.python(code))["story.txt"]["dataRef"]
    [entry] = [a for a in room.call("list_data", filter="story.txt")["artifacts"]]
    assert (entry["dataRef"], entry["kind"], entry["name"]) == (reference, "file", "story.txt")
    assert "rows" not in entry
    assert code in room.call("trace_result", data=reference).text


def test_a_file_is_computed_again(room):
    code = "import matplotlib.pyplot as plt, numpy as np\nplt.plot(np.random.rand(5))\nplt.show()\n"
    code += "open('r.txt', 'w').write(str(np.random.rand()))"
    for reference in [file["dataRef"] for file in files(room.python(code)).values()]:
        reply = room.call("trace_result", data=reference, replay=True)
        assert reply["replay"]["identical"] is True, reply.text


def test_a_script_that_fails_leaves_no_file(room):
    reply = room.python("open('lost.txt', 'w').write('x')\n1 / 0")
    assert reply.failed and "files" not in reply.structured
    assert room.call("list_data", filter="lost.txt")["artifacts"] == []


def test_a_name_cannot_make_a_file_that_runs(room):
    names = ["run.desktop", "run.bat", "run.sh", "a.csv.exe", "noending"]
    reply = room.python(f"for name in {names}: open(name, 'w').write('x')")
    assert sorted(files(reply)) == sorted(names)
    for name, file in files(reply).items():
        written = exported(room, file["dataRef"])
        assert written["file"].endswith(f"/{name}.bin"), written.text
        assert written["notes"]


def test_more_files_than_are_kept_are_counted(room):
    write = "for n in range({}): open(f'{{n}}.txt', 'w').write('x')"
    assert len(files(room.python(write.format(32)))) == 32
    reply = room.python(write.format(40))
    assert len(files(reply)) == 32
    assert any("8 more files" in text for text in reply["warnings"]), reply.text


def test_a_files_name_is_hidden_where_values_are(rooms, data):
    room = rooms(data=data, config='[policy]\nvalues = "none"\n')
    reply = room.python("open('sm' + 'ith.txt', 'w').write('x')\nopen('plain.txt', 'w').write('x')")
    left = files(reply)
    assert "plain.txt" in left and "smith" not in reply.text
    assert all("bytes" not in file for file in left.values())
    hidden = next(file for name, file in left.items() if name != "plain.txt")
    assert "smith" not in room.call("export_data", data=hidden["dataRef"]).text


def test_the_command_line_shows_and_hands_over_files(tmp_path, data):
    script = tmp_path / "s.py"
    script.write_text("open('notes.txt', 'w').write('hello')")
    shown = run("run", script, "--home", tmp_path / "home").stderr
    assert "file notes.txt = data_" in shown and "(5 bytes)" in shown
    reference = shown.split("= ")[1].split()[0]
    path = run("export", reference, "--home", tmp_path / "home").stdout.strip()
    assert open(path).read() == "hello" and path.endswith("notes.txt")
    assert "file" in run("list", "--home", tmp_path / "home").stdout


def test_display_prints_tables_and_keeps_figures(room):
    reply = room.python("import matplotlib.pyplot as plt\ndisplay(pd.DataFrame({'a': [41]}), 'x')\ndisplay(plt.figure())")
    assert "41" in reply["stdout"] and list(files(reply)) == ["figure-1.png"]
