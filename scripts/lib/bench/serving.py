"""The server: round trips, memory, many runs in a row and at once."""

import os
import time
from pathlib import Path

import pandas as pd
from anyio.from_thread import start_blocking_portal
from client import Server
from figures import Report, Wrong, mb, median, ms, percentile, say
from machine import open_files, resident
from mcp import Client, StdioServerParameters
from sandbox import flat

IDLE = "import time; time.sleep(50)"


def measure(report: Report, binary: Path, folder: Path, quick: bool):
    data = folder / "small"
    data.mkdir()
    units = [n % 97 for n in range(1000)]
    pd.DataFrame({"region": ["north", "south"] * 500, "units": units}).to_parquet(data / "sales.parquet")
    trips, runs = (50, 200) if quick else (300, 1000)
    report.attempt("round trips", lambda: round_trips(report, binary, folder, trips))
    report.attempt("memory of the server", lambda: memory(report, binary, folder))
    report.attempt("runs in a row", lambda: in_a_row(report, binary, folder, data, runs, sum(units)))
    report.attempt("many at once", lambda: at_once(report, binary, folder))


def round_trips(report: Report, binary: Path, folder: Path, count: int):
    """Two clients in turns, each with a server of its own."""
    say("round trips over stdio")
    command = StdioServerParameters(
        command=str(binary), args=["serve", "--home", str(folder / "client-home")], env={**os.environ}
    )
    raw_times, client_times = [], []
    with (
        Server(binary, folder / "raw-home") as server,
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(command)) as client,
    ):

        async def call() -> float:
            began = time.perf_counter()
            reply = await client.call_tool("run_python", {"code": "result = 1"})
            taken = time.perf_counter() - began
            if reply.is_error or reply.structured_content["result"] != 1:
                raise Wrong(f"result = 1 gave {reply}")
            return taken

        for number in range(count + 10):
            answer, taken = server.result("result = 1")
            if answer["result"] != 1:
                raise Wrong(f"result = 1 gave {answer}")
            other = portal.call(call)
            if number >= 10:
                raw_times.append(taken)
                client_times.append(other)
    report.numbers["round_trips"] = {"raw": raw_times, "client": client_times}
    for name, times, reach in (
        ("plain JSON lines", raw_times, 0.004),
        ("official Python client", client_times, None),
    ):
        report.add(
            f"MCP `run_python` round trip, `result = 1`, {name}, p50 / p99 of {count}",
            "4 ms (p50)" if reach else "",
            f"{ms(median(times))} / {ms(percentile(times, 0.99))}",
            median(times) <= reach if reach else None,
        )
    report.note(
        "Round trips are judged with plain JSON lines over the pipe: the rest of what the official Python "
        "client shows is its own work on its own event loop, the same for any server."
    )


def settled(pid: int) -> dict[str, int]:
    """Memory once it stands still."""
    last: dict[str, int] = {}
    for _ in range(60):
        time.sleep(0.3)
        now = resident(pid)
        if now.get("rss") == last.get("rss"):
            return now
        last = now
    raise Wrong("the server's memory does not come to rest")


def memory(report: Report, binary: Path, folder: Path):
    say("memory")
    further = 16
    config = f"[serve]\nconcurrency = {further + 1}\n"
    with Server(binary, folder / "memory-home", config=config) as server:
        started = settled(server.pid)
        for _ in range(20):
            server.result("result = 1")
        idle = settled(server.pid)
        asked = [server.ask(IDLE)]
        one = settled(server.pid)
        asked += [server.ask(IDLE) for _ in range(further)]
        all_of_them = settled(server.pid)
        for request in asked:
            server.cancel(request)
        time.sleep(0.3)
        # A cancelled request gets no answer, so the next one is this.
        if server.result("result = 1")[0]["result"] != 1:
            raise Wrong("after cancelling")
        after = settled(server.pid)
    each = {key: (all_of_them[key] - one[key]) / further for key in one}
    report.numbers["memory"] = {
        "started": started, "idle": idle, "one": one, "all": all_of_them, "after": after
    }
    report.add(
        "memory of the idle server (after 20 runs)", "150 MB",
        f"{mb(idle['rss'])} RSS, of it {mb(idle['anonymous'])} not a file's", idle["rss"] * 1024 <= 150e6,
    )
    report.add(
        "memory of each further idle run, in the server", "10 MB",
        f"{mb(each['pss'])} PSS, {mb(each['rss'])} RSS", each["pss"] * 1024 <= 10e6,
    )
    report.note(
        f"The server before its first run {mb(started['rss'])} RSS, after {further + 1} idle runs were "
        f"cancelled {mb(after['rss'])}. A further run is judged by PSS, which counts each page of memory once; "
        "RSS counts a page of the image again for each run that has read it."
    )


def in_a_row(report: Report, binary: Path, folder: Path, data: Path, count: int, total: int):
    """Runs that read a table, keep one, write scratch, or fail."""
    say(f"{count} runs in a row")
    scripts = [
        "result = int(sales.units.sum())",
        "outputs['t'] = sales.groupby('region').sum().reset_index()",
        "open('/tmp/x', 'w').write('x' * 100_000)",
        "sales['nothing']",
    ]
    samples = []
    with Server(binary, folder / "row-home", data) as server:
        for number in range(count + 1):
            if number % (count // 10) == 0:
                samples.append((number, resident(server.pid)["rss"], open_files(server.pid)))
            kind = number % len(scripts)
            answer, _ = server.python(scripts[kind], {"sales": "sales"})
            content = answer.get("structuredContent", {})
            failed = kind == 3
            if bool(answer.get("isError")) != failed or (kind == 0 and content["result"] != total):
                raise Wrong(f"{scripts[kind]} gave {answer}")
    report.numbers["in_a_row"] = samples
    flat(report, f"{count:,} runs in a row, in the server", samples)


def burst(server: Server, codes: list[str]) -> list[tuple[dict, float]]:
    """Asks for all at once; for each its reply and the seconds until it came."""
    began = time.perf_counter()
    asked = [server.ask(code) for code in codes]
    replies = {}
    for _ in asked:
        message = server.receive()
        replies[message["id"]] = (message, time.perf_counter() - began)
    if set(replies) != set(asked):
        raise Wrong("not every request was answered once")
    return [replies[request] for request in asked]


def at_once(report: Report, binary: Path, folder: Path):
    say("many at once")
    code = "n = 0\nfor i in range(300_000): n += i\nresult = n * {}"
    with Server(binary, folder / "burst-home") as server:
        server.result("result = 1")
        sixteen = burst(server, [code.format(n) for n in range(16)])
        flood = burst(server, [f"result = {n}" for n in range(200)])
        if server.result("result = 2")[0]["result"] != 2:
            raise Wrong("after the flood")
    # The sum of 0 to 299,999.
    right = [
        message.get("result", {}).get("structuredContent", {}).get("result") == 44_999_850_000 * n
        for n, (message, _) in enumerate(sixteen)
    ]
    times = [seconds for _, seconds in sixteen]
    mean = sum(times) / len(times)
    report.add(
        "16 runs asked at once", "all right, none starved",
        f"{sum(right)} right; slowest {ms(max(times))}, mean {ms(mean)}",
        # In a fair line of equal runs the slowest takes twice the mean.
        all(right) and max(times) <= 2.5 * mean,
    )
    answered = refused = 0
    for n, (message, _) in enumerate(flood):
        result = message.get("result", {})
        if result.get("structuredContent", {}).get("result") == n and not result.get("isError"):
            answered += 1
        elif "error" in message or result.get("isError"):
            refused += 1
    report.add(
        "200 runs asked at once", "queue bounded, none lost",
        f"{answered} answered right, {refused} refused, slowest {ms(max(s for _, s in flood))}",
        answered + refused == len(flood) and answered >= 16 and refused > 0,
    )
    report.numbers["at_once"] = {"sixteen": times, "answered": answered, "refused": refused}
