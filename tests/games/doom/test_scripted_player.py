"""The scripted person, in a level that a few lines of a game pretend."""

import math

import pytest

from playhead.errors import GameError
from playhead.games.doom.level_walk_grid import LevelWalkGrid
from playhead.games.doom.pad_to_buttons import SPEED, TURN
from playhead.games.doom.scripted_player import DoomScriptedPlayer
from playhead.games.playable_interface import Observation, ObservedEntity
from playhead.playback.pads.pad import Button, checked

from .levels import DOOR, EXIT, Plan

ROOMS = ((0, 300, 0, 128), (300, 316, 0, 0), (316, 700, 0, 128))
OPEN_FOR = 60


class Pretence:
    """Moves a player by its pad, without inertia; doors open for a while, a switch ends it."""

    def __init__(self, level, x=60.0, y=60.0):
        self.closed, self.open = LevelWalkGrid(level), LevelWalkGrid(level, opened=level.doors())
        self.x, self.y, self.facing = x, y, 0.0
        self.opened = 0
        self.finished = False
        self.enemies, self.items = [], []
        self.shots = []
        self.pads = []

    def play(self, scripted_player, tics):
        for _ in range(tics):
            pad = checked(scripted_player.pad(self.observe()))
            self.step(pad)
            if self.finished:
                return True
        return False

    def observe(self):
        return Observation(
            (self.x, self.y, 0.0), self.facing, (self.facing, 0.0), enemies=tuple(self.enemies),
            items=tuple(self.items), extras={"ammo": 50.0},
        )  # fmt: skip

    def step(self, pad):
        self.pads.append(pad)
        self.facing -= math.radians(TURN) * pad.right[0]
        sin, cos = math.sin(self.facing), math.cos(self.facing)
        right, ahead = pad.left
        ground = self.open if self.opened else self.closed
        for part in (1.0, 0.5, 0.2):
            x = self.x + part * SPEED * (right * sin + ahead * cos)
            y = self.y + part * SPEED * (ahead * sin - right * cos)
            if ground.free[ground.cell(x, y)]:
                self.x, self.y = x, y
                break
        self.opened = max(0, self.opened - 1)
        if pad.holds(Button.X):
            away = self.x + 64 * cos
            if self.x < 300 < away:
                self.opened = OPEN_FOR
            self.finished = away > 700
        if pad.holds(Button.A):
            off = [self._off(enemy) for enemy in self.enemies]
            self.shots += off
            self.enemies = [e for e, away in zip(self.enemies, off, strict=True) if away > 0.1]
        self.items = [
            item for item in self.items
            if max(abs(item.position[0] - self.x), abs(item.position[1] - self.y)) > 36
        ]  # fmt: skip

    def _off(self, enemy):
        heading = math.atan2(enemy.position[1] - self.y, enemy.position[0] - self.x)
        return abs(math.remainder(heading - self.facing, math.tau))


@pytest.fixture
def level(tmp_path):
    return Plan(*ROOMS).does(DOOR, x=300).does(EXIT, x=700).level(tmp_path)


def test_it_opens_the_door_and_presses_the_switch(level):
    played = Pretence(level)
    assert played.play(DoomScriptedPlayer(level, 7), 600)
    presses = [pad for pad in played.pads if pad.holds(Button.X)]
    assert len(presses) == 2
    assert not any(pad.holds(Button.A) for pad in played.pads)


def test_it_stands_and_looks_before_it_presses(level):
    played = Pretence(level)
    played.play(DoomScriptedPlayer(level, 7), 600)
    press = next(at for at, pad in enumerate(played.pads) if pad.holds(Button.X))
    assert all(pad.left == (0.0, 0.0) for pad in played.pads[press - 12 : press + 1])
    assert played.pads[press + 1] == type(played.pads[0])()


def test_a_door_that_stands_open_already_is_left_alone(level):
    played = Pretence(level, x=200.0)
    played.opened = 10_000
    assert played.play(DoomScriptedPlayer(level, 7), 600)
    assert sum(pad.holds(Button.X) for pad in played.pads) == 1


def test_it_turns_to_a_monster_and_shoots_only_when_it_aims(level):
    played = Pretence(level, x=200.0)
    played.enemies = [ObservedEntity("DoomImp", (40.0, 60.0, 0.0), object=9)]
    played.play(DoomScriptedPlayer(level, 7), 60)
    assert played.enemies == []
    assert played.shots
    assert all(off < 0.15 for off in played.shots)


def test_it_fetches_what_lies_beside_the_way(level):
    played = Pretence(level)
    played.items = [
        ObservedEntity("Clip", (150.0, 100.0, 0.0)),
        ObservedEntity("Medikit", (600.0, 30.0, 0.0)),
    ]
    assert played.play(DoomScriptedPlayer(level, 7), 600)
    assert played.items == []


def test_what_it_can_not_get_it_leaves_and_goes_on(level):
    played = Pretence(level)
    ghost = ObservedEntity("Clip", (60.0, 2.0, 0.0))  # within the wall
    played.items = [ghost]
    step = played.step

    def keep(pad):
        step(pad)
        played.items = [ghost]

    played.step = keep
    assert played.play(DoomScriptedPlayer(level, 7), 900)


def test_the_same_seed_is_the_same_play(level):
    one, same = Pretence(level), Pretence(level)
    one.play(DoomScriptedPlayer(level, 7), 300)
    same.play(DoomScriptedPlayer(level, 7), 300)
    assert one.pads == same.pads


def test_it_goes_around_what_stands_in_the_way(level):
    solids = [(160.0, 64.0, 16.0)]
    played = Pretence(level)
    for ground in (played.open, played.closed):
        ground._put(160.0, 64.0, 32.0)
        ground.free &= ground.ceiling - ground.floor >= 56
    assert played.play(DoomScriptedPlayer(level, 7, solids), 700)


@pytest.mark.parametrize("way", [EXIT + 1, 0])
def test_a_level_without_an_exit_is_an_error(tmp_path, way):
    level = Plan(*ROOMS).does(DOOR, x=300).does(way, x=700).level(tmp_path)
    with pytest.raises(GameError, match="map01: there is no switch"):
        DoomScriptedPlayer(level, 7)
