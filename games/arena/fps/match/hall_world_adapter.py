"""The hall as a `World`: agents, enemies and blocks by their views.

Playback writes only views, and the simulation never reads one. So playback can't change the
outcome.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .....adapters.pausable_world import ViewWorld
from .....errors import GameError
from .....handlers.field_handler import FieldHandler
from .....handlers.handler_registry import HandlerRegistry
from .....recorder.packets.layouts.layout import Field
from ..simulation.round_targets_and_modes import Target
from ..simulation.target_block_presets import TargetBlock
from .training_match import Match

Vector = tuple[float, float, float]


@dataclass(slots=True, eq=False)
class HallView:
    """How something looks now. z is up; the heading, the third angle, is 0 along x."""

    position: Vector = (0.0, 0.0, 0.0)
    angles: Vector = (0.0, 0.0, 0.0)
    visible: bool = True
    state: str = ""


@dataclass(slots=True, eq=False)
class AgentView(HallView):
    """An agent; its state is its target."""

    gun: bool = True
    """Whether it can shoot."""
    inside: bool = False
    """Whether it is in the fire base."""
    reward: float = 0.0
    """The reward of the newest step."""


@dataclass(slots=True, eq=False)
class EnemyView(HallView):
    """An enemy; its state says whether it is a `target` or `other`."""

    hp: float = 0.0
    """Hits that it still takes."""


@dataclass(slots=True, eq=False)
class BlockView(HallView):
    """A target block, at the middle of its fire base; its state is the preset's name."""

    diameter: float = 0.0
    """The fire base's, metres."""
    difficulty: int = 0
    corner: Vector = (0.0, 0.0, 0.0)
    """Its near left corner."""


class AimWorld(ViewWorld):
    """What a `Session` is made with that is to record an `AimArena`."""

    def __init__(self) -> None:
        super().__init__()
        self.match: Match | None = None
        """What is shown here."""
        self.waited = 0.0
        """Seconds of game time before there was a match."""
        self.agents: list[AgentView] = []
        self.looked_at: tuple[int, Vector] | None = None
        """The object in focus during playback, and its position, or its last one."""
        self._enemies: dict[int, EnemyView] = {}
        self._blocks: dict[int, BlockView] = {}
        self._ids: dict[Any, int] = {}
        self._newest = 0

    def play(self, match: Match) -> None:
        """Show this match from now on. Its agents have the ids from 1 on.

        Raises:
            GameError: there is one already.
        """
        if self.match is not None:
            raise GameError("this AimWorld shows an arena already: make another session and world")
        self.match = match
        self.agents = [AgentView() for _ in match.names]
        self._newest = len(self.agents)

    def show(self) -> None:
        """Write every view as things stand now."""
        match = self.match
        if match is None:
            return
        arenas, simulation = match.arenas, match.simulation
        target = Target(int(arenas.target[0])).word
        inside, gun = simulation.inside()[0], arenas.gun[0] == 0
        for number, view in enumerate(self.agents):
            x, y = arenas.at[:, 0, number].tolist()
            view.position = (x, y, 0.0)
            view.angles = (0.0, 0.0, heading(float(arenas.yaw[0, number])))
            view.state = target
            view.gun, view.inside = bool(gun[number]), bool(inside[number])
        self._show_enemies(match)
        self._show_blocks(match)

    def enemy_id(self, number: int) -> int:
        """The id of the enemy in this slot of the arena."""
        assert self.match is not None
        return self._id(("enemy", self.match.starts, int(self.match.arenas.ids[0, number])))

    def _show_enemies(self, match: Match) -> None:
        arenas, enemies = match.arenas, {}
        for number in arenas.health[0].nonzero()[0].tolist():
            id = self.enemy_id(number)
            view = self._enemies.get(id) or EnemyView()
            x, y = arenas.at[:, 0, arenas.agents + number].tolist()
            if (x, y) != view.position[:2] and view.hp:
                dx, dy = x - view.position[0], y - view.position[1]
                view.angles = (0.0, 0.0, math.atan2(dy, dx))
            view.position = (x, y, 0.0)
            view.hp = float(arenas.health[0, number])
            view.state = "target" if arenas.is_target[0, number] else "other"
            enemies[id] = view
        self._enemies = enemies

    def _show_blocks(self, match: Match) -> None:
        arenas, blocks = match.arenas, {}
        for block in arenas.blocks[0]:
            # The block is kept beside its id: no other can get its address in memory meanwhile.
            key = ("block", _Same(block))
            known = key in self._ids
            id = self._id(key)
            view = self._blocks.get(id) if known else None
            blocks[id] = view or _block_view(block)
        self._blocks = blocks
        current = {*self._enemies, *blocks}
        self._ids = {key: id for key, id in self._ids.items() if id in current}

    def _id(self, key: Any) -> int:
        if key not in self._ids:
            self._newest += 1
            self._ids[key] = self._newest
        return self._ids[key]

    # --- what playhead asks ---------------------------------------------------------------------

    def objects(self) -> Iterator[tuple[int, str, HallView]]:
        for number, view in enumerate(self.agents, 1):
            yield number, "agent", view
        for id, enemy in self._enemies.items():
            yield id, "enemy", enemy
        for id, block in self._blocks.items():
            yield id, "block", block

    def time(self) -> float:
        return self.waited + (0.0 if self.match is None else self.match.time)

    def find(self, object_id: int) -> HallView | None:
        if 1 <= object_id <= len(self.agents):
            return self.agents[object_id - 1]
        return self._enemies.get(object_id) or self._blocks.get(object_id)

    def view_of(self, object_id: int) -> HallView | None:
        return self.find(object_id)

    def resume(self) -> None:
        super().resume()
        self.looked_at = None

    def look_at(self, object_id: int, position: Vector) -> None:
        self.looked_at = (object_id, position)


class _Same:
    """A block as a key that is equal to itself alone: a preset may stand there again later."""

    def __init__(self, block: TargetBlock) -> None:
        self.block = block

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.block is self.block

    def __hash__(self) -> int:
        return id(self.block)


def heading(yaw: float) -> float:
    """The angle from x, counterclockwise, of what is `yaw` from y, clockwise. Radians."""
    return math.remainder(math.pi / 2 - yaw, math.tau)


def _block_view(block: TargetBlock) -> BlockView:
    return BlockView(
        position=(*block.firebase, 0.0), state=block.preset.name, diameter=block.diameter,
        difficulty=block.preset.difficulty, corner=(*block.corner, 0.0),
    )  # fmt: skip


def register_aim_handlers(registry: HandlerRegistry) -> None:
    """Add handlers for agents, enemies and blocks to those that lack them."""
    if "agent" not in registry:
        registry.register("agent", FieldHandler(AgentView()), channels=("ai",))
    if "enemy" not in registry:
        notes = {"hp": Field("hits", "health")}
        registry.register("enemy", FieldHandler(EnemyView(), notes=notes), channels=("ai",))
    if "block" not in registry:
        notes = {"diameter": Field("m"), "corner": Field("m")}
        registry.register("block", FieldHandler(BlockView(), notes=notes), channels=("script",))
