"""Height: walking up steps, jumping once and twice, falling off ledges, being knocked back."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.games.arena.adventure.adventure_game import AdventureGame
from playhead.games.arena.adventure.world.character_body import GRAVITY
from playhead.games.arena.adventure.world.player import JUMP, JUMP_AGAIN, WALKING
from playhead.games.arena.adventure.world.terrain import AIR_STEP, STEP_UP
from playhead.games.arena.entity import STEP
from playhead.playback.pads.pad import NEUTRAL, Button, Pad

from ..conftest import Driver, room_of

NORTH = (0.0, 1.0)


def apex(speed: float) -> float:
    """Metres that a jump at this speed rises, in steps of the game."""
    height, best = 0.0, 0.0
    while speed > 0.0:
        speed -= GRAVITY * STEP
        height += speed * STEP
        best = max(best, height)
    return best


ONCE, TWICE = apex(JUMP), apex(JUMP) + apex(JUMP_AGAIN)


def ledge(top: float) -> Driver:
    parts = f"    floors:\n      - {{name: ledge, at: [0, 4], size: [20, 12], top: {top}}}"
    return Driver(AdventureGame(room_of(parts), seed=1))


def climbs(top: float, jumps: int) -> bool:
    """Whether one gets up a ledge of this height with so many jumps at their best instants."""
    driver = ledge(top)
    player = driver.player
    driver.hold(60, left=NORTH)
    for _ in range(jumps):
        driver.game.hold(Pad(left=NORTH, held=int(Button.B)))
        driver.game.step()
        driver.game.hold(Pad(left=NORTH))
        while player.rise > 0.0:
            driver.game.step()
    driver.hold(120, left=NORTH)
    assert player.grounded
    assert player.z in (0.0, top)
    return bool(player.z == top)


@settings(max_examples=25)
@given(st.floats(0.4, 3.0), st.integers(0, 3))
def test_a_ledge_is_climbed_if_and_only_if_the_jumps_reach_it(top, jumps):
    reach = (0.0, ONCE, TWICE, TWICE)[jumps] + AIR_STEP if jumps else STEP_UP
    if abs(top - reach) > 0.12:
        assert climbs(top, jumps) is (top < reach)


def test_a_step_is_walked_up_and_down_without_a_jump():
    driver = ledge(0.3)
    driver.hold(120, left=NORTH)
    assert driver.player.z == 0.3
    assert driver.player.jumps == 2
    driver.hold(180, left=(0.0, -1.0))
    assert driver.player.z == 0.0


def test_who_walks_off_a_ledge_falls_and_has_one_jump_left():
    driver = ledge(2.5)
    player = driver.player
    player.stand((0.0, -1.0), driver.adventure.area_state.terrain)
    assert player.z == 2.5
    fell = []
    driver.game.hold(Pad(left=(0.0, -1.0)))
    for _ in range(60):
        driver.game.step()
        if not player.grounded:
            fell.append(player.z)
            assert player.jumps == 1
            assert driver.game.observe().in_air
            assert driver.game.observe().can_jump
    assert fell == sorted(fell, reverse=True)
    assert 0.4 < len(fell) * STEP < 0.7
    assert player.z == 0.0
    assert player.jumps == 2


def test_the_third_jump_does_nothing_until_one_has_landed():
    driver = ledge(3.0)
    player = driver.player
    for left in (1, 0, 0):
        driver.hold(2, held=int(Button.B))
        driver.wait(6)
        assert player.jumps == left
        assert driver.game.observe().can_jump is (left > 0)
    driver.wait(90)
    assert player.grounded
    assert player.jumps == 2


def test_a_button_that_stays_down_jumps_once():
    driver = ledge(3.0)
    driver.hold(30, held=int(Button.B))
    assert driver.player.jumps == 1


def test_a_pit_is_left_by_a_jump_and_not_by_walking(room):
    driver = room("    pits:\n      - {name: ditch, at: [0, 0], size: [18, 3], depth: 0.6}")
    driver.hold(100, left=NORTH)
    assert driver.player.z == -0.6
    driver.hold(60, left=NORTH)
    assert driver.player.y < 1.5
    driver.hold(2, left=NORTH, held=int(Button.B))
    driver.hold(60, left=NORTH)
    assert driver.player.z == 0.0
    assert driver.player.y > 1.5


def test_a_gap_is_jumped_at_a_walk(room):
    driver = room("    pits:\n      - {name: ditch, at: [0, 0], size: [18, 2], depth: 0.6}")
    player = driver.player
    driver.game.hold(Pad(left=NORTH))
    while player.y < -1.2:
        driver.game.step()
    driver.game.hold(Pad(left=NORTH, held=int(Button.B)))
    lowest = 0.0
    while not player.grounded or player.y < 0.0:
        driver.game.step()
        lowest = min(lowest, player.z)
    assert lowest == 0.0
    assert player.y > 1.0


@given(st.floats(0.0, math.tau), st.floats(0.26, 1.0))
@settings(max_examples=25)
def test_the_stick_walks_along_the_worlds_axes_as_fast_as_it_is_pushed(angle, size):
    driver = Driver(AdventureGame(room_of("    walls: []"), seed=1))
    player = driver.player
    player.stand((0.0, 0.0), driver.adventure.area_state.terrain)
    driver.hold(60, left=(size * math.cos(angle), size * math.sin(angle)))
    assert math.hypot(player.x, player.y) == pytest.approx(WALKING * size, rel=0.15)
    assert math.cos(math.atan2(player.y, player.x) - angle) == pytest.approx(1.0, abs=1e-6)
    assert math.cos(player.facing - angle) == pytest.approx(1.0, abs=1e-6)


def test_a_stick_that_is_hardly_pushed_only_turns(room):
    driver = room("    walls: []")
    start = driver.player.at
    driver.face(-45)
    assert driver.player.facing == pytest.approx(math.radians(-45))
    assert driver.player.at == start


def test_a_knock_moves_whoever_it_hits_and_takes_the_pad_away(room):
    driver = room("    walls: []")
    player = driver.player
    player.bounce(0.0, 7.0)
    driver.hold(10, left=(-1.0, 0.0))
    assert player.x > 0.4
    assert player.state == "hurt"
    driver.hold(60, left=(-1.0, 0.0))
    assert player.x < 0.0


def test_with_a_stick_let_go_one_stands():
    driver = ledge(1.0)
    driver.hold(20, left=NORTH)
    driver.game.hold(NEUTRAL)
    driver.wait(30)
    assert driver.player.speed < 1e-6
