"""The desk: what the docks of one recording share."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.viewer.backends.view_target import target_of
from playhead.viewer.state.pinned_fields import Field
from playhead.viewer.state.viewer_store import ViewerStore
from playhead.viewer.state.workspace import Workspace


@pytest.fixture
def store(app, until, clip):
    made = ViewerStore(target_of(str(clip)))
    made.start()
    until(lambda: made.is_settled)
    yield made
    made.close()


def test_a_store_has_one_workspace(store):
    assert Workspace.of(store) is Workspace.of(store)


def test_changes_of_pins_are_signalled(store):
    workspace, calls = Workspace.of(store), []
    workspace.pins_changed.connect(lambda: calls.append(workspace.pins.facts))
    workspace.star("walker", "hp")
    workspace.lane(Field(1, "hp"))
    workspace.plot(Field(1, "hp"))
    workspace.pin(1)
    workspace.clear_plots()
    assert len(calls) == 5
    assert calls[-1] == {"stars": {"walker": ["hp"]}}


def test_a_field_history_arrives_bit_by_bit_and_is_the_same_for_all(store, until):
    workspace, reads = Workspace.of(store), []
    workspace.history_read.connect(lambda: reads.append(len(workspace.field_history(1))))
    field_history = workspace.field_history(1)
    assert len(field_history) == 0
    until(lambda: field_history.progress >= 1.0)
    assert len(field_history) == 256
    assert reads
    assert workspace.field_history(1) is field_history


def test_only_the_field_histories_that_were_asked_for_lately_are_kept_and_read_on(store, until):
    workspace = Workspace.of(store)
    first = workspace.field_history(1)
    for object in range(2, 9):
        workspace.field_history(object)
    assert workspace.field_history(1) is first
    workspace.field_history(9)  # now 2 was asked for longest ago
    assert workspace.field_history(1) is first
    assert len(store.reader._queries) == 8
    assert {scan.object for scan in store.reader._queries} == {1, 3, 4, 5, 6, 7, 8, 9}


def test_what_was_read_of_another_recording_is_forgotten(store, until):
    workspace = Workspace.of(store)
    until(lambda: workspace.field_history(1).progress >= 1.0)
    before = workspace.field_history(1)
    (scan,) = store.reader._queries
    scan.restart()
    workspace._take()
    assert workspace.field_history(1) is not before
    assert len(workspace.field_history(1)) == 0
    store.reader._wake.ring()
    until(lambda: workspace.field_history(1).progress >= 1.0)
    assert len(workspace.field_history(1)) == 256
