"""Title screens and menus are left before a demo begins: no demo need contain them."""

from dataclasses import dataclass

import msgspec
import pytest

from playhead.agents.playthrough.playthrough_settings import parse_settings
from playhead.agents.replay.demos.demo_files import read_demos
from playhead.agents.replay.local_replay_game import LocalGame
from playhead.agents.replay.replay_batch import BatchSettings, ReplayBatch
from playhead.playback.pads.pad import Button
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session

from .corridor import Corridor, Follower, record_demo

ORDERS = parse_settings("""
orders:
  period: 3
  patience: 40
  rules:
    - {screen: title, press: [START]}
    - {screen: slots, press: [DOWN, A]}
""").orders


@dataclass
class Menu:
    """A screen, and the buttons that lead out of it."""

    screen: str
    keys: list[Button]


class Console(Corridor):
    """A corridor behind a title screen and a menu of saved games."""

    def __init__(self, *menus: Menu) -> None:
        super().__init__()
        self.menus = list(menus)
        self.before = 0

    def step(self):
        held = 0 if self._held is None else self._held.held
        pressed, self.before = held & ~self.before, held
        if not self.menus:
            super().step()
            return
        self.world.steps += 1
        if pressed & self.menus[0].keys[0]:
            self.menus[0].keys.pop(0)
        if not self.menus[0].keys:
            self.menus.pop(0)

    def observe(self):
        screen = self.menus[0].screen if self.menus else ""
        return msgspec.structs.replace(super().observe(), screen=screen)


@pytest.fixture
def outcome(tmp_path):
    demos = read_demos([record_demo(tmp_path / "one.csv", 0.0, 1.0)])

    def play(*menus, orders=ORDERS):
        game = Console(*menus)
        with Session(
            game.world, "1 MiB", handlers=game.handlers, on_check=UNATTENDED
        ) as session:  # fmt: skip
            game.attach(session)
            batch = ReplayBatch(demos, Follower, BatchSettings(orders=orders))
            batch.queue.start()
            assert batch.queue.begin_lap()
            (one,) = batch.lap(LocalGame(game, session), 1).demos
            return one

    return play


def test_screens_are_left_one_after_the_other_before_the_demo_begins(outcome):
    menus = Menu("title", [Button.START]), Menu("slots", [Button.DOWN, Button.A])
    one = outcome(*menus)
    assert one.finished
    # They are no part of the demo, so their time is not the demo's.
    assert one.seconds == pytest.approx(outcome().seconds, abs=0.1)


def test_a_screen_that_nothing_leads_out_of_fails_the_demo(outcome):
    one = outcome(Menu("title", [Button.B]))
    assert one.failure is not None
    assert one.failure.kind == "load"
    assert "screen 'title' does not go away" in one.failure.message


def test_without_orders_nothing_is_pressed(outcome):
    one = outcome(Menu("title", [Button.START]), orders=None)
    assert one.failure is not None
    assert "stuck" in one.failure.message
