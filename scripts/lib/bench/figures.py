"""Figures, and how they are shown."""

import statistics
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field


class Wrong(Exception):
    """An answer is not the right one: there is nothing to measure then."""


@dataclass
class Figure:
    """One row of the table. `ok` is None where no figure has to be reached."""

    what: str
    reach: str
    measured: str
    ok: bool | None

    @property
    def verdict(self) -> str:
        return {True: "pass", False: "**fail**", None: ""}[self.ok]


@dataclass
class Report:
    """All rows, what to know of them, and the numbers behind them."""

    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    numbers: dict = field(default_factory=dict)
    wrong: bool = False

    def add(self, what: str, reach: str, measured: str, ok: bool | None = None):
        self.figures.append(Figure(what, reach, measured, ok))

    def note(self, text: str):
        self.notes.append(text)

    def attempt(self, what: str, measurement: Callable[[], None]):
        """Measures; a wrong answer is a row that says so, and the others go on."""
        try:
            measurement()
        except Wrong as error:
            self.wrong = True
            self.add(what, "right answers", "wrong, see the notes", False)
            self.note(f"**Wrong: {what}**: {error}")

    @property
    def reached(self) -> bool:
        return all(figure.ok is not False for figure in self.figures)

    def markdown(self) -> str:
        rows = [("figure", "reach", "measured", ""), ("---",) * 4]
        rows += [(f.what, f.reach, f.measured, f.verdict) for f in self.figures]
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        return "\n".join([*lines, "", *(f"- {note}" for note in self.notes)])

    def as_json(self) -> dict:
        return {
            "figures": [asdict(figure) for figure in self.figures],
            "notes": self.notes,
            "numbers": self.numbers,
        }


def say(text: str):
    """Progress, for whoever waits."""
    print(f"   {text}", file=sys.stderr, flush=True)


def percentile(values: list[float], share: float) -> float:
    """By nearest rank: a value that was measured."""
    ordered = sorted(values)
    return ordered[max(0, -(-int(share * 1000) * len(ordered) // 1000) - 1)]


def median(values: list[float]) -> float:
    return statistics.median(values)


def ms(seconds: float) -> str:
    value = seconds * 1000
    return f"{value:.2f} ms" if value < 10 else f"{value:.1f} ms" if value < 100 else f"{value:.0f} ms"


def mb(kib: float) -> str:
    """Megabytes of KiB: the figures to reach are in MB."""
    return f"{kib * 1024 / 1e6:.1f} MB"
