"""Which checks fail, remembered within bounds."""

import weakref
from types import SimpleNamespace
from typing import Any

from playhead.recorder.checks import failed_check_tracker
from playhead.recorder.checks.failed_check_tracker import FailedCheckTracker


def call(line: int = 1) -> Any:
    """The frame of some code of its own that makes a check."""
    return SimpleNamespace(f_code=compile("0", "game.py", "eval"), f_lasti=0, f_lineno=line)


def test_of_too_many_failing_checks_those_of_older_frames_are_forgotten(monkeypatch):
    monkeypatch.setattr(failed_check_tracker, "_MOST_FAILING", 3)
    tracker, here = FailedCheckTracker(), call()

    def fails(object: int, frame: int) -> bool:
        return tracker.begins_to_fail(tracker.count(here, object), frame)

    assert [fails(object, 1) for object in (1, 2)] == [True, True]
    tracker.step_ended()
    tracker.step_ended()
    assert [fails(object, 3) for object in (3, 4)] == [True, True]
    assert {object for _, object, _ in tracker.failing} == {3, 4}
    tracker.step_ended()
    assert [fails(object, 4) for object in (3, 4)] == [False, False]


def test_code_that_is_loaded_again_and_again_is_not_kept_and_its_checks_go_on_failing(monkeypatch):
    monkeypatch.setattr(failed_check_tracker, "_MOST_SITES", 2)
    tracker = FailedCheckTracker()
    loaded = []
    for line in range(1, 4):
        frame = call(line)
        loaded.append(weakref.ref(frame.f_code))
        assert tracker.begins_to_fail(tracker.count(frame, 7), 1)
    del frame
    assert all(code() is not None for code in loaded)
    tracker.step_ended()
    assert [code() for code in loaded] == [None, None, None]
    assert not tracker.begins_to_fail(tracker.count(call(2), 7), 2)


def test_counters_of_ever_new_objects_are_not_kept(monkeypatch):
    monkeypatch.setattr(failed_check_tracker, "_MOST_COUNTERS", 2)
    tracker, here = FailedCheckTracker(), call()
    counter, *_ = (tracker.count(here, object) for object in (1, 2, 3))
    assert tracker.count(here, 1) is counter
    tracker.step_ended()
    assert tracker.count(here, 1) is not counter
