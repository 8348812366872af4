"""What a script sees of a DataFrame, in words: run natively and in the room."""

LOOK = '''
import datetime as _dt
import numpy as _np

def _cell(v):
    if isinstance(v, _np.ndarray):
        return f"array({v.dtype}, {[_cell(i) for i in v]})"
    if isinstance(v, dict):
        return "{" + ", ".join(f"{k!r}: {_cell(i)}" for k, i in v.items()) + "}"
    if isinstance(v, (list, tuple)):
        return f"{type(v).__name__}({[_cell(i) for i in v]})"
    text = repr(v)
    if isinstance(v, _np.generic):
        text = repr(v.item()) if v.dtype.kind not in "mM" else str(v)
    return f"{type(v).__name__}: {text[:100]}"

def _labels(index):
    said = [type(index).__name__, [repr(n) for n in index.names], [_cell(v) for v in index[:20]]]
    if isinstance(index, pd.MultiIndex):
        return said + [[str(level.dtype) for level in index.levels]]
    return said + [str(index.dtype)]

def look(frame):
    told = {"shape": list(frame.shape), "columns": _labels(frame.columns), "index": _labels(frame.index)}
    told["cells"] = []
    for at in range(frame.shape[1]):
        column = frame.iloc[:, at]
        said = [str(column.dtype), [_cell(v) for v in column.iloc[:20].tolist()]]
        if isinstance(column.dtype, pd.CategoricalDtype):
            categories = column.dtype.categories
            said += [str(categories.dtype), [_cell(v) for v in categories], column.dtype.ordered]
        told["cells"].append(said)
    return told
'''


def look(frame):
    """What native Python sees."""
    import pandas as pd

    scope = {"pd": pd}
    exec(LOOK, scope)
    return scope["look"](frame)
