"""One run: fetch the script, execute it, report how it ended.

The interpreter is fresh and thrown away afterwards, so nothing here guards one script
from the next; what a script does to this module it does to its own run. The host
trusts nothing that is reported.
"""

import ast
import linecache
import random
import sys
import types
import warnings as python_warnings

import numpy as np
import pandas as pd

from . import _errors, _figures, _notices, _plotly, _pruning
from ._host_calls import call
from ._widening import script_numpy
from ._reading import read_frame
from ._results import Unserialisable, to_json
from ._sql import sql
from ._writing import Unwritable, write_frame

_NUMPY = script_numpy()
# Seeding takes as long as a small run. Where none of these is named, the generators
# stay as the start image has them, which is the same for every run.
_DRAWN_BY = ("matplotlib", "seaborn")
_DRAWS = ("random", "sample", "shuffle", "sklearn", "scipy", "seaborn", "import")


def main():
    """Runs the script that the host has for this interpreter."""
    request = call("begin")
    source, names = request["code"], request["inputs"]
    if any(word in source for word in _DRAWS):
        random.seed(request["seed"])
        np.random.seed(request["seed"] % 2**32)
    python_warnings.showwarning = _notices.show
    module = types.ModuleType("__main__")
    inputs, outputs = [], {}
    sys.modules["numpy"] = _NUMPY
    module.__dict__.update(outputs=outputs, pd=pd, np=_NUMPY, display=_display, sql=sql)
    report = {}
    try:
        uses = _pruning.seen(source, names)
        for name in names:
            inputs.append(read_frame(f"/in/{name}.parquet", seen=uses[name]))
            setattr(module, name, inputs[-1])
        sys.modules["__main__"] = module
        last = _execute(source, module.__dict__)
        report = _collect(module.__dict__, last, request["result_bytes"])
        _figures.keep_open()
    except SystemExit as leaving:
        report = {"exit": _code(leaving.code)}
    except BaseException as error:
        report = {"error": _errors.describe(error, source, names, _columns(inputs))}
    _flush()
    call("done", warnings=_notices.texts, **report)


def _display(*values):
    """What a notebook has for a table; a figure becomes a file."""
    for value in values:
        if isinstance(value, (_figures.Figure, _plotly.Figure)):
            value.show()
        else:
            print(value)


def _columns(inputs):
    try:
        return [name for table in inputs for name in table.columns]
    except BaseException:
        # A script may have broken pandas; the error is told without a hint then.
        return []


def _execute(source, variables):
    """Executes the script; the value of its last line, if that is an expression."""
    linecache.cache[_errors.SCRIPT] = (len(source), None, source.splitlines(True), _errors.SCRIPT)
    tree = compile(source, _errors.SCRIPT, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    exec(compile(tree, _errors.SCRIPT, "exec", dont_inherit=True), variables)
    if last is not None:
        return eval(compile(last, _errors.SCRIPT, "eval", dont_inherit=True), variables)
    return None


class ResultTooBig(ValueError):
    """More JSON than a result may have."""


def _collect(variables, last, most):
    """Hands over `outputs` and makes `result` into JSON."""
    report = {}
    if "result" in variables:
        report["result"] = to_json(variables["result"])
    elif last is not None and not _plotly.keep_last(last):
        # A last line that is no plain data is not an answer, and no error either.
        try:
            report.update(result=to_json(last), last_line=True)
        except Unserialisable as no_answer:
            if type(last).__module__.partition(".")[0] not in _DRAWN_BY:
                python_warnings.warn(f"the last line's value is not shown: {no_answer}", stacklevel=1)
    size = len(report.get("result", "").encode())
    if size > most and "last_line" in report:
        del report["result"], report["last_line"]
        _notices.tell(f"the last line's value is not shown: it is {size} bytes of JSON, {most} is the most")
    elif size > most:
        raise ResultTooBig(
            f"`result` is {size} bytes of JSON, {most} is the most: put a table into "
            "outputs['name'] instead, or make it smaller"
        )
    given = variables.get("outputs")
    if not isinstance(given, dict):
        raise TypeError(f"`outputs` was replaced by a {type(given).__name__}: keep it a dict of DataFrames")
    for name, table in given.items():
        _hand_over(name, table)
    return report


def _hand_over(name, given):
    if not isinstance(name, str):
        raise TypeError(f"outputs[{name!r}]: the name of an output is text")
    table = _plain(given)
    if table is None:
        raise TypeError(
            f"outputs[{name!r}] is a {type(given).__name__}: put a DataFrame there, "
            "for instance pd.DataFrame(…), or small plain data into `result`"
        )
    try:
        write_frame(table, {"output": name}, index="columns", warnings=[])
    except (Unwritable, ValueError) as error:
        raise type(error)(f"outputs[{name!r}]: {error}") from None
    except (TypeError, AttributeError, LookupError, ArithmeticError, RuntimeError) as error:
        raise TypeError(f"outputs[{name!r}] cannot be read ({type(error).__name__}: {error})") from error


def _plain(table):
    """A table of pandas' own class; None if it is no table.

    What a subclass says of itself (its length, its shape, its columns) need not be so:
    its values are what the blocks have that every table is made of.
    """
    kind = type(table)
    if kind is pd.DataFrame:
        return table
    if issubclass(kind, pd.Series):
        name = object.__getattribute__(table, "_name")
        if kind is not pd.Series:
            blocks = object.__getattribute__(table, "_mgr")
            table = pd.Series._from_mgr(blocks, blocks.axes)
        return table.to_frame(name=name if name is not None else "value")
    if issubclass(kind, pd.DataFrame):
        blocks = object.__getattribute__(table, "_mgr")
        return pd.DataFrame._from_mgr(blocks, blocks.axes)
    return None


def _code(code):
    if code is None:
        return 0
    if isinstance(code, int):
        return max(-(2**31), min(2**31 - 1, code))
    print(code, file=sys.stderr)
    return 1


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            # A script may close or replace its streams; what was flushed is kept.
            continue
