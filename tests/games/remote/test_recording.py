"""What a game at the other end of a WebSocket says and sends, and what is recorded of it."""

import struct
from base64 import b64encode
from typing import Any

import msgspec
import pytest

from playhead.bus.client.client import Client
from playhead.bus.messages.requests import GetLatched, GetPicture
from playhead.bus.messages.responses import FoundPicture, LatchedValues
from playhead.native import _ring
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.statements.statement_queue import MOST, StatementSource

from ...support.pictures import picture_bytes
from .game import GUARD, ROCK, Game, Peer, Served, image


def test_frames_are_recorded_as_they_were_sent(game: Game, tool: Client) -> None:
    for step in range(1, 4):
        game.frame({7: (GUARD, step), 8: (ROCK, 10.0 * step)})
    game.ask(do="status")
    wait_for(game, 3)
    assert [(row.id, row.type, row.values) for row in tool.objects(2)] == [
        (7, "guard", {"hp": 2.0}), (8, "rock", {"hp": 20.0}),
    ]  # fmt: skip
    assert tool.objects(2)[0].position == (2.0, 0.0, 0.0)
    present = tool.snapshot()
    assert present.span is not None
    assert (present.span.start, present.span.end) == (0.1, pytest.approx(0.3))


def test_statements_belong_to_the_frame_that_follows_them(game: Game, tool: Client) -> None:
    for step in range(1, 6):
        for line in range(3):
            game.say(do="log", line={"text": f"{step}.{line}", "file": "ai.lua", "line": 10 + line})
        trace = {"machine": "mood", "source": str(step - 1), "target": str(step), "won": "time"}
        game.say(do="trace_state", agent=7, trace=trace)
        game.say(do="watch", name="speed", value=step / 2, object=7)
        game.frame({7: (GUARD, step)})
    wait_for(game, 5)
    for step in range(1, 6):
        statements = tool.statements(step)
        assert [(line.text, line.file, line.line) for line in statements.log] == [
            (f"{step}.{number}", "ai.lua", 10 + number) for number in range(3)
        ]
        assert [(row.agent, row.state.target) for row in statements.traces if row.state] == [
            (7, str(step))
        ]
        assert statements.watches == [(7, "speed", step / 2)]


def test_a_game_elsewhere_states_inputs_and_phases(game: Game, tool: Client) -> None:
    assert game.ask(do="phase", name="boss fight") == {"is": "done"}
    assert game.ask(do="input", name="pad", value={"A": True, "x": 0.5}, object=7) == {"is": "done"}
    assert game.ask(do="input", name="pad", value=1, object=-7)["kind"] == "recording"
    game.frame({7: (GUARD, 1)})
    game.frame({7: (GUARD, 2)})
    wait_for(game, 2)
    statements = tool.statements(1)
    assert statements.inputs == [(7, "pad", {"A": True, "x": 0.5})]
    assert (statements.phase, tool.statements(2).phase, tool.statements(2).inputs) == (
        "boss fight",
    ) * 2 + ([],)


def test_a_game_elsewhere_states_events_and_pictures(game: Game, tool: Client) -> None:
    jpeg = picture_bytes(text="a")
    shown = b64encode(jpeg).decode()
    assert game.ask(do="event", name="hit", value={"damage": 3}, object=7) == {"is": "done"}
    assert game.ask(do="event", name="hit") == {"is": "done"}
    assert game.ask(do="picture", data=shown, width=8, height=4) == {"is": "done"}
    refused = game.ask(do="picture", data=shown, format="png")
    assert refused["kind"] == "recording"
    assert "which is no png" in refused["message"]
    assert game.ask(do="picture", data="not base64!")["kind"] == "malformed"
    assert game.ask(do="event", name="hit", object=-7)["kind"] == "recording"
    game.frame({7: (GUARD, 1)})
    wait_for(game, 1)
    assert tool.statements(1).events == [(7, "hit", {"damage": 3}), (0, "hit", None)]
    found = tool.asked(GetPicture(1), FoundPicture)
    assert found == FoundPicture(1, "screen", "jpeg", 8, 4, jpeg)
    result = game.ask(do="get_picture", frame=1)
    assert result == {
        "is": "picture", "frame": 1, "name": "screen", "format": "jpeg", "width": 8, "height": 4,
        "data": shown,
    }  # fmt: skip
    assert game.ask(do="get_picture", frame=1, name="map") == {"is": "picture", "frame": 0}


def test_a_statement_is_answered_where_it_is_counted_and_where_it_fails(game: Game) -> None:
    assert game.ask(do="log", line={"text": "counted"}) == {"is": "done"}
    game.say(do="log", line={"text": "not counted"})
    refused = game.ask(do="draw", shape="blob", points=[[0, 0, 0]])
    assert refused["is"] == "error"
    assert refused["kind"] == "recording"
    game.say(do="draw", shape="blob", points=[[0, 0, 0]])
    game.frame({7: (GUARD, 1)})
    complaint = game.answer(0)
    assert "blob" in complaint["message"]


def test_what_a_step_says_too_much_of_is_refused_and_the_rest_recorded(
    game: Game, tool: Client
) -> None:
    for number in range(MOST[StatementSource.STEP]):
        game.say(do="watch", name=f"w{number % 10}", value=number)
    assert game.ask(do="watch", name="more", value=1)["kind"] == "capacity"
    game.frame({7: (GUARD, 1)})
    wait_for(game, 1)
    assert len(tool.statements(1).watches) == 10
    assert tool.status().recorder["calls_dropped"] == 1


def test_a_named_object_that_is_gone_from_the_frames_is_forgotten(game: Game, tool: Client) -> None:
    game.say(do="name", object=7, name="Bob")
    game.say(do="name", object=8, name="Rocky")
    game.frame({7: (GUARD, 1), 8: (ROCK, 1)})
    game.frame({7: (GUARD, 1)})
    game.frame({7: (GUARD, 1), 8: (ROCK, 1)})
    wait_for(game, 3)
    assert {row.id: row.name for row in tool.objects(1)} == {7: "Bob", 8: "Rocky"}
    assert {row.id: row.name for row in tool.objects(3)} == {7: "Bob", 8: ""}


def test_a_skeleton_is_latched_under_the_number_that_packets_refer_to(
    game: Game, serving: Served
) -> None:
    game.ask(do="define_type", number=40, name="rig", fields=[["skeleton", "<i4", []]],
             tail="<f4", tail_shape=[3, 4], tail_name="joints", space="model",
             roles={"joints": "joints"})  # fmt: skip
    assert game.ask(do="define_skeleton", type=40, number=0, name="biped", joints=["root", "arm"],
                    parents=[-1, 0]) == {"is": "done"}  # fmt: skip
    for parents in ([0], [1, 2, 1], [-1, 7], [-1]):
        joints = ["a", "b", "c"][: max(len(parents), 2)]
        knot = {"number": 1, "name": "knot", "joints": joints, "parents": parents}
        assert game.ask(do="define_skeleton", type=40, **knot)["kind"] == "recording"
    payload = struct.pack("<i24f", 0, *range(24))
    origin = (0.0, 0.0, 0.0)
    packet = (9, 40, True, 0, origin, origin, 0, 0, payload)
    game.socket.send(_ring.image_encode(1, 1.0, 0.1, 0, [packet]))
    wait_for(game, 1)
    latched = serving.session.source.latched(1, 0, Kind.SKELETON, "rig/0")
    assert latched == {"name": "biped", "joints": ["root", "arm"], "parents": [-1, 0]}
    values = game.ask(do="objects", frame=1)["objects"][0]["values"]
    assert values["skeleton"] == 0
    assert values["joints"][1] == [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]


def test_what_the_game_says_of_itself_is_recorded(serving: Served) -> None:
    conventions = {"up": "y", "handedness": "left", "unit": "cm", "angles": ["y", "x", "z"]}
    with Game(serving.url, conventions=conventions, about={"build": "1.2", "lives": 3}) as game:
        game.frame({7: (GUARD, 1)})
        wait_for(game, 1)
        with Peer(serving.url) as tool:
            welcome = tool.hello("late")
    assert welcome["game"] == {"game": "test game", "build": "1.2", "lives": 3}
    assert welcome["conventions"] == conventions


def test_types_that_make_no_sense_are_refused(game: Game) -> None:
    refused = [
        game.ask(do="define_type", number=5, name="low"),
        game.ask(do="define_type", number=70_000, name="high"),
        game.ask(do="define_type", number=50, name=""),
        game.ask(do="define_type", number=50, name=".line"),
        game.ask(do="define_type", number=50, name="odd", fields=[["x", "<q9", []]]),
        game.ask(do="define_type", number=50, name="python", fields=[["x", "O", []]]),
        game.ask(
            do="define_type", number=50, name="huge", fields=[["x", "<f8", [2**31, 2**31, 2**31]]]
        ),
        game.ask(
            do="define_type", number=50, name="twice", fields=[["x", "<f4", []], ["x", "<f4", []]]
        ),
        game.ask(do="define_skeleton", type=50, number=0, name="s", joints=[], parents=[]),
    ]
    assert {answer["is"] for answer in refused} == {"error"}
    assert game.ask(do="define_type", number=50, name="good") == {"is": "done"}


def test_a_type_with_a_nameless_field_keeps_nobody_from_asking_for_the_types(
    game: Game, tool: Client
) -> None:
    fields = [["", "<f4", []], ["", "<i2", [2]]]
    assert game.ask(do="define_type", number=50, name="odd", fields=fields) == {"is": "done"}
    game.frame({7: (GUARD, 1)})
    wait_for(game, 1)
    [row] = [row for row in tool.types(1).types if row.name == "odd"]
    assert [field[0] for field in row.fields] == ["f0", "f1"]


def damaged(whole: bytes) -> dict[str, bytes]:
    """A frame with something wrong in it, by what is wrong."""

    def with_bytes(at: int, new: bytes) -> bytes:
        changed = bytearray(whole)
        changed[92:96] = bytes(4)  # no check: each is to be found by itself
        changed[at : at + len(new)] = new
        return bytes(changed)

    return {
        "empty": b"",
        "short": whole[:50],
        "cut off": whole[:-8],
        "uneven": whole[:-3],
        "too long": whole + bytes(8),
        "text": b"{}" * 100,
        "time is no number": with_bytes(24, struct.pack("<d", float("nan"))),
        "delta is negative": with_bytes(32, struct.pack("<d", -1.0)),
        "count": with_bytes(80, struct.pack("<I", 9)),
        "id 0": with_bytes(120, bytes(8)),
        "huge id": with_bytes(120, b"\xff" * 8),
        "type": with_bytes(128, struct.pack("<H", 99)),
        "link": with_bytes(132, struct.pack("<I", 7)),
        "run's next": with_bytes(96, struct.pack("<I", 1)),
        "latched": with_bytes(118, struct.pack("<H", 1)),
        "latched, long enough": latched(),
        "check": whole[:92] + b"\1\2\3\4" + whole[96:],
        "undeclared": _ring.image_encode(1, 1.0, 0.1, 0, [
            (7, 44, True, 0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0, 0, b"1234")
        ]),
        "line": _ring.image_encode(1, 1.0, 0.1, 0, [
            (7, 1, True, 0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0, 0, b"1234")
        ]),
    }  # fmt: skip


def latched() -> bytes:
    """A frame whose one packet says that it is latched."""
    origin = (0.0, 0.0, 0.0)
    packet = (7, GUARD, True, 0, origin, origin, 0, 0, bytes(64))
    image = bytearray(_ring.image_encode(1, 1.0, 0.1, 0, [packet]))
    image[118:120] = struct.pack("<H", 1)
    image[92:96] = bytes(4)
    return bytes(image)


@pytest.mark.parametrize("what", damaged(image({7: (GUARD, 1)}, 1.0)))
def test_a_damaged_frame_costs_only_itself(game: Game, tool: Client, what: str) -> None:
    game.frame({7: (GUARD, 1)})
    game.say(do="log", line={"text": "kept"})
    game.socket.send(damaged(image({7: (GUARD, 2)}, 1.0))[what])
    refused = game.answer(0)
    assert (refused["is"], refused["kind"]) == ("error", "damaged")
    game.frame({7: (GUARD, 3)})
    wait_for(game, 2)
    assert tool.status().bus.frames_refused == 1
    assert [row.values["hp"] for row in tool.objects(2)] == [3.0]
    assert [line.text for line in tool.statements(2).log] == ["kept"]


def test_a_game_need_not_fill_in_what_the_service_knows_better(game: Game, tool: Client) -> None:
    whole = bytearray(image({7: (GUARD, 5)}, 0.1))
    whole[0:24] = bytes(24)  # id, previous, next
    whole[56:64] = bytes(8)  # jump
    whole[92:96] = bytes(4)  # check
    game.socket.send(bytes(whole))
    wait_for(game, 1)
    assert [row.values["hp"] for row in tool.objects(1)] == [5.0]


def test_objects_of_a_channel_that_is_off_are_left_out(
    game: Game, serving: Served, tool: Client
) -> None:
    game.ask(do="define_type", number=40, name="spark", fields=[["hp", "<f4", []]], channels=["fx"])
    game.frame({7: (GUARD, 1), 9: (40, 2)})
    wait_for(game, 1)
    serving.session.recorder.channels.record("fx", False)
    game.frame({7: (GUARD, 1), 9: (40, 2)})
    wait_for(game, 2)
    assert [row.id for row in tool.objects(1)] == [7, 9]
    assert [row.id for row in tool.objects(2)] == [7]
    assert serving.session.source.recorded_types(1) == {"guard", "rock", "spark"}
    assert serving.session.source.recorded_types(2) == {"guard", "rock"}


def test_what_json_can_not_say_is_answered_all_the_same(game: Game, tool: Client) -> None:
    game.ask(do="define_type", number=40, name="bag", tail="msgpack")
    origin = (0.0, 0.0, 0.0)
    content = msgspec.msgpack.encode(msgspec.msgpack.Ext(5, b"x"))
    packet = (9, 40, True, 0, origin, origin, 0, 0, content)
    game.socket.send(_ring.image_encode(1, 1.0, 0.1, 0, [packet]))
    wait_for(game, 1)
    for _ in range(40):  # more than may be under way
        answer = game.ask(do="objects", frame=1)
        assert (answer["kind"], "JSON" in answer["message"]) == ("damaged", True)
    assert tool.objects(1)[0].values["tail"] == msgspec.msgpack.Ext(5, b"x")


def test_ids_that_a_double_does_not_hold_come_back_as_text(game: Game) -> None:
    large = 2**63 - 1
    game.frame({large: (GUARD, 1), 2**53 - 1: (ROCK, 1)})
    game.say(do="name", object=str(large), name="Goliath")
    game.frame({large: (GUARD, 1)})
    wait_for(game, 2)
    assert [row["id"] for row in game.ask(do="objects", frame=1)["objects"]] == [
        str(large), 2**53 - 1,
    ]  # fmt: skip
    assert game.ask(do="objects", frame=2)["objects"][0]["name"] == "Goliath"


def test_a_step_that_the_game_did_not_finish_leaves_nothing(serving: Served, tool: Client) -> None:
    with Game(serving.url) as game:
        game.frame({7: (GUARD, 1)})
        assert game.ask(do="log", line={"text": "last words"}) == {"is": "done"}
        half = image({7: (GUARD, 2)}, 0.2)
        game.socket.socket.sendall(b"\x82\x80" + bytes(4) + half[:40])
        game.kill()
    with again(serving.url) as game:
        game.frame({7: (GUARD, 3)})
        wait_for(game, 2)
    assert [row.values["hp"] for row in tool.objects(2)] == [3.0]
    assert tool.statements(2).log == []


@pytest.mark.parametrize("clock", [0.0, 50.0])
def test_a_game_that_reloads_opens_an_epoch_whatever_its_clock_shows(
    serving: Served, tool: Client, clock: float
) -> None:
    with Game(serving.url) as game:
        for step in range(5):
            game.frame({7: (GUARD, step), 8: (ROCK, 1)})
        wait_for(game, 5)
    with again(serving.url) as game:
        game.clock = clock
        game.frame({7: (GUARD, 100)})
        game.frame({7: (GUARD, 101)})
        wait_for(game, 7)
    assert [serving.session.source.stamp(frame).epoch for frame in (5, 6, 7)] == [0, 1, 1]
    times = [serving.session.source.stamp(frame).time for frame in range(1, 8)]
    assert times == sorted(times)
    assert times[6] - times[4] == pytest.approx(0.1)
    assert [mark.kind for mark in tool.marks()] == ["epoch"]


def test_a_type_with_another_layout_is_another_type_under_that_name(
    serving: Served, tool: Client
) -> None:
    with Game(serving.url) as game:
        game.frame({7: (GUARD, 1)})
        wait_for(game, 1)
        first = latched_types(tool, 1)
    with again(serving.url) as game:
        game.frame({7: (GUARD, 2)})
        wait_for(game, 2)
        assert latched_types(tool, 2) == first  # the same layout has the same number
        game.ask(do="define_type", number=GUARD, name="guard", fields=[["mana", "<f4", []]])
        game.frame({7: (GUARD, 3)})
        wait_for(game, 3)
    assert [row.values for row in tool.objects(2)] == [{"hp": 2.0}]
    assert [row.values for row in tool.objects(3)] == [{"mana": 3.0}]
    assert len(latched_types(tool, 3)) == len(first) + 1


def latched_types(tool: Client, frame: int) -> list[int]:
    rows = tool.asked(GetLatched(frame), LatchedValues).rows
    return sorted(key for _, kind, key, *_ in rows if kind == Kind.TYPE)


def again(url: str) -> Game:
    """Another game, as soon as the one before is known to be gone."""
    while True:
        try:
            return Game(url)
        except AssertionError:
            continue


def wait_for(game: Peer, frame: int) -> None:
    """Until this frame is recorded; asking goes round through the service each time."""
    while True:
        present: Any = game.ask(do="snapshot")
        if present["span"] is not None and present["span"][1] >= frame:
            return


@pytest.mark.parametrize("size", [0, 2, 8, 12])
def test_a_payload_of_another_size_than_declared_is_refused(
    serving: Served, game: Game, size: int
) -> None:
    game.frame({7: (GUARD, 100.0)})
    payload = struct.pack("<d", 100.0).ljust(16, b"\0")[:size]
    here = (0.0, 0.0, 0.0)
    game.socket.send(
        _ring.image_encode(1, 9.0, 0.1, 0, [(8, GUARD, True, 0, here, here, 0, 0, payload)])
    )
    error = game.answer(0)
    assert error["kind"] == "damaged"
    for word in ("object 8", "'guard'", f"{size} bytes", "4 bytes"):
        assert word in error["message"]
    assert serving.service.status.frames_refused == 1
    game.frame({7: (GUARD, 50.0)})
    wait_for(game, 2)


def test_a_tail_has_whole_elements(serving: Served, game: Game) -> None:
    asked = game.ask(do="define_type", number=40, name="chain", fields=[["hp", "<f4", []]],
                     tail="<f4", tail_shape=[3])  # fmt: skip
    assert asked == {"is": "done"}
    here = (0.0, 0.0, 0.0)
    for size in (4, 16, 28, 20):
        game.socket.send(_ring.image_encode(
            1, float(size), 0.1, 0, [(8, 40, True, 0, here, here, 0, 0, bytes(size))]
        ))  # fmt: skip
    error = game.answer(0)
    assert "20 bytes" in error["message"]
    assert "4 bytes and any number of times 12" in error["message"]
    wait_for(game, 3)


SAID = [
    {"do": "name", "object": 7, "name": "Old"},
    {"do": "fact", "object": 7, "key": "mood", "value": "bad"},
    {"do": "fact", "object": 0, "key": "level", "value": "old"},
    {"do": "define_tree", "agent": 7, "tree": "brain", "nodes": [{"name": "root"}]},
    {"do": "trace_state", "agent": 7,
     "trace": {"machine": "m", "source": "a", "target": "b", "won": "c"}},
    {"do": "trace_state", "agent": 0,
     "trace": {"machine": "w", "source": "a", "target": "b", "won": "c"}},
    {"do": "draw", "shape": "line", "points": [[0, 0, 0], [1, 1, 1]], "object": 7, "latch": "x"},
    {"do": "draw", "shape": "line", "points": [[0, 0, 0], [1, 1, 1]], "latch": "y"},
    {"do": "define_skeleton", "type": GUARD, "number": 1, "name": "s", "joints": ["a"],
     "parents": [-1]},
    {"do": "name", "object": 99, "name": "nowhere in a frame"},
]  # fmt: skip
OF_GAMES = {Kind.NAME, Kind.STATE, Kind.TREE, Kind.SKELETON, Kind.DRAWN, Kind.FACT}


@pytest.mark.parametrize("looks", [False, True])
def test_a_second_game_begins_with_nothing_latched(
    serving: Served, tool: Client, looks: bool
) -> None:
    with Game(serving.url) as first:
        for message in SAID:
            first.say(**message)
        first.frame({7: (GUARD, 1.0)})
        wait_for(first, 1)
    assert len(latched_of_games(tool, 1)) == len(SAID)
    if looks:
        tool.enter()
    with Game(serving.url) as second:
        if looks:
            tool.leave()
        second.say(do="fact", object=7, key="fresh", value=1)
        second.frame({7: (GUARD, 2.0)})
        while serving.session.status.frames < 2:
            pass
        found = latched_of_games(tool, 2)
        assert [row[:2] for row in found] == [(7, Kind.FACT)]
        assert tool.objects(2)[0].name == ""
        assert len(latched_of_games(tool, 1)) == len(SAID)  # what was, was


def latched_of_games(tool: Client, frame: int) -> list[Any]:
    answer = tool.asked(GetLatched(frame), LatchedValues)
    return [row for row in answer.rows if row[1] in OF_GAMES]
