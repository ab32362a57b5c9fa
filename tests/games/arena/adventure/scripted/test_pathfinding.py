"""Ways on foot: around walls, up ledges, and never into lava."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.games.arena.adventure.adventure import Adventure
from playhead.games.arena.adventure.scripted.pathfinding import WalkableArea
from playhead.games.arena.adventure.world.level_loader import level_path, load_level, parse_level


def ground(text):
    area = (
        f"name: t\nstart: {{area: a, at: [-8, 0]}}\nareas:\n  - name: a\n    size: [20, 12]\n{text}"
    )
    return WalkableArea(Adventure(parse_level(area)).area_state)


def way(ground, start, goal, z=0.0, level=0.0, near=0.3):
    return ground.route(start, z, goal, near, level, 0.3)


def test_over_open_ground_it_is_straight():
    (leg,) = way(ground(""), (-8.0, 0.0), (8.0, 3.0))[-1:]
    assert leg.at == (8.0, 3.0)
    assert leg.jump == 0.0
    assert len(way(ground(""), (-8.0, 0.0), (8.0, 3.0))) <= 2


def test_it_goes_around_a_wall_and_touches_none():
    navigator = way(
        ground("    walls: [{name: w, at: [0, -1], size: [1, 9.5]}]\n"), (-8.0, 0.0), (8.0, 0.0)
    )
    assert max(y for (_, y), _, _ in navigator) > 3.75
    assert all(not (abs(x) < 0.9 and y < 3.7) for (x, y), _, _ in navigator)


def test_a_closed_room_has_no_way_in():
    walls = "    walls: [{name: w, at: [0, 0], size: [1, 12]}]\n"
    assert way(ground(walls), (-8.0, 0.0), (8.0, 0.0)) is None


@pytest.mark.parametrize(("top", "jumps"), [(0.3, 0), (0.9, 1), (1.9, 1)])
def test_a_ledge_is_walked_or_jumped_up_by_its_height(top, jumps):
    floors = f"    floors: [{{name: f, at: [5, 0], size: [6, 6], top: {top}}}]\n"
    navigator = way(ground(floors), (-8.0, 0.0), (5.0, 0.0), level=top)
    ups = [leg.jump for leg in navigator if leg.jump]
    assert len(ups) == jumps
    assert sum(ups) == pytest.approx(top if jumps else 0.0)
    back = way(ground(floors), (5.0, 0.0), (-8.0, 0.0), z=top)
    assert back is not None
    assert not any(leg.jump for leg in back)


def test_a_ledge_that_two_jumps_do_not_reach_is_no_way():
    floors = "    floors: [{name: f, at: [5, 0], size: [6, 6], top: 2.4}]\n"
    assert way(ground(floors), (-8.0, 0.0), (5.0, 0.0), level=2.4) is None


def test_lava_is_gone_around_at_a_distance():
    pits = "    pits: [{name: p, at: [0, -2], size: [4, 8], depth: 1, lava: true}]\n"
    navigator = way(ground(pits), (-8.0, -2.0), (8.0, -2.0))
    assert all(not (abs(x) < 2.5 and y < 2.5) for (x, y), _, _ in navigator)


def test_nothing_leads_over_lava_from_side_to_side():
    pits = "    pits: [{name: p, at: [0, 0], size: [1, 12], depth: 1, lava: true}]\n"
    assert way(ground(pits), (-8.0, 0.0), (8.0, 0.0)) is None


def test_people_are_gone_around():
    people = "    people: [{name: p, at: [0, 0], says: [e]}]\nevents: [{id: e, pages: [hm]}]\n"
    navigator = way(ground(people), (-8.0, 0.0), (8.0, 0.0))
    assert len(navigator) > 1
    assert way(ground(people), (-8.0, 0.0), (0.0, 0.0), near=1.4) is not None


@pytest.fixture(scope="module")
def forest():
    adventure = Adventure(load_level(level_path("village")))
    adventure.restore(adventure._snapshot().__class__(
        adventure.game, "forest", (0.0, -22.0), 0.0, (0.0, -0.7), 100.0, (), {}, ()
    ))  # fmt: skip
    return adventure, WalkableArea(adventure.area_state)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.floats(-23, 23), st.floats(-23, 23))
def test_no_leg_of_any_way_crosses_a_wall_or_lava(forest, x, y):
    adventure, cells = forest
    area = adventure.area_state.area
    level = area.surface(x, y)
    navigator = cells.route((0.0, -22.0), 0.0, (x, y), 0.6, level, 0.3)
    at, z = (0.0, -22.0), 0.0
    for leg in navigator or []:
        steps = max(1, math.ceil(math.dist(at, leg.at) / 0.1))
        for step in range(steps + 1):
            px = at[0] + step / steps * (leg.at[0] - at[0])
            py = at[1] + step / steps * (leg.at[1] - at[1])
            assert area.surface(px, py) <= max(z, leg.z) + 0.36
            assert not any(pit.lava and pit.holds(px, py, 0.1) for pit in area.pits)
        at, z = leg.at, leg.z
