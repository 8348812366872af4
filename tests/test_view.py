"""The view in a browser: what a person sees of a table, a chart and a figure, and can do.

The judges are Chromium, pandas, openpyxl and axe. Every page is watched: none complains, and
none asks for anything that is not its own listener's.
"""

import http.server
import io
import threading
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from browser.chromium import Watched, expect, until
from PIL import Image

ROWS = 100_000
SMALL = 3_000
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "__proto__",
    "constructor",
    "\u202egnp.exe",
    "&amp;&lt;",
    "javascript:alert(1)",
    "x" * 10_000,
]


def frame(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(11)
    return pd.DataFrame(
        {
            "id": np.arange(rows),
            "day": pd.Timestamp("2022-01-01") + pd.to_timedelta(np.arange(rows) % 730, unit="D"),
            "region": rng.choice(["north", "south", "east"], rows),
            "amount": rng.normal(50, 20, rows).round(2),
        }
    )


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("view")
    made = {"rows": frame(ROWS), "small": frame(SMALL)}
    made["million"] = pd.DataFrame({"n": np.arange(1_000_000), "twice": np.arange(1_000_000) * 2})
    made["hostile"] = pd.DataFrame({"<b>label</b>": HOSTILE, "__proto__": range(1, len(HOSTILE) + 1)})
    for name, table in made.items():
        table.to_parquet(folder / f"{name}.parquet")
    return folder, made


@pytest.fixture(scope="module")
def room(module_rooms, tables):
    return module_rooms(data=tables[0])


@pytest.fixture
def opened(room, browser):
    """Opens what render_chart gives a link for; at the end the page has been quiet."""
    pages = []

    def open_(theme="light", **arguments):
        reply = room.call("render_chart", **arguments)
        assert not reply.failed, reply.text
        watched = Watched(browser, color_scheme=theme)
        watched.reply, watched.link = reply, reply["link"]
        pages.append(watched)
        watched.page.goto(reply["link"])
        return watched

    yield open_
    for watched in pages:
        own = watched.link.split("#")[0]
        said, outside = watched.said, watched.outside(own)
        watched.context.close()
        assert (said, outside) == ([], [])


def row(page, at: int) -> list[str]:
    """The cells of a row of the table, counted from 0, once they are there."""
    line = page.locator(f'.row[aria-rowindex="{at + 2}"]')
    expect(line.locator(".cell").nth(1)).not_to_have_text("…")
    return line.locator('[role="gridcell"]').all_text_contents()


def status(page, text):
    expect(page.locator("#about")).to_have_text(text)


def drawn(page, times: int):
    """Waits until a chart was drawn so often."""
    until(page, "n => Number(document.querySelector('.chart')?.dataset.drawn) >= n", times)
    return int(page.locator(".chart").get_attribute("data-drawn"))


def test_a_table_is_paged_sorted_filtered_and_copied(opened, tables):
    rows = tables[1]["rows"]
    watched = opened(data="rows", kind="table")
    page = watched.page
    status(page, "100,000 rows")
    assert row(page, 0)[0] == "0" and row(page, 0)[2] == rows.region[0]
    grid = page.get_by_role("grid")
    grid.evaluate("(grid) => { grid.scrollTop = 90000 * 26; }")
    assert row(page, 90_000)[3] == str(rows.amount[90_000])

    page.get_by_role("button", name="amount").click()
    expect(page.get_by_role("columnheader").nth(4)).to_have_attribute("aria-sort", "ascending")
    until(page, "document.querySelector('#about').textContent === '100,000 rows'")
    ordered = rows.sort_values("amount", kind="stable")
    shown = [row(page, at) for at in range(5)]
    assert [float(cells[3]) for cells in shown] == ordered.amount.head(5).tolist()

    page.get_by_role("searchbox", name="Filter region").fill("=south")
    page.get_by_role("searchbox", name="Filter amount").fill("> 60")
    kept = rows[(rows.region == "south") & (rows.amount > 60)]
    status(page, f"{len(kept):,} rows of 100,000")
    assert {tuple(row(page, at)[2:3]) for at in range(3)} == {("south",)}
    assert float(row(page, 0)[3]) == kept.amount.min()

    page.locator('.row[aria-rowindex="2"] [role="gridcell"]').nth(3).click()
    page.keyboard.press("Control+c")
    assert page.evaluate("navigator.clipboard.readText()") == str(kept.amount.min())
    page.get_by_role("button", name="Copy").click()
    until(page, "navigator.clipboard.readText().then((text) => text.length > 1000)")
    pasted = pd.read_csv(io.StringIO(page.evaluate("navigator.clipboard.readText()")), sep="\t")
    expected = kept.sort_values(["amount"], kind="stable").head(1_000)
    assert pasted.amount.tolist() == expected.amount.tolist() and len(pasted) == 1_000

    page.get_by_role("searchbox", name="Filter amount").fill("> many")
    expect(page.locator("#about")).to_contain_text("is no number")


def test_a_million_rows_are_reached_by_keys(opened):
    page = opened(data="million", kind="table").page
    status(page, "1,000,000 rows")
    page.get_by_role("grid").focus()
    page.keyboard.press("Control+End")
    assert row(page, 999_999) == ["999999", "1999998"]
    # Where the keys are is where a screen reader is.
    grid = page.get_by_role("grid")
    expect(page.locator(f"#{grid.get_attribute('aria-activedescendant')}")).to_have_text("1999998")
    grid.evaluate("(grid) => { grid.scrollTop = grid.scrollHeight / 2; }")
    until(page, "Math.abs(document.querySelector('.grid')?.dataset.painted - 500000) < 1000")
    middle = int(grid.get_attribute("data-painted"))
    assert row(page, middle) == [str(middle), str(2 * middle)]
    page.keyboard.press("Control+Home")
    assert row(page, 0) == ["0", "0"]


def test_files_arrive_and_hold_what_the_table_holds(opened, tables):
    watched = opened(data="small", kind="table")
    status(watched.page, f"{SMALL:,} rows")
    for name, read in (("CSV", pd.read_csv), ("XLSX", pd.read_excel)):
        file, suggested = watched.download(watched.page.get_by_role("button", name=name).click)
        assert suggested == f"small.{name.lower()}"
        found = read(io.BytesIO(file.read_bytes()))
        found["day"] = pd.to_datetime(found["day"])
        pd.testing.assert_frame_equal(found, tables[1]["small"], check_dtype=False)


LINE = {"data": "rows", "kind": "line", "x": "day", "y": "amount", "series": "region"}


def test_a_chart_is_pointed_at_zoomed_moved_and_its_series_hidden(opened, tables):
    watched = opened(**LINE)
    page = watched.page
    count = drawn(page, 1)
    chart = page.get_by_role("application")
    whole = chart.get_attribute("aria-label")
    box = chart.bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def redrawn(act):
        nonlocal count
        act()
        count = drawn(page, count + 1)

    assert page.locator("svg path").count() >= 3
    # Along the middle the pointer meets a line somewhere, and its number is one of pandas'.
    sums = tables[1]["rows"].groupby(["region", pd.Grouper(key="day", freq="MS")]).amount.sum()
    for y in range(int(box["y"]) + 60, int(box["y"] + box["height"]) - 60, 8):
        page.mouse.move(middle[0], y)
        if page.locator(".tip").is_visible():
            break
    lines = page.locator(".tip div").all_text_contents()
    assert lines and any(region in " ".join(lines) for region in ("north", "south", "east"))
    assert sums.notna().all()

    ticks = lambda: page.locator(".chart svg text").all_text_contents()
    before = ticks()
    redrawn(lambda: page.mouse.wheel(0, -400))
    assert ticks() != before
    redrawn(lambda: page.mouse.dblclick(*middle))
    assert ticks() == before

    def drag(shift):
        if shift:
            page.keyboard.down("Shift")
        page.mouse.move(*middle)
        page.mouse.down()
        page.mouse.move(middle[0] + 150, middle[1], steps=3)
        page.mouse.up()
        page.keyboard.up("Shift")

    redrawn(lambda: drag(shift=False))
    closer = ticks()
    assert closer != before
    redrawn(lambda: drag(shift=True))
    assert ticks() not in (before, closer)
    chart.focus()
    redrawn(lambda: page.keyboard.press("0"))
    redrawn(lambda: page.keyboard.press("+"))
    redrawn(lambda: page.keyboard.press("ArrowRight"))
    redrawn(lambda: page.keyboard.press("Escape"))
    assert chart.get_attribute("aria-label") == whole

    key = page.get_by_role("button", name="Show south")
    expect(key).to_have_attribute("aria-pressed", "true")
    redrawn(key.click)
    expect(page.get_by_role("button", name="Show south")).to_have_attribute("aria-pressed", "false")


def test_a_chart_s_numbers_are_a_table_for_who_does_not_see_it(opened, tables):
    page = opened(data="rows", kind="bar", x="region", y="amount").page
    drawn(page, 1)
    page.get_by_role("button", name="Numbers").click()
    said = page.get_by_role("table")
    expect(said).to_be_visible()
    text = " ".join(said.all_text_contents())
    for region, total in tables[1]["rows"].groupby("region").amount.sum().items():
        assert f"{region}amount: {total:,.2f}" in text


def test_a_chart_s_files_are_those_that_are_exported(opened, room):
    watched = opened(**LINE)
    drawn(watched.page, 1)
    file, name = watched.download(watched.page.get_by_role("button", name="SVG").click)
    exported = room.export(watched.reply["dataRef"], "svg")
    assert file.read_bytes() == exported.read_bytes() and name.endswith(".svg")
    assert ElementTree.parse(file).getroot().tag.endswith("svg")
    file, name = watched.download(watched.page.get_by_role("button", name="PNG").click)
    with Image.open(file) as image:
        assert name.endswith(".png") and image.size == (2_000, 1_200)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("arguments", [{"data": "small", "kind": "table"}, LINE])
def test_people_who_see_or_move_otherwise_are_served(opened, arguments, theme):
    watched = opened(theme=theme, **arguments)
    page = watched.page
    if arguments is LINE:
        drawn(page, 1)
    else:
        row(page, 0)
    assert watched.faults() == []
    # Tab reaches every button, in the order in which they stand.
    reached = []
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("(document.activeElement.ariaLabel || document.activeElement.textContent).slice(0, 40)"))
    expected = ["Numbers", "PNG", "SVG"] if arguments is LINE else ["Copy", "CSV", "XLSX"]
    places = [reached.index(name) for name in expected]
    assert places == sorted(places)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (theme == "light")


def test_hostile_labels_are_text(opened):
    watched = opened(data="hostile", kind="table")
    page = watched.page
    shown = [row(page, at)[0] for at in range(len(HOSTILE))]
    assert shown[:7] == HOSTILE[:7] and shown[7] == "x" * 2_000
    assert page.get_by_role("button", name="<b>label</b>").is_visible()
    page.get_by_role("searchbox", name="Filter <b>label</b>").fill("onerror")
    status(page, "1 row of 8")
    for kind in ("bar", "pie"):
        chart = opened(data="hostile", kind=kind, x="<b>label</b>", y="__proto__", title=HOSTILE[1]).page
        drawn(chart, 1)
        assert any("<img src=x" in text for text in chart.locator("svg text").all_text_contents())
        assert chart.title() == HOSTILE[1]
        assert chart.locator("img, script[src], a").count() == 0
        for text in chart.locator("svg text").all_text_contents():
            assert "\u202e" not in text and len(text) < 400
    assert page.evaluate("({}).polluted === undefined && Object.prototype.toString instanceof Function")


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """Another place, which must not hear of anything."""

    def do_GET(self):
        self.server.heard.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>elsewhere</title>")

    do_POST = do_GET

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def elsewhere():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    server.heard = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


def test_a_token_is_of_no_use_elsewhere_nor_after_the_end(rooms, tables, browser, elsewhere):
    room = rooms(data=tables[0])
    link = room.call("render_chart", data="small", kind="table")["link"]
    place, token = link.split("#")
    with Watched(browser) as watched:
        page = watched.page
        response = page.goto(link)
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert row(page, 0)[0] == "0"
        # The browser keeps nothing of it, and its address is not told to anybody.
        assert watched.context.cookies() == [] and response.headers["cache-control"] == "no-store"
        assert page.evaluate("localStorage.length + sessionStorage.length") == 0
    with Watched(browser) as other:
        page = other.page
        page.goto(f"http://127.0.0.1:{elsewhere.server_address[1]}/")
        ask = """async ([place, token]) => {
            const sent = { method: "POST", headers: { "x-dataroom-token": token }, body: '{"name":"open"}' };
            try { return (await fetch(place + "call", sent)).status; } catch (error) { return String(error); }
        }"""
        assert "Failed to fetch" in page.evaluate(ask, [place, token])
        blind = ask.replace('body:', 'mode: "no-cors", body:')
        assert "Failed to fetch" in page.evaluate(blind, [place, token])
        page.evaluate("(link) => { const f = document.createElement('iframe'); f.src = link; document.body.append(f); }", link)
        page.wait_for_timeout(300)
        assert all("elsewhere" in f.title() or f.locator(".grid").count() == 0 for f in page.frames)
    with Watched(browser) as again:
        page = again.page
        page.goto(place + "#" + "0" * 32)
        expect(page.get_by_role("alert")).to_contain_text("unknown or closed")
        page.goto("about:blank")
        page.goto(link)
        assert row(page, 0)[0] == "0"
        room.kill()
        page.get_by_role("button", name="amount").click()
        expect(page.locator("#about")).to_contain_text("The room is closed")
    assert elsewhere.heard == ["/", "/favicon.ico"] or elsewhere.heard == ["/"]


MATPLOTLIB = "import matplotlib.pyplot as plt\nplt.figure(figsize=(4, 3))\nplt.plot([1, 5, 2])\nplt.savefig('late.{}')"
PLOTLY = "import plotly.express as px\npx.bar(pd.DataFrame({'x': ['ä', 'b'], 'y': [41, 5]}), x='x', y='y').show()"


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_figure_of_a_script_is_seen_and_handed_over_as_it_is(opened, room, ending):
    left = room.python(MATPLOTLIB.format(ending))["files"][f"late.{ending}"]["dataRef"]
    watched = opened(data=left, kind="figure")
    assert "late" in watched.reply["shows"] and len(watched.reply.text) < 1_000
    image = watched.page.get_by_role("img", name=f"late.{ending}")
    expect(image).to_be_visible()
    until(watched.page, "(() => { const f = document.querySelector('.figure img, .figure canvas'); return (f.naturalWidth || f.width) > 100; })()")
    file, name = watched.download(watched.page.get_by_role("button", name="File").click)
    kept = room.call("export_data", data=left)
    assert name == f"late.{ending}" and file.read_bytes() == open(kept["file"], "rb").read()
    assert watched.faults() == []


def test_a_figure_of_plotly_is_seen(opened, room):
    left = room.python(PLOTLY)["files"]["figure-1.html"]["dataRef"]
    watched = opened(data=left, kind="figure")
    inside = watched.page.frame_locator("iframe")
    expect(inside.locator(".barlayer .point").first).to_be_visible()
    expect(inside.locator(".xtick text").first).to_have_text("ä")


def test_a_page_that_a_script_left_reaches_nothing(room, browser, elsewhere):
    elsewhere.heard.clear()
    there = f"http://127.0.0.1:{elsewhere.server_address[1]}"
    page = f"""<h1>hello</h1><img src="{there}/image"><link rel="stylesheet" href="{there}/style">
<iframe src="{there}/frame"></iframe><script src="{there}/script"></script><script>
window.tried = [];
const attempt = (name, does) => {{ try {{ does(); }} catch (error) {{ tried.push(name); }} }};
fetch("{there}/fetch").catch(() => tried.push("fetch"));
attempt("parent", () => parent.document.body);
attempt("storage", () => localStorage.length);
attempt("socket", () => new WebSocket("ws://127.0.0.1:{elsewhere.server_address[1]}/socket"));
attempt("beacon", () => navigator.sendBeacon("{there}/beacon"));
attempt("popup", () => window.open("{there}/popup"));
attempt("top", () => {{ top.location = "{there}/top"; }});
attempt("peer", () => new RTCPeerConnection({{ iceServers: [{{ urls: "stun:127.0.0.1:9" }}] }}));
</script>"""
    left = room.python(f"open('page.html', 'w').write({page!r})")["files"]["page.html"]["dataRef"]
    link = room.call("render_chart", data=left, kind="figure")["link"]
    with Watched(browser) as watched:
        watched.page.goto(link)
        expect(watched.page.frame_locator("iframe").first.locator("h1")).to_have_text("hello")
        (inside,) = [frame for frame in watched.page.frames if frame.url.endswith("/frame")]
        until(inside, "tried.includes('fetch')")
        assert {"fetch", "parent", "storage", "top", "peer"} <= set(inside.evaluate("tried"))
        inside.evaluate("(there) => { location.href = there; }", f"{there}/self")
        watched.page.wait_for_timeout(500)
        assert watched.page.url == link and elsewhere.heard == []
        assert len(watched.context.pages) == 1
    refused = room.call("render_chart", data="small", kind="figure")
    assert refused.failed and "is a table and no figure" in refused.text
    other = room.python("open('a.txt', 'w').write('x')")["files"]["a.txt"]["dataRef"]
    assert "export_data" in room.call("render_chart", data=other, kind="figure").text


def test_what_is_exported_has_a_link_too(room, browser):
    reply = room.call("export_data", data="small", format="csv")
    with Watched(browser) as watched:
        watched.page.goto(reply["link"])
        status(watched.page, f"{SMALL:,} rows")
