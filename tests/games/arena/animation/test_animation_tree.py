"""The animation trees of the yard's people: what is told is what poses them."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.games.arena.animation.animation_tree import (
    RUNNING,
    WALKING,
    Weights,
    tree_of,
    walk_at,
)
from playhead.games.arena.animation.walk_animation import WalkAnimation, gait
from playhead.games.arena.guard_yard import Yard
from playhead.games.arena.yard_player import DOWN_TIME
from playhead.playback.pads.pad import Button, Pad


def named(yard, walker):
    """A walker's clips by name, as it is posed now."""
    walk = walk_at(np.array([walker.speed]))
    slump = 1.0 if walker is yard.player and walker.down else 0.0
    clips = tree_of(walker, Weights(*(column.item() for column in walk), slump))
    return {clip.name: clip for clip in clips}


@given(st.floats(0, 20))
def test_the_clips_of_the_walk_add_up_to_one_and_to_the_stride_of_the_speed(speed):
    walk = walk_at(np.array([speed]))
    idle, walking, running = (column.item() for column in walk)
    assert idle + walking + running == pytest.approx(1.0, abs=1e-15)
    assert min(idle, walking, running) >= 0.0
    # Exactly: people are posed by the clips as they were by the speed.
    assert 0.5 * walking + running == min(speed / 4.0, 1.0)


def test_each_clip_counts_alone_at_the_speed_that_it_was_made_for():
    walk = walk_at(np.array([0.0, WALKING, RUNNING, 9.0]))
    assert np.array_equal(np.stack(walk), [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1]])


def test_a_pose_is_the_sum_of_the_clips_poses_by_what_they_count():
    phase, none = np.array([0.8]), np.zeros(1)
    clips = [
        gait(phase, WalkAnimation(*(np.array([float(at == which)]) for at in range(3))), none, none)
        for which in range(3)
    ]
    walk = walk_at(np.array([2.7]))
    summed = sum(weight * clip for weight, clip in zip(walk, clips, strict=True))
    assert np.allclose(gait(phase, walk, none, none), summed, atol=1e-15)


def test_a_strolling_person_walks_at_the_rate_of_its_speed():
    yard = Yard(guards=0)
    for _ in range(30):
        yard.step(Pad(left=(0.5, 0.0)))
    player = yard.player
    result = named(yard, player)
    assert result["walk"].rate == pytest.approx(player.speed / WALKING)
    assert result["walk"].time == result["run"].time == player.phase / math.tau
    assert result["idle"].contribution + result["walk"].contribution == pytest.approx(1.0)
    assert result["legs"].criteria == "1.3 m/s; walk wants 1.3"
    parents = [clip.parent for clip in result.values()]
    assert parents == [-1, 0, 1, 1, 1, 0, 0]


def test_a_thrown_stone_raises_the_arm_at_once_and_lowers_it_by_and_by():
    yard = Yard(guards=0)
    shares = []
    for _ in range(20):
        yard.step(Pad(held=int(Button.A)))
        throw = named(yard, yard.player)["throw"]
        assert throw.time == pytest.approx(1.0 - throw.contribution)
        shares.append(throw.contribution)
    assert shares[0] == 1.0
    assert all(later <= earlier for earlier, later in pairwise(shares))
    assert shares[-1] == 0.0
    assert throw.criteria.startswith("nothing thrown, rests for")


def test_who_is_knocked_down_lies_for_its_time():
    yard = Yard(guards=0)
    assert named(yard, yard.player)["lie"].criteria == "on its feet"
    yard.player.suffer(1000.0)
    yard.step(Pad())
    lie = named(yard, yard.player)["lie"]
    assert (lie.contribution, lie.time) == (1.0, pytest.approx(1 / 60 / DOWN_TIME))
    assert lie.criteria.startswith("health is used up")


def test_guards_say_why_they_walk_wait_and_strike():
    yard, seen = Yard(), set()
    for _ in range(3000):
        yard.step()
        for guard in yard.guards:
            seen.add(guard.why.legs.split()[1])
            seen.add(guard.why.raised.split()[0])
            assert not guard.why.lies
    assert {"wants", "waits", "strikes", "next", "struck,"} <= seen
