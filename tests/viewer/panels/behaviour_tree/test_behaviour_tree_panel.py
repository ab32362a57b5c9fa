"""The behaviour tree dock as a person uses it."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.viewer.panels.behaviour_tree.behaviour_tree_panel import BehaviourTreeList
from playhead.viewer.reader.history.history_record_types import FramePage
from playhead.viewer.reader.history.recording_history import RecordingHistory
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.qt import QPointF

from ... import yard
from ...animated_recording import DANCER, RUNNER, make_clip
from ..panel_harness import open_dock

RESTS, SPINS = 20, 100


@pytest.fixture(scope="module")
def hall(tmp_path_factory):
    path = tmp_path_factory.mktemp("tree") / "hall.mcap"
    make_clip(path)
    return path


@pytest.fixture
def stage(app, until, hall):
    with open_dock(app, until, BehaviourTreeList, hall) as made:
        made.go(RESTS, DANCER)
        yield made


def row_of(stage, name):
    return next(at for at, row in enumerate(stage.panel.rows, 1) if row.name == name)


def test_each_node_has_its_status_in_its_colour_and_a_failed_condition_its_reason(stage):
    box = stage.panel.box_of(row_of(stage, "Free?"))
    assert stage.shows(palette.FAILED, 0, box.top(), 200, box.height())
    assert stage.panel.card(row_of(stage, "Free?"), QPointF()) == [
        "Free? · condition", "failure", "ended early: 2 m are not free",
    ]  # fmt: skip
    box = stage.panel.box_of(row_of(stage, "Rest"))
    assert stage.shows(palette.OK, 0, box.top(), 200, box.height())
    assert not stage.shows(palette.FAILED, 0, box.top(), 200, box.height())


def test_a_branch_that_ended_early_says_so_beside_itself(stage):
    (turn,) = (row for row in stage.panel.rows if row.name == "Turn")
    assert turn.early
    assert stage.panel._note(turn) == "⊘ ended early: no room"
    assert "  Turn  [failure: no room]" in stage.panel.text().splitlines()


def test_a_running_leaf_has_its_clock(stage):
    stage.go(SPINS, DANCER)
    assert stage.panel.card(row_of(stage, "Spin"), QPointF())[1] == "running for 0.50 s"
    assert "ticked 0.06 s ago" in stage.panel.text()


def test_behind_a_gap_a_node_runs_at_least_since_its_end(app, until, tmp_path):
    """The walker fights in the frames 192 to 255; of those before 200 nobody knows."""
    yard.make_clip(tmp_path / "gapped.mcap", (1, 150), (200, 256))
    with open_dock(app, until, BehaviourTreeList, tmp_path / "gapped.mcap") as gapped:
        gapped.go(232, 1)
        assert "[running for ≥ 0.50 s]" in gapped.panel.text()
        gapped.go(70, 1)
        assert "[running for 0.09 s]" in gapped.panel.text()


def test_the_blackboard_stands_below_with_what_is_fresh(stage):
    assert [(one.name, one.value, one.fresh) for one in stage.panel.board] == [
        ("beat", 2, True), ("room", 2.0, False),
    ]  # fmt: skip
    assert stage.panel.text().splitlines()[-2:] == ["beat = 2", "room = 2"]
    last = len(stage.panel.heights()) - 1
    assert stage.panel.card(last, QPointF()) == ["room = 2", "written at 00:00.125"]
    stage.menu(last)["Go to where it was written"]()
    stage.until(lambda: stage.store.frame == 8)


def test_a_click_folds_and_opens_and_so_does_enter(stage):
    row = row_of(stage, "Turn")
    stage.click(60, stage.middle(row))
    assert [one.name for one in stage.panel.rows] == ["Root", "Turn", "Rest"]
    stage.panel.setFocus()
    assert stage.panel.cursor_row == row
    stage.press("Return")
    assert len(stage.panel.rows) == 5
    stage.menu(row)["Fold"]()
    stage.menu(row)["Open"]()
    assert len(stage.panel.rows) == 5


def test_one_goes_from_a_status_to_where_it_changes(stage):
    row = row_of(stage, "Spin")
    stage.menu(row)["Next change of its status"]()
    stage.until(lambda: stage.store.frame == 64)
    stage.menu(row)["Next change of its status"]()
    stage.until(lambda: stage.store.frame == 128)
    stage.menu(row)["Previous change of its status"]()
    stage.until(lambda: stage.store.frame == 64)
    stage.menu(row)["Previous change of its status"]()
    assert stage.messages == ["Its status does not change any more in that direction"]


def test_the_line_that_ticked_it_opens_in_the_editor(stage):
    (name,) = (name for name in stage.menu(1) if name.startswith("Open animated_recording.py:"))
    stage.menu(1)[name]()
    assert stage.sources[0][0].endswith("/animated_recording.py")


def test_keys_stop_at_nodes_and_entries_but_not_at_headings(stage):
    stage.panel.setFocus()
    seen = []
    for _ in range(9):
        stage.press("Down")
        seen.append(stage.panel.cursor_row)
    assert seen == [1, 2, 3, 4, 5, 7, 8, 8, 8]


def test_who_has_no_tree_and_nobody_have_words_of_their_own(stage):
    stage.go(RESTS, RUNNER)
    assert stage.panel.text() == "No behaviour tree is recorded for this object"
    stage.go(RESTS, 0)
    assert stage.panel.text() == "Select an object to see its behaviour tree"
    stage.picture()


def test_of_a_stretch_that_is_not_read_yet_it_does_not_say_that_nothing_was_ticked(stage):
    """The newest frame is shown while only the first forty have been read."""
    store = stage.store
    newest = store.history.span.newest
    stage.go(newest, DANCER)
    assert "ticked" in stage.panel.text().splitlines()[0]
    assert any(row.status for row in stage.panel.rows)
    full, store.history = store.history, RecordingHistory()
    store.history.span, store.progress = full.span, 0.2
    for at, frame in enumerate(full.times.frames[:40].tolist()):
        ticks = [one.trace for one in full.ticks[stage.panel.key] if one.frame == frame]
        store.history.put(FramePage(
            int(frame), float(full.times.values[at]), float(full.deltas.values[at]), 0,
            [(DANCER, one) for one in ticks],
        ))  # fmt: skip
    store.history_grew.emit()
    assert stage.panel.text().splitlines()[0].endswith("not read yet")
    assert stage.panel.rows[0].reason.endswith("not read yet")
    assert "not ticked" not in stage.panel.text()
    # As soon as it is read it says what was ticked.
    store.history, store.progress = full, 1.0
    store.history_grew.emit()
    assert any(row.status for row in stage.panel.rows)


def test_a_tree_that_was_really_not_ticked_yet_says_so(stage):
    stage.store.history.ticks.clear()
    stage.store.history_grew.emit()
    assert stage.panel.text().splitlines()[0].endswith("not ticked yet")
