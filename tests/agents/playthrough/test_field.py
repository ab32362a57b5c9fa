"""Whole replays in a small game: whatever wanders, blocks or comes late, the demo ends."""

from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.agents.playthrough.state_names import DETOUR, STATES
from playhead.agents.recorded_demo import Demo

from .field import Area, Enemy, Field, Person, record, replay, settings_of
from .town import ITEM, town, town_demo


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> Demo:
    return town_demo(tmp_path_factory.mktemp("town"))


@cache
def shared_demo(folder) -> Demo:
    return town_demo(folder)


def test_a_replay_plays_every_event_of_the_demo_and_buys_what_it_bought(demo):
    field = town(enemies=False)
    agent = replay(field, demo)
    assert agent.failure is None
    assert field.done == ["elder", "choice", "keeper", "gate"]
    assert field.flags >= {"asked", "yes", "bought 2", "boss beaten"}
    assert field.aiming
    assert agent.report.events == field.done
    assert agent.progress == 1.0


def test_every_state_is_visited_where_there_are_enemies(demo):
    agent = replay(town(0), demo)
    assert agent.failure is None
    assert set(agent.report.transitions) == set(STATES) - {DETOUR}


@pytest.mark.slow
@settings(max_examples=25)
@given(
    seed=st.integers(0, 10_000), oldest=st.integers(0, 4), popups=st.sampled_from([0, 130, 300]),
    loses=st.floats(0, 0.3),
)  # fmt: skip
def test_enemies_pop_ups_and_late_or_lost_observations_do_not_matter(
    tmp_path_factory, seed, oldest, popups, loses
):
    demo = shared_demo(tmp_path_factory.getbasetemp())
    chance = Random(seed)
    held = 0

    def age() -> int:
        nonlocal held
        # A lost one shows as the one before it, seen again.
        held = min(held + 1, 4) if chance.random() < loses else chance.randint(0, oldest)
        return held

    field = town(seed, popups=popups)
    agent = replay(field, demo, age=age, rng=Random(seed))
    assert agent.failure is None, agent.failure
    assert field.flags >= {"asked", "yes", "bought 2", "boss beaten"}
    assert field.aiming


def test_the_same_seed_gives_the_same_replay(demo):
    def places(seed):
        at = []
        chance = Random(seed)
        replay(
            town(seed), demo, age=lambda: chance.randint(0, 3), rng=Random(seed),
            on_frame=lambda agent, field: at.append((field.x, field.y, agent.row)),
        )  # fmt: skip
        return at

    assert places(3) == places(3)


def test_items_beside_the_way_are_taken_although_the_demo_left_them(tmp_path):
    walk = record(Field([Area("a")]), [("go", 12, 0)], tmp_path / "walk.csv")
    field = Field([Area("a", items=[("coin", 6, 2)])])
    agent = replay(field, walk)
    assert agent.failure is None
    assert field.area.items == []
    assert agent.report.transitions["collect_item"] == 1
    assert agent.report.transitions["back_to_demoroute"] == 1


def test_an_item_that_cannot_be_reached_is_tried_some_times_and_reported(tmp_path):
    walk = record(Field([Area("a")]), [("go", 12, 0)], tmp_path / "walk.csv")
    wall = [(4, 1, 8, 1.4), (4, 1, 4.4, 3), (7.6, 1, 8, 3), (4, 2.6, 8, 3)]
    field = Field([Area("a", walls=wall, items=[("coin", 6, 2)])])
    agent = replay(field, walk)
    assert agent.failure is None
    assert len(field.area.items) == 1
    assert agent.report.ignored_items == ["coin at (6, 2, 0)"]
    assert agent.report.transitions["collect_item"] == 1 + settings_of().items.retries


def test_of_enemies_that_share_a_name_one_is_fought_at_a_time(tmp_path):
    walk = record(Field([Area("a")]), [("go", 14, 0)], tmp_path / "walk.csv")
    field = Field([Area("a", enemies=[Enemy((7, y), hp=3) for y in (-0.8, 0.8, 2.0)])])
    fallen = []

    def watch(agent, field):
        if len(field.area.enemies) < 3 and not fallen:
            fallen.extend(enemy.hp for enemy in field.area.enemies)

    agent = replay(field, walk, on_frame=watch)
    assert agent.failure is None
    assert field.area.enemies == []
    assert fallen == [3, 3]  # nobody else was struck before the first was down


def test_an_enemy_behind_a_wall_is_left_alone_after_a_while(tmp_path):
    walk = record(Field([Area("a")]), [("go", 14, 0)], tmp_path / "walk.csv")
    pen = [(4, 2, 10, 2.4), (4, 2, 4.4, 6), (9.6, 2, 10, 6), (4, 5.6, 10, 6)]
    field = Field([Area("a", walls=pen, enemies=[Enemy((7, 3.5), speed=0)])])
    agent = replay(field, walk, settings_of("enemies: {fruitless: 40, attack: 1.0}"))
    assert agent.failure is None
    assert agent.report.pardoned[0] == "imp: fruitless"


def test_blows_and_walls_between_do_not_keep_it_from_the_route(tmp_path):
    corner = [(4, -8, 5, 3)]
    way = [("go", 3, 0), ("go", 3, 4.5), ("go", 7, 4.5), ("go", 7, 0), ("go", 9, -6)]
    walk = record(Field([Area("a", walls=corner)]), way, tmp_path / "walk.csv")
    for seed in range(6):
        enemies = [Enemy((2, 6)), Enemy((7, 2)), Enemy((1, 2)), Enemy((9, 0))]
        field = Field([Area("a", walls=corner, enemies=enemies)], seed=seed)
        agent = replay(field, walk)
        assert agent.failure is None, (seed, agent.failure)
        assert (field.x, field.y) == pytest.approx((9, -6), abs=0.5)


def test_a_jump_that_failed_is_tried_again(tmp_path):
    ditch = Area("a", pits=[(4, -20, 6.6, 20)])
    demo = record(Field([ditch]), [("go", 3.7, 0), ("jump", 9, 0)], tmp_path / "jump.csv")
    field = Field([Area("a", pits=[(4, -20, 6.6, 20)])])
    weak = [True]

    def spoil(agent, field):
        if field.z > 0.5 and weak:
            weak.clear()
            field.vz = -3.0

    agent = replay(field, demo, on_frame=spoil)
    assert agent.failure is None
    assert field.falls >= 1
    assert field.x == pytest.approx(9, abs=0.3)
    assert agent.report.transitions["pad_replay"] == 2
    assert agent.report.recoveries == 1


def test_a_double_jump_is_one_replay(tmp_path):
    def ditch():
        return Area("a", pits=[(4, -20, 8.2, 20)])

    demo = record(Field([ditch()]), [("go", 3.7, 0), ("double", 11, 0)], tmp_path / "two.csv")
    field = Field([ditch()])
    agent = replay(field, demo)
    assert agent.failure is None
    assert field.falls == 0
    assert agent.report.transitions["pad_replay"] == 1


def test_a_mode_that_did_not_switch_is_switched_again(tmp_path):
    deeds = [("go", 3, 0), ("aim",), ("go", 8, 0)]
    demo = record(Field([Area("a")]), deeds, tmp_path / "aim.csv")
    field = Field([Area("a")])
    field.refuses_aim = 1
    agent = replay(field, demo)
    assert agent.failure is None
    assert field.aiming
    assert agent.report.recoveries == 1


def test_what_knocks_it_back_on_its_way_to_talk_is_made_good(tmp_path):
    def square():
        return Field([Area("a", people=[Person((8, 0), "smith", gives="sword")])])

    demo = record(square(), [("go", 7.2, 0.4), ("talk",), ("go", 7, -4)], tmp_path / "t.csv")
    field = square()
    blows = [60, 64, 70]

    def blow(agent, field):
        if blows and field.ticks == blows[0] and not field.event:
            blows.pop(0)
            field.x -= 1.0

    agent = replay(field, demo, on_frame=blow)
    assert agent.failure is None
    assert "sword" in field.flags


def test_a_boss_and_its_followers_fall_and_the_demo_goes_on_from_there(demo):
    field = town(enemies=False)
    states = []
    agent = replay(field, demo, on_frame=lambda agent, field: states.append(agent.step_state))
    after = states[len(states) - states[::-1].index("boss_battle") :]
    assert agent.failure is None
    assert after[0] == "move_checkpoint"
    assert "back_to_demoroute" not in after


def test_after_a_boss_it_may_go_back_to_the_route(demo):
    states = []
    agent = replay(
        town(enemies=False), demo, settings_of("bosses: {exit: back_to_demoroute}"),
        on_frame=lambda agent, field: states.append(agent.step_state),
    )  # fmt: skip
    assert agent.failure is None
    assert states[len(states) - states[::-1].index("boss_battle")] == "back_to_demoroute"


def test_a_boss_without_a_field_is_fought_in_its_region(demo):
    field = town(enemies=False)
    field.areas["cave"].arena = None
    region = "bosses: {regions: [{name: lair, at: [14, 0, 0], radius: 5, boss: ogre}]}"
    agent = replay(field, demo, settings_of(region))
    assert agent.failure is None
    assert agent.report.transitions["boss_battle"] == 1
    assert field.flags >= {"boss beaten"}


def test_an_item_on_the_far_side_of_a_wall_does_not_end_the_replay(demo):
    field = town(enemies=False)
    field.area.items[:] = [ITEM, ("gem", 6.5, 1.0)]
    agent = replay(field, demo)
    assert agent.failure is None
