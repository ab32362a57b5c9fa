"""The clip of a replay that went another way than its demo: where it opens, and what is beside."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.handlers.field_handler import FieldHandler
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session
from playhead.viewer.panels.plots.plot_model import plots
from playhead.viewer.panels.timeline.timeline_panel import TimelinePanel
from playhead.viewer.panels.timeline.timeline_rows import reading
from playhead.viewer.reader.history.field_history import FieldHistory

from ....agents.replay.corridor import PLAYER, Hall, Walker
from ..panel_harness import open_dock


@pytest.fixture
def replayed(tmp_path):
    """A hundred frames; the coins are not as in the demo for some, and again from frame 70 on."""
    world = Hall()
    handlers = {"walker": FieldHandler(Walker())}
    with Session(world, "2 MiB", handlers=handlers, on_check=UNATTENDED) as session:
        for frame in range(1, 101):
            world.steps += 1
            session.watch("demo.coins", 1.0 if frame > 60 else 3.0, PLAYER)
            session.watch("seen.coins", 3.0, PLAYER)
            session.watch("replay.row", frame, PLAYER)
            for at, name, note in (
                (20, "divergence", "hp 5, demo 6, since row 3"),
                (30, "divergence ends", "hp 5, demo 6, since row 3"),
                (70, "divergence", "coins 3, demo 1, since row 60"),
            ):
                if at == frame:
                    session.mark(name, note, object=PLAYER)
            session.check(frame < 95, "the demo was played to its end", focus=PLAYER)
            session.update(1 / 60)
        return session.save(tmp_path / "walk.mcap").path


def test_what_was_expected_is_behind_the_curve_and_shares_its_plot(app, until, replayed):
    with open_dock(app, until, TimelinePanel, replayed) as stage:
        store = stage.store
        store.select(PLAYER)
        until(lambda: store.history.complete)
        rows = {row.title: row for row in stage.panel.rows()}
        assert "demo.coins" not in rows
        assert rows["seen.coins"].ghost is not None
        assert rows["replay.row"].ghost is None
        assert reading(rows["seen.coins"], 0.5, store.history)[0] == "3"
        assert reading(rows["seen.coins"], 1.5, store.history)[0] == "3, demo 1"
        made = plots(store.history, PLAYER, (), {}, FieldHistory, str)
        assert [[field.name for field in one.group] for one in made] == [
            ["seen.coins", "demo.coins"], ["replay.row"],
        ]  # fmt: skip


def test_it_opens_where_it_first_went_another_way_for_good(app, until, replayed):
    with open_dock(app, until, TimelinePanel, replayed) as stage:
        assert stage.store.playback.frame == 70
