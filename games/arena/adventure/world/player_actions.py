"""The player's actions on its surroundings: talk, use, strike, shoot, the special move."""

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


def perform_action(adventure: AdventureState, action: PlayerAction) -> None:
    """Carry out an action of the player other than moving."""
    player, area_state = adventure.player, adventure.area_state
    if action is PlayerAction.TALK:
        speaker = _ahead(adventure, area_state.speakers)
        if speaker is not None:
            adventure.talk_to(speaker)
    elif action is PlayerAction.USE:
        device = _ahead(adventure, area_state.usable)
        if device is not None:
            adventure.note_use(device.name)
            _use(adventure, device)
    elif action is PlayerAction.STRIKE:
        for enemy in list(area_state.all_enemies):
            ahead = player.angle_off_front(enemy.at) <= STRIKE_CONE
            if ahead and _near(adventure, enemy, STRIKE_REACH):
                _hit(adventure, enemy, STRIKE)
    elif action is PlayerAction.SHOOT:
        _shoot(adventure)
    elif action is PlayerAction.SPECIAL:
        _wave(adventure)


def _near(adventure: AdventureState, thing: Enemy | Prop, reach: float) -> bool:
    player = adventure.player
    return distance(thing.at, player.at) <= reach and abs(thing.z - player.z) <= TALL


def _ahead(adventure: AdventureState, props: Sequence[_Any]) -> _Any | None:
    """The nearest of these that the player is in front of and looks at."""
    player = adventure.player
    near = [p for p in props if _near(adventure, p, REACH) and player.angle_off_front(p.at) <= CONE]
    return min(near, key=lambda prop: distance(prop.at, player.at), default=None)


def _use(adventure: AdventureState, device: Device) -> None:
    fixture = device.fixture
    lacking = adventure.story.lacking(fixture.needs)
    if lacking:
        adventure.log(f"{device.name} needs {lacking[0]}")
        return
    if device.type == "switch":
        device.state = "on" if adventure.story.toggle(fixture.sets) else "off"
    else:
        device.state = "on"
        adventure.story.set(fixture.sets)
    adventure.log(f"{device.name} is {device.state}")
    adventure.notify("toggled" if device.type == "switch" else "activated", device.id)
    if fixture.ends:
        adventure.finish()


def _shoot(adventure: AdventureState) -> None:
    player, terrain = adventure.player, adventure.area_state.terrain
    targets = [device for device in adventure.area_state.devices if device.type == "target"]
    marks: list[Device | Enemy] = [*targets, *adventure.area_state.all_enemies]
    for mark in sorted(marks, key=lambda mark: distance(mark.at, player.at)):
        far = distance(mark.at, player.at) > SHOT_REACH
        if far or player.angle_off_front(mark.at) > SHOT_CONE:
            continue
        if not terrain.clear(player.at, mark.at, max(player.z + HAND, mark.z)):
            continue
        if isinstance(mark, Enemy):
            _hit(adventure, mark, SHOT)
        else:
            _spend(adventure, mark, "is shot")
        return
    adventure.log("a shot hits nothing")


def _wave(adventure: AdventureState) -> None:
    adventure.log("the special move")
    for enemy in list(adventure.area_state.all_enemies):
        if _near(adventure, enemy, WAVE_REACH):
            _hit(adventure, enemy, WAVE)
    for device in list(adventure.area_state.devices):
        if device.type == "boulder" and _near(adventure, device, WAVE_REACH):
            _spend(adventure, device, "breaks")


def _spend(adventure: AdventureState, device: Device, how: str) -> None:
    """A boulder breaks, a target is shot."""
    fixture = device.fixture
    lacking = adventure.story.lacking(fixture.needs)
    if lacking:
        adventure.log(f"{device.name} needs {lacking[0]}")
        return
    adventure.story.set(fixture.sets)
    adventure.area_state.drop(device)
    adventure.forget(device)
    adventure.log(f"{device.name} {how}")
    adventure.notify("shot" if device.type == "target" else "broken", device.id)
    if fixture.ends:
        adventure.finish()


def _hit(adventure: AdventureState, enemy: Enemy, damage: float) -> None:
    player = adventure.player
    heading = math.atan2(enemy.y - player.y, enemy.x - player.x)
    enemy.bounce(heading, KNOCK_BOSS if enemy.type == "boss" else KNOCK)
    adventure.log(f"hero hits {enemy.name} for {damage:g}", enemy.id)
    adventure.hurt(enemy, damage)
