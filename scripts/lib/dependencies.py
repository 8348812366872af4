"""Checks what the binary is made of against deny.toml.

    cargo metadata --locked --format-version 1 | dependencies.py

Every crate that the lock file names is looked at, for every platform: licence,
where it comes from, whether it is banned, and whether there is more than one
version of those of which there must be one. Prints what is wrong, one a line.
"""

import json
import re
import sys
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

RULES = Path(__file__).with_name("deny.toml")


class BadExpression(Exception):
    """A licence expression that cannot be read."""


def satisfied(expression: str, allowed: set[str]) -> bool:
    """Whether some choice that an SPDX expression offers is allowed.

    OR binds weaker than AND, AND weaker than WITH; `/` is an old spelling of OR.
    """
    tokens = re.findall(r"[()]|[A-Za-z0-9.+-]+|/|\S", expression)
    tokens = ["OR" if token == "/" else token for token in tokens]

    def take(*wanted: str) -> bool:
        if tokens and tokens[0] in wanted:
            tokens.pop(0)
            return True
        return False

    def either() -> bool:
        value = both()
        while take("OR"):
            value = both() or value
        return value

    def both() -> bool:
        value = one()
        while take("AND"):
            value = one() and value
        return value

    def one() -> bool:
        if take("("):
            value = either()
            if not take(")"):
                raise BadExpression(expression)
            return value
        if not tokens or not re.fullmatch(r"[A-Za-z0-9.+-]+", tokens[0]):
            raise BadExpression(expression)
        name = tokens.pop(0)
        if take("WITH"):
            if not tokens:
                raise BadExpression(expression)
            name += f" WITH {tokens.pop(0)}"
        return name in allowed

    value = either()
    if tokens:
        raise BadExpression(expression)
    return value


def exceptions(rules: dict, key: str = "crate") -> dict[str, dict]:
    found = {}
    for entry in rules.get("exception", []):
        if len(entry.get("reason", "")) < 10:
            raise SystemExit(f"deny.toml: the exception for {entry.get(key)} gives no reason")
        found[entry[key]] = entry
    return found


def problems(metadata: dict, rules: dict) -> list[str]:
    """What is wrong, in a stable order."""
    own = set(metadata["workspace_members"])
    others = [package for package in metadata["packages"] if package["id"] not in own]
    return sorted(
        [
            *licences(others, rules["licenses"]),
            *sources(others),
            *banned(others, rules["bans"]),
            *duplicates(others, rules["duplicates"]),
        ]
    )


def name(package: dict) -> str:
    return f"{package['name']} {package['version']}"


def licences(packages: list[dict], rules: dict):
    allowed, excepted, used = set(rules["allow"]), exceptions(rules), set()
    for package in packages:
        licence = package.get("license") or ""
        exception = excepted.get(package["name"])
        try:
            fine = bool(licence) and satisfied(licence, allowed)
        except BadExpression:
            fine = False
        if not fine and exception and exception["license"] == licence:
            used.add(package["name"])
        elif not fine:
            yield f"{name(package)}: its licence is not allowed: {licence or 'none is named'}"
    for unused in excepted.keys() - used:
        yield f"{unused}: the licence exception in deny.toml is no longer needed"


def sources(packages: list[dict]):
    """One registry for all: no git, no folder, no second registry."""
    counted = Counter(package["source"] for package in packages if package["source"])
    registries = [source for source, _ in counted.most_common() if source.startswith("registry+")]
    for package in packages:
        source = package["source"]
        if source is None:
            yield f"{name(package)}: comes from a folder outside the workspace"
        elif not registries or source != registries[0]:
            yield f"{name(package)}: does not come from the registry of all the others"


def banned(packages: list[dict], rules: dict):
    reasons = {entry["name"]: entry["reason"] for entry in rules["crate"]}
    for package in packages:
        if package["name"] in reasons:
            yield f"{name(package)}: banned: {reasons[package['name']]}"


def duplicates(packages: list[dict], rules: dict):
    versions, excepted = defaultdict(set), exceptions(rules)
    for package in packages:
        versions[package["name"]].add(package["version"])
    for crate in rules["single"]:
        found = versions.get(crate, set())
        if len(found) > 1 and crate not in excepted:
            yield f"{crate}: more than one version: {', '.join(sorted(found))}"
    for crate in excepted:
        if len(versions.get(crate, set())) < 2:
            yield f"{crate}: the exception for two versions in deny.toml is no longer needed"


def main() -> int:
    found = problems(json.load(sys.stdin), tomllib.loads(RULES.read_text()))
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
