"""A match in one arena: rounds, orders, messages and a clock, independent of any library."""

import hashlib
import secrets
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from .....errors import GameError
from ..learning.actions import Actions
from ..learning.observation import Observer, Tags
from ..learning.side_channel import SideChannel
from ..simulation.batch_state import BatchState
from ..simulation.block_difficulty_probabilities import DifficultyProbabilities
from ..simulation.hall_level_loader import HallMap, load_hall
from ..simulation.ray_sensor import RaySet, RaySettings
from ..simulation.rewards import RewardValues, checked_values
from ..simulation.round_setup import Rounds
from ..simulation.round_targets_and_modes import BLOCK_TARGETS, ArenaMode, Target
from ..simulation.rules import MOST_AGENTS, Rules, checked
from ..simulation.simulation import RUNNING, WON, HallSimulation, StepResult
from .control_command_executor import MOST_BLOCKS, MOST_ENEMIES, OrderExecutor, SpawnPreview
from .match_control_commands import Order, SpawnBlock, SpawnEnemy


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is settled before anybody plays. Checked by `checked_setup`."""

    rays: tuple[RaySettings, ...] = (RaySettings(),)
    """The rays of each agent; their number is that of the agents."""
    tags: Tags = Tags.LABEL
    rules: Rules = Rules()
    rewards: RewardValues = RewardValues()
    hall: HallMap


def setup_of(
    agents: int,
    rays: RaySettings | Mapping[str, RaySettings] | None = None,
    *,
    tags: Tags = Tags.LABEL,
    rules: Rules | None = None,
    rewards: RewardValues | None = None,
    hall: HallMap | None = None,
) -> Setup:
    """A setup that makes sense.

    Args:
        rays: Of all agents, or of some by their names; the others have the default.

    Raises:
        GameError: one of the settings makes no sense.
    """
    if not 1 <= agents <= MOST_AGENTS:
        raise GameError(f"{agents} agents: ask for 1 to {MOST_AGENTS}")
    names = names_of(agents)
    if rays is None or isinstance(rays, RaySettings):
        each = [rays or RaySettings()] * agents
    else:
        strange = sorted(set(rays) - set(names))
        if strange:
            raise GameError(f"rays of {strange[0]!r}: the agents are {names[0]} … {names[-1]}")
        each = [rays.get(name, RaySettings()) for name in names]
    return Setup(
        rays=tuple(each), tags=tags, rules=checked(rules or Rules()),
        rewards=checked_values(rewards or RewardValues()), hall=hall or load_hall(),
    )  # fmt: skip


def names_of(agents: int) -> list[str]:
    """What the agents are called."""
    return [f"agent_{number}" for number in range(agents)]


def fresh_odds() -> dict[Target, DifficultyProbabilities]:
    """A panel for each target with blocks: all difficulties are equally likely."""
    return {target: DifficultyProbabilities() for target in BLOCK_TARGETS}


class _Parts(NamedTuple):
    """What each seed creates again."""

    arenas: BatchState
    rounds: Rounds
    simulation: HallSimulation
    order_executor: OrderExecutor


class Match:
    """An arena in one mode. `begin` comes before everything else.

    A copy, or what is unpickled, goes on by itself exactly as this would, with the orders that
    were sent but not carried out yet; its rounds are not reported.

    Args:
        odds: Panels of the targets with blocks; they may be changed at any time.
        side: Where messages go.
    """

    def __init__(
        self,
        setup: Setup,
        mode: ArenaMode,
        odds: Mapping[Target, DifficultyProbabilities],
        side: SideChannel,
    ) -> None:
        self.setup, self.mode, self.odds, self.side = setup, mode, odds, side
        self.names = names_of(len(setup.rays))
        self.observer = Observer(setup.rays, setup.tags)
        self.seed = 0
        self.steps = 0
        """Steps since this object was made; game time in steps."""
        self.starts = 0
        """How often it was started over."""
        self.over = False
        """Whether the round has ended and the next must be begun."""
        self.on_end: Callable[[int], object] = _unheard
        """Called as a round ends, with `WON` or `LOST`, while its target is still there."""
        self._rays = RaySet(setup.rays)
        self._orders: deque[Order] = deque()
        self._parts: _Parts | None = None

    def __getstate__(self) -> dict[str, Any]:
        # Other threads send orders meanwhile: `copy` takes them at one instant.
        return {**self.__dict__, "on_end": _unheard, "_orders": self._orders.copy()}

    @property
    def arenas(self) -> BatchState:
        """The state: one arena. As all that follows it raises GameError before it has begun."""
        return self._begun.arenas

    @property
    def simulation(self) -> HallSimulation:
        """What steps it, and what is seen."""
        return self._begun.simulation

    @property
    def _begun(self) -> "_Parts":
        if self._parts is None:
            raise GameError("nothing has begun yet: reset() first")
        return self._parts

    @property
    def time(self) -> float:
        """Game time in seconds; it never goes back."""
        return self.steps * self.setup.rules.step

    @property
    def target(self) -> Target:
        """What is asked now."""
        return Target(int(self.arenas.target[0]))

    # --- the loop -------------------------------------------------------------------------------

    def begin(self, seed: int | None = None) -> None:
        """Begin the next round; with a seed, or for the first time, everything starts over."""
        if seed is not None or self._parts is None:
            self._restart(secrets.randbits(32) if seed is None else int(seed))
        # What changes the panel is there before the block is; what is spawned, after the start.
        if self.mode.trains:
            self.take_orders()
        self._begun.rounds.begin(0)
        if not self.mode.trains:
            self.take_orders()
        self.simulation.look()
        self.over = False

    def _restart(self, seed: int) -> None:
        setup, trains = self.setup, self.mode.trains
        arenas = BatchState(
            setup.hall, setup.rules, [seed], len(setup.rays),
            room_for(setup, self.mode) if trains else MOST_ENEMIES, 1 if trains else MOST_BLOCKS,
        )  # fmt: skip
        simulation = HallSimulation(arenas, self._rays, setup.rewards, rewarded=trains)
        self.seed = seed
        self.starts += 1
        self._parts = _Parts(
            arenas, Rounds(arenas, self.mode, self.odds), simulation,
            OrderExecutor(simulation, self.mode, self.odds, self.side),
        )  # fmt: skip

    def step(self, actions: Actions) -> StepResult:
        """Advance one step; the end of a round is sent on the side channel.

        Raises:
            GameError: the round has ended.
        """
        if self.over:
            raise GameError("the round has ended: reset() begins the next one")
        self.take_orders()
        outcome = self.simulation.step(actions)
        self.steps += 1
        result = int(outcome.results[0])
        if result != RUNNING:
            self.on_end(result)
            self.side.result(result == WON)
            if self.mode.trains:
                self.over = True
            else:
                self.arenas.assign(0, Target.STAY)
        return outcome

    def observations(self) -> list[npt.NDArray[np.float32]]:
        """The vector of each agent."""
        return [vector[0] for vector in self.observer.write(self.simulation)]

    def state_hash(self) -> str:
        """A hash of everything that decides how it goes on."""
        order_executor = self._begun.order_executor
        panels = [(self.odds[target].values, self.odds[target].locked) for target in BLOCK_TARGETS]
        rest = repr((self.mode.value, self.over, panels, order_executor.turns))
        digest = hashlib.blake2b(rest.encode(), digest_size=16)
        digest.update(self.arenas.state_hash().encode())
        return digest.hexdigest()

    # --- orders ---------------------------------------------------------------------------------

    def send(self, order: Order) -> None:
        """Hand an order over from any thread: it is carried out before the next step.

        If it is refused, an error is sent on the side channel.
        """
        self._orders.append(order)

    def take_orders(self) -> None:
        """Carry out what was sent."""
        while True:
            try:
                order = self._orders.popleft()
            except IndexError:
                return
            try:
                self.order(order)
            except GameError as error:
                self.side.error("Order", str(error))

    def order(self, order: Order) -> None:
        """Carry an order out now, in the game's thread.

        Raises:
            GameError: it can't be done, and nothing was.
        """
        self._begun.order_executor.carry_out(order)

    def preview(self, order: SpawnEnemy | SpawnBlock) -> SpawnPreview:
        """What a spawning order would do now; changes nothing. Errors as for `order`."""
        return self._begun.order_executor.preview(order)


def _unheard(result: int) -> None:
    """No message about the end of a round is sent."""


def room_for(setup: Setup, mode: ArenaMode) -> int:
    """The most enemies that a round of a training mode can have."""
    most = 0
    if Target.FREE in mode.targets:
        most = setup.rules.most_enemies
    if any(target.has_block for target in mode.targets):
        most = max(most, max(len(preset.enemies) for preset in setup.hall.presets))
    return most
