"""The arena panel, and placing things in the world, in a window on a running arena."""

import time
from itertools import pairwise

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.bus.client.client import Client
from playhead.games.arena.fps.match.hall_game import AimGame
from playhead.session import Session
from playhead.viewer.backends.panel_game_connection import PanelCallResult
from playhead.viewer.panels.arena.arena_control_rows import Probability
from playhead.viewer.panels.arena.arena_placement_model import ENEMY, PlacementTool
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.qt import QPoint, QPointF, Qt

from .arena_hall import LEFT, RIGHT, Person, odds, row_of, type_probability

MIDDLE = (23.0, 23.0)
UNREFUSED = {"walls": [], "enemies": [], "firebase": None, "diameter": 0.0, "refused": ""}
"""A preview, as the game answers."""


# --- placing -------------------------------------------------------------------------------------


def test_a_right_click_places_the_chosen_block_and_gives_its_target(person, until):
    here = person()
    here.press("attack block 3")
    assert here.orders.tool == PlacementTool("attack", 3)
    ghost = here.point(*MIDDLE)
    assert ghost.refused == ""
    assert here.state.blocks == 0, "a preview changes nothing"
    here.click(*MIDDLE)
    until(lambda: here.state.blocks == 1 and here.state.target == "attack")
    (block,) = here.game.match.arenas.blocks[0]
    assert block.middle == pytest.approx(MIDDLE, abs=0.3)
    assert block.preset.difficulty == 3


def test_a_left_click_places_an_enemy_and_selects_nothing(person, until):
    here = person()
    selected = here.window.store.selected
    here.press("enemy")
    here.point(30.0, 20.0)
    here.click(30.0, 20.0, LEFT)
    until(lambda: here.state.enemies == 1)
    assert here.window.store.selected == selected
    assert here.state.target == "stay", "an enemy alone gives no target"
    here.press("FreeMode")
    until(lambda: here.state.target == "free")


@pytest.mark.slow
def test_where_nothing_can_be_placed_the_ghost_is_red_and_says_why(person, until):
    here = person()
    here.press("goto block 1")
    here.point(*MIDDLE)
    blue, red = here.count(palette.ACCENT), here.count(palette.FAILED)
    ghost = here.point(5.5, 30.0)
    assert "too close to a wall" in ghost.refused
    assert here.count(palette.FAILED) > red + 50
    assert here.count(palette.ACCENT) < blue - 50
    here.click(5.5, 30.0)
    until(lambda: "too close to a wall" in here.orders.error_text)
    assert any("too close to a wall" in text for text in here.messages)
    assert "too close to a wall" in here.panel.text()
    assert here.state.blocks == 0


def test_the_ghost_shows_the_blocks_walls_and_follows_the_mouse(person):
    here = person()
    here.orders.choose(PlacementTool("goto", 5, "snail"))
    first = here.point(*MIDDLE)
    assert len(first.preview.walls) > 3
    second = here.point(30.0, 15.0)
    offset = second.preview.walls[0][0] - first.preview.walls[0][0]
    assert offset == pytest.approx(second.at[0] - first.at[0])


def test_a_drag_turns_the_camera_and_places_nothing(person, until):
    here = person()
    here.press("enemy")
    here.point(*MIDDLE)
    turned = here.world.camera.azimuth
    start = here.pixel(*MIDDLE)
    for button in (LEFT, RIGHT):
        QTest.mousePress(here.world, button, pos=start)
        QTest.mouseMove(here.world, start + QPoint(40, 10))
        QTest.mouseMove(here.world, start + QPoint(60, 20))
        QTest.mouseRelease(here.world, button, pos=start + QPoint(60, 20))
    here.press("StayMode")
    here.press("FreeMode")
    until(lambda: "no enemy" in here.orders.error_text)  # after all that went before
    assert turned != here.world.camera.azimuth


def test_a_double_click_places_twice_and_does_not_move_the_camera(person, until):
    here = person()
    here.press("goto block 1")
    here.point(*MIDDLE)
    pixel = here.pixel(*MIDDLE)
    QTest.mouseClick(here.world, RIGHT, pos=pixel)
    until(lambda: here.state.blocks == 1)
    orders = []
    here.orders.order = orders.append
    QTest.mouseDClick(here.world, RIGHT, pos=pixel)
    QTest.mouseRelease(here.world, RIGHT, pos=pixel)
    assert len(orders) == 1
    assert not here.world.follow


def test_escape_puts_the_tool_away_and_so_does_its_chip(person):
    here = person()
    here.press("goto block 2")
    here.point(*MIDDLE)
    QTest.keyClick(here.window, Qt.Key.Key_Escape)
    assert here.orders.tool is None
    assert here.orders.ghost is None
    here.press("goto block 2")
    here.press("goto block 2")
    assert here.orders.tool is None


def test_without_a_tool_the_right_button_opens_the_menu(person, monkeypatch):
    here = person()
    menus = []
    monkeypatch.setattr(here.world, "offer", menus.append)
    here.click(*MIDDLE)
    assert len(menus) == 1
    here.press("enemy")
    here.click(*MIDDLE)
    assert len(menus) == 1


def test_the_ghost_disappears_when_the_mouse_leaves_the_world(person):
    here = person()
    here.press("enemy")
    here.point(*MIDDLE)
    here.world.leaveEvent(None)
    assert here.orders.ghost is None
    assert here.orders.tool is not None


def test_a_block_can_be_chosen_moved_and_placed_with_keys_alone(person, until):
    here = person()
    here.window.docks.focus("Arena")
    for _ in range(4 + 4):
        QTest.keyClick(here.panel, Qt.Key.Key_Down)
    assert here.panel.accessibleDescription() == "place: goto block, difficulty 4"
    QTest.keyClick(here.panel, Qt.Key.Key_Return)
    assert here.orders.tool == PlacementTool("goto", 4)
    until(lambda: here.world.hasFocus() and here.orders.ghost is not None)
    ways = []
    for key, back in ((Qt.Key.Key_Up, Qt.Key.Key_Down), (Qt.Key.Key_Right, Qt.Key.Key_Left)):
        x, y = here.orders.ghost.at
        QTest.keyClick(here.world, key)
        way = here.orders.ghost.at[0] - x, here.orders.ghost.at[1] - y
        assert sorted(map(abs, way)) == pytest.approx([0.0, 0.5])
        ways.append((way, key, back))
    until(lambda: here.orders.ghost.is_known)
    for _ in range(100):  # where it begins depends on the camera: on to where there is room
        if not here.orders.ghost.refused:
            break
        for (right, up), key, back in ways:
            x, y = here.orders.ghost.at
            ahead = (MIDDLE[0] - x) * right + (MIDDLE[1] - y) * up
            QTest.keyClick(here.world, key if ahead > 0 else back)
        until(lambda: here.orders.ghost.is_known)
    QTest.keyClick(here.world, Qt.Key.Key_Return)
    until(lambda: here.state.blocks == 1 or here.orders.error_text)
    assert here.orders.error_text == ""


def test_keys_in_other_panels_keep_their_meaning_while_a_tool_is_chosen(person):
    here = person()
    here.press("enemy")
    here.point(*MIDDLE)
    here.window.docks.focus("Objects")
    QTest.keyClick(here.window.objects.list, Qt.Key.Key_Return)
    QTest.keyClick(here.window.objects.list, Qt.Key.Key_Down)
    assert here.orders.ghost.at == pytest.approx(MIDDLE, abs=0.3)
    assert here.state.enemies == 0


# --- orders --------------------------------------------------------------------------------------


def test_clear_and_stay_are_buttons_and_free_without_enemies_is_refused(person, until):
    here = person()
    here.press("FreeMode")
    until(lambda: "no enemy to defeat" in here.orders.error_text)
    here.orders.order(PlacementTool("goto", 1).order(*MIDDLE))
    until(lambda: here.state.target == "goto")
    assert here.orders.error_text == ""
    here.press("StayMode")
    until(lambda: here.state.target == "stay" and here.state.blocks == 1)
    here.press("ClearGame")
    until(lambda: here.state.blocks == 0)


def test_the_menu_has_all_tools_and_orders(person, until):
    here = person()
    menu = here.panel.placing_menu()
    entries = {action.text(): action for action in menu.actions()}
    assert list(entries) == [
        "Enemy", "Goto block", "Attack block", "FreeMode", "StayMode", "ClearGame",
    ]  # fmt: skip
    levels = entries["Attack block"].menu().actions()
    assert [level.text() for level in levels] == [f"Difficulty {n}" for n in range(1, 6)]
    presets = levels[2].menu().actions()
    assert [one.text() for one in presets] == ["In turn", "Horseshoe", "Two halves", "Crossing"]
    presets[3].trigger()
    assert here.orders.tool == PlacementTool("attack", 3, "crossing")
    assert here.panel.placing_menu().actions()[-1].text().startswith("Put away: attack block")
    entries["FreeMode"].trigger()
    until(lambda: "no enemy" in here.orders.error_text)


def test_the_key_opens_the_menu_at_the_panel(person, monkeypatch):
    here, opened = person(), []
    monkeypatch.setattr(here.panel, "open_menu", lambda: opened.append(here.window.docks.current))
    QTest.keyClick(here.window, Qt.Key.Key_F7)
    assert opened == ["Arena"]


def test_no_orders_are_sent_while_the_game_is_paused(person, until):
    here = person()
    here.press("enemy")
    here.point(*MIDDLE)
    QTest.keyClick(here.window, Qt.Key.Key_Space)
    until(lambda: "is paused" in here.orders.blocked)
    until(lambda: "is paused" in here.orders.ghost.refused)
    here.click(*MIDDLE)
    assert "is paused" in here.orders.error_text
    assert "is paused" in here.panel.text()
    QTest.keyClick(here.window, Qt.Key.Key_End)
    until(lambda: not here.orders.blocked)
    until(lambda: here.orders.ghost is None or not here.orders.ghost.refused)
    assert here.state.enemies == 0


def test_one_press_of_end_resumes_the_game_every_time(person, until):
    here = person()
    for _ in range(5):
        QTest.keyClick(here.window, Qt.Key.Key_Space)
        until(lambda: "is paused" in here.orders.blocked)
        QTest.keyClick(here.window, Qt.Key.Key_End)
        until(lambda: not here.orders.blocked)


def test_a_preview_that_arrives_after_the_game_paused_is_ignored(person, until):
    here = person()
    here.press("enemy")
    here.point(*MIDDLE)
    ghost = here.orders.ghost
    QTest.keyClick(here.window, Qt.Key.Key_Space)
    # The game may refuse a preview before the window knows that the game is paused.
    until(lambda: here.orders.blocked and "is paused" in here.orders.ghost.refused)
    here.orders._connection.take()
    here.orders._connection._results.append(PanelCallResult({}, UNREFUSED, "", ghost))
    here.orders._notified.emit()
    assert "is paused" in here.orders.ghost.refused


# --- probabilities -------------------------------------------------------------------------------


def test_when_a_bar_is_dragged_the_others_share_the_rest(person, until):
    here = person("train-goto")
    row = row_of(here, "goto", 2)
    here.panel.show_row(row)
    bar = here.panel.cell_boxes(row)[0]
    start, end = (
        QPointF(bar.left() + bar.width() * share, bar.center().y()).toPoint()
        for share in (0.2, 0.6)
    )
    QTest.mousePress(here.panel, LEFT, pos=start)
    QTest.mouseMove(here.panel, end)
    QTest.mouseRelease(here.panel, LEFT, pos=end)
    until(lambda: odds(here).values[1] == pytest.approx(0.6, abs=0.02))
    assert sum(odds(here).values) == pytest.approx(1.0)
    assert odds(here).values[0] == pytest.approx(odds(here).values[4])


def test_a_locked_probability_stays_and_a_change_of_it_is_refused(person, until):
    here = person("train-mix")
    row = row_of(here, "attack", 1)
    here.panel.show_row(row)
    QTest.mouseClick(here.panel, LEFT, pos=here.panel.cell_boxes(row)[1].center().toPoint())
    until(lambda: odds(here, "attack").locked[0])
    assert not odds(here, "goto").locked[0]
    type_probability(here, "attack", 1, "0.9")
    until(lambda: "difficulty 1 is locked" in here.orders.error_text)
    type_probability(here, "attack", 2, "50 %")
    until(lambda: odds(here, "attack").values[1] == pytest.approx(0.5))
    assert odds(here, "attack").values == pytest.approx((0.2, 0.5, 0.1, 0.1, 0.1))
    assert here.orders.error_text == ""
    assert odds(here, "goto").values == pytest.approx((0.2,) * 5)


def test_typed_probabilities_can_be_stepped_and_must_be_numbers(person, until):
    here = person("train-goto")
    here.window.docks.focus("Arena")
    QTest.keyClick(here.panel, Qt.Key.Key_Down)
    QTest.keyClick(here.panel, Qt.Key.Key_Return)
    QTest.keyClick(here.panel._editor, Qt.Key.Key_Up)
    assert here.panel._editor.text() == "0.250"
    QTest.keyClick(here.panel._editor, Qt.Key.Key_Return)
    until(lambda: odds(here).values[0] == pytest.approx(0.25))
    type_probability(here, "goto", 1, "much")
    assert "'much' is no probability" in here.orders.error_text
    type_probability(here, "goto", 1, "2")
    until(lambda: "give 0 to 1" in here.orders.error_text)


def test_with_all_others_locked_a_change_is_refused(person, until):
    here = person("train-goto")
    for difficulty in (1, 2, 3, 4):
        here.panel._press((row_of(here, "goto", difficulty), 1))
        until(lambda difficulty=difficulty: odds(here).locked[difficulty - 1])
    type_probability(here, "goto", 5, "0.4")
    until(lambda: "all others are locked" in here.orders.error_text)
    assert odds(here).values == pytest.approx((0.2,) * 5)


@pytest.mark.slow
def test_a_change_applies_from_the_next_block_on(person, until):
    here = person("train-goto")
    type_probability(here, "goto", 4, "1")
    until(lambda: odds(here).values[3] == 1.0)
    arenas = here.game.match.arenas
    begun = int(arenas.rounds[0])
    until(lambda: int(arenas.rounds[0]) > begun + 1)
    assert [block.preset.difficulty for block in arenas.blocks[0]] == [4]


def test_a_training_mode_takes_no_orders_and_says_so(person, until):
    here = person("train-free")
    assert "train-free gives its targets itself" in here.panel.text()
    (entry,) = here.panel.placing_menu().actions()
    assert entry.text().startswith("train-free gives its targets itself")
    assert not entry.isEnabled()
    here.orders.order(PlacementTool(ENEMY).order(9.0, 9.0))
    until(lambda: "orders by hand are for mode test" in here.orders.error_text)


# --- where it shows itself -----------------------------------------------------------------------


def test_in_another_game_the_panel_is_closed_and_says_that_it_is_no_arena(live, window, until):
    one = window(live().endpoint, ready=False)
    until(lambda: one.timeline.isVisible() and one.store.frame > 5)
    assert not one.docks.is_open("Arena")
    one.docks.open("Arena")
    assert one.arena.text() == "This is no arena: `playhead run arena:doomlike` is one"
    assert not one.arena.grab().isNull()
    assert one.store.backend_state.tools == 1, "nobody has called the game"


def test_a_recording_shows_its_probabilities_and_takes_no_orders(window, until, tmp_path):
    path = tmp_path / "hall.mcap"
    with AimGame(seed=3, agents=1, mode="train-goto") as game, Session(
        game.world, "16 MiB", handlers=game.handlers
    ) as session:  # fmt: skip
        game.attach(session)
        for _ in range(20):
            game.step()
            session.update(game.dt)
        session.save(path)
    one = window(path)
    assert not one.docks.is_open("Arena")
    one.docks.open("Arena")
    assert "goto difficulty 1: 0.200, open" in one.arena.text()
    one.arena.orders.order({"order": "clear"})
    assert "Only an arena that runs takes orders" in one.arena.orders.error_text


def test_another_layout_keeps_the_panel_and_a_closed_one_stays_closed(person, until):
    here = person()
    here.window.layouts.arrange("Log")
    until(lambda: here.window.docks.is_in_sight("Arena"))
    here.window.docks.close_panel("Arena")
    frame = here.window.store.frame
    until(lambda: here.window.store.frame > frame + 3)
    assert not here.window.docks.is_open("Arena")
    here.window.layouts.arrange("AI")
    assert not here.window.docks.is_open("Arena")


def test_the_panel_opens_for_an_arena_and_only_then(person, window, until, clip):
    here = person()
    here.window.close()
    other = window(clip)
    until(lambda: other.layouts.saved.get("last") or other.docks.is_in_sight("Timeline"))
    until(lambda: not other.docks.is_open("Arena"))
    other.close()
    again = window(here.game.endpoint, ready=False)
    until(lambda: again.docks.is_in_sight("Arena"))


def test_two_windows_on_one_game_show_the_same(person, window, until):
    here = person("train-goto")
    other = Person(window(here.game.endpoint, ready=False), until)
    type_probability(other, "goto", 1, "0.6")
    until(lambda: odds(here).values[0] == pytest.approx(0.6))
    with Client(here.game.endpoint) as tool:
        tool.call("arena", {"order": "lock_odds", "target": "goto", "difficulty": 1})
    until(lambda: odds(here).locked[0] and odds(other).locked[0])


def test_closing_the_window_does_not_wait_for_the_game(person):
    here = person()
    here.press("enemy")
    here.point(*MIDDLE)
    begun = time.monotonic()
    here.window.close()
    assert time.monotonic() - begun < 20.0


# --- as other docks ------------------------------------------------------------------------------


def test_the_panel_can_be_copied_as_text(person):
    here = person()
    assert here.panel.accessibleName() == "Arena"
    here.window.docks.focus("Arena")
    QTest.keyClick(here.window, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier
                   | Qt.KeyboardModifier.ShiftModifier)  # fmt: skip
    from playhead.viewer.toolkit.qt import QApplication

    assert QApplication.clipboard().text().splitlines()[-1] == "attack block\t1 2 3 4 5"
    assert "Copy as text" in {action.text() for action in here.panel.menu(-1).actions()}


@pytest.mark.parametrize("mode", ["test", "train-mix", None])
@pytest.mark.parametrize(
    "size",
    [(120, 60), *(pytest.param(size, marks=pytest.mark.slow) for size in ((240, 180), (700, 600)))],
)
def test_the_panel_can_be_painted_at_any_size(person, mode, size):
    here = person(mode)
    if mode == "test":
        here.orders.choose(PlacementTool("attack", 5))
    here.panel.setParent(None)
    here.panel.resize(*size)
    assert not here.panel.grab().isNull()
    assert here.panel.error_text == ""
    for row in range(len(here.panel.rows)):
        boxes = here.panel.cell_boxes(row)
        assert all(box.right() <= size[0] for box in boxes)
        assert all(a.right() <= b.left() for a, b in pairwise(boxes))
        for cell, pixel in zip(here.panel.rows[row].cells, boxes, strict=True):
            here.panel.mouse = pixel.center()
            assert here.panel.card(row, QPointF()) == (cell.help,)
            assert isinstance(cell.action, PlacementTool | Probability | dict)
    here.panel.deleteLater()
