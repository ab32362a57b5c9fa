"""A tiny game with a pad and saved games, and an agent that follows a demo of it by its rows."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

from playhead.agents.recorded_demo import DemoWriter
from playhead.agents.replay.agent_interface import AgentSpec
from playhead.agents.replay.demos.demo_files import end_of, start_of
from playhead.errors import GameError
from playhead.games.playable_interface import Observation
from playhead.handlers.field_handler import FieldHandler
from playhead.handlers.handler_registry import HandlerRegistry
from playhead.playback.pads.pad import NEUTRAL, Pad
from playhead.recorder.statements.instrumentation_interface import (
    NULL_INSTRUMENTATION,
    Instrumentation,
)
from playhead.recorder.world_adapter import World

DT = 1 / 60
SPEED = 3.0
LENGTH = 6.0
PLAYER = 1


@dataclass
class Walker:
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)


class Hall(World):
    def __init__(self) -> None:
        self.walker = Walker()
        self.steps = 0

    def objects(self) -> list[tuple[int, str, Walker]]:
        return [(PLAYER, "walker", self.walker)]

    def time(self) -> float:
        return self.steps * DT

    def find(self, object_id: int) -> Walker | None:
        return self.walker if object_id == PLAYER else None


class Corridor:
    """A player who walks along x; a wall that nothing passes may stand across."""

    name, dt, sticks = "corridor", DT, "world"

    def __init__(self, *, seed: int | None = None, wall: float = math.inf) -> None:
        self.seed, self.wall = seed, wall
        self.about = {"game": self.name, "seed": seed}
        self.world = Hall()
        self.handlers = HandlerRegistry()
        self.handlers.register("walker", FieldHandler(Walker()))
        self.instruments: Instrumentation = NULL_INSTRUMENTATION
        self.loads: list[str] = []
        self.breaks_at = 0
        self._held: Pad | None = None
        self._newest = NEUTRAL

    def attach(self, instruments: Instrumentation) -> None:
        self.instruments = instruments
        instruments.name(PLAYER, "walker")

    @property
    def player(self) -> int:
        return PLAYER

    @property
    def pad(self) -> Pad:
        return self._newest

    def hold(self, pad: Pad | None) -> None:
        self._held = pad

    def step(self) -> None:
        self.world.steps += 1
        if self.world.steps == self.breaks_at:
            raise ZeroDivisionError("a stone broke")
        x = self.world.walker.position[0]
        pad = self._held
        if pad is None:  # the scripted person goes to the corridor's end
            pad = Pad(left=(1.0, 0.0)) if x < LENGTH else NEUTRAL
        self._newest = pad
        self.world.walker.position = (min(x + pad.left[0] * SPEED * DT, self.wall), 0.0, 0.0)

    def observe(self) -> Observation:
        at = self.world.walker.position
        return Observation(at, 0.0, (0.0, 0.0), level="hall", finished=at[0] >= LENGTH)

    def save(self, path: Path) -> None:
        path.write_text(json.dumps({"x": round(self.world.walker.position[0], 6)}))

    def load(self, path: Path) -> None:
        try:
            x = json.loads(path.read_text())["x"]
        except (OSError, ValueError, KeyError) as error:
            raise GameError(f"{path} is no saved game: {error}") from error
        self.loads.append(path.name)
        self.world.walker.position = (x, 0.0, 0.0)

    def state_hash(self) -> str:
        return repr(self.world.walker.position)

    def close(self) -> None:
        pass

    def __enter__(self) -> "Corridor":
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Bare:
    """The same without a pad."""

    name, dt = "bare", DT

    def __init__(self, *, seed: int | None = None) -> None:
        game = Corridor()
        self.about, self.world, self.handlers = game.about, game.world, game.handlers
        self.step, self.state_hash = game.step, game.state_hash
        self.attach, self.close = game.attach, game.close

    def __enter__(self) -> "Bare":
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Follower:
    """Walks to each row's place; gives up if it gets nowhere for a second."""

    traceback = ""
    recoveries = 0

    notes = ("all is well",)

    def __init__(self, part: AgentSpec) -> None:
        self.rows = part.demo.demo.rows
        self.instruments, self.agent = part.instruments, part.player
        self.row, self.failure, self.state = 0, "", "walk"
        self.transitions = 0
        self.seen: list[Observation] = []
        self._still = 0

    @property
    def done(self) -> bool:
        return bool(self.failure) or self.row >= len(self.rows)

    @property
    def progress(self) -> float:
        return self.row / len(self.rows)

    def step(self, seen: Observation) -> Pad:
        still = self.seen and abs(seen.position[0] - self.seen[-1].position[0]) < 1e-9
        self._still = self._still + 1 if still else 0
        self.seen.append(seen)
        while self.row < len(self.rows) and self.rows[self.row].player_x <= seen.position[0] + 1e-3:
            self.row += 1
        if self.row >= len(self.rows):
            return NEUTRAL
        if self._still > 30:
            self.failure = f"stuck at row {self.row}"
            return NEUTRAL
        if self.transitions == 0:
            self.transitions = 1
            self.instruments.trace.state(self.agent, "playthrough", "", "walk", won="begins")
        self.instruments.watch("row", self.row, object=self.agent)
        return Pad(left=(1.0, 0.0))


def record_demo(path: Path, start: float, end: float) -> Path:
    """A demo of the walk from one place to another, with its saved games."""
    game = Corridor()
    game.world.walker.position = (start, 0.0, 0.0)
    game.save(start_of(path))
    with DemoWriter(path, DT) as writer:
        while game.world.walker.position[0] < end - 1e-9:
            game.step()
            writer.step(game.pad, game.observe())
    game.save(end_of(path))
    return path
