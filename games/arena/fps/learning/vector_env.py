"""Many arenas stepped at once, for training: every agent of every arena is an environment."""

import copy
import hashlib
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from .....errors import GameError
from ..match.training_match import fresh_odds, room_for, setup_of
from ..simulation.batch_state import BatchState
from ..simulation.block_difficulty_probabilities import DifficultyProbabilities
from ..simulation.hall_level_loader import HallMap, load_hall
from ..simulation.ray_sensor import RaySet, RaySettings
from ..simulation.rewards import TERMS, RewardValues
from ..simulation.round_setup import Rounds
from ..simulation.round_targets_and_modes import ArenaMode, Target, mode_of
from ..simulation.rules import Rules
from ..simulation.simulation import RUNNING, HallSimulation
from .actions import actions_of
from .observation import Observer, Tags, tags_of
from .spaces import action_space, observation_space

_Floats32 = npt.NDArray[np.float32]
_Step = tuple[
    _Floats32, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]
]  # fmt: skip


class AimVector(VectorEnv[npt.NDArray[np.float32], Any, npt.NDArray[Any]]):
    """Gymnasium's `VectorEnv` over arenas side by side: `num_envs` is arenas × agents.

    Agents come in the order of their arenas. All agents of an arena end their round together, and
    the next one begins in the same step: `info["final_obs"]` has what they saw last, and
    `info["result"]` is 1 for who has won and −1 for who has lost. A copy, or what is unpickled,
    shares nothing and goes on exactly as this does.

    Args:
        mode: A training mode.
        arenas: How many; one depends on its own seed alone, see `seeds`.
        agents: In each of them.
        odds: Panels of the difficulties, for all arenas; they may be changed at any time.

    The rest, and what is raised, as for `AimArena`; agents have equally many rays here.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}

    def __init__(
        self,
        mode: ArenaMode | str = ArenaMode.TRAIN_MIX,
        *,
        arenas: int = 64,
        agents: int = 1,
        tags: Tags | str = Tags.LABEL,
        rays: RaySettings | Mapping[str, RaySettings] | None = None,
        rules: Rules | None = None,
        rewards: RewardValues | None = None,
        hall: HallMap | str | Path | None = None,
        odds: Mapping[Target, DifficultyProbabilities] | None = None,
    ) -> None:
        self.mode = mode_of(mode)
        if not self.mode.trains:
            raise GameError(f"mode {self.mode}: many arenas at once are for training modes")
        if arenas < 1:
            raise GameError(f"{arenas} arenas: ask for 1 or more")
        self.setup = setup_of(
            agents, rays, tags=tags_of(tags), rules=rules, rewards=rewards,
            hall=hall if hall is None or isinstance(hall, HallMap) else load_hall(hall),
        )  # fmt: skip
        self._observer = Observer(self.setup.rays, self.setup.tags)
        if not self._observer.alike:
            raise GameError("rays: here all agents need equally many; AimArena allows others")
        self.layout = self._observer.layouts[0]
        """Which number of an observation is what."""
        self.odds: dict[Target, DifficultyProbabilities] = {**fresh_odds(), **(odds or {})}
        self.arena_count, self.agent_count = arenas, agents
        self.num_envs = arenas * agents
        self.single_observation_space = observation_space(self.layout, self.setup.rules)
        # Agents may see differently far: the widest bounds are those of all.
        reach = max(one.reach for one in self.setup.rays)
        self.single_observation_space.high[self.layout.distances] = reach
        self.single_action_space: spaces.Tuple[Any] = action_space()
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.seeds: list[int] = []
        """The seed of each arena; an `AimArena` with it does the same under the same actions."""
        self._rays = RaySet(self.setup.rays)
        self._simulation: HallSimulation | None = None

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    @property
    def simulation(self) -> HallSimulation:
        """All arenas, with their state."""
        if self._simulation is None:
            raise GameError("nothing has begun yet: reset() first")
        return self._simulation

    def seeds_for(self, seed: int) -> list[int]:
        """What `seeds` are after `reset(seed=seed)`."""
        return [seed_of(int(seed), arena) for arena in range(self.arena_count)]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Begin the next round everywhere; with a seed, or at first, everything starts over."""
        super().reset(seed=seed)
        if seed is not None or self._simulation is None:
            self._restart(secrets.randbits(32) if seed is None else int(seed))
        for arena in range(self.arena_count):
            self._rounds.begin(arena)
        self.simulation.look()
        return self._observe(), {}

    def _restart(self, seed: int) -> None:
        setup = self.setup
        self.seeds = self.seeds_for(seed)
        room = room_for(setup, self.mode)
        arenas = BatchState(setup.hall, setup.rules, self.seeds, self.agent_count, room, 1)
        self._rounds = Rounds(arenas, self.mode, self.odds)
        self._simulation = HallSimulation(arenas, self._rays, setup.rewards)

    def step(self, actions: Any) -> _Step:
        """Advance all agents by one step.

        Args:
            actions: (num_envs, 3) integers and (num_envs, 1) numbers.

        Raises:
            GameError: an action makes no sense.
        """
        simulation = self.simulation
        discrete, continuous = actions
        outcome = simulation.step(
            actions_of(discrete, continuous, self.arena_count, self.agent_count)
        )
        over = outcome.results != RUNNING
        ended = np.flatnonzero(over)
        info: dict[str, Any] = {"terms": outcome.terms.reshape(self.num_envs, len(TERMS))}
        done = np.repeat(over, self.agent_count)
        observations = self._observe()
        if len(ended):
            final = np.full(self.num_envs, None, dtype=object)
            for env in np.flatnonzero(done).tolist():
                final[env] = observations[env].copy()
            info |= {"final_obs": final, "_final_obs": done}
            info["result"], info["_result"] = np.repeat(outcome.results, self.agent_count), done
            for arena in ended.tolist():
                self._rounds.begin(arena)
            simulation.look(ended)
            observations = self._observe()
        rewards = outcome.rewards.reshape(self.num_envs)
        return observations, rewards, done, np.zeros(self.num_envs, bool), info

    def _observe(self) -> npt.NDArray[np.float32]:
        return self._observer.write_alike(self.simulation).reshape(self.num_envs, -1)


def seed_of(seed: int, arena: int) -> int:
    """The seed of one arena among many."""
    digest = hashlib.blake2b(f"{seed}/{arena}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "little")
