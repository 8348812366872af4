"""The recorded native answers: one file a topic, one line a case.

`scripts/test` compares the room with them, so that it needs no native Python of the
guest's version; `scripts/differential --record` makes them anew.
"""

import json

from cases import HERE, Case

FOLDER = HERE / "answers"


class Stale(Exception):
    """The script is not the one that was answered."""


def recorded(case: Case) -> dict:
    for line in _lines(case.topic):
        if line["case"] == case.name:
            if line["key"] != case.key:
                break
            return {k: v for k, v in line.items() if k not in ("case", "key")}
    raise Stale(f"{case.id} has no native answer as it stands: run scripts/differential --record")


_read: dict[str, list] = {}


def _lines(topic: str) -> list:
    if topic not in _read:
        path = FOLDER / f"{topic}.jsonl"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        _read[topic] = [json.loads(line) for line in text.splitlines()]
    return _read[topic]


def record(cases: list[Case], answers: dict[str, dict]):
    """Writes the answers of whole topics."""
    FOLDER.mkdir(exist_ok=True)
    for topic in sorted({case.topic for case in cases}):
        lines = []
        for case in cases:
            if case.topic == topic:
                answer = {k: v for k, v in answers[case.id].items() if k != "message"}
                line = {"case": case.name, "key": case.key, **answer}
                lines.append(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
        (FOLDER / f"{topic}.jsonl").write_text("".join(lines), encoding="utf-8")
    _read.clear()
