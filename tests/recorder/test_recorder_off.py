"""The recorder of a session that is switched off: it takes every call, and nothing comes of it."""

import pytest

from playhead.errors import EvictedError, RecordingError
from playhead.recorder.checks.failed_check_tracker import FailedCheck
from playhead.recorder.handler_interface import ImageType
from playhead.recorder.packets.layouts.layout import layout_from_dtype
from playhead.recorder.recorder_off import RecorderOff
from playhead.recorder.statements.statement_messages import ObjectName, SetMark


def test_a_frame_is_taken_and_none_is_there_afterwards():
    recorder = RecorderOff()
    assert recorder.update([(1, "thing", object())], 0.1) == 0
    assert (recorder.source.span, recorder.status.frames) == (None, 0)
    assert recorder.waiting_marks(recorder.source) == []
    with pytest.raises(EvictedError, match="PLAYHEAD=off"):
        recorder.source.stamp(1)


def test_types_and_objects_have_no_numbers():
    recorder = RecorderOff()
    layout = layout_from_dtype([("value", "<f8")])
    assert recorder.declare("thing", layout) == ImageType("thing", 0, 0)
    assert recorder.known_id("draw", object()) == 0


def test_a_listener_can_be_added_and_ended_although_it_is_never_called():
    RecorderOff().on_late(lambda frames: pytest.fail("nothing is recorded"))()


@pytest.mark.parametrize("accept", [RecorderOff.accept, RecorderOff.accept_in_step])
def test_statements_from_elsewhere_are_still_checked(accept):
    recorder = RecorderOff()
    accept(recorder, SetMark("here"))
    with pytest.raises(RecordingError, match="-1"):
        accept(recorder, ObjectName(-1, "nobody"))


def test_a_failed_check_of_a_step_elsewhere_is_taken():
    RecorderOff().accept_in_step(FailedCheck("alive", "hp > 0", 0, "game.py", 3))


@pytest.mark.parametrize("strict", [False, True])
def test_what_a_call_raises_is_counted_as_when_it_records(strict):
    recorder = RecorderOff(strict=strict)
    with recorder.refusing("draw"):
        raise ValueError("no line")
    assert recorder.faults.calls == {"draw": 1}
