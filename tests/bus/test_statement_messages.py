"""What tools say, handed to the recorder: each as the call in the game would have recorded it."""

from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.errors import RecordingError
from playhead.recorder.packets.log_lines import LogLine
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.packets.trace_types import (
    AnimationClip,
    AnimationFrame,
    StateTransition,
    TreeNode,
    TreeTick,
)
from playhead.recorder.recorder import Recorder
from playhead.recorder.statements.statement_messages import (
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
    TransitionStatement,
    TreeDefinition,
    TreeTickStatement,
    WatchedValue,
)

from ..support.pictures import picture_bytes

A, B, C, D = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 2.0, 0.0), (0.0, 2.0, 4.0)


@pytest.fixture
def recorder():
    made = Recorder("1 MiB")
    for _ in range(5):
        made.update([], 0.25)
    yield made
    made.close()


def state(recorder: Recorder, statement: Any) -> None:
    """State something as a message of another process does, which is decoded once."""
    recorder.expect_tree(statement)
    recorder.accept(statement, len(msgspec.msgpack.encode(statement)))


@pytest.mark.parametrize("value", [{None: 1}, [{1: 2}], b"bytes", msgspec.msgpack.Ext(5, b"")])
@pytest.mark.parametrize("make", [Input, GameEvent, lambda name, value: ObjectFact(1, name, value)])
def test_what_is_not_plain_is_refused_from_other_processes(
    recorder: Recorder, make: Any, value: Any
) -> None:
    with pytest.raises(RecordingError, match="value: "):
        recorder.check_tool(make("a", value))


def recorded_source(recorder: Recorder, *statements: Any) -> Any:
    """Record them in a frame; returns what reads it."""
    for statement in statements:
        state(recorder, statement)
    recorder.update([], 0.25)
    return recorder.source


def test_traces_belong_to_the_frame_of_their_instant(recorder):
    source = recorded_source(
        recorder,
        TransitionStatement(7, StateTransition("m", "a", "b", "w"), time=0.5),
        TreeDefinition(7, "t", (TreeNode("root"),)),
        TreeTickStatement(7, TreeTick("t", ("running",)), game_time=0.75),
        AnimationStatement(7, AnimationFrame("a", (AnimationClip("walk", 1.0),))),
    )
    assert [trace.target for _, trace in source.traces(2)] == ["b"]
    assert [trace.statuses for _, trace in source.traces(3)] == [("running",)]
    assert [trace.clips[0].name for _, trace in source.traces(6)] == ["walk"]


def test_lines_marks_and_values(recorder):
    source = recorded_source(
        recorder,
        LogEntry(LogLine("hello", "warning", "a.py", 3, 7), "ai", time=0.5),
        SetMark("here", "of note", 7, time=0.75),
        WatchedValue("speed", 2.5, 7),
        ObjectName(7, "Anna"),
        ObjectFact(7, "hat", {"red": [1, 2.5, None, True]}),
        TreeDefinition(7, "mind", (TreeNode("root", "selector"), TreeNode("go", parent=0))),
    )
    [line] = source.logs(2)
    assert (line.text, line.level, line.file, line.line, line.object) == (
        "hello", "warning", "a.py", 3, 7,
    )  # fmt: skip
    [mark] = source.marks()
    assert (mark.name, mark.note, mark.object, mark.frame, mark.kind) == (
        "here", "of note", 7, 3, "mark",
    )  # fmt: skip
    assert source.watches(6) == {(7, "speed"): 2.5}
    assert source.latched(6, 7, Kind.NAME, "") == "Anna"
    assert source.latched(6, 7, Kind.FACT, "hat") == {"red": [1, 2.5, None, True]}
    assert [(node.name, node.parent) for node in source.tree(6, 7, "mind")] == [
        ("root", -1), ("go", 0),
    ]  # fmt: skip


def test_inputs_and_phases(recorder):
    source = recorded_source(
        recorder, Input("pad", {"A": True, "left x": 0.5}, 7), Input("pad", {}, 7), Phase("boss")
    )
    assert source.inputs(6) == {(7, "pad"): {}}
    assert [(phase.name, phase.first) for phase in source.phases()] == [("boss", 6)]


def test_despawn_ends_what_is_latched(recorder):
    recorded_source(recorder, ObjectName(7, "Anna"))
    source = recorded_source(recorder, Despawn(7))
    assert source.latched(6, 7, Kind.NAME, "") == "Anna"
    assert source.latched(7, 7, Kind.NAME, "") is None


def test_nobody_ends_the_world_and_with_it_what_readers_must_know(recorder):
    frame = recorder.update([], 0.25)
    latched = recorder.ring.latched_all(frame)
    assert latched
    with pytest.raises(RecordingError, match="object 0 is the world"):
        state(recorder, Despawn(0))
    with pytest.raises(RecordingError, match="object 0 is the world"):
        recorder.despawn(0)
    assert set(latched) <= set(recorder.ring.latched_all(recorder.update([], 0.25)))


@pytest.mark.parametrize(
    "statement", [LogEntry(LogLine("hello"), ""), Drawing("line", (A, B), channel="")]
)
def test_a_channel_without_a_name_is_refused_at_once(recorder, statement):
    with pytest.raises(RecordingError, match="channel '': give a channel's name"):
        state(recorder, statement)


def colour_of(recorder: Recorder, colour: tuple[int, int, int]) -> Any:
    """How a colour is recorded when the game itself draws."""
    recorder.draw.line(A, B, color=colour)
    return recorder.source.drawn(recorder.update([], 0.25))[0].values["color"]


@pytest.mark.parametrize(
    ("statement", "kind", "position", "values"),
    [
        (Drawing("line", (A, B)), "line", A, {"end": B}),
        (Drawing("lines", (A, B, C, D)), "lines", None, {}),
        (Drawing("sphere", (C,), size=(3.0, 1.0, 1.0)), "sphere", C, {"radius": 3.0}),
        (Drawing("box", (C,), size=(1.0, 2.0, 3.0), angles=B), "box", C, {"size": (1.0, 2.0, 3.0)}),
        (Drawing("polygon", (A, B, C)), "polygon", None, {}),
        (Drawing("text", (D,), text="hello"), "text", D, {"text": "hello"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_drawings(recorder, statement, kind, position, values):
    [drawn] = recorded_source(recorder, statement).drawn(6)
    assert drawn.kind == kind
    assert drawn.latched is None
    assert position is None or drawn.position == position
    assert drawn.values["color"] == colour_of(recorder, (255, 255, 255))
    for name, value in values.items():
        assert np.asarray(drawn.values[name]).tolist() == np.asarray(value).tolist()


def test_drawings_of_an_object_in_a_channel_that_stay(recorder):
    statement = Drawing(
        "sphere", (A,), color=(1, 2, 3), object=7, channel="ai", latch="aim"
    )  # fmt: skip
    source = recorded_source(recorder, statement)
    recorder.update([], 0.25)
    [drawn] = source.drawn(7)
    assert (drawn.object, drawn.latched) == (7, "aim")
    assert drawn.values["color"] == colour_of(recorder, (1, 2, 3))
    assert source.channel_names(7)[drawn.channels] == "ai"


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        (Drawing("line", ()), "no points"),
        (Drawing("line", (A,)), "a line has two"),
        (Drawing("lines", (A, B, C)), "even"),
        (Drawing("polygon", (A, B)), "three"),
        (Drawing("line", (A, (1e39, 0.0, 0.0))), "line"),
        (Drawing("sphere", (A,), color=(1, 2)), "color"),
        (Drawing("circle", (A,)), "circle"),
        (Drawing("sphere", (A,), color=(256, 0, 0)), "256"),
        (Drawing("sphere", (A,), color=(-1, 0, 0)), "-1"),
        (Drawing("sphere", (A,), object=-1), "-1"),
        (WatchedValue("n", 1.0, -1), "-1"),
        (ObjectName(2**63, "x"), str(2**63)),
        (Despawn(-1), "-1"),
        (SetMark("m", object=-1), "-1"),
        (SetMark("m", time=float("inf")), "inf"),
        (SetMark("m", time=1.0, game_time=1.0), "one of them"),
        (TransitionStatement(7, StateTransition("m", "a", "b", "w"), time=float("nan")), "nan"),
        (TransitionStatement(-7, StateTransition("m", "a", "b", "w")), "-7"),
        (LogEntry(LogLine("x", object=-7)), "-7"),
    ],
)
def test_what_can_not_be_recorded_is_refused_in_words_and_the_frame_is_complete(
    recorder, statement, says
):
    with pytest.raises(RecordingError, match=says):
        state(recorder, statement)
    source = recorded_source(recorder, WatchedValue("after", 1.0))
    assert source.watches(6) == {(0, "after"): 1.0}
    assert recorder.status.calls_refused == {}


floats = st.floats() | st.sampled_from([0.0, 1e300, -1e39])
vectors = st.tuples(floats, floats, floats)
ids = st.integers(-(2**63), 2**64 - 1) | st.integers(0, 9)
text = st.text(max_size=20)
instant = st.none() | floats
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | floats
    | text
    | st.binary(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text | ids, inner, max_size=3),
    max_leaves=6,
)
statements = st.one_of(
    st.builds(Drawing, st.sampled_from(["line", "lines", "sphere", "box", "polygon", "text", "?"]),
              st.lists(vectors, max_size=5).map(tuple), vectors, vectors, text,
              st.tuples(ids, ids, ids), ids, st.none() | text, st.none() | text, text, ids),
    st.builds(WatchedValue, text, floats, ids),
    st.builds(ObjectName, ids, text),
    st.builds(ObjectFact, ids, text, plain),
    st.builds(Despawn, ids),
    st.builds(Input, text, plain, ids),
    st.builds(Phase, text, text, ids),
    st.builds(GameEvent, text, plain, ids),
    st.builds(Picture, st.binary(max_size=9) | st.just(picture_bytes()),
              st.sampled_from(["jpeg", "png", "gif"]), ids, ids, text),
    st.builds(SetMark, text, text, ids, time=instant, game_time=instant),
    st.builds(LogEntry, st.builds(LogLine, text, text, text, ids, ids, ids), st.none() | text,
              time=instant, game_time=instant),
    st.builds(TransitionStatement, ids, st.builds(
        StateTransition, text, text, text, text, line=ids, belongs_to=ids, gone=ids,
        values=st.dictionaries(text, floats | text, max_size=2)), time=instant),
    st.builds(TreeTickStatement, ids, st.builds(
        TreeTick, text, st.lists(text, max_size=3).map(tuple),
        st.dictionaries(ids, text, max_size=2), belongs_to=ids)),
    st.builds(TreeDefinition, ids, text, st.lists(
        st.builds(TreeNode, text, text, ids), max_size=3).map(tuple)),
)  # fmt: skip


@given(st.lists(statements, max_size=8))
def test_any_statements_are_recorded_or_refused_and_every_frame_can_be_read(generated):
    recorder = Recorder("256 KiB")
    try:
        for _ in range(3):
            recorder.update([], 0.25)
        for statement in generated:
            try:
                state(recorder, statement)
            except RecordingError as error:
                assert str(error)
        for _ in range(2):
            recorder.update([], 0.25)
        source = recorder.source
        for frame in range(1, 6):
            source.facts(frame), source.drawn(frame), source.traces(frame), source.logs(frame)
            source.watches(frame), source.machines(frame)
            source.events(frame), source.pictures(frame), source.newest_picture(frame, "screen")
        source.marks()
        assert source.span.newest == 5
    finally:
        recorder.close()


def test_what_a_tree_or_a_log_can_not_say_is_refused_by_name(recorder):
    tick = TreeTickStatement(7, TreeTick("brain", ("running",)))
    with pytest.raises(RecordingError, match="'brain' of agent 7 is not defined"):
        state(recorder, tick)
    state(recorder, TreeDefinition(7, "brain", (TreeNode("root"),)))
    state(recorder, tick)  # its definition is on the way
    with pytest.raises(RecordingError, match="'brain' of agent 8"):
        state(recorder, TreeTickStatement(8, TreeTick("brain", ("running",))))
    recorder.update([], 0.25)
    for status in ("", "success", "FAILURE", "Running", "invalid"):
        state(recorder, TreeTickStatement(7, TreeTick("brain", (status,))))
    with pytest.raises(RecordingError, match="status 'runing'"):
        state(recorder, TreeTickStatement(7, TreeTick("brain", ("runing",))))
    with pytest.raises(RecordingError, match="level 'fatal'.*warning"):
        state(recorder, LogEntry(LogLine("x", "fatal")))
    recorder.update([], 0.25)
    state(recorder, Despawn(7))
    recorder.update([], 0.25)
    with pytest.raises(RecordingError, match="'brain' of agent 7 is not defined"):
        state(recorder, tick)
