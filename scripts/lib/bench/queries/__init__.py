"""The SQL engine against DuckDB: TPC-H, the same in little memory, a large CSV, small queries.
Besides, how long a large table takes to describe.

Both sides run one thread. What is compared is processor time of the process (user and
system), because a machine that does other things as well stretches the wall clock and
not that; each side is asked in turns, and the best of each counts.
"""

from pathlib import Path

from figures import Report

from . import csv, described, limited, small, tpch

__all__ = ["measure"]


def measure(report: Report, binary: Path, folder: Path, cache: Path, quick: bool):
    """All of it; `cache` keeps the tables for the next time."""
    data = cache / "bench"
    report.attempt("small queries", lambda: small.measure(report, binary, folder, 50 if quick else 200))
    report.attempt("a large table described", lambda: described.measure(report, binary, folder, data))
    report.attempt("TPC-H", lambda: tpch.measure(report, binary, folder, data, 1 if quick else 3))
    report.attempt("TPC-H in little memory", lambda: limited.measure(report, binary, folder, data, 1 if quick else 2))
    report.attempt("a large CSV", lambda: csv.measure(report, binary, folder, data, 1 if quick else 3))
