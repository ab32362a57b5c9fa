"""The village by pad: every part of it is reached, and what was missed blocks the way."""

import math

import pytest

from playhead.games.arena.adventure.adventure import Adventure
from playhead.games.arena.adventure.adventure_game import AdventureGame
from playhead.games.arena.adventure.world.enemy_fsm import EnemyState
from playhead.games.arena.adventure.world.level_loader import level_path, load_level
from playhead.games.arena.adventure.world.player import HEALTH, RECHARGE
from playhead.playback.pads.pad import Button, Pad

from .conftest import Driver

READY = ("asked", "word known")


@pytest.fixture
def seen(village):
    return lambda: village.game.observe()


# --- windows ----------------------------------------------------------------------------------


def test_the_title_is_left_by_start_and_a_new_game_by_a():
    driver = Driver(AdventureGame("village", seed=3))
    seen = driver.game.observe
    assert seen().screen == "title"
    assert seen().extras["cursor"] == ""
    driver.hold(30, left=(0.0, 1.0), held=int(Button.A))
    assert (seen().screen, driver.player.at) == ("title", (0.0, -18.0))
    driver.tap(Button.START)
    assert seen().extras["cursor"] == "new game"
    driver.tap(Button.A)
    assert seen().screen == ""
    driver.hold(30, left=(0.0, 1.0))
    assert driver.player.y > -17.0


def test_continue_goes_on_from_the_newest_saved_game(village, seen):
    village.tap(Button.START)
    village.tap(Button.DOWN)
    assert seen().extras["cursor"] == "save"
    village.tap(Button.A)
    assert seen().screen == ""
    village.hold(60, left=(1.0, 0.0))
    village.tap(Button.START)
    for _ in range(4):
        village.tap(Button.DOWN)
    assert seen().extras["cursor"] == "title"
    village.tap(Button.A)
    village.tap(Button.START)
    village.tap(Button.DOWN)
    assert seen().extras["cursor"] == "continue"
    village.tap(Button.A)
    assert seen().screen == ""
    assert village.player.at == (0.0, -18.0)


def test_continue_without_a_saved_game_stays_at_the_title(seen):
    driver = Driver(AdventureGame("village", seed=3))
    driver.tap(Button.START)
    driver.tap(Button.DOWN)
    driver.tap(Button.A)
    assert driver.game.observe().screen == "title"


def test_the_debug_menu_gives_what_is_missing_and_ends_an_event(village, seen):
    village.be("village", (0.0, -5.5))
    village.tap(Button.A)
    assert seen().event == "elder_asks"
    village.tap(Button.START)
    assert seen().screen == "menu"
    for _ in range(3):
        village.tap(Button.DOWN)
    village.tap(Button.A)
    assert seen().screen == "debug"
    while seen().extras["cursor"] != "end the event":
        village.tap(Button.DOWN)
    village.tap(Button.A)
    assert (seen().screen, seen().event) == ("", "")
    assert "asked" in village.adventure.story.flags
    village.tap(Button.START)
    for _ in range(3):
        village.tap(Button.DOWN)
    village.tap(Button.A)
    village.tap(Button.DOWN)
    assert seen().extras["cursor"] == "give the lamp"
    village.tap(Button.A)
    assert village.adventure.story.items == {"lamp": 1}


def test_popups_come_up_by_seed_and_only_b_closes_them(village, seen):
    steps = 0
    while seen().screen != "popup":
        village.wait(1)
        steps += 1
    assert 25 * 60 <= steps <= 70 * 60
    player_position = village.player.at
    village.hold(20, left=(1.0, 0.0), held=int(Button.A))
    assert (seen().screen, village.player.at) == ("popup", player_position)
    village.tap(Button.B)
    assert seen().screen == ""
    assert village.player.grounded


@pytest.mark.slow
def test_popups_come_at_other_times_with_another_seed():
    times = set()
    for seed in range(4):
        driver, steps = Driver(AdventureGame("village", seed=seed, title=False)), 0
        while driver.adventure.screen != "popup":
            driver.wait(1)
            steps += 1
        times.add(steps)
    assert len(times) == 4


# --- talking ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "degrees", "talks"),
    [
        ((0.0, -5.5), 90, True),
        ((0.0, -5.5), 50, True),
        ((0.0, -5.5), 0, False),
        ((0.0, -5.5), -90, False),
        ((0.0, -6.2), 90, False),
        ((1.5, -4.0), 180, True),
    ],
)
def test_people_are_talked_to_within_reach_and_ahead(village, seen, at, degrees, talks):
    village.be("village", at, degrees)
    village.tap(Button.A)
    assert seen().event == ("elder_asks" if talks else "")
    assert seen().message is talks


def test_mashing_a_answers_with_the_first_answer_and_changes_nothing(village, seen):
    village.be("village", (0.0, -5.5))
    for _ in range(6):
        village.tap(Button.A)
    assert seen().event == ""
    assert "asked" not in village.adventure.story.flags


def test_the_elder_is_answered_with_the_d_pad(village, seen):
    village.be("village", (0.0, -5.5))
    village.tap(Button.A)
    village.turn_pages()
    assert seen().extras["cursor"] == "not now"
    village.tap(Button.DOWN)
    assert seen().extras["cursor"] == "I will"
    village.tap(Button.A)
    assert seen().message
    village.turn_pages()
    assert seen().event == ""
    assert "asked" in village.adventure.story.flags
    village.tap(Button.A)
    assert seen().event == "elder_waits"


def test_a_person_turns_to_who_talks_to_it(village):
    village.be("village", (1.5, -4.0), 180)
    village.tap(Button.A)
    village.wait(40)
    elder = next(s for s in village.adventure.area_state.speakers if s.name == "elder")
    assert elder.facing == pytest.approx(0.0, abs=0.1)
    assert elder.view.state == "talks"


def test_while_somebody_talks_the_player_stands_and_so_do_its_enemies(village, seen):
    village.be("forest", (-5.5, -9.0), 180)
    village.wait(25 * 60)
    while seen().screen:
        village.tap(Button.B)
    village.be("forest", (-5.5, -9.0), 180)
    village.tap(Button.A)
    assert seen().event == "traveller_hurt"
    village.wait(60)
    before = [(enemy.x, enemy.y) for enemy in village.adventure.area_state.all_enemies]
    village.hold(120, left=(1.0, 0.0))
    assert [(enemy.x, enemy.y) for enemy in village.adventure.area_state.all_enemies] == before
    assert village.player.at == (-5.5, -9.0)


def test_signs_are_read(village, seen):
    village.be("village", (5.0, -13.5))
    village.tap(Button.A)
    assert seen().event == "sign_word"
    village.turn_pages()
    assert "word known" in village.adventure.story.flags


def test_a_menu_of_three_answers_is_gone_through(village, seen):
    village.be("forest", (-5.5, -9.0), 180)
    village.tap(Button.A)
    village.turn_pages()
    village.tap(Button.DOWN)
    village.tap(Button.DOWN)
    assert seen().extras["cursor"] == "bind the leg"
    village.tap(Button.A)
    village.turn_pages()
    assert "traveller helped" in village.adventure.story.flags


# --- the story's order ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "items"),
    [((), {"lamp": 1}), (("asked",), {"lamp": 1}), (("word known",), {"lamp": 1}), (READY, {})],
)
def test_the_guard_opens_to_nobody_who_missed_something(village, seen, flags, items):
    village.be("village", (1.5, 5.5), 10, flags=flags, items=items)
    village.tap(Button.A)
    assert seen().event == "guard_refuses"
    village.turn_pages()
    assert not village.walk(0.0, 9.5, 200)
    assert village.player.y < 8.0


def test_the_guard_opens_to_who_is_ready_and_the_scene_has_no_window(village, seen):
    village.be("village", (1.5, 5.5), 10, flags=READY, items={"lamp": 1})
    village.tap(Button.A, then=2)
    assert (seen().event, seen().message) == ("guard_opens", False)
    village.wait(100)
    assert seen().message
    village.turn_pages()
    assert village.walk(0.0, 5.0)
    assert village.walk(0.0, 9.5)


def test_a_lamp_is_bought_with_coins_in_the_shop(village, seen):
    village.be("village", (-14.0, -10.0), items={"coin": 4})
    village.tap(Button.A)
    assert seen().event == "shop_opens"
    village.turn_pages()
    assert (seen().screen, seen().event) == ("shop", "")
    assert seen().extras["cursor"] == "banner"
    village.tap(Button.A)
    assert village.adventure.story.items == {"coin": 4}
    village.tap(Button.DOWN)
    assert seen().extras["cursor"] == "lamp"
    village.tap(Button.A)
    assert village.adventure.story.items == {"coin": 1, "lamp": 1}
    assert seen().extras["coins"] == 1.0
    village.tap(Button.A)
    assert village.adventure.story.items == {"coin": 1, "lamp": 1}
    village.tap(Button.B)
    assert seen().screen == ""
    assert village.player.grounded


def test_without_enough_coins_nothing_is_sold(village, seen):
    village.be("village", (-14.0, -10.0), items={"coin": 2})
    village.tap(Button.A)
    village.turn_pages()
    village.tap(Button.DOWN)
    village.tap(Button.A)
    assert village.adventure.story.items == {"coin": 2}


def test_items_are_taken_by_touch_once(village, seen):
    count = len(seen().items)
    assert village.walk(-4.0, -14.0)
    assert village.adventure.coins == 1
    assert len(seen().items) == count - 1
    assert village.walk(-4.0, -18.0)
    assert village.walk(-4.0, -14.0)
    assert village.adventure.coins == 1


def test_an_item_on_a_crate_is_not_reached_from_the_ground_but_by_a_jump(village):
    village.be("village", (11.0, -14.0))
    village.hold(60, left=(0.0, 1.0))
    assert village.adventure.coins == 1 or village.player.z == 0.0
    village.hold(2, left=(0.0, 1.0), held=int(Button.B))
    village.hold(40, left=(0.0, 1.0))
    assert village.adventure.coins == 1


def test_an_apple_heals(village):
    village.be("village", (0.0, 16.5), flags=("gate open",))
    village.player.hp = 50.0
    assert village.walk(1.0, 16.5)
    assert 80.0 < village.player.hp < 85.0


# --- heights ----------------------------------------------------------------------------------


def up(driver: Driver, jumps: int) -> None:
    """Against a ledge to the north, with so many jumps."""
    driver.hold(40, left=(0.0, 1.0))
    for _ in range(jumps):
        driver.hold(2, left=(0.0, 1.0), held=int(Button.B))
        driver.hold(18, left=(0.0, 1.0))
    driver.hold(50, left=(0.0, 1.0))


def test_the_way_to_the_forest_takes_a_jump_and_then_two(village, seen):
    village.be("village", (0.0, 13.2), flags=("gate open",))
    up(village, 0)
    assert village.player.z == 0.0
    village.walk(0.0, 13.2)
    up(village, 1)
    assert village.player.z == 1.0
    village.be("village", (0.0, 17.0), flags=("gate open",))
    up(village, 1)
    assert village.player.z == 1.0
    village.walk(0.0, 17.0)
    up(village, 2)
    assert seen().level == "forest"
    assert village.player.y < -19.0


def test_the_ditch_is_jumped_and_who_falls_in_gets_out(village):
    village.be("village", (2.0, 9.3), flags=("gate open",))
    village.hold(40, left=(0.0, 1.0))
    assert village.player.z == -0.6
    up(village, 1)
    assert village.player.z == 0.0
    assert village.player.y > 12.5


def test_lava_is_the_end(village, seen):
    village.be("forest", (-18.0, -12.0), -90)
    village.hold(60, left=(0.0, -1.0))
    assert seen().dead
    assert not seen().can_jump
    player_position = village.player.at
    village.hold(60, left=(1.0, 0.0))
    assert village.player.at == player_position
    village.tap(Button.START)
    assert seen().screen == "menu"


# --- fighting ---------------------------------------------------------------------------------


def beside(driver: Driver):
    """Stand before the first enemy that has come up."""
    while not driver.adventure.area_state.all_enemies or driver.adventure.menus:
        driver.tap(Button.B)
    return driver.adventure.area_state.all_enemies[0]


@pytest.mark.slow
def test_enemies_of_one_kind_share_a_label_and_come_up_at_random_places():
    positions, labels, counts = set(), set(), set()
    for seed in range(6):
        driver = Driver(AdventureGame("village", seed=seed, title=False))
        driver.be("forest", (0.0, -22.0))
        driver.wait(21 * 60)
        enemies = driver.game.observe().enemies
        counts.add(len(enemies))
        labels |= {thing.label for thing in enemies}
        positions |= {thing.position for thing in enemies}
    assert labels == {"goblin"}
    assert len(counts) > 1
    assert len(positions) >= 12


def test_an_enemy_chases_strikes_and_knocks_the_player_back(village):
    village.be("forest", (0.0, -8.0))
    enemy = beside(village)
    enemy.place((village.player.x + 2.5, village.player.y))
    enemy.facing = math.pi
    moods, start = set(), village.player.at
    for _ in range(240):
        village.wait(1)
        moods.add(enemy.state)
        if village.player.hp < HEALTH - 4.0:
            break
    assert {EnemyState.CHASE, EnemyState.STRIKE} <= moods
    village.wait(20)
    assert village.player.x < start[0] - 0.5
    assert not village.player.dead


def test_an_enemy_is_struck_knocked_back_and_defeated(village, seen):
    village.be("forest", (0.0, -8.0))
    enemy = beside(village)
    count = len(seen().enemies)
    village.face(90)
    enemy.place((village.player.x, village.player.y + 1.2))
    village.tap(Button.X, then=1)
    assert enemy.hp == 30.0
    assert enemy.knocked > 0.0
    village.wait(4)
    assert enemy.state is EnemyState.REEL
    village.wait(40)
    village.face(90)
    enemy.place((village.player.x, village.player.y + 1.2))
    village.tap(Button.X)
    assert len(seen().enemies) <= count - 1
    assert village.game.adventure.find(enemy.id) is None


def test_blows_kill_in_the_end(village, seen):
    village.be("forest", (0.0, -8.0))
    enemy = beside(village)
    village.player.hp = 4.0
    enemy.place((village.player.x + 1.5, village.player.y))
    enemy.facing = math.pi
    village.wait(180)
    assert seen().dead
    assert not seen().finished


def test_aim_mode_is_entered_and_left_by_the_trigger_and_shoots_the_raven(village, seen):
    village.be("forest", (0.0, 6.0), 90, flags=("boulder broken",))
    village.tap(Button.X)
    assert "raven shot" not in village.adventure.story.flags
    village.trigger()
    assert seen().extras["aiming"] is False  # the arm is not down yet
    village.wait(20)
    village.trigger()
    assert seen().extras["aiming"] is True
    village.tap(Button.X, then=30)
    assert "raven shot" not in village.adventure.story.flags
    village.face(math.degrees(math.atan2(5.0, -3.0)))
    village.tap(Button.X)
    assert "raven shot" in village.adventure.story.flags
    assert "silver key" in {thing.label for thing in seen().items}
    village.wait(30)
    village.trigger()
    assert seen().extras["aiming"] is False
    assert village.walk(-3.0, 9.5)
    assert village.adventure.story.items == {"silver key": 1}


def test_the_trigger_fails_in_the_air(village, seen):
    village.hold(2, held=int(Button.B))
    village.trigger()
    assert seen().extras["aiming"] is False


def test_the_special_move_breaks_the_boulder_once_it_is_charged(village, seen):
    village.be("forest", (5.0, -0.8))
    assert not village.walk(5.0, 4.0, 150)
    village.be("forest", (5.0, -4.0))
    village.tap(Button.UP)
    assert seen().extras["special"] is False
    village.be("forest", (5.0, -0.8))
    village.player.recharge = RECHARGE
    village.tap(Button.UP)
    assert "boulder broken" not in village.adventure.story.flags
    for _ in range(round(RECHARGE * 60) + 2):
        village.wait(1)
        if seen().screen:
            village.tap(Button.B)
    assert seen().extras["special"] is True
    village.tap(Button.UP)
    assert "boulder broken" in village.adventure.story.flags
    assert village.walk(5.0, 4.0)


def test_the_way_opens_when_the_boss_and_all_its_followers_are_gone(village, seen):
    village.be("hollow", (0.0, -15.0))
    assert seen().field == ""
    assert sorted(thing.label for thing in seen().bosses) == ["troll", "troll kin", "troll kin"]
    assert seen().enemies == ()
    assert village.walk(0.0, -7.0, 300)
    assert seen().field == "troll"
    for enemy in list(village.adventure.area_state.bosses):
        assert "troll beaten" not in village.adventure.story.flags
        village.adventure.hurt(enemy, enemy.hp)
    assert seen().bosses == ()
    assert "troll beaten" in village.adventure.story.flags


def test_the_flame_ends_the_game_and_not_before_the_troll_is_beaten(village, seen):
    village.be("hollow", (0.0, 15.2))
    village.tap(Button.Y)
    assert not seen().finished
    village.be("hollow", (0.0, 15.2), flags=("troll beaten",))
    village.tap(Button.Y)
    assert seen().finished
    assert not seen().dead


def test_the_old_gate_needs_the_key_and_the_travellers_word(village):
    for flags, items, opens in (
        (("traveller helped",), {}, False),
        ((), {"silver key": 1}, False),
        (("traveller helped",), {"silver key": 1}, True),
    ):
        village.be("forest", (0.0, 17.0), flags=flags, items=items)
        village.hold(150, left=(0.0, 1.0))
        assert (village.adventure.area_state.area.name == "hollow") is opens


def test_a_switch_is_turned_on_and_off_from_where_it_can_be_reached(room):
    parts = """\
    doors: [{name: door, at: [0, 3], size: [20, 0.5], needs: [lit]}]
    fixtures:
      - {kind: switch, name: low, at: [0, 0], sets: lit}
      - {kind: switch, name: high, at: [5, 0], up: 2.5, sets: lit}"""
    driver = room(parts)
    flags = driver.adventure.story.flags
    driver.be("room", (0.0, -1.2))
    driver.tap(Button.Y)
    assert driver.adventure.story.flags == {"lit"}
    assert driver.adventure.area_state.gates[0].state == "open"
    driver.tap(Button.Y)
    assert driver.adventure.story.flags == set()
    assert driver.adventure.area_state.gates[0].state == "closed"
    driver.be("room", (5.0, -1.2))
    driver.tap(Button.Y)
    assert driver.adventure.story.flags == set() == flags


def test_the_right_stick_turns_the_camera_and_not_the_player(village, seen):
    heading, rise = seen().camera
    facing = seen().facing
    village.hold(30, right=(1.0, 0.5))
    turned, risen = seen().camera
    assert turned < heading
    assert risen > rise
    assert seen().facing == facing


def test_running_is_faster_than_walking(village):
    village.hold(60, left=(0.0, 1.0))
    walked = village.player.y + 18.0
    village.be("village", (0.0, -18.0))
    village.hold(60, left=(0.0, 1.0), held=int(Button.RB))
    assert village.player.y + 18.0 > 1.3 * walked


def test_without_a_person_and_a_pad_nothing_is_touched():
    adventure = Adventure(load_level(level_path("dungeon")), 3)
    start = adventure.player.at
    for _ in range(60):
        adventure.step()
    assert adventure.player.at == start
    assert adventure.player.pad == Pad()
