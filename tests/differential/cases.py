"""The corpus: short scripts as data, many in a file, one file a topic.

    ### name of a case
    #: inputs sales
    #: rel 1e-9 the solver stops where the last digits lead it
    show(sales.groupby("region")["units"].sum())

A case may say with `#:` lines

- `inputs NAME...`: which tables of `inputs.py` it has as variables;
- `rel NUMBER reason`, `abs NUMBER reason`: how far a float may be off, and why; without
  it floats agree to 1e-12 relative, and everything else exactly;
- `unlike WHERE reason`: where the answers have to differ, and why, such as
  `.shown[3]`; it is an error if they do not;
- `native OLD => NEW: reason`: what is replaced in the script for the native side, where
  native Python's own answer depends on the machine (an unstable sort's ties).

Integers, types, nulls, order, exception types and warnings have no tolerance.
"""

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
CORPUS = HERE / "corpus"
PRELUDE = (HERE / "prelude.py").read_text()
ENDING = '\nresult = _json.dumps({"shown": _shown, "warned": sorted(_warned)})\n'


@dataclass
class Case:
    topic: str
    name: str
    code: str
    inputs: list[str] = field(default_factory=list)
    relative: float = 1e-12
    absolute: float = 0.0
    replaced: list[tuple[str, str]] = field(default_factory=list)
    unlike: list[str] = field(default_factory=list)

    @property
    def id(self) -> str:
        return f"{self.topic}: {self.name}"

    @property
    def native_code(self) -> str:
        code = self.code
        for old, new in self.replaced:
            if old not in code:
                raise ValueError(f"{self.id}: `native` replaces {old!r}, which is not in the script")
            code = code.replace(old, new)
        return code

    @property
    def key(self) -> str:
        """Changes with all that the native answer comes from; not with a reason."""
        code = re.sub(r"^#: .*\n", "", self.native_code, flags=re.M)
        text = "\0".join([code, *self.inputs])
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def whole(code: str) -> str:
    """The script that runs."""
    return f"{PRELUDE}\n\n{code}{ENDING}"


def load(topics: list[str] | None = None) -> list[Case]:
    cases = []
    for path in sorted(CORPUS.glob("*.py")):
        if topics is None or path.stem in topics:
            cases += parse(path.stem, path.read_text(encoding="utf-8"))
    return cases


def parse(topic: str, text: str) -> list[Case]:
    cases, names = [], set()
    for piece in re.split(r"^### ", text, flags=re.M)[1:]:
        name, _, code = piece.partition("\n")
        if name in names:
            raise ValueError(f"{topic}: two cases are called {name!r}")
        names.add(name)
        case = Case(topic, name.strip(), code.strip("\n") + "\n")
        for line in re.findall(r"^#: (.*)$", code, flags=re.M):
            _option(case, line)
        cases.append(case)
    return cases


def _option(case: Case, line: str):
    word, _, rest = line.partition(" ")
    if word == "inputs":
        case.inputs = rest.split()
    elif word in ("rel", "abs"):
        number, _, reason = rest.partition(" ")
        if not reason:
            raise ValueError(f"{case.id}: `{word}` needs a reason after the number")
        setattr(case, {"rel": "relative", "abs": "absolute"}[word], float(number))
    elif word == "unlike":
        where, _, reason = rest.partition(" ")
        if not reason:
            raise ValueError(f"{case.id}: `unlike` needs a reason after the place")
        case.unlike.append(where)
    elif word == "native":
        match = re.fullmatch(r"(.+?) => (.*?): (\S.*)", rest)
        if not match:
            raise ValueError(f"{case.id}: `native` is OLD => NEW: reason")
        case.replaced.append((match[1], match[2]))
    else:
        raise ValueError(f"{case.id}: no option is called {word!r}")
