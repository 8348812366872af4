"""`scripts/differential`: both sides live."""

import argparse
import sys
import tempfile
from pathlib import Path

import answers
import cases
import inputs
from compare import unexplained
from sides import Job, Native, Room
from split import explain


def main() -> int:
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "inputs")
        folder.mkdir()
        inputs.write(folder)
        room = Room(arguments.binary, folder, Path(scratch, "home"))
        with Native(arguments.native, folder) as native:
            if arguments.random:
                import chains

                return chains.compare(native, room, arguments.random, arguments.seed)
            return corpus(native, room, arguments)


def _arguments():
    parser = argparse.ArgumentParser(prog="scripts/differential", description=__doc__)
    parser.add_argument("--native", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--binary", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--record", action="store_true", help="keep the native answers")
    parser.add_argument("--native-only", action="store_true", help="leave the room out, to record alone")
    parser.add_argument("--random", type=int, metavar="N", help="compare N random chains instead")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("only", nargs="*", metavar="TOPIC | 'TOPIC: CASE'")
    return parser.parse_args()


def corpus(native: Native, room: Room, arguments) -> int:
    chosen = [c for c in cases.load() if not arguments.only or {c.topic, c.id} & set(arguments.only)]
    if not chosen:
        raise SystemExit(f"no case or topic is called {arguments.only}")
    jobs = [Job(case.id, cases.whole(case.native_code), case.inputs) for case in chosen]
    wanted = dict(native.answers(jobs))
    for case in chosen:
        if "broke" in wanted[case.id]:
            raise SystemExit(f"{case.id} does not run natively: {wanted[case.id]['broke']}")
    if arguments.record:
        whole = {case.topic for case in chosen} - {n.split(":")[0] for n in arguments.only if ":" in n}
        answers.record([case for case in chosen if case.topic in whole], wanted)
    if arguments.native_only:
        return 0
    return _report(chosen, wanted, native, room)


def _report(chosen, wanted, native: Native, room: Room) -> int:
    by_id = {case.id: case for case in chosen}
    jobs = [Job(case.id, cases.whole(case.code), case.inputs) for case in chosen]
    different = 0
    for key, got in room.answers(jobs):
        case, expected = by_id[key], wanted[key]
        messages = [answer.pop("message", None) for answer in (expected, got)]
        found = unexplained(case, expected, got)[:8]
        if found:
            different += 1
            print(f"\n## {key}\n")
            print("".join(f"    {line}\n" for line in case.code.splitlines()))
            for line in explain(case, native, room) or found:
                print(f"- {line}")
            for side, message in zip(("native", "room"), messages, strict=True):
                if message is not None:
                    print(f"- {side} raises: {message}")
            sys.stdout.flush()
    print(f"\n{len(chosen)} scripts, {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
