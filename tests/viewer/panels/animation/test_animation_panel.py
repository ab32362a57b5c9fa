"""The animation dock as a person uses it."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.viewer.panels.animation.animation_panel import AnimationPanel
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.qt import QApplication, QPointF, Qt

from ...animated_recording import DANCER, DT, HOP, LANDS, RUNNER, make_clip
from ..panel_harness import open_dock


@pytest.fixture(scope="module")
def hall(tmp_path_factory):
    path = tmp_path_factory.mktemp("animation") / "hall.mcap"
    make_clip(path)
    return path


@pytest.fixture
def stage(app, until, hall):
    with open_dock(app, until, AnimationPanel, hall) as made:
        made.go(HOP, DANCER)
        yield made


def row_of(stage, name):
    return next(at for at, row in enumerate(stage.panel.rows, 1) if row.name == name)


def test_each_clip_has_contribution_rate_time_and_criteria(stage):
    values = {row.name: row for row in stage.panel.rows}
    assert list(values) == ["body", "idle", "walk", "hop"]
    hop = values["hop"]
    assert (hop.contribution, hop.rate, hop.time, hop.criteria) == (1.0, 2.0, 0.5, "a beat")
    assert stage.panel.card(row_of(stage, "hop"), QPointF()) == [
        "hop", "criteria: a beat", "contribution 1.000 (+1.000 since the frame before)",
        "rate 2.000, normalized time 0.500", "pop: more than 0.35 in one frame is no blend",
    ]  # fmt: skip


def test_what_popped_is_red_and_named_above(stage):
    box = stage.panel.box_of(row_of(stage, "hop"))
    assert palette.FAILED in stage.colors(0, box.top() + 2, 3, 4)
    assert stage.panel._note() == "▲ walk, hop popped"
    stage.go(HOP + 1, DANCER)
    box = stage.panel.box_of(row_of(stage, "hop"))
    assert palette.FAILED not in stage.colors(0, box.top() + 2, 3, 4)
    assert stage.panel._note() == "recorded in this frame"


def test_a_bar_is_as_long_as_its_contribution(stage):
    stage.go(72, DANCER)
    # Dark enough for the number on it.
    hues = {name: palette.behind_text(hue) for name, hue in stage.panel._colors.items()}
    length = {}
    for name in ("idle", "walk"):
        box = stage.panel.box_of(row_of(stage, name))
        image = stage.picture()
        y = int(box.top()) + 7
        bar = [x for x in range(60, 300) if image.pixelColor(x, y).name() == hues[name]]
        length[name] = bar[-1] - bar[0]  # the number may stand in between
    assert length["idle"] == pytest.approx(length["walk"], abs=2)
    assert length["idle"] == pytest.approx(74 / 2, abs=3)


def test_the_dial_is_filled_as_far_as_the_clip_has_played(stage):
    """Half of it at 0.5: the right half."""
    image = stage.picture()
    y = int(stage.panel.box_of(row_of(stage, "hop")).top()) + 11
    hue = stage.panel._colors["hop"]
    row = [x for x in range(330, 420) if image.pixelColor(x, y + 3).name() == hue]
    assert 3 <= len(row) <= 8


def test_the_strip_stacks_the_clips_in_their_colours_around_the_playhead(stage):
    strip, stack = stage.panel._strip, stage.panel.stack
    assert stack.names == ("idle", "walk", "hop")

    def hue(frame, share=0.5):
        x = stage.panel._time_strip.x_of(frame * DT, strip)
        y = strip.bottom() - share * strip.height()
        return stage.picture().pixelColor(int(x), int(y)).name()

    def named(name):
        return palette.mixed(stage.panel._colors[name], 0.12, palette.PANEL)

    assert hue(100) == named("walk")
    assert hue(20) == named("idle")
    assert hue(144) == named("hop")
    assert hue(200) == named("walk")


def test_a_click_on_the_strip_goes_there_and_a_drag_scrubs(stage):
    strip = stage.panel._strip
    x = stage.panel._time_strip.x_of(100 * DT + 0.002, strip)
    stage.click(x, strip.center().y())
    stage.until(lambda: abs(stage.store.frame - 100) <= 1)
    stage.until(lambda: stage.store.drag_time is None)
    spot = QPointF(strip.center().x(), strip.center().y()).toPoint()
    QTest.mousePress(stage.panel, Qt.MouseButton.LeftButton, pos=spot)
    QTest.mouseMove(stage.panel, QPointF(strip.center().x() + 50, strip.center().y()).toPoint())
    assert stage.store.drag_time > stage.panel._time_strip.middle + 0.2
    middle = stage.panel._time_strip.middle
    stage.until(lambda: stage.store.frame > 105)
    assert stage.panel._time_strip.middle == middle, "the strip stays under the mouse"
    QTest.mouseRelease(stage.panel, Qt.MouseButton.LeftButton, pos=spot)
    stage.until(lambda: stage.store.drag_time is None)
    assert stage.panel._time_strip.middle == stage.store.snapshot.time


def test_hovering_the_strip_tells_what_counts_there_and_what_popped(stage):
    strip = stage.panel._strip
    stage.panel.mouse = QPointF(
        stage.panel._time_strip.x_of(HOP * DT, strip) + 1, strip.center().y()
    )
    card = stage.panel._strip_card(stage.panel.stack, strip)
    assert card[1] == "hop 1.00"
    assert "hop popped: 0.00 → 1.00 in one frame" in card
    stage.panel.mouse = QPointF(strip.right() - 1, strip.center().y())
    assert stage.panel._strip_card(stage.panel.stack, strip)[1:] == ["walk 1.00"]


def test_one_walks_from_pop_to_pop(stage):
    stage.menu(1)["Next pop"]()
    stage.until(lambda: stage.store.frame == LANDS)
    assert any(row.gone for row in stage.panel.rows)
    stage.menu(1)["Previous pop"]()
    stage.until(lambda: stage.store.frame == HOP)
    stage.menu(1)["Previous pop"]()
    assert stage.messages == ["No more pops in that direction"]


def test_a_tree_that_did_not_change_any_more_says_since_when(stage):
    stage.go(250, DANCER)
    assert stage.panel._note() == "unchanged for 0.80 s, since 00:03.109"
    assert stage.panel.rows[2].contribution == 1.0


def test_the_line_that_stated_it_opens_and_all_is_copied_as_text(stage):
    stage.panel.setFocus()
    stage.press("Down")
    stage.press("Return")
    ((file, line),) = stage.sources
    assert file.endswith("/animated_recording.py")
    assert line > 0
    stage.menu(2)["Copy as text"]()
    text = QApplication.clipboard().text().splitlines()
    assert text[0] == "Ada · body · ▲ walk, hop popped"
    assert "  hop  1.00  ×2.00  at 0.50  (a beat)  POP +1.00" in text
    assert "pop at 00:02.000: hop 0.00 → 1.00" in text


def test_who_has_no_animation_and_who_is_not_there_have_words_of_their_own(stage):
    stage.go(HOP, RUNNER)
    assert stage.panel.text() == "No animation is recorded for this object"
    assert "trace.animation(" in stage.panel.empty_hint
    stage.picture()
    stage.go(HOP, 0)
    assert stage.panel.text() == "Select an object to see its animation"


@pytest.mark.parametrize("size", [(120, 60), (260, 200), (800, 700)])
def test_it_can_be_drawn_at_any_size(stage, size):
    stage.panel.resize(*size)
    stage.picture()
