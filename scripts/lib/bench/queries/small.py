"""A small query, by the official Python client: what a model waits for beside the work."""

import os
import time
from pathlib import Path

import pandas as pd
from anyio.from_thread import start_blocking_portal
from figures import Report, Wrong, median, ms, percentile, say
from mcp import Client, StdioServerParameters

WITHIN = 0.005
SQL = "SELECT region, sum(units) AS units FROM sales GROUP BY region ORDER BY region"


def measure(report: Report, binary: Path, folder: Path, count: int):
    say("small queries over stdio")
    data = folder / "small-query"
    data.mkdir()
    units = [n % 97 for n in range(1000)]
    pd.DataFrame({"region": ["north", "south"] * 500, "units": units}).to_parquet(data / "sales.parquet")
    totals = {"north": sum(units[::2]), "south": sum(units[1::2])}
    expected = [{"region": region, "units": total} for region, total in totals.items()]
    arguments = ["serve", "--home", str(folder / "small-home"), "--data", str(data)]
    command = StdioServerParameters(command=str(binary), args=arguments, env={**os.environ})
    times, wrong = [], []
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(command)) as client:

        async def call() -> float:
            began = time.perf_counter()
            reply = await client.call_tool("query_data", {"sql": SQL})
            taken = time.perf_counter() - began
            if reply.is_error or reply.structured_content["preview"] != expected:
                wrong.append(reply)
            return taken

        for number in range(count + 10):
            taken = portal.call(call)
            # The first ones fill the caches.
            if number >= 10:
                times.append(taken)
    if wrong:
        raise Wrong(f"{SQL} gave {wrong[0]}")
    report.numbers["small"] = times
    report.add(
        f"MCP `query_data` round trip, 1,000 rows, official Python client, p50 / p99 of {count}",
        "5 ms (p50)", f"{ms(median(times))} / {ms(percentile(times, 0.99))}", median(times) <= WITHIN,
    )
