"""Valid input to begin with: of each message and each image one."""

import msgspec

from playhead.bus.messages.events import LinesLogged, SpanChanged
from playhead.bus.messages.message import PROTOCOL, Message, PlayheadTime
from playhead.bus.messages.message_types import Event, Request, RequestBody, Response
from playhead.bus.messages.msgpack_codec import packed
from playhead.bus.messages.requests import Hello
from playhead.bus.messages.responses import ErrorResponse
from playhead.native import _ring
from playhead.native.ring_type_aliases import RawPacket
from playhead.recorder.packets.log_lines import LogLine
from playhead.recorder.packets.recorded_frame import FrameRange
from playhead.recorder.packets.trace_types import AnimationFrame, StateTransition, TreeTick
from playhead.recorder.statements.statement_messages import LogEntry, TransitionStatement

VALUES = {
    "frame": 3, "frames": 1, "time": 0.5, "game_time": 0.5, "start": 1, "end": 2, "name": "a",
    "channel": "ai", "on": True, "object": 1, "rate": 1.0, "kind": 3, "key": 0, "limit": 9,
    "agent": 1, "value": {"a": [1, 2.5, None]}, "message": "m", "points": [[0, 1, 2], [3, 4, 5]],
    "shape": "line", "tree": "t", "nodes": [{"name": "n"}], "line": {"text": "t"},
    "text": "t", "protocol": list(PROTOCOL), "number": 40, "type": 40, "joints": ["a"],
    "parents": [-1], "path": "/nowhere/a.mcap", "pre": 1.0, "post": 1.0,
    "fields": [["hp", "<f4", []]], "topics": ["log"], "decider": "d",
    "inputs": {"a": [1, 2.5, None]}, "target": "b", "won": "w", "outcome": {"c": 1},
    "maker": {"kind": "function"},
    "data": b"\xff\xd8\xff\xe0jpeg", "format": "jpeg", "width": 640, "height": 480,
    "body": {"a": [1, 2.5, None]}, "id": 1, "change": "remove", "field": "hp",
    "hook": {"kind": "break", "location": {"on": "node", "name": "n"}, "object": 1},
}  # fmt: skip
OTHERWISE = {
    ("watch", "value"): 1.5, ("fact", "key"): "a", ("subscribe", "time"): True,
    ("mark", "kind"): "a", ("edit_key", "key"): "a",
    ("serve", "names"): ["a", "b"], ("return", "call"): 1, ("return", "refused"): True,
    ("return", "error"): "no", ("register_game", "pads"): 1,
}  # fmt: skip
"""Where a field of the same name is of another kind."""
TRACES = {
    "trace_state": StateTransition("m", "a", "b", "w"),
    "trace_tree": TreeTick("t", ("running",)),
    "trace_animation": AnimationFrame("t", ()),
}
AT = (1.0, 2.0, 3.0)
PACKETS: list[RawPacket] = [
    (1, 40, True, 0, AT, AT, 1, 0, b"hello"),
    (2, 40, False, 2, AT, AT, 1, 0, b"world"),
    (3, 41, True, 0, AT, AT, 0, 0, b""),
    (4, 42, True, 0, AT, AT, 0, 0, bytes(200)),
]


def requests() -> list[bytes]:
    """A request for each ask of the protocol."""
    made = []
    for kind in msgspec.inspect.type_info(RequestBody).types:  # type: ignore[attr-defined]
        request = {"do": kind.tag}
        for field in kind.fields:
            if field.name == "trace":
                request["trace"] = msgspec.to_builtins(TRACES[kind.tag])
            elif field.name == "line" and kind.tag != "log":
                request["line"] = 7
            elif (kind.tag, field.name) in OTHERWISE:
                request[field.name] = OTHERWISE[kind.tag, field.name]
            elif field.name in VALUES and field.name != "game_time":
                request[field.name] = VALUES[field.name]
        made.append(msgspec.msgpack.encode({"origin": "fuzz#1", "sequence": 1, "ask": request}))
    return made


def messages() -> list[bytes]:
    """Answers, events and times."""
    samples: list[Message] = [
        Response(origin="s", sequence=1, body=ErrorResponse("busy", "no time")),
        Event(origin="s", sequence=2, event=SpanChanged(FrameRange(1, 9, 0.0, 1.0))),
        Event(origin="s", sequence=3, event=LinesLogged(4, 0.5, [LogLine("x")])),
        PlayheadTime(origin="a#1", sequence=4, mode="paused", frame=3, hidden=frozenset({"ai"})),
        Request(origin="", sequence=1, body=Hello("x", PROTOCOL)),
        Request(origin="", sequence=1, body=LogEntry(LogLine("x"))),
        Request(
            origin="", sequence=1, body=TransitionStatement(1, StateTransition("m", "a", "b", "w"))
        ),
    ]
    return [packed(message) for message in samples]


def images() -> list[bytes]:
    """Frames by themselves, small and a little larger."""
    return [
        _ring.image_encode(5, 1.25, 0.5, 2, PACKETS[:count]) for count in range(len(PACKETS) + 1)
    ]
