"""Inputs and phases in the timeline: what is pressed, curves of sticks, a band of phases."""

from playhead.recorder.reading.ring_source import RingSource
from playhead.recorder.recorder import Recorder
from playhead.viewer.backends.playback_backend import frame_page
from playhead.viewer.panels.timeline.lane_cache import LaneCache
from playhead.viewer.panels.timeline.timeline_rows import rows_of
from playhead.viewer.reader.history.growable_array import GrowableArray
from playhead.viewer.reader.history.history_record_types import FramePage
from playhead.viewer.reader.history.input_series import InputSeries, TextSeries
from playhead.viewer.reader.history.recording_history import RecordingHistory

DT = 0.25


def history_of(pages):
    history = RecordingHistory()
    for frame, (inputs, phase) in pages.items():
        history.put(FramePage(frame, frame * DT, DT, 0, inputs=inputs, phase=phase))
    return history


def rows(history, folded=frozenset()):
    return rows_of(history, 0, lambda object: f"guard {object}", folded, lambda key: [])


def span_texts(lane):
    return list(zip(lane.starts.tolist(), lane.names, strict=True))


def spans(series, times):
    starts, _, names = series.spans(times)
    return list(zip(starts, names, strict=True))


def test_what_is_pressed_is_a_lane_and_each_axis_a_curve():
    pad = (7, "pad")
    history = history_of({
        1: ({pad: {}}, ""), 2: ({pad: {"A": True, "left x": 0.5}}, ""),
        3: ({pad: {"A": True, "B": True}}, ""), 4: ({pad: {"B": True, "left x": -1}}, ""),
    })  # fmt: skip
    heading, buttons, stick = rows(history)
    assert (heading.title, buttons.title, stick.title) == ("Inputs", "pad · guard 7", "left x")
    assert buttons.object == 7
    assert span_texts(buttons.spans) == [(0.25, ""), (0.5, "A"), (0.75, "A + B"), (1.0, "B")]
    assert stick.samples.times.tolist() == [0.5, 0.75, 1.0]
    assert stick.samples.values.tolist() == [0.5, 0.0, -1.0], "what a pad leaves out is at rest"


def test_a_single_value_is_an_input_too():
    history = history_of({
        1: ({(0, "chat"): "hello", (0, "throttle"): 0.5, (0, "alarm"): True}, ""),
        2: ({(0, "chat"): "", (0, "throttle"): 1, (0, "alarm"): False}, ""),
    })  # fmt: skip
    _, alarm, chat, throttle = rows(history)
    assert span_texts(alarm.spans) == [(0.25, "on"), (0.5, "")]
    assert span_texts(chat.spans) == [(0.25, "hello"), (0.5, "")]
    assert (throttle.title, throttle.samples.values.tolist()) == ("throttle", [0.5, 1.0])


def test_the_phases_are_a_band_above_all_else():
    history = history_of({1: ({}, ""), 2: ({}, "walk"), 3: ({}, "walk"), 4: ({}, "boss fight")})
    first, *rest = rows(history)
    assert first.title == "Phase"
    assert span_texts(first.spans) == [(0.25, ""), (0.5, "walk"), (1.0, "boss fight")]
    assert rest == []


def test_a_recording_without_either_has_no_such_rows():
    assert rows(history_of({1: ({}, ""), 2: ({}, "")})) == []


def test_frames_may_come_in_any_order_and_old_ones_are_forgotten():
    series, times = InputSeries(), GrowableArray()
    for frame in (5, 3, 4, 6, 2):
        times.put(frame, frame * DT)
        series.put(frame, {"A": frame > 3, "x": float(frame)})
    assert spans(series.pressed, times) == [(0.5, ""), (1.0, "A")]
    assert series.curve("x", times, 1).values.tolist() == [2.0, 3.0, 4.0, 5.0, 6.0]
    series.drop_before(4)
    assert spans(series.pressed, times) == [(1.0, "A")]


def test_a_lane_breaks_where_nothing_came():
    series, times = TextSeries(), GrowableArray()
    for frame in range(1, 21):
        times.put(frame, float(frame))
        if not 8 <= frame <= 12:
            series.put(frame, "A")
    assert [name for _, name in spans(series, times)] == ["A", "", "A"]


def test_lanes_are_kept_until_something_changes():
    history, book = history_of({1: ({(0, "pad"): {"A": True}}, "walk")}), LaneCache()
    first, pressed = book.phases(history), book.pressed(history, (0, "pad"))
    assert book.phases(history) is first
    assert book.pressed(history, (0, "pad")) is pressed
    history.put(FramePage(2, 2 * DT, DT, 0, phase="run"))
    assert span_texts(book.phases(history)) == [(0.25, "walk"), (0.5, "run")]


def test_pages_of_a_recording_have_inputs_and_the_phase():
    recorder = Recorder("1 MiB")
    try:
        recorder.input("pad", {"A": True}, object=3)
        recorder.phase("boss")
        recorder.update([], DT)
        recorder.update([], DT)
        source = RingSource(recorder.ring)
        first, second = frame_page(source, 1), frame_page(source, 2)
        assert (dict(first.inputs), first.phase) == ({(3, "pad"): {"A": True}}, "boss")
        assert (dict(second.inputs), second.phase) == ({}, "boss")
    finally:
        recorder.close()
