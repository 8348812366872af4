"""`sql("select …")`: the room's SQL engine over the run's inputs, by their variables.

The host computes; its answer is read as an input is. What the engine refuses is an
exception with its words, what it warns of is a warning of the run.
"""

from . import _notices, _objects
from ._host_calls import Refused, call
from ._reading import read_opened


class SqlError(ValueError):
    """A query that is refused or fails."""


def sql(query):
    """The result of one SELECT over this run's inputs, as a DataFrame."""
    if not isinstance(query, str):
        raise TypeError(f"sql() takes the text of a query, not a {type(query).__name__}")
    try:
        opened = call("ask", name="sql", text=query, objects=_objects.types())
    except Refused as refused:
        raise SqlError(str(refused)) from None
    for warning in opened["warnings"]:
        _notices.tell(warning)
    return read_opened(opened)
