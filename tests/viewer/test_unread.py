"""What is not read yet, or was never there, is shown as that, in every panel."""

import numpy as np
import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.playback.commands import SeekFrame
from playhead.playback.playback_state import Mode
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.packets.trace_types import StateTransition, TreeTick
from playhead.viewer.panels.timeline.overview_and_ruler_painter import TOP
from playhead.viewer.panels.timeline.timeline_panel import TimelinePanel
from playhead.viewer.panels.timeline.timeline_rows import reading
from playhead.viewer.reader.history.history_record_types import UNREAD
from playhead.viewer.state.pinned_fields import ObjectField
from playhead.viewer.widgets.painted_panel import PaintedPanel

from .yard import DT, FRAMES, GONE

READ = 80
"""Where a slow reader stops."""


@pytest.fixture
def half_read(window, clip, slow_reader, until):
    """A window whose recording is read up to `READ`, with everything selected and shown."""
    slow_reader.until = READ
    opened = window(clip, ready=False, size=(1280, 720))
    until(lambda: len(opened.store.history) == READ)
    opened.store.select(1)
    opened.store.send(SeekFrame(200))
    until(lambda: opened.store.frame == 200 and opened.store.surroundings)
    return opened


def on_the_lane(panel: TimelinePanel, title: str, time: float) -> str:
    """The colour of a lane at a time."""
    y = float(TOP)
    for row in panel.rows():
        if row.title == title:
            image = panel.grab().toImage()
            return image.pixelColor(int(panel.x_of(time)), int(y + row.height / 2)).name()
        y += row.height
    raise AssertionError(f"no lane {title!r}")


def lane(panel: TimelinePanel, title: str):
    return next(row for row in panel.rows() if row.title == title)


def test_lanes_end_where_the_recording_was_read_and_the_rest_is_hatched(half_read, until):
    panel, store = half_read.timeline, half_read.store
    assert not store.history.complete
    spans = lane(panel, "guard").spans
    assert spans.ends[-1] == READ * DT
    missing = store.history.missing(0.0, FRAMES * DT, store.playback.span)
    assert (READ * DT, FRAMES * DT, UNREAD) in missing
    for row in panel.rows():
        if row.spans is not None or row.samples is not None:
            assert reading(row, 3.0, store.history)[0] == UNREAD, row.title
            assert reading(row, 1.1, store.history)[0] not in ("", UNREAD), row.title
    assert "guard   not read yet" in panel.text()


def test_when_the_rest_is_read_nothing_is_reported_to_be_unread(half_read, slow_reader, until):
    slow_reader.until = FRAMES
    until(lambda: half_read.store.is_settled)
    panel, store = half_read.timeline, half_read.store
    assert not store.history.missing(0.0, FRAMES * DT, store.playback.span)[1:]
    assert reading(lane(panel, "guard"), 3.0, store.history)[0] == "Chase"
    # Fields of objects are read beside what was said, and may be through a little later.
    panels = half_read.findChildren(PaintedPanel)
    until(lambda: not [panel for panel in panels if UNREAD in panel.text()])


def test_every_panel_says_what_it_does_not_know_yet(half_read):
    log = half_read.log.list
    assert "Read so far: 3" in log.text()
    assert "path is long" not in log.text(), "of frame 100, which is not read"
    assert "not read yet" in half_read.tree.list.text().splitlines()[0]
    assert "success" not in half_read.tree.list.text()
    machine = half_read.machine
    assert machine.headline is None
    assert [row.note for row in machine.rows if row.text == "Believes now"] == [UNREAD]
    assert f"beliefs: {UNREAD}" in half_read.world.text()
    assert "Reading the recording" in half_read.statistics.text()
    assert half_read.store.so_far


def test_a_field_that_is_read_to_its_half_is_not_known_behind_that(half_read, until):
    panel = half_read.timeline
    context = panel.context
    context.lane(ObjectField(1, "hp"))
    context.lane(ObjectField(1, "state"))
    context.plot(ObjectField(1, "hp"))
    until(lambda: len(context.field_history(1)) == READ)
    field_history = context.field_history(1)
    assert field_history.progress < 1.0
    assert field_history.lane("state").ends[-1] == READ * DT
    half_read.store.history.complete = True  # what was said is all read, the field is not
    hp = lane(panel, "hp")
    assert (READ * DT, FRAMES * DT, UNREAD) in hp.missing
    assert reading(hp, 3.0, half_read.store.history)[0] == UNREAD
    (graph,) = half_read.plots.curves()
    assert graph.at(3.0) is None
    assert graph.at(FRAMES * DT) is None
    assert graph.at(READ * DT) is not None
    assert graph.why_missing(3.0) == UNREAD


def test_the_inspector_hatches_what_of_its_curves_is_not_read(half_read, until):
    inspector = half_read.inspector
    rows = {row.title: row for row in inspector.rows}
    unread = inspector.unread(rows["speed"])
    assert unread
    assert unread[0][0] == READ * DT
    # Fields around the playhead are read whatever else is.
    until(lambda: half_read.store.surroundings_span == (-np.inf, np.inf))
    assert inspector.unread(rows["hp"]) == []


@pytest.mark.slow
def test_the_believed_player_of_the_demo_is_the_last_reported_one_or_not_read_yet(
    window, demo_clip, slow_reader, until
):
    """Whenever one looks while the clip is being read."""
    with ClipSource.open(demo_clip) as source:
        check = next(mark for mark in source.marks() if mark.kind == "check")
        results = [
            (trace.beliefs, frame)
            for frame in range(1, check.frame + 1)
            for agent, trace in source.traces(frame)
            if agent == check.object and isinstance(trace, StateTransition | TreeTick)
        ]
    expected = next(beliefs for beliefs, _ in reversed(results) if beliefs)
    slow_reader.until = 0
    opened = window(demo_clip, ready=False)
    store = opened.store
    until(lambda: store.snapshot is not None)
    assert (store.frame, store.selected) == (check.frame, check.object)
    world, painted = opened.world, []
    usual = world.update
    world.update = lambda: (painted.append(1), usual())  # type: ignore[method-assign]
    for until_frame in (300, 700, check.frame - 1):
        slow_reader.until = until_frame
        until(lambda at=until_frame: len(store.history) == at)
        assert store.beliefs() is None
        assert f"beliefs: {UNREAD}" in world.text()
    opened.grab()
    painted.clear()
    slow_reader.until = 2**60
    until(lambda: store.is_settled)
    held = store.beliefs()
    assert [(one.object, one.position) for one in held] == [
        (one.object, one.position) for one in expected
    ]
    assert painted, "the world is repainted when the belief is known"
    assert UNREAD not in world.text()


def test_lanes_of_who_is_gone_end_there_and_the_name_stays(window, short_life):
    opened = window(short_life)
    store, panel = opened.store, opened.timeline
    store.select(1)
    spans = lane(panel, "guard").spans
    at = (GONE - 1) * DT + DT
    assert spans.names[-1] == ""
    assert spans.starts[-1] == at
    assert reading(lane(panel, "guard"), at - DT, store.history)[0] == "Patrol"
    assert lane(panel, "brain leaf").spans.names == ["Walk", "Strike", "Walk", ""]
    assert lane(panel, "brain leaf").spans.names == ["Walk", "Strike", "Walk", ""]
    for title in ("guard", "brain leaf", "speed"):
        assert reading(lane(panel, title), 3.9, store.history) == ("", ""), title
    assert store.frame == FRAMES
    assert store.name_of(1) == "north"
    assert "north" in panel.text()
    assert {entry.who for entry in opened.log.list.rows if entry.object == 1} == {"north"}


def test_a_machine_of_who_is_gone_is_in_no_state(window, short_life, until):
    opened = window(short_life)
    opened.store.select(1)
    machine = opened.machine
    machine.rebuild_if_stale()
    newest = machine.headline
    assert newest.target == "Patrol"
    assert newest.dwell.endswith("gone")
    assert machine._graph.active == ""
    opened.store.send(SeekFrame(GONE - 1))
    until(lambda: opened.store.frame == GONE - 1)
    assert machine.headline.dwell == "0.33 s"
    assert machine._graph.active == "Patrol"
    states = [row.state for row in opened.statistics.rows if row.state is not None]
    patrol = next(state for state in states if state.state == "Patrol")
    assert patrol.seconds == pytest.approx(63 * DT + (GONE - 128) * DT)


def test_live_who_is_gone_is_gone_in_the_lanes(live, window, until):
    game = live()
    opened = window(game.endpoint)
    until(lambda: (1, "guard") in opened.store.history.changes)
    del game.world.things[1]
    until(lambda: opened.store.history.ends.get(1))
    opened.store.select(1)
    assert lane(opened.timeline, "guard").spans.names[-1] == ""


def test_amber_is_what_differs_from_the_frame_before_however_one_came_here(window, clip, until):
    opened = window(clip)
    store, inspector = opened.store, opened.inspector
    store.select(1)

    def amber(frame: int) -> set[str]:
        store.send(SeekFrame(frame))
        until(lambda: store.frame == frame and store.previous is not None)
        return {row.title for row in inspector.rows if row.changed}

    assert "hp" in amber(64)
    assert "hp" not in amber(65), "from the frame where it changed"
    assert "hp" not in amber(200), "from far away"
    assert "hp" not in amber(63)
    assert "hp" in amber(64), "from the frame before"
    amber(65)
    assert "hp" in amber(64), "backwards"
    assert "speed" in amber(64)


def test_behind_a_gap_and_at_the_beginning_nothing_is_amber(window, gapped, until):
    opened = window(gapped)
    store, inspector = opened.store, opened.inspector
    store.select(1)
    for frame in (181, 1):
        store.send(SeekFrame(frame))
        until(lambda at=frame: store.frame == at)
        until(lambda: store.surroundings)
        assert store.previous is None
        assert not any(row.changed for row in inspector.rows)


def test_the_trail_and_the_curves_do_not_run_across_a_gap(window, gapped, until):
    opened = window(gapped)
    store, inspector = opened.store, opened.inspector
    store.select(1)
    store.send(SeekFrame(181))
    until(lambda: store.frame == 181 and store.surroundings_span == (-np.inf, np.inf))
    row = next(row for row in inspector.rows if row.title == "hp")
    times, values = inspector.curve_of(row)
    assert not np.isfinite(values[np.searchsorted(times, 100 * DT, side="right")])
    assert not opened.world.error_text
    opened.grab()


def test_while_a_game_is_followed_trail_and_curves_are_there_without_a_hatch(live, window, until):
    game = live()
    opened = window(game.endpoint)
    store = opened.store
    store.select(1)
    until(lambda: len(store.surroundings) > 30 and store.playback.mode is Mode.LIVE)
    row = next(row for row in opened.inspector.rows if row.title == "position")
    times, values = opened.inspector.curve_of(row)
    assert np.isfinite(values).sum() > 20
    unread = opened.inspector.unread(row)
    assert all(end < times[0] + 0.1 for _, end in unread), "only what was before one came"
