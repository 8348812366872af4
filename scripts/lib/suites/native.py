"""Runs one job natively: PACKAGES, on the command line, has pytest and hypothesis.

What the guest does not have is hidden, so that both sides run the same tests: with
pyarrow, pandas would make other columns of text.
"""

import json
import sys

HIDDEN = {"duckdb", "polars", "pyarrow"}


class Hide:
    """An import finder that finds nothing for the names in HIDDEN."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def main():
    runner, packages = sys.argv[1:]
    sys.meta_path.insert(0, Hide)
    sys.path[:0] = [runner, packages]
    job = json.load(sys.stdin)
    import pandas
    import recorder

    recorder.run(pandas.__file__.removesuffix("/pandas/__init__.py"), job)


if __name__ == "__main__":
    main()
