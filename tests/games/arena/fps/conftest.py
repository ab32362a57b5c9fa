"""Arenas to be set up by hand."""

import numpy as np
import pytest

from playhead.games.arena.fps.learning.actions import Actions
from playhead.games.arena.fps.learning.side_channel import SideChannel
from playhead.games.arena.fps.match.training_match import Match, fresh_odds, setup_of
from playhead.games.arena.fps.simulation.round_targets_and_modes import ArenaMode


class MatchSetup:
    """A match with a few handles: place agents, let them act, read rewards by term."""

    def __init__(self, mode="test", agents=1, seed=1, **settings):
        self.messages = []
        side = SideChannel()
        side.on_message(lambda result: self.messages.append(result.text))
        self.match = Match(setup_of(agents, **settings), ArenaMode(mode), fresh_odds(), side)
        self.match.begin(seed)
        self.outcome = None

    @property
    def arenas(self):
        return self.match.arenas

    def place(self, agent, at, degrees=0.0):
        """Put an agent somewhere, facing so many degrees clockwise from y."""
        self.arenas.at[:, 0, agent] = at
        yaw = self.arenas.yaw.copy()
        yaw[0, agent] = np.radians(degrees)
        self.arenas.turn_to(yaw)
        self.match.simulation.look()

    def act(self, *acts, steps=1):
        """Let agents do (forward, right, attack, turn); those that are not named stand still."""
        acts = [*acts, *[(0, 0, 0, 0.0)] * (self.arenas.agents - len(acts))]
        keys = np.array([act[:3] for act in acts])
        turn = np.array([[float(act[3]) for act in acts]])
        for _ in range(steps):
            actions = Actions(keys[None, :, 0], keys[None, :, 1], keys[None, :, 2] != 0, turn)
            self.outcome = self.match.step(actions)
        return self.outcome

    def terms(self, agent=0):
        """The parts of the newest reward that are not 0."""
        from playhead.games.arena.fps.simulation.rewards import TERMS

        values = self.outcome.terms[0, agent].tolist()
        return {name: value for name, value in zip(TERMS, values, strict=True) if value}

    def at(self, agent=0):
        return tuple(self.arenas.at[:, 0, agent].tolist())

    def see(self, agent=0):
        return self.match.observations()[agent]


@pytest.fixture
def stage():
    return MatchSetup
