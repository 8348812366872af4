"""Damaged Parquet files: a clear error, never a hang, and the room lives on."""

import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from foreign import table

ORIGINALS = {
    "dictionaries": {"compression": "SNAPPY"},
    "plain": {"compression": "NONE", "use_dictionary": False},
    "delta": {
        "compression": "ZSTD",
        "data_page_version": "2.0",
        "use_dictionary": False,
        "column_encoding": {"number": "DELTA_BINARY_PACKED", "long": "DELTA_BYTE_ARRAY"},
    },
    "small pages": {"compression": "LZ4", "data_page_size": 64, "row_group_size": 50},
}
MUTATIONS = 100

# Reads every file of the column `bytes` and says how that ended.
READ_ALL = """
import io
result = {'read': 0}
for bytes in x['bytes']:
    try:
        pd.read_parquet(io.BytesIO(bytes))
        result['read'] += 1
    except Exception as error:
        said = type(error).__name__ if str(error).strip() else 'silence'
        result[said] = result.get(said, 0) + 1
y = pd.read_parquet(io.BytesIO(x['bytes'].iloc[-1]))
result['afterwards'] = len(y)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("damage")


@pytest.fixture(scope="module")
def room(module_rooms, folder):
    return module_rooms(data=folder)


def original(options, rows=200) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table(rows), sink, **options)
    return sink.getvalue().to_pybytes()


def mutated(whole: bytes, chance: random.Random) -> bytes:
    """A few bytes changed, a piece cut out or the end cut off; in the footer half of the time."""
    damaged = bytearray(whole)
    footer = int.from_bytes(whole[-8:-4], "little") + 8
    if chance.random() < 0.5:
        low, high = len(whole) - footer, len(whole)
    else:
        low, high = 4, len(whole) - footer
    at = chance.randrange(low, high)
    match chance.randrange(6):
        case 0:
            del damaged[at : at + chance.randrange(1, 100)]
        case 1:
            damaged[at:at] = chance.randbytes(chance.randrange(1, 9))
        case 2:
            damaged[at : at + 8] = chance.choice([b"\xff" * 8, bytes(8), b"\x80" * 7 + b"\x01"])
        case 3:
            del damaged[at:]
        case _:
            for _ in range(chance.randrange(1, 4)):
                damaged[chance.randrange(low, high)] ^= 1 << chance.randrange(8)
    return bytes(damaged)


@pytest.mark.parametrize("name", ORIGINALS)
def test_a_damaged_file_is_an_error_or_is_read(room, folder, name):
    whole = original(ORIGINALS[name])
    chance = random.Random(f"damage of {name}")
    files = [mutated(whole, chance) for _ in range(MUTATIONS)]
    data = f"mutations_of_{name.replace(' ', '_')}"
    pq.write_table(pa.table({"bytes": [*files, whole]}), folder / f"{data}.parquet")
    reply = room.python(READ_ALL, x=data)
    assert not reply.failed, reply.text
    result = dict(reply["result"])
    assert result.pop("afterwards") == 200
    # The whole one at least is read; of the others, most are an error.
    assert 1 <= result.pop("read") <= MUTATIONS
    assert set(result) == {"ValueError"}
    assert reply.seconds < 60


DAMAGES = {
    "no footer": lambda whole: whole[:-100],
    "a footer of noise": lambda whole: whole[:-2000] + bytes(1992) + whole[-8:],
    "a footer longer than the file": lambda whole: whole[:-8] + b"\xff\xff\xff\x7f" + whole[-4:],
    "half a file": lambda whole: whole[: len(whole) // 2],
    "only magic": lambda whole: b"PAR1PAR1",
    "empty": lambda whole: b"",
    "pages of noise": lambda whole: whole[:4] + b"\xa5" * 2000 + whole[2004:],
    "a page cut short": lambda whole: whole[:200] + whole[260:],
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_input_is_refused_by_its_name_and_the_next_run_works(room, folder, name):
    whole = original(ORIGINALS["plain"])
    data = name.replace(" ", "_")
    (folder / f"{data}.parquet").write_bytes(DAMAGES[name](whole))
    (folder / "sound.parquet").write_bytes(whole)
    reply = room.python("result = str(x)", x=data)
    assert reply.failed
    told = reply.text.lower()
    assert "parquet" in told or "column" in told, reply.text
    assert "panicked" not in told
    described = room.call("describe_data", data=data)
    assert described.text
    assert room.result("result = len(x)", x="sound") == 200
