"""Plays one conversation with dataroom, as an agent's client would, and checks it.

    demo.py BINARY DATA_FOLDER [--keep FOLDER]

The requests go through the official MCP client over stdio. Each is printed with
its reply and the reply's bytes; with the instructions and the tools' descriptions
they are all that a model would have read. The answers are then computed again with
native pandas; a difference is a failure. FOLDER is where the exported files stay.
"""

import argparse
import asyncio
import json
import os
import shutil
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import pandas as pd
from mcp import Client, StdioServerParameters

DELAYS = """\
f = flights[["month", "carrier", "arr_delay"]].copy()
f["quarter"] = (f["month"] - 1) // 3 + 1
table = (
    f.groupby(["carrier", "quarter"])["arr_delay"]
    .agg(mean_delay="mean", arrived="count")
    .reset_index()
    .merge(airlines.rename(columns={"name": "airline"}), on="carrier")
)
outputs["by_quarter"] = table

wide = table.pivot(index=["carrier", "airline"], columns="quarter", values="mean_delay")
grown = (wide[4] - wide[3]).nlargest(5)
result = [
    {"carrier": c, "airline": a, "q3": round(wide.loc[(c, a), 3], 2),
     "q4": round(wide.loc[(c, a), 4], 2), "grown_by": round(d, 2)}
    for (c, a), d in grown.items()
]
"""

WEATHER = """\
w = weather.copy()
w["quarter"] = (w["month"] - 1) // 3 + 1
sky = w.groupby("quarter")[["wind_speed", "precip", "visib"]].mean().round(4).reset_index()
average = (
    delays.assign(total=delays["mean_delay"] * delays["arrived"])
    .groupby("quarter")[["total", "arrived"]].sum()
    .eval("mean_delay = total / arrived").reset_index()[["quarter", "arrived", "mean_delay"]]
)
joined = average.merge(sky, on="quarter")
outputs["delay_and_weather"] = joined
result = joined.round(3).to_dict("records")
"""


class Failed(Exception):
    """The room's answer is not the right one."""


class Printer:
    """Colour on a terminal, plain text elsewhere."""

    def __init__(self):
        self.colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")

    def paint(self, code: str, text: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self.colour else text

    def title(self, number: int, text: str):
        print(f"\n{self.paint('1;36', f'{number}. {text}')}")

    def request(self, tool: str, arguments: dict):
        print(self.paint("1", f"-> {tool}"))
        for key, value in arguments.items():
            if isinstance(value, str) and "\n" in value:
                print(self.paint("2", f"   {key}:"))
                print(self.paint("2", textwrap.indent(value.rstrip(), "     ")))
            else:
                print(self.paint("2", f"   {key}: {json.dumps(value, ensure_ascii=False)}"))

    def reply(self, text: str, size: int, seconds: float):
        print(self.paint("1;32", f"<- {size:,} bytes in {seconds * 1000:,.0f} ms"))
        lines = [text]
        if text.startswith(("{", "[")):
            lines = layout(json.loads(text)).splitlines()
        # The reader of a terminal needs less of it than a model does.
        if len(lines) > 40:
            lines = [*lines[:32], f"... {len(lines) - 38} lines ...", *lines[-6:]]
        print("\n".join(f"   {cut(line)}" for line in lines))


def cut(line: str, width: int = 160) -> str:
    """A line that fits a wide terminal, and says so where it was cut."""
    return line if len(line) <= width else line[: width - 1] + "…"


def layout(value, indent: int = 0, width: int = 110) -> str:
    """JSON with what fits on a line on one line."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent <= width or not isinstance(value, dict | list) or not value:
        return flat
    pad = " " * (indent + 2)
    if isinstance(value, dict):
        parts = [
            f"{json.dumps(key, ensure_ascii=False)}: {layout(item, indent + 2, width)}"
            for key, item in value.items()
        ]
        start, end = "{", "}"
    else:
        parts = [layout(item, indent + 2, width) for item in value]
        start, end = "[", "]"
    return f"{start}\n" + ",\n".join(pad + part for part in parts) + f"\n{' ' * indent}{end}"


class Conversation:
    """Calls tools, prints both sides, and counts what came back."""

    def __init__(self, client: Client, printer: Printer):
        self.client, self.printer = client, printer
        self.steps: list[tuple[str, int, float]] = []

    async def ask(self, why: str, tool: str, **arguments) -> dict:
        self.printer.title(len(self.steps) + 1, why)
        self.printer.request(tool, arguments)
        began = time.perf_counter()
        reply = await self.client.call_tool(tool, arguments)
        seconds = time.perf_counter() - began
        text = "\n".join(part.text for part in reply.content if part.type == "text")
        size = len(text.encode())
        self.printer.reply(text, size, seconds)
        self.steps.append((f"{tool}: {why}", size, seconds))
        if reply.is_error:
            raise Failed(f"{tool} was refused: {text}")
        return reply.structured_content


async def converse(talk: Conversation) -> dict:
    """The conversation; gives what is to be checked."""
    await talk.ask("What data is there?", "list_data")
    await talk.ask("What is in flights?", "describe_data", data="flights")
    delays = await talk.ask(
        "Which five carriers' mean arrival delay grew most from the third quarter to the fourth?",
        "run_python",
        code=DELAYS,
        inputs={"flights": "flights", "airlines": "airlines"},
    )
    table = delays["outputs"]["by_quarter"]["dataRef"]
    joined = await talk.ask(
        "Was it the weather? The output of the last step is an input of this one.",
        "run_python",
        code=WEATHER,
        inputs={"delays": table, "weather": "weather"},
    )
    second = joined["outputs"]["delay_and_weather"]["dataRef"]
    csv = await talk.ask(
        "The table, please, as CSV", "export_data", data=table, format="csv", name="by_quarter"
    )
    xlsx = await talk.ask(
        "and as a workbook.", "export_data", data=table, format="xlsx", name="by_quarter"
    )
    trace = await talk.ask("Where does the last table come from?", "trace_result", data=second)
    return {"delays": delays, "joined": joined, "csv": csv, "xlsx": xlsx, "trace": trace}


def same(what: str, room, native):
    if room != native:
        raise Failed(f"{what}: the room says {room!r}, native pandas says {native!r}")


def native(code: str, variables: dict) -> tuple[object, dict]:
    """The same script, in this process, by native pandas on native files."""
    scope = {**variables, "outputs": {}}
    exec(code, scope)
    return scope["result"], scope["outputs"]


def check(got: dict, data: Path):
    """Holds the room's answers against native pandas."""
    frames = {p.stem: pd.read_csv(p) for p in sorted(data.glob("*.csv"))}
    result, outputs = native(DELAYS, frames)
    by_quarter = outputs["by_quarter"]
    same("the five carriers", plain(got["delays"]["result"]), plain(result))
    result, outputs = native(WEATHER, {"delays": by_quarter, "weather": frames["weather"]})
    same("delays and weather", plain(got["joined"]["result"]), plain(result))
    # The carriers' means put together again are the mean of all that arrived.
    quarter = (frames["flights"]["month"] - 1) // 3 + 1
    straight = frames["flights"].groupby(quarter)["arr_delay"].mean().round(3).tolist()
    same("delays", [row["mean_delay"] for row in plain(got["joined"]["result"])], straight)

    for name, read in (("csv", pd.read_csv), ("xlsx", pd.read_excel)):
        exported = read(got[name]["file"])
        same(f"{name}: columns", list(exported), list(by_quarter))
        same(f"{name}: rows", got[name]["rows"], len(by_quarter))
        pd.testing.assert_frame_equal(exported, by_quarter, check_dtype=False, rtol=1e-12)
    if DELAYS not in texts(got["trace"]):
        raise Failed("the lineage does not hold the first script")


def texts(value) -> list[str]:
    """Every text in a JSON value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    return [value] if isinstance(value, str) else []


def plain(value):
    """Python's own numbers, and floats at a precision that both sides must share."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if hasattr(value, "item"):
        value = value.item()
    return round(value, 9) if isinstance(value, float) else value


def rows_as_json(data: Path) -> tuple[int, int]:
    """Rows of the flights, and their bytes as JSON, which a model without a room
    would have had to read."""
    flights = pd.read_csv(data / "flights.csv")
    return len(flights), len(flights.to_json(orient="records").encode())


async def introduction(client: Client) -> int:
    """Bytes that a model reads before it has asked anything."""
    tools = (await client.list_tools()).tools
    told = [tool.model_dump_json(by_alias=True, exclude_none=True) for tool in tools]
    return sum(len(text.encode()) for text in [client.instructions or "", *told])


def keep(folder: Path, files: list[str]) -> list[Path]:
    """Copies the exported files out of the demo's home, which goes away."""
    folder.mkdir(parents=True, exist_ok=True)
    return [Path(shutil.copy(file, folder)) for file in files]


async def play(binary: Path, data: Path, kept: Path | None, printer: Printer):
    files = []
    with tempfile.TemporaryDirectory(prefix="dataroom-demo-") as home:
        server = StdioServerParameters(
            command=str(binary),
            args=["serve", "--home", home, "--data", str(data)],
            env={**os.environ},
        )
        began = time.perf_counter()
        async with Client(server) as client:
            started = time.perf_counter() - began
            print(f"connected, protocol {client.protocol_version}")
            introduced = await introduction(client)
            talk = Conversation(client, printer)
            got = await converse(talk)
        check(got, data)
        if kept:
            files = keep(kept, [got["csv"]["file"], got["xlsx"]["file"]])
    print(f"\n{printer.paint('1', 'Time and bytes of each step')}")
    steps = [("start, instructions and descriptions of the tools", introduced, started), *talk.steps]
    for what, size, seconds in steps:
        print(f"  {seconds * 1000:8,.0f} ms {size:8,} bytes  {what}")
    rows, whole = rows_as_json(data)
    reached = sum(size for _, size, _ in steps)
    print(
        f"\nReached the model: {reached:,} bytes. The {rows:,} flights as JSON rows: "
        f"{whole:,} bytes, {whole / reached:,.0f} times as much."
    )
    print(
        printer.paint("1;32", "Every number agrees with native pandas ")
        + f"{pd.__version__} on the same files."
    )
    for file in files:
        print(f"For you: {file}")


def main() -> int:
    parser = argparse.ArgumentParser(description="play the demo")
    parser.add_argument("binary", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--keep", type=Path, help="where the exported files stay")
    arguments = parser.parse_args()
    status = 0
    try:
        binary, data = arguments.binary.absolute(), arguments.data.absolute()
        asyncio.run(play(binary, data, arguments.keep, Printer()))
    # The client's task groups wrap what is raised inside them.
    except* (Failed, AssertionError, OSError) as group:
        status = 1
        print(f"\nerror: the demo failed: {'; '.join(map(str, leaves(group)))}", file=sys.stderr)
    return status


def leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for part in error.exceptions for leaf in leaves(part)]
    return [error]


if __name__ == "__main__":
    sys.exit(main())
