"""What a person waits for: a table of 100,000 rows on the screen, and a chart as pixels.

The page is opened in headless Chromium, by a link of `render_chart`, in a profile that has
seen nothing yet; it is painted when the frame after the first row with cells has been. What
the model receives of a chart, and what the page weighs, are counted beside.
"""

import gzip
import os
import shutil
import statistics
import time
import urllib.request
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from client import Server
from figures import Report, Wrong
from playwright.sync_api import Browser, sync_playwright
from queries.sides import processor

ROWS, POINTS = 100_000, 1_000
PAINT, PIXELS, PAGE, TOLD = 300, 60, 350_000, 1_000

# Notes when the first row with cells is on the screen, in milliseconds since the page was asked
# for: the frame in which it is drawn has ended when the one after it begins.
WATCH = """
const seen = new MutationObserver(() => {
    const cell = document.querySelector(".row .cell:nth-child(2)");
    if (!cell || cell.textContent === "…") return;
    seen.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => { window.paintedAt = performance.now(); }));
});
seen.observe(document, { childList: true, subtree: true });
"""


def painted(browser: Browser, link: str) -> float:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    try:
        page = context.new_page()
        page.add_init_script(WATCH)
        page.goto(link)
        end = time.monotonic() + 30
        while (at := page.evaluate("window.paintedAt || 0")) == 0:
            if time.monotonic() > end:
                raise Wrong("the table was never painted")
            time.sleep(0.005)
        if page.locator(".row").first.text_content() != "1" + "0" + "north" + "0.0":
            raise Wrong(f"the first row is {page.locator('.row').first.text_content()}")
        return at
    finally:
        context.close()


def tables(folder: Path) -> Path:
    folder.mkdir()
    number = np.arange(ROWS)
    rows = {"id": number, "region": np.take(["north", "south"], number % 2), "amount": number / 8}
    pq.write_table(pa.table(rows), folder / "rows.parquet")
    number = np.arange(POINTS)
    pq.write_table(pa.table({"at": number, "value": np.sin(number / 50)}), folder / "line.parquet")
    return folder


def answer(server: Server, tool: str, **arguments) -> dict:
    reply = server.call(tool, arguments)
    if reply.get("isError"):
        raise Wrong(f"{tool}: {reply['content']}")
    return reply


def measure(report: Report, binary: Path, folder: Path, rounds: int):
    program = os.environ.get("DATAROOM_TEST_CHROMIUM") or shutil.which("chromium")
    data = tables(folder / "view-data")
    with Server(binary, folder / "view-home", data) as server, sync_playwright() as playwright:
        link = answer(server, "render_chart", data="rows", kind="table")["structuredContent"]["link"]
        browser = playwright.chromium.launch(executable_path=program)
        times = [painted(browser, link) for _ in range(rounds + 1)][1:]
        browser.close()
        with urllib.request.urlopen(link.split("#")[0]) as page:
            weight = len(gzip.compress(page.read()))
        reply = answer(server, "render_chart", data="line", kind="line", x="at", y="value")
        told = sum(len(part["text"]) for part in reply["content"])
        chart = reply["structuredContent"]["dataRef"]
        pixels, busy = [], processor(server.pid)
        for _ in range(rounds):
            began = time.perf_counter()
            answer(server, "export_data", data=chart, format="png")
            pixels.append((time.perf_counter() - began) * 1_000)
        busy = (processor(server.pid) - busy) / rounds * 1_000
    report.numbers["view"] = {"painted_ms": times, "png_ms": pixels, "png_processor_ms": busy, "gzip": weight, "told": told}
    at, png = statistics.median(times), statistics.median(pixels)
    report.add(f"first paint of a table of {ROWS:,} rows, headless Chromium, median", f"{PAINT} ms", f"{at:.0f} ms", at <= PAINT)
    report.add(f"PNG of a {POINTS:,}-point line, the whole call of `export_data`", f"{PIXELS} ms", f"{png:.0f} ms ({busy:.0f} ms of a processor)", png <= PIXELS)
    report.add("the view, gzip", f"{PAGE // 1000} KB", f"{weight / 1000:.0f} KB", weight <= PAGE)
    report.add(f"what the model receives of a chart of {POINTS:,} points", "1 KB", f"{told} bytes", told <= TOLD)
