"""TPC-H in little memory: every answer right, none that does not come; and what it took."""

import time
from pathlib import Path

from figures import Report, Wrong, mb, say
from machine import peak

from .sides import Duck, Room, unlike
from .tpch import cases, tables

LIMIT = 200_000_000
OVER = 300_000_000
CONFIG = f"[query]\nmemory_bytes = {LIMIT}\nwall_ms = 120000\n"


def measure(report: Report, binary: Path, folder: Path, data: Path, repeats: int):
    found = tables(data)
    with Duck(found) as duck:
        expected = {case.name: duck.answered(case.duckdb)[0] for case in cases()}
    right, wrong, longest = 0, [], 0.0
    with Room(binary, folder / "limited-home", found, CONFIG) as room:
        for number in range(repeats):
            say(f"TPC-H in {LIMIT // 1_000_000} MB, {number + 1} of {repeats}")
            for case in cases():
                began = time.perf_counter()
                reply, _, _ = room.ask(case.sql)
                longest = max(longest, time.perf_counter() - began)
                if reply.get("isError"):
                    wrong.append(f"{case.name}: {reply['content'][0]['text']}")
                    continue
                ref = reply["structuredContent"]["dataRef"]
                try:
                    unlike(case, room.rows(ref), expected[case.name])
                    right += 1
                except Wrong as error:
                    wrong.append(str(error))
        most = peak(room.server.pid) * 1024
    of = repeats * len(expected)
    report.numbers["limited"] = {"right": right, "of": of, "longest": longest, "peak": most, "wrong": wrong}
    report.add(
        f"TPC-H SF1 in {LIMIT // 1_000_000} MB, {repeats} times", "22 of 22, none that hangs",
        f"{right} of {of} right, slowest {longest:.1f} s", right == of,
    )
    report.add(
        "resident memory over the limit of a query, the most in that", "300 MB",
        f"{mb((most - LIMIT) / 1024)} ({mb(most / 1024)} RSS, the server itself included)", most - LIMIT <= OVER,
    )
    for what in dict.fromkeys(wrong):
        report.note(f"TPC-H in little memory: {what}")
