"""Two answers side by side: where they differ, in words."""

import math


def differences(native, room, relative=1e-12, absolute=0.0, most=8) -> list[str]:
    """Each difference as `where: native … room …`; floats within the tolerances agree."""
    found = []
    _walk(native, room, "", relative, absolute, found)
    if len(found) > most:
        found[most:] = [f"and {len(found) - most} more"]
    return found


def unexplained(case, native, room) -> list[str]:
    """The differences that the case does not explain, and the explained ones that are not there."""
    found = differences(native, room, case.relative, case.absolute, most=10_000)

    def explains(where, line):
        return line.startswith(where) and line[len(where)] in ":.["

    left = [line for line in found if not any(explains(where, line) for where in case.unlike)]
    gone = [where for where in case.unlike if not any(explains(where, line) for line in found)]
    return left + [f"{where}: no difference, and one is explained" for where in gone]


def _walk(native, room, where, relative, absolute, found):
    if isinstance(native, dict) and isinstance(room, dict) and native.keys() == room.keys():
        for key in native:
            _walk(native[key], room[key], f"{where}.{key}", relative, absolute, found)
    elif isinstance(native, list) and isinstance(room, list) and len(native) == len(room):
        for at, (one, two) in enumerate(zip(native, room, strict=True)):
            _walk(one, two, f"{where}[{at}]", relative, absolute, found)
    elif not _same(native, room, relative, absolute):
        found.append(f"{where or 'answer'}: native {_short(native)} room {_short(room)}")


def _same(native, room, relative, absolute):
    if type(native) is not type(room):
        return False
    if isinstance(native, float):
        if native == room == 0 and not absolute:
            return math.copysign(1, native) == math.copysign(1, room)
        return native == room or math.isclose(native, room, rel_tol=relative, abs_tol=absolute)
    return native == room


def _short(value):
    text = repr(value)
    return text if len(text) <= 300 else f"{text[:300]}…"
