"""A small game in pure Python to replay demos in, a person who plays it, and late observations."""

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import yaml

from playhead.agents.demo_reader import read_demo
from playhead.agents.playthrough.playthrough_agent import PlaythroughAgent
from playhead.agents.playthrough.playthrough_settings import AgentSettings, parse_settings
from playhead.agents.recorded_demo import Demo, DemoWriter
from playhead.games.playable_interface import Observation, ObservedEntity, OutcomeRule
from playhead.playback.pads.pad import NEUTRAL, Button, Pad

DT = 1 / 30
SPEED = 4.0
TRIGGER = 1 << 30
JUMP, GRAVITY = 5.0, 12.0
"""A jump lasts 25 frames and leads 3.3 m far."""
WIDTH = 0.3
REACH = 1.2
BLOW = 1.5
COLUMNS = {"screen": str, "aiming": bool, "speaker": str}

SETTINGS = """
keys: {attack: X, confirm: A, skip: A, cancel: B}
pad_replay:
  correction: 1.0
  starts:
    - {name: jump, pressed: [B], column: in_air, becomes: true}
    - {name: aim, pressed: [LT]}
  verify: [aiming]
"""
PLAYER = 7


class Enemy:
    def __init__(
        self, at: tuple[float, float], label: str = "imp", hp: float = 2.0, speed: float = 1.0
    ) -> None:
        self.x, self.y = at
        self.speed = speed
        self.home = at
        self.label, self.hp = label, hp
        self.towards = 0.0
        self.rest = 0


class Person:
    """Somebody to talk to."""

    def __init__(
        self, at: tuple[float, float], event: str, *, pages: int = 3, choice: str = "",
        shop: bool = False, gives: str = "", name: str = "",
    ) -> None:  # fmt: skip
        self.x, self.y = at
        self.name = name
        self.event, self.pages, self.choice = event, pages, choice
        self.shop, self.gives = shop, gives


class Area:
    """One level. Boxes are (left, bottom, right, top)."""

    def __init__(
        self, name: str, *, walls: Sequence[tuple[float, ...]] = (),
        pits: Sequence[tuple[float, ...]] = (), people: Sequence[Person] = (),
        items: Sequence[tuple[str, float, float]] = (), enemies: Sequence[Enemy] = (),
        bosses: Sequence[Enemy] = (), triggers: Sequence[tuple[str, tuple[float, ...]]] = (),
        doors: Sequence[tuple[tuple[float, ...], str, tuple[float, float], str]] = (),
        arena: tuple[float, ...] | None = None, goal: tuple[float, ...] | None = None,
        locks: Sequence[tuple[str, tuple[float, ...]]] = (),
    ) -> None:  # fmt: skip
        self.name = name
        self.walls, self.pits, self.people = list(walls), list(pits), list(people)
        self.items, self.enemies, self.bosses = list(items), list(enemies), list(bosses)
        self.triggers, self.doors, self.arena, self.goal = list(triggers), doors, arena, goal
        self.locks = list(locks)
        """Walls that are gone once a flag is set."""


class Field:
    """The game: kinematic, 30 steps a second; everything by chance comes from its seed."""

    columns: Mapping[str, type] = COLUMNS

    def __init__(
        self, areas: Sequence[Area], *, at: tuple[float, float] = (0.0, 0.0), seed: int = 0,
        popups: int = 0,
    ) -> None:  # fmt: skip
        self.areas = {area.name: area for area in areas}
        self.area = areas[0]
        self.rng = Random(seed)
        self.x, self.y = at
        self.z = self.vz = 0.0
        self.start = at
        self.facing = 0.0
        self.jumps = 2
        self.safe = at
        self.flags: set[str] = set()
        self.event, self.page, self.cursor = "", 0, 0
        self.talker: Person | None = None
        self.screen = ""
        self.aiming = False
        self.refuses_aim = 0
        self.dead = self.finished = False
        self.done: list[str] = []
        """The events that were played."""
        self.before = 0
        self.ticks = 0
        self.popups = popups
        """A pop-up each so many ticks; 0 for none."""
        self.falls = self.hits = 0

    # --- what the game does ---------------------------------------------------------------------

    def step(self, pad: Pad) -> None:
        down = pad.held | (TRIGGER if pad.left_trigger > 0.5 else 0)
        pressed = down & ~self.before
        self.before = down
        self.ticks += 1
        if self.popups and self.ticks % self.popups == 0 and not (self.screen or self.event):
            self.screen = "popup"
        if self.screen:
            self._screen(pressed)
        elif self.event:
            self._talk(pressed)
        else:
            self._move(pad, pressed)
            self._world()

    def _screen(self, pressed: int) -> None:
        if self.screen == "popup":
            if pressed & Button.A:
                self.screen = ""
        elif pressed & Button.DOWN:
            self.cursor += 1
        elif pressed & Button.A:
            self.flags.add(f"bought {self.cursor}")
        elif pressed & Button.B:
            self.screen = ""

    def _talk(self, pressed: int) -> None:
        talker = self.talker
        if pressed & Button.DOWN and talker and talker.choice:
            self.cursor += 1
        if not pressed & Button.A:
            return
        self.page += 1
        if self.page < (talker.pages if talker else 2):
            return
        self.done.append(self.event)
        self.event = ""
        if talker is None:
            return
        if not talker.choice or self.cursor == 1:
            self.flags.add(talker.choice or talker.gives)
        if talker.shop:
            self.screen, self.cursor = "shop", 0

    def _begin(self, event: str, talker: Person | None = None) -> None:
        self.event, self.page, self.cursor, self.talker = event, 0, 0, talker

    def _move(self, pad: Pad, pressed: int) -> None:
        dx, dy = pad.left
        if math.hypot(dx, dy) > 0.15:  # the stick's dead zone
            self.facing = math.atan2(dy, dx)
            self._shift(dx * SPEED * DT, dy * SPEED * DT)
        if pressed & TRIGGER:
            if self.refuses_aim:
                self.refuses_aim -= 1
            else:
                self.aiming = not self.aiming
        if pressed & Button.B and self.jumps:
            self.vz, self.jumps = JUMP, self.jumps - 1
        if self.z > 0 or self.vz > 0:
            self.vz -= GRAVITY * DT
            self.z = max(0.0, self.z + self.vz * DT)
        if self.z == 0.0:
            self.vz, self.jumps = 0.0, 2
            if any(_holds(pit, self.x, self.y) for pit in self.area.pits):
                self.x, self.y = self.safe
                self.falls += 1
            elif not any(_holds(pit, self.x, self.y, 0.5) for pit in self.area.pits):
                self.safe = self.x, self.y
        if pressed & Button.A:
            for person in self.area.people:
                if self._facing(person.x, person.y, REACH, 0.9):
                    self._begin(person.event, person)
                    return
        if pressed & Button.X:
            for enemy in (*self.area.enemies, *self.area.bosses):
                if self._facing(enemy.x, enemy.y, BLOW, 0.9):
                    enemy.hp -= 1
                    away = math.atan2(enemy.y - self.y, enemy.x - self.x)
                    enemy.x += 0.8 * math.cos(away)
                    enemy.y += 0.8 * math.sin(away)
                    break

    def _facing(self, x: float, y: float, reach: float, cone: float) -> bool:
        off = math.atan2(y - self.y, x - self.x) - self.facing
        return math.hypot(x - self.x, y - self.y) <= reach and (
            abs((off + math.pi) % (2 * math.pi) - math.pi) <= cone
        )

    def _world(self) -> None:
        area = self.area
        area.items[:] = [
            item for item in area.items if math.hypot(item[1] - self.x, item[2] - self.y) > 0.5
        ]
        area.enemies[:] = [enemy for enemy in area.enemies if enemy.hp > 0]
        had = bool(area.bosses)
        area.bosses[:] = [enemy for enemy in area.bosses if enemy.hp > 0]
        if had and not area.bosses:
            self.flags.add("boss beaten")
        for enemy in area.enemies:
            self._wander(enemy)
        for event, box in area.triggers:
            if event not in self.done and _holds(box, self.x, self.y):
                self._begin(event)
                return
        for box, to, arrive, needs in area.doors:
            if _holds(box, self.x, self.y) and (not needs or needs in self.flags):
                self.area = self.areas[to]
                self.x, self.y = self.safe = arrive
                return
        if area.goal is not None and _holds(area.goal, self.x, self.y):
            self.finished = True

    def _wander(self, enemy: Enemy) -> None:
        if self.rng.random() < 0.05:
            self.rng_turn(enemy)
        enemy.x += enemy.speed * DT * math.cos(enemy.towards)
        enemy.y += enemy.speed * DT * math.sin(enemy.towards)
        enemy.rest = max(0, enemy.rest - 1)
        away = math.hypot(enemy.x - self.x, enemy.y - self.y)
        if away < 0.9 and not enemy.rest:
            enemy.rest = 40
            self.hits += 1
            angle = math.atan2(self.y - enemy.y, self.x - enemy.x) + self.rng.uniform(-0.6, 0.6)
            for _ in range(6):
                self._shift(0.2 * math.cos(angle), 0.2 * math.sin(angle))

    def rng_turn(self, enemy: Enemy) -> None:
        home = math.atan2(enemy.home[1] - enemy.y, enemy.home[0] - enemy.x)
        far = math.hypot(enemy.x - enemy.home[0], enemy.y - enemy.home[1]) > 3
        enemy.towards = home if far else self.rng.uniform(-math.pi, math.pi)

    def _shift(self, dx: float, dy: float) -> None:
        if not self._blocked(self.x + dx, self.y):
            self.x += dx
        if not self._blocked(self.x, self.y + dy):
            self.y += dy

    def _blocked(self, x: float, y: float) -> bool:
        locked = (box for flag, box in self.area.locks if flag not in self.flags)
        return any(_holds(wall, x, y, WIDTH) for wall in (*self.area.walls, *locked))

    # --- what it tells --------------------------------------------------------------------------

    def observe(self) -> Observation:
        area = self.area
        in_arena = area.arena is not None and _holds(area.arena, self.x, self.y)
        return Observation(
            (self.x, self.y, self.z),
            self.facing,
            (0.0, 0.0),
            message=bool(self.event),
            in_air=self.z > 0,
            can_jump=self.jumps > 0,
            level=area.name,
            event=self.event,
            screen=self.screen,
            field="arena" if in_arena else "",
            dead=self.dead,
            finished=self.finished,
            enemies=tuple(
                ObservedEntity(one.label, (one.x, one.y, 0.0), one.hp) for one in area.enemies
            ),
            bosses=tuple(
                ObservedEntity(one.label, (one.x, one.y, 0.0), one.hp) for one in area.bosses
            ),
            items=tuple(ObservedEntity(label, (x, y, 0.0)) for label, x, y in area.items),
            people=tuple(
                ObservedEntity(one.name, (one.x, one.y, 0.0)) for one in area.people if one.name
            ),
            extras={
                "screen": self.screen,
                "aiming": self.aiming,
                "speaker": self.talker.name if self.event and self.talker else "",
            },
        )


def _holds(box: Sequence[float], x: float, y: float, margin: float = 0.0) -> bool:
    left, bottom, right, top = box
    return left - margin < x < right + margin and bottom - margin < y < top + margin


# --- the person -----------------------------------------------------------------------------------

Deed = tuple[Any, ...]


def play(field: Field, deeds: Sequence[Deed]) -> Iterator[Pad]:
    """The pads of somebody who does all this: go, jump, press, wait, talk, fight."""
    for deed, *rest in deeds:
        if deed == "go":
            yield from _go(field, *rest)
        elif deed == "jump":
            yield from _go(field, *rest, jumps=(0,))
        elif deed == "double":
            yield from _go(field, *rest, jumps=(0, 14))
        elif deed == "press":
            for button in rest:
                yield Pad(held=int(button))
                yield from [NEUTRAL] * 6
        elif deed == "aim":
            yield from [Pad(left_trigger=0.9)] * 3
            yield from [NEUTRAL] * 6
        elif deed == "wait":
            yield from [NEUTRAL] * rest[0]
        elif deed == "talk":
            yield from _talk(field, *rest)
        elif deed == "fight":
            for _ in range(900):
                if not field.area.bosses:
                    break
                boss = field.area.bosses[0]
                away = math.hypot(boss.x - field.x, boss.y - field.y)
                angle = math.atan2(boss.y - field.y, boss.x - field.x)
                push = 1.0 if away > 1.2 else 0.2
                stick = push * math.cos(angle), push * math.sin(angle)
                yield Pad(stick, held=int(Button.X) if field.ticks % 6 == 0 else 0)
        else:
            raise AssertionError(deed)


def _go(
    field: Field, x: float, y: float, jumps: Sequence[int] = (), run: float = 1.0
) -> Iterator[Pad]:
    area = field.area
    for at in range(900):
        away = math.hypot(x - field.x, y - field.y)
        there = away < 0.15 and field.z == 0.0
        if there or field.finished or field.area is not area:
            return
        push = run * min(1.0, max(0.3, away)) / max(away, 1e-9)
        held = int(Button.B) if at in jumps else 0
        yield Pad(((x - field.x) * push, (y - field.y) * push), held=held)
        if field.event:
            return
    raise AssertionError(f"the person does not get to {x}, {y}, but stands at {field.x}, {field.y}")


def _talk(field: Field, *presses: Button) -> Iterator[Pad]:
    """Press A until the event is on; then these, or A until it is over."""
    person = min(field.area.people, key=lambda one: math.hypot(one.x - field.x, one.y - field.y))
    angle = math.atan2(person.y - field.y, person.x - field.x)
    yield Pad((0.2 * math.cos(angle), 0.2 * math.sin(angle)))
    yield from [NEUTRAL] * 5
    yield Pad(held=int(Button.A))
    assert field.event, f"{person.event} is too far away"
    yield from play(field, [("wait", 10)])
    for button in presses:
        yield from play(field, [("press", button)])
    while field.event:
        yield Pad(held=int(Button.A))
        yield from [NEUTRAL] * 9


def record(
    field: Field,
    deeds: Sequence[Deed],
    path: Path,
    outcomes: Mapping[str, OutcomeRule] | None = None,
) -> Demo:
    """A demo of somebody who plays this, through its file."""
    with DemoWriter(path, DT, columns=field.columns) as writer:
        for pad in play(field, deeds):
            field.step(pad)
            writer.step(pad, field.observe())
    return read_demo(path, columns=field.columns, outcomes=outcomes)


# --- the replay -----------------------------------------------------------------------------------


def settings_of(text: str = "") -> AgentSettings:
    """The field's settings, and what this YAML says otherwise."""
    result: dict[str, Any] = yaml.safe_load(SETTINGS)
    for name, values in (yaml.safe_load(text) or {}).items():
        if isinstance(values, dict):
            result[name] = {**result.get(name, {}), **values}
        else:
            result[name] = values
    return parse_settings(yaml.safe_dump(result))


def replay(
    field: Field, demo: Demo, settings: AgentSettings | None = None, *,
    age: Callable[[], int] = lambda: 0, frames: int = 20_000,
    on_frame: Callable[[PlaythroughAgent, Field], None] | None = None, **rest: Any,
) -> PlaythroughAgent:  # fmt: skip
    """Let the agent play until it is done. `age` says how old each observation is, in frames."""
    agent = PlaythroughAgent(demo, settings or settings_of(), agent=PLAYER, **rest)
    seen = deque([field.observe()], maxlen=8)
    for _ in range(frames):
        pad = agent.step(seen[max(-len(seen), -1 - age())])
        if agent.done:
            return agent
        field.step(pad)
        seen.append(field.observe())
        if on_frame is not None:
            on_frame(agent, field)
    raise AssertionError(f"the agent is not done: row {agent.row} in {agent.step_state}")
