"""The dependency check fails when it should: each bad crate is added to the real tree."""

import json
import os
import subprocess
import tomllib

import pytest

import dependencies
from conftest import ROOT

RULES = tomllib.loads(dependencies.RULES.read_text())


@pytest.fixture(scope="module")
def metadata():
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    text = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, env=os.environ).stdout
    return json.loads(text)


def with_crate(metadata, **changes):
    registry = next(p["source"] for p in metadata["packages"] if p["source"])
    crate = {"name": "bad", "version": "1.0.0", "id": "bad 1.0.0", "license": "MIT"}
    crate |= {"source": registry} | changes
    return metadata | {"packages": [*metadata["packages"], crate]}


def test_our_tree_passes(metadata):
    assert len(metadata["packages"]) > 100
    assert dependencies.problems(metadata, RULES) == []


def test_a_harmless_crate_passes(metadata):
    assert dependencies.problems(with_crate(metadata), RULES) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"license": "GPL-3.0-only"}, "licence is not allowed: GPL-3.0-only"),
        ({"license": "MIT AND GPL-3.0-only"}, "licence is not allowed"),
        ({"license": None}, "none is named"),
        ({"license": "MIT OR"}, "licence is not allowed"),
        ({"source": None}, "folder outside"),
        ({"source": "git+ssh://example.org/bad"}, "does not come from the registry"),
        ({"source": "registry+ssh://example.org/other"}, "does not come from the registry"),
        ({"name": "openssl-sys"}, "banned"),
        ({"name": "wasmtime", "version": "47.0.0"}, "more than one version"),
    ],
)
def test_a_bad_crate_fails(metadata, changes, words):
    found = dependencies.problems(with_crate(metadata, **changes), RULES)
    assert len(found) == 1
    assert words in found[0]


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("MIT", True),
        ("MIT/X", True),
        ("X OR MIT", True),
        ("X AND MIT", False),
        ("MIT OR X AND Y", True),
        ("(MIT OR X) AND Y", False),
        ("(MIT OR X) AND MIT", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("Apache-2.0 WITH Other-exception", False),
    ],
)
def test_expressions(expression, wanted):
    assert dependencies.satisfied(expression, {"MIT", "Apache-2.0 WITH LLVM-exception"}) == wanted


def test_an_exception_without_a_reason_is_refused(metadata):
    rules = RULES | {"duplicates": RULES["duplicates"] | {"exception": [{"crate": "syn"}]}}
    with pytest.raises(SystemExit, match="no reason"):
        dependencies.problems(metadata, rules)
