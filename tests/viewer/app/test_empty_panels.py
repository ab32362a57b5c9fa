"""Panels of a preset layout that have nothing to show of a recording are closed."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

import playhead as ph
from playhead.viewer.backends.annotation_store import AddMark


def _clip(path, *, states: bool):
    thing = {"x": 0.0}
    with ph.record({"thing": thing}, dt=0.1, memory="4 MiB") as rec:
        for step in range(20):
            thing["x"] = float(step)
            if states and step in (3, 9):
                rec.trace.state(1, "mind", "Idle", f"Walk {step}", won="a step")
            rec.update()
        rec.save(path)
    return path


def test_panels_without_anything_to_show_are_closed(window, until, tmp_path):
    one = window(_clip(tmp_path / "plain.mcap", states=False))
    until(lambda: not one.docks.is_open("State machine"))
    closed = {"Behaviour tree", "Animation", "Steering", "Picture", "Marks"}
    assert not any(map(one.docks.is_open, closed))
    assert all(map(one.docks.is_open, ("Inspector", "Plots", "Range", "Log", "Timeline")))


def test_a_panel_opens_again_when_there_is_something_for_it(window, until, tmp_path):
    one = window(_clip(tmp_path / "plain.mcap", states=False))
    until(lambda: not one.docks.is_open("Marks"))
    one.store.reader.annotate(AddMark(5, "door"))
    until(lambda: one.docks.is_open("Marks"))
    assert not one.docks.is_open("State machine")
    # Until the mark is in the file, the window asks before it closes.
    until(lambda: one.store.reader.unsaved == 0)


def test_a_panel_with_something_to_show_stays(window, until, tmp_path):
    one = window(_clip(tmp_path / "states.mcap", states=True))
    until(lambda: not one.docks.is_open("Animation"))
    assert one.docks.is_open("State machine")


def test_a_panel_that_the_user_opens_stays_open(window, until, tmp_path):
    one = window(_clip(tmp_path / "plain.mcap", states=False))
    until(lambda: not one.docks.is_open("State machine"))
    one.docks.open("State machine")
    one.store.history_grew.emit()
    assert one.docks.is_open("State machine")
