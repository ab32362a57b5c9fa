"""The moments at which the pad is replayed: what leads to them, and what they wait for."""

from itertools import pairwise
from typing import Any

from playhead.agents.playthrough.playthrough_agent import PlaythroughAgent
from playhead.games.playable_interface import ObservedEntity
from playhead.playback.pads.pad import Button

from .field import settings_of
from .rows import demo_of, route_of, row, seen, walk


def starts(*declared: str, **more: Any) -> str:
    """Settings with these starts."""
    rest = "".join(f", {name}: {value}" for name, value in more.items())
    return f"pad_replay: {{starts: [{', '.join(declared)}]{rest}}}"


SPECIAL = starts("{name: special, pressed: [UP], ready: [special]}", wait=40)
SHOT = starts("{name: shot, pressed: [X], face: true}")
AIM = starts("{name: aim, pressed: [LT], switches: aiming}", verify="[aiming]")


def test_a_press_may_count_only_where_a_column_is_true():
    aiming = [at >= 10 for at in range(30)]
    settings = starts("{name: shot, pressed: [X], where: aiming}")
    route = route_of(walk(30, button_x={5: True, 15: True}), settings, aiming=aiming)
    assert list(route.starts) == [15]
    assert list(route_of(walk(30, button_x={5: True}), settings).starts) == []


def test_a_lead_stops_at_an_event_at_the_air_and_at_another_level():
    settings = starts("{name: jump, pressed: [B], lead: 8}")
    for column, value in (("event", "E"), ("in_air", True)):
        rows = walk(40, button_b={20: True}, **{column: {15: value}})
        assert list(route_of(rows, settings).starts) == [16]
    level = {at: "b" if at >= 17 else "a" for at in range(40)}
    assert list(route_of(walk(40, button_b={20: True}, level=level), settings).starts) == [17]


def at_the_start(settings: str, facing: float = 0.0, **own: list[Any]) -> PlaythroughAgent:
    """An agent that has come to row 10, at which a button is pressed."""
    press = {"pad_up": {10: True}} if "UP" in settings else {"button_x": {10: True}}
    agent = PlaythroughAgent(demo_of(walk(60, **press), **own), settings_of(settings))
    for frame in range(10):
        agent.step(seen(frame * 0.1, facing=facing, extras={"special": False}))
    return agent


def test_a_move_is_waited_for_until_it_is_available_as_it_was():
    special = [at < 10 for at in range(60)]
    agent = at_the_start(SPECIAL, special=special)
    for _ in range(30):
        pad = agent.step(seen(0.9, extras={"special": False}))
        assert not pad.holds(Button.UP)
    assert agent.step_state == "move_checkpoint"
    assert agent.step(seen(0.9, extras={"special": True})).holds(Button.UP)
    assert agent.step_state == "pad_replay"


def test_a_move_that_is_never_available_is_reported():
    agent = at_the_start(SPECIAL, special=[at < 10 for at in range(60)])
    for _ in range(2000):
        agent.step(seen(0.9, extras={"special": False}))
        if agent.done:
            break
    assert agent.failure is not None
    assert agent.failure.kind == "stuck"
    assert "special is False, in the demo's row 9 it was True" in agent.failure.message


def test_who_shoots_faces_first_where_the_demo_did():
    agent = at_the_start(SHOT, facing=1.0)
    pad = agent.step(seen(0.9, facing=1.0))
    assert not pad.holds(Button.X)
    assert pad.left[0] > 0.1  # turns to where the demo faced
    assert agent.step(seen(0.9, facing=0.02)).holds(Button.X)


def pulls(told: list[bool], seen_as: list[bool]) -> list[float]:
    """The trigger over a demo that pulled it in row 10, which is in this mode in each frame."""
    rows = walk(40, trigger_l={10: True}, trigger_l_value=dict.fromkeys((10, 11, 12), 0.9))
    agent = PlaythroughAgent(demo_of(rows, aiming=told), settings_of(AIM))
    return [
        agent.step(seen(at * 0.1, extras={"aiming": aiming})).left_trigger
        for at, aiming in enumerate(seen_as)
    ]


def test_a_mode_is_switched_where_it_is_not_yet_as_in_the_demo():
    results = [at >= 10 for at in range(40)]
    assert sum(pull > 0.5 for pull in pulls(results, [at >= 11 for at in range(24)])) == 3


def test_a_mode_that_is_already_as_in_the_demo_is_not_switched_back():
    results = [at >= 10 for at in range(40)]
    assert not any(pulls(results, [at >= 8 for at in range(24)]))


def presses(pulled: list[float]) -> int:
    return sum(now > 0.5 >= before for before, now in pairwise([0.0, *pulled]))


def test_a_mode_that_a_blow_switched_is_switched_once_more():
    results = [at >= 10 for at in range(40)]
    struck = [11 <= at < 26 or at >= 34 for at in range(38)]
    pulled = pulls(results, struck)
    assert presses(pulled[:24]) == 1
    assert presses(pulled[24:]) == 1


def test_a_mode_that_a_blow_switched_in_the_demo_is_switched_without_one():
    results = [10 <= at < 28 for at in range(40)]
    pulled = pulls(results, [11 <= at < 36 for at in range(38)])
    assert presses(pulled) == 2
    assert not any(pulled[13:28])


def frames_to_a_shot(fights: str) -> int:
    """How long it replays rows after a press that let an enemy in."""
    settings = (
        starts("{name: use, pressed: [Y]}", frames=30, fights=fights, drift=9.0)
        + "\nkeys: {attack: X}\nenemies: {range: 9.0, attack: 9.0, aim: 3.0}"
    )
    agent = PlaythroughAgent(demo_of(walk(60, button_y={10: True})), settings_of(settings))
    imp = ObservedEntity("imp", (5.0, 0.0, 0.0))
    for frame in range(60):
        there = (imp,) if agent.row > 10 else ()
        if agent.step(seen(min(frame, 10) * 0.1, enemies=there)).holds(Button.X):
            return agent.row - 10
    raise AssertionError("it never shoots")


def test_a_replay_is_left_for_an_enemy_once_its_press_is_done():
    assert frames_to_a_shot("5") <= 7
    assert frames_to_a_shot("null") >= 20


def test_a_shot_waits_for_its_mode():
    rows = walk(40, button_x={10: True})
    agent = PlaythroughAgent(
        demo_of(rows, aiming=[True] * 40), settings_of(starts(
            "{name: shot, pressed: [X], where: aiming}"
        )),
    )  # fmt: skip
    for frame in range(14):
        pad = agent.step(seen(min(frame * 0.1, 0.9), extras={"aiming": False}))
        assert not pad.holds(Button.X)
    assert agent.step(seen(0.9, extras={"aiming": True})).holds(Button.X)


def test_a_further_start_that_the_game_is_not_ready_for_ends_the_replay():
    """Sticks have errors: by the time of the shot it may face elsewhere than the demo did."""
    rows = walk(40, button_y={10: True}, button_x={16: True})
    agent = PlaythroughAgent(
        demo_of(rows), settings_of(starts(
            "{name: go, pressed: [Y]}", "{name: shot, pressed: [X], face: true}"
        )),
    )  # fmt: skip
    for frame in range(17):
        pad = agent.step(seen(min(frame, 15) * 0.1, facing=0.5 if frame > 12 else 0.0))
        assert not pad.holds(Button.X)
    assert agent.step_state == "move_checkpoint"
    assert agent.step(seen(1.5, facing=0.0)).holds(Button.X)


def test_a_press_in_the_last_row_is_made_and_its_outcome_waited_for():
    rows = walk(11, button_y={10: True})
    results = [at == 10 for at in range(11)]
    agent = PlaythroughAgent(
        demo_of(rows, lit=results), settings_of(starts("{name: use, pressed: [Y]}", verify="[lit]"))
    )
    presses = [
        agent.step(seen(min(frame * 0.1, 0.9), extras={"lit": False})).holds(Button.Y)
        for frame in range(60)
    ]
    assert sum(presses) >= 2  # nothing came of the first one
    assert not agent.done
    for _ in range(40):
        agent.step(seen(0.9, extras={"lit": True}))
    assert agent.done
    assert agent.failure is None


def test_a_press_that_switched_nothing_in_the_demo_is_spared():
    assert not any(pulls([False] * 40, [False] * 24))


def test_a_correction_leads_back_to_the_demos_place_while_it_walks():
    rows = walk(60, button_x={10: True})
    for gain, least, most in ((0.0, -0.01, 0.01), (1.0, 0.1, 1.0)):
        settings = starts("{name: go, pressed: [X]}", correction=gain)
        agent = PlaythroughAgent(demo_of(rows), settings_of(settings))
        for frame in range(12):
            pad = agent.step(seen(frame * 0.1, -0.2 if frame > 9 else 0.0))
        assert agent.step_state == "pad_replay"
        assert least <= pad.left[1] <= most


def test_nobody_who_stands_is_corrected():
    rows = [*walk(10), *[row(0.9, button_x=at == 0) for at in range(40)]]
    settings = starts("{name: go, pressed: [X]}", correction=1.0)
    agent = PlaythroughAgent(demo_of(rows), settings_of(settings))
    for frame in range(13):
        pad = agent.step(seen(min(frame * 0.1, 0.9), -0.2 if frame > 10 else 0.0))
    assert agent.step_state == "pad_replay"
    assert pad.left == (0.0, 0.0)


def test_after_a_replay_that_ends_in_the_air_it_is_waited_for_the_landing():
    jump = dict.fromkeys(range(11, 24), True)
    rows = walk(60, button_b={10: True}, in_air=jump)
    settings = starts("{name: jump, pressed: [B], column: in_air, becomes: true}")
    agent = PlaythroughAgent(demo_of(rows), settings_of(settings))
    for frame in range(34):
        agent.step(seen(min(frame, 25) * 0.1, in_air=frame > 10))
    assert agent.step_state == "pad_replay"
    for _ in range(2):
        agent.step(seen(2.5))
    assert agent.step_state == "move_checkpoint"
    assert agent.report.recoveries == 0


def test_a_screen_without_a_column_is_replayed_from_behind_the_event_that_opened_it():
    event = dict.fromkeys(range(10, 16), "shop")
    rows = walk(80, event=event, button_a={10: True, 16: True}, pad_down={20: True, 24: True})
    agent = PlaythroughAgent(demo_of(rows), settings_of())
    pressed = []
    for frame in range(60):
        pad = agent.step(
            seen(
                min(frame, 10) * 0.1,
                event="shop" if 10 <= frame < 30 else "",
                message=10 <= frame < 30,
                screen="shop" if 30 <= frame < 50 else "",
            )
        )
        if frame >= 30 and pad.held:
            pressed.append((frame, pad.held))
    # Row 16 closed the conversation: what is held after frame 30 leads to row 17.
    assert pressed == [(33, Button.DOWN), (37, Button.DOWN)]
    assert agent.report.transitions["unlimited_pad_replay"] == 1


def test_a_screen_that_the_demo_knows_is_replayed_from_its_beginning():
    screen = ["shop" if 20 <= at < 50 else "" for at in range(80)]
    rows = walk(80, button_a={18: True}, pad_down={25: True}, button_b={49: True})
    agent = PlaythroughAgent(demo_of(rows, screen=screen), settings_of())
    pressed = []
    for frame in range(80):
        pad = agent.step(seen(min(frame, 18) * 0.1, screen="shop" if 30 <= frame < 61 else ""))
        if frame >= 30 and pad.held:
            pressed.append((frame, pad.held))
    assert pressed[0] == (34, Button.DOWN)
    assert agent.memory.screens_until == 50
    assert agent.row >= 49


def test_a_screen_that_the_demo_was_not_in_is_left():
    screen = [""] * 80
    agent = PlaythroughAgent(demo_of(walk(80), screen=screen), settings_of())
    for frame in range(10):
        agent.step(seen(frame * 0.1))
    pads = [agent.step(seen(1.0, screen="map")) for _ in range(13)]
    assert [at for at, pad in enumerate(pads) if pad.holds(Button.B)] == [0, 6, 12]
    for _ in range(8):
        agent.step(seen(1.0))
    assert agent.step_state == "move_checkpoint"
    assert agent.row <= 15
