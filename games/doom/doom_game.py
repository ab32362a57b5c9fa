"""Doom as a runnable game: a scenario and its world, with objects as columns."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ...errors import GameError
from ...handlers.handler_registry import HandlerRegistry
from ...playback.pads.pad import NEUTRAL, Pad, input_of
from ...recorder.statements.instrumentation_interface import (
    NULL_INSTRUMENTATION,
    Instrumentation,
    Scalar,
)
from ..pad_tree_body import PadBody
from ..playable_interface import Observation, ObservedEntity, OutcomeRule, Vector
from ..tree_body_interface import PLAYER, TreeBody
from .doom_body import DoomBody
from .doom_world_adapter import DoomWorld
from .pad_to_buttons import button_values
from .plans.doom_plan_game import PlanDrivenDoom
from .scenario import TICS_PER_SECOND
from .scripted_player import DoomScriptedPlayer
from .tic_game import DoomGame
from .visible_objects import PlayerView

SEED = 7
PAUSE = 1 + TICS_PER_SECOND
"""Tics for which an episode's end is shown and reported: its own, and a second in which nothing
happens."""
DIED, EXITED = "the player died", "the map ended"
EXIT = "exited"
"""The column for whether the exit was reached; the other columns are as they were there."""
_PLACE = ("x", "y")


class DoomRun(PlanDrivenDoom):
    """`doom:SCENARIO`, seeded, in processes of its own; its past is shown by stand-ins.

    An episode that ends restarts by itself, a second later: until then nothing moves, and what is
    observed is how it ended.

    Args:
        scenario: Its name.
        skill: How hard, 1 … 5; None for the scenario's own.

    Raises:
        GameError: there is no such scenario or skill, or the engine did not start.
    """

    dt = 1 / TICS_PER_SECOND
    sticks = "player"

    def __init__(
        self, scenario: str = "deathmatch", *, seed: int | None = None, skill: int | None = None
    ) -> None:
        super().__init__()
        self._seed = SEED if seed is None else seed
        self.name = f"doom:{scenario}"
        self.game = DoomGame(scenario, seed=self._seed, skill=skill)
        self.about: dict[str, Scalar] = {
            "game": self.name, "seed": self._seed, "skill": self.game.skill,
        }  # fmt: skip
        self.columns: Mapping[str, type] = {
            name: float for name, _ in self.game.scenario.variables if name not in _PLACE
        }
        """The player's numbers: its health, armor, ammunition, …; and whether the map was left."""
        if self.game.scenario.goal:
            self.columns = {**self.columns, EXIT: bool}
        self.outcomes: Mapping[str, OutcomeRule] = {EXIT: "equal"} if EXIT in self.columns else {}
        self.levels = (self.game.scenario.map,)
        self.world = DoomWorld(self.game)
        self.handlers = HandlerRegistry()
        self._instruments: Instrumentation = NULL_INSTRUMENTATION
        self._pad: Pad | None = None
        self._held = NEUTRAL
        self._watch = PlayerView(self.game.level) if self.game.scenario.goal else None
        self._scripted_player: DoomScriptedPlayer | None = None
        self._before = _Own()
        self._pausing = 0
        self._ending: Observation | None = None
        self._seen: Observation | None = None
        self.tree_bodies = (PLAYER,)

    def tree_body(self, name: str) -> TreeBody:
        """The player, for a behaviour tree to drive; it knows the map where there is an exit."""
        if name != PLAYER:
            raise GameError(f"{self.name} has no {name!r}: there is {PLAYER!r}")
        if self._watch is None:
            return PadBody(self)
        return DoomBody(self, self.game, tuple(self.solids()))

    def attach(self, instruments: Instrumentation) -> None:
        self._instruments = instruments
        self.world.instrument(instruments)

    @property
    def player(self) -> int:
        return self.game.self_id

    @property
    def pad(self) -> Pad:
        """What was pressed in the newest step; neutral while the deathmatch's script plays."""
        return self._held

    def hold(self, pad: Pad | None) -> None:
        self._pad = pad

    def step(self) -> None:
        if self._pausing:
            self._pausing -= 1
            self._held = NEUTRAL
            self.world.rest()
            self._tell(NEUTRAL)
            return
        self._ending = None
        held = self._pad
        if held is None and self._watch is not None:
            held = self._play()
        self._held = held or NEUTRAL
        before, self._seen = self._own(), None
        if held is None:
            self.world.step()
        else:
            self.world.step(button_values(held, self.game.scenario.buttons, before.velocity))
            self._tell(held)
        self._take_note(before)
        self._tell_events(left=self._ending is not None and self._ending.finished)

    def observe(self) -> Observation:
        """The present state.

        It lists monsters and things that the player can see, and only those that it could hit or
        take; see `PlayerView`. Where no map is known, other players are enemies wherever they are.
        """
        if self._ending is not None:
            return self._ending
        if self._seen is None:
            own, watch = self._own(), self._watch
            self._seen = self._observation(
                own,
                self._rivals() if watch is None else watch.monsters(self.game, own.position),
                () if watch is None else watch.items(self.game, own.position),
                () if watch is None else watch.dangers(self.game, own.position),
            )
        return self._seen

    def save(self, path: Path) -> None:
        """Write a saved game; two tics or three go by. See `DoomGame.save` for what it holds."""
        self.game.save(path)

    def load(self, path: Path) -> None:
        """Go on from a saved game, in another episode."""
        self.world.load(path)
        self._seen = self._ending = self._scripted_player = None
        self._pausing = 0

    def state_hash(self) -> str:
        return self.game.state_hash()

    def close(self) -> None:
        self.game.close()

    def __enter__(self) -> "DoomRun":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _play(self) -> Pad:
        """What the scripted person does."""
        if self._scripted_player is None:
            self._scripted_player = DoomScriptedPlayer(self.game.level, self._seed, self.solids())
        return self._scripted_player.pad(self.observe())

    def _tell(self, pad: Pad) -> None:
        """Record what was held: the engine's own objects have no room for it."""
        self._instruments.input("pad", input_of(pad), object=self.player)

    def _take_note(self, before: "_Own") -> None:
        """Begin the pause at an episode's end."""
        if self._watch is not None and self.game.ended in (DIED, EXITED):
            died = self.game.ended == DIED
            self._ending = self._observation(before, dead=died, finished=not died)
            self._pausing, self._scripted_player = PAUSE - 1, None

    def _own(self) -> "_Own":
        """The player as it is; while it is dead and not back yet, as it was."""
        found = self.game.objects.find(self.player)
        if found is not None:
            x, y, z = found["position"].tolist()
            turn, dive, _ = found["angles"].tolist()
            kind = self.game.objects.type_of(self.player) or ""
            east, north, _ = found["velocity"].tolist()
            sin, cos = math.sin(turn), math.cos(turn)
            self._before = _Own(
                (x, y, z), turn, -dive, (east * sin - north * cos, east * cos + north * sin),
                kind.startswith("Dead"), self._numbers(),
            )  # fmt: skip
        return self._before

    def _numbers(self) -> dict[str, float | bool | str]:
        return {name: self.game.variables[name] for name in self.columns if name != EXIT}

    def _rivals(self) -> tuple[ObservedEntity, ...]:
        objects = self.game.objects
        there = objects.records["position"]
        return tuple(
            ObservedEntity("DoomPlayer", tuple(there[row].tolist()), object=id)
            for row, (id, name) in enumerate(objects.types_by_id().items())
            if name == "DoomPlayer" and id != self.player
        )

    def _observation(
        self,
        own: "_Own",
        enemies: tuple[ObservedEntity, ...] = (),
        items: tuple[ObservedEntity, ...] = (),
        dangers: tuple[ObservedEntity, ...] = (),
        *,
        dead: bool = False,
        finished: bool = False,
    ) -> Observation:
        return Observation(
            own.position,
            own.facing,
            (own.facing, own.pitch),
            level=self.game.scenario.map,
            dead=dead or own.dead,
            finished=finished,
            enemies=enemies,
            items=items,
            dangers=dangers,
            extras={**own.numbers, EXIT: finished} if EXIT in self.columns else own.numbers,
        )


class _Own(NamedTuple):
    """The player."""

    position: Vector = (0.0, 0.0, 0.0)
    facing: float = 0.0
    pitch: float = 0.0
    velocity: tuple[float, float] = (0.0, 0.0)
    """To the right, and ahead."""
    dead: bool = False
    numbers: Mapping[str, float | bool | str] = {}
