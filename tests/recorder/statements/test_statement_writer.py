"""What games and agents say: drawing, traces, values, lines, marks, facts; and who may say it."""

import threading

import numpy as np
import pytest

from playhead.errors import RecordingError
from playhead.recorder.packets.mark import Mark
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.packets.trace_types import AnimationClip, TreeNode
from playhead.recorder.statements.instrumentation_interface import Belief, Rejected
from playhead.recorder.statements.statement_messages import SetMark
from playhead.recorder.statements.statement_queue import MOST, StatementSource


def test_every_primitive_is_read_as_it_was_drawn_and_from_where(recorder):
    draw = recorder.draw
    draw.line((1, 2, 3), (4, 5, 6), color=(1, 2, 3), object=7, channel="ai")
    draw.lines([[(0, 0, 0), (1, 0, 0)], [(0, 1, 0), (1, 1, 0)]])
    draw.sphere((1, 1, 1), 2.5, color=(9, 8, 7, 6))
    draw.box((0, 0, 1), (1, 2, 3), angles=(0, 0, 0.5))
    draw.polygon([(0, 0, 0), (1, 0, 0), (0, 1, 0)])
    draw.text((0, 0, 2), "Höhe")
    frame = recorder.update([], 0.1)
    line, lines, sphere, box, polygon, text = recorder.source.drawn(frame)
    assert (line.kind, line.object, line.position) == ("line", 7, (1.0, 2.0, 3.0))
    assert line.values["end"].tolist() == [4.0, 5.0, 6.0]
    assert int(line.values["color"]) == int.from_bytes(bytes((1, 2, 3, 255)), "little")
    assert line.channels == recorder.channels.bit("ai")
    assert line.file == __file__
    assert sphere.line == line.line + 2
    assert lines.values["segments"].shape == (2, 2, 3)
    assert sphere.values["radius"] == 2.5
    assert (box.values["size"].tolist(), box.angles) == ([1.0, 2.0, 3.0], (0.0, 0.0, 0.5))
    assert polygon.values["points"][1].tolist() == [1.0, 0.0, 0.0]
    assert text.values["text"] == "Höhe"


def test_a_primitive_is_shown_in_its_own_frame_only(recorder):
    recorder.draw.line((0, 0, 0), (1, 0, 0))
    first, second = recorder.update([], 0.1), recorder.update([], 0.1)
    assert len(recorder.source.drawn(first)) == 1
    assert recorder.source.drawn(second) == []


def test_a_latched_primitive_stays_until_it_is_drawn_again(make_recorder):
    recorder = make_recorder("64 KiB")
    recorder.draw.sphere((1, 0, 0), 1.0, latch="zone")
    for frame in range(1, 2001):
        if frame == 1990:
            recorder.draw.sphere((2, 0, 0), 3.0, latch="zone")
        recorder.log("some text to fill the ring with")
        recorder.update([], 0.1)
    span = recorder.source.span
    assert span.oldest > 1
    for frame in range(span.oldest, span.newest + 1):
        (zone,) = recorder.source.drawn(frame)
        assert zone.latched == "zone"
        radius, x = (3.0, 2.0) if frame >= 1990 else (1.0, 1.0)
        assert (zone.values["radius"], zone.position[0]) == (radius, x)


@pytest.mark.parametrize(
    "call",
    [
        lambda draw: draw.line((0,), (1, 1, 1)),
        lambda draw: draw.line((0, 0, 0), (1, 1, 1, 1)),
        lambda draw: draw.line((0, 0, 0), ("a", "b", "c")),
        lambda draw: draw.line((0, 0, 0), (1, 1, 1), color=(1, 2)),
        lambda draw: draw.line((0, 0, 0), (1, 1, 1), color=(1, 2, 300)),
        lambda draw: draw.line((0, 0, 0), (1, 1, 1), object=-1),
        lambda draw: draw.sphere((0, 0, 0), "wide"),
        lambda draw: draw.polygon([(0, 0), (1, 1)]),
        lambda draw: draw.lines(np.zeros((2, 3))),
        lambda draw: draw.lines("lines"),
        lambda draw: draw.box((0, 0, 0), (1, 2, 3, 4)),
    ],
)
def test_a_drawing_that_makes_no_sense_is_refused_by_name(recorder, call):
    with pytest.raises(RecordingError):
        call(recorder.draw)
    assert recorder.source.drawn(recorder.update([], 0.1)) == []


def test_the_present_state_is_known_at_every_frame_and_so_are_the_last_transitions(make_recorder):
    recorder = make_recorder("64 KiB")
    message = {}
    for frame in range(1, 1501):
        if frame % 7 == 1:
            message[frame] = f"state {frame}"
            recorder.trace.state(
                4, "guard", f"state {frame - 7}", message[frame], won="time", also_true=["noise"],
                rejected=[Rejected("hurt", "hp 80")], values={"hp": 80.0, "seen": None},
                beliefs=[Belief(9, (1.0, 2.0, 3.0), 0.5, "last seen")],
            )  # fmt: skip
        recorder.update([], 0.1)
    source, span = recorder.source, recorder.source.span
    assert span.oldest > 100
    for frame in range(span.oldest, span.newest + 1):
        began = frame - (frame - 1) % 7
        state = source.latched(frame, 4, Kind.STATE, "guard")
        assert state.target == message[began]
        newest = source.transitions(frame, 4, "guard", 1)
        assert [transition.trace.target for transition in newest] == [message[began]]
    last = source.transitions(span.newest, 4, "guard", 10)
    assert [transition.frame for transition in last] == sorted(message, reverse=True)[:10]
    trace = last[0].trace
    assert (trace.won, trace.also_true, trace.rejected) == (
        "time", ("noise",), (Rejected("hurt", "hp 80"),)
    )  # fmt: skip
    assert trace.beliefs == (Belief(9, (1.0, 2.0, 3.0), 0.5, "last seen"),)
    assert trace.file == __file__
    assert source.machines(span.newest) == [(4, "guard")]


def test_a_behaviour_tree_shows_each_ticks_statuses_and_what_ended_early(recorder):
    nodes = [
        TreeNode("root", "selector"),
        TreeNode("see?", "condition", 0),
        TreeNode("go", parent=0),
    ]
    recorder.trace.define_tree(3, "brain", nodes)
    recorder.update([], 0.1)
    recorder.trace.tree(
        3, "brain", ["running", "failure", "running"], ended_early={1: "wall in the way"},
        blackboard={"target": 9},
    )  # fmt: skip
    frame = recorder.update([], 0.1)
    assert recorder.source.tree(frame, 3, "brain") == tuple(nodes)
    ((agent, tick),) = recorder.source.traces(frame)
    assert (agent, tick.statuses[1], tick.ended_early) == (3, "failure", {1: "wall in the way"})
    assert tick.blackboard == {"target": 9}


def test_an_animation_tree_is_kept_clip_by_clip(recorder):
    walk = AnimationClip("walk", 0.7, 1.2, 0.25, "speed 1.4 is above 0.2")
    recorder.trace.animation(3, "body", [walk, AnimationClip("idle", 0.3)])
    ((_, trace),) = recorder.source.traces(recorder.update([], 0.1))
    assert trace.clips[0] == walk
    assert sum(clip.contribution for clip in trace.clips) == 1.0


def test_values_lines_names_facts_and_marks(recorder):
    recorder.watch("speed", 2.5, 4)
    recorder.watch("frame time", 0.016)
    recorder.log("opened", level="warning", object=4, channel="script")
    recorder.name(4, "door")
    recorder.fact(4, "key", {"color": "red"})
    recorder.emit(SetMark("boss", note="he comes"))
    frame, source = recorder.update([], 0.1, 12.0), recorder.source
    assert source.watches(frame) == {(4, "speed"): 2.5, (0, "frame time"): 0.016}
    (line,) = source.logs(frame)
    assert (line.text, line.level, line.object, line.file) == ("opened", "warning", 4, __file__)
    assert source.latched(frame, 4, Kind.NAME, "") == "door"
    assert source.latched(frame, 4, Kind.FACT, "key") == {"color": "red"}
    assert source.marks() == [Mark("boss", frame, 12.0, note="he comes")]


def test_marks_go_when_their_frames_go(make_recorder):
    recorder = make_recorder("64 KiB")
    for frame in range(1, 2001):
        if frame % 10 == 0:
            recorder.emit(SetMark(f"m{frame}"))
        recorder.update([], 0.1)
    span = recorder.source.span
    names = [mark.name for mark in recorder.source.marks()]
    assert names == [f"m{n}" for n in range(1, 2001) if n % 10 == 0 and n >= span.oldest]


def test_what_was_latched_for_an_object_ends_in_the_frame_it_is_gone(recorder, thing):
    recorder.name(1, "one")
    recorder.name(2, "two")
    both = [(1, "thing", thing()), (2, "thing", thing())]
    recorder.update(both, 0.1)
    recorder.update(both, 0.1)
    gone = recorder.update(both[:1], 0.1)
    source = recorder.source
    assert source.latched(gone - 1, 2, Kind.NAME, "") == "two"
    assert source.latched(gone, 2, Kind.NAME, "") is None
    assert source.latched(gone, 1, Kind.NAME, "") == "one"


def test_switching_a_channel_off_saves_memory_and_its_types_are_not_missed(make_recorder, thing):
    held = {}
    for on in (True, False):
        recorder = make_recorder("256 KiB", channels=("fx",))
        recorder.channels.record("fx", on)
        for _ in range(5000):
            recorder.draw.line((0, 0, 0), (1, 1, 1), channel="fx")
            recorder.update([(n, "thing", thing()) for n in range(1, 10)], 0.1)
        held[on] = recorder.status.frames_held
        newest = recorder.source.span.newest
        assert len(recorder.source.objects(newest)) == (9 if on else 0)
        assert recorder.source.recorded_types(newest) == ({"thing"} if on else set())
    assert held[False] > 3 * held[True]


def test_a_type_in_two_channels_is_recorded_while_either_is_on(make_recorder, thing):
    recorder = make_recorder(channels=("ai", "fx"))
    counts = []
    for ai, fx in ((True, True), (False, True), (False, False), (True, False)):
        recorder.channels.record("ai", ai)
        recorder.channels.record("fx", fx)
        counts.append(len(recorder.source.objects(recorder.update([(1, "thing", thing())], 0.1))))
    assert counts == [1, 1, 0, 1]


def test_showing_is_switched_apart_from_recording(recorder):
    channels = recorder.channels
    channels.show("ai", False)
    assert channels.records(channels.bit("ai"))
    assert not channels.shows(channels.bit("ai"))
    assert channels.shows(0)
    with pytest.raises(RecordingError, match="unknown"):
        channels.record("nonsense", False)
    for n in range(28):
        channels.bit(f"channel {n}")
    with pytest.raises(RecordingError, match="32"):
        channels.bit("one more")


def test_threads_speak_into_the_open_frame_each_in_its_own_order(recorder):
    def work(name: str) -> None:
        for n in range(100):
            recorder.log(f"{name} {n}")
            recorder.watch(f"{name}", float(n), 0)
            recorder.draw.line((n, 0, 0), (0, 0, 0))
            recorder.trace.state(1, name, str(n), str(n + 1), won="next")

    threads = [threading.Thread(target=work, args=(name,)) for name in ("a", "b", "c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    frame = recorder.update([], 0.1)
    texts = [line.text for line in recorder.source.logs(frame)]
    assert len(texts) == 300
    for name in "abc":
        mine = [text for text in texts if text.startswith(name)]
        assert mine == [f"{name} {n}" for n in range(100)]
        assert recorder.source.latched(frame, 1, Kind.STATE, name).target == "100"
    assert len(recorder.source.drawn(frame)) == 300


def test_a_thread_that_says_too_much_is_cut_short_and_counted(recorder):
    def work() -> None:
        for n in range(MOST[StatementSource.THREAD] + 50):
            recorder.log(str(n))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)
    assert len(recorder.source.logs(recorder.update([], 0.1))) == MOST[StatementSource.THREAD]
    assert recorder.status.calls_dropped == 50


def test_a_full_latch_area_refuses_new_keys_is_counted_and_recording_goes_on(make_recorder):
    recorder = make_recorder("1 MiB", latch="32 KiB", strict=False)
    recorder.update([], 0.1)
    for n in range(1, 500):
        recorder.name(n, "x" * 100)
    frame = recorder.update([], 0.1)
    assert recorder.status.latch_refused > 300
    assert recorder.source.stamp(frame).flags & 8
    assert recorder.source.latched(frame, 1, Kind.NAME, "") == "x" * 100
    assert recorder.source.latched(frame, 499, Kind.NAME, "") is None
    assert recorder.update([], 0.1) == frame + 1
