"""The process that owns Doom's engine: a fatal error of the engine ends only this process.

Started by `EngineProcess` as the leader of a process group of its own, in a folder of its own;
the engine's binary is its child, and so is a guard that ends them all when the parent is gone.
"""

import faulthandler
import math
import operator
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import vizdoom

from ..scenario import TICS_PER_SECOND, Scenario, resolve
from .engine_protocol import (
    LOADED,
    Answer,
    Channel,
    Close,
    Failed,
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

_FIELDS = (
    "id",
    "sector_id",
    "position_x",
    "position_y",
    "position_z",
    "angle",
    "pitch",
    "roll",
    "velocity_x",
    "velocity_y",
    "velocity_z",
    "name",
    "category",
)
_NUMBERS = slice(2, 11)
_NAME, _KIND = 11, 12
_HERE = (
    vizdoom.GameVariable.POSITION_X,
    vizdoom.GameVariable.POSITION_Y,
    vizdoom.GameVariable.POSITION_Z,
)

_SAVED = Path("saved.zds")
"""A file in the engine's own folder. The engine adds the suffix."""
_RESPAWN_AFTER = 2 * TICS_PER_SECOND
_PATIENCE = 10 * TICS_PER_SECOND
"""Tics that may pass without a state before the engine is taken for broken."""


def _choose_reader() -> Callable[[Any], tuple[Any, ...]]:
    """What reads `_FIELDS` of an object, in that order.

    ViZDoom's own pickling gives them all in one call, five times as fast as one by one. Its order
    is no promise, so it is tried out on an object whose fields all differ.
    """
    one_by_one: Callable[[Any], tuple[Any, ...]] = operator.attrgetter(*_FIELDS)
    probe = vizdoom.Object.__new__(vizdoom.Object)
    try:
        probe.__setstate__((1, 2, *map(float, range(3, 12)), "name", "category"))
        state = probe.__getstate__()
        if state[: len(_FIELDS)] == one_by_one(probe) and len(set(state)) == len(state):
            return vizdoom.Object.__getstate__
    except (TypeError, ValueError, RuntimeError):
        pass
    return one_by_one


class DoomEngine:
    """One run of a scenario: the engine, its episodes, and the present tic as a message."""

    def __init__(self, scenario: Scenario, seed: int, skill: int) -> None:
        self._scenario = scenario
        self._seed = seed
        self._skill = skill
        self._read = _choose_reader()
        self._names: dict[str, int] = {}
        self._episode = 0
        self._self_id = -1
        self._dead_tics = 0
        self._over = ""
        """Why the episode has ended; its last tic is shown then, as the engine shows none."""
        self._game = self._start(sectors=False)
        self._begin_episode()

    def first(self) -> Tic:
        """The tic that the scenario begins with."""
        return self._report("")

    def step(self, action: list[float]) -> Tic:
        """One tic on; if that ended the episode, its last tic again, and then the next one's first.

        What would be pressed in the first tic of an episode is not.
        """
        if self._over:
            self._begin_anew()
            return self._settled()
        self._game.make_action(action)
        if not self._game.is_player_dead():
            self._dead_tics = 0
        elif not self._game.is_episode_finished():
            self._dead_tics += 1
            if self._dead_tics >= _RESPAWN_AFTER:
                self._game.respawn_player()
        return self._settled()

    def survey(self) -> MapLines:
        """The map's lines, read from a second engine that is started for it.

        An engine that reports its map does so in every state, at half the speed or less, and
        can't be stopped.
        """
        scout = self._start(sectors=True)
        try:
            state = scout.get_state()
            sectors = state.sectors if state is not None else []
            lines: dict[tuple[tuple[float, float], ...], list[float]] = {}
            blocking: dict[tuple[tuple[float, float], ...], bool] = {}
            # A line between two sectors is reported by both: it is kept once, at the lower floor.
            for sector in sectors:
                floor = sector.floor_height + 0.0  # no negative zero
                for line in sector.lines:
                    start, end = (line.x1, line.y1), (line.x2, line.y2)
                    key = tuple(sorted((start, end)))
                    known = lines.setdefault(key, [*start, floor, *end, floor])
                    known[2] = known[5] = min(known[2], floor)
                    blocking[key] = blocking.get(key, False) or line.is_blocking
        finally:
            scout.close()
        return MapLines(
            np.array(list(lines.values()), "<f4").tobytes(),
            np.array([blocking[key] for key in lines], bool).tobytes(),
        )

    def look(self) -> Screen:
        """The picture of the newest tic; an empty one if the episode is over."""
        state = self._game.get_state()
        if state is None or state.screen_buffer is None:
            return Screen(0, 0, b"")
        height, width, _ = state.screen_buffer.shape
        return Screen(width, height, np.ascontiguousarray(state.screen_buffer).tobytes())

    def save(self) -> Saved:
        """The game as it is now; nothing if it can't be saved. Two tics or three go by unseen."""
        if self._over:
            return Saved(b"")
        _SAVED.unlink(missing_ok=True)
        self._game.save(_SAVED.stem)
        return Saved(_SAVED.read_bytes() if _SAVED.exists() else b"")

    def load(self, data: bytes) -> Tic:
        """Go on from a saved game: another episode, since its objects get new ids.

        What the engine can't read it passes over, so the game goes on one tic as if nothing had
        been asked; the tic's `ended` is empty then.
        """
        if self._over:
            self._begin_anew()
        before = self._mark()
        _SAVED.write_bytes(data)
        self._game.load(_SAVED.stem)
        if self._mark() == (before[0] + 1, before[1]):
            return self._settled()
        self._episode += 1
        self._self_id = -1
        self._dead_tics = 0
        return self._settled(LOADED)

    def _mark(self) -> tuple[int, list[int]]:
        """What one tic of play does not change but for the number, and a load does."""
        state = self._game.get_state()
        return (-1, []) if state is None else (state.tic, [thing.id for thing in state.objects])

    def close(self) -> None:
        self._game.close()

    def _start(self, *, sectors: bool) -> Any:
        scenario = self._scenario
        package = Path(vizdoom.__file__).parent
        game = vizdoom.DoomGame()
        game.load_config(resolve(scenario.config, Path(vizdoom.scenarios_path)))
        game.set_doom_game_path(resolve(scenario.wad, package))
        game.set_doom_map(scenario.map)
        game.set_doom_skill(self._skill)
        game.set_seed(self._seed)
        game.set_mode(vizdoom.Mode.PLAYER)
        if scenario.episode_tics is not None:
            game.set_episode_timeout(scenario.episode_tics)
        game.set_window_visible(False)
        # What the engine takes to be seen depends on how it draws. Where that decides something it
        # draws as little as it can.
        looks = scenario.looks
        size = vizdoom.ScreenResolution
        game.set_screen_resolution(size.RES_160X120 if looks else size.RES_320X240)
        game.set_screen_format(vizdoom.ScreenFormat.RGB24)
        game.set_render_hud(False)
        game.set_render_weapon(not looks)
        game.set_render_decals(False)
        game.set_render_particles(False)
        game.set_render_messages(False)
        game.set_automap_buffer_enabled(False)
        game.set_audio_buffer_enabled(False)
        game.set_labels_buffer_enabled(scenario.looks)
        game.set_objects_info_enabled(True)
        game.set_sectors_info_enabled(sectors)
        game.set_available_buttons([getattr(vizdoom.Button, name) for name in scenario.buttons])
        game.set_available_game_variables(
            [getattr(vizdoom.GameVariable, name) for _, name in scenario.variables]
        )
        # Sound that is merely disabled is opened all the same, and aborts where there is none.
        game.add_game_args("-nosound")
        for argument in scenario.args:
            game.add_game_args(argument)
        if scenario.bots:
            game.add_game_args(f"+viz_bots_path {package / 'bots.cfg'}")
        game.init()
        return game

    def _begin_episode(self) -> None:
        self._episode += 1
        self._self_id = -1
        self._dead_tics = 0
        for _ in range(self._scenario.bots):
            self._game.send_game_command("addbot")

    def _begin_anew(self) -> None:
        self._over = ""
        self._game.new_episode()
        self._begin_episode()

    def _settled(self, ended: str = "") -> Tic:
        """Run on until there is a state; at the episode's end the last one, with the reason."""
        for _ in range(_PATIENCE):
            if self._game.is_episode_finished():
                if self._game.is_player_dead():
                    self._over = "the player died"
                elif self._game.is_episode_timeout_reached():
                    self._over = "its time was up"
                else:
                    self._over = "the map ended"
                return msgspec.structs.replace(
                    self._newest, ended=self._over, new_names=[], new_kinds=[]
                )
            if self._game.get_state() is not None:
                return self._report(ended)
            self._game.advance_action()
        raise RuntimeError(f"the engine gave no state for {_PATIENCE} tics")

    def _report(self, ended: str) -> Tic:
        state = self._game.get_state()
        columns = list(zip(*map(self._read, state.objects), strict=True)) or [()] * len(_FIELDS)
        own = self._find_self(columns)
        new_names: list[str] = []
        types = np.array([self._type_index(name, new_names) for name in columns[_NAME]], "<u4")
        kinds = dict(zip(columns[_NAME], columns[_KIND], strict=True)) if new_names else {}
        order = np.argsort(types, kind="stable")
        records = np.array(columns[_NUMBERS], "<f8").T[order]
        records[:, 3:6] *= math.pi / 180
        # The engine counts from 0, which is the world's id, and may begin again in each episode.
        first_id = ((self._episode - 1) << 32) + 1
        ids = np.array(columns[0], "<u8") + np.uint64(first_id)
        self._newest = Tic(
            tic=state.tic,
            episode=self._episode,
            ended=ended,
            self_id=own + first_id if own >= 0 else 0,
            ids=ids[order].tobytes(),
            types=types[order].tobytes(),
            records=np.ascontiguousarray(records).tobytes(),
            new_names=new_names,
            new_kinds=[kinds[name] for name in new_names],
            variables=[float(value) for value in state.game_variables],
            seen=self._seen(state, first_id),
        )
        return self._newest

    def _type_index(self, name: str, new_names: list[str]) -> int:
        index = self._names.get(name)
        if index is None:
            index = self._names[name] = len(self._names)
            new_names.append(name)
        return index

    def _seen(self, state: Any, first_id: int) -> bytes:
        if not self._scenario.looks:
            return b""
        ids = np.array([label.object_id for label in state.labels], "<u8")
        return (ids + np.uint64(first_id)).tobytes()

    def _find_self(self, columns: list[tuple[Any, ...]]) -> int:
        """The engine's id of the player's own object.

        The engine doesn't say, but gives the player's position to the last bit. A label would
        name the object as well, at a fifth of the speed's cost and not while the player is dead.
        """
        here = tuple(self._game.get_game_variable(axis) for axis in _HERE)
        dead = self._game.is_player_dead()
        best, best_rank = -1, (-1, False)
        ids, names, xs, ys, zs = columns[0], columns[_NAME], *columns[2:5]
        for at, x in enumerate(xs):
            if x == here[0] and (x, ys[at], zs[at]) == here and names[at].endswith("DoomPlayer"):
                id, name = ids[at], names[at]
                rank = (int(name.startswith("Dead") == dead), id == self._self_id)
                if rank > best_rank:
                    best, best_rank = id, rank
        if best >= 0 or self._self_id not in columns[0]:
            self._self_id = best
        return self._self_id


def serve(channel: Channel) -> bool:
    """Answer requests until one asks to close (True) or until the client is gone (False)."""
    engine: DoomEngine | None = None
    try:
        while True:
            request = channel.request()
            if request is None:
                return False
            if isinstance(request, Close):
                return True
            answer: Answer
            try:
                if isinstance(request, StartEngine):
                    engine = DoomEngine(request.scenario, request.seed, request.skill)
                    answer = engine.first()
                elif engine is None:
                    answer = Failed("no scenario was started")
                elif isinstance(request, StepEngine):
                    answer = engine.step(request.action)
                elif isinstance(request, Survey):
                    answer = engine.survey()
                elif isinstance(request, Look):
                    answer = engine.look()
                elif isinstance(request, Save):
                    answer = engine.save()
                elif isinstance(request, Load):
                    answer = engine.load(request.data)
            except Exception as error:
                answer = Failed(f"{type(error).__name__}: {error}")
            channel.send(answer)
            if isinstance(answer, Failed):
                return True
    except OSError:
        return False
    finally:
        if engine is not None:
            engine.close()


def main() -> None:
    """Arguments: the channel's file descriptor and the parent's process id."""
    descriptor, parent = sys.argv[1:]
    faulthandler.enable()
    # The engine must not inherit it: the parent would wait for an end that never comes.
    os.set_inheritable(int(descriptor), False)
    reaper = f"{__package__}.orphan_engine_reaper"
    guard = subprocess.Popen(
        [sys.executable, "-P", "-m", reaper, str(os.getpid()), parent],
        stdin=subprocess.DEVNULL,
    )
    # Without anybody to answer to, the guard is left to clear up after this process.
    if serve(Channel(socket.socket(fileno=int(descriptor)))):
        guard.kill()
        guard.wait()


if __name__ == "__main__":
    main()
