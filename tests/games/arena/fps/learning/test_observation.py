"""The observation vector: how long it is, and which number stands where."""

import math

import numpy as np
import pytest

from playhead.errors import GameError
from playhead.games.arena.fps.learning.observation import (
    HEAD_NAMES,
    ObservationLayout,
    Tags,
    tags_of,
)
from playhead.games.arena.fps.match.match_control_commands import SpawnBlock, SpawnEnemy
from playhead.games.arena.fps.simulation.ray_sensor import RaySettings
from playhead.games.arena.fps.simulation.rules import Rules


def test_nineteen_rays_make_51_numbers_with_labels_and_89_with_one_hot_tags():
    label, hot = (ObservationLayout(RaySettings(), tags) for tags in Tags)
    assert (label.length, hot.length) == (51, 89)
    assert (label.tags, label.distances) == (slice(13, 32), slice(32, 51))
    assert (hot.tags, hot.distances) == (slice(13, 70), slice(70, 89))
    assert len(label.names) == 51
    assert len(hot.names) == 89
    assert label.names[:13] == hot.names[:13] == HEAD_NAMES
    assert hot.names[13:17] == ("ray0_wall", "ray0_enemy", "ray0_player", "ray1_wall")
    assert hot.names[-1] == label.names[-1] == "ray18_distance"


def test_the_length_follows_the_number_of_rays():
    rays = RaySettings(center=3, side=2)
    assert ObservationLayout(rays).length == 13 + 2 * 7
    assert ObservationLayout(rays, Tags.ONE_HOT).length == 13 + 4 * 7


def test_what_each_number_can_be():
    low, high = ObservationLayout(RaySettings(reach=60.0)).bounds(Rules())
    assert (low[:11] == 0).all()
    assert high[:11].tolist() == [4, 47, 47, 47, 10, 1, 30, 1, 47, 47, 47]
    assert (low[11:13].tolist(), high[11:13].tolist()) == ([-1, -1], [1, 1])
    assert (set(low[13:32]), set(high[13:32])) == ({-1}, {2})
    assert (set(low[32:]), set(high[32:])) == ({0}, {60})
    low, high = ObservationLayout(RaySettings(), Tags.ONE_HOT).bounds(Rules())
    assert (set(low[13:]), set(high[13:70]), set(high[70:])) == ({0}, {1}, {100})
    assert tags_of("one-hot") is Tags.ONE_HOT
    with pytest.raises(GameError, match="tags 'hot': choose one of label, one-hot"):
        tags_of("hot")


def test_the_state_of_target_and_agent_come_first(stage):
    play = stage()
    play.place(0, (3.0, 4.0), degrees=30.0)
    seen = play.see()
    assert seen.dtype == np.float32
    assert seen[0] == 4
    assert seen[1:7].tolist() == [0] * 6
    assert seen[7] == 1
    assert seen[8:11].tolist() == [3.0, 0.0, 4.0]
    assert seen[11:13] == pytest.approx([math.cos(math.pi / 6), math.sin(math.pi / 6)])
    play.match.order(SpawnBlock("goto", 2, 20.0, 30.0, preset="screen"))
    seen = play.see()
    # The near left corner is at (15, 25); the fire base's middle at (5, 6) of the block.
    assert seen[:7].tolist() == [1, 20.0, 0.0, 31.0, 6.0, 0, 30.0]
    play.place(0, (22.5, 30.0))
    play.act((0, 0, 1, 0.0))
    seen = play.see()
    assert seen[5] == 1
    assert seen[6] == pytest.approx(29.95)
    assert seen[7] == 0


def test_tags_come_before_distances_from_the_left_ray_to_the_right(stage):
    rays = RaySettings(view=90, center=1, side=1, reach=20)
    plain, hot = (stage(agents=2, rays=rays, tags=tags) for tags in Tags)
    for play in (plain, hot):
        play.place(0, (10.0, 10.0), degrees=0.0)
        play.place(1, (15.0, 15.0))
        play.match.order(SpawnEnemy(10.0, 20.0))
    # Left a wall 10·√2 away, ahead an enemy, right the other agent.
    corner = 10 * math.sqrt(2)
    assert plain.see()[13:16].tolist() == [0, 1, 2]
    assert plain.see()[16:] == pytest.approx([corner, 9.5, 5 * math.sqrt(2) - 0.5])
    assert hot.see()[13:22].tolist() == [1, 0, 0, 0, 1, 0, 0, 0, 1]
    assert hot.see()[22:] == pytest.approx(plain.see()[16:])


def test_nothing_is_minus_one_or_all_zeros_and_its_distance_is_zero(stage):
    rays = RaySettings(center=1, side=0, reach=5.0)
    for tags, is_target in ((Tags.LABEL, [-1, 0]), (Tags.ONE_HOT, [0, 0, 0, 0])):
        play = stage(rays=rays, tags=tags)
        play.place(0, (23.0, 23.0))
        assert play.see()[13:].tolist() == is_target


def test_agents_with_other_rays_have_other_vectors(stage):
    play = stage(agents=3, rays={"agent_1": RaySettings(center=3, side=1, reach=7)})
    lengths = [len(vector) for vector in play.match.observations()]
    assert lengths == [51, 23, 51]
    same = stage(agents=3)
    for agent in (0, 2):
        assert np.array_equal(play.see(agent), same.see(agent))
    assert play.see(1)[13:18].max() <= 2
    assert play.see(1)[18:].max() <= 7
    with pytest.raises(GameError, match="rays of 'agent_7': the agents are agent_0 … agent_2"):
        stage(agents=3, rays={"agent_7": RaySettings()})
