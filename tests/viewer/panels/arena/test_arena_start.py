"""The start screen of an arena in a window: the user chooses the mode in time."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.bus.client.client import Client
from playhead.games.arena.fps.match.hall_game import AimGame
from playhead.session import Session
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.qt import QColor, Qt

from ....support.process import LENIENT, ON_THE_BUS, PLAYHEAD, Process
from .arena_hall import LEFT, Person, odds, row_of, type_probability


def test_the_start_screen_is_shown_and_a_click_begins_the_game(person, until):
    here = person(None)
    assert here.panel.text().startswith("Choose a mode: it stays for the whole run")
    assert here.world.text().find("0 of 0 objects") >= 0
    here.press("train-goto")
    until(lambda: here.state.mode == "train-goto" and not here.state.choices)
    until(lambda: here.state.target == "goto" and here.state.blocks == 1)
    assert here.game.match.mode == "train-goto"
    assert here.orders.error_text == ""
    assert here.panel.text().startswith("train-goto · target goto")
    assert "attack difficulty" not in here.panel.text()
    here.orders.order({"order": "choose", "mode": "train-free"})
    until(lambda: "train-goto was chosen and can't be changed" in here.orders.error_text)


def test_the_start_screen_counts_the_seconds_down(person, until):
    here = person(None)
    assert "45 s left, then the game ends by itself" in here.panel.text()
    here.game.clock.now += 7.5
    until(lambda: "38 s left, then the game ends by itself" in here.panel.text())


def test_the_world_shows_a_hint_until_a_mode_is_chosen(person, until):
    def has_hint_in_the_world() -> bool:
        picture = here.window.world.grab().toImage()
        ratio = picture.devicePixelRatio()
        edge = [QColor(picture.pixel(x, round(52 * ratio))).name() for x in range(picture.width())]
        return edge.count(palette.ACCENT) > 200 * ratio

    here = person(None)
    until(has_hint_in_the_world)
    here.press("test")
    until(lambda: here.state.mode == "test" and not has_hint_in_the_world())


def test_probabilities_can_be_set_before_the_first_block(person, until):
    here = person(None)
    type_probability(here, "attack", 4, "100 %")
    until(lambda: odds(here, "attack").values[3] == 1.0)
    row = row_of(here, "goto", 1)
    here.panel.show_row(row)
    QTest.mouseClick(here.panel, LEFT, pos=here.panel.cell_boxes(row)[1].center().toPoint())
    until(lambda: odds(here).locked[0])
    here.press("train-attack")
    until(lambda: here.state.blocks == 1)
    (block,) = here.game.match.arenas.blocks[0]
    assert block.preset.difficulty == 4
    assert odds(here).locked[0]


def test_a_mode_can_be_chosen_with_keys_alone(person, until):
    here = person(None)
    here.window.docks.focus("Arena")
    descriptions = []
    for _ in range(5):
        QTest.keyClick(here.panel, Qt.Key.Key_Down)
        descriptions.append(here.panel.accessibleDescription())
    assert [text.split(":")[0] for text in descriptions] == [
        "choose train-free", "choose train-goto", "choose train-attack", "choose train-mix",
        "choose test",
    ]  # fmt: skip
    QTest.keyClick(here.panel, Qt.Key.Key_Return)
    until(lambda: here.state.by_hand and here.state.target == "stay")
    until(lambda: not here.panel._is_start_screen)
    QTest.keyClick(here.panel, Qt.Key.Key_Return)
    assert here.orders.tool is None, "the cell that was pressed is gone"


def test_the_menu_chooses_a_mode(person, until):
    here = person(None)
    menu = here.panel.placing_menu()
    names = [action.text() for action in menu.actions()]
    assert names == [
        "Choose train-free", "Choose train-goto", "Choose train-attack", "Choose train-mix",
        "Choose test",
    ]  # fmt: skip
    menu.actions()[0].trigger()
    until(lambda: here.state.target == "free")


def test_a_double_click_on_a_mode_chooses_it_once(person, until):
    here = person(None)
    row, index = chip(here, "test")
    at = here.panel.cell_boxes(row)[index].center().toPoint()
    ordered = []
    order, here.orders.order = here.orders.order, ordered.append
    QTest.mouseClick(here.panel, LEFT, pos=at)
    QTest.mouseDClick(here.panel, LEFT, pos=at)
    assert ordered[0] == {"order": "choose", "mode": "test"}
    twice = len(ordered)
    order(ordered[0])
    until(lambda: not here.panel._is_start_screen)
    # Here the second click of a double click comes after all cells have changed.
    row, index = chip(here, "FreeMode")
    at = here.panel.cell_boxes(row)[index].center()
    here.panel.mouseDoubleClickEvent(double(at))
    assert len(ordered) == twice
    QTest.mouseClick(here.panel, LEFT, pos=at.toPoint())
    assert ordered[-1] == {"order": "free"}


def chip(here, text):
    return next(
        (row, index)
        for row, item in enumerate(here.panel.rows)
        for index, cell in enumerate(item.cells)
        if cell.text == text
    )


def double(at):
    from playhead.viewer.toolkit.qt import QEvent, QMouseEvent

    return QMouseEvent(
        QEvent.Type.MouseButtonDblClick, at, at, LEFT, LEFT, Qt.KeyboardModifier.NoModifier
    )


def test_typing_ends_when_the_game_begins(person, until):
    here = person(None)
    row = row_of(here, "goto", 1)
    here.panel.show_row(row)
    at = here.panel.cell_boxes(row)[0].center().toPoint()
    QTest.mouseDClick(here.panel, LEFT, pos=at)
    assert here.panel._editor.isVisible()
    with Client(here.game.endpoint) as tool:
        tool.call("arena", {"order": "choose", "mode": "test"})
    until(lambda: not here.panel._is_start_screen)
    assert not here.panel._editor.isVisible()
    assert odds(here).values[0] == pytest.approx(0.2)


def test_no_mode_can_be_chosen_while_the_game_is_paused(person, until):
    here = person(None)
    QTest.keyClick(here.window, Qt.Key.Key_Space)
    until(lambda: "is paused" in here.orders.blocked)
    here.press("train-free")
    assert "is paused" in here.orders.error_text
    QTest.keyClick(here.window, Qt.Key.Key_End)
    until(lambda: not here.orders.blocked)
    here.press("train-free")
    until(lambda: here.state.target == "free")


def test_the_whole_empty_arena_is_in_view_until_the_user_moves_the_camera(window, hall, until):
    game = hall(None)
    one = window(game.endpoint, ready=False)
    until(lambda: one.docks.is_in_sight("Arena") and one.world.scene is not None)
    one.world.grab()
    camera = one.world.camera
    assert camera.centre == pytest.approx((23.5, 23.5, 1.25), abs=0.5)
    one.world.dolly(0.5)
    moved = camera.distance
    game.game.choose("test")
    until(lambda: len(one.store.snapshot.objects) > 0)
    one.world.grab()
    assert camera.distance == moved


def test_a_recorded_start_screen_shows_its_modes_and_none_can_be_chosen(window, until, tmp_path):
    path = tmp_path / "start.mcap"
    with AimGame(mode=None) as game, Session(
        game.world, "16 MiB", handlers=game.handlers
    ) as session:  # fmt: skip
        game.attach(session)
        for _ in range(5):
            game.step()
            session.update(game.dt)
        session.save(path)
    one = window(path)
    one.docks.open("Arena")
    assert "train-mix test" in one.arena.text()
    one.arena.orders.order({"order": "choose", "mode": "test"})
    assert "Only an arena that runs takes orders" in one.arena.orders.error_text


OTHER = """
from playhead.games.arena.fps.match.hall_game import AimGame


def asking(seed=None):
    return AimGame(seed=seed, mode=None, start_limit=600.0)
"""


def test_a_click_in_the_start_screen_begins_a_game_in_another_process(window, until, tmp_path):
    (tmp_path / "asks.py").write_text(OTHER)
    args = ("run", "asks:asking", "--seconds", 3600, *ON_THE_BUS)
    with Process(PLAYHEAD, *args, env=LENIENT) as game:
        endpoint = game.endpoint()
        here = Person(window(endpoint, ready=False), until)
        assert here.state.choices
        here.press("train-goto")
        until(lambda: here.state.target == "goto" and here.state.blocks == 1)
        here.window.close()
