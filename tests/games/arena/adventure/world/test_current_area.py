"""Where enemies appear in an area."""

import itertools
from functools import partial
from random import Random

import msgspec

from playhead.games.arena.adventure.world.current_area import AreaState
from playhead.games.arena.adventure.world.level import Zone
from playhead.games.arena.adventure.world.level_loader import level_path, load_level
from playhead.games.arena.adventure.world.story_progress import StoryProgress

PILLAR = 4.0


def test_no_enemy_appears_on_a_pillar_where_nobody_can_get_to_it():
    area = load_level(level_path("village")).areas["hollow"]
    assert area.boss is not None
    around_pillar = Zone((-9.0, -2.5), (2.0, 5.0))
    assert area.surface(-9.0, -1.0) == PILLAR
    boss = msgspec.structs.replace(area.boss, field=around_pillar)
    area = msgspec.structs.replace(area, boss=boss)
    for seed in range(60):
        ids = partial(next, itertools.count(1))
        state = AreaState(area, StoryProgress(), Random(seed), ids, 0.0)
        for enemy in state.bosses:
            assert area.surface(enemy.x, enemy.y) < PILLAR, f"seed {seed}"
