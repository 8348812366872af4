"""Measures every figure and prints the table.

    python scripts/lib/bench DATAROOM LATENCY CACHE NATIVE [--quick] [--sql | --exports | --view | --databases | --triage] [--image] [--wheel FILE] [--json FILE]

DATAROOM and LATENCY are the built binary and the sandbox's example of that name,
CACHE the folder that `dataroom setup` filled, NATIVE a Python with the guest's packages. Each measurement stands by itself; one
that gives a wrong answer is a row that says so, and the others go on.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import analyses
import databases
import exports
import image
import machine
import process
import queries
import sandbox
import serving
import tables
import triage
import view
from figures import Report


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench")
    parser.add_argument("dataroom", type=Path)
    parser.add_argument("latency", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("native", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--sql", action="store_true")
    parser.add_argument("--exports", action="store_true")
    parser.add_argument("--triage", action="store_true")
    parser.add_argument("--view", action="store_true")
    parser.add_argument("--databases", action="store_true")
    parser.add_argument("--image", action="store_true")
    parser.add_argument("--wheel", type=Path)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def main() -> int:
    given = arguments()
    binary, report = given.dataroom.absolute(), Report()
    machine.describe(report, binary)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="dataroom-bench-") as name:
        folder = Path(name)
        steps: list[tuple[str, Callable[[], None]]] = [
            ("the sandbox", lambda: sandbox.measure(report, given.latency, given.cache, given.quick)),
            ("`dataroom run`", lambda: process.measure(report, binary, folder, 10 if given.quick else 30)),
            ("the server", lambda: serving.measure(report, binary, folder, given.quick)),
            ("tables", lambda: tables.measure(report, binary, folder, 3 if given.quick else 9)),
            ("analyses", lambda: analyses.measure(report, binary, folder, given.native, 1 if given.quick else 3)),
        ]
        steps.append(("exports", lambda: exports.measure(
            report, binary, folder, given.cache / "bench", 1 if given.quick else 3)))
        sql = lambda: queries.measure(report, binary, folder, given.cache, given.quick)
        steps.append(("the view", lambda: view.measure(report, binary, folder, 5 if given.quick else 15)))
        steps.append(("databases", lambda: databases.measure(report, binary, folder, 1 if given.quick else 3)))
        only = [given.exports and steps[-3], given.view and steps[-2], given.databases and steps[-1], given.sql and ("SQL", sql)]
        steps = [step for step in only if step] or [*steps, ("SQL", sql)]
        of_triage = [("triage", lambda: triage.measure(report, binary, folder, given.quick))]
        steps = of_triage if given.triage else steps
        if given.image:
            steps.append(("the image", lambda: image.measure(report, binary, folder, given.wheel)))
        for what, step in steps:
            report.attempt(what, step)
    report.note(f"Measured by `scripts/bench` in {time.perf_counter() - began:.0f} s.")
    if given.json:
        given.json.write_text(json.dumps(report.as_json(), indent=1))
    print(report.markdown())
    return 2 if report.wrong else 0 if report.reached else 1


if __name__ == "__main__":
    sys.exit(main())
