"""The past shown in a program's own objects, and the present given back to the last bit."""

import enum
import logging
from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from playhead.playback.commands import Enter, SeekFrame, Step
from playhead.recording_session import record

DT = 1 / 64


class Mood(enum.Enum):
    CALM = 1
    ANGRY = 2


class Vector:
    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y


@dataclass
class Guard:
    x: float = 0.0
    hp: int = 100
    mood: Mood = Mood.CALM
    note: str = "fine"
    vel: list[float] = field(default_factory=lambda: [0.0, 0.0])
    at: Any = field(default_factory=lambda: np.zeros(3))
    pos: Vector = field(default_factory=lambda: Vector(0.0, 0.0))
    goal: tuple[int, int] | None = None

    def step(self, n: int) -> None:
        self.x += 0.1
        self.hp -= 1
        self.mood = Mood.ANGRY if n > 5 else Mood.CALM
        self.note = f"step {n}"
        self.vel[0] = float(n)
        self.at[1] = n / 3
        self.pos.x = n / 7
        self.goal = (n, n) if n % 2 else None


def run(things: Any, steps: int = 10, **options: Any):
    rec = record(things, dt=DT, strict=True, **options)
    for n in range(1, steps + 1):
        with rec.frame():
            for thing in things:
                thing.step(n)
    return rec


def test_each_field_is_shown_as_it_was_and_given_back():
    guard = Guard()
    with run([guard]) as rec:
        before = repr(guard), repr(vars(guard.pos))
        rec.apply(Enter(), now=True)
        rec.apply(SeekFrame(3))
        assert (guard.hp, guard.mood, guard.note) == (97, Mood.CALM, "step 3")
        assert guard.vel == [3.0, 0.0]
        assert guard.at.tolist() == [0.0, 1.0, 0.0]
        assert guard.pos.x == 3 / 7
        assert guard.goal == (3, 3)
        rec.apply(Step(1))
        assert guard.goal is None
        rec.leave()
        assert (repr(guard), repr(vars(guard.pos))) == before


def test_containers_are_changed_in_place_so_that_other_names_for_them_hold():
    guard = Guard()
    velocity, at, pos = guard.vel, guard.at, guard.pos
    whole = np.zeros((2, 3))
    guard.at = whole[0]
    with run([guard]) as rec:
        rec.apply(Enter(), now=True)
        rec.apply(SeekFrame(2))
        assert guard.vel is velocity
        assert velocity == [2.0, 0.0]
        assert guard.pos is pos
        assert whole[0, 1] == 2 / 3, "a view of a larger array is still one"
        rec.leave()
        assert guard.vel is velocity
        assert velocity == [10.0, 0.0]
        assert whole[0, 1] == 10 / 3
        assert at is not guard.at


def test_an_array_that_is_read_only_is_replaced_and_comes_back():
    guard = Guard()
    with run([guard]) as rec:
        guard.at.flags.writeable = False
        mine = guard.at
        rec.update()
        rec.apply(Enter(), now=True)
        rec.apply(SeekFrame(3))
        assert guard.at.tolist() == [0.0, 1.0, 0.0]
        rec.leave()
        assert guard.at is mine


def test_what_was_not_recorded_is_as_it_was_all_the_same():
    class Thing:
        def __init__(self) -> None:
            self.x, self.note, self.items = 0.0, "a" * 5000, list("abc")
            self.shared = self.items

        def step(self, n: int) -> None:
            self.x = float(n)

    thing = Thing()
    rec = record([thing], dt=DT, strict=False)
    for n in range(1, 4):
        thing.step(n)
        rec.update()
    rec.apply(Enter(), now=True)
    rec.apply(SeekFrame(1))
    assert 1 in rec.restorer.stand_ins, "its text is cut in the recording: it keeps its own"
    rec.leave()
    assert (thing.x, len(thing.note), thing.items) == (3.0, 5000, ["a", "b", "c"])
    assert thing.shared is thing.items
    rec.close()


Frozen = namedtuple("Frozen", "x y")


@dataclass(frozen=True)
class Stone:
    x: float = 1.0
    y: float = 2.0


class OnlyRead:
    @property
    def position(self) -> tuple[float, float]:
        return (1.0, 2.0)


@pytest.mark.parametrize("thing", [Frozen(1.0, 2.0), Stone(), OnlyRead()])
def test_what_can_not_be_set_is_shown_by_a_stand_in_and_that_is_reported_once(thing, caplog):
    caplog.set_level(logging.INFO, "playhead")
    with record([thing], dt=DT, strict=True) as rec:
        rec.update()
        rec.update()
        rec.apply(Enter(), now=True)
        rec.apply(SeekFrame(1))
        [stand_in] = rec.restorer.stand_ins.values()
        assert stand_in.position == (1.0, 2.0, 0.0)
        assert len([line for line in caplog.messages if "can be set" in line]) == 1
        rec.leave()
        assert rec.restorer.stand_ins == {}


def test_restore_can_be_switched_off():
    guard = Guard()
    with run([guard], restore=False) as rec:
        rec.apply(Enter(), now=True)
        rec.apply(SeekFrame(2))
        assert guard.hp == 90
        assert set(rec.restorer.stand_ins) == {1}
        rec.leave()


def test_whole_numbers_are_shown_as_such_where_the_object_has_one():
    """A picture's number is an index: a drawing program could not use 3.0."""

    class Sprite:
        def __init__(self) -> None:
            self.picture, self.x = 0, 0

        def step(self, n: int) -> None:
            self.picture = n if n != 5 else n + 0.5
            self.x = n / 2

    sprite = Sprite()
    with run([sprite]) as rec:
        rec.apply(Enter(), now=True)
        rec.apply(SeekFrame(8))
        assert (sprite.picture, type(sprite.picture), sprite.x) == (8, int, 4.0)
        rec.apply(SeekFrame(5))
        assert sprite.picture == 5.5
        rec.apply(SeekFrame(1))
        assert type(sprite.picture) is int, "recorded in an older layout"
        rec.leave()
        assert (sprite.picture, sprite.x) == (10, 5.0)


def test_who_did_not_exist_yet_is_hidden_if_it_can_be():
    class Sprite:
        def __init__(self) -> None:
            self.x, self.visible = 0.0, True

    sprites = [Sprite()]
    with record(sprites, dt=DT, strict=True) as rec:
        rec.update()
        sprites.append(Sprite())
        rec.update()
        rec.apply(Enter(), now=True)
        rec.apply(SeekFrame(1))
        assert [sprite.visible for sprite in sprites] == [True, False]
        assert rec.restorer.hidden == {2}
        rec.apply(SeekFrame(2))
        assert sprites[1].visible
        rec.leave()
        assert [sprite.visible for sprite in sprites] == [True, True]


def test_an_attribute_that_came_later_is_not_there_afterwards_either():
    class Thing:
        def __init__(self) -> None:
            self.x, self.ammo = 1.0, 3

    thing = Thing()
    with record([thing], dt=DT, strict=True) as rec:
        rec.update()
        del thing.ammo
        rec.update()
        rec.apply(Enter(), now=True)
        rec.apply(SeekFrame(1))
        assert thing.ammo == 3
        rec.leave()
        assert vars(thing) == {"x": 1.0}


def test_a_setter_that_refuses_costs_a_stand_in_and_nothing_else():
    class Picky:
        def __init__(self) -> None:
            self._hp = 3

        @property
        def x(self) -> int:
            return self._hp

        @x.setter
        def x(self, value: int) -> None:
            if value > 3:
                raise ValueError("too much")
            self._hp = value

    thing = Picky()
    rec = record([thing], dt=DT, strict=False)
    rec.update()
    thing._hp = 9
    rec.update()
    thing._hp = 2
    rec.update()
    rec.apply(Enter(), now=True)
    rec.apply(SeekFrame(2))
    assert set(rec.restorer.stand_ins) == {1}
    rec.apply(SeekFrame(1))
    assert thing.x == 3
    rec.leave()
    assert thing.x == 2
    rec.close()


def test_what_a_setter_does_beside_is_undone_as_well():
    class Lamp:
        def __init__(self) -> None:
            self.x, self.y, self._angle = 0.0, 0.0, 0

        @property
        def position(self) -> tuple[float, float]:
            return self.x, self.y

        @position.setter
        def position(self, value: tuple[float, float]) -> None:
            self.x, self.y = value[0] * 2, value[1] * 2

        @property
        def angle(self) -> int:
            return self._angle

        @angle.setter
        def angle(self, value: int) -> None:
            self._angle = min(value, 1)
            self.turned = True

    lamp = Lamp()
    with record([lamp], dt=1 / 64) as rec:
        for number in range(4):
            with rec.frame():
                lamp.x, lamp._angle = float(number), number
        rec.apply(Enter(), now=True)
        rec.apply(Step(-2))
        rec.leave()
    assert vars(lamp) == {"x": 3.0, "y": 0.0, "_angle": 3}


def test_a_part_that_was_not_there_is_shown_as_missing_and_comes_back():
    class Spot:
        def __init__(self, x: float) -> None:
            self.x, self.y = x, 0.0

    class Lamp:
        spot: Spot | None = None

    lamp = Lamp()
    with record([lamp], dt=1 / 64, strict=False) as rec:
        for number in range(4):
            with rec.frame():
                lamp.spot = Spot(number) if number % 2 else None
        spot = lamp.spot
        rec.apply(Enter(), now=True)
        rec.apply(Step(-1))
        assert lamp.spot is None
        assert not rec.restorer.faults
        rec.apply(Step(-1))
        rec.leave()
    assert lamp.spot is spot
    assert vars(lamp.spot) == {"x": 3.0, "y": 0.0}
