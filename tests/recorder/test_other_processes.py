"""What other processes say: checked at the door, kept while it must wait, bounded."""

import math
import threading

import numpy as np
import pytest

from playhead.errors import RecordingError
from playhead.recorder.packets.log_lines import LogLine
from playhead.recorder.packets.mark import Mark
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.packets.trace_types import (
    AnimationClip,
    AnimationFrame,
    StateTransition,
    TreeNode,
    TreeTick,
)
from playhead.recorder.statements.statement_queue import MOST, StatementSource

from ..support.other_process import OtherProcess

KEPT = MOST[StatementSource.PEER]


def to(target: str, machine: str = "plan", **rest) -> StateTransition:
    return StateTransition(machine, "", target, "reason", file="agent.py", line=7, **rest)


def in_a_thread(act):
    thread = threading.Thread(target=act)
    thread.start()
    thread.join(30)


def test_everything_that_is_stated_outside_is_in_the_next_frame_that_is_finished(recorder):
    def speak():
        way = OtherProcess(recorder)
        way.decide(3, to("walk"))
        way.decide(3, TreeTick("brain", ("running",)))
        way.decide(3, AnimationFrame("body", (AnimationClip("idle", 1.0),)))
        way.line(LogLine("hello", "warning", "agent.py", 9, object=3), channel="script")
        way.set_mark("boss", "he comes")
        way.watch("speed", np.float32(2.5), 3)
        way.name(3, "Gork")
        way.fact(3, "mood", {"anger": 3})
        way.trace.define_tree(3, "brain", [TreeNode("root")])
        way.draw.line((0, 0, 0), (1, 2, 3), object=3, channel="ai")

    in_a_thread(speak)
    assert recorder.source.span is None
    frame, source = recorder.update([], 0.1, 5.0), recorder.source
    assert [trace for _, trace in source.traces(frame)] == [
        to("walk"),
        TreeTick("brain", ("running",)),
        AnimationFrame("body", (AnimationClip("idle", 1.0),)),
    ]
    assert source.logs(frame) == [LogLine("hello", "warning", "agent.py", 9, 3)]
    assert source.marks() == [Mark("boss", frame, 5.0, note="he comes")]
    assert source.watches(frame) == {(3, "speed"): 2.5}
    assert source.latched(frame, 3, Kind.NAME, "") == "Gork"
    assert source.latched(frame, 3, Kind.FACT, "mood") == {"anger": 3}
    assert source.tree(frame, 3, "brain") == (TreeNode("root"),)
    (line,) = source.drawn(frame)
    assert (line.object, line.values["end"].tolist(), line.file) == (3, [1.0, 2.0, 3.0], __file__)
    assert recorder.update([], 0.1) == frame + 1
    assert source.traces(frame + 1) == source.logs(frame + 1) == []


def test_an_object_that_is_declared_gone_has_nothing_latched_any_more(recorder):
    recorder.name(3, "Gork")
    recorder.update([], 0.1)
    OtherProcess(recorder).despawn(3)
    frame = recorder.update([], 0.1)
    assert recorder.source.latched(frame - 1, 3, Kind.NAME, "") == "Gork"
    assert recorder.source.latched(frame, 3, Kind.NAME, "") is None


@pytest.mark.parametrize("instant", ["time", "game_time"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "1.0", [1.0]])
def test_an_instant_that_is_no_finite_number_is_refused_before_it_waits(recorder, instant, value):
    way, when = OtherProcess(recorder), {instant: value}
    for say in (
        lambda: way.decide(3, to("walk"), **when),
        lambda: way.line(LogLine("hello"), **when),
        lambda: way.set_mark("boss", **when),
    ):
        with pytest.raises(RecordingError, match="time"):
            say()
    assert not recorder.queue


def test_a_game_time_that_leads_to_no_finite_time_is_refused(recorder):
    recorder.update([], 0.0, 1e308)
    recorder.update([], 0.0, -1e308)
    with pytest.raises(RecordingError, match="timeline"):
        OtherProcess(recorder).decide(3, to("walk"), game_time=1e308)


def test_two_instants_at_once_are_refused(recorder):
    with pytest.raises(RecordingError, match="one of them"):
        OtherProcess(recorder).line(LogLine("hello"), time=1.0, game_time=1.0)


@pytest.mark.parametrize(
    "say",
    [
        lambda way: way.decide(-1, to("walk")),
        lambda way: way.decide(1 << 63, to("walk")),
        lambda way: way.decide(True, to("walk")),
        lambda way: way.decide("3", to("walk")),
        lambda way: way.decide(3, LogLine("hello")),
        lambda way: way.decide(3, StateTransition("plan", "", 3, "")),
        lambda way: way.decide(3, to("walk", values={"what": object()})),
        lambda way: way.line("hello"),
        lambda way: way.line(LogLine("hello", object=-1)),
        lambda way: way.line(LogLine("hello"), channel=3),
        lambda way: way.set_mark(7),
        lambda way: way.watch("speed", "fast"),
        lambda way: way.watch("\ud800", 1.0),
        lambda way: way.watch(3, 1.0),
        lambda way: way.name(3, b"Gork"),
        lambda way: way.fact(3, "mood", object()),
        lambda way: way.fact(3, None, 3),
        lambda way: way.trace.define_tree(3, "brain", ["root"]),
        lambda way: way.despawn(-1),
        lambda way: way.draw.line((0,), (1, 1, 1)),
        lambda way: way.draw.line((0, 0, 0), (1, 1, 1, 1)),
        lambda way: way.draw.sphere((0, 0, 0), "wide"),
        lambda way: way.draw.sphere((0, 0, 0), 1.0, channel=3),
        lambda way: way.draw.line((0, 0, 0), (1, 1, 1), object=-3),
    ],
)
def test_what_makes_no_sense_is_refused_to_whoever_says_it_and_never_reaches_the_game(
    recorder, say
):
    with pytest.raises(RecordingError):
        say(OtherProcess(recorder))
    assert not recorder.queue
    recorder.update([], 0.1)


def test_a_channel_too_many_costs_the_statements_of_it_even_when_strict(recorder):
    for n in range(40):
        OtherProcess(recorder).line(LogLine(str(n)), channel=f"channel {n}")
    frame = recorder.update([], 0.1)
    assert len(recorder.source.logs(frame)) == 28  # four of the 32 there are already
    assert recorder.status.calls_refused == {"log": 12}


def test_what_is_changed_after_it_was_stated_was_stated_as_it_was(recorder):
    values = {"hp": 80}
    OtherProcess(recorder).decide(3, to("walk", values=values))
    values["hp"] = 0
    ((_, trace),) = recorder.source.traces(recorder.update([], 0.1))
    assert trace.values == {"hp": 80}


def test_while_playback_is_on_it_waits_and_is_recorded_when_the_game_runs_on(recorder):
    recorder.update([], 0.0, 1.0)
    recorder.update([], 0.0, 2.0)
    recorder.suspended = True
    OtherProcess(recorder).decide(3, to("walk"), time=1.0)
    OtherProcess(recorder).line(LogLine("now"))
    with pytest.raises(RecordingError, match="playback"):
        recorder.update([], 0.0, 2.5)
    source = recorder.source
    assert source.span.newest == 2
    assert source.traces(1) == []
    recorder.suspended = False
    frame = recorder.update([], 0.0, 3.0)
    assert [trace.target for _, trace in source.traces(1)] == ["walk"]
    assert [line.text for line in source.logs(frame)] == ["now"]


def test_only_so_many_calls_wait_and_the_rest_is_counted(make_recorder):
    recorder = make_recorder("64 MiB")
    recorder.suspended = True
    for n in range(KEPT + 7):
        OtherProcess(recorder).line(LogLine(str(n)))
    assert recorder.status.calls_dropped == 7
    recorder.suspended = False
    lines = recorder.source.logs(recorder.update([], 0.1))
    assert [line.text for line in lines] == [str(n) for n in range(KEPT)]
    OtherProcess(recorder).line(LogLine("again"))
    assert [line.text for line in recorder.source.logs(recorder.update([], 0.1))] == ["again"]
    assert recorder.status.calls_dropped == 7


def test_what_waits_takes_no_more_than_an_eighth_of_what_is_recorded(make_recorder):
    recorder = make_recorder("256 KiB")
    recorder.update([], 0.1)
    room = recorder.ring.accounts["capacity"] // 8
    OtherProcess(recorder).line(LogLine("x" * room))
    assert recorder.status.calls_dropped == 1
    for _ in range(64):
        OtherProcess(recorder).line(LogLine("x" * 1000))
    recorder.update([], 0.1)
    assert recorder.source.span.oldest == 1
    recorded_count = 65 - recorder.status.calls_dropped
    assert len(recorder.source.logs(2)) == recorded_count
    assert room // 1300 <= recorded_count <= room // 1000


def test_small_things_are_bounded_too_where_the_ring_is_small(make_recorder):
    recorder = make_recorder("256 KiB")
    recorder.suspended = True
    for n in range(KEPT):
        OtherProcess(recorder).watch("n", n)
    recorded_count = KEPT - recorder.status.calls_dropped
    assert 50 < recorded_count < recorder.ring.accounts["capacity"] // 8 // 150


def test_room_is_there_again_when_a_frame_has_taken_in_what_waited(make_recorder):
    recorder = make_recorder("256 KiB")
    for _ in range(50):
        for _ in range(10):
            OtherProcess(recorder).line(LogLine("x" * 1000))
        recorder.update([], 0.1)
    assert recorder.status.calls_dropped == 0


def test_many_threads_share_one_bound_however_many_there_are(make_recorder):
    recorder = make_recorder("64 MiB")
    recorder.suspended = True
    for _ in range(12):
        in_a_thread(lambda: [OtherProcess(recorder).watch("n", n) for n in range(500)])
    assert recorder.status.calls_dropped == 12 * 500 - KEPT


def test_what_is_stated_while_frames_are_recorded_is_lost_nowhere(make_recorder):
    recorder = make_recorder("8 MiB")
    speakers = [
        threading.Thread(
            target=lambda name=name: [
                OtherProcess(recorder).line(LogLine(f"{name} {n}"), time=0.0) for n in range(500)
            ]
        )
        for name in "ab"
    ]
    recorder.update([], 0.0, 0.0)
    for speaker in speakers:
        speaker.start()
    while any(speaker.is_alive() for speaker in speakers):
        recorder.update([], 0.1)
    for speaker in speakers:
        speaker.join(30)
    recorder.update([], 0.1)
    texts = [line.text for line in recorder.source.logs(1)]
    assert len(texts) == 1000
    for name in "ab":
        assert [t for t in texts if t[0] == name] == [f"{name} {n}" for n in range(500)]
