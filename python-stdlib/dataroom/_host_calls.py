"""The door: one message to the host, one answer back.

A message is small JSON. Bulk data does not pass through it: messages carry the
addresses of numpy arrays, and the host copies from and to them.
"""

from json import dumps, loads

from _host import call as _ask

class Mixed(TypeError):
    """A column's objects are not all of the type that the host was told."""



class Refused(ValueError):
    """The room does not answer a question, and says why."""


_RAISES = {"ValueError": ValueError, "OSError": OSError, "Mixed": Mixed, "Refused": Refused}


def call(op, **fields):
    """Asks the host; raises what it answers with, if that is an error."""
    fields["op"] = op
    answer = loads(_ask(dumps(fields).encode()))
    error = answer.get("error") if isinstance(answer, dict) else None
    if error is not None:
        raise _RAISES.get(error["kind"], RuntimeError)(error["message"])
    return answer["ok"]


def played(request, op, fields):
    """What `call` does, but for the host: for rehearsals."""
    fields["op"] = op
    return loads(dumps({"ok": request if op == "begin" else loads(dumps(fields).encode())}).encode())["ok"]


def address(array):
    """Where a contiguous array's values are in memory."""
    return array.__array_interface__["data"][0]
