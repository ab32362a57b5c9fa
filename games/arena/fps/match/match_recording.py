"""Records a match in each step: rays, rewards by term, actions, targets and rounds."""

import math

import numpy as np

from .....recorder.statements.instrumentation_interface import Draw, Instrumentation, Scalar
from ..learning.actions import Actions
from ..simulation.hall_level_loader import HallMap
from ..simulation.ray_sensor import Floats, Tag
from ..simulation.rewards import TERMS
from ..simulation.round_targets_and_modes import Target
from ..simulation.rules import SIDE
from ..simulation.simulation import LOST, RUNNING, WON, StepResult
from ..simulation.target_block_presets import SIZE, Rectangle, TargetBlock
from .hall_world_adapter import AimWorld
from .match_bus_service import MatchServer, Switchable
from .training_match import Match

RAYS, REWARD, HALL = "rays", "reward", "hall"
"""Channels."""
EYE = 1.2
"""Metres above the floor at which rays are drawn."""
COLORS = {
    Tag.NOTHING: (90, 90, 100),
    Tag.WALL: (120, 140, 170),
    Tag.ENEMY: (255, 90, 60),
    Tag.PLAYER: (90, 200, 255),
}
SHOT, WALLS, CIRCLE = (255, 230, 120), (150, 150, 160), (240, 200, 60)
_RESULTS = {WON: "won", LOST: "lost"}


class MatchRecording:
    """Writes a match into a recording, through the world that it is shown in.

    Where the recording is a session's, its tools can give orders: see `MatchServer`.
    """

    def __init__(self, match: Match, world: AimWorld, instruments: Instrumentation) -> None:
        self._match, self._world, self._instruments = match, world, instruments
        self._target = self._round = ""
        self._published = (0, 0)
        """The round whose beginning was logged: which new beginning, and its number."""
        self._blocks: list[TargetBlock] | None = None
        self._block_walls = 0
        self._walls_drawn = False
        self._server: MatchServer | None = None
        if isinstance(instruments, Switchable):
            self._server = MatchServer(match, world, instruments)
        for number, name in enumerate(match.names, 1):
            instruments.name(number, name)

        match.on_end = self._tell_end

    def began(self) -> None:
        """A round has begun: show its state before the first step."""
        self._world.show()
        self._tell_round("nothing is ordered")
        self._publish_status()
        self._draw()

    def stepped(self, actions: Actions, result: StepResult) -> None:
        """A step is over."""
        rewards = result.rewards[0].tolist()
        for view, reward in zip(self._world.agents, rewards, strict=True):
            view.reward = reward
        self._tell_hits(result)
        self._world.show()
        self._watch(actions, result, rewards)
        self._tell_round("ordered" if result.results[0] == RUNNING else "the round has ended")
        self._publish_status()
        self._draw()
        self._draw_shots(result)

    # --- values and decisions -------------------------------------------------------------------

    def _watch(self, actions: Actions, result: StepResult, rewards: list[float]) -> None:
        watch, match = self._instruments.watch, self._match
        terms = result.terms[0].tolist()
        for agent in range(len(match.names)):
            id = agent + 1
            watch("reward", rewards[agent], object=id)
            for name, value in zip(TERMS, terms[agent], strict=True):
                watch(f"reward {name}", value, object=id)
            watch("action forward", float(actions.forward[0, agent]), object=id)
            watch("action right", float(actions.right[0, agent]), object=id)
            watch("action attack", float(actions.attack[0, agent]), object=id)
            watch("action turn", float(actions.turn[0, agent]), object=id)
        watch("remaining time", float(match.arenas.remaining[0]))

    def _tell_hits(self, result: StepResult) -> None:
        for hit in result.hits:
            ends = "defeats" if hit.defeated else "hits"
            kind = "a target" if hit.is_target else "no target"
            name = self._match.names[hit.agent]
            self._instruments.log(
                f"{name} {ends} an enemy that is {kind}", object=hit.agent + 1, channel=REWARD
            )

    def _tell_end(self, result: int) -> None:
        """A round ends; its target is still there."""
        match = self._match
        arenas = match.arenas
        values: dict[str, Scalar] = {
            "steps": int(arenas.ticks[0]), "enemies left": int(np.count_nonzero(arenas.health[0])),
        }  # fmt: skip
        if match.target is Target.GOTO:
            values["distance"] = float(match.simulation.distance()[0].min())
        why = "the target is reached" if result == WON else "the time is over"
        self._round = self._trace("round", self._round, _RESULTS[result], why, values)

    def _publish_status(self) -> None:
        if self._server is not None:
            self._server.publish_changes()

    def _tell_round(self, why: str) -> None:
        """Say which target is given, if that is news; `why` where the mode does not give it."""
        match = self._match
        if match.mode.trains:
            why = "the mode gives it"
        arenas = match.arenas
        number = (match.starts, int(arenas.rounds[0]))
        if number == self._published:
            return
        self._published = number
        values: dict[str, Scalar] = {
            "round": number[1], "mode": match.mode.value, "seed": match.seed,
            "remaining": float(arenas.remaining[0]),
            "enemies": int(np.count_nonzero(arenas.health[0])),
        }  # fmt: skip
        if match.target.has_block:
            block = arenas.blocks[0][-1]
            values |= {
                "block": block.preset.name, "difficulty": block.preset.difficulty,
                "x": block.firebase[0], "y": block.firebase[1], "diameter": block.diameter,
            }  # fmt: skip
        self._target = self._trace("target", self._target, match.target.word, why, values)
        state = "none" if match.target is Target.STAY else "running"
        self._round = self._trace("round", self._round, state, why, values)

    def _trace(
        self, machine: str, source: str, target: str, why: str, values: dict[str, Scalar]
    ) -> str:
        for number in range(1, len(self._match.names) + 1):
            self._instruments.trace.state(number, machine, source, target, won=why, values=values)
        return target

    # --- drawing --------------------------------------------------------------------------------

    def _draw(self) -> None:
        draw, match = self._instruments.draw, self._match
        if not self._walls_drawn:
            self._walls_drawn = True
            draw_hall(draw, match.setup.hall)
        blocks = match.arenas.blocks[0]
        if blocks != self._blocks:
            self._blocks = list(blocks)
            walls = [wall for block in blocks for wall in block.walls]
            self._block_walls = draw_boxes(
                draw, "block wall", [(wall, 2.0) for wall in walls], self._block_walls
            )
            edges = [(Rectangle(*block.middle, SIZE / 2, SIZE / 2), 0.0) for block in blocks]
            draw.lines(box_lines(edges), color=WALLS, channel=HALL, latch="blocks")
            circles = [circle(block) for block in blocks]
            lines = np.concatenate(circles) if circles else np.zeros((0, 2, 3))
            draw.lines(lines, color=CIRCLE, channel=HALL, latch="fire bases")
        self._draw_rays()

    def _draw_rays(self) -> None:
        match, ray_hits = self._match, self._match.simulation.ray_hits
        arenas = match.arenas
        dx, dy = (part[0] for part in match.simulation.rays.directions(arenas.sine, arenas.cosine))
        for agent, settings in enumerate(match.setup.rays):
            count = settings.count
            tags = ray_hits.tags[0, agent, :count]
            distances = ray_hits.distances[0, agent, :count]
            away = np.where(tags == Tag.NOTHING, settings.reach, distances)
            lines = np.full((count, 2, 3), EYE)
            lines[:, :, :2] = arenas.at[:, 0, agent]
            lines[:, 1, 0] += away * dx[agent, :count]
            lines[:, 1, 1] += away * dy[agent, :count]
            for tag, color in COLORS.items():
                some = lines[tags == tag]
                if len(some):
                    self._instruments.draw.lines(some, color=color, object=agent + 1, channel=RAYS)

    def _draw_shots(self, result: StepResult) -> None:
        match = self._match
        arenas, lengths = match.arenas, match.simulation.ray_hits.lengths
        for agent in np.flatnonzero(result.fired[0]).tolist():
            x, y = arenas.at[:, 0, agent].tolist()
            away = min(float(lengths[0, agent, -1]), match.setup.rules.range)
            end = (
                x + away * float(arenas.sine[0, agent]), y + away * float(arenas.cosine[0, agent]),
                EYE,
            )  # fmt: skip
            self._instruments.draw.line(
                (x, y, EYE), end, color=SHOT, object=agent + 1, channel=RAYS
            )


def draw_hall(draw: Draw, hall: HallMap) -> None:
    """Draw the walls of a hall, which stay."""
    draw_boxes(draw, "wall", [(wall.box, wall.height) for wall in hall.walls])
    around = Rectangle(SIDE / 2, SIDE / 2, SIDE / 2, SIDE / 2)
    draw.lines(box_lines([(around, 2.5)]), color=WALLS, channel=HALL, latch="hall")


def draw_boxes(draw: Draw, name: str, boxes: list[tuple[Rectangle, float]], before: int = 0) -> int:
    """Draw boxes that stand on the floor, each with its height, and stay; returns how many.

    Args:
        before: How many there were under this name: those that are gone are drawn no more.
    """
    for number, (box, height) in enumerate(boxes):
        draw.box(
            (box.x, box.y, height / 2), (2 * box.half_x, 2 * box.half_y, height), color=WALLS,
            channel=HALL, latch=f"{name} {number}",
        )  # fmt: skip
    for number in range(len(boxes), before):
        draw.lines(np.zeros((0, 2, 3)), color=WALLS, channel=HALL, latch=f"{name} {number}")
    return len(boxes)


def box_lines(boxes: list[tuple[Rectangle, float]]) -> Floats:
    """The edges (n, 2, 3) of boxes that stand on the floor, each with its height."""
    lines = []
    for box, height in boxes:
        ring = [
            (box.x + sx * box.half_x, box.y + sy * box.half_y)
            for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        for here, there in zip(ring, [*ring[1:], ring[0]], strict=True):
            lines.append(((*here, 0.0), (*there, 0.0)))
            if height:
                lines.append(((*here, height), (*there, height)))
                lines.append(((*here, 0.0), (*here, height)))
    return np.array(lines).reshape(-1, 2, 3)


def circle(block: TargetBlock, corners: int = 32) -> Floats:
    """The circle of a block's fire base, just above the floor, as lines (n, 2, 3)."""
    angles = np.linspace(0.0, math.tau, corners + 1)
    x, y = block.firebase
    ring = np.stack(
        (x + block.diameter / 2 * np.cos(angles), y + block.diameter / 2 * np.sin(angles),
         np.full(corners + 1, 0.05)), axis=1,
    )  # fmt: skip
    return np.stack((ring[:-1], ring[1:]), axis=1)
