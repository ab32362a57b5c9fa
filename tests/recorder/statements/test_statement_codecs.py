"""Each kind of statement, there and back: as a message, and as the bytes of ring and clip."""

import struct

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.errors import DamagedError
from playhead.recorder.packets.draw_primitives import shape_of
from playhead.recorder.packets.layouts.plain_value_codec import encode
from playhead.recorder.packets.log_lines import LEVELS, LogLine
from playhead.recorder.packets.packet_types import PacketType
from playhead.recorder.packets.trace_types import (
    AnimationClip,
    AnimationFrame,
    Belief,
    Rejected,
    StateTransition,
    TreeNode,
    TreeTick,
)
from playhead.recorder.statements.statement_checks import copied, validate
from playhead.recorder.statements.statement_codecs import (
    BY_STATEMENT,
    BY_TYPE,
    KINDS,
    OPEN,
    PackedStatement,
)
from playhead.recorder.statements.statement_messages import (
    TAGS,
    AgentDecision,
    AnimationStatement,
    Despawn,
    Drawing,
    GameEvent,
    Input,
    LogEntry,
    ObjectFact,
    ObjectName,
    Phase,
    Picture,
    SetMark,
    Statement,
    TransitionStatement,
    TreeDefinition,
    TreeTickStatement,
    WatchedValue,
)

from ...support.pictures import BEGINNINGS

numbers = st.floats(allow_nan=False, allow_infinity=False, width=32)  # JSON has no others
vectors = st.tuples(numbers, numbers, numbers)
ids = st.integers(0, 2**63 - 1)
lines = st.integers(0, 2**32 - 1)
text = st.text(max_size=12)
sides = st.integers(0, 2**16 - 1)
channels = st.none() | st.text(min_size=1, max_size=8)
scalars = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | numbers | text
plain = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
beliefs = st.lists(st.builds(Belief, ids, vectors, numbers, text), max_size=2).map(tuple)
values = st.dictionaries(text, scalars, max_size=3)
colors = st.tuples(*[st.integers(0, 255)] * 3) | st.tuples(
    *[st.integers(0, 255)] * 3, st.integers(0, 254)
)
owned = {
    "color": colors, "object": ids, "channel": channels, "latch": channels, "file": text,
    "line": lines,
}  # fmt: skip
shapes = st.one_of(
    st.builds(Drawing, st.just("line"), st.tuples(vectors, vectors), **owned),
    st.builds(
        Drawing, st.just("lines"),
        st.lists(vectors, min_size=1, max_size=3).map(lambda points: (*points, *points)), **owned,
    ),
    st.builds(
        Drawing, st.just("sphere"), st.tuples(vectors),
        size=numbers.map(lambda radius: (radius, 1.0, 1.0)), **owned,
    ),
    st.builds(Drawing, st.just("box"), st.tuples(vectors), vectors, vectors, **owned),
    st.builds(
        Drawing, st.just("polygon"), st.lists(vectors, min_size=3, max_size=5).map(tuple), **owned
    ),
    st.builds(Drawing, st.just("text"), st.tuples(vectors), text=text, **owned),
)  # fmt: skip
machines = st.builds(
    StateTransition, text, text, text, text, st.lists(text, max_size=2).map(tuple),
    st.lists(st.builds(Rejected, text, text), max_size=2).map(tuple), values, beliefs, text, lines,
)  # fmt: skip
statuses = st.lists(st.sampled_from(("success", "failure", "running", "")), max_size=3)
recorded = st.one_of(
    st.builds(TransitionStatement, ids, machines),
    st.builds(TreeTickStatement, ids, st.builds(
        TreeTick, text, statuses.map(tuple), st.dictionaries(st.integers(0, 9), text, max_size=2),
        values, beliefs, text, lines,
    )),
    st.builds(AnimationStatement, ids, st.builds(
        AnimationFrame, text, st.lists(
            st.builds(AnimationClip, text, numbers, numbers, numbers, text, st.integers(-1, 9)),
            max_size=3,
        ).map(tuple), text, lines,
    )),
    st.builds(TreeDefinition, ids, text, st.lists(
        st.builds(TreeNode, text, text, st.integers(-1, 9)), max_size=3).map(tuple)),
    st.builds(
        AgentDecision, ids, text, st.dictionaries(text, plain, max_size=3), text, text,
        st.dictionaries(text, plain, max_size=2),
    ),
    st.builds(WatchedValue, text, st.floats(allow_nan=False, allow_infinity=False), ids),
    st.builds(
        LogEntry, st.builds(LogLine, text, st.sampled_from(LEVELS), text, lines, ids), channels
    ),
    st.builds(SetMark, text, text, ids, text, text, text, lines),
    shapes,
    st.builds(ObjectName, ids, text),
    st.builds(ObjectFact, ids, text, plain),
    st.builds(Despawn, ids),
    st.builds(Input, text, plain, ids),
    st.builds(Phase, text, text, lines),
    st.builds(GameEvent, text, plain, ids),
    st.one_of(*[
        st.builds(
            Picture, st.binary(max_size=9).map(BEGINNINGS[format].__add__), st.just(format),
            sides, sides, text,
        )
        for format in BEGINNINGS
    ]),
)  # fmt: skip
placed = st.one_of(
    st.builds(SetMark, text, time=numbers),
    st.builds(SetMark, text, game_time=numbers),
    st.builds(TransitionStatement, ids, machines, time=numbers),
    st.builds(LogEntry, st.builds(LogLine, text), time=numbers),
)


def same(one, other):
    """Whether two statements are of one kind and equal, strictly read or not."""
    if type(one) is not type(other):
        return False
    # What is left out as a default depends on whether it is the very same text.
    return one == other or msgspec.to_builtins(one) == msgspec.to_builtins(other)


@given(recorded | placed)
def test_a_message_gives_the_statement_back_and_its_kind_is_in_the_key_do(statement):
    for form in (msgspec.msgpack, msgspec.json):
        message = form.encode(statement)
        assert form.decode(message)["do"] == TAGS[type(statement).__name__]
        read = form.decode(message, type=Statement)
        assert same(read, statement)
        assert form.encode(read) == message


class Texts:
    """The numbers of texts, as a recording has them."""

    def __init__(self):
        self.known = [""]

    def number(self, text):
        if text not in self.known:
            self.known.append(text)
        return self.known.index(text)


def packet_of(statement, kind, texts):
    """What a reader is given of a statement's packet."""
    payload = kind.pack(statement, OPEN, texts.number, encode)
    about = statement.line if isinstance(statement, LogEntry) else statement
    owner = getattr(about, "agent", getattr(about, "object", 0))
    key = getattr(statement, "tree", getattr(statement, "key", ""))
    packet = PackedStatement(payload, owner, key, channel=getattr(statement, "channel", None))
    if isinstance(statement, Drawing):
        shape = shape_of(statement)
        return packet._replace(
            position=shape.position, angles=shape.angles, latch=statement.latch,
            payload=payload,
        )  # fmt: skip
    return packet


def kind_of(statement):
    if isinstance(statement, Drawing):
        return BY_TYPE[shape_of(statement).type]
    return BY_STATEMENT[type(statement)]


@given(recorded)
def test_the_bytes_of_ring_and_clip_give_the_statement_back(statement):
    texts, kind = Texts(), kind_of(statement)
    packet = packet_of(statement, kind, texts)
    read = kind.unpack(packet, texts.known.__getitem__)
    assert same(read, statement)


@given(recorded)
def test_all_that_can_be_recorded_is_found_good_and_copied_as_it_is(statement):
    validate(statement)
    copy, size = copied(statement)
    assert same(copy, statement)
    assert size > 0


def test_every_kind_of_statement_is_in_the_table_and_has_a_name_on_the_wire():
    kinds = {kind.statement.__name__ for kind in KINDS}
    assert kinds == set(TAGS)
    assert {one.__name__ for one in Statement.__args__} == set(TAGS)
    compact = {  # by `TreeTickWriter` and `DecisionWriter`
        PacketType.TREE_STATE, PacketType.TREE_CHANGE, PacketType.DECISION_STATE,
    }  # fmt: skip
    assert {kind.type for kind in KINDS} == set(PacketType) - compact


def test_packets_are_byte_for_byte_what_they_were():
    texts = Texts()
    line = Drawing("line", ((0.0,) * 3, (1.0, 2.0, 3.0)), color=(1, 2, 3), file="a.py", line=7)
    state = TransitionStatement(1, StateTransition("m", "a", "b", "w"))
    expected = {
        WatchedValue("speed", 2.5): struct.pack("<IId", 1, 0, 2.5),
        line: struct.pack("<III3f", 0xFF030201, 2, 7, 1.0, 2.0, 3.0),
        ObjectName(3, "Gork"): b"\xa4Gork",
    }
    for statement, payload in expected.items():
        kind = kind_of(statement)
        assert kind.pack(statement, OPEN, texts.number, encode) == payload
    payload = kind_of(state).pack(state, OPEN, texts.number, encode)
    assert msgspec.msgpack.decode(payload) == {
        "machine": "m", "source": "a", "target": "b", "won": "w",
    }  # fmt: skip


SHORT = ("WATCH", "LINE", "INPUT", "EVENT", "PICTURE")


@pytest.mark.parametrize("type", list(SHORT))
def test_a_packet_that_is_too_short_is_damaged(type):
    with pytest.raises(DamagedError, match="bytes"):
        BY_TYPE[PacketType[type]].unpack(PackedStatement(b"\x01"), lambda number: "")


@pytest.mark.parametrize(
    "kind", ["STATE", "TREE", "ANIMATION", "LOG", "MARK", "PHASE", "INPUT", "EVENT"]
)
def test_a_packet_of_other_bytes_is_damaged(kind):
    with pytest.raises(DamagedError):
        BY_TYPE[PacketType[kind]].unpack(
            PackedStatement(b"\x00\x00\x00\x00\xc1"), lambda number: ""
        )
