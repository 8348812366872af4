"""Property testing: random frames, random chains of one to five operations.

A chain is text: a frame and steps out of `operations.txt`. Many chains go into one
script, so that twenty thousand take minutes; what differs is cut to its shortest and
printed, ready to be pasted into the corpus. The same seed gives the same chains.

Floats may differ by 1e-9 here, relative or absolute, and by 1e-5 where there is a
float32: the sums of random numbers of every size cancel out. Integers and types may not.
"""

import json
import random
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import frames
from cases import PRELUDE
from compare import differences
from sides import Job, Native, Room

BATCH = 100
MOST_SHOWN = 40

# Runs each chain in a namespace of its own; one answer a row. What natively fails inside
# pandas' Arrow arrays has to fail in the room, which has none, but not by the same type.
RUN = """
def _raised(error):
    files, trace = [], error.__traceback__
    while trace is not None:
        files.append(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next
    within = any("/pandas/core/arrays/" in file and "arrow" in file for file in files)
    return {"raises": "in Arrow" if within else _kind_of(error)}


_answers = []
for _chain in _CHAINS:
    _space = {"np": np, "pd": pd}
    try:
        exec(_chain, _space)
        _answers.append(_json.dumps(_plain(_space["f"])))
    except Exception as _error:
        _answers.append(_json.dumps(_raised(_error)))
outputs["chains"] = pd.DataFrame({"answer": _answers})
"""


@dataclass(frozen=True)
class Step:
    before: str
    after: str
    code: str
    native: str


def steps() -> dict[str, list[Step]]:
    """The operations by the kind of value that they take."""
    found: dict[str, list[Step]] = {}
    for line in Path(__file__).with_name("operations.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            before, after, code = re.fullmatch(r"(\w+) -> (\w+): (.*)", line).groups()
            code, _, native = code.partition(" || ")
            found.setdefault(before, []).append(Step(before, after, code, native or code))
    return found


@dataclass
class Chain:
    frame: frames.Frame
    # (template, code for the room, code for the native side)
    steps: list[tuple[str, str, str]]

    def code(self, native=False) -> str:
        return "\n".join([self.frame.code(), *(step[2 if native else 1] for step in self.steps)])

    @property
    def tolerance(self) -> float:
        return 1e-5 if "loat32" in self.code() else 1e-9


def make(draw: random.Random, table: dict[str, list[Step]]) -> Chain:
    frame = frames.make(draw)
    kind, chosen = "frame", []
    for _ in range(draw.randint(1, 5)):
        step = draw.choice(table[kind])
        filled = {}
        for side, text in (("room", step.code), ("native", step.native)):
            # The same draws for both sides.
            state = draw.getstate()
            filled[side] = _fill(draw, text, frame)
            if side == "room" and step.native != step.code:
                draw.setstate(state)
            elif side == "room":
                filled["native"] = filled["room"]
                break
        chosen.append((step.code, filled["room"], filled["native"]))
        kind = step.after
    return Chain(frame, chosen)


def _fill(draw: random.Random, text: str, frame: frames.Frame) -> str:
    def value(match):
        kind = match[1]
        if kind == "v":
            return str(draw.choice(frames.FACTORS))
        if kind == "w":
            return str(draw.randint(1, 9))
        if kind == "a":
            return repr(draw.choice(["sum", "mean", "max", "min", "count", "first", "std", "nunique"]))
        return repr(draw.choice(frame.named(kind)))

    return re.sub(r"\{([invwastc])\}", value, text)


def script(chains: list[Chain], native=False) -> str:
    texts = [chain.code(native) for chain in chains]
    return f"{PRELUDE}\n_CHAINS = {json.dumps(texts)}\n{RUN}"


def _answers(side, chains: list[Chain]) -> list:
    job = Job("chains", script(chains, isinstance(side, Native)), [])
    answer = side.answer(job)
    if "outputs" not in answer:
        return [answer] * len(chains)
    return [json.loads(text) for text in answer["outputs"]["chains"]["columns"][0][2]]


def found_in(native: Native, room: Room, chains: list[Chain]) -> list[list[str]]:
    """For each chain, where its two answers differ."""
    pairs = zip(chains, _answers(native, chains), _answers(room, chains), strict=True)
    return [
        [] if _both_fail(one, two) else differences(one, two, c.tolerance, c.tolerance, most=4)
        for c, one, two in pairs
    ]


def _both_fail(one, two) -> bool:
    return one == {"raises": "in Arrow"} and isinstance(two, dict) and "raises" in two


def compare(native: Native, room: Room, number: int, seed: int) -> int:
    table = steps()
    draw = random.Random(seed)
    batches = [[make(draw, table) for _ in range(min(BATCH, number - at))] for at in range(0, number, BATCH)]
    failed: list[Chain] = []
    with ThreadPoolExecutor(native.processes) as pool:
        for chains, found in zip(batches, pool.map(lambda b: found_in(native, room, b), batches), strict=True):
            failed += [chain for chain, lines in zip(chains, found, strict=True) if lines]
    print(f"{number} chains of seed {seed}: {len(failed)} differ")
    seen = set()
    for chain in failed:
        start = first_difference(native, room, chain)
        # One for each operation: the others are most often the same fault.
        last = start and (start.steps[-1][0] if start.steps else "a frame")
        if last in seen or len(seen) == MOST_SHOWN:
            continue
        seen.add(last)
        if start is not None:
            _print(native, room, shrink(native, room, start))
    return 1 if failed else 0


def _print(native, room, chain: Chain):
    """As it goes into the corpus."""
    print(f"\n### {chain.steps[-1][0] if chain.steps else 'a frame'}")
    for _, one, other in chain.steps:
        if one != other:
            print(f"#: native {one} => {other}: the ties of an unstable sort depend on the CPU")
    print(f"{chain.code()}\nshow(f)")
    for line in found_in(native, room, [chain])[0]:
        print(f"#   {line}", flush=True)


def first_difference(native: Native, room: Room, chain: Chain) -> Chain | None:
    """Up to the first step after which there is a difference: the rest is not needed."""
    starts = [Chain(chain.frame, chain.steps[:n]) for n in range(len(chain.steps) + 1)]
    found = found_in(native, room, starts)
    return next((start for start, lines in zip(starts, found, strict=True) if lines), None)


def shrink(native: Native, room: Room, small: Chain) -> Chain:
    """The shortest chain on the smallest frame that still differs."""
    while True:
        smaller = _smaller(small)
        found = found_in(native, room, smaller) if smaller else []
        better = next((one for one, lines in zip(smaller, found, strict=True) if lines), None)
        if better is None:
            return small
        small = better


def _smaller(chain: Chain) -> list[Chain]:
    """Each with one thing less; all are tried in one script."""
    less = [Chain(chain.frame, chain.steps[:at] + chain.steps[at + 1 :]) for at in range(len(chain.steps) - 1)]
    return less + [Chain(frame, chain.steps) for frame in chain.frame.smaller()]
