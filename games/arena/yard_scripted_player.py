"""A scripted player of the yard: wanders, throws stones at guards, runs and dodges from them."""

import math
import struct
from collections.abc import Sequence
from random import Random

from ...playback.pads.pad import NEUTRAL, Button, Pad
from .entity import STEP, distance, pack_points
from .guards.guard import Guard
from .guards.guard_fsm import State
from .level_physics_and_routes import PhysicsSpace
from .yaml_nodes import Point
from .yard_player import Player

DANGER = 4.0
"""Metres at which a guard that is after the player makes it run."""
PANIC = 1.7
SAFE = 8.0
THROWING = (3.0, 9.0)
LOOKING = 6
"""Steps between two looks around."""


class YardScriptedPlayer:
    """Presses what a careful but curious player would. Draws all chance from the yard's own."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._path: list[Point] = []
        self._rest = 1.0
        self._patience = 2.0
        self._running = False
        self._fleeing = False
        self._target = 0

    def pad(self, tick: int, player: Player, guards: Sequence[Guard], ground: PhysicsSpace) -> Pad:
        """What it holds down in this step."""
        if player.down:
            self._path, self._fleeing, self._target = [], False, 0
            return NEUTRAL
        self._rest = max(0.0, self._rest - STEP)
        self._patience = max(0.0, self._patience - STEP)
        if tick % LOOKING == 0:
            self._look(player, guards, ground)
        return self._press(player, guards)

    def pack(self) -> bytes:
        flags = struct.pack(
            "<2d2?q", self._rest, self._patience, self._running, self._fleeing, self._target
        )
        return flags + pack_points(self._path)

    def _look(self, player: Player, guards: Sequence[Guard], ground: PhysicsSpace) -> None:
        hunters = [guard for guard in guards if guard.state in (State.CHASE, State.ATTACK)]
        threat = min(hunters, key=lambda guard: distance(guard.at, player.at), default=None)
        away = distance(threat.at, player.at) if threat else math.inf
        if threat is not None and away < (SAFE if self._fleeing else DANGER):
            self._target = self._victim(player, hunters, ground)
            if not self._fleeing or not self._path:
                self._fleeing = self._running = True
                self._path = self._escape(player, threat, ground)
            return
        self._fleeing = False
        self._target = self._victim(player, guards, ground)
        if self._target == 0 and not self._path and self._rest <= 0.0:
            goal = self._rng.choice(ground.level.waypoints)
            self._path = ground.route(player.at, goal)
            self._running = self._rng.random() < 0.3

    def _escape(self, player: Player, threat: Guard, ground: PhysicsSpace) -> list[Point]:
        """The way to a point that is far from the threat, best out of its sight."""

        def worth(way: Point) -> float:
            towards = math.cos(
                math.atan2(way[1] - player.y, way[0] - player.x)
                - math.atan2(threat.y - player.y, threat.x - player.x)
            )
            cover = 0.0 if ground.clear(way, threat.at) else 6.0
            return cover + distance(way, threat.at) - 0.3 * distance(way, player.at) - 8.0 * towards

        candidates = sorted(ground.level.waypoints, key=worth, reverse=True)
        return ground.route(player.at, self._rng.choice(candidates[:2]))

    def _victim(self, player: Player, guards: Sequence[Guard], ground: PhysicsSpace) -> int:
        """The id of the guard to throw at, 0 for none. It takes heart now and then only."""
        if self._patience > 0.0:
            return 0
        near, far = THROWING
        for guard in sorted(guards, key=lambda guard: distance(guard.at, player.at)):
            away = distance(guard.at, player.at)
            if away > far:
                break
            fair = guard.state is not State.FLEE and away >= near
            if fair and ground.clear(player.at, guard.at, 0.1):
                return guard.id
        return 0

    def _press(self, player: Player, guards: Sequence[Guard]) -> Pad:
        held = 0
        aim = (0.0, 0.0)
        victim = next((guard for guard in guards if guard.id == self._target), None)
        if victim is not None:
            aim = _towards(player.at, victim.at)
            if player.angle_off_front(victim.at) < math.radians(6):
                held |= Button.A
                self._target = 0
                self._patience = self._rng.uniform(1.0, 3.0)
        while self._path and distance(player.at, self._path[0]) < 0.4:
            self._path.pop(0)
            if not self._path:
                self._rest = self._rng.uniform(0.3, 2.0)
        # It stands still to throw, but not with somebody after it.
        walks = bool(self._path) and (victim is None or self._fleeing)
        move = _towards(player.at, self._path[0]) if walks else (0.0, 0.0)
        if self._running and self._path:
            held |= Button.RB
        if self._fleeing and any(
            guard.state is State.ATTACK and distance(guard.at, player.at) < PANIC
            for guard in guards
        ):
            held |= Button.B
        return Pad(left=move, right=aim, held=int(held))


def _towards(start: Point, end: Point) -> Point:
    away = distance(start, end)
    if away < 1e-6:
        return 0.0, 0.0
    return (end[0] - start[0]) / away, (end[1] - start[1]) / away
