"""Exceptions as their author needs to see them.

Only the script's own frames are shown, never the room's or a library's; the line is
the script's. Where it is known what would help, a hint says it.
"""

import traceback

SCRIPT = "<script>"
_LONGEST = 2000

_INSTEAD = {
    "polars": "use pandas (pd), which is loaded",
    "pyarrow": "use pd.read_parquet and DataFrame.to_parquet, which work without it",
    "fastparquet": "use pd.read_parquet and DataFrame.to_parquet, which work without it",
    "duckdb": "use sql('select …'), which computes over the inputs by their variables",
    "dask": "use pandas; the whole table is in memory",
    "modin": "use pandas, which is loaded",
    "pyspark": "use pandas on the inputs",
    "altair": "use plotly, matplotlib or seaborn",
    "bokeh": "use plotly, matplotlib or seaborn",
    "kaleido": "use fig.write_html('/out/name.html') for a plotly figure",
    "dash": "use plotly; fig.write_html('/out/name.html') keeps a figure as a page",
    "spacy": "use natasha, razdel and pymorphy3 for Russian texts, re and collections for others",
    "nltk": "use natasha, razdel and pymorphy3 for Russian texts, re and collections for others",
    "requests": "there is no network here: bring the data in as an input of the run",
    "httpx": "there is no network here: bring the data in as an input of the run",
    "urllib3": "there is no network here: bring the data in as an input of the run",
    "aiohttp": "there is no network here: bring the data in as an input of the run",
    "boto3": "there is no network here: bring the data in as an input of the run",
    "sqlalchemy": "there is no database here: bring the data in as an input of the run",
    "psycopg2": "there is no database here: bring the data in as an input of the run",
    "tensorflow": "use scikit-learn or statsmodels",
    "torch": "use scikit-learn or statsmodels",
    "xgboost": "use sklearn.ensemble.HistGradientBoostingRegressor or …Classifier",
    "lightgbm": "use sklearn.ensemble.HistGradientBoostingRegressor or …Classifier",
    "catboost": "use sklearn.ensemble.HistGradientBoostingRegressor or …Classifier",
    "prophet": "use statsmodels.tsa",
    "numba": "use numpy's vectorised functions",
    "cupy": "use numpy",
    "IPython": "display(…) is there without it; plt.show() keeps the figure",
}

# What a script may import besides the standard library; a room's own wheels come behind.
PRESENT = [
    "numpy", "pandas", "scipy", "sklearn", "statsmodels", "matplotlib", "seaborn", "plotly",
    "openpyxl", "xlsxwriter", "docx", "pptx", "pypdf", "reportlab", "lxml", "bs4", "PIL", "sympy",
    "networkx", "tqdm", "razdel", "pymorphy3", "natasha",
]  # fmt: skip

_NO_PROCESSES = ("fork", "system", "popen", "spawnv", "execv", "posix_spawn", "pipe", "kill")


def _message(error):
    # The class of a script may have any __str__.
    try:
        text = error.args[0] if isinstance(error, KeyError) and error.args else str(error)
        text = text if isinstance(text, str) else repr(text)
        text += _suggestion(error)
    except BaseException:
        text = "(its message cannot be shown)"
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _suggestion(error):
    """CPython's "Did you mean", which it adds only when it prints a traceback."""
    if not isinstance(error, (NameError, AttributeError)):
        return ""
    lines = list(traceback.TracebackException.from_exception(error).format_exception_only())
    _, found, rest = lines[-1].rstrip().rpartition(". Did you mean")
    return found + rest if found else ""


def _near(name, what, names):
    import difflib

    near = difflib.get_close_matches(name, [n for n in names if isinstance(n, str)], n=3)
    return f"{what} {name!r}; did you mean {' or '.join(near)}?" if near else None


def _hint(error, variables, columns):
    if "non-existent directory" in str(error):
        return "write the file to /out or to the current folder, or make the folder there first"
    if isinstance(error, ModuleNotFoundError):
        root = (error.name or "").partition(".")[0]
        instead = _INSTEAD.get(root)
        if instead:
            return f"{root} is not in the data room: {instead}"
        return (
            f"{root} is not in the data room and nothing can be installed; the standard library, "
            f"{', '.join(PRESENT[:-1])} and {PRESENT[-1]} are there"
        )
    if isinstance(error, NameError) and error.name:
        near = _near(error.name, "no variable", variables)
        if near:
            return near
        return f"this run's inputs are {', '.join(variables)}" if variables else "this run has no inputs"
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):
        return _near(error.args[0], "no column", columns)
    if isinstance(error, OverflowError) and "to C long" in str(error):
        return "a count, a size or an index is below 2**31 in the room; values may have 64 bits (np.int64)"
    if "index-sized integer" in str(error):
        return "that is more than the memory of this run can hold"
    if isinstance(error, MemoryError) and "stack" not in str(error):
        return "use fewer columns or rows at a time, or smaller types"
    if isinstance(error, (RecursionError, MemoryError)):
        return "it goes too deep: use a loop, or a flatter structure"
    if "'_socket'" in str(error) or "socket" in str(type(error)):
        return "there is no network here: bring the data in as an input of the run"
    if isinstance(error, AttributeError) and error.name in _NO_PROCESSES:
        return "there are no other processes here"
    if isinstance(error, OSError) and error.errno in (52, 58):
        return "there are no links, processes, sockets or event loops here"
    if "array is too big" in str(error):
        return "that is more than the memory of this run can hold"
    if isinstance(error, (PermissionError, FileNotFoundError)) or "Read-only" in str(error):
        return (
            "tables come in as inputs of the run and go out through `outputs`; files are written to "
            "/out or to the current folder, and handed to the person by export_data"
        )
    return None


def _no_threads(error):
    return isinstance(error, RuntimeError) and "start new thread" in str(error)


def describe(error, source, variables, columns=()):
    """The exception as the host reports it; `columns` are those of the inputs."""
    described = {"kind": type(error).__name__, "message": _message(error)}
    lines = source.splitlines()
    try:
        hint = _hint(error, variables, columns)
        if _no_threads(error):
            hint = "there are no threads here; run the work in a loop"
    except BaseException:
        hint = None
    if hint:
        described["hint"] = hint
    if isinstance(error, SyntaxError) and error.filename == SCRIPT:
        described["message"] = str(error.msg)
        described["line"] = error.lineno
        described["column"] = error.offset
        described["source"] = _line(lines, error.lineno)
        return {key: value for key, value in described.items() if value is not None}
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == SCRIPT]
    if frames:
        described["line"] = frames[-1].lineno
        described["source"] = _line(lines, frames[-1].lineno)
        if len(frames) > 1:
            described["frames"] = _frames(frames, lines)
    return described


def _frames(frames, lines):
    """A line for each frame, for each run of the same frame once; the ends of a long list."""
    told = []
    for frame in frames:
        text = f"line {frame.lineno}, in {frame.name}: {_line(lines, frame.lineno).strip()}"
        if told and told[-1][0] == text:
            told[-1][1] += 1
        else:
            told.append([text, 1])
    texts = [text if times == 1 else f"{text} ({times} times)" for text, times in told]
    return texts if len(texts) <= 10 else [*texts[:5], f"… {len(texts) - 10} more …", *texts[-5:]]


def _line(lines, number):
    if number is None or not 1 <= number <= len(lines):
        return ""
    line = lines[number - 1].rstrip().encode("utf-8", "replace").decode()
    return line if len(line) <= 300 else line[:299] + "…"
