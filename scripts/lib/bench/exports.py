"""A million rows of ten columns as files for the person, against the writers of others.

CSV against DuckDB's COPY with one thread, of the same Parquet file; XLSX against Python's
xlsxwriter in constant memory, fed row by row from Arrow. The room's side is the whole call
of `export_data`, hash and sync included. The files are read before the figures count.
"""

import time
import zipfile
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import xlsxwriter
from client import Server
from figures import Report, Wrong, say
from queries.sides import copied, drawn, made_once, processor

ROWS = 1_000_000
CSV_WITHIN, XLSX_WITHIN = 1.5, 0.5


def of(number: int, below: int) -> str:
    return drawn(f"i + {number}", below)


COLUMNS = f"""\
i AS id, DATE '2015-01-01' + CAST({of(0, 3650)} AS INTEGER) AS day,
['north', 'south', 'east', 'west', 'north-east', 'south-west'][1 + {of(1, 6)}] AS region,
'product-' || lpad(CAST({of(2, 5000)} AS VARCHAR), 5, '0') AS product, {of(3, 500)} AS quantity,
round({of(4, 1_000_000)} / 100, 2) AS price,
CASE WHEN {of(5, 20)} = 0 THEN NULL ELSE {of(5, 101)} / 100 END AS discount,
TIMESTAMP '2015-01-01' + to_seconds({of(6, 300_000_000)}) AS shipped,
{of(7, 2)} = 0 AS gift, {of(8, 1_000_000)} / 7.0 AS weight"""
SUMS = "SELECT count(*), sum(id), sum(quantity), round(sum(price)), count(discount), max(shipped), count(DISTINCT product)"


def ours(server: Server, format: str) -> tuple[Path, float, float]:
    began, had = time.perf_counter(), processor(server.pid)
    reply = server.call("export_data", {"data": "sales", "format": format})
    cpu, wall = processor(server.pid) - had, time.perf_counter() - began
    if reply.get("isError"):
        raise Wrong(f"export_data as {format}: {reply['content']}")
    return Path(reply["structuredContent"]["file"]), cpu, wall


def clocked(work) -> tuple[float, float]:
    began, had = time.perf_counter(), time.process_time()
    work()
    return time.process_time() - had, time.perf_counter() - began


def by_duckdb(source: Path, target: Path):
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        connection.execute(f"COPY (FROM '{source}') TO '{target}' (HEADER)")


def by_xlsxwriter(source: Path, target: Path):
    table = pq.read_table(source)
    book = xlsxwriter.Workbook(target, {"constant_memory": True})
    sheet = book.add_worksheet()
    shown = {"day": "yyyy-mm-dd", "shipped": "yyyy-mm-dd hh:mm:ss"}
    formats = [shown[name] if name in shown else None for name in table.column_names]
    formats = [book.add_format({"num_format": text}) if text else None for text in formats]
    sheet.write_row(0, 0, table.column_names)
    number = 0
    for batch in table.to_batches():
        for row in zip(*(column.to_pylist() for column in batch.columns)):
            number += 1
            for at, value in enumerate(row):
                if value is not None:
                    sheet.write(number, at, value, formats[at])
    book.close()


def check_csv(source: Path, written: Path):
    wanted = duckdb.sql(f"{SUMS} FROM '{source}'").fetchone()
    found = duckdb.sql(f"{SUMS} FROM read_csv('{written}')").fetchone()
    if wanted != found:
        raise Wrong(f"the CSV holds {found}, the table {wanted}")


def check_xlsx(written: Path):
    """The rows of its one sheet, the header among them."""
    rows, kept = 0, b""
    with zipfile.ZipFile(written).open("xl/worksheets/sheet1.xml") as sheet:
        while part := sheet.read(1 << 22):
            rows += (kept + part).count(b"<row ")
            kept = part[-4:]
    if rows != ROWS + 1:
        raise Wrong(f"the sheet has {rows} rows")


def measure(report: Report, binary: Path, folder: Path, data: Path, rounds: int):
    tables = made_once(data / f"exports-{ROWS}-{len(COLUMNS)}", "a table to export", copied(COLUMNS, ROWS, "sales.parquet"))
    source = tables / "sales.parquet"
    with Server(binary, folder / "export-home", tables) as server:
        csv, duck = [], []
        for number in range(rounds):
            say(f"1 M x 10 as CSV, round {number + 1} of {rounds}")
            duck.append(clocked(lambda: by_duckdb(source, folder / "peer.csv")))
            written, *times = ours(server, "csv")
            csv.append(times)
            check_csv(source, written)
            written.unlink()
        say("1 M x 10 as XLSX, by the room and by xlsxwriter")
        written, *xlsx = ours(server, "xlsx")
        check_xlsx(written)
        peer = clocked(lambda: by_xlsxwriter(source, folder / "peer.xlsx"))
    report.numbers["exports"] = {"csv": csv, "duckdb": duck, "xlsx": xlsx, "xlsxwriter": peer}
    for at, what in enumerate(("processor time", "wall clock")):
        one, other = (min(times[at] for times in side) for side in (csv, duck))
        report.add(
            f"1 M rows x 10 columns as CSV, {what}", f"{CSV_WITHIN} x DuckDB's COPY",
            f"{one / other:.2f} x ({one:.2f} s, DuckDB with one thread {other:.2f} s)", one / other <= CSV_WITHIN,
        )
        one, other = xlsx[at], peer[at]
        report.add(
            f"1 M rows x 10 columns as XLSX, {what}", f"{XLSX_WITHIN} x xlsxwriter in constant memory",
            f"{one / other:.2f} x ({one:.1f} s, xlsxwriter {other:.1f} s)", one / other <= XLSX_WITHIN,
        )
