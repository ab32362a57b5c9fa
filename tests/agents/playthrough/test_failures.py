"""Replays that can't come to their end say so once, with row, state and reason."""

import pytest

from playhead.agents.playthrough.playthrough_agent import PlaythroughAgent
from playhead.agents.playthrough.route.blocked_path_recovery import DETOURS
from playhead.playback.pads.pad import NEUTRAL

from .field import Area, Enemy, Field, Person, record, replay, settings_of
from .rows import demo_of, row, seen, walk
from .town import town, town_demo


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return town_demo(tmp_path_factory.mktemp("town"))


def straight(tmp_path, **area):
    return record(Field([Area("a", **area)]), [("go", 12, 0)], tmp_path / "walk.csv")


def failed(agent, kind, *result):
    """The failure is of this kind, says where it was, and nothing more is played."""
    assert agent.done
    assert agent.failure is not None
    assert agent.failure.kind == kind
    for text in (f"at row {agent.failure.row} of", f"in {agent.failure.state}", *result):
        assert text in agent.failure.message
    assert agent.step(seen()) == NEUTRAL


def test_who_can_go_nowhere_is_stuck_for_good(tmp_path):
    demo = straight(tmp_path)
    field = Field([Area("a", walls=[(6, -40, 7, 40)])])
    agent = replay(field, demo)
    failed(agent, "stuck", "no way to row", "no point of return is left")
    assert 2 <= agent.report.recoveries <= settings_of().recovery.attempts + 2 * DETOURS
    # It stands before the wall, from where a way point at its foot is near enough to be reached.
    assert agent.context.route.point(agent.memory.furthest)[0] <= 6.2


def test_who_was_drawn_through_a_door_that_shut_goes_on_from_where_it_is(tmp_path):
    demo = straight(tmp_path)
    area = Area("a")

    def draw(agent, field):
        if not area.walls and field.x > 5:
            field.x = 7.5
            area.walls.append((6, -40, 7, 40))

    agent = replay(Field([area]), demo, on_frame=draw)
    assert agent.report.finished
    assert agent.report.recoveries == 1


@pytest.mark.slow
def test_who_was_drawn_past_something_to_do_goes_back_to_it(tmp_path):
    area = Area("a")
    demo = record(Field([area]), [("go", 6, 0), ("jump", 12, 0)], tmp_path / "jump.csv")

    def draw(agent, field):
        if not area.walls and field.x > 4:
            field.x = 11.5
            area.walls.append((10, -40, 10.5, 40))

    agent = replay(Field([area]), demo, on_frame=draw)
    failed(agent, "stuck", "no way to row")


def test_a_death_fails_the_replay(tmp_path):
    demo = straight(tmp_path)

    def kill(agent, field):
        field.dead = field.x > 5

    agent = replay(Field([Area("a")]), demo, on_frame=kill)
    failed(agent, "died", "the player died at (5.")


def test_where_lives_are_left_it_goes_on_from_where_it_lives_again(tmp_path):
    demo = straight(tmp_path)
    field = Field([Area("a")])
    left = [30]

    def kill(agent, field):
        field.dead = field.x > 5 and 0 < left[0] < 30
        if field.x > 5 and left[0]:
            left[0] -= 1
            if not left[0]:
                field.x = 2.0

    agent = replay(field, demo, settings_of("limits: {deaths: 1}"), on_frame=kill)
    assert agent.failure is None
    assert agent.report.deaths == 1
    assert field.x == pytest.approx(12, abs=0.3)


def test_a_game_that_holds_the_player_for_ever_runs_out_of_time(tmp_path):
    demo = straight(tmp_path)
    field = Field([Area("a")])

    def hold(agent, field):
        field.x = min(field.x, 4.0) - 0.08 * (field.ticks % 40 == 0)

    limits = settings_of("limits: {slack: 100, factor: 1.0}\nrecovery: {stuck: 200}")
    agent = replay(field, demo, limits, on_frame=hold)
    failed(agent, "time-out", "frames, more than")


def test_an_event_that_does_not_come_is_missed(tmp_path):
    def square(*people):
        return Field([Area("a", people=list(people))])

    deeds = [("go", 7.2, 0), ("talk",), ("go", 3, 0)]
    demo = record(square(Person((8, 0), "smith")), deeds, tmp_path / "t.csv")
    agent = replay(square(), demo)
    failed(agent, "event", "nothing came of talking at row")


def test_an_event_that_should_be_walked_into_is_missed(tmp_path):
    zone = [("bell", (6, -3, 8, 3))]
    deeds = [("go", 8, 0), ("wait", 10)]
    demo = record(Field([Area("a", triggers=zone)]), deeds, tmp_path / "z.csv")
    assert demo.columns["event"][-1] == "bell"
    agent = replay(Field([Area("a")]), demo)
    failed(agent, "event", "event bell has not begun")


def test_an_event_that_comes_before_the_one_that_is_due_is_wrong_order(demo):
    field = town(enemies=False)

    def swap(agent, field):
        for person in field.areas["town"].people:
            person.event = {"elder": "keeper", "keeper": "elder"}.get(person.event, person.event)

    swap(None, field)
    agent = replay(field, demo)
    failed(agent, "order", "event keeper came before event elder")


def test_an_event_that_never_ends_fails_the_replay(demo):
    field = town(enemies=False)
    field.area.people[0].pages = 10**9
    agent = replay(field, demo, settings_of("events: {patience: 200}"))
    failed(agent, "event", "elder does not end")


def test_a_level_that_is_none_of_the_demos_is_noticed(demo):
    field = town(enemies=False)

    def lose(agent, field):
        if field.x > 20 and field.area.name == "town":
            field.area.name = "void"

    agent = replay(field, demo, on_frame=lose)
    failed(agent, "level", "the game is in level 'void', the demo in 'town'")


def test_a_level_that_changes_before_an_event_has_come_means_that_it_was_missed(demo):
    field = town(enemies=False)

    def jump(agent, field):
        if field.x > 5 and field.area.name == "town":
            field.area = field.areas["cave"]

    agent = replay(field, demo, on_frame=jump)
    failed(agent, "event", "event elder was missed: the level went on without it")


def test_a_game_that_begins_anew_is_noticed(demo):
    field = town(enemies=False)

    def restart(agent, field):
        if field.x > 10:
            field.screen, field.x, field.y = "title", 0.0, 0.0

    agent = replay(field, demo, on_frame=restart)
    failed(agent, "restarted", "'title'")


def test_a_game_that_was_reset_without_a_word_does_not_finish(tmp_path):
    """Everything is as in the beginning, but nobody says so."""
    wall = [(6, 2, 6.5, 40), (6, -40, 6.5, -0.5)]
    demo = record(
        Field([Area("a", walls=wall)]), [("go", 5, 0.8), ("go", 10, 0.8)], tmp_path / "r.csv"
    )
    field = Field([Area("a", walls=wall)])
    done = []

    def reset(agent, field):
        if field.x > 8 and not done:
            done.append(True)
            field.x, field.y = 0.0, 6.0

    agent = replay(field, demo, on_frame=reset)
    assert agent.done
    # It found back by itself, or said where it was stuck; it never just hangs.
    assert agent.failure is not None or field.x > 9


def test_a_screen_that_does_not_close_fails_the_replay(tmp_path):
    demo = straight(tmp_path)

    def open_menu(agent, field):
        if field.x > 5:
            field.screen = "menu"

    agent = replay(Field([Area("a")]), demo, on_frame=open_menu)
    failed(agent, "screen", "screen 'menu' does not close")


def test_a_pop_up_that_does_not_close_fails_the_replay(tmp_path):
    demo = straight(tmp_path)

    field = Field([Area("a")], popups=20)
    field._screen = lambda pressed: None
    agent = replay(field, demo, settings_of("orders: {patience: 100}"))
    failed(agent, "screen", "screen 'popup' does not close")


def test_a_boss_that_cannot_be_hurt_ends_the_replay(demo):
    field = town(enemies=False)
    field.areas["cave"].bosses[0].hp = 10.0**9

    def heal(agent, field):
        for boss in field.areas["cave"].bosses[:1]:
            boss.hp, boss.x, boss.y = 10.0**9, 14.0, 0.0

    quick = settings_of("bosses: {fight: {fruitless: 60}}")
    agent = replay(field, demo, quick, on_frame=heal)
    failed(agent, "stuck", "the fight with 'ogre' leads nowhere: fruitless")


def test_an_enemy_that_leaves_the_game_is_dealt_with_as_if_it_had_fallen(tmp_path):
    demo = straight(tmp_path)
    field = Field([Area("a", enemies=[Enemy((7, 1), hp=99, speed=0)])])

    def vanish(agent, field):
        if agent.step_state == "enemy_battle" and agent.report.frames > 90:
            field.area.enemies.clear()

    agent = replay(field, demo, on_frame=vanish)
    assert agent.failure is None
    assert agent.report.transitions["back_to_demoroute"] == 1


def test_the_level_that_the_demo_comes_to_next_may_come_early(demo):
    """A door that opens some steps earlier than in the demo."""
    field = town(enemies=False)
    field.areas["town"].doors = [((23, 2, 26, 10), "cave", (0, 0), "bought 2")]
    assert replay(field, demo).failure is None


def test_no_recovery_leads_into_another_level(demo):
    field = town(enemies=False)
    parts = []

    def block(agent, field):
        if field.area.name == "cave":
            field.area.walls[:] = [(2, -40, 3, 40)]
            parts.append((agent.memory.returning, agent.context.route.part_starts[-1]))

    agent = replay(field, demo, on_frame=block)
    assert agent.failure is not None
    assert agent.failure.kind == "stuck"
    assert all(row is None or row >= start for row, start in parts)


def test_the_games_good_end_is_the_replays():
    agent = PlaythroughAgent(demo_of(walk(60)), settings_of())
    agent.step(seen())
    assert agent.step(seen(finished=True)) == NEUTRAL
    assert agent.done
    assert agent.failure is None
    assert agent.progress == 1.0
    assert agent.report.finished


def test_a_demo_of_one_row_is_done_when_its_place_is_reached():
    agent = PlaythroughAgent(demo_of([row(0.0)]), settings_of())
    for _ in range(6):  # so late an observation may be that says otherwise
        assert not agent.done
        agent.step(seen())
    assert agent.done
    assert agent.failure is None
