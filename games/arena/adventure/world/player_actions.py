"""What the player does to what is around it: talks, uses, strikes, shoots, the special move."""

import math
from collections.abc import Sequence
from typing import TypeVar

from ...entity import distance
from ..adventure_state import AdventureState
from .enemy import Enemy
from .player import PlayerAction
from .props import Device, Prop

REACH = 1.8
"""Metres at which people are talked to and things are used."""
CONE = math.radians(45)
"""How far off the player's front they may be."""
TALL = 1.2
"""Metres that whatever is meant may be above or below the player's feet."""
STRIKE_REACH, STRIKE_CONE, STRIKE = 1.7, math.radians(60), 30.0
SHOT_REACH, SHOT_CONE, SHOT = 14.0, math.radians(8), 15.0
HAND = 1.4
"""Metres above the feet that a shot leaves the hand."""
WAVE_REACH, WAVE = 3.0, 45.0
"""The special move's, metres and damage."""
_Any = TypeVar("_Any", bound=Prop)

KNOCK, KNOCK_BOSS = 6.0, 2.0
"""Metres a second that enemies are knocked back by."""


def do(quest: AdventureState, deed: PlayerAction) -> None:
    """What the player does beside moving."""
    hero, place = quest.hero, quest.place
    if deed is PlayerAction.TALK:
        speaker = _ahead(quest, place.speakers)
        if speaker is not None:
            quest.talk_to(speaker)
    elif deed is PlayerAction.USE:
        usable = [device for device in place.devices if device.type in ("switch", "shrine")]
        device = _ahead(quest, usable)
        if device is not None:
            _use(quest, device)
    elif deed is PlayerAction.STRIKE:
        for foe in list(place.foes):
            if _near(quest, foe, STRIKE_REACH) and hero.off_front(foe.at) <= STRIKE_CONE:
                _hit(quest, foe, STRIKE)
    elif deed is PlayerAction.SHOOT:
        _shoot(quest)
    elif deed is PlayerAction.SPECIAL:
        _wave(quest)


def _near(quest: AdventureState, thing: Enemy | Prop, reach: float) -> bool:
    hero = quest.hero
    return distance(thing.at, hero.at) <= reach and abs(thing.z - hero.z) <= TALL


def _ahead(quest: AdventureState, props: Sequence[_Any]) -> _Any | None:
    """The nearest of these that the player stands before and looks at."""
    hero = quest.hero
    near = [p for p in props if _near(quest, p, REACH) and hero.off_front(p.at) <= CONE]
    return min(near, key=lambda prop: distance(prop.at, hero.at), default=None)


def _use(quest: AdventureState, device: Device) -> None:
    fixture = device.fixture
    lacking = quest.story.lacking(fixture.needs)
    if lacking:
        quest.log(f"{device.name} needs {lacking[0]}")
        return
    if device.type == "switch":
        device.state = "on" if quest.story.toggle(fixture.sets) else "off"
    else:
        device.state = "on"
        quest.story.set(fixture.sets)
    quest.log(f"{device.name} is {device.state}")
    if fixture.ends:
        quest.finish()


def _shoot(quest: AdventureState) -> None:
    hero, terrain = quest.hero, quest.place.terrain
    targets = [device for device in quest.place.devices if device.type == "target"]
    marks: list[Device | Enemy] = [*targets, *quest.place.foes]
    for mark in sorted(marks, key=lambda mark: distance(mark.at, hero.at)):
        far = distance(mark.at, hero.at) > SHOT_REACH
        if far or hero.off_front(mark.at) > SHOT_CONE:
            continue
        if not terrain.clear(hero.at, mark.at, max(hero.z + HAND, mark.z)):
            continue
        if isinstance(mark, Enemy):
            _hit(quest, mark, SHOT)
        else:
            _spend(quest, mark, "is shot")
        return
    quest.log("a shot hits nothing")


def _wave(quest: AdventureState) -> None:
    quest.log("the special move")
    for foe in list(quest.place.foes):
        if _near(quest, foe, WAVE_REACH):
            _hit(quest, foe, WAVE)
    for device in list(quest.place.devices):
        if device.type == "boulder" and _near(quest, device, WAVE_REACH):
            _spend(quest, device, "breaks")


def _spend(quest: AdventureState, device: Device, how: str) -> None:
    """A boulder breaks, a target is shot."""
    fixture = device.fixture
    lacking = quest.story.lacking(fixture.needs)
    if lacking:
        quest.log(f"{device.name} needs {lacking[0]}")
        return
    quest.story.set(fixture.sets)
    quest.place.drop(device)
    quest.forget(device)
    quest.log(f"{device.name} {how}")
    if fixture.ends:
        quest.finish()


def _hit(quest: AdventureState, foe: Enemy, damage: float) -> None:
    hero = quest.hero
    heading = math.atan2(foe.y - hero.y, foe.x - hero.x)
    foe.bounce(heading, KNOCK_BOSS if foe.type == "boss" else KNOCK)
    quest.log(f"hero hits {foe.name} for {damage:g}", foe.id)
    quest.hurt(foe, damage)
