"""Inputs and phases: what came from outside in a frame, and the named stretches of a run."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.errors import RecordingError
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.save_clip import save
from playhead.recorder.packets.packet_types import Kind, PacketType
from playhead.recorder.recorder import Recorder


def spans(source):
    return [(phase.name, phase.first, phase.last) for phase in source.phases()]


def test_an_input_is_of_its_frame_alone_and_of_several_the_last_counts(recorder):
    recorder.input("pad", {"A": True}, object=7)
    recorder.input("pad", {"left x": 0.5}, object=7)
    recorder.input("pad", {}, object=8)
    recorder.input("chat", "hello")
    first, second = recorder.update([], 0.1), recorder.update([], 0.1)
    assert recorder.source.inputs(first) == {
        (7, "pad"): {"left x": 0.5}, (8, "pad"): {}, (0, "chat"): "hello",
    }  # fmt: skip
    assert recorder.source.inputs(second) == {}
    kinds = [packet.type for packet in recorder.source.packets(first)]
    assert kinds.count(".input") == 4, "all of them are recorded"


@pytest.mark.parametrize(
    "say",
    [
        lambda r: r.input("pad", object()),
        lambda r: r.input(5, 1),
        lambda r: r.input("pad", 1, object=-1),
        lambda r: r.input("pad", 1, object="orc"),
        lambda r: r.phase(5),
        lambda r: r.phase(None),
    ],
)
def test_wrong_inputs_and_phases_are_refused_and_cost_the_frame_nothing(recorder, say):
    with pytest.raises(RecordingError):
        say(recorder)
    frame = recorder.update([], 0.1)
    assert recorder.source.inputs(frame) == {}
    assert recorder.source.phases() == []


def test_not_strict_wrong_inputs_are_counted_by_their_calls(make_recorder):
    recorder = make_recorder(strict=False)
    recorder.input("pad", object())
    recorder.phase(5)
    recorder.update([], 0.1)
    assert recorder.status.calls_refused == {"input": 1, "phase": 1}


def test_a_phase_goes_on_until_the_next_one_and_an_empty_name_ends_it(recorder):
    for frame in range(1, 21):
        if frame in (3, 8, 12, 15):
            recorder.phase({3: "walk", 8: "fight", 12: "", 15: "walk"}[frame])
        recorder.update([], 0.5)
    source = recorder.source
    assert spans(source) == [("walk", 3, 7), ("fight", 8, 11), ("walk", 15, 20)]
    walk, fight, again = source.phases()
    assert (walk.start, walk.end) == (source.time(3), source.time(8))
    assert (fight.end, again.end) == (source.time(12), source.time(20))
    assert walk.file == __file__
    assert [source.phase(frame) for frame in (2, 3, 11, 12, 20)] == [
        "",
        "walk",
        "fight",
        "",
        "walk",
    ]
    assert source.phases_in(8) == ["fight"]
    assert source.phases_in(9) == []


def test_of_two_phases_in_one_frame_the_last_holds(recorder):
    recorder.phase("a")
    recorder.phase("b")
    recorder.update([], 0.1)
    assert spans(recorder.source) == [("b", 1, 1)]


def test_the_phase_of_the_oldest_frame_is_known_although_it_began_long_ago(make_recorder):
    recorder = make_recorder("64 KiB")
    recorder.phase("long")
    for _ in range(2000):
        recorder.log("some text to fill the ring with")
        recorder.update([], 0.1)
    span = recorder.source.span
    assert span.oldest > 1
    assert spans(recorder.source) == [("long", span.oldest, span.newest)]


def test_another_run_of_the_game_begins_in_no_phase(recorder):
    recorder.phase("boss fight")
    recorder.update([], 0.1, 5.0)
    recorder.restart()
    recorder.update([], 0.1, 0.0)
    recorder.update([], 0.1)
    assert spans(recorder.source) == [("boss fight", 1, 1)]


def test_a_clip_has_inputs_phases_and_how_they_are_to_be_read(recorder, tmp_path):
    for frame in range(1, 31):
        recorder.input("pad", {"x": frame}, object=2)
        if frame % 10 == 5:
            recorder.phase(f"phase {frame}")
        recorder.update([], 0.25)
    save(tmp_path / "x.mcap", recorder.ring, start=8)
    with ClipSource.open(tmp_path / "x.mcap") as clip:
        assert spans(clip) == [("phase 5", 8, 14), ("phase 15", 15, 24), ("phase 25", 25, 30)]
        assert clip.inputs(20) == {(2, "pad"): {"x": 20}}
        for type in (PacketType.INPUT, PacketType.PHASE):
            name, layout = clip.type_of(20, type)
            assert name == f".{type.name.lower()}"
            assert layout.tail == "msgpack"
    assert recorder.source.latched(30, 0, Kind.PHASE, "").name == "phase 25"


def test_threads_state_inputs_and_phases_too(recorder):
    def work():
        value = {"x": 1}
        recorder.input("net", value)
        value["x"] = 2
        recorder.phase("online")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)
    frame = recorder.update([], 0.1)
    assert recorder.source.inputs(frame) == {(0, "net"): {"x": 1}}
    assert recorder.source.phase(frame) == "online"


# --- a thread, or a late part of the game, names the instant it is about --------------------------


def test_a_thread_names_the_instant_that_its_decision_is_about(recorder):
    for _ in range(5):
        recorder.update([], 1.0)

    def think():
        recorder.trace.state(1, "plan", "idle", "flee", won="noise", time=recorder.source.time(3))
        recorder.trace.tree(1, "mind", ["running"], game_time=2.0)
        recorder.trace.animation(1, "body", [], time=recorder.source.time(4))
        recorder.log("heard it", time=recorder.source.time(3))
        recorder.mark("noise", time=recorder.source.time(2))

    thread = threading.Thread(target=think)
    thread.start()
    thread.join(30)
    changed = []
    recorder.on_late(changed.append)
    recorder.update([], 1.0)
    source = recorder.source
    assert [trace.target for _, trace in source.traces(3)] == ["flee"]
    assert [line.text for line in source.logs(3)] == ["heard it"]
    assert [(mark.name, mark.frame) for mark in source.marks()] == [("noise", 2)]
    assert source.latched(2, 1, Kind.STATE, "plan") is None
    assert source.latched(3, 1, Kind.STATE, "plan").target == "flee"
    assert changed == [[2, 3, 4]]


def test_the_games_own_thread_may_name_an_instant_as_well(recorder):
    recorder.update([], 1.0)
    recorder.update([], 1.0)
    recorder.log("late", time=recorder.source.time(1))
    recorder.log("too old", time=-99.0)
    recorder.log("in future", time=99.0)
    frame = recorder.update([], 1.0)
    assert [line.text for line in recorder.source.logs(1)] == ["late"]
    assert [line.text for line in recorder.source.logs(frame)] == ["in future"]
    assert recorder.status.late_dropped == 1


@pytest.mark.parametrize(
    "when", [{"time": float("nan")}, {"game_time": "soon"}, {"time": 1.0, "game_time": 1.0}]
)
def test_an_instant_of_the_games_own_that_makes_no_sense_is_refused(recorder, when):
    for say in (
        lambda: recorder.trace.state(1, "a", "b", "c", won="d", **when),
        lambda: recorder.log("x", **when),
        lambda: recorder.mark("x", **when),
    ):
        with pytest.raises(RecordingError):
            say()
    assert not recorder.queue


def test_threads_that_state_too_much_are_cut_short_counted_and_it_is_logged_once(
    make_recorder, caplog
):
    recorder = make_recorder(strict=False)

    def work():
        for n in range(5000):
            recorder.watch("n", n)

    for _ in range(2):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join(30)
    recorder.update([], 0.1)
    assert recorder.status.calls_dropped == 10_000 - 4096
    result = [record for record in caplog.records if "calls_dropped" in record.getMessage()]
    assert len(result) == 1


phases = st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["", "a", "b", "c"])), max_size=12)


@given(phases)
def test_phases_are_what_a_model_of_them_says_in_the_ring(steps):
    recorder, model, frame = Recorder("1 MiB"), [], 0
    try:
        recorder.update([], 0.25)
        frame = 1
        for frames, name in steps:
            recorder.phase(name)
            for _ in range(frames):
                frame = recorder.update([], 0.25)
                model.append((name, frame))
        for name, at in model:
            assert recorder.source.phase(at) == name
        held = {
            at: name
            for name, first, last in spans(recorder.source)
            for at in range(first, last + 1)
        }
        assert held == {at: name for name, at in model if name}
    finally:
        recorder.close()


def test_what_is_no_statement_is_refused_by_every_way_in(recorder):
    for way in (recorder.emit, recorder.accept, recorder.accept_in_step):
        with pytest.raises(RecordingError, match="no statement"):
            way("hello")
    recorder.suspended = True
    with pytest.raises(RecordingError, match="no statement"):
        recorder.emit(Recorder)
