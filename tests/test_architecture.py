"""The invariants of ARCHITECTURE.md that a look at the sources can keep."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parent.parent
SOURCES = sorted(
    path
    for folder in ("src", "wasm-runtime/src")
    for path in ROOT.glob(f"{folder}/**/*.rs")
    # Tests make folders and servers of their own.
    if not path.stem.endswith("tests") and "tests" not in path.parts[len(ROOT.parts) :]
)


def uses(word):
    """The files, relative to the root, whose code (not comments) has `word`."""
    found = []
    for path in SOURCES:
        code = re.sub(r"//.*", "", path.read_text())
        if re.search(word, code):
            found.append(path.relative_to(ROOT).as_posix())
    return found


@pytest.mark.parametrize(
    ("word", "allowed"),
    [
        (r"\bwasmtime(_wizer)?::", "wasm-runtime/src/"),
        (r"\brmcp::", "src/server/"),
        (r"\bdatafusion::", "src/sql/"),
        (r"\banyhow::", ("src/cli/", "src/main.rs")),
        (r"\bcap_std::ambient_authority|ambient_authority\(\)", ("src/catalog/", "src/room/", "src/cli/")),
    ],
)
def test_a_crate_is_named_only_in_its_room(word, allowed):
    found = uses(word)
    assert found, f"nothing matches {word}: the test has lost its subject"
    assert [path for path in found if not path.startswith(allowed)] == []


def test_the_sandbox_knows_nothing_of_the_room():
    manifest = (ROOT / "wasm-runtime/Cargo.toml").read_text()
    for crate in ("rmcp", "datafusion", "cap-std", "tokio"):
        assert not re.search(rf"^{crate}\b", manifest, re.M), crate
    assert [p for p in uses(r"\bOwner\b|\bartifact\b") if p.startswith("wasm-runtime")] == []


def test_guest_paths_reach_no_system_call():
    found = uses(r"\bstd::fs\b|\bfs::(read|File|Open)")
    in_sandbox = [p for p in found if p.startswith("wasm-runtime") and not p.endswith("_tests.rs")]
    assert set(in_sandbox) <= {
        "wasm-runtime/src/mounts.rs",
        "wasm-runtime/src/image/build.rs",
        "wasm-runtime/src/positioned.rs",
    }


def test_the_pure_parts_reach_no_disk_and_no_clock():
    pure = ["src/policy.rs", "src/nearest.rs", "src/type_name.rs"]
    of_sql = ("scan", "parse", "gate", "names", "warn", "output", "guard/flow", "guard/proof", "guard/allow")
    of_sql += ("sensitive/mod", "sensitive/walk", "sensitive/expr")
    pure += [f"src/sql/{part}.rs" for part in of_sql]
    units = ("arithmetic", "mark", "expr", "walk", "grouped", "finding", "function", "corrected", "told")
    pure += [f"src/sql/guard/units/{part}.rs" for part in units]
    pure += ["src/policy/columns.rs", "src/server/column_line.rs"]
    for room in ("src/units", "src/profile/sensitive", "src/redact"):
        pure += [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / room).glob("*.rs"))]
    pure.remove("src/redact/tests.rs")
    for part in pure:
        code = re.sub(r"//.*", "", (ROOT / part).read_text()).split("#[cfg(test)]")[0]
        assert not re.search(r"std::fs|std::net|Instant::now|SystemTime|Utc::now|cap_std", code), part
