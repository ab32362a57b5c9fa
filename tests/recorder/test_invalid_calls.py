"""Game code that says something wrongly: strict tells it, else it costs that call alone."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest

from playhead.errors import RecordingError
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.packets.trace_types import AnimationClip, TreeNode
from playhead.recorder.statements.instrumentation_interface import Belief

MISTAKES = {
    "draw": [
        lambda r: r.draw.line((0,), (1, 1, 1)),
        lambda r: r.draw.line((0, 0, 0), None),
        lambda r: r.draw.line((0, 0, 0), (1, 1, 1), color="reddish"),
        lambda r: r.draw.line((0, 0, 0), (1, 1, 1), color=(1.5, 0, 0)),
        lambda r: r.draw.line((0, 0, 0), (1, 1, 1), color=None),
        lambda r: r.draw.line((0, 0, 0), (1, 1, 1), object="orc"),
        lambda r: r.draw.line((0, 0, 0), (1, 1, 1), object=2**63),
        lambda r: r.draw.line((0, 0, 0), (1, 1, 1), channel=""),
        lambda r: r.draw.line((0, 0, 0), (1, 1, 1), channel=5),
        lambda r: r.draw.line((0, 0, 0), (1, 1, 1), latch=5),
        lambda r: r.draw.line((0, 0, 0), (1, 1, 1), latch=["a"]),
        lambda r: r.draw.sphere((0, 0, 0), None),
        lambda r: r.draw.sphere(7, 1.0, latch="zone"),
        lambda r: r.draw.box((0, 0, 0), 5),
        lambda r: r.draw.box((0, 0, 0), (1, 1, 1), angles=(0, 0), latch="zone"),
        lambda r: r.draw.polygon([(0, 0, 0), (1, 1, 1)]),
        lambda r: r.draw.polygon(5),
        lambda r: r.draw.lines([[(0, 0, 0)]]),
        lambda r: r.draw.lines([[(0, 0, 0), (1, 1)]]),
        lambda r: r.draw.text(None, "text"),
    ],
    "trace": [
        lambda r: r.trace.state(1, "m", "a", "b", won=None),
        lambda r: r.trace.state(1, "m", "a", "b", won="x", also_true=5),
        lambda r: r.trace.state(1, "m", "a", "b", won="x", values={"a": object()}),
        lambda r: r.trace.state(1, "m", "a", "b", won="x", values={"a": (1, 2)}),
        lambda r: r.trace.state(1, "m", "a", "b", won="x", values=5),
        lambda r: r.trace.state(1, "m", "a", "b", won="x", beliefs=[Belief(1, None, 0.0)]),
        lambda r: r.trace.state(1, "m", "a", "b", won="x", rejected=["hurt"]),
        lambda r: r.trace.state(-1, "m", "a", "b", won="x"),
        lambda r: r.trace.state(1, 5, "a", "b", won="x"),
        lambda r: r.trace.tree(1, "t", [1, 2]),
        lambda r: r.trace.tree(1, "t", None),
        lambda r: r.trace.tree(1, "t", ["a"], ended_early={"a": "b"}),
        lambda r: r.trace.define_tree(1, "t", ["root"]),
        lambda r: r.trace.define_tree(1, "t", [TreeNode("a", parent="b")]),
        lambda r: r.trace.animation(1, "t", [AnimationClip("walk", "much")]),
        lambda r: r.trace.animation(1, "t", None),
    ],
    "watch": [
        lambda r: r.watch("speed", "fast"),
        lambda r: r.watch("speed", None),
        lambda r: r.watch(5, 1.0),
        lambda r: r.watch("speed", 1.0, -1),
        lambda r: r.watch("speed", 10**400),
    ],
    "log": [
        lambda r: r.log("a", level="loud"),
        lambda r: r.log("a", object=-1),
        lambda r: r.log("a", channel=5),
        lambda r: r.log("\ud800"),
        lambda r: r.log(Untold()),
    ],
    "name": [
        lambda r: r.name(1, 5),
        lambda r: r.name(1, None),
        lambda r: r.name(-1, "a"),
    ],
    "fact": [
        lambda r: r.fact(1, "a", object()),
        lambda r: r.fact(1, 5, 1),
        lambda r: r.fact(1.5, "a", 1),
    ],
    "mark": [lambda r: r.mark(5), lambda r: r.mark("a", object="orc")],
    "despawn": [lambda r: r.despawn("orc"), lambda r: r.despawn(-1)],
}


class Untold:
    def __str__(self):
        raise RuntimeError("no words")


each = pytest.mark.parametrize(
    ("cause", "mistake"),
    [(cause, mistake) for cause, mistakes in MISTAKES.items() for mistake in mistakes],
)


def all_read(recorder, frame):
    source = recorder.source
    return [
        source.drawn(frame), source.traces(frame), source.watches(frame), source.logs(frame),
        source.facts(frame), source.machines(frame), source.marks(), source.channel_names(frame),
    ]  # fmt: skip


@each
def test_a_mistake_costs_that_call_is_counted_and_spoils_nothing(make_recorder, cause, mistake):
    recorder = make_recorder(strict=False)
    recorder.log("before")
    mistake(recorder)
    recorder.log("after")
    frame = recorder.update([], 0.1)
    assert recorder.status.calls_refused == {cause: 1}
    assert recorder.status.newest_fault.startswith(f"{cause}: ")
    assert [line.text for line in recorder.source.logs(frame)] == ["before", "after"]
    for read in all_read(recorder, frame)[:3]:
        assert not read


@each
def test_a_mistake_is_raised_where_it_was_made_when_strict(recorder, cause, mistake):
    with pytest.raises(RecordingError):
        mistake(recorder)
    all_read(recorder, recorder.update([], 0.1))


@each
def test_a_mistake_of_a_thread_is_raised_at_the_latest_when_its_frame_is_finished(
    recorder, cause, mistake
):
    raised = []

    def work():
        recorder.log("before")
        try:
            mistake(recorder)
        except RecordingError as error:
            raised.append(error)
        recorder.log("after")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)
    try:
        recorder.update([], 0.1)
    except RecordingError as error:
        raised.append(error)
    assert len(raised) == 1
    assert [line.text for line in recorder.source.logs(1)] == ["before", "after"]
    assert recorder.status.calls_refused == {cause: 1}


def test_numbers_of_numpy_are_no_mistake(recorder):
    recorder.draw.line(np.zeros(3), np.ones(3), color=np.array([1, 2, 3]), object=np.int64(4))
    recorder.draw.sphere(np.zeros(3), np.float32(2.0), latch="zone")
    recorder.watch("speed", np.float32(2.5), np.uint8(4))
    recorder.trace.state(
        np.int32(4), "m", "a", "b", won="x", values={"hp": np.float64(7.5), "near": np.bool_(1)},
        beliefs=[Belief(9, np.arange(3.0), np.float32(0.5))],
    )  # fmt: skip
    recorder.fact(4, "grid", np.arange(3))
    frame = recorder.update([], np.float32(0.25), np.float32(1.0))
    ((_, trace),) = recorder.source.traces(frame)
    assert trace.values == {"hp": 7.5, "near": True}
    assert trace.beliefs[0] == Belief(9, (0.0, 1.0, 2.0), 0.5)
    assert recorder.source.watches(frame) == {(4, "speed"): 2.5}
    assert recorder.source.latched(frame, 4, Kind.FACT, "grid") == [0, 1, 2]
    assert recorder.source.stamp(frame).time == 1.0


def test_what_is_very_far_away_is_drawn_there_without_a_word(recorder):
    recorder.draw.lines(np.full((1, 2, 3), 1e300))
    (line,) = recorder.source.drawn(recorder.update([], 0.1))
    assert np.isinf(line.values["segments"]).all()


def test_a_thread_may_go_on_changing_what_it_drew(recorder):
    here = [0.0, 0.0, 0.0]
    fact = {"target": 1}

    def work():
        for n in range(3):
            here[0] = float(n)
            fact["target"] = n
            recorder.draw.sphere(here, 1.0)
            recorder.draw.sphere(here, 1.0, latch=f"latched {n}")
            recorder.fact(1, f"fact {n}", fact)
            recorder.trace.state(1, f"machine {n}", "a", "b", won="x", values=fact)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)
    frame = recorder.update([], 0.1)
    source = recorder.source
    assert [drawn.position[0] for drawn in source.drawn(frame)] == [0.0, 1.0, 2.0] * 2
    assert [source.latched(frame, 1, Kind.FACT, f"fact {n}") for n in range(3)] == [
        {"target": n} for n in range(3)
    ]
    assert [trace.values["target"] for _, trace in source.traces(frame)] == [0, 1, 2]


def test_what_is_not_plain_does_not_describe_a_recording(make_recorder):
    with pytest.raises(RecordingError, match="can't be recorded"):
        make_recorder(about={"game": SimpleNamespace()})
    recorder = make_recorder(about={"seed": np.int64(5)})
    assert recorder.source.about(recorder.update([], 0.1)) == {"seed": 5}


def test_after_closing_every_statement_is_counted_and_the_game_goes_on(make_recorder):
    recorder = make_recorder(strict=False)
    recorder.close()
    for mistakes in MISTAKES.values():
        for mistake in mistakes:
            mistake(recorder)
    recorder.log("too late")
    recorder.draw.line((0, 0, 0), (1, 1, 1))
    assert recorder.status.calls_refused["log"] == len(MISTAKES["log"]) + 1
    assert recorder.status.calls_refused["draw"] == len(MISTAKES["draw"]) + 1
    with pytest.raises(RecordingError):
        recorder.update([], 0.1)


def test_a_watched_value_that_is_no_number_is_named_without_a_traceback(make_recorder, caplog):
    recorder = make_recorder(strict=False)
    recorder.watch("speed", "fast")
    recorder.update([], 0.0)
    (record,) = caplog.records
    assert "watch 'speed': 'fast' is no number" in record.getMessage()
    assert record.exc_info is None
