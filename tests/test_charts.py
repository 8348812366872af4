"""Charts: what the model hears of one, and the road by which the person sees it."""

import base64
import io
import json
import urllib.error
import urllib.request
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image


def figure(room, reference: str) -> dict:
    """A kept chart's figure, as the store has it."""
    (file,) = room.home.glob(f"artifacts/*/{reference}.parquet")
    return json.loads(b"".join(pq.read_table(file).column("bytes").to_pylist()))


def post(link: str, name: str, arguments: dict, **headers):
    address, token = link.split("/#")
    sent = {"origin": address, "x-dataroom-token": token, **headers}
    body = json.dumps({"name": name, "arguments": arguments}).encode()
    request = urllib.request.Request(f"{address}/call", data=body, headers=sent)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_bars_are_what_pandas_computes(room, data):
    reply = room.call("render_chart", data="sales", kind="bar", x="region", y="amount")
    assert not reply.failed, reply.text
    bars = figure(room, reply["dataRef"])["plot"]["bars"]
    shown = dict(zip(bars["at"]["categories"], bars["bars"][0]["of"], strict=True))
    sales = pd.read_parquet(data / "sales.parquet")
    assert shown == sales.groupby("region")["amount"].sum().to_dict()
    # The model hears of no value, and of the row that has no region.
    assert len(reply.text) < 1_000 and "north" not in reply.text and "11.75" not in reply.text
    assert any("1 row has no region" in note for note in reply["notes"])


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"kind": "bar", "x": "regoin"}, "nearest: `region`"),
        ({"kind": "line", "x": "day", "y": "region"}, "count or distinct fit"),
        ({"kind": "scatter", "x": "region", "y": "amount"}, "has to be a number or a time"),
        ({"kind": "box", "x": "region"}, "needs `y`"),
        ({"kind": "pie", "x": "region", "y": "amount", "series": "day"}, "takes no `series`"),
        ({"kind": "bra", "x": "region"}, "nearest: `bar`"),
        ({"kind": "bar", "x": "region", "title": "x" * 10_000}, "10000 characters"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_what_fits(room, arguments, words):
    reply = room.call("render_chart", data="sales", **arguments)
    assert reply.failed and words in reply.text, reply.text


def test_a_link_opens_one_thing_for_its_own_page_while_the_server_runs(rooms, data):
    room = rooms(data=data)
    table = room.call("render_chart", data="sales", kind="table")
    link = table["link"]
    assert link.startswith("http://127.0.0.1:") and len(link.split("#")[1]) == 32
    status, answer = post(link, "read_rows", {"offset": 1, "limit": 2, "data": "people"})
    # Whatever it asks for, it is the table that the link opens.
    assert status == 200 and [row[0] for row in answer["rows"]] == ["south", "north"]
    status, answer = post(link, "read_rows", {"offset": 0, "limit": 1, "sort": "amount"})
    assert answer["rows"][0][1] == "-3.0" and answer["total"] == 5
    assert post(link, "open", {}, origin="http://evil.example")[0] == 403
    assert post(link, "open", {}, host="evil.example")[0] == 403
    assert post(link, "open", {}, **{"x-dataroom-token": "0" * 32})[0] == 401
    room.kill()
    with pytest.raises(OSError):
        post(link, "open", {})


def test_what_only_the_view_may_call_does_not_exist_for_a_client_without_views(room):
    listed = room.portal.call(room.client.list_tools)
    assert {tool.name for tool in listed.tools}.isdisjoint({"read_rows", "draw_chart", "save_file"})
    with pytest.raises(Exception, match='unknown tool "read_rows"'):
        room.call("read_rows", data="sales", offset=0, limit=1)


def test_where_no_value_may_be_seen_there_is_no_link_and_no_label(rooms, data):
    room = rooms(data=data, config='[policy]\nvalues = "none"\n')
    reply = room.call("render_chart", data="sales", kind="bar", x="region", y="amount")
    assert not reply.failed and reply.get("link") is None, reply.text
    assert "north" not in reply.text


def test_a_chart_is_exported_as_a_drawing_and_as_pixels(room):
    chart = room.call("render_chart", data="sales", kind="bar", x="region", y="amount")["dataRef"]
    as_it_is = Path(room.call("export_data", data=chart)["file"])
    drawing = Path(room.call("export_data", data=chart, format="svg")["file"])
    pixels = Path(room.call("export_data", data=chart, format="png")["file"])
    assert as_it_is.read_bytes() == drawing.read_bytes()
    texts = "".join(ElementTree.parse(drawing).getroot().itertext())
    assert "amount" in texts and "north" in texts
    with Image.open(pixels) as image:
        assert image.format == "PNG" and image.size == (2_000, 1_200)
        assert len(image.convert("RGB").getcolors(1 << 24)) > 10
    assert room.call("export_data", data=chart, format="csv").failed
    assert "a chart of it first" in room.call("export_data", data="sales", format="png").text


def test_a_report_shows_a_chart_of_the_room(room):
    chart = room.call("render_chart", data="sales", kind="bar", x="region", y="amount")["dataRef"]
    items = [{"text": "# Sales"}, {"chart": chart}]
    page = Path(room.call("export_data", data="sales", format="report", items=items)["file"]).read_text()
    assert "data:image/svg+xml;base64," in page and "<script" not in page


HOSTILE = ["<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "__proto__", "\u202eevil", "a\x00b", "'; DROP TABLE t; --", "=1+1", "x" * 10_000]


def test_hostile_labels_are_text(rooms, tmp_path):
    folder = tmp_path / "hostile"
    folder.mkdir()
    table = pa.table({"na<b>me": HOSTILE, "amount": list(range(1, len(HOSTILE) + 1))})
    pq.write_table(table, folder / "hostile.parquet")
    room = rooms(data=folder)
    reply = room.call("render_chart", data="hostile", kind="bar", x="na<b>me", y="amount", title=HOSTILE[0] + HOSTILE[1])
    assert not reply.failed and len(reply.text) < 1_024, reply.text[:300]
    drawing = Path(room.call("export_data", data=reply["dataRef"])["file"]).read_text()
    root = ElementTree.fromstring(drawing)
    names = {element.tag.rsplit("}")[-1] for element in root.iter()}
    assert names <= {"svg", "title", "desc", "g", "rect", "path", "line", "text", "tspan", "circle", "polyline", "polygon", "clipPath", "defs"}, names
    assert not any(key.startswith("on") for element in root.iter() for key in element.attrib)
    assert "\u202e" not in drawing and "\x00" not in drawing and len(drawing) < 100_000


def test_a_chart_of_ten_million_rows_is_small_and_the_engine_s(rooms, tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    rows = 10_000_000
    numbers = np.arange(rows)
    pq.write_table(pa.table({"at": numbers, "value": np.sin(numbers / 1e6)}), folder / "many.parquet")
    room = rooms(data=folder)
    for kind, given in (("line", {}), ("scatter", {}), ("histogram", {"x": "value"})):
        arguments = {"x": "at", "y": "value", **given} if kind != "histogram" else given
        reply = room.call("render_chart", data="many", kind=kind, **arguments)
        assert not reply.failed and len(reply.text) < 1_024, reply.text
        drawing = Path(room.call("export_data", data=reply["dataRef"])["file"])
        assert drawing.stat().st_size < 600_000
    told = []

    async def hear(done, total, message):
        told.append((done, total, message))

    arguments = {"data": "many", "kind": "scatter", "x": "at", "y": "value"}
    room.portal.call(lambda: room.client.call_tool("render_chart", arguments, progress_callback=hear))
    assert any((total, message) == (rows, "reading rows") for _, total, message in told), told
    assert all(before[0] < after[0] for before, after in zip(told, told[1:]))


@pytest.fixture(scope="module")
def drawn(module_rooms, tmp_path_factory):
    """A frame drawn by chance, and a room with it."""
    rng = np.random.default_rng(7)
    rows = 20_000
    frame = pd.DataFrame(
        {
            "day": pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, rows), unit="D"),
            "region": rng.choice(["north", "south", "east"], rows),
            "product": rng.choice(list("abcdefghij"), rows),
            "amount_eur": np.where(rng.random(rows) < 0.02, np.nan, rng.normal(50, 20, rows).round(2)),
            "score": rng.exponential(3, rows),
        }
    )
    folder = tmp_path_factory.mktemp("drawn")
    frame.to_parquet(folder / "drawn.parquet")
    return module_rooms(data=folder), frame


def plotted(room, **arguments):
    reply = room.call("render_chart", data="drawn", **arguments)
    assert not reply.failed, reply.text
    ((kind, plot),) = figure(room, reply["dataRef"])["plot"].items()
    return kind, plot


def test_boxes_are_those_of_numpy_s_quartiles(drawn):
    room, frame = drawn
    kind, plot = plotted(room, kind="box", x="region", y="amount_eur")
    assert kind == "boxes" and sorted(plot["at"]) == ["east", "north", "south"]
    for region, box in zip(plot["at"], plot["series"][0]["of"], strict=True):
        values = frame.loc[frame.region == region, "amount_eur"].dropna()
        first, median, third = np.quantile(values, [0.25, 0.5, 0.75])
        assert [box[name] for name in ("first", "median", "third")] == pytest.approx([first, median, third])
        reach = 1.5 * (third - first)
        within = values[values.between(first - reach, third + reach)]
        assert (box["low"], box["high"], box["count"]) == (within.min(), within.max(), len(values))
        assert box["outside_count"] == len(values) - len(within)


def test_a_histogram_counts_what_numpy_counts_between_its_edges(drawn):
    room, frame = drawn
    kind, plot = plotted(room, kind="histogram", x="score")
    counts, _ = np.histogram(frame["score"], plot["edges"])
    assert kind == "histogram" and plot["series"][0]["of"] == counts.tolist() and counts.sum() == len(frame)


def test_a_pie_s_slices_are_sums_and_the_rest_is_other(drawn):
    room, frame = drawn
    kind, plot = plotted(room, kind="pie", x="product", y="amount_eur", top=4)
    sums = frame.groupby("product")["amount_eur"].sum().sort_values(ascending=False)
    shown = {slice_["name"]: slice_["of"] for slice_ in plot["slices"]}
    assert kind == "pie" and len(shown) == 5
    for name, total in sums.iloc[:4].items():
        assert shown.pop(name) == pytest.approx(total, rel=1e-9)
    assert list(shown.values()) == pytest.approx([sums.iloc[4:].sum()], rel=1e-9)


def test_a_heatmap_and_a_line_by_series_are_pandas_sums(drawn):
    room, frame = drawn
    kind, plot = plotted(room, kind="heatmap", x="region", y="product", value="score", aggregate="mean")
    means = frame.groupby(["product", "region"])["score"].mean()
    cells = np.array(plot["cells"]).reshape(len(plot["rows"]), len(plot["columns"]))
    assert kind == "heatmap" and cells.shape == (10, 3)
    for at, row in enumerate(plot["rows"]):
        assert cells[at].tolist() == pytest.approx([means[row, column] for column in plot["columns"]])
    kind, plot = plotted(room, kind="line", x="day", y="amount_eur", series="region", aggregate="sum")
    days = np.array(plot["at"]["times"], dtype="datetime64[us]")
    # Put together by whole periods, whose sum is that of the days.
    for line in plot["series"]:
        own = frame[frame.region == line["name"]]
        assert np.nansum(np.array(line["of"], dtype=float)) == pytest.approx(own["amount_eur"].sum())
    assert kind == "lines" and days.min() <= frame["day"].min() and days.max() <= frame["day"].max()


def test_a_picture_reaches_the_model_only_where_the_policy_says_so(rooms, data):
    def shown(config):
        room = rooms(data=data, config=config)
        arguments = {"data": "sales", "kind": "bar", "x": "region", "y": "amount"}
        result = room.portal.call(lambda: room.client.call_tool("render_chart", arguments))
        tools = {tool.name: tool for tool in room.portal.call(room.client.list_tools).tools}
        return result, tools["render_chart"], [part for part in result.content if part.type == "image"]

    result, tool, images = shown("[policy]\nchart_images = true\n")
    (image,) = images
    with Image.open(io.BytesIO(base64.b64decode(image.data))) as picture:
        assert picture.format == "PNG" and picture.size == (1_000, 600)
    # Hosts that give their model the structure would drop the picture: there is none beside it.
    assert result.structured_content is None and tool.output_schema is None
    assert json.loads(result.content[0].text)["view"] == "chart"
    for config in ("", '[policy]\nchart_images = true\nvalues = "none"\n', '[policy]\nchart_images = true\nvalues = "aggregates"\n'):
        result, tool, images = shown(config)
        assert images == [] and result.structured_content and tool.output_schema


def test_what_the_engine_and_the_catalog_warn_of_is_told_with_the_chart(rooms, tmp_path):
    folder = tmp_path / "warned"
    folder.mkdir()
    frame = pd.DataFrame({"city": ["Rome", "rome", "Oslo", "Bern"] * 5, "amount": range(20), "currency": ["EUR"] * 10 + ["USD"] * 10})
    frame.to_parquet(folder / "orders.parquet")
    room = rooms(data=folder)
    spelled = room.call("render_chart", data="orders", kind="bar", x="city")
    assert 'groups differ only in spelling and may be one: "Rome" and "rome"' in spelled["notes"]
    assert len(spelled.text) < 1_000
    mixed = room.call("render_chart", data="orders", kind="histogram", x="amount")
    (note,) = [note for note in mixed["notes"] if "different units" in note]
    assert "EUR in 10 rows, USD in 10 rows" in note and "data.amount" not in note
    refused = room.call("render_chart", data="orders", kind="bar", x="city", y="amount")
    assert refused.failed and "take the column with the units as `x`" in refused.text and "sum(i.v)" not in refused.text
    # Its clean twin: one currency, and no two spellings.
    frame[(frame.currency == "EUR") & (frame.city != "rome")].drop(columns="currency").to_parquet(folder / "clean.parquet")
    notes = room.call("render_chart", data="clean", kind="bar", x="city", y="amount")["notes"]
    assert notes == ["sum of amount by city"]


def test_a_chart_that_nobody_named_is_named_by_its_columns(room):
    for arguments, title in [
        ({"kind": "bar", "x": "region", "y": "amount"}, "amount by region"),
        ({"kind": "bar", "x": "region"}, "Number of rows by region"),
        ({"kind": "bar", "x": "region", "title": "Mine"}, "Mine"),
    ]:
        reply = room.call("render_chart", data="sales", **arguments)
        assert figure(room, reply["dataRef"])["title"] == title
        (entry,) = [a for a in room.call("list_data")["artifacts"] if a["dataRef"] == reply["dataRef"]]
        assert entry["name"] == title


def test_a_pie_of_many_slices_keeps_those_that_can_be_told_apart(rooms, tmp_path):
    folder = tmp_path / "slices"
    folder.mkdir()
    pd.DataFrame({"name": [f"n{at}" for at in range(16)], "size": range(1, 17)}).to_parquet(folder / "slices.parquet")
    room = rooms(data=folder)
    reply = room.call("render_chart", data="slices", kind="pie", x="name", y="size", top=40)
    assert not reply.failed, reply.text
    drawing = Path(room.call("export_data", data=reply["dataRef"])["file"]).read_text()
    colours = {path.attrib["fill"] for path in ElementTree.fromstring(drawing).iter() if path.attrib.get("fill", "none") != "none" and path.tag.endswith("path")}
    assert len(colours) == 10 and ">other<" in drawing and "the 9 largest of 16 slices" in drawing


def test_an_export_has_a_link_and_a_view_where_there_is_one(room):
    written = room.call("export_data", data="sales", format="csv")
    assert written["view"] == "table" and post(written["link"], "open", {})[1]["dataRef"] == "sales"
    report = room.call("export_data", data="sales", format="report")
    assert report["view"] == "file" and report.get("link") is None
