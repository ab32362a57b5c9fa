"""A person's way through an area, played out by the game itself."""

from random import Random

import pytest

from playhead.games.arena.adventure.adventure import Adventure
from playhead.games.arena.adventure.scripted.humanlike_input import HumanInput
from playhead.games.arena.adventure.scripted.navigator import GOING, LOST, THERE, Navigator
from playhead.games.arena.adventure.world.level import Door
from playhead.games.arena.adventure.world.level_loader import parse_level

ROOM = """\
name: t
start: {area: a, at: [-8, 0]}
areas:
  - name: a
    size: [20, 12]
"""


class Walker:
    """Legs and hands in a game, without a head."""

    def __init__(self, parts, seed=1):
        self.adventure = Adventure(parse_level(ROOM + parts))
        rng = Random(seed)
        self.human_input = HumanInput(rng)
        self.navigator = Navigator(rng, self.human_input)
        self.highest = 0.0

    @property
    def player(self):
        return self.adventure.player

    def until(self, ask, steps=1200):
        """Go on until that says something else than `going`."""
        for _ in range(steps):
            message = ask()
            if message != GOING:
                return message
            self.adventure.step(self.human_input.pad())
            self.highest = max(self.highest, self.player.z)
        return GOING

    def go(self, *goal, near=0.5, **more):
        return self.until(lambda: self.navigator.go(self.adventure, goal, near, **more))

    def jump(self, start, at, run_up=1.0, run=False):
        return self.until(lambda: self.navigator.jump(self.adventure, start, at, run_up, run))


@pytest.mark.parametrize("seed", range(4))
def test_it_walks_around_a_wall(seed):
    walker = Walker("    walls: [{name: w, at: [0, -1], size: [1, 9.5]}]\n", seed)
    assert walker.go(7.0, -3.0) == THERE
    assert walker.player.x > 6.4


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("top", "highest"), [(0.3, 0.4), (0.9, 1.3), (1.9, 2.4)])
def test_it_climbs_a_ledge_with_as_many_jumps_as_that_takes(seed, top, highest):
    walker = Walker(f"    floors: [{{name: f, at: [5, 0], size: [6, 6], top: {top}}}]\n", seed)
    assert walker.go(5.0, 0.0) == THERE
    assert walker.player.z == pytest.approx(top)
    assert walker.highest < highest
    assert walker.go(-6.0, 0.0) == THERE
    assert walker.player.z == 0.0


def test_out_of_a_ditch_it_jumps():
    walker = Walker("    pits: [{name: p, at: [0, 0], size: [3, 12], depth: 0.8}]\n")
    walker.player.stand((0.0, 0.0), walker.adventure.area_state.terrain)
    assert walker.player.z == pytest.approx(-0.8)
    assert walker.go(6.0, 0.0) == THERE


@pytest.mark.parametrize("seed", range(6))
def test_it_jumps_over_a_gap_of_lava_with_a_run_up(seed):
    pits = "    pits: [{name: p, at: [0, 0], size: [3.4, 12], depth: 2, lava: true}]\n"
    walker = Walker(pits, seed)
    assert walker.jump((-2.0, 0.0), (4.0, 0.0), run_up=2.0, run=True) == THERE
    assert walker.player.x > 1.7
    assert not walker.player.dead


def test_where_no_way_leads_it_says_so():
    walker = Walker("    walls: [{name: w, at: [0, 0], size: [1, 12]}]\n")
    assert walker.go(7.0, 0.0) == LOST
    assert walker.jump((5.0, 0.0), (8.0, 0.0)) == LOST


def test_it_goes_on_from_wherever_it_was_thrown():
    walker = Walker("    floors: [{name: f, at: [5, 0], size: [6, 6], top: 0.9}]\n")
    assert walker.go(5.0, 0.0, near=0.5) == THERE
    walker.player.bounce(3.1, 9.0, up=3.0)
    walker.until(lambda: GOING, steps=40)
    assert walker.go(5.0, 0.0) == THERE


def test_it_does_not_push_on_against_what_it_can_not_see():
    walker = Walker("")
    # It is on no map of the area: only that one gets no farther tells of it.
    glass = Door((0.0, 0.0), (0.5, 2.0), "glass", 3.0, ())
    walker.adventure.area_state.terrain.close(glass)
    assert walker.go(7.0, 0.0, near=0.5) == THERE
