"""The inspector as a person uses it."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.handlers.handler_registry import HandlerRegistry
from playhead.playback.commands import SeekFrame
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.clips.save_clip import save
from playhead.session import Session
from playhead.viewer.panels.inspector.inspector_panel import InspectorPanel
from playhead.viewer.panels.inspector.inspector_rows import PINNED
from playhead.viewer.state.pinned_fields import ObjectField
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.qt import QApplication, QPointF

from ...yard import DT, handlers, make_yard
from ..panel_harness import open_dock


@pytest.fixture
def stage(app, until, clip):
    with open_dock(app, until, InspectorPanel, clip) as made:
        made.go(100, 1)
        yield made


def row_of(stage, title: str) -> int:
    """Where a row is; of several of one title the last one, which is among the fields."""
    return max(at for at, row in enumerate(stage.panel.rows) if row.title == title)


def test_a_star_keeps_a_field_on_top_for_all_objects_of_the_type(stage):
    panel = stage.panel
    stage.click(12, stage.middle(row_of(stage, "hp")))
    assert [row.title for row in panel.rows][:3] == [PINNED, "hp", "Header"]
    assert [row.title for row in panel.rows].count("hp") == 1
    stage.store.select(2)
    assert [row.title for row in panel.rows][:2] == [PINNED, "hp"]
    assert panel.rows[1].starred
    stage.click(12, stage.middle(1))
    assert panel.rows[0].title == "Header"


def test_a_group_whose_rows_are_all_on_top_has_no_heading_left(stage):
    panel = stage.panel
    assert "Watched" in [row.title for row in panel.rows]
    menu = stage.menu(row_of(stage, "speed"))
    menu["Pin on top, for every walker"]()
    titles = [row.title for row in panel.rows]
    assert titles[:2] == [PINNED, "speed"]
    assert "Watched" not in titles


def test_a_value_that_changed_in_this_frame_flashes(stage):
    stage.go(63, 1)
    stage.go(64, 1)
    row = row_of(stage, "hp")
    assert stage.panel.rows[row].changed
    box = stage.panel.box_of(row)
    assert stage.shows(palette.RUNNING, box.right() - 80, box.top(), 70, box.height())
    stage.go(70, 1)
    stage.go(71, 1)
    assert not stage.panel.rows[row_of(stage, "hp")].changed


def test_the_menu_plots_makes_lanes_and_copies(stage):
    context = stage.panel.context
    stage.until(lambda: context.field_history(1).progress >= 1.0)
    menu = stage.menu(row_of(stage, "hp"))
    menu["Plot"]()
    menu["Add as lane"]()
    assert context.pins.plots == context.pins.lanes == (ObjectField(1, "hp"),)
    menu["Copy value"]()
    assert QApplication.clipboard().text() == "90.0"
    menu = stage.menu(row_of(stage, "hp"))
    menu["Remove its lane"]()
    menu["Stop plotting"]()
    assert context.pins.plots == context.pins.lanes == ()
    assert {"Add as lane"} <= set(stage.menu(row_of(stage, "state")))
    assert "Plot" not in stage.menu(row_of(stage, "state"))
    assert "Add as lane" not in stage.menu(row_of(stage, "joints"))
    stage.menu(row_of(stage, "speed"))["Plot"]()
    assert context.pins.plots == (ObjectField(1, "speed", True),)


@pytest.mark.parametrize(("title", "back", "on"), [("hp", 64, 128), ("speed", 99, 101)])
def test_one_goes_to_where_a_value_changed_before_and_changes_next(stage, title, back, on):
    menu = stage.menu(row_of(stage, title))
    menu["Next change"]()
    stage.until(lambda: stage.store.frame == on)
    stage.go(100, 1)
    stage.menu(row_of(stage, title))["Previous change"]()
    stage.until(lambda: stage.store.frame == back)


def test_the_two_arrows_lead_there_too(stage):
    row = row_of(stage, "hp")
    y = stage.middle(row)
    stage.hover(100, y)
    stage.click(stage.panel.width() - 10, y)
    stage.until(lambda: stage.store.frame == 128)


def test_the_card_says_the_whole_value_and_its_unit(stage):
    panel = stage.panel
    card = panel.card(row_of(stage, "position"), QPointF(80, 5))
    assert card[0] == "position   m"
    assert card[1].startswith("[")
    assert len(panel.card(row_of(stage, "joints"), QPointF(80, 5))) > 3
    assert panel.card(row_of(stage, "hp"), QPointF(8, 5)) == ("Keep on top",)
    bare = stage.picture()
    stage.hover(130, 5)
    assert stage.hover(120, stage.middle(row_of(stage, "hp"))) != bare


def test_it_is_walked_through_by_keys(stage):
    panel = stage.panel
    panel.setFocus()
    stage.press("Down")
    stage.press("Return")  # the first heading
    assert [row.title for row in panel.rows][:2] == ["Header", "Fields"]
    panel.cursor_row = row_of(stage, "hp")
    stage.press("Return")
    stage.until(lambda: stage.store.frame == 128)


def test_as_text_it_says_all_rows(stage):
    text = stage.panel.text()
    assert text.startswith("Header\n  object   walker · id 1")
    assert "  hp   90" in text
    assert "Watched\n  speed   5" in text
    stage.store.select(0)
    assert stage.panel.text() == "Select an object to see its fields"


@pytest.fixture
def late(tmp_path):
    """A clip in which walker 2 comes with frame 60 and goes with frame 90."""
    world = make_yard()
    late = world.things.pop(2)
    registry: HandlerRegistry = handlers()
    with Session(world, "2 MiB", handlers=registry, on_check=UNATTENDED) as session:
        for step in range(1, 129):
            if step == 60:
                world.things[2] = late
            if step == 90:
                del world.things[2]
            world.step()
            session.update(DT)
        save(tmp_path / "late.mcap", session.source.ring)
    return tmp_path / "late.mcap"


def _stand(made, frame: int) -> None:
    """Stand at a frame in which walker 2, which is selected, may not be."""
    made.store.select(2)
    made.store.send(SeekFrame(frame))
    made.until(lambda: made.store.frame == frame)


def test_of_an_object_that_is_not_there_it_says_where_it_is_and_leads_there(app, until, late):
    with open_dock(app, until, InspectorPanel, late) as made:
        panel = made.panel
        _stand(made, 20)
        made.until(lambda: panel.rows and "is there from 00:00.938 — jump" in panel.rows[0].title)
        made.click(100, made.middle(0))
        made.until(lambda: made.store.frame == 60)
        assert panel.rows[0].title == "Header"
        _stand(made, 100)
        # What it last was stays to be read, dim.
        assert panel.rows[0].title.endswith("was there until 00:01.391 — jump")
        assert "hp" in [row.title for row in panel.rows]
        row = row_of(made, "hp")
        box = panel.box_of(row)
        assert not made.shows(palette.TEXT, box.right() - 60, box.top(), 50, box.height())
