"""The agent frame by frame: its state, its points of return, its replay of the pad."""

import time

import msgspec
import numpy as np
import pytest

from playhead.agents.demo_reader import read_demo
from playhead.agents.playthrough.observation_view import ObservationView
from playhead.agents.playthrough.playthrough_agent import PlaythroughAgent
from playhead.agents.playthrough.state_transitions import (
    TABLE,
    check_state_transition,
    situation_of,
)
from playhead.agents.recorded_demo import COLUMNS, TYPES, Demo, DemoWriter
from playhead.games.playable_interface import ObservedEntity
from playhead.playback.pads.pad import Button, Pad
from playhead.recorder.world_adapter import Conventions

from .field import settings_of
from .rows import demo_of, row, seen, walk

JUMPS = """
pad_replay: {starts: [{name: jump, pressed: [B], column: in_air, becomes: true, lead: 0}]}
"""


def follow(agent, demo, frames, offset=0):
    """Observations that follow the demo row by row, whatever the agent does; its pads."""
    rows = demo.rows
    pads = []
    for frame in range(frames):
        at = rows[min(frame + offset, len(rows) - 1)]
        pads.append(agent.step(seen(at.player_x, at.player_y, z=at.player_z)))
    return pads


def test_it_begins_in_move_checkpoint_and_walks_towards_the_demo():
    agent = PlaythroughAgent(demo_of(walk(60)), settings_of())
    assert agent.step_state == "move_checkpoint"
    pad = agent.step(seen(-3.0, 4.0))
    assert pad.left == pytest.approx((0.6, -0.8))
    assert agent.step_state == "move_checkpoint"
    assert not agent.done


def test_the_pad_is_replayed_for_just_as_many_rows_as_are_set():
    presses = {10: True}
    rows = walk(
        60, button_b=presses, in_air={11: True}, button_x=dict.fromkeys(range(11, 40, 2), True)
    )
    demo = demo_of(rows)
    agent = PlaythroughAgent(demo, settings_of(JUMPS))
    numbers, replayed = [], []
    for frame in range(45):
        at = demo.rows[frame]
        pad = agent.step(seen(at.player_x))
        if agent.step_state == "pad_replay" or (numbers and numbers[-1] == 1):
            numbers.append(agent.memory.pad_replay_numb)
            replayed.append((agent.row, pad.holds(Button.B), pad.holds(Button.X)))
        if agent.step_state == "move_checkpoint" and numbers:
            break
    assert numbers == [*range(14, -1, -1)]
    assert [at for at, _, _ in replayed] == [*range(10, 25)]
    assert [at for at, b, _ in replayed if b] == [10]
    assert [at for at, _, x in replayed if x] == [*range(11, 25, 2)]


def test_a_replay_goes_on_while_the_demo_is_in_the_air():
    rows = walk(60, button_b={10: True}, in_air=dict.fromkeys(range(11, 33), True))
    demo = demo_of(rows)
    agent = PlaythroughAgent(demo, settings_of(JUMPS))
    last = 0
    for frame in range(60):
        agent.step(seen(demo.rows[frame].player_x))
        if agent.step_state == "pad_replay":
            last = agent.row
    assert last in (31, 32)


def test_a_further_start_begins_the_replay_anew():
    rows = walk(80, button_b={10: True, 20: True}, in_air={11: True, 21: True})
    agent = PlaythroughAgent(demo_of(rows), settings_of(JUMPS))
    seen_rows = set()
    for frame in range(80):
        agent.step(seen(rows[frame].player_x))
        if agent.step_state == "pad_replay":
            seen_rows.add(agent.row)
    assert min(seen_rows) == 10
    assert max(seen_rows) in (33, 34)
    assert agent.report.transitions["pad_replay"] == 1


def test_a_replay_waits_for_a_jump_to_be_available_as_it_was():
    rows = walk(60, button_b={10: True}, in_air={11: True}, can_jump=dict.fromkeys(range(60), True))
    agent = PlaythroughAgent(demo_of(rows), settings_of(JUMPS))
    for frame in range(30):
        agent.step(seen(min(frame, 9) * 0.1, can_jump=False))
    assert agent.step_state == "move_checkpoint"
    for _ in range(3):
        agent.step(seen(0.9, can_jump=True))
    assert agent.step_state == "pad_replay"


def test_a_trigger_is_pulled_as_far_as_it_was():
    rows = walk(60, trigger_l={10: True}, trigger_l_value=dict.fromkeys(range(10, 14), 0.8))
    agent = PlaythroughAgent(
        demo_of(rows), settings_of("pad_replay: {starts: [{name: aim, pressed: [LT]}]}")
    )
    pulls = [pad.left_trigger for pad in follow(agent, demo_of(rows), 40)]
    assert [pull for pull in pulls if pull] == [0.8] * 4


def test_what_was_held_is_held_where_a_column_says_so():
    rows = walk(60)
    held = [float(Button.LB) if 10 <= at < 22 else 0.0 for at in range(60)]
    demo = demo_of(rows, held=held)
    agent = PlaythroughAgent(
        demo, settings_of("pad_replay: {starts: [{name: charge, pressed: [LB]}]}")
    )
    down = [pad.holds(Button.LB) for pad in follow(agent, demo, 50)]
    assert sum(down) == 12


def test_a_press_that_was_let_go_within_its_row_is_pressed_although_it_was_not_held():
    rows = walk(60)
    rows[20] = msgspec.structs.replace(rows[20], button_y=True)
    demo = demo_of(rows, held=[0.0] * 60)
    agent = PlaythroughAgent(demo, settings_of("pad_replay: {starts: [{name: use, pressed: [Y]}]}"))
    assert sum(pad.holds(Button.Y) for pad in follow(agent, demo, 50)) == 1


def test_the_present_row_is_kept_now_and_then_and_at_each_transition():
    settings = settings_of("recovery: {period: 10, length: 5}")
    demo = demo_of(walk(200))
    agent = PlaythroughAgent(demo, settings)
    for frame in range(60):
        agent.step(seen(frame * 0.1))
    rows = [entry for entry in agent.memory.event_buffer if isinstance(entry, int)]
    assert rows == sorted(rows)
    assert len(rows) == 5
    agent.step(seen(6.0, message=True))
    assert agent.step_state == "message_skip"
    assert agent.memory.event_buffer[-1] == agent.row


def test_events_are_marked_between_the_points_of_return():
    rows = walk(60, event=dict.fromkeys(range(10, 20), "E"))
    agent = PlaythroughAgent(demo_of(rows), settings_of())
    for frame in range(30):
        agent.step(seen(min(frame, 10) * 0.1, event="E" if 10 <= frame < 20 else ""))
    assert "E" in agent.memory.event_buffer
    assert agent.row >= 19


def test_stuck_it_goes_back_to_the_newest_point_of_return_then_to_an_older_one():
    settings = settings_of("recovery: {period: 10, stuck: 15, wiggle: 0, detour: 0}")
    agent = PlaythroughAgent(demo_of(walk(200)), settings)
    for frame in range(60):
        agent.step(seen(frame * 0.1))
    held = [entry for entry in agent.memory.event_buffer if isinstance(entry, int)]
    gone_back = []
    for _ in range(100):
        agent.step(seen(6.0, 0.0))
        if agent.memory.returning is not None and agent.memory.returning not in gone_back:
            gone_back.append(agent.memory.returning)
    assert gone_back[:2] == held[:-3:-1] or gone_back[:2] == held[-2:-4:-1]
    assert agent.report.recoveries >= 2


def test_no_point_of_return_lies_before_a_warp():
    """A lift, a portal, a cut of the story: nobody can walk back to where it began."""
    rows = [*walk(40), *(row(50.0 + at * 0.1) for at in range(40))]
    settings = settings_of("recovery: {period: 5, stuck: 15, wiggle: 0, detour: 0}")
    agent = PlaythroughAgent(demo_of(rows), settings)
    for frame in range(60):
        agent.step(seen(rows[frame].player_x))
    assert agent.row >= 50
    gone_back = set()
    while not agent.done:
        agent.step(seen(52.0, 3.0))
        gone_back.add(agent.memory.returning)
    assert agent.failure is not None
    assert "no point of return is left" in agent.failure.message
    assert min(gone_back - {None}) >= 40


def test_where_it_left_the_demo_is_kept_through_one_state_after_another():
    agent = PlaythroughAgent(demo_of(walk(200)), settings_of())
    for frame in range(30):
        agent.step(seen(frame * 0.1))
    left = agent.memory.last_checkpoint
    assert left == pytest.approx((2.9, 0.0, 0.0))
    left = (3.0, 0.0, 0.0)
    enemy = ObservedEntity("imp", (5.0, 2.0, 0.0), 3.0)
    agent.step(seen(3.0, enemies=(enemy,)))
    assert agent.step_state == "enemy_battle"
    assert agent.memory.tar_enemy is not None
    assert agent.memory.tar_enemy.label == "imp"
    for frame in range(20):
        agent.step(seen(3.0 + frame * 0.05, frame * 0.1, enemies=(enemy,)))
    agent.step(seen(4.0, 2.0, enemies=(enemy,), message=True))
    assert agent.step_state == "message_skip"
    for _ in range(8):
        agent.step(seen(4.0, 2.0))
    assert agent.step_state == "back_to_demoroute"
    assert agent.memory.last_checkpoint == left
    agent.step(seen(3.0, 0.1))
    assert agent.step_state == "move_checkpoint"


def test_an_enemy_on_the_way_back_is_fought_and_an_item_is_left():
    agent = PlaythroughAgent(demo_of(walk(200)), settings_of())
    for frame in range(30):
        agent.step(seen(frame * 0.1))
    item = ObservedEntity("coin", (3.0, 2.5, 0.0))
    agent.step(seen(3.0, items=(item,)))
    assert agent.step_state == "collect_item"
    for _ in range(6):
        agent.step(seen(3.0, 2.4))
    assert agent.step_state == "back_to_demoroute"
    agent.step(seen(3.0, 2.4, items=(item,)))
    assert agent.step_state == "back_to_demoroute"
    left = agent.memory.last_checkpoint
    agent.step(
        seen(3.0, 2.4, items=(item,), enemies=(ObservedEntity("imp", (4.0, 2.4, 0.0), 1.0),))
    )
    assert agent.step_state == "enemy_battle"
    for _ in range(8):
        agent.step(seen(3.5, 2.4))
    assert agent.step_state == "back_to_demoroute"
    # Not where the second of them began, which is beside the route.
    assert agent.memory.last_checkpoint == left == pytest.approx((3.0, 0.0, 0.0))


def test_an_item_that_is_not_had_in_time_is_tried_again_from_the_route():
    settings = settings_of("items: {patience: 20, retries: 1}")
    agent = PlaythroughAgent(demo_of(walk(200)), settings)
    for frame in range(30):
        agent.step(seen(frame * 0.1))
    states, y = [], 0.0
    for _ in range(120):
        # It hops away, so that walking is never blocked.
        item = ObservedEntity("frog", (3.0, min(y, 1.0) + 0.4, 0.0))
        pad = agent.step(seen(3.0, y, items=(item,)))
        y += 0.1 * pad.left[1]
        states += [agent.step_state] if [agent.step_state] != states[-1:] else []
        if agent.report.ignored_items:
            break
    assert states == [
        "collect_item", "back_to_demoroute", "collect_item", "back_to_demoroute",
    ]  # fmt: skip
    assert len(agent.report.ignored_items) == 1


def test_behind_an_event_of_the_demo_it_goes_on_along_the_route_although_it_had_left_it():
    """Where the event leaves the player is where the demo went on, not where a fight began."""
    rows = walk(60, event=dict.fromkeys(range(20, 30), "E"))
    agent = PlaythroughAgent(demo_of(rows), settings_of())
    for frame in range(18):
        agent.step(seen(frame * 0.1))
    enemy = (ObservedEntity("imp", (2.0, 1.5, 0.0), 3.0),)
    agent.step(seen(1.8, enemies=enemy))
    assert agent.step_state == "enemy_battle"
    for _ in range(8):
        agent.step(seen(2.0, 0.5, event="E", message=True))
    assert agent.step_state == "message_skip"
    states = set()
    for _ in range(14):
        agent.step(seen(2.9, 0.0))
        states.add(agent.step_state)
    assert states == {"message_skip", "move_checkpoint"}
    assert agent.row >= 29


def test_battle_comes_first_and_movement_last():
    assert [one.condition.name for one in TABLE] == [
        "boss", "enemy_in_range", "screen_shown", "message_or_event", "item_in_range",
        "replay_starts",
    ]  # fmt: skip
    agent = PlaythroughAgent(demo_of(walk(60)), settings_of())
    agent.step(seen())
    around = seen(
        enemies=(ObservedEntity("imp", (1.0, 1.0, 0.0), 1.0),),
        items=(ObservedEntity("coin", (1.0, 0.0, 0.0)),),
    )
    won = check_state_transition(
        situation_of(agent.context, ObservationView(around, agent.context.geometry)),
        agent.memory.state,
    )
    assert won is not None
    assert (won.target, won.won, won.also_true) == (
        "enemy_battle", "enemy_in_range", ("item_in_range",),
    )  # fmt: skip
    reasons = {one.condition: one.reason for one in won.rejected}
    assert reasons["boss"] == "0 bosses, field ''"
    assert reasons["screen_shown"] == "no screen"


def test_the_nearest_enemy_is_the_target_and_of_equally_near_ones_the_first():
    for places, first in (
        (((3.0, 1.0), (2.0, 0.0)), 1), (((2.0, 0.0), (-2.0, 0.0)), 0)
    ):  # fmt: skip
        agent = PlaythroughAgent(demo_of(walk(60)), settings_of())
        enemies = tuple(
            ObservedEntity("imp", (*place, 0.0), 1.0, object=at) for at, place in enumerate(places)
        )
        agent.step(seen(enemies=enemies))
        assert agent.memory.tar_enemy is not None
        assert agent.memory.tar_enemy.object == first


def test_another_enemy_becomes_the_target_if_it_comes_much_nearer_and_the_game_asks_for_that():
    far = ObservedEntity("imp", (3.0, 0.0, 0.0), 1.0, object=1)
    for turns, at, hp, target in (
        (0.0, 0.5, 1.0, 1), (0.5, 0.5, 1.0, 2), (0.5, 2.0, 1.0, 1), (0.5, 0.5, 0.0, 1),
    ):  # fmt: skip
        rule = f"{{turns: {turns}}}"
        settings = settings_of(f"{{enemies: {rule}, bosses: {{fight: {rule}}}}}")
        for kind in ("enemies", "bosses"):
            agent = PlaythroughAgent(demo_of(walk(60)), settings)
            agent.step(seen(field="lair", **{kind: (far,)}))
            near = ObservedEntity("bat", (0.0, at, 0.0), hp, object=2)
            agent.step(seen(field="lair", **{kind: (far, near)}))
            assert agent.memory.tar_enemy is not None
            assert agent.memory.tar_enemy.object == target, (kind, turns, at, hp)


def test_an_enemy_without_health_is_left_where_it_lies():
    agent = PlaythroughAgent(demo_of(walk(60)), settings_of())
    imp = ObservedEntity("imp", (1.0, 0.0, 0.0), 1.0)
    for _ in range(4):
        agent.step(seen(0.4, enemies=(imp,)))
    assert agent.step_state == "enemy_battle"
    corpse = ObservedEntity("imp", (1.2, 0.0, 0.0), 0.0)
    for _ in range(10):
        agent.step(seen(0.4, enemies=(corpse,)))
    assert agent.step_state == "move_checkpoint"
    assert agent.report.transitions["enemy_battle"] == 1
    assert agent.report.pardoned == []


def test_while_a_message_is_shown_nobody_fights():
    agent = PlaythroughAgent(demo_of(walk(60)), settings_of())
    enemy = ObservedEntity("imp", (1.0, 0.0, 0.0), 1.0)
    agent.step(seen(enemies=(enemy,), message=True))
    assert agent.step_state == "message_skip"


def test_a_games_own_boss_field_is_asked_for_by_name():
    boss = (ObservedEntity("ogre", (3.0, 0.0, 0.0), 9.0),)
    for fields, field, state in (
        ("[]", "lair", "boss_battle"), ("[lair]", "lair", "boss_battle"),
        ("[lair]", "elsewhere", "move_checkpoint"), ("[]", "", "move_checkpoint"),
    ):  # fmt: skip
        agent = PlaythroughAgent(demo_of(walk(60)), settings_of(f"bosses: {{fields: {fields}}}"))
        agent.step(seen(bosses=boss, field=field))
        assert agent.step_state == state, (fields, field)


def test_in_a_region_only_its_own_boss_is_fought():
    region = "bosses: {regions: [{name: lair, at: [3, 0, 0], radius: 5, boss: ogre}]}"
    for label, at, state in (
        ("ogre", 0.0, "boss_battle"), ("cook", 0.0, "move_checkpoint"),
        ("ogre", 9.0, "move_checkpoint"),
    ):  # fmt: skip
        agent = PlaythroughAgent(demo_of(walk(60)), settings_of(region))
        agent.step(seen(at, bosses=(ObservedEntity(label, (3.0, 0.0, 0.0), 9.0),)))
        assert agent.step_state == state, (label, at)


def test_messages_are_skipped_by_one_button_pressed_again_and_again():
    agent = PlaythroughAgent(demo_of(walk(60)), settings_of())
    pads = [agent.step(seen(message=True)) for _ in range(25)]
    presses = [at for at, pad in enumerate(pads) if pad.holds(Button.A)]
    assert presses == [0, 6, 12, 18, 24]
    assert all(pad.left == (0.0, 0.0) for pad in pads)


def test_a_choice_is_made_as_in_the_demo():
    rows = walk(
        90,
        event=dict.fromkeys(range(10, 60), "E"),
        pad_down={25: True},
        button_a={30: True, 40: True},
    )
    agent = PlaythroughAgent(demo_of(rows), settings_of())
    pressed = []
    for frame in range(60):
        pad = agent.step(
            seen(min(frame, 10) * 0.1, event="E" if frame >= 10 else "", message=frame >= 10)
        )
        if pad.held:
            pressed.append((frame, pad.held))
    # What is held after frame 24 was seen leads to row 25.
    assert pressed[:3] == [(24, Button.DOWN), (29, Button.A), (39, Button.A)]


def test_it_stands_and_faces_as_the_demo_did_before_it_talks():
    rows = [
        *walk(20), *[row(2.0, player_facing=1.5)] * 10, row(2.0, player_facing=1.5, button_a=True),
        *[row(2.0, player_facing=1.5, event="E")] * 20,
    ]  # fmt: skip
    agent = PlaythroughAgent(demo_of(rows), settings_of())
    for frame in range(22):
        agent.step(seen(min(frame * 0.1, 2.0)))
    for _ in range(10):
        pad = agent.step(seen(2.0, facing=0.0))
        assert not pad.holds(Button.A)
    assert pad.left[1] > 0.2  # turning to where the demo looked
    presses = [agent.step(seen(2.0, facing=1.4)).holds(Button.A) for _ in range(20)]
    assert presses[:9] == [True, *[False] * 7, True]
    # Pushed aside, it does not press.
    assert not any(agent.step(seen(2.6, facing=1.4)).holds(Button.A) for _ in range(20))


def test_the_pause_of_a_person_is_not_replayed():
    demo = demo_of([*walk(30), *[row(2.9)] * 300, *(row(2.9 + at * 0.1) for at in range(1, 30))])
    agent = PlaythroughAgent(demo, settings_of())
    x, frames = 0.0, 0
    while not agent.done:
        x += 0.1 * agent.step(seen(x)).left[0]
        frames += 1
    assert agent.failure is None
    assert frames < 90


@pytest.mark.parametrize(("up", "metres"), [("y", 5.9), ("z", 0.0)])
def test_positions_are_read_as_the_game_says(up, metres):
    demo = demo_of([row(player_z=at * 10.0) for at in range(60)])
    agent = PlaythroughAgent(demo, settings_of(), conventions=Conventions(up=up, unit="cm"))
    assert agent.context.route.length(59) == pytest.approx(metres)


def test_turning_games_are_turned_by_the_right_stick():
    turning = settings_of("engine: {sticks: player, facing: turn}")
    agent = PlaythroughAgent(demo_of([row(0.0, at * 0.1) for at in range(60)]), turning)
    pads = [agent.step(seen(0.0, 0.0, facing=0.0)) for _ in range(2)]
    # What lies ahead of the plan is to the left of who looks along x.
    assert pads[-1].left == pytest.approx((-1.0, 0.0), abs=1e-6)
    assert pads[-1].right[0] == -1.0
    pad = agent.step(seen(0.0, 0.0, facing=1.5707963))
    assert pad.left == pytest.approx((0.0, 1.0), abs=1e-6)
    assert pad.right[0] == pytest.approx(0.0, abs=1e-5)


@pytest.mark.slow
def test_a_long_demo_costs_no_more_than_a_short_one(tmp_path):
    """A hundred thousand rows are read in seconds, and a frame costs far less than it may."""
    rows = 100_000
    x = np.arange(rows) * 0.12
    columns = {
        name: np.zeros(rows, kind) if kind is not str else np.full(rows, "", object)
        for name, kind in zip(COLUMNS, TYPES, strict=True)
    }
    columns["player_x"] = x
    columns["event"][[*range(1000, rows, 1000)]] = "E"
    path = tmp_path / "long.csv"
    table = [columns[name].tolist() for name in COLUMNS]
    path.write_text(
        "\n".join(",".join(map(str, values)) for values in zip(*table, strict=True)) + "\n"
    )
    begun = time.process_time()
    demo = read_demo(path)
    agent = PlaythroughAgent(demo, settings_of())
    loading = time.process_time() - begun
    assert len(demo) == rows
    assert loading < 10.0
    costs = []
    for frame in range(600):
        begun = time.process_time()
        agent.step(seen(frame * 0.12))
        costs.append(time.process_time() - begun)
    assert np.median(costs) < 1e-3
    assert agent.row > 300


def test_what_a_demo_says_comes_through_its_file(tmp_path):
    path = tmp_path / "own.csv"
    with DemoWriter(path, 1.0, columns={"mana": float, "mode": str, "special": bool}) as writer:
        for at in range(3):
            writer.step(
                Pad((1.0, 0.0)),
                seen(float(at), extras={"mana": at / 2, "mode": f"m{at}", "special": at > 1}),
            )
    demo = read_demo(path, columns={"mana": float, "mode": str})
    assert isinstance(demo, Demo)
    assert demo.columns["mana"].tolist() == [0.0, 0.5, 1.0]
    assert demo.columns["mode"].tolist() == ["m0", "m1", "m2"]
    assert demo.own == {"mana": float, "mode": str}
