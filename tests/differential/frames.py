"""Random small tables, as text that makes them: every type, nulls, ties, extremes."""

import random
from dataclasses import dataclass

EDGES = [0, 1, -1, 2, 3, 7, 127, -128, 255, 32767, 65535, 2**31 - 1, 2**31, -(2**31), 2**32 - 1, 2**32]
EDGES += [2**53, 2**53 + 1, 2**62, 2**63 - 1, -(2**63)]
FACTORS = [1, 2, 3, 1000, 65_537, 2**20, 2**31 - 1, 2**31, 2**33, -1, 10**12]
FLOATS = [0.0, -0.0, 0.1, -1.5, 2.0, 3.0, 1e10, 1e-10, "np.nan", "np.inf", 123456.789]
TEXTS = ["", "a", "A", "b", "ё", "Ёлка", "😀", "a b", "ab", "10", "-3", "é"]
MOMENTS = ["2024-01-31", "2024-02-29 12:34:56", "1969-12-31 23:59:59", "2024-02-29 12:34:56", "2100-07-01"]

# Column types by the letter that their names begin with; `null`: whether None may be in them.
TYPES = {
    "i": [("int64", False), ("int32", False), ("int16", False), ("int8", False), ("uint8", False)],
    "j": [("uint64", False), ("uint32", False), ("Int64", True), ("Int32", True), ("int64", False)],
    "x": [("float64", False), ("float64", False), ("float32", False), ("Float64", True)],
    "s": [("str", True), ("str", True), ("category", True), ("object", True)],
    "t": [("datetime64[us]", True), ("datetime64[ns]", True), ("datetime64[us, UTC]", True)],
    "b": [("bool", False), ("boolean", True)],
    # Few distinct values: keys to group and join by.
    "k": [("int64", False), ("str", True), ("int8", False), ("category", True)],
}
# Which letters a placeholder of operations.txt may mean.
MEANS = {"i": "ijk", "n": "ijxb", "s": "s", "t": "t", "c": "ijxstbk"}


@dataclass(frozen=True)
class Frame:
    # (name, type, values as text)
    columns: tuple[tuple[str, str, tuple[str, ...]], ...]

    def code(self) -> str:
        parts = [
            f"{name!r}: pd.Series([{', '.join(values)}], dtype={dtype!r})"
            for name, dtype, values in self.columns
        ]
        return f"f = pd.DataFrame({{{', '.join(parts)}}})"

    def named(self, kind: str) -> list[str]:
        fitting = [name for name, *_ in self.columns if name[0] in MEANS[kind]]
        return fitting or [name for name, *_ in self.columns]

    def smaller(self) -> list["Frame"]:
        """Without one of the columns, or one of the rows."""
        columns = [self.columns[:at] + self.columns[at + 1 :] for at in range(len(self.columns))]
        rows = range(len(self.columns[0][2]) if self.columns else 0)
        fewer = [
            tuple((name, dtype, values[:at] + values[at + 1 :]) for name, dtype, values in self.columns)
            for at in rows
        ]
        return [Frame(kept) for kept in columns + fewer if kept]


def make(draw: random.Random) -> Frame:
    rows = draw.choice([0, 1, 2, 3, 5, 8, 20])
    letters = ["i", "k", *draw.sample("jxstbix", draw.randint(1, 4))]
    columns = []
    for at, letter in enumerate(letters):
        dtype, null = draw.choice(TYPES[letter])
        values = tuple(_value(draw, letter, dtype, null) for _ in range(rows))
        columns.append((f"{letter}{at}", dtype, values))
    return Frame(tuple(columns))


def _value(draw: random.Random, letter: str, dtype: str, null: bool) -> str:
    if null and draw.random() < 0.15:
        return "None"
    if letter == "k":
        return str(draw.randint(0, 2)) if "int" in dtype else repr(draw.choice(["p", "q", "ё"]))
    if letter in "ij":
        return str(_integer(draw, dtype.lower()))
    if letter == "x":
        value = draw.choice(FLOATS) if draw.random() < 0.5 else draw.randint(-50, 50) / 4
        # "Float64" tells NaN from a missing value only where it came from a calculation.
        return "1.25" if dtype == "Float64" and value == "np.nan" else str(value)
    if letter == "s":
        return repr(draw.choice(TEXTS))
    if letter == "t":
        return repr(draw.choice(MOMENTS))
    return str(draw.random() < 0.5)


def _integer(draw: random.Random, dtype: str) -> int:
    bits = int(dtype.strip("uint"))
    low, high = (0, 2**bits - 1) if dtype.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    value = draw.choice(EDGES) if draw.random() < 0.4 else draw.randint(-5, 20)
    return value if low <= value <= high else draw.choice([low, high, 1, 2])
