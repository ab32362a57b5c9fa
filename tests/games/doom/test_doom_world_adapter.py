"""Doom as a world: what playback asks of it, and what it says about itself."""

import numpy as np
import pytest

from playhead.errors import CommandError
from playhead.games.doom.doom_world_adapter import DoomWorld
from playhead.games.doom.object_columns import DOOM_OBJECT, ObjectTable
from playhead.games.doom.scenario import SCENARIOS
from playhead.recorder.statements.instrumentation_interface import (
    NULL_INSTRUMENTATION,
    NullInstrumentation,
)
from playhead.recorder.world_adapter import StandIn

NAMES = ("DoomPlayer", "DeadDoomPlayer", "Zombieman", "DeadZombieman")


class FakeGame:
    """A game of given tics: (objects as {id: type}, the player's id, why an episode ended)."""

    def __init__(self, *tics):
        self.scenario = SCENARIOS["map01"]
        self.lines = np.zeros((4, 2, 3), np.float32)
        self.actions = []
        self.episode = 1
        self.tic = 0
        self.ended = ""
        self._tics = list(tics)
        self.step()

    def step(self, action=None):
        self.actions.append(action)
        if self.ended:
            self.episode, self.tic = self.episode + 1, 0
        objects, self.self_id, self.ended = self._tics.pop(0)
        self.tic += not self.ended
        self.time = self.tic / 35
        self.variables = {"health": 100.0 - self.tic}
        pairs = sorted(objects.items(), key=lambda pair: NAMES.index(pair[1]))
        self.objects = ObjectTable(
            np.array([id for id, _ in pairs], "<u8"),
            np.array([NAMES.index(name) for _, name in pairs], "<u4"),
            np.zeros(len(pairs), DOOM_OBJECT),
            NAMES,
        )


class Notes(NullInstrumentation):
    """Instrumentation that keeps every call."""

    def __init__(self):
        self.drawn, self.watched, self.logged, self.marked = [], [], [], []
        self.draw = self

    def lines(self, segments, **rest):
        self.drawn.append((len(segments), rest["latch"], rest["channel"]))

    def watch(self, name, value, object=0):
        self.watched.append((name, value, object))

    def log(self, text, *, level="info", object=0, channel=None):
        self.logged.append((text, object))

    def mark(self, name, note="", *, object=0):
        self.marked.append((name, object))


PLAYER = {1: "DoomPlayer", 2: "Zombieman"}


def test_objects_come_with_id_type_and_record():
    world = DoomWorld(FakeGame((PLAYER, 1, "")))
    assert [(id, kind) for id, kind, _ in world.objects()] == [(1, "DoomPlayer"), (2, "Zombieman")]
    assert world.find(2).dtype == DOOM_OBJECT
    assert world.find(3) is None
    assert world.time() == 1 / 35
    assert not world.can_restore


def test_a_paused_world_refuses_to_step_and_runs_on_when_resumed():
    game = FakeGame((PLAYER, 1, ""), (PLAYER, 1, ""))
    world = DoomWorld(game)
    world.pause()
    for move in (world.step, world.rest):
        with pytest.raises(CommandError, match="tic 1"):
            move()
    world.resume()
    world.step()
    assert game.tic == 2


def test_locked_input_presses_nothing():
    game = FakeGame((PLAYER, 1, ""), (PLAYER, 1, ""))
    world = DoomWorld(game)
    world.lock_input(True)
    world.step([1.0] * len(game.scenario.buttons))
    assert game.actions[-1] == [0.0] * len(game.scenario.buttons)


def test_what_playback_shows_is_kept_for_a_viewer_and_taken_back():
    world = DoomWorld(FakeGame((PLAYER, 1, "")))
    stand_in = StandIn(9, "Rocket", (1.0, 2.0, 3.0), (0.0, 0.0, 0.0), True)
    world.show_stand_in(stand_in)
    world.hide(2)
    world.look_at(9, (1.0, 2.0, 3.0))
    assert world.stand_ins == {9: stand_in}
    assert world.hidden == {2}
    assert world.camera == (9, (1.0, 2.0, 3.0))
    world.remove_stand_in(9)
    world.unhide(2)
    assert not world.stand_ins
    assert not world.hidden


def test_the_map_is_drawn_once_and_the_players_numbers_are_watched_every_tic():
    world, notes = DoomWorld(FakeGame(*[(PLAYER, 1, "")] * 3)), Notes()
    world.instrument(notes)
    world.step()
    world.step()
    assert notes.drawn == [(4, "map", "map")]
    assert notes.watched == [("health", 99.0, 1), ("health", 98.0, 1), ("health", 97.0, 1)]
    assert notes.logged == notes.marked == []


def test_a_death_is_a_change_of_type_and_a_respawn_a_change_of_id():
    world = DoomWorld(
        FakeGame(
            (PLAYER, 1, ""),
            ({1: "DeadDoomPlayer", 2: "Zombieman"}, 1, ""),
            ({1: "DeadDoomPlayer", 2: "DeadZombieman"}, 1, ""),
            ({1: "DeadDoomPlayer", 2: "DeadZombieman", 3: "DoomPlayer"}, 3, ""),
        )
    )
    notes = Notes()
    world.instrument(notes)
    for _ in range(3):
        world.step()
    assert notes.marked == [("death", 1), ("respawn", 3)]
    assert [object for _, object in notes.logged] == [1, 2, 3]


def test_a_death_that_ends_the_episode_is_marked_too():
    world = DoomWorld(
        FakeGame((PLAYER, 1, ""), (PLAYER, 1, "the player died"), ({11: "DoomPlayer"}, 11, ""))
    )
    notes = Notes()
    world.instrument(notes)
    world.step()
    assert notes.marked == [("death", 1)]
    assert notes.logged == [("episode 1 is over: the player died", 1)]
    assert world.time() == pytest.approx(2 / 35)
    world.rest()
    assert world.time() == pytest.approx(3 / 35)
    world.step()
    assert notes.marked == [("death", 1)]
    assert notes.logged[1:] == [("episode 2 begins", 11)]
    assert world.time() == pytest.approx(1 / 35)


def test_a_silenced_world_says_nothing_more():
    world, notes = DoomWorld(FakeGame((PLAYER, 1, ""), (PLAYER, 1, ""))), Notes()
    world.instrument(notes)
    world.instrument(NULL_INSTRUMENTATION)
    world.step()
    assert len(notes.watched) == 1
