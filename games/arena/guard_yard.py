"""`arena:yard`: a player among guards, deterministic under its seed, stepped 60 times a second."""

import hashlib
import struct
from random import Random
from typing import Any

import numpy as np
import pymunk

from ...decision_rules import hooks_on
from ...errors import GameError
from ...playback.pads.pad import Pad, input_of
from ...recorder.statements.instrumentation_interface import NULL_INSTRUMENTATION, Instrumentation
from .animation.animation_tree import AnimationTreeWriter, Weights, walk_at
from .animation.walk_animation import HUMAN, gait, pose
from .entity import GUARD, STEP, STONE, WALL, Character, Entity, distance, pack_count
from .guards.guard import STRIKE_CONE, STRIKE_REACH, THINKING, Guard, Noise
from .guards.guard_fsm import FLAWED, MAKERS, SOUND, State
from .guards.guard_fsm_as_tree import GuardTreeWriter
from .guards.thrown_stone import DAMAGE, ThrownStone
from .level import Level, load_level
from .level_physics_and_routes import PhysicsSpace
from .player_camera import Camera, ViewModel
from .top_down_picture import WALL as WALLS
from .top_down_picture import GroundBlock, GroundPlan
from .yaml_nodes import Point
from .yard_debug_drawing import CHANNEL, cones_of, draw_ground, draw_guard, draw_player, watch_guard
from .yard_player import RUNNING, Player
from .yard_scripted_player import YardScriptedPlayer

SEED = 7
STRIKE_DAMAGE = 9.0
ASTRAY = 60
"""Steps that a guard may attack with the player not in front of it: one second."""
FLAWED_POST = 4
"""Which guard, counted from 0, is given the flawed logic when it is asked for."""

_STONE_STOPPERS = pymunk.ShapeFilter(mask=WALL | GUARD)


class Yard:
    """The game. `flaw` gives one guard a logic that makes a check fail after a while.

    Raises:
        GameError: the number of guards makes no sense, or the level can't be loaded.
    """

    def __init__(
        self,
        seed: int = SEED,
        guards: int = 6,
        flaw: bool = False,
        instruments: Instrumentation = NULL_INSTRUMENTATION,
        level: Level | None = None,
    ) -> None:
        if guards < 0 or (flaw and guards < 1):
            raise GameError(f"{guards} guards in the yard: ask for 0 or more, 1 or more for a flaw")
        self.level = level if level is not None else load_level()
        self.seed = seed
        self.tick = 0
        self.rng = Random(seed)
        self.ground = PhysicsSpace(self.level)
        self.plan = GroundPlan(
            self.level.size, tuple(GroundBlock(one.at, one.size, WALLS) for one in self.level.walls)
        )
        """The level as it is seen from above."""
        self.scripted_player = YardScriptedPlayer(self.rng)
        self.entities: dict[int, Entity] = {}
        self._ids = 0
        self.player = Player(self._new_id(), self.level.player, self.level.facing)
        self.camera = Camera(self._new_id(), self.player)
        self.view_model = ViewModel(self._new_id())
        self.guards = [
            self._guard(n, flaw and n == min(FLAWED_POST, guards - 1)) for n in range(guards)
        ]
        self._walkers: list[Character] = [self.player, *self.guards]
        self._stones: list[ThrownStone] = []
        self._noises: list[Noise] = []
        self._hits: list[tuple[int, int]] = []
        for entity in (self.player, self.camera, self.view_model, *self.guards):
            self.entities[entity.id] = entity
        for walker in self._walkers:
            self.ground.space.add(walker.body, walker.shape)
        self._owner: dict[pymunk.Shape, int] = {guard.shape: guard.id for guard in self.guards}
        self.ground.space.on_collision(STONE, None, begin=self._touch)
        self.instruments = instruments
        self._restart_traces()
        self._show()

    @property
    def time(self) -> float:
        """Game time in seconds: the steps done so far."""
        return self.tick * STEP

    def attach(self, instruments: Instrumentation) -> None:
        """Say everything to these from the next step on; names and present states at once."""
        self.instruments = instruments
        self._restart_traces()
        for entity in self.entities.values():
            instruments.name(entity.id, entity.name)
        for guard in self.guards:
            instruments.trace.state(guard.id, "guard", "", guard.state.value, won="attached")

    def _restart_traces(self) -> None:
        """Start all traces again: the instruments that get them are new."""
        self._walls_drawn = False
        self._animations = AnimationTreeWriter()
        self._guard_tree = GuardTreeWriter()

    def find(self, id: int) -> Entity | None:
        """The entity with this id, None if it is gone or never was."""
        return self.entities.get(id)

    def step(self, pad: Pad | None = None) -> None:
        """Advance 1/60 s. Without a pad the scripted person plays."""
        self.tick += 1
        now = self.time
        if pad is None:
            pad = self.scripted_player.pad(self.tick, self.player, self.guards, self.ground)
        if self.instruments is not NULL_INSTRUMENTATION:
            self.instruments.input("pad", input_of(pad), object=self.player.id)
        if self.player.control(pad):
            self._throw()
        if self.player.speed > 0.8 * RUNNING and self.tick % 6 == 0:
            self._noise(self.player.at, 0.45)
        for guard in self.guards:
            if guard.orders is not None:
                if guard.thinks(self.tick):
                    guard.perceive(now, self.player, self.ground, self._noises)
            elif guard.thinks(self.tick):
                hooks = hooks_on(self.instruments, guard.id, "guard")
                decision = guard.think(now, self.player, self.ground, self._noises, hooks)
                if self.instruments is not NULL_INSTRUMENTATION:
                    facts = guard.facts(now, self.player.down)
                    beliefs = guard.beliefs(self.player.id)
                    self._guard_tree.write(self.instruments, guard, facts, beliefs)
                    self.instruments.trace.decision(
                        guard.id, "guard", {**facts._asdict(), "state": guard.state.value},
                        "" if decision is None else decision.target.value,
                        won="" if decision is None else decision.won,
                        maker=MAKERS.get(id(guard.table)),
                    )  # fmt: skip
                if decision is not None:
                    decision.trace(
                        self.instruments, guard.id, "guard", guard.state.value,
                        decision.target.value, values=decision.facts.values(),
                        beliefs=guard.beliefs(self.player.id),
                    )  # fmt: skip
                guard.apply(decision, now, self.ground, self.rng)
            if guard.act(now):
                self._strike(guard)
        self.ground.space.step(STEP)
        self._hold_inside()
        for walker in self._walkers:
            walker.pull()
        self._stones_fly()
        self._noises = [noise for noise in self._noises if self.tick - noise.tick < THINKING]
        self._watch_attacks()
        self.camera.follow(self.player)
        self._show()
        self._report()

    def state_hash(self) -> str:
        """A hash of the simulated state and of every view, equal in every process."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(struct.pack("<2q", self.tick, self._ids))
        digest.update(repr(self.rng.getstate()).encode())
        digest.update(self.scripted_player.pack())
        for noise in self._noises:
            digest.update(struct.pack("<q3d", noise.tick, *noise.at, noise.loudness))
        digest.update(pack_count(len(self.entities)))
        for entity in self.entities.values():
            digest.update(entity.pack())
            digest.update(entity.view.pack())
        return digest.hexdigest()

    def _new_id(self) -> int:
        self._ids += 1
        return self._ids

    def _guard(self, number: int, flawed: bool) -> Guard:
        posts = self.level.guards
        # More guards than posts: those who share a route set out from different ends of it.
        return Guard(
            self._new_id(),
            posts[number % len(posts)],
            number // len(posts),
            FLAWED if flawed else SOUND,
        )

    def _noise(self, at: Point, loudness: float) -> None:
        self._noises.append(Noise(self.tick, at, loudness))

    def _throw(self) -> None:
        player = self.player
        dx, dy = np.cos(player.facing).item(), np.sin(player.facing).item()
        start = (player.x + 0.5 * dx, player.y + 0.5 * dy)
        # A hand pushed into a wall or a guard lets go of nothing.
        if self.ground.space.segment_query_first(player.at, start, 0.06, _STONE_STOPPERS):
            return
        stone = ThrownStone(self._new_id(), player.id, start, player.facing)
        self.ground.space.add(stone.body, stone.shape)
        self.entities[stone.id] = stone
        self._stones.append(stone)
        self._owner[stone.shape] = stone.id

    def _touch(self, arbiter: pymunk.Arbiter, _space: pymunk.Space, _data: Any) -> None:
        a, b = (self._owner.get(shape) for shape in arbiter.shapes)
        if a is not None and b is not None:
            # Guards are there from the start, so a stone's id is the higher one.
            self._hits.append((max(a, b), min(a, b)))

    def _strike(self, guard: Guard) -> None:
        player = self.player
        near = distance(guard.at, player.at) <= STRIKE_REACH
        if not near or guard.angle_off_front(player.at) > STRIKE_CONE or player.state == "dodge":
            return
        if not player.down:
            self.instruments.log(
                f"{guard.name} hits the player for {STRIKE_DAMAGE:g}",
                object=player.id,
                channel=CHANNEL,
            )
        if player.suffer(STRIKE_DAMAGE):
            self.instruments.mark("player down", f"by {guard.name}", object=player.id)

    def _stones_fly(self) -> None:
        # The order in which the engine finds contacts is no law; that of the ids is.
        for stone_id, guard_id in sorted(self._hits):
            stone, guard = self.entities[stone_id], self.entities[guard_id]
            if isinstance(stone, ThrownStone) and isinstance(guard, Guard) and not stone.spent:
                stone.spent = True
                guard.hp = max(0.0, guard.hp - DAMAGE)
                self._noise(self.player.at, 1.0)
                self.instruments.log(
                    f"{stone.name} hits {guard.name} for {DAMAGE:g}",
                    object=guard.id,
                    channel=CHANNEL,
                )
        self._hits.clear()
        for stone in self._stones:
            if stone.fly():
                self._noise((stone.x, stone.y), 0.9)
            if stone.gone:
                self.ground.space.remove(stone.body, stone.shape)
                del self.entities[stone.id], self._owner[stone.shape]
        self._stones = [stone for stone in self._stones if not stone.gone]

    def _watch_attacks(self) -> None:
        for guard in self.guards:
            wrong = guard.state is State.ATTACK and (
                distance(guard.at, self.player.at) > 2 * STRIKE_REACH
                or guard.angle_off_front(self.player.at) > STRIKE_CONE
            )
            guard.astray = guard.astray + 1 if wrong else 0

    def _show(self) -> None:
        """Write every view."""
        walkers = self._walkers
        phase = np.array([walker.phase for walker in walkers])
        speed = np.array([walker.speed for walker in walkers])
        lift = np.array([walker.lift for walker in walkers])
        slump = np.zeros(len(walkers))
        slump[0] = 1.0 if self.player.down else 0.0
        walk = walk_at(speed)
        self._posed = (*walk, slump)
        matrices = pose(HUMAN, gait(phase, walk, lift, slump))
        for index, walker in enumerate(walkers):
            view = walker.view
            view.position = (walker.x, walker.y, 0.0)
            view.angles = (0.0, 0.0, walker.facing)
            view.hp = walker.hp
            view.joints = matrices[index, : walker.joints]
        self.player.view.state = self.player.state
        for guard in self.guards:
            guard.view.state = guard.state.value
        for stone in self._stones:
            stone.view.position = (stone.x, stone.y, stone.z)
            stone.view.state = "landed" if stone.landed else "flying"
        self.camera.show(self.player)
        self.view_model.show(self.player)

    def _report(self) -> None:
        """Draw, watch and check; reads only, so that it may as well be left out."""
        instruments = self.instruments
        if instruments is NULL_INSTRUMENTATION:
            return
        draw, player, now = instruments.draw, self.player, self.time
        if not self._walls_drawn:
            self._walls_drawn = True
            draw_ground(draw, self.ground)
        draw_player(draw, player)
        instruments.watch("speed", player.speed, object=player.id)
        instruments.watch("health", player.hp, object=player.id)
        weights = zip(*(column.tolist() for column in self._posed), strict=True)
        for walker, posed in zip(self._walkers, weights, strict=True):
            self._animations.write(instruments, walker, Weights(*posed))
        for guard, cone in zip(self.guards, cones_of(self.guards), strict=True):
            draw_guard(draw, guard, player, cone)
            watch_guard(instruments, guard, now)
            if guard.state is State.ATTACK:
                instruments.check(
                    guard.astray < ASTRAY, "an attacking guard faces its target", focus=guard.id
                )
        self._check_bounds()

    def _hold_inside(self) -> None:
        """A player that dodges into the fence moves into it faster than it is pushed back."""
        width, depth = self.level.size[0] / 2, self.level.size[1] / 2
        for walker in self._walkers:
            x, y = walker.body.position
            if abs(x) > width or abs(y) > depth:
                walker.body.position = min(max(x, -width), width), min(max(y, -depth), depth)

    def _check_bounds(self) -> None:
        width, depth = self.level.size[0] / 2, self.level.size[1] / 2
        # Asked this way around, a position that is no number is outside too.
        lost = [w.id for w in self._walkers if not (abs(w.x) <= width and abs(w.y) <= depth)]
        self.instruments.check(
            not lost, "everybody stays within the fence", focus=lost[0] if lost else 0
        )
