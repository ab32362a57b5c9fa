"""The arena for learning: PettingZoo's parallel API for all agents, Gymnasium's for one.

env = AimArena("train-free", agents=2)
observations, infos = env.reset(seed=7)
while env.agents:
    actions = {agent: env.action_space(agent).sample() for agent in env.agents}
    observations, rewards, terminations, truncations, infos = env.step(actions)
env.reset()  # the next round: what carries over from the last one does
"""

import copy
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import ParallelEnv

from ...errors import GameError
from ...session import Session
from .fps.learning.actions import Actions, actions_of
from .fps.learning.observation import ObservationLayout, Tags, tags_of
from .fps.learning.side_channel import SideChannel, SideChannelMessage
from .fps.learning.spaces import action_space, observation_space
from .fps.match.control_command_executor import SpawnPreview
from .fps.match.hall_world_adapter import AimWorld, register_aim_handlers
from .fps.match.match_control_commands import Order, SpawnBlock, SpawnEnemy, block_target
from .fps.match.match_recording import MatchRecording
from .fps.match.mode_selection_screen import START_LIMIT, StartScreen
from .fps.match.start_screen import StartLobby, await_choice
from .fps.match.training_match import Match, fresh_odds, names_of, setup_of
from .fps.match.wait_for_playback_end import await_live
from .fps.simulation.block_difficulty_probabilities import DifficultyProbabilities
from .fps.simulation.hall_level_loader import HallMap, load_hall
from .fps.simulation.ray_sensor import RaySettings
from .fps.simulation.rewards import TERMS, RewardValues
from .fps.simulation.round_targets_and_modes import ArenaMode, Target
from .fps.simulation.rules import Rules
from .fps.simulation.simulation import LOST, RUNNING, WON

Observation = npt.NDArray[np.float32]
Action = tuple[Any, Any]
"""Three integers and one number: see `AimArena.action_space`."""
Step = tuple[
    dict[str, Observation],
    dict[str, float],
    dict[str, bool],
    dict[str, bool],
    dict[str, dict[str, Any]],
]
_RESULTS = {WON: "win", LOST: "lose"}


class AimArena(ParallelEnv[str, Observation, Action]):  # type: ignore[misc]  # has no types
    """Agents in a hall, who get a target in each round and 30 s for it. `docs/arena.md` has all.

    A round is an episode: when it is won or lost all agents are terminated, and `reset()` begins
    the next one, into which positions and facing carry over. `reset(seed=…)` starts over.

    It can be copied and pickled at any time; the copy shares nothing, and goes on exactly as this
    does under the same actions. A session can't be in two places: a copy is not recorded, and
    listeners to messages here do not get those of the copy.

    Args:
        mode: The mode; None to have it chosen by `choose`, from any thread, within `start_limit`
            seconds: `reset` waits for that. Recorded by a session on the bus, the start screen is
            served to its tools meanwhile, and shown in the viewer.
        agents: How many; they are called `agent_0`, `agent_1`, …
        tags: How tags of rays are written: `label` or `one-hot`.
        rays: Of all agents, or of some by their names.
        rules: Times, speeds and the like.
        rewards: What things are worth.
        hall: The hall, or the file that it is in.
        odds: How likely the difficulties of `goto` and `attack` are: five numbers, or a panel.
        seed: Of the first round, where `reset` is given none.
        record: A session, made with an `AimWorld`, that records every step.
        start_limit: Seconds to choose a mode in.
        clock: Seconds that only count up, for `start_limit`.

    Raises:
        GameError: one of the settings makes no sense.
    """

    metadata = {"name": "aim_arena_v0", "render_modes": [], "is_parallelizable": True}
    render_mode = None

    def __init__(
        self,
        mode: ArenaMode | str | None = ArenaMode.TRAIN_MIX,
        *,
        agents: int = 4,
        tags: Tags | str = Tags.LABEL,
        rays: RaySettings | Mapping[str, RaySettings] | None = None,
        rules: Rules | None = None,
        rewards: RewardValues | None = None,
        hall: HallMap | str | Path | None = None,
        odds: Mapping[str, DifficultyProbabilities | Sequence[float]] | None = None,
        seed: int | None = None,
        record: Session | None = None,
        start_limit: float = START_LIMIT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.setup = setup_of(
            agents, rays, tags=tags_of(tags), rules=rules, rewards=rewards,
            hall=hall if hall is None or isinstance(hall, HallMap) else load_hall(hall),
        )  # fmt: skip
        self.side = SideChannel()
        """Messages about rounds and errors, both ways."""
        self.odds = _panels(odds)
        """How likely difficulties are, by target; what is changed applies from the next block."""
        self.start = StartScreen(start_limit, clock)
        """Where the mode is chosen."""
        self.closed = False
        self.possible_agents = names_of(agents)
        self.agents: list[str] = []
        self.layouts = {
            name: ObservationLayout(one, self.setup.tags)
            for name, one in zip(self.possible_agents, self.setup.rays, strict=True)
        }
        """The meaning of each number in the observation of each agent."""
        self.observation_spaces: dict[str, spaces.Space[Any]] = {
            name: observation_space(layout, self.setup.rules)
            for name, layout in self.layouts.items()
        }
        self.action_spaces: dict[str, spaces.Space[Any]] = {
            name: action_space() for name in self.possible_agents
        }
        self.session = record
        self._world = _world_of(record)
        self._seed = seed
        self._match: Match | None = None
        self._recording: MatchRecording | None = None
        if mode is not None:
            self.choose(mode)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "session": None, "_world": None, "_recording": None}

    def __copy__(self) -> Self:
        # Two environments with one match between them would play each other's rounds.
        return copy.deepcopy(self)

    # --- before it begins -----------------------------------------------------------------------

    @property
    def mode(self) -> ArenaMode | None:
        """The mode that was chosen; None so far."""
        return self.start.mode

    def choose(self, mode: ArenaMode | str) -> ArenaMode:
        """Choose the mode, once and for all; from any thread.

        Raises:
            GameError: there is no such mode, one was chosen already, or it is too late.
        """
        return self.start.choose(mode)

    @property
    def match(self) -> Match:
        """What is played: state, targets, messages.

        Raises:
            GameError: nothing has begun yet.
        """
        if self._match is None:
            raise GameError("nothing has begun yet: reset() first")
        return self._match

    def _chosen(self) -> ArenaMode:
        session = self.session
        try:
            if self.mode is not None or session is None or session.bus is None:
                return self.start.wait()
            self.side.instruments = session
            return await_choice(self._lobby(session), self.start, session, self.setup.rules.step)
        except GameError as error:
            if not self.closed:
                self.side.error("Start", str(error))
                self.close()
            raise

    def _lobby(self, session: Session) -> StartLobby:
        assert self._world is not None
        lobby = StartLobby(self.start, self.odds, self.setup.hall, self._world)
        lobby.attach(session)
        return lobby

    # --- PettingZoo -----------------------------------------------------------------------------

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """What this agent's observations are: a vector, see `layouts`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """What this agent may do: `([forward, right, attack], [turn])`.

        `forward` and `right` are 0 for no move, 1 for one and 2 for one the other way; a positive
        `turn` is one to the right.
        """
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin the next round; with a seed, or at first, everything starts over.

        Args:
            options: Without effect.

        Raises:
            GameError: no mode was chosen in time, the environment was closed, or the session
                is in playback.
        """
        self._check_open()
        mode = self._chosen()
        if self.session is not None:
            await_live(self.session)
        if self._match is None:
            self._match = self._made(mode)
            seed = self._seed if seed is None else seed
        match = self._match
        match.begin(seed)
        self.agents = list(self.possible_agents)
        if self._recording is not None and self.session is not None:
            self._recording.began()
            self.session.update(0.0)
        target = match.target.word
        return self._observed(), {name: {"target": target} for name in self.agents}

    def step(self, actions: dict[str, Action]) -> Step:
        """Advance one step; `infos` has each agent's reward by terms, and how a round has ended.

        Raises:
            GameError: nothing has begun, the round has ended, an agent's action is missing or
                makes no sense, or the session is in playback.
        """
        self._check_open()
        match = self.match
        if not self.agents and not actions:
            return {}, {}, {}, {}, {}
        if self.session is not None:
            await_live(self.session)
        done = self._read(actions)
        outcome = match.step(done)
        if self._recording is not None and self.session is not None:
            self._recording.stepped(done, outcome)
            self.session.update(self.setup.rules.step)
        result = int(outcome.results[0])
        over = match.over
        observations = self._observed()
        rewards = dict(zip(self.agents, outcome.rewards[0].tolist(), strict=True))
        target = match.target.word
        infos: dict[str, dict[str, Any]] = {
            name: {"target": target, "terms": dict(zip(TERMS, terms, strict=True))}
            for name, terms in zip(self.agents, outcome.terms[0].tolist(), strict=True)
        }
        if result != RUNNING:
            for info in infos.values():
                info["result"] = _RESULTS[result]
        terminations = dict.fromkeys(self.agents, over)
        truncations = dict.fromkeys(self.agents, False)
        if over:
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    def state(self) -> npt.NDArray[np.float32]:
        """All agents' observations, one after the other."""
        return np.concatenate(self.match.observations())

    def render(self) -> None:
        """Nothing: record into a session and look at it in the viewer."""

    def close(self) -> None:
        """End it; the session that it was recorded in stays open."""
        self.closed = True
        self.agents = []
        self.start.close()

    def state_hash(self) -> str:
        """A hash of everything that decides how it goes on, equal in every process."""
        return self.match.state_hash()

    # --- orders and messages --------------------------------------------------------------------

    def order(self, order: Order) -> None:
        """Carry an order out now. From other threads `send` it.

        Raises:
            GameError: it can't be done, and nothing was.
        """
        self.match.order(order)

    def send(self, order: Order) -> None:
        """Hand an order over from any thread: it is carried out before the next step.

        If it is refused, `Error|Order|…` is sent on the side channel.
        """
        self.match.send(order)

    def preview(self, order: SpawnEnemy | SpawnBlock) -> SpawnPreview:
        """What a spawning order would put where, and why it can't. Errors as for `order`."""
        return self.match.preview(order)

    def on_message(self, listener: Callable[[SideChannelMessage], object]) -> Callable[[], None]:
        """Have `listener` called for each message of the side channel; returns how to stop."""
        return self.side.on_message(listener)

    # --- inside ---------------------------------------------------------------------------------

    def _made(self, mode: ArenaMode) -> Match:
        match = Match(self.setup, mode, self.odds, self.side)
        if self.session is not None and self._world is not None:
            self._world.play(match)
            register_aim_handlers(self.session.handlers)
            self.side.instruments = self.session
            self._recording = MatchRecording(match, self._world, self.session)
        return match

    def _check_open(self) -> None:
        if self.closed:
            raise GameError("this environment has closed: make another one")

    def _observed(self) -> dict[str, Observation]:
        return dict(zip(self.possible_agents, self.match.observations(), strict=True))

    def _read(self, actions: Mapping[str, Action]) -> Actions:
        strange = [name for name in actions if name not in self.agents]
        missing = [name for name in self.agents if name not in actions]
        if strange or missing:
            raise GameError(
                f"actions of {', '.join(map(str, actions)) or 'no agent'}: agents that act now are"
                f" {', '.join(self.agents) or 'none, reset() first'}"
            )
        try:
            keys = np.array([actions[name][0] for name in self.agents])
            mouse = np.array([np.asarray(actions[name][1]).item() for name in self.agents])
        except (TypeError, ValueError, IndexError, KeyError) as error:
            raise GameError(
                f"an action is ([forward, right, attack], [turn]); one was not: {error}"
            ) from None
        return actions_of(keys, mouse, 1, len(self.agents))


class AimGym(gymnasium.Env[Observation, Action]):
    """One agent's view of an arena, as Gymnasium has it. A copy has a copy of the arena.

    Args:
        arena: The arena; by default a new one with one agent.
        agent: Whose view it is.
        others: What the other agents do: called with the name and the observation of each. They
            stand still by default.
        settings: Of the new arena: see `AimArena`.

    Raises:
        GameError: there is no such agent, or one of the settings makes no sense.
    """

    metadata = {"render_modes": []}

    def __init__(
        self,
        arena: AimArena | None = None,
        *,
        agent: str = "agent_0",
        others: Callable[[str, Observation], Action] | None = None,
        **settings: Any,
    ) -> None:
        if arena is not None and settings:
            raise GameError(f"{', '.join(settings)}: an arena that is given has its settings")
        self.arena = arena if arena is not None else AimArena(**{"agents": 1, **settings})
        if agent not in self.arena.possible_agents:
            names = ", ".join(self.arena.possible_agents)
            raise GameError(f"agent {agent!r}: there are {names}")
        self.agent = agent
        self.observation_space = self.arena.observation_space(agent)
        self.action_space = self.arena.action_space(agent)
        self._others = others if others is not None else _still
        self._seen: dict[str, Observation] = {}

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin the next round; errors as for `AimArena.reset`."""
        super().reset(seed=seed)
        self._seen, infos = self.arena.reset(seed, options)
        return self._seen[self.agent], infos[self.agent]

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Advance one step; errors as for `AimArena.step`."""
        if self._seen and not self.arena.agents:
            raise GameError("the round has ended: reset() begins the next one")
        actions = {
            name: action if name == self.agent else self._others(name, self._seen[name])
            for name in self.arena.agents
        }
        self._seen, rewards, terminations, truncations, infos = self.arena.step(actions)
        me = self.agent
        return self._seen[me], rewards[me], terminations[me], truncations[me], infos[me]

    def close(self) -> None:
        """End the arena."""
        self.arena.close()


def _still(name: str, observation: Observation) -> Action:
    return (0, 0, 0), (0.0,)


def _panels(
    odds: Mapping[str, DifficultyProbabilities | Sequence[float]] | None,
) -> dict[Target, DifficultyProbabilities]:
    panels = fresh_odds()
    for name, given in (odds or {}).items():
        panels[block_target(name)] = (
            given if isinstance(given, DifficultyProbabilities) else DifficultyProbabilities(given)
        )
    return panels


def _world_of(session: Session | None) -> AimWorld | None:
    if session is None:
        return None
    if not isinstance(session.world, AimWorld):
        raise GameError(
            f"record: the session's world is a {type(session.world).__name__}; make it with"
            " Session(AimWorld(), …), see playhead.games.arena.fps.match.hall_world_adapter"
        )
    return session.world
