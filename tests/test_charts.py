"""Charts: what the model hears of one, and the road by which the person sees it."""

import json
import urllib.error
import urllib.request

import pandas as pd
import pyarrow.parquet as pq
import pytest


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
