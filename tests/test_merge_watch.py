"""A merge that multiplies rows says so, and no other does.

Each pair is a trap and its clean twin. The factors are arithmetic on the rows below:
customers 1, 2, 3; orders of customer 1 (two of them) and 2 (one); visits of customer 1
(three) and 3 (one).
"""

import pytest

TABLES = """
customers = pd.DataFrame({"id": [1, 2, 3], "credit": [10, 20, 30]})
orders = pd.DataFrame({"id": [1, 1, 2], "amount": [5, 6, 7]})
visits = pd.DataFrame({"id": [1, 1, 1, 3], "pages": [1, 2, 3, 4]})
"""

# The trap; words of its warning; the twin that has none.
PAIRS = [
    (
        "customers.merge(orders, on='id')",
        ["'id'", "left table", "2 of them become 3", "factor 1.5"],
        "orders.merge(customers, on='id')",
    ),
    (
        "orders.merge(visits, on='id')",
        ["left table", "2 of them become 6", "factor 3"],
        "orders.merge(visits.groupby('id', as_index=False).sum(), on='id')",
    ),
    (
        "customers.merge(orders, on='id', how='left')",
        ["2 of them become 3"],
        "orders.merge(customers, on='id', how='left')",
    ),
    (
        "customers.merge(orders, on='id', how='outer')",
        ["2 of them become 3"],
        "customers.merge(orders.drop_duplicates('id'), on='id', how='outer')",
    ),
    (
        "orders.merge(customers, on='id', how='right')",
        ["right table", "2 of them become 3"],
        "customers.merge(orders, on='id', how='right')",
    ),
    (
        "pd.merge(customers, orders, left_on='id', right_on='id')",
        ["'id'", "factor 1.5"],
        "pd.merge(customers, orders, left_on='id', right_on='id', validate='1:m')",
    ),
    (
        "customers.set_index('id').join(orders.set_index('id'))",
        ["2 of them become 3"],
        "orders.set_index('id').join(customers.set_index('id'))",
    ),
    (
        "customers.join(orders.set_index('id'), on='id')",
        ["2 of them become 3"],
        "orders.join(customers.set_index('id'), on='id')",
    ),
    (
        "customers.assign(k=1).merge(orders.assign(k=1), on='k', suffixes=('', '_o'))",
        ["'k'", "3 of them become 9", "factor 3"],
        "customers.merge(orders, how='cross', suffixes=('', '_o'))",
    ),
    (
        "customers.assign(k=1).merge(orders.assign(k=1), on=['id', 'k'])",
        ["'id' and 'k'"],
        "customers.assign(k=1).merge(orders.assign(k=1).drop_duplicates('id'), on=['id', 'k'])",
    ),
    (
        "import warnings; warnings.filterwarnings('ignore'); customers.merge(orders, on='id')",
        ["factor 1.5"],
        "pd.merge_asof(customers, visits, on='id')",
    ),
]


def multiplied(reply):
    return [text for text in reply["warnings"] if "multiplies rows" in text]


@pytest.mark.parametrize(("trap", "words", "twin"), PAIRS)
def test_a_trap_is_told_and_its_twin_is_quiet(room, trap, words, twin):
    reply = room.python(TABLES + trap + "\nresult = 1")
    assert not reply.failed, reply.text
    [text] = multiplied(reply)
    assert text.startswith(f"line {TABLES.count(chr(10)) + 1}: ")
    for word in words:
        assert word in text, text
    assert multiplied(room.python(TABLES + twin + "\nresult = 1")) == []


def test_a_line_is_told_once(room):
    loop = "for _ in range(5):\n    customers.merge(orders, on='id')\n    orders.merge(visits, on='id')\n"
    assert len(multiplied(room.python(TABLES + loop))) == 2


def test_a_merge_inside_a_library_is_not_the_scripts(room):
    code = "import seaborn as sns, matplotlib.pyplot as plt\nsns.lineplot(data=visits, x='id', y='pages'); plt.close()"
    assert multiplied(room.python(TABLES + code)) == []


def test_a_merge_that_fails_fails_as_in_pandas(room):
    reply = room.python(TABLES + "customers.merge(orders, on='nothing')")
    assert reply["error"]["kind"] == "KeyError"


def test_an_empty_merge_is_quiet(room):
    assert multiplied(room.python(TABLES + "customers.head(0).merge(orders, on='id')")) == []
