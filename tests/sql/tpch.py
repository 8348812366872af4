"""TPC-H tables of our own making, for the 22 queries to run on.

The benchmark's own generator is C and not to be had from a package, so this makes
tables of the same shape: the same columns, types, keys, relations between dates and
sizes, and the words that the queries look for. The numbers are other numbers than
dbgen's; what is compared is two engines' answers on the same tables.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

NATIONS = [
    ("ALGERIA", 0), ("ARGENTINA", 1), ("BRAZIL", 1), ("CANADA", 1), ("EGYPT", 4), ("ETHIOPIA", 0),
    ("FRANCE", 3), ("GERMANY", 3), ("INDIA", 2), ("INDONESIA", 2), ("IRAN", 4), ("IRAQ", 4),
    ("JAPAN", 2), ("JORDAN", 4), ("KENYA", 0), ("MOROCCO", 0), ("MOZAMBIQUE", 0), ("PERU", 1),
    ("CHINA", 2), ("ROMANIA", 3), ("SAUDI ARABIA", 4), ("VIETNAM", 2), ("RUSSIA", 3),
    ("UNITED KINGDOM", 3), ("UNITED STATES", 1),
]  # fmt: skip
REGIONS = ["AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"]
TYPES = [
    f"{a} {b} {c}"
    for a in ("STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO")
    for b in ("ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED")
    for c in ("TIN", "NICKEL", "BRASS", "STEEL", "COPPER")
]
CONTAINERS = [
    f"{a} {b}"
    for a in ("SM", "LG", "MED", "JUMBO", "WRAP")
    for b in ("CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM")
]
COLOURS = "almond azure beige black blue brown chocolate coral cream forest green ivory khaki lime red".split()
SEGMENTS = ["AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY", "HOUSEHOLD"]
PRIORITIES = ["1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"]
MODES = ["REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"]
INSTRUCTIONS = ["DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"]
WORDS = "carefully final deposits detect slyly agai quickly express special requests pending accounts".split()
FIRST, LAST = np.datetime64("1992-01-01"), np.datetime64("1998-08-02")


class Maker:
    def __init__(self, scale: float):
        self.random = np.random.default_rng(19_700_101)
        self.scale = scale

    def rows(self, at_one: int) -> int:
        return max(1, int(at_one * self.scale))

    def pick(self, words, rows) -> pa.Array:
        codes = self.random.integers(0, len(words), rows)
        return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(words)).cast(pa.string())

    def money(self, low, high, rows) -> pa.Array:
        return decimals(self.random.integers(low * 100, high * 100 + 1, rows))

    def text(self, rows, rare=None) -> pa.Array:
        words = np.array(WORDS)[self.random.integers(0, len(WORDS), (rows, 4))]
        texts = [" ".join(row) for row in words]
        for at in np.flatnonzero(self.random.random(rows) < 0.02) if rare else ():
            texts[at] = rare
        return pa.array(texts)

    def phone(self, nations) -> pa.Array:
        digits = self.random.integers(100, 1000, (len(nations), 2))
        last = self.random.integers(1000, 10000, len(nations))
        return pa.array([f"{n + 10}-{a}-{b}-{c}" for n, (a, b), c in zip(nations, digits, last)])


def decimals(cents) -> pa.Array:
    """Whole cents as decimal(15,2)."""
    low = np.asarray(cents, dtype=np.int64)
    both = np.empty((len(low), 2), dtype=np.int64)
    both[:, 0], both[:, 1] = low, low >> 63
    return pa.Array.from_buffers(pa.decimal128(15, 2), len(low), [None, pa.py_buffer(both.tobytes())])


def names(word, keys) -> pa.Array:
    return pa.array([f"{word}#{key:09}" for key in keys])


def tables(scale: float) -> dict[str, pa.Table]:
    make = Maker(scale)
    random = make.random
    made = {
        "region": pa.table({
            "r_regionkey": np.arange(5), "r_name": REGIONS, "r_comment": make.text(5),
        }),
        "nation": pa.table({
            "n_nationkey": np.arange(25), "n_name": [n for n, _ in NATIONS],
            "n_regionkey": np.array([r for _, r in NATIONS]), "n_comment": make.text(25),
        }),
    }  # fmt: skip
    suppliers, parts, customers = make.rows(10_000), make.rows(200_000), make.rows(150_000)
    orders = make.rows(1_500_000)

    keys, nations = np.arange(1, suppliers + 1), random.integers(0, 25, suppliers)
    made["supplier"] = pa.table({
        "s_suppkey": keys, "s_name": names("Supplier", keys), "s_address": make.text(suppliers),
        "s_nationkey": nations, "s_phone": make.phone(nations),
        "s_acctbal": make.money(-999, 9999, suppliers),
        "s_comment": make.text(suppliers, "the Customer even Complaints sleep"),
    })  # fmt: skip

    keys = np.arange(1, parts + 1)
    two = np.array(COLOURS)[random.integers(0, len(COLOURS), (parts, 2))]
    brands = random.integers(1, 6, (parts, 2))
    made["part"] = pa.table({
        "p_partkey": keys, "p_name": [f"{a} {b}" for a, b in two],
        "p_mfgr": [f"Manufacturer#{a}" for a, _ in brands],
        "p_brand": [f"Brand#{a}{b}" for a, b in brands],
        "p_type": make.pick(TYPES, parts), "p_size": pa.array(random.integers(1, 51, parts), pa.int32()),
        "p_container": make.pick(CONTAINERS, parts), "p_retailprice": make.money(900, 2000, parts),
        "p_comment": make.text(parts),
    })  # fmt: skip

    # Each part has four suppliers; a line's supplier is one of its part's.
    four = (np.repeat(keys, 4) + np.tile(np.arange(4), parts) * (suppliers // 4 + 1)) % suppliers + 1
    made["partsupp"] = pa.table({
        "ps_partkey": np.repeat(keys, 4), "ps_suppkey": four,
        "ps_availqty": pa.array(random.integers(1, 10_000, parts * 4), pa.int32()),
        "ps_supplycost": make.money(1, 1000, parts * 4), "ps_comment": make.text(parts * 4),
    })  # fmt: skip

    keys, nations = np.arange(1, customers + 1), random.integers(0, 25, customers)
    made["customer"] = pa.table({
        "c_custkey": keys, "c_name": names("Customer", keys), "c_address": make.text(customers),
        "c_nationkey": nations, "c_phone": make.phone(nations),
        "c_acctbal": make.money(-999, 9999, customers), "c_mktsegment": make.pick(SEGMENTS, customers),
        "c_comment": make.text(customers),
    })  # fmt: skip

    keys = np.arange(1, orders + 1)
    # A third of the customers never order.
    buyers = random.integers(1, customers + 1, orders)
    buyers = np.where(buyers % 3 == 0, (buyers + 1) % customers + 1, buyers)
    placed = FIRST + random.integers(0, (LAST - FIRST).astype(int), orders)
    lines = random.integers(1, 8, orders)
    order_of, placed_of = np.repeat(keys, lines), np.repeat(placed, lines)
    rows = len(order_of)
    shipped = placed_of + random.integers(1, 122, rows)
    received = shipped + random.integers(1, 31, rows)
    today = np.datetime64("1995-06-17")
    quantity, part = random.integers(1, 51, rows), random.integers(1, parts + 1, rows)
    price = quantity * random.integers(90_000, 200_000, rows)
    open_lines = np.bincount(order_of, shipped > today, orders + 1)[1:]
    status = np.where(open_lines == 0, "F", np.where(open_lines == lines, "O", "P"))
    made["orders"] = pa.table({
        "o_orderkey": keys, "o_custkey": buyers, "o_orderstatus": status,
        "o_totalprice": decimals(np.bincount(order_of, price, orders + 1)[1:].astype(np.int64)),
        "o_orderdate": pa.array(placed, pa.date32()), "o_orderpriority": make.pick(PRIORITIES, orders),
        "o_clerk": names("Clerk", random.integers(1, 1001, orders)),
        "o_shippriority": pa.array(np.zeros(orders, dtype=np.int32)), "o_comment": make.text(orders),
    })  # fmt: skip
    first = np.concatenate([[0], np.cumsum(lines)[:-1]])
    made["lineitem"] = pa.table({
        "l_orderkey": order_of, "l_partkey": part,
        "l_suppkey": four.reshape(parts, 4)[part - 1, random.integers(0, 4, rows)],
        "l_linenumber": pa.array(np.arange(rows) - np.repeat(first, lines) + 1, pa.int32()),
        "l_quantity": decimals(quantity * 100), "l_extendedprice": decimals(price),
        "l_discount": decimals(random.integers(0, 11, rows)), "l_tax": decimals(random.integers(0, 9, rows)),
        "l_returnflag": np.where(received <= today, np.where(random.random(rows) < 0.5, "R", "A"), "N"),
        "l_linestatus": np.where(shipped > today, "O", "F"),
        "l_shipdate": pa.array(shipped, pa.date32()),
        "l_commitdate": pa.array(placed_of + random.integers(30, 91, rows), pa.date32()),
        "l_receiptdate": pa.array(received, pa.date32()),
        "l_shipinstruct": make.pick(INSTRUCTIONS, rows), "l_shipmode": make.pick(MODES, rows),
        "l_comment": make.text(rows),
    })  # fmt: skip
    return made


def write(folder: Path, scale: float) -> None:
    """One Parquet file for each table."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables(scale).items():
        pq.write_table(table, folder / f"{name}.parquet", row_group_size=200_000)
