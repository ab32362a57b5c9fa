"""A driver for adventures: walks and presses as somebody with a pad does."""

import math
from typing import Any

import pytest

from playhead.games.arena.adventure.adventure_game import AdventureGame
from playhead.games.arena.adventure.saved_game import SavedGame
from playhead.games.arena.adventure.world.level import AdventureLevel
from playhead.games.arena.adventure.world.level_loader import parse_level
from playhead.playback.pads.pad import NEUTRAL, Button, Pad


class Driver:
    """A game and the hands at its pad."""

    def __init__(self, game: AdventureGame) -> None:
        self.game, self.adventure = game, game.adventure
        game.hold(NEUTRAL)

    @property
    def player(self) -> Any:
        return self.adventure.player

    def hold(self, steps: int, **pad: Any) -> None:
        """Hold this for so many steps, then let go."""
        self.game.hold(Pad(**pad))
        self.wait(steps)
        self.game.hold(NEUTRAL)

    def wait(self, steps: int) -> None:
        for _ in range(steps):
            self.game.step()

    def tap(self, button: Button, then: int = 14) -> None:
        """Press for two steps, and wait until the next press would be heard."""
        self.hold(2, held=int(button))
        self.wait(then)

    def trigger(self) -> None:
        self.hold(2, left_trigger=1.0)
        self.wait(4)

    def face(self, degrees: float) -> None:
        heading = math.radians(degrees)
        self.hold(40, left=(0.2 * math.cos(heading), 0.2 * math.sin(heading)))

    def walk(self, x: float, y: float, steps: int = 600) -> bool:
        """Walk straight there; False if it does not get there in time."""
        player = self.player
        for _ in range(steps):
            dx, dy = x - player.x, y - player.y
            away = math.hypot(dx, dy)
            if away < 0.1:
                self.game.hold(NEUTRAL)
                self.wait(10)
                return True
            size = min(1.0, max(0.3, away))
            self.game.hold(Pad(left=(size * dx / away, size * dy / away)))
            self.game.step()
            player = self.player
        self.game.hold(NEUTRAL)
        return False

    def turn_pages(self, most: int = 20) -> None:
        for _ in range(most):
            if self.adventure.talk is None or self.adventure.talk.menu is not None:
                return
            self.tap(Button.A)

    def be(self, area: str, at: tuple[float, float], degrees: float = 90.0, *,
           flags: tuple[str, ...] = (), items: dict[str, int] | None = None) -> None:  # fmt: skip
        """Be there, with these flags and items, as after loading a saved game."""
        self.adventure.restore(SavedGame(
            self.game.name, area, at, math.radians(degrees), (math.pi / 2, -0.7), 100.0, flags,
            items or {}, (),
        ))  # fmt: skip


ROOM = """\
name: room
start: {{area: room, at: [0, -4], facing: 90}}
areas:
  - name: room
    size: [20, 20]
{parts}
"""


def room_of(parts: str) -> AdventureLevel:
    """A level of one room with these parts, indented by four."""
    return parse_level(ROOM.format(parts=parts), "room")


@pytest.fixture
def village():
    """The village behind its title screen, with a hand at the pad."""
    with AdventureGame("village", seed=3, title=False) as game:
        yield Driver(game)


@pytest.fixture
def room():
    """Makes a driver in a room with these parts."""
    return lambda parts, seed=1: Driver(AdventureGame(room_of(parts), seed=seed))
