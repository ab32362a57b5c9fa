"""The desk: what the docks of one recording share."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.viewer.backends.open_target import target_of
from playhead.viewer.state.pinned_fields import ObjectField
from playhead.viewer.state.shared_pins_and_histories import PanelContext
from playhead.viewer.state.viewer_store import ViewerStore


@pytest.fixture
def store(app, until, clip):
    made = ViewerStore(target_of(str(clip)))
    made.start()
    until(lambda: made.is_settled)
    yield made
    made.close()


def test_a_store_has_one_workspace(store):
    assert PanelContext.of(store) is PanelContext.of(store)


def test_changes_of_pins_are_signalled(store):
    context, calls = PanelContext.of(store), []
    context.pins_changed.connect(lambda: calls.append(context.pins.facts))
    context.star("walker", "hp")
    context.lane(ObjectField(1, "hp"))
    context.plot(ObjectField(1, "hp"))
    context.pin(1)
    context.clear_plots()
    assert len(calls) == 5
    assert calls[-1] == {"stars": {"walker": ["hp"]}}


def test_a_field_history_arrives_bit_by_bit_and_is_the_same_for_all(store, until):
    context, reads = PanelContext.of(store), []
    context.history_read.connect(lambda: reads.append(len(context.field_history(1))))
    field_history = context.field_history(1)
    assert len(field_history) == 0
    until(lambda: field_history.progress >= 1.0)
    assert len(field_history) == 256
    assert reads
    assert context.field_history(1) is field_history


def test_only_the_field_histories_that_were_asked_for_lately_are_kept_and_read_on(store, until):
    context = PanelContext.of(store)
    first = context.field_history(1)
    for object in range(2, 9):
        context.field_history(object)
    assert context.field_history(1) is first
    context.field_history(9)  # now 2 was asked for longest ago
    assert context.field_history(1) is first
    assert len(store.reader._queries) == 8
    assert {scan.object for scan in store.reader._queries} == {1, 3, 4, 5, 6, 7, 8, 9}


def test_what_was_read_of_another_recording_is_forgotten(store, until):
    context = PanelContext.of(store)
    until(lambda: context.field_history(1).progress >= 1.0)
    before = context.field_history(1)
    (scan,) = store.reader._queries
    scan.restart()
    context._take()
    assert context.field_history(1) is not before
    assert len(context.field_history(1)) == 0
    store.reader._wake.ring()
    until(lambda: context.field_history(1).progress >= 1.0)
    assert len(context.field_history(1)) == 256
