"""The messages: what the contract's page says is what the code has; bytes of any kind are taken."""

import itertools
import re
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.bus.messages import message_types as protocol
from playhead.bus.messages.address import DEFAULT_PORT
from playhead.bus.messages.events import SpanChanged
from playhead.bus.messages.message import MOST_BYTES, MOST_ROWS, PROTOCOL, Message, PlayheadTime
from playhead.bus.messages.message_types import Event, Request, Response, agrees
from playhead.bus.messages.msgpack_codec import (
    Envelope,
    envelope_of,
    event_of,
    packed,
    request_of,
    response_of,
    time_of,
)
from playhead.bus.messages.requests import Call, Hello, HoldPad, ReportFailedCheck
from playhead.bus.messages.response_rows import BusStatus, ObjectRow, TraceRow
from playhead.bus.messages.responses import CommandDone, Done, ErrorResponse, StatusReport, Welcome
from playhead.errors import DamagedError
from playhead.playback.commands import Command, Enter, Step, validated
from playhead.playback.pads.pad import Button
from playhead.playback.playback_state import Mode, PlaybackState
from playhead.recorder.packets.layouts.plain_value_codec import decode
from playhead.recorder.packets.log_lines import LogLine
from playhead.recorder.packets.recorded_frame import FrameRange
from playhead.recorder.packets.trace_types import AnimationFrame, StateTransition, TreeTick

DOCUMENT = (Path(__file__).resolve().parents[3] / "docs" / "protocol.md").read_text()
READERS = (request_of, response_of, event_of, time_of)


def by_tag(union: Any) -> dict[str, Any]:
    return {kind.__struct_config__.tag: kind for kind in get_args(union)}


def section(title: str) -> str:
    """The text under a heading, up to the next one."""
    begin = DOCUMENT.index(f"# {title}\n")
    end = re.search(r"^#+ ", DOCUMENT[begin + len(title) :], re.M)
    return DOCUMENT[begin : len(DOCUMENT) if end is None else begin + len(title) + end.start()]


def table(text: str) -> dict[str, str]:
    """The first table's rows: the names in the first column, and the rest of the row."""
    rows: dict[str, str] = {}
    lines = text.splitlines()
    ruled = next(n for n, line in enumerate(lines) if line.startswith("|---"))
    for line in itertools.takewhile(lambda line: line.startswith("|"), lines[ruled + 1 :]):
        found = re.match(r"\| (`[a-z_`, ]+`) \|(.*)", line)
        for name in re.findall("`(.+?)`", found[1]) if found else []:
            rows[name] = found[2]
    assert rows
    return rows


def documented(title: str) -> dict[str, str]:
    return table(section(title))


def names(text: str) -> set[str]:
    """All words in code type, without the values that a few of them can have."""
    return set(re.findall(r"`([a-z_]+)`", text))


def fields(kind: Any) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(kind)}


ASKS = by_tag(protocol.RequestBody)
COMMANDS = by_tag(Command)
QUESTIONS = by_tag(protocol.Question)
STATEMENTS = by_tag(protocol.Statement | ReportFailedCheck)
SAVING = by_tag(protocol.ClipRequest)
PADS = {"pad": HoldPad}
CALLS = {"call": Call}
HOOKS = by_tag(protocol.HookRequest)


def test_the_page_is_of_this_version():
    assert DOCUMENT.startswith(f"# The bus, protocol {PROTOCOL[0]}.{PROTOCOL[1]}\n")
    assert f'"protocol": [{PROTOCOL[0]}, {PROTOCOL[1]}]' in DOCUMENT
    assert f"tcp://127.0.0.1:{DEFAULT_PORT}" in DOCUMENT


@pytest.mark.parametrize(
    ("title", "union"),
    [
        ("Commands", COMMANDS),
        ("Questions", QUESTIONS),
        ("Statements", STATEMENTS),
        ("Pads", PADS),
        ("Calls", CALLS),
        ("Clips", SAVING),
        ("Hooks and edits", HOOKS),
    ],
)
def test_every_ask_is_in_its_table_with_all_its_fields_and_no_other_is(title, union):
    rows = documented(title)
    # `loop_off` stands in the row of the command that it ends.
    result = set(rows) | (set(names(rows["loop"])) & {"loop_off"} if "loop" in rows else set())
    assert result == set(union)
    for name, row in rows.items():
        columns = row.split("|")
        expected, message = fields(union[name]), names(columns[0])
        if title == "Statements":
            expected -= {"time", "game_time"}
        assert expected <= message, f"{name}: {expected - message} are not documented"
        if title != "Statements":  # there the fields of traces stand in the same column
            assert message - {"loop_off"} <= expected, f"{name}: {message - expected} do not exist"


def test_which_statements_may_carry_an_instant_is_as_the_page_says():
    placed = [name for name in documented("Statements") if "time" in fields(STATEMENTS[name])]
    assert placed == list(documented("Statements"))[:7]
    assert "The first seven in the table" in section("Statements")


def test_optional_fields_are_marked_so_and_needed_ones_are_not():
    for title, union in (("Commands", COMMANDS), ("Questions", QUESTIONS), ("Pads", PADS),
                         ("Calls", CALLS), ("Clips", SAVING)):  # fmt: skip
        for name, row in documented(title).items():
            for field in msgspec.structs.fields(union[name]):
                marked = re.search(rf"`{field.encode_name}`\?", row.split("|")[0]) is not None
                needed = field.default is msgspec.NODEFAULT
                assert marked != needed, f"{name}.{field.name}"


def test_every_button_is_given_with_its_bit():
    result = re.search(r"`buttons` is the sum.*?not touched", section("Pads"), re.S)[0]
    bits = {int(bit) for bit in re.findall(r"\b(\d+)\b", result)}
    assert bits == {int(button) for button in Button}


def test_every_topic_is_in_its_table_with_its_fields():
    events = by_tag(protocol.EventBody)
    rows = documented("Events")
    assert set(rows) == set(events) == set(protocol.TOPICS)
    for name, row in rows.items():
        assert fields(events[name]) <= names(row)


def test_every_field_of_a_time_is_in_the_example():
    assert fields(PlayheadTime) == set(re.findall(r'"([a-z_]+)":', section("Time")))


def test_every_field_of_what_is_shown_is_reported():
    result = section("Commands").split("`state`:")[1]
    assert fields(PlaybackState) - {"mode"} <= names(result)
    assert {mode.value for mode in Mode} <= names(result)


def test_answers_to_questions_have_the_fields_that_the_table_says():
    results = by_tag(protocol.ResponseBody)
    kinds = {"find_frame": "found", "get_picture": "picture"}
    for name, row in documented("Questions").items():
        result = results[kinds.get(name, name)]
        assert fields(result) - {"frame"} <= names(row.split("|")[1]), name
    assert fields(ObjectRow) <= names(documented("Questions")["objects"])
    assert {"agent", "state", "tree", "animation"} == fields(TraceRow)


def test_the_welcome_in_the_page_has_every_field():
    text = section("Requests").split('{"is": "welcome"')[1].split("```")[0]
    result = set(re.findall(r'"([a-z_]+)":', text))
    assert fields(Welcome) <= result


def test_every_kind_of_error_is_in_the_page_and_has_an_error_for_tools():
    from playhead.bus.client.client import _ERRORS
    from playhead.bus.server.request_dispatcher import _KINDS

    result = set(table(section("Requests").split("Kinds:")[1]))
    assert set(_KINDS.values()) <= result
    assert set(_ERRORS) <= result
    source = (Path(protocol.__file__).parents[1] / "server" / "request_dispatcher.py").read_text()
    assert set(re.findall(r'ErrorResponse\(\s*"(\w+)"', source)) <= result


def test_the_limits_in_the_page_are_those_of_the_code():
    from playhead.bus.messages.plain_values import MOST_BODY, MOST_LETTERS, MOST_NAMES
    from playhead.bus.server.request_dispatcher import MOST_TOOLS, SILENT_FOR
    from playhead.bus.server.rpc_registry import MOST_HANDED
    from playhead.playback.command_queue import WAITING

    assert f"{MOST_TOOLS} tools" in DOCUMENT
    assert f"{WAITING:,} commands" in DOCUMENT
    assert f"{SILENT_FOR:g} s" in DOCUMENT
    assert MOST_BYTES == 1 << 20
    assert "1 MiB" in section("Limits")
    assert f"{MOST_ROWS:,} at most" in DOCUMENT
    limits = " ".join(section("Limits").split())
    assert f"serves {MOST_NAMES} names and publishes under {MOST_NAMES}" in limits
    assert f"of {MOST_LETTERS} characters" in limits
    assert f"published has {MOST_BODY >> 10} KiB" in limits
    assert f"{(MOST_BYTES - MOST_HANDED) >> 10} KiB less than a request" in limits


# --- bytes --------------------------------------------------------------------------------------


def test_a_message_is_the_map_that_the_page_shows():
    request = Request(origin="", sequence=1, body=Hello("my tool", PROTOCOL))
    assert msgspec.msgpack.decode(packed(request)) == {
        "origin": "", "sequence": 1,
        "ask": {"do": "hello", "name": "my tool", "protocol": list(PROTOCOL)},
    }  # fmt: skip
    answer = Response(
        origin="s", sequence=4, body=CommandDone(PlaybackState(Mode.PAUSED, 3, 1.5), 12)
    )
    assert msgspec.msgpack.decode(packed(answer))["answer"] == {
        "is": "state", "state": {
            "mode": "paused", "frame": 3, "time": 1.5, "rate": 1.0, "clamped": False,
            "loop": None, "focus": 0, "hidden": [], "span": None, "pending": [],
        }, "time": 12,
    }  # fmt: skip


def test_keys_with_defaults_may_be_left_out_and_unknown_keys_of_answers_are_ignored():
    bare = {"origin": "a#1", "sequence": 1, "mode": "live"}
    assert time_of(msgspec.msgpack.encode(bare)).rate == 1.0
    newer = {**bare, "some": "thing new", "rate": 2.0}
    assert time_of(msgspec.msgpack.encode(newer)).rate == 2.0
    hello = {"do": "hello", "name": "a", "protocol": [1, 9], "and": 4}
    asked = {"origin": "a#1", "sequence": 1, "ask": hello, "x": 1}
    assert request_of(msgspec.msgpack.encode(asked)).body == Hello("a", (1, 9))


STATE = {"machine": "m", "source": "a", "target": "b", "won": "c"}
PLACE = [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "ask",
    [
        {"do": "frame", "frame": 3, "wrong": 4}, {"do": "step", "frames": 1, "wrong": 4},
        {"do": "pad", "wrong": 1}, {"do": "latched", "frame": 1, "wrong": 4},
        {"do": "subscribe", "wrong": []}, {"do": "log", "wrong": "x", "line": {"text": "x"}},
        {"do": "log", "line": {"text": "x", "wrong": "x"}},
        {"do": "trace_state", "agent": 1, "trace": {**STATE, "wrong": 1}},
        {"do": "trace_state", "agent": 1, "trace": {
            **STATE, "rejected": [{"condition": "c", "reason": "r", "wrong": 1}]}},
        {"do": "trace_state", "agent": 1, "trace": {
            **STATE, "beliefs": [{"object": 1, "position": PLACE, "seen": 0.0, "wrong": 1}]}},
        {"do": "trace_tree", "agent": 1, "trace": {"tree": "t", "statuses": [], "wrong": 1}},
        {"do": "trace_animation", "agent": 1, "trace": {
            "tree": "t", "clips": [{"name": "n", "contribution": 1.0, "wrong": 1}]}},
        {"do": "define_tree", "agent": 1, "tree": "t", "nodes": [{"name": "n", "wrong": 1}]},
        {"do": "register_game", "name": "g", "conventions": {"wrong": 1}},
        {"do": "define_type", "number": 32, "name": "t", "wrong": 1},
    ],
)  # fmt: skip
def test_a_misspelt_key_in_a_request_is_refused_by_its_name(ask):
    with pytest.raises(DamagedError, match="unknown field `wrong`"):
        request_of(msgspec.msgpack.encode({"origin": "a#1", "sequence": 1, "ask": ask}))


def test_what_is_recorded_is_read_although_a_newer_playhead_wrote_more():
    newer = msgspec.msgpack.encode({"text": "x", "newer": 1})
    assert decode(newer, LogLine) == LogLine("x")


@pytest.mark.parametrize(
    "message",
    [
        Request(origin="a#1", sequence=2, body=Step(-3)),
        Response(origin="s", sequence=2, body=ErrorResponse("busy", "no time")),
        Event(origin="s", sequence=9, event=SpanChanged(FrameRange(1, 5, 0.0, 0.25))),
        PlayheadTime(origin="a#1", sequence=3, mode="paused", frame=7, hidden=frozenset({"ai"})),
    ],
    ids=lambda message: type(message).__name__,
)
def test_a_message_survives_the_wire(message: Message):
    reader = {Request: request_of, Response: response_of, Event: event_of, PlayheadTime: time_of}
    assert reader[type(message)](packed(message)) == message


def test_a_command_on_the_wire_is_refused_with_the_field_that_is_wrong():
    def asking(**ask: Any) -> bytes:
        return msgspec.msgpack.encode({"origin": "a", "sequence": 1, "ask": ask})

    for ask, names_it in (
        ({"do": "step", "frames": "two"}, "frames"),
        ({"do": "step"}, "frames"),
        ({"do": "seek_time", "time": None}, "time"),
        ({"do": "nonsense"}, "nonsense"),
        ({"do": "enter", "tiem": 2.0}, "tiem"),
        ({}, "do"),
    ):
        with pytest.raises(DamagedError, match=names_it):
            request_of(asking(**ask))


@given(st.binary(max_size=300))
def test_bytes_of_any_kind_are_a_message_or_an_error(data):
    for reader in READERS:
        try:
            reader(data)
        except DamagedError as error:
            assert str(len(data)) in str(error)
    assert isinstance(envelope_of(data), Envelope)


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=8)
    | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@given(
    st.fixed_dictionaries({}, optional={
        "origin": plain, "sequence": plain, "mode": plain, "frame": plain,
        "ask": plain | st.fixed_dictionaries({"do": st.sampled_from(sorted(ASKS))}, optional={
            "frame": plain, "time": plain, "protocol": plain, "name": plain, "object": plain,
            "trace": plain, "line": plain, "points": plain, "kind": plain, "value": plain,
        }),
        "event": plain, "answer": plain,
    })
)  # fmt: skip
def test_maps_of_any_shape_are_a_message_or_an_error(fields_of_any_shape):
    data = msgspec.msgpack.encode(fields_of_any_shape)
    for reader in READERS:
        try:
            message = reader(data)
        except DamagedError:
            continue
        assert reader(packed(message)) is not None


@pytest.mark.parametrize("depth", [500, 100_000])
def test_nesting_without_end_is_an_error_and_no_crash(depth):
    data = b"\x91" * depth + b"\x01"
    for reader in READERS:
        with pytest.raises(DamagedError):
            reader(data)
    assert envelope_of(data) == Envelope()
    if depth < 1000:
        return
    fact = b"\x83\xa6origin\xa0\xa8sequence\x01\xa3ask\x84\xa2do\xa4fact\xa6object\x01\xa3key\xa1a"
    with pytest.raises(DamagedError):
        request_of(fact + b"\xa5value" + data)


@pytest.mark.parametrize("claimed", [kind + b"\xff" * 4 for kind in (b"\xdd", b"\xdf", b"\xc6")])
def test_lengths_that_are_lies_take_no_memory(claimed):
    for reader in READERS:
        with pytest.raises(DamagedError):
            reader(claimed)


def test_of_what_is_no_request_the_sequence_is_read_where_there_is_one():
    result = {"origin": "a#1", "sequence": 7, "ask": {"do": "nonsense"}}
    assert envelope_of(msgspec.msgpack.encode(result)) == Envelope(7, "a#1", {"do": "nonsense"})
    assert envelope_of(b"\xc1") == Envelope()


def test_the_major_before_agrees_and_any_minor_and_no_other_major():
    major, minor = PROTOCOL
    assert agrees((major, minor))
    assert agrees((major, minor + 7))
    assert agrees((major - 1, 4))
    assert not agrees((major + 1, minor))
    assert not agrees((major - 2, minor))


def test_a_trace_row_holds_the_one_trace_under_its_kind():
    state = StateTransition("m", "a", "b", "won")
    tree, animation = TreeTick("t", ()), AnimationFrame("t", ())
    assert TraceRow.of(3, state) == TraceRow(3, state=state)
    assert TraceRow.of(3, tree) == TraceRow(3, tree=tree)
    assert TraceRow.of(3, animation) == TraceRow(3, animation=animation)


def test_every_command_can_be_asked_and_is_the_same_on_the_wire():
    for kind in COMMANDS.values():
        values = {
            "frames": 1,
            "steps": 2,
            "rate": 2.0,
            "name": "m",
            "channel": "ai",
            "on": True,
            "start": 1.0,
            "end": 2.0,
            "time": 3.0,
            "frame": 4,
            "object": 5,
            "restart": True,
        }
        result = kind(**{name: values[name] for name in fields(kind)})
        request = Request(origin="a", sequence=1, body=result)
        assert request_of(packed(request)).body == result
        assert validated(result) == result
    assert request_of(packed(Request(origin="a", sequence=1, body=Enter()))).body == Enter()


def test_the_status_of_the_bus_travels():
    report = StatusReport({"frames": 3}, BusStatus("tcp://127.0.0.1:1", ("a#1",)))
    assert response_of(packed(Response(origin="s", sequence=1, body=report))).body == report
    assert response_of(packed(Response(origin="s", sequence=1, body=Done()))).body == Done()
