"""What the agent finds in a demo before it plays."""

from playhead.agents.playthrough.engine_axes import EngineGeometry
from playhead.agents.playthrough.playthrough_settings import parse_settings
from playhead.agents.playthrough.route.demo_route import DemoRoute
from playhead.playback.pads.pad import Button

from ..rows import demo_of, route_of, row, walk

DEFAULTS = parse_settings("")


def test_the_events_are_indexed_by_id_with_every_time_they_were_played():
    events = ["", "", "E1", "E1", "", "E1", ""]
    route = route_of([row(at, event=event) for at, event in enumerate(events)])
    assert route.event_startend_index == {"E1": [[2, 3], [5, 5]]}


def test_an_event_at_either_end_of_the_demo_and_one_right_behind_another_are_indexed():
    events = ["A", "A", "B", "", "A"]
    route = route_of([row(at, event=event) for at, event in enumerate(events)])
    assert route.event_startend_index == {"A": [[0, 1], [4, 4]], "B": [[2, 2]]}


def test_every_fifth_row_is_a_way_point_and_the_last_one():
    assert route_of(walk(23)).checkpoints.tolist() == [0, 5, 10, 15, 20, 22]


def test_the_interval_is_a_setting():
    assert route_of(walk(23), "moving: {interval: 10}").checkpoints.tolist() == [0, 10, 20, 22]


def test_where_a_replay_starts_is_a_way_point_by_force():
    jump = walk(23, button_b={7: True}, in_air={8: True, 9: True})
    route = route_of(jump, "pad_replay: {lead: 0}")
    assert route.checkpoints.tolist() == [0, 5, 7, 10, 15, 20, 22]
    assert [(at, start.name) for at, start in route.starts.items()] == [(7, "jump")]
    assert [route.next_move_checkpoint_data(at) for at in (0, 4, 5, 7, 21, 22)] == [
        5, 5, 7, 10, 22, 22,
    ]  # fmt: skip


def test_a_jump_begins_with_the_demos_own_run_up():
    jump = walk(40, button_b={20: True}, in_air={21: True, **dict.fromkeys(range(14, 15), True)})
    assert list(route_of(jump).starts) == [15]
    turned = walk(40, button_b={20: True}, in_air={21: True}, stick_y={17: 1.0, 16: 1.0})
    assert list(route_of(turned).starts) == [18]


def test_a_run_up_leaves_time_for_the_jump():
    jump = walk(60, button_b={40: True}, in_air={41: True})
    assert list(route_of(jump, "pad_replay: {frames: 12}").starts) == [30]


def test_a_start_may_be_led_in_by_rows_before_it():
    jump = walk(23, button_b={7: True}, in_air={8: True, 9: True})
    assert list(route_of(jump, "pad_replay: {lead: 3}").starts) == [4]


def test_a_press_that_does_not_lead_into_the_air_is_no_jump():
    assert route_of(walk(23, button_b={7: True})).starts == {}


def test_the_press_that_closes_a_conversation_is_no_deed_of_its_own():
    demo = demo_of(
        walk(30, event=dict.fromkeys(range(5, 12), "elder"), button_a={12: True, 20: True}),
        flags=[""] * 12 + ["asked"] * 8 + ["asked, open"] * 10,
    )
    demo.outcomes = {"flags": "equal"}
    route = DemoRoute(demo, DEFAULTS, EngineGeometry(DEFAULTS.engine))
    assert {at: start.name for at, start in route.starts.items()} == {20: "deed"}


def test_starts_may_be_declared_of_any_column():
    settings = "pad_replay: {starts: [{name: aims, column: aiming, becomes: true}]}"
    aiming = [4 <= at <= 9 for at in range(23)]
    assert list(route_of(walk(23), settings, aiming=aiming).starts) == [4]
    assert route_of(walk(23), settings).starts == {}


def test_standing_still_is_left_out_before_way_points_are_counted():
    rows = [*walk(8), *[row(0.7)] * 40, *(row(0.8 + at * 0.1) for at in range(8))]
    route = route_of(rows)
    # Kept are 0 to 7 and 48 to 55: of these every fifth, and the last.
    assert route.checkpoints.tolist() == [0, 5, 50, 55]


def test_creeping_is_not_standing_still():
    route = route_of([row(at * 0.004) for at in range(100)])
    places = [route.point(at)[0] for at in route.checkpoints.tolist()]
    assert len(places) == 8
    assert places[-1] == 99 * 0.004


def test_going_straight_up_is_not_standing_still():
    lift = [row(player_z=at * 0.05) for at in range(21)]
    assert route_of(lift).checkpoints.tolist() == [0, 5, 10, 15, 20]


def test_a_row_with_a_press_an_event_or_a_level_is_never_left_out():
    rows = [row()] * 30
    rows[10] = row(button_y=True)
    rows[20:22] = [row(event="E")] * 2
    for at in range(25, 30):
        rows[at] = row(level="two")
    kept = route_of(rows, "moving: {interval: 1}").checkpoints.tolist()
    assert {0, 10, 20, 25} <= set(kept)
    assert not set(kept) & {*range(1, 10), *range(11, 20)}


def test_no_way_point_lies_in_an_event_but_where_it_began():
    route = route_of(walk(40, event=dict.fromkeys(range(12, 28), "E")))
    assert route.checkpoints.tolist() == [0, 5, 10, 12, 30, 35, 39]


def test_no_way_point_lies_in_the_air():
    route = route_of(walk(23, in_air=dict.fromkeys(range(4, 12), True)))
    assert route.checkpoints.tolist() == [0, 15, 20, 22]


def test_the_route_falls_apart_at_another_level_and_where_nobody_walks():
    rows = [*walk(10), *(row(50 + at * 0.1) for at in range(10)), *walk(10)]
    rows = [row(one.player_x, level="b" if at >= 20 else "a") for at, one in enumerate(rows)]
    route = route_of(rows)
    assert route.part_starts == [0, 10, 20]
    assert {9, 10, 19, 20} <= set(route.checkpoints.tolist())
    assert (route.part_end(3), route.part_end(12), route.part_end(25)) == (9, 19, 29)
    assert (route.next_level(3), route.next_level(25)) == (20, None)


def test_who_confirms_and_soon_is_in_an_event_has_opened_it():
    route = route_of(
        walk(60, button_a={10: True, 30: True, 33: True}, event=dict.fromkeys(range(35, 50), "E"))
    )
    assert [(one.press, one.start) for one in route.openings.values()] == [(33, 35)]
    assert 33 in route.exact
    assert 33 in route.checkpoints.tolist()


def test_a_screen_is_opened_as_an_event_is():
    screens = ["shop" if 20 <= at < 40 else "" for at in range(60)]
    route = route_of(walk(60, button_a={18: True, 25: True}), screen=screens)
    assert [(one.press, one.start) for one in route.openings.values()] == [(18, 20)]
    stay = route.screen_at("shop", 0)
    assert stay is not None
    assert (stay.start, stay.end) == (20, 39)
    assert route.screen_at("shop", 40) is None


def test_presses_are_the_buttons_bits():
    route = route_of([row(button_a=True, pad_down=True, trigger_l=True, trigger_l_value=0.9)])
    assert route.pressed[0] & Button.A
    assert route.pressed[0] & Button.DOWN
    assert not route.pressed[0] & Button.B
    assert route.pull(0) == 0.9


def test_a_demo_of_one_row_is_a_route():
    route = route_of([row(3.0)])
    assert route.checkpoints.tolist() == [0]
    assert route.next_move_checkpoint_data(0) == 0


def test_the_nearest_row_is_the_latest_of_equally_near_ones():
    there_and_back = [row(x) for x in (0.0, 1.0, 2.0, 1.0, 0.0)]
    assert route_of(there_and_back).nearest((1.0, 0.0, 0.0), 4) == 3


def test_a_demo_keeps_its_own_columns_by_type():
    demo = demo_of([row(), row(1.0)], mana=[1.0, 0.5], mode=["a", "b"])
    assert demo.own == {"mana": float, "mode": str}
    assert demo.columns["mode"].tolist() == ["a", "b"]
    assert [one.player_x for one in demo.rows] == [0.0, 1.0]


def test_a_row_is_found_by_its_place_on_the_ground_and_on_the_same_floor():
    rows = [row(1.0 * at, player_z=3.0 * (at > 6)) for at in range(10)]
    rows[4] = row(4.0, in_air=True)
    route = route_of(rows)
    assert route.at((5.2, 0.1, 0.0), range(1, 9), 0.5, 1.0) == 5
    assert route.at((5.2, 0.1, 0.0), range(1, 5), 0.5, 1.0) is None
    assert route.at((4.0, 0.0, 0.0), range(1, 9), 0.5, 1.0) is None
    assert route.at((8.0, 0.0, 0.0), range(1, 9), 0.5, 1.0) is None
    assert route.at((5.0, 0.0, 0.0), range(6, 6), 0.5, 1.0) is None
