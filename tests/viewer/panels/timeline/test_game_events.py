"""Events of the game as a person meets them: lines of the log, and ticks of the timeline."""

import pytest

from playhead.recorder.clips.save_clip import save
from playhead.recorder.recorder import Recorder
from playhead.viewer.panels.log.log_entries import LEVELS
from playhead.viewer.panels.log.log_panel import LogPanel
from playhead.viewer.panels.timeline.timeline_panel import TimelinePanel
from playhead.viewer.panels.timeline.timeline_tooltip import tooltip_lines
from playhead.viewer.toolkit.qt import QPointF

from ..panel_harness import open_dock

DT = 0.25


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    recorder = Recorder("2 MiB", strict=True)
    path = tmp_path_factory.mktemp("events") / "events.mcap"
    try:
        for frame in range(1, 101):
            if frame % 10 == 0:
                recorder.event("hit", {"damage": frame}, object=7)
            if frame == 50:
                recorder.name(7, "guard")
                recorder.event("door opened")
                recorder.log("said", object=7)
            recorder.update([], DT)
        save(path, recorder.ring)
    finally:
        recorder.close()
    return path


def test_the_log_has_events_among_its_lines_and_a_click_goes_there(app, until, clip):
    with open_dock(app, until, LogPanel, clip) as made:
        rows = made.panel.list.rows
        assert [(row.frame, row.level, row.text) for row in rows][3:7] == [
            (40, "event", 'hit · {"damage":40}'), (50, "event", 'hit · {"damage":50}'),
            (50, "event", "door opened"), (50, "info", "said"),
        ]  # fmt: skip
        assert rows[4].who == "guard"
        made.panel.list.clicked(4, QPointF(50.0, 5.0), twice=False)
        until(lambda: made.store.frame == 50)
        assert made.panel.list.card(4, QPointF(50.0, 5.0))[-1] == "about guard"
        made.panel.switch_level(LEVELS.index("event"))
        assert [row.text for row in made.panel.list.rows] == ["said"]


def test_the_timeline_has_ticks_and_says_their_values_under_the_mouse(app, until, clip):
    with open_dock(app, until, TimelinePanel, clip) as made:
        panel = made.panel
        titles = [row.title for row in panel.rows()]
        assert titles[titles.index("Events") :] == ["Events", "Log", "door opened", "hit"]
        y = next(
            at for at in range(panel.height()) if (row := panel.row_at(at)) and row.title == "hit"
        )
        point = QPointF(panel.x_of(30 * DT), y + 5.0)
        assert tooltip_lines(panel, panel.pointer, point)[0] == 'hit · {"damage":30}'
        assert panel.pointer.time(panel.x_of(30 * DT + 0.01), y) == 30 * DT, (
            "the mouse sticks to it"
        )
        panel.grab()
