"""Doom played tic by tic, with the engine in a process of its own."""

import importlib.util
import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ...errors import CommandError, GameError
from . import saved_game_file as saved
from .engine.engine_process import EngineProcess
from .engine.engine_protocol import (
    LOADED,
    Answer,
    Load,
    Look,
    MapLines,
    Save,
    Saved,
    Screen,
    StartEngine,
    StepEngine,
    Survey,
    Tic,
)
from .object_columns import DOOM_OBJECT, ObjectTable
from .scenario import TICS_PER_SECOND, Scenario, find_scenario, resolve
from .seeded_random_player import SeededRandomPlayer
from .wad_map import WadMap


class DoomGame:
    """A running scenario of Doom; it pauses between two calls of `step`.

    The same seed and actions give the same run. Close it, or use it as a context manager.

    Args:
        scenario: a name such as `deathmatch` or `doom:map01`, or a scenario of your own.
        seed: the engine's, and the scripted player's.
        skill: 1 … 5; None for the scenario's.
        time_out: seconds that the engine may take for an answer before it is ended.

    Raises:
        GameError: the scenario is unknown, or the engine can't start it. Later calls raise it too,
            when the engine dies or is silent; this process lives on.
    """

    def __init__(
        self,
        scenario: str | Scenario = "deathmatch",
        seed: int = 7,
        skill: int | None = None,
        time_out: float = 20.0,
    ) -> None:
        self.scenario = find_scenario(scenario) if isinstance(scenario, str) else scenario
        self.seed = seed
        skill = self.scenario.skill if skill is None else skill
        if not 1 <= skill <= 5:
            raise GameError(f"doom:{self.scenario.name}: skill {skill} is not in 1 … 5")
        self.skill = skill
        self._names: tuple[str, ...] = ()
        self._kinds: tuple[str, ...] = ()
        self._scripted = SeededRandomPlayer(seed, self.scenario.buttons)
        self._process = EngineProcess(self.scenario.name, time_out)
        self._take(self._process.ask(StartEngine(self.scenario, seed, skill), "the start"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def step(self, action: Sequence[float] | None = None) -> None:
        """Advance one tic.

        Args:
            action: a number for each of `scenario.buttons`; None lets the scripted player act.

        Raises:
            CommandError: the action has another length, or holds what is no number.
            GameError: the engine died or was silent.
        """
        if action is None:
            pressed = self._scripted.action(self.tic)
        else:
            pressed = [float(value) for value in action]
            if len(pressed) != len(self.scenario.buttons) or not all(map(math.isfinite, pressed)):
                raise CommandError(
                    f"action {pressed}: give one finite number for each of"
                    f" {', '.join(self.scenario.buttons)}"
                )
        self._take(self._process.ask(StepEngine(pressed), f"the step after tic {self.tic}"))

    def look(self) -> npt.NDArray[np.uint8] | None:
        """The player's screen in the present tic, height × width × 3; None after an episode's end.

        Raises:
            GameError: the engine died or was silent.
        """
        answer = self._process.ask(Look(), "the picture")
        if not isinstance(answer, Screen):
            raise self._unexpected(answer)
        if not answer.height:
            return None
        pixels = np.frombuffer(answer.pixels, np.uint8)
        return pixels.reshape(answer.height, answer.width, 3)

    def save(self, path: Path) -> None:
        """Write a saved game; two tics or three go by while it is made.

        Loaded, it has everyone where they were, with what they have. It is not the same run that
        goes on from it: the engine saves neither its chance nor what was about to happen.

        Raises:
            GameError: the player is dead, or the file can't be written.
        """
        answer = self._process.ask(Save(), "the saving")
        if not isinstance(answer, Saved):
            raise self._unexpected(answer)
        if not answer.data:
            raise GameError(
                f"doom:{self.scenario.name} can't be saved at tic {self.tic}: try again later"
            )
        saved.write(path, answer.data)

    def load(self, path: Path) -> None:
        """Go on from a saved game, in another episode: its objects have new ids.

        Raises:
            GameError: it can't be read, or is no saved game of this map.
        """
        data = saved.read(path, self.scenario.map)
        self._take(self._process.ask(Load(data), f"the loading of {path}"))
        if self.ended != LOADED:
            raise GameError(
                f"{path}: this version of the engine can't load it: save the game again"
            )

    @property
    def tic(self) -> int:
        """The present tic of the episode, from 1."""
        return self._now.tic

    @property
    def time(self) -> float:
        """Game time in seconds; it begins again with each episode."""
        return self._now.tic / TICS_PER_SECOND

    @property
    def episode(self) -> int:
        """Counts from 1; another one begins when the player dies, or the map or its time ends."""
        return self._now.episode

    @property
    def ended(self) -> str:
        """Why the episode ended: set for one step, which shows its last tic again; the next step
        begins another. At the first tic after a saved game was loaded, that. Else empty.
        """
        return self._now.ended

    @property
    def self_id(self) -> int:
        """The id of the player's own object, which changes with each respawn; 0 if unknown."""
        return self._now.self_id

    @property
    def objects(self) -> ObjectTable:
        """Every object of the present tic. It stays valid after the next step."""
        return self._objects

    @property
    def variables(self) -> Mapping[str, float]:
        """The player's numbers in the present tic: `health`, `armor`, `ammo`, `frags`, …"""
        return self._variables

    @cached_property
    def lines(self) -> npt.NDArray[np.float32]:
        """The map's lines, (n, 2, 3) in map units, each once, at the lower floor beside it.

        Asked for the first time, it takes as long as a start of the engine.
        """
        return self._survey[0]

    @cached_property
    def blocking(self) -> npt.NDArray[np.bool_]:
        """For each of `lines` whether it blocks walking."""
        return self._survey[1]

    @cached_property
    def level(self) -> WadMap:
        """The map as the scenario's data file has it; for scenarios that are played in that file.

        Raises:
            GameError: it can't be read.
        """
        found = importlib.util.find_spec("vizdoom")
        folder = Path((found and found.origin) or "").parent
        return WadMap(Path(resolve(self.scenario.wad, folder)), self.scenario.map)

    @property
    def pid(self) -> int:
        """The process that owns the engine, and the group that both belong to."""
        return self._process.pid

    @property
    def closed(self) -> bool:
        """True once closed, by `close` or because the engine died."""
        return self._process.closed

    def state_hash(self) -> str:
        """32 hex digits over every object of the present tic."""
        return self._objects.hash()

    def close(self) -> None:
        """End the engine and remove what it left. More than once does no harm."""
        self._process.close()

    @cached_property
    def _survey(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        answer = self._process.ask(Survey(), "the survey of the map")
        if not isinstance(answer, MapLines):
            raise self._unexpected(answer)
        return (
            np.frombuffer(answer.segments, "<f4").reshape(-1, 2, 3),
            np.frombuffer(answer.blocking, bool),
        )

    def _take(self, answer: Answer) -> None:
        if not isinstance(answer, Tic):
            raise self._unexpected(answer)
        if answer.new_names:
            self._names = (*self._names, *answer.new_names)
            self._kinds = (*self._kinds, *answer.new_kinds)
        self._now = answer
        self._objects: ObjectTable = ObjectTable(
            np.frombuffer(answer.ids, "<u8"),
            np.frombuffer(answer.types, "<u4"),
            np.frombuffer(answer.records, DOOM_OBJECT),
            self._names,
            self._kinds,
            np.frombuffer(answer.seen, "<u8"),
        )
        self._variables: dict[str, float] = {
            name: value
            for (name, _), value in zip(self.scenario.variables, answer.variables, strict=True)
        }

    def _unexpected(self, answer: Any) -> GameError:
        self._process.close()
        return GameError(
            f"doom:{self.scenario.name}: a {type(answer).__name__} was no answer to expect, so the"
            " engine was ended"
        )
