"""Keyboard and gamepads as the pad of a game that is played in the window."""

import os
import threading
import time

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from playhead.bus.client.client import Client
from playhead.bus.server.bus_settings import BusSettings
from playhead.playback.pads.pad import NEUTRAL, Button, Pad
from playhead.playback.playback_state import Mode
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session
from playhead.viewer.app.processes.live_window_process import LiveWindow, WindowVisit
from playhead.viewer.app.processes.parent_pipe import ParentProcess
from playhead.viewer.input.gamepads import Gamepads
from playhead.viewer.input.player_input import PadInput, PadSettings
from playhead.viewer.toolkit.qt import QEvent, QKeyEvent, Qt

from ..yard import DT, handlers, make_yard, record

KEY = Qt.Key


class PlayedGame:
    """A game on the bus, in a thread of its own, that takes the first pad."""

    def __init__(self) -> None:
        self.pad: Pad | None = None
        self.seen = set()
        """All that was held in a step so far."""
        self.live = True
        self._ended, ready = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), name="the game")
        self._thread.start()
        assert ready.wait(20)

    def _run(self, ready: threading.Event) -> None:
        world, bus = make_yard(), BusSettings("tcp://127.0.0.1:*", patience=2.0)
        with Session(
            world, "1 MiB", handlers=handlers(), on_check=UNATTENDED, bus=bus
        ) as session:  # fmt: skip
            session.pad()
            self.endpoint = session.bus.endpoint
            self.session = session
            ready.set()
            while not self._ended.wait(DT / 2):
                self.live = session.live
                if self.live:
                    self.pad = session.pad()
                    self.seen.add(self.pad)
                    record(session, world, 1)
                else:
                    session.update(DT)

    def close(self) -> None:
        self._ended.set()
        self._thread.join(20)


@pytest.fixture
def game():
    game = PlayedGame()
    yield game
    game.close()


class Boss:
    """The process that runs the game, as the window sees it."""

    def __init__(self) -> None:
        self.owner_messages: list[str] = []
        hear, self._say = os.pipe()
        self.owner = ParentProcess(hear, self.owner_messages.append)
        self._hear = hear

    def say(self, line: str) -> None:
        os.write(self._say, f"{line}\n".encode())

    def go(self) -> None:
        """End without a word."""
        if self._say >= 0:
            os.close(self._say)
            self._say = -1

    def close(self) -> None:
        self.go()
        for thread in threading.enumerate():
            if thread.name == "owner":
                thread.join(20)
        os.close(self._hear)


@pytest.fixture
def boss(app):
    boss = Boss()
    yield boss
    boss.close()


@pytest.fixture
def following(game, window, until):  # the window is closed before the game is gone
    one = window(game.endpoint, ready=False)
    until(lambda: one.store.snapshot is not None and one.store.playback.mode is Mode.LIVE)
    one.activateWindow()
    return one


@pytest.fixture
def pad_input(following, game, boss):
    """Hands whose sticks need no camera."""
    pad_input = PadInput(following, PadSettings(game.endpoint, turns=False), boss.owner)
    following.player = pad_input
    yield pad_input
    pad_input.close()


def key(window, key, kind=QEvent.Type.KeyPress, *, repeats=False):
    """A key as Qt delivers it to the panel in focus."""
    event = QKeyEvent(kind, key, Qt.KeyboardModifier(0), "", repeats)
    QApplication.sendEvent(window.world, event)
    return event


def press(window, code, **rest):
    return key(window, code, **rest)


def release(window, code, **rest):
    return key(window, code, QEvent.Type.KeyRelease, **rest)


def test_a_key_that_is_down_is_held_in_the_game_until_it_is_up(pad_input, following, game, until):
    press(following, KEY.Key_W)
    until(lambda: game.pad == Pad(left=(0.0, 1.0)))
    press(following, KEY.Key_Space)
    until(lambda: game.pad == Pad(left=(0.0, 1.0), held=Button.A))
    release(following, KEY.Key_W)
    release(following, KEY.Key_Space)
    until(lambda: game.pad == NEUTRAL)


@pytest.mark.slow
def test_what_is_held_for_long_stays_held(pad_input, following, game, until, monkeypatch):
    from playhead.playback.pads import latest_pads as pads

    # Far apart, so that a machine that stands still for a while does not count as silence.
    monkeypatch.setattr("playhead.viewer.input.player_input.REPEAT", 0.02)
    monkeypatch.setattr(pads, "SILENT_FOR", 1.5)
    press(following, KEY.Key_D)
    until(lambda: game.pad == Pad(left=(1.0, 0.0)))
    began = time.monotonic()
    game.seen.clear()
    until(lambda: time.monotonic() > began + 1.8)
    assert game.seen == {Pad(left=(1.0, 0.0))}


def test_a_tap_shorter_than_a_step_reaches_the_game(pad_input, following, game, until):
    press(following, KEY.Key_K)
    release(following, KEY.Key_K)
    until(lambda: Pad(held=Button.B) in game.seen)
    until(lambda: game.pad == NEUTRAL)


def test_the_games_keys_do_nothing_else_while_it_runs(pad_input, following, game, until):
    top, shown = following.world.camera.top, following.store.playback.mode
    for code in (KEY.Key_T, KEY.Key_G, KEY.Key_F, KEY.Key_Space, KEY.Key_Left, KEY.Key_J):
        press(following, code)
        release(following, code)
    # Taps that fall into one step are all down in it.
    until(lambda: any(pad and pad.holds(Button.DOWN) for pad in game.seen.copy()))
    assert following.world.camera.top is top
    assert following.store.playback.mode is shown is Mode.LIVE
    assert game.live


def test_other_keys_and_those_with_ctrl_are_the_windows(pad_input, following, game, until):
    following.resize(900, 600)
    assert not pad_input.press(QKeyEvent(QEvent.Type.KeyPress, KEY.Key_N, Qt.KeyboardModifier(0)))
    ctrl = Qt.KeyboardModifier.ControlModifier
    assert not pad_input.press(QKeyEvent(QEvent.Type.KeyPress, KEY.Key_C, ctrl))
    assert pad_input.pad == NEUTRAL


def test_a_key_repeats_itself_without_effect(pad_input, following, game, until):
    press(following, KEY.Key_J)
    until(lambda: game.pad == Pad(held=Button.A))
    for _ in range(5):
        release(following, KEY.Key_J, repeats=True)
        assert press(following, KEY.Key_J, repeats=True).isAccepted()
    assert pad_input.pad == Pad(held=Button.A)
    release(following, KEY.Key_J)
    until(lambda: game.pad == NEUTRAL)


def test_the_pause_key_is_the_owners_to_obey_and_again_lets_the_game_run_on(
    pad_input, following, game, boss, until
):
    QTest.keyClick(following.world, KEY.Key_F9)
    assert boss.owner_messages == ["pause"]
    with Client(game.endpoint) as tool:
        tool.enter()
    until(lambda: pad_input.owner_text == "keys: scrub")
    QTest.keyClick(following.world, KEY.Key_F9)
    until(lambda: game.live and pad_input.owner_text == "keys: game")
    assert boss.owner_messages == ["pause"]


def test_the_demo_key_is_the_owners_to_obey(pad_input, following, boss):
    QTest.keyClick(following.world, KEY.Key_F8)
    assert boss.owner_messages == ["demo"]
    pad_input.demo = "walk.csv"
    assert pad_input.owner_text == "keys: game · demo"


def test_while_the_game_is_paused_the_keys_scrub(pad_input, following, game, until):
    with Client(game.endpoint) as tool:
        frame = tool.enter().frame
    until(lambda: following.store.playback.mode is Mode.PAUSED and following.store.frame == frame)
    assert following.transport.owner.text() == "keys: scrub"
    QTest.keyClick(following.world, KEY.Key_Left)
    until(lambda: following.store.frame == frame - 1)
    assert pad_input.pad == NEUTRAL


def test_what_was_held_when_the_game_was_paused_has_to_be_pressed_anew(
    pad_input, following, game, until
):
    press(following, KEY.Key_S)
    until(lambda: game.pad == Pad(left=(0.0, -1.0)))
    with Client(game.endpoint) as tool:
        tool.enter()
        until(lambda: not pad_input.live)
        game.seen.clear()
        tool.leave()
    until(lambda: pad_input.live and game.live)
    press(following, KEY.Key_S, repeats=True)
    before = following.store.frame
    until(lambda: following.store.frame > before + 20)
    assert game.seen == {NEUTRAL}
    release(following, KEY.Key_S)
    press(following, KEY.Key_S)
    until(lambda: game.pad == Pad(left=(0.0, -1.0)))


def test_who_goes_to_another_window_lets_go(pad_input, following, game, until):
    press(following, KEY.Key_A)
    until(lambda: game.pad == Pad(left=(-1.0, 0.0)))
    QApplication.sendEvent(following, QEvent(QEvent.Type.WindowDeactivate))
    until(lambda: game.pad == NEUTRAL)


def test_who_types_a_text_lets_go_and_types(pad_input, following, game, until):
    press(following, KEY.Key_A)
    until(lambda: game.pad == Pad(left=(-1.0, 0.0)))
    following.action_handlers.filter()
    until(lambda: game.pad == NEUTRAL)
    QTest.keyClicks(following.objects.filter, "wad")
    assert following.objects.filter.text() == "wad"
    assert pad_input.pad == NEUTRAL


def test_sticks_point_as_on_the_screen(following, game, boss, until):
    pad_input = PadInput(following, PadSettings(game.endpoint, turns=True), boss.owner)
    following.player = pad_input
    try:
        following.world.camera.azimuth = 0.0
        press(following, KEY.Key_W)
        until(lambda: game.pad == Pad(left=(0.0, 1.0)))
        following.world.camera.azimuth = 3.14159265358979 / 2  # the camera looks west
        until(lambda: game.pad.left == pytest.approx((-1.0, 0.0)))
    finally:
        pad_input.close()


class FakeControllers:
    """One gamepad at the library's border."""

    def __init__(self) -> None:
        self.buttons: set[int] = set()
        self.reads = 0

    def update(self) -> None:
        self.reads += 1

    def count(self) -> int:
        return 1

    def open(self, index: int):
        return self

    def attached(self) -> bool:
        return True

    def get_axis(self, axis: int) -> int:
        return 0

    def get_button(self, button: int) -> bool:
        return button in self.buttons

    def quit(self) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.fixture
def gamepad(following, game, boss):
    """A gamepad, with the hands around it."""
    controllers = FakeControllers()
    pad_input = PadInput(
        following, PadSettings(game.endpoint, turns=False), boss.owner, Gamepads(controllers)
    )
    following.player = pad_input
    yield controllers
    pad_input.close()


def test_a_gamepads_buttons_are_held_in_the_game(gamepad, game, until):
    gamepad.buttons = {0, 10}
    until(lambda: game.pad == Pad(held=Button.A | Button.RB))
    gamepad.buttons = set()
    until(lambda: game.pad == NEUTRAL)


def test_back_and_start_together_are_the_pause_key(gamepad, game, following, boss, until):
    gamepad.buttons = {4, 6}
    until(lambda: boss.owner_messages == ["pause"])
    with Client(game.endpoint) as tool:
        tool.enter()
    until(lambda: following.store.playback.mode is Mode.PAUSED)
    gamepad.buttons = set()
    reads = gamepad.reads
    until(lambda: gamepad.reads > reads + 2)
    gamepad.buttons = {4, 6}
    until(lambda: game.live)
    assert boss.owner_messages == ["pause"]


def test_while_the_game_is_paused_a_gamepad_is_looked_at_seldom(gamepad, game, following, until):
    from playhead.viewer.input.player_input import LIVE, PAUSED

    pad_input = following.player
    until(lambda: pad_input._timer.interval() == LIVE)
    with Client(game.endpoint) as tool:
        tool.enter()
    until(lambda: pad_input._timer.interval() == PAUSED)


# --- the process that runs the game ---------------------------------------------------------------


@pytest.fixture
def visit(following, game, boss, monkeypatch):
    """The window as another process has opened it."""
    monkeypatch.setattr(
        "playhead.viewer.app.processes.live_window_process.find_gamepads", lambda: None
    )
    visit = WindowVisit(following, LiveWindow(game.endpoint, 1, played=True), boss.owner)
    yield visit
    visit.close()


def test_with_its_first_picture_it_is_ready(visit, boss, following):
    assert boss.owner_messages == ["ready"]
    assert following.player is visit.pad_input


def test_the_owner_closes_the_window(visit, boss, following, until):
    boss.say("close")
    until(lambda: not following.isVisible())


def test_the_owner_says_which_demo_is_recorded(visit, boss, until):
    boss.say("demo some where/walk.csv")
    until(lambda: visit.pad_input.demo == "some where/walk.csv")
    boss.say("demo ")
    until(lambda: visit.pad_input.demo == "")


def test_what_the_owner_says_is_read(visit, boss, following, until):
    calls = []
    following.store.message.connect(calls.append)
    boss.say("say the disk is full")
    until(lambda: "the disk is full" in calls)  # a check may have failed meanwhile


def test_an_owner_that_dies_is_reported_and_the_window_stays(visit, boss, following, until):
    calls = []
    following.store.message.connect(calls.append)
    boss.go()
    until(lambda: calls)
    assert "ended from outside" in calls[0]
    assert following.isVisible()


def test_the_ring_of_an_owner_that_died_is_looked_into(
    following, game, boss, ring, until, monkeypatch
):
    monkeypatch.setattr(
        "playhead.viewer.app.processes.live_window_process.find_gamepads", lambda: None
    )
    visit = WindowVisit(following, LiveWindow(game.endpoint, 1, played=True, ring=ring), boss.owner)
    try:
        boss.go()
        until(lambda: following.store.backend_state.title == ring.name)
        until(lambda: following.store.snapshot is not None)
    finally:
        visit.close()
