"""Which columns of an input a script can see.

Most scripts use a few columns of a wide table, and decoding the rest is most of their
time. A script's text tells which ones, if it takes its input only by such ways:

- `df['a']`, `df[['a', 'b']]`, `df.a`, and `df['new'] = …`
- `df.loc[rows, 'a']`
- `df.groupby('a')['b']`, `df.groupby('a').agg({'b': 'sum'})`, `len(df)`, `df.index`
- any of these after `df[mask]`, `df.head(…)` or `df.sort_values('a')`, where a mask is a
  comparison of a column, or one of a few methods that answer yes or no for each row

Any other use sees the whole table: an input that is passed on, printed, merged, copied,
named in a text (`df.query`, `pd.eval` and formulas look names up), or that could be
reached by a road that is not in the text (`globals()`, `exec`, `getattr`, a module that
can look at frames). In doubt everything is read: a script must not be able to tell.
"""

import ast
import re

import pandas as pd

# A script longer than this is read by a program, and parsing it twice costs.
_LONGEST = 200_000
_ROADS = {
    "__import__", "breakpoint", "compile", "delattr", "dir", "eval", "exec", "getattr", "globals",
    "locals", "query", "setattr", "vars",
    # What other modules hold of the interpreter.
    "builtins", "cr_frame", "f_back", "f_builtins", "f_globals", "f_locals", "gc", "gi_frame",
    "importlib", "inspect", "modules", "sys", "tb_frame",
}
_MODULES = {
    "base64", "bisect", "calendar", "collections", "csv", "dataclasses", "datetime", "decimal",
    "enum", "fractions", "functools", "hashlib", "heapq", "io", "itertools", "json", "math",
    "matplotlib", "numbers", "numpy", "pandas", "pathlib", "random", "re", "scipy", "seaborn",
    "sklearn", "statistics", "string", "textwrap", "time", "typing", "unicodedata", "warnings",
    "zoneinfo",
}
_MASKS = {
    "between", "contains", "duplicated", "endswith", "eq", "fullmatch", "ge", "gt", "isin", "isna",
    "isnull", "le", "lt", "match", "ne", "notna", "notnull", "startswith",
}
_SAME_COLUMNS = {"head", "sort_values", "tail"}


def seen(source, names):
    """`{name: (keys, attributes, made)}`, or None for an input that is seen whole.

    `keys` and `attributes` are the columns that are asked for by `df['a']` and `df.a`;
    `made` are those that the script makes, which need not be there.
    """
    whole = dict.fromkeys(names)
    if not names or len(source) > _LONGEST:
        return whole
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return whole
    walk = _Walk(names)
    try:
        walk.visit(tree)
    except RecursionError:
        return whole
    return whole if walk.lost else {name: walk.uses[name] for name in names}


def chosen(uses, columns, pandas, room):
    """The stored columns to read of a file that has these; None for all of them."""
    if uses is None or room.get("layout") or len(set(columns)) != len(columns):
        return None
    if any(isinstance(name, str) for name in pandas.get("index_columns") or ()):
        return None
    levels = pandas.get("column_indexes") or ()
    if len(levels) > 1 or any(level.get("pandas_type") not in ("unicode", "string", "empty") for level in levels):
        return None
    keys, attributes, made = uses
    there = set(columns)
    if not attributes <= there or not keys - made <= there:
        return None
    wanted = [name for name in columns if name in keys or name in attributes or name in made]
    return wanted if len(wanted) < len(columns) else None


class _Walk(ast.NodeVisitor):
    """Marks what each input is used for. `lost`: there may be roads that are not seen."""

    def __init__(self, names):
        self.uses = {name: (set(), set(), set()) for name in names}
        self.text = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
        self.lost = False

    def whole(self, name):
        self.uses[name] = None

    def key(self, name, columns, made=False):
        if self.uses[name] is not None:
            self.uses[name][0].update(columns)
            if made:
                self.uses[name][2].update(columns)

    # What is used otherwise than by the ways below.

    def visit_Name(self, node):
        if node.id in _ROADS or node.id.startswith("__"):
            self.lost = True
        if node.id in self.uses and not isinstance(node.ctx, ast.Store):
            self.whole(node.id)

    def visit_AugAssign(self, node):
        if isinstance(node.target, ast.Name) and node.target.id in self.uses:
            self.whole(node.target.id)
        self.generic_visit(node)

    def visit_Constant(self, node):
        if isinstance(node.value, str) and self.text.search(node.value):
            # A column may have the table's name; then it is read whole, too.
            self.lost = True

    def visit_Import(self, node):
        for alias in node.names:
            self._module(alias.name)

    def visit_ImportFrom(self, node):
        self._module(node.module or "")
        if node.level or any(alias.name == "*" for alias in node.names):
            self.lost = True

    def _module(self, name):
        if name.partition(".")[0] not in _MODULES or "formula" in name:
            self.lost = True

    # The ways by which only some columns are seen.

    def visit_Subscript(self, node):
        name = self._frame(node.value)
        if name is not None:
            columns = _columns(node.slice)
            if columns is not None and not isinstance(node.ctx, ast.Del):
                self.key(name, columns, isinstance(node.ctx, ast.Store))
                return self._around(node.value)
        name = self._loc(node)
        if name is not None:
            self.key(name, _columns(node.slice.elts[1]), isinstance(node.ctx, ast.Store))
            self.visit(node.slice.elts[0])
            return self._around(node.value.value)
        name, keys = self._grouped(node.value)
        # Of several columns (`[['b', 'c']]`) the grouping would still hold all.
        if name is not None and isinstance(node.slice, ast.Constant) and _columns(node.slice):
            self.key(name, keys + _columns(node.slice))
            return self._around(node.value.func.value)
        self.generic_visit(node)

    def visit_Attribute(self, node):
        if node.attr in _ROADS or node.attr.startswith("_") or "formula" in node.attr:
            self.lost = True
        name = self._frame(node.value)
        if name is not None and isinstance(node.ctx, ast.Load):
            if node.attr == "index":
                return self._around(node.value)
            if not hasattr(pd.DataFrame, node.attr):
                if self.uses[name] is not None:
                    self.uses[name][1].add(node.attr)
                return self._around(node.value)
        self.generic_visit(node)

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1 and not node.keywords:
            if self._frame(node.args[0]) is not None:
                return self._around(node.args[0])
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("agg", "aggregate"):
            name, keys = self._grouped(node.func.value)
            columns = _aggregated(node)
            if name is not None and columns:
                self.key(name, keys + columns)
                return self._around(node.func.value.func.value)
        self.generic_visit(node)

    # What an input's rows and columns are, seen through masks.

    def _frame(self, node):
        """The input of which this has all columns; None if it is none."""
        if isinstance(node, ast.Name):
            return node.id if node.id in self.uses and isinstance(node.ctx, ast.Load) else None
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and self._mask(node.slice):
            return self._frame(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _SAME_COLUMNS and _plain_arguments(node):
                return self._frame(node.func.value)
        return None

    def _around(self, node):
        """Visits what stands around an input in a frame: masks, and keys of a sort."""
        if isinstance(node, ast.Subscript):
            self.visit(node.slice)
            self._around(node.value)
        elif isinstance(node, ast.Call):
            name = self._frame(node)
            if node.func.attr == "sort_values":
                by = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "by")]
                columns = _columns(by[0]) if by else None
                self.key(name, columns) if columns is not None else self.whole(name)
            self._around(node.func.value)

    def _loc(self, node):
        value, at = node.value, node.slice
        if not (isinstance(value, ast.Attribute) and value.attr == "loc" and isinstance(at, ast.Tuple)):
            return None
        if len(at.elts) != 2 or _columns(at.elts[1]) is None or isinstance(node.ctx, ast.Del):
            return None
        rows = at.elts[0]
        everything = isinstance(rows, ast.Slice) and rows.lower is rows.upper is rows.step is None
        return self._frame(value.value) if everything or self._mask(rows) else None

    def _grouped(self, node):
        """The input and the keys of `df.groupby('a')`."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            return None, None
        keys = _columns(node.args[0]) if len(node.args) == 1 else None
        plain = all(k.arg and k.arg not in ("by", "level") and _is_plain(k.value) for k in node.keywords)
        if node.func.attr != "groupby" or keys is None or not plain:
            return None, None
        return self._frame(node.func.value), keys

    def _mask(self, node):
        if isinstance(node, ast.Compare):
            return any(self._column(part) for part in (node.left, *node.comparators))
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.BitXor)):
            return self._mask(node.left) and self._mask(node.right)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            return self._mask(node.operand)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return node.func.attr in _MASKS and self._column(node.func.value)
        return False

    def _column(self, node):
        """Whether this is a column of an input, or made of one by its own methods."""
        if isinstance(node, ast.Subscript):
            return self._frame(node.value) is not None and isinstance(node.slice, ast.Constant)
        if isinstance(node, ast.Attribute):
            if self._frame(node.value) is not None:
                return not hasattr(pd.DataFrame, node.attr)
            return self._column(node.value)
        if isinstance(node, ast.Call):
            return isinstance(node.func, ast.Attribute) and self._column(node.func)
        if isinstance(node, ast.BinOp):
            return self._column(node.left) or self._column(node.right)
        return False


def _columns(node):
    """The columns that a subscript names, if it does."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.List) and node.elts:
        names = [_columns(item) if isinstance(item, ast.Constant) else None for item in node.elts]
        return None if None in names else [name for one in names for name in one]
    return None


def _aggregated(node):
    """The columns of `agg({'a': 'sum'})` and `agg(total=('a', 'sum'))`."""
    columns = []
    if len(node.args) == 1 and not node.keywords and isinstance(node.args[0], ast.Dict):
        pairs = list(zip(node.args[0].keys, node.args[0].values))
    elif not node.args:
        tuples = [k.value for k in node.keywords]
        if not all(k.arg for k in node.keywords) or not all(isinstance(t, ast.Tuple) and len(t.elts) == 2 for t in tuples):
            return None
        pairs = [tuple(t.elts) for t in tuples]
    else:
        return None
    for column, how in pairs:
        if not isinstance(column, ast.Constant) or not _columns(column) or not _columns(how):
            return None
        columns += _columns(column)
    return columns


def _is_plain(node):
    if isinstance(node, (ast.List, ast.Tuple)):
        return all(map(_is_plain, node.elts))
    return isinstance(node, ast.Constant) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
    )


def _plain_arguments(node):
    return all(map(_is_plain, node.args)) and all(k.arg and _is_plain(k.value) for k in node.keywords)
