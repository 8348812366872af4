"""Runs the libraries' own tests in the guest and natively, and compares test by test.

    python3 scripts/lib/suites --suite BINARY --cache FOLDER [--native PYTHON]
        [--sample] [--write] [--judge] [--jobs N] [PATH…]

PATHs are files or folders of tests, `pandas/tests/frame`; without any, the scope in
tests/suites/scope.txt. `--sample` takes tests/suites/sample.txt and runs in the guest
only: what passes natively is known then from the list. `--write` writes the list and
the sample's counts anew; `--judge` takes what the guest has run before as it was. `scripts/suites` gives the rest.

Native outcomes do not change while the versions stay: they are kept in the cache, as the
guest's are for looking at. Ends with 1 if a test differs without being in the list, or
an entry of the list covers no difference any more.
"""

import argparse
import json
import os
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import jobs
from layout import lay_out
from known import BAD, NATIVELY_TOO, Known, Reasons, UNEXPLAINED, differences, explain, fold, judge, renamed

DATA = Path(__file__).parents[3] / "tests" / "suites"
KNOWN, OPEN, REASONS, SAMPLE, SCOPE = (
    DATA / name for name in ("known.txt", "open.txt", "reasons.toml", "sample.txt", "scope.txt")
)
MOST_SHOWN = 40


def lines(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


def sample() -> dict[str, int]:
    """The sample's files, and how many tests of each have to pass."""
    counts = (line.split() for line in lines(SAMPLE))
    return {path: int(count) for count, path in counts}


def files_below(site: Path, paths: list[str]) -> list[str]:
    found: dict[str, None] = {}
    for path in paths:
        at = site / path
        if not at.exists():
            sys.exit(f"error: {path} is not among the tests in {site}")
        files = sorted(at.rglob("test_*.py")) if at.is_dir() else [at]
        found.update((str(file.relative_to(site)), None) for file in files)
    return list(found)


def run(world, files: list[str], at_once: int, kept: Path, again: bool, name: str) -> dict:
    """The outcomes; those in `kept` are taken from there, unless they are asked again."""
    began, asked = time.monotonic(), set(files)
    before = json.loads(kept.read_text()) if kept.exists() else {"files": [], "tests": {}}
    done = set() if again else asked & set(before["files"])
    outcomes = {test: was for test, was in before["tests"].items() if test.split("::")[0] in done}
    lock = threading.Lock()

    def tell(group, found):
        counts = Counter(outcome["was"] for outcome in found.values())
        more = f" and {len(group) - 1} more" if len(group) > 1 else ""
        with lock:
            print(f"{time.monotonic() - began:7.0f} s  {name}  {group[0]}{more}: {show(counts)}", file=sys.stderr, flush=True)
            # What was done is kept when the rest is broken off.
            keep(kept, group, found)

    return outcomes | jobs.run_all(world, [file for file in files if file not in done], at_once, tell)


def show(counts: Counter) -> str:
    return ", ".join(f"{count:,} {was}" for was, count in sorted(counts.items()))


def keep(path: Path, files: list[str], tests: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    before = json.loads(path.read_text()) if path.exists() else {"files": [], "tests": {}}
    again = set(files)
    old = {t: was for t, was in before["tests"].items() if t.split("::")[0] not in again}
    path.write_text(json.dumps({"files": sorted({*before["files"], *files}), "tests": old | tests}))


def passed_by_file(outcomes: dict) -> Counter:
    return Counter(test.split("::")[0] for test, outcome in outcomes.items() if outcome["was"] == "passed")


def judge_sample(outcomes: dict, wanted: dict[str, int], known: Known) -> list[str]:
    """What is wrong with the sample, a line each. Only the guest has run."""
    wrong = []
    still_open = set(lines(OPEN))
    for test, outcome in sorted(outcomes.items()):
        if test in still_open and outcome["was"] == "passed":
            wrong.append(f"{test}: is in open.txt, but passes")
        elif outcome["was"] in BAD and known.reason(test) is None and test not in still_open:
            wrong.append(f"{test} {outcome['was']}: {outcome['why'].splitlines()[-1:]}")
    passed = passed_by_file(outcomes)
    for file, count in wanted.items():
        if passed[file] < count:
            wrong.append(f"{file}: {passed[file]} tests passed, {count} should")
    covered: dict[str, set] = {}
    for test, outcome in outcomes.items():
        if entry := known.entry(test):
            covered.setdefault(entry, set()).add(outcome["was"])
    wrong += [f"{e}: is in known.txt, but passes" for e, was in covered.items() if was == {"passed"}]
    return wrong


def write_open(outcomes: dict, wanted: dict[str, int], known: Known) -> None:
    """What of the sample is not mended yet, and how many tests pass meanwhile."""
    bad = [t for t, outcome in sorted(outcomes.items()) if outcome["was"] in BAD and known.reason(t) is None]
    comments = [line for line in OPEN.read_text().splitlines() if line.startswith("#")]
    OPEN.write_text("\n".join([*comments, *bad]) + "\n")
    passed = passed_by_file(outcomes)
    comments = [line for line in SAMPLE.read_text().splitlines() if line.startswith("#")]
    counts = {path: min(count, passed[path]) for path, count in wanted.items()}
    SAMPLE.write_text("\n".join([*comments, *(f"{n:6} {path}" for path, n in counts.items())]) + "\n")


def write(found: dict, guest: dict, native: dict, ran: set[str]) -> Known:
    old = Known.read(KNOWN)
    explained = explain(found, Reasons.read(REASONS))
    known = fold(explained, {test for test, outcome in guest.items() if outcome["was"] == "passed"})
    others = {e: reason for e, reason in old.entries.items() if e.split("::")[0] not in ran}
    # What no rule explains is told, not listed.
    listed = {entry: reason for entry, reason in known.entries.items() if reason != UNEXPLAINED}
    known.entries = listed | others
    known.write(KNOWN)
    # What should pass, whether it does today or not.
    should = passed_by_file({test: outcome for test, outcome in native.items() if not known.reason(test)})
    counts = {path: should[path] if path in ran else count for path, count in sample().items()}
    comments = [line for line in SAMPLE.read_text().splitlines() if line.startswith("#")]
    SAMPLE.write_text("\n".join([*comments, *(f"{n:6} {path}" for path, n in counts.items())]) + "\n")
    return known


def report(title: str, wrong: list[str]) -> None:
    if wrong:
        print(f"\n{title} ({len(wrong)}):")
        print("\n".join(f"  {line}" for line in wrong[:MOST_SHOWN]))
        if len(wrong) > MOST_SHOWN:
            print(f"  … and {len(wrong) - MOST_SHOWN} more")


def compare(guest: dict, native: dict, files: list[str], rewrite: bool) -> int:
    ran = set(files)
    native = renamed(native, guest)
    found = differences(guest, native)
    known = write(found, guest, native, ran) if rewrite else Known.read(KNOWN)
    missing, stale = judge(found, known, ran)
    print(f"\n{len(guest):,} tests in the guest: {show(Counter(o['was'] for o in guest.values()))}")
    print(f"{len(native):,} tests natively: {show(Counter(o['was'] for o in native.values()))}")
    reasons = Counter(known.reason(test) or UNEXPLAINED for test in found)
    print(f"{len(found) - reasons[NATIVELY_TOO]:,} pass natively only:")
    for reason, count in reasons.most_common():
        print(f"{count:7,}  {reason}")
    report("not in known.txt", [f"{t}: {found[t]['was']}: {found[t]['why'][-200:].splitlines()[-1:]}" for t in missing])
    report("in known.txt for no reason any more", stale)
    return 1 if missing or stale else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="run the libraries' own tests in the room")
    parser.add_argument("--suite", type=Path, required=True, help="the sandbox's example of this name")
    parser.add_argument("--cache", type=Path, required=True, help="with the runtime and the start image")
    parser.add_argument("--native", type=Path, help="the Python of scripts/lib/native.sh")
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--judge", action="store_true", help="run no file that the guest has run before")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("paths", nargs="*")
    given = parser.parse_args()
    layout = lay_out(given.cache)
    # Set-up keeps one runtime and removes older ones; the newest is ours.
    runtime = max(given.cache.glob("runtime-*"), key=os.path.getmtime)
    guest = jobs.Guest(given.suite, runtime, given.cache, layout)
    if given.sample:
        wanted = sample()
        outcomes, known = jobs.run_all(guest, list(wanted), given.jobs), Known.read(KNOWN)
        if given.write:
            write_open(outcomes, wanted, known)
        wrong = judge_sample(outcomes, sample(), known)
        report("the sample", wrong)
        return 1 if wrong else 0
    if given.native is None:
        parser.error("--native is needed, but for --sample")
    files = files_below(layout / "site", given.paths or lines(SCOPE))
    native = jobs.Native(given.native, layout)
    results = layout.with_name(f"{layout.name}-results")
    kept = results / f"{given.native.parent.name}.json"
    theirs = run(native, files, given.jobs, kept, False, "native")
    ours = run(guest, files, given.jobs, results / "guest.json", not given.judge, "guest")
    return compare(ours, theirs, files, given.write)


if __name__ == "__main__":
    sys.exit(main())
