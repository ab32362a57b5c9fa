"""What a player sees around."""

from types import SimpleNamespace

import numpy as np
import pytest

from playhead.games.doom.object_columns import DOOM_OBJECT, ObjectTable
from playhead.games.doom.visible_objects import FAR, PlayerView, useless

from .levels import DOOR, Plan

OWN = {"health": 50.0, "armor": 0.0, "bullets": 50.0, "shells": 0.0}
HERE = (40.0, 64.0, 0.0)


def game(*things, seen=(), **own):
    """Things as (class, kind, x, y) or with z; ids count from 1."""
    names = sorted({thing[0] for thing in things})
    kinds = dict(thing[:2] for thing in things)
    rows = sorted(range(len(things)), key=lambda row: names.index(things[row][0]))
    records = np.zeros(len(things), DOOM_OBJECT)
    for at, row in enumerate(rows):
        records["position"][at] = (*things[row][2:], 0.0)[:3]
    return SimpleNamespace(
        objects=ObjectTable(
            np.array([row + 1 for row in rows], "<u8"),
            np.array([names.index(things[row][0]) for row in rows], "<u4"),
            records,
            tuple(names),
            tuple(kinds[name] for name in names),
            np.array(seen, "<u8"),
        ),
        variables={**OWN, **own},
    )


@pytest.fixture
def level(tmp_path):
    """A room, a door that is shut, a pit, and a ledge."""
    rooms = ((0, 400, 0, 128), (400, 416, 0, 0), (416, 700, -64, 128), (700, 900, 40, 128))
    return Plan(*rooms).does(DOOR, x=400).level(tmp_path)


def labels(things):
    return sorted((thing.label, thing.object) for thing in things)


def test_living_monsters_in_sight_are_reported_and_no_others(level):
    now = game(
        ("DoomImp", "Monster", 300, 64), ("DoomImp", "Monster", 600, 64),
        ("DeadDoomImp", "Gore", 200, 64), ("DoomPlayer", "Self", 40, 64),
        ("Zombieman", "Monster", 100, 20),
    )  # fmt: skip
    result = PlayerView(level).monsters(now, HERE)
    assert labels(result) == [("DoomImp", 1), ("Zombieman", 5)]
    assert {thing.position for thing in result} == {(300.0, 64.0, 0.0), (100.0, 20.0, 0.0)}


def test_who_is_on_the_screen_is_seen_through_a_door_that_stands_open(level):
    now = game(("DoomImp", "Monster", 600, 64), seen=[1])
    assert labels(PlayerView(level).monsters(now, HERE)) == [("DoomImp", 1)]


def test_nobody_is_told_who_is_too_far_away(tmp_path):
    level = Plan((0, 2 * FAR, 0, 128)).level(tmp_path)
    near, far = HERE[0] + FAR - 1, HERE[0] + FAR + 1
    now = game(("DoomImp", "Monster", near, 64), ("DoomImp", "Monster", far, 64), seen=[1, 2])
    assert labels(PlayerView(level).monsters(now, HERE)) == [("DoomImp", 1)]


def test_nobody_is_reported_of_whom_only_the_head_is_seen_over_a_sill(tmp_path):
    level = Plan((0, 128, 0, 128), (128, 160, 32, 80), (160, 900, -32, 128)).level(tmp_path)
    over = game(("DoomImp", "Monster", 300, 64, -32), seen=[1])
    assert labels(PlayerView(level).monsters(over, HERE)) == []
    far = game(("DoomImp", "Monster", 300, 64, 0), seen=[1])
    assert labels(PlayerView(level).monsters(far, HERE)) == [("DoomImp", 1)]


def test_barrels_and_what_flies_are_dangers_and_only_the_latter_have_a_velocity(level):
    now = game(
        ("ExplosiveBarrel", "Hazard", 200, 64), ("DoomImpBall", "Explosive", 300, 64),
        ("BulletPuff", "Explosive", 250, 64), ("DoomImpBall", "Explosive", 600, 64),
    )  # fmt: skip
    velocities = now.objects.records["velocity"]
    velocities[now.objects.ids == 2] = (-10.0, 2.0, 0.0)
    velocities[now.objects.ids == 4] = (-10.0, 0.0, 0.0)  # behind the door
    result = {thing.object: thing.velocity for thing in PlayerView(level).dangers(now, HERE)}
    assert result == {1: (0.0, 0.0, 0.0), 2: (-350.0, 70.0, 0.0)}


def test_things_are_reported_that_can_be_fetched_and_are_of_use(level):
    now = game(
        ("Medikit", "Health", 300, 64), ("Shell", "Ammo", 600, 64, -64), ("Clip", "Ammo", 60, 20),
        ("Column", "LightSource", 100, 64), seen=[1, 2, 3, 4],
    )  # fmt: skip
    watch = PlayerView(level)
    assert labels(watch.items(now, HERE)) == [("Clip", 3), ("Medikit", 1)]
    now.variables["health"] = 100.0
    assert labels(watch.items(now, HERE)) == [("Clip", 3)]


def test_what_lies_below_the_edge_or_on_a_ledge_is_out_of_reach(level):
    # Over the edge the player's box still stands on the ledge, 104 above what lies below.
    now = game(("Clip", "Ammo", 695, 64, -64), ("Shell", "Ammo", 800, 64, 40), seen=[1, 2])
    watch = PlayerView(level)
    assert labels(watch.items(now, (750.0, 64.0, 40.0))) == [("Shell", 2)]
    assert labels(watch.items(now, (600.0, 64.0, -64.0))) == []


@pytest.mark.parametrize(
    ("name", "own", "message"),
    [
        ("Stimpack", {"health": 99.0}, False), ("Stimpack", {"health": 100.0}, True),
        ("HealthBonus", {"health": 100.0}, False), ("HealthBonus", {"health": 200.0}, True),
        ("GreenArmor", {"armor": 100.0}, True), ("BlueArmor", {"armor": 100.0}, False),
        ("Clip", {"bullets": 200.0}, True), ("Shotgun", {"shells": 50.0}, True),
        ("BlueCard", {"health": 200.0}, False), ("Clip", {}, False),
    ],
)  # fmt: skip
def test_what_the_engine_would_leave_lying_is_useless(name, own, message):
    assert useless(name, own) == message
