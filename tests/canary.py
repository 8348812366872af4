"""Values that are nowhere else, and the search for any piece of them in any spelling."""

import base64
import datetime
import random
import re
import urllib.parse

import pandas as pd

ROWS = 60
# Shorter pieces are found by chance; those of hexadecimal digits are in every hash.
PIECE, PIECE_OF_HEX = 8, 14


def make(seed=20) -> pd.DataFrame:
    """A table each of whose cells is unique."""
    draw = random.Random(seed)
    consonants, letters = "bcdfghjkmnpqrtvwxz", "бвгджзклмнпрстфхцчшщ"

    def word(count, of=consonants):
        return "".join(draw.choice(of) for _ in range(count))

    first = datetime.date(2871, 1, 1)
    return pd.DataFrame(
        {
            "id": range(1, ROWS + 1),
            "name": [f"{word(7)}{n:03}{word(7)}" for n in range(ROWS)],
            "имя": [word(12, letters) for _ in range(ROWS)],
            "amount": [draw.randrange(10**9, 2 * 10**9) for _ in range(ROWS)],
            "price": [draw.randrange(10**11, 10**12) / 1000 for _ in range(ROWS)],
            "day": [first + datetime.timedelta(days=n * 37) for n in range(ROWS)],
            "at": pd.to_datetime([f"2187-05-{n % 28 + 1:02} 13:{n % 60:02}:17.{draw.randrange(10**6):06}" for n in range(ROWS)]),
            "ssn": [f"{draw.randrange(100, 666)}-{draw.randrange(10, 99)}-{draw.randrange(1000, 9999)}" for _ in range(ROWS)],
            "mail": [f"{word(9)}@{word(8)}.example" for _ in range(ROWS)],
            "shop": ["east", "west", "north"] * (ROWS // 3),
        }
    )


def spellings(value: str):
    """The value as it is and as it may be written."""
    yield value
    yield value.lower()
    yield value.upper()
    yield value[::-1]
    raw = value.encode()
    yield urllib.parse.quote(value, safe="")
    for shift in range(3):
        # Whatever stands before it in what is encoded: without the ends, which depend on that.
        yield base64.b64encode(b"\0" * shift + raw).decode()[4 if shift else 0 :].rstrip("=")[:-1]


def texts_of(table: pd.DataFrame):
    """Every cell as the texts that it may be shown as."""
    for column in ("name", "имя", "ssn", "mail"):
        yield from table[column]
    for number in table["amount"]:
        yield from (str(number), f"{number:,}", f"{number:_}", hex(number))
    for price in table["price"]:
        yield from (f"{price:.3f}", f"{price:,.3f}", str(price))
    for day in table["day"]:
        yield from (day.isoformat(), day.strftime("%d.%m.%Y"), day.strftime("%Y%m%d"))
    for at in table["at"]:
        # Of the time of day, pieces are in every clock's.
        yield from (str(at)[:10], str(int(at.timestamp() * 1000)))


class Search:
    """Finds pieces of a table's cells."""

    def __init__(self, table: pd.DataFrame):
        self.pieces = set()
        self.hex = set()
        for text in texts_of(table):
            for spelling in spellings(text):
                self.pieces |= {spelling[n : n + PIECE] for n in range(len(spelling) - PIECE + 1)}
            for spelling in (text.encode().hex(), text.encode("utf-16-le").hex()):
                self.hex |= {spelling[n : n + PIECE_OF_HEX] for n in range(len(spelling) - PIECE_OF_HEX + 1)}

    def in_text(self, text: str) -> list[str]:
        """What of the text is a piece of a cell, with what stands around it."""
        as_meant = re.sub(r"\\+u\{?([0-9a-fA-F]{4})\}?", lambda m: chr(int(m[1], 16)), text)
        found = []
        for reading in {text, as_meant, urllib.parse.unquote(text)}:
            for n in range(len(reading) - PIECE + 1):
                if reading[n : n + PIECE] in self.pieces or reading[n : n + PIECE_OF_HEX] in self.hex:
                    found.append(reading[max(0, n - 200) : n + 60])
        return found
