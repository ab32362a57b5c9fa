"""Games whose pad can be taken, and what they tell of how things stand."""

import math

import pytest

from playhead.errors import GameError
from playhead.games.doom.pad_to_buttons import TURN, button_values
from playhead.games.doom.scenario import SCENARIOS
from playhead.games.game_catalog import open_game
from playhead.games.playable_interface import Playable
from playhead.playback.pads.pad import NEUTRAL, Button, Pad
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session


@pytest.fixture
def yard():
    with open_game("arena:yard", seed=3) as game:
        yield game


def test_the_arena_is_played_by_who_holds_its_pad(yard):
    assert isinstance(yard, Playable)
    start = yard.observe().position
    yard.hold(Pad(left=(0.0, 1.0), held=Button.RB))
    for _ in range(60):
        yard.step()
    x, y, z = yard.observe().position
    assert x == pytest.approx(start[0])
    assert y > start[1] + 2.0
    assert z == 0.0
    assert yard.observe().facing == pytest.approx(math.pi / 2)
    assert yard.pad == Pad(left=(0.0, 1.0), held=Button.RB)


def test_a_pad_that_is_handed_back_is_the_scripted_persons_again(yard):
    yard.hold(NEUTRAL)
    for _ in range(600):
        yard.step()
    assert yard.pad == NEUTRAL
    still = yard.observe().position
    yard.hold(None)
    for _ in range(900):
        yard.step()
    assert yard.observe().position != still


def test_what_the_arena_tells_is_where_its_player_and_camera_are(yard):
    yard.step()
    seen = yard.observe()
    player, camera = yard.yard.player, yard.yard.camera.view
    assert seen.position == (player.x, player.y, 0.0)
    assert (seen.facing, seen.level, seen.event) == (player.facing, "yard", "")
    heading, rise = seen.camera
    x, y, z = camera.position
    assert heading == pytest.approx(math.atan2(player.y - y, player.x - x))
    assert rise == pytest.approx(math.atan2(1.0 - z, math.hypot(player.x - x, player.y - y)))
    assert rise < 0.0
    assert yard.player == player.id


def test_what_is_held_is_in_the_recording_of_the_player(yard):
    with Session(
        yard.world, "1 MiB", handlers=yard.handlers, about=yard.about, on_check=UNATTENDED
    ) as session:  # fmt: skip
        yard.attach(session)
        yard.hold(Pad(left=(0.5, -0.25), left_trigger=0.75, held=Button.X | Button.UP))
        yard.step()
        session.update(yard.dt)
        values = {packet.id: values for packet, values in session.source.decoded(1)}[yard.player]
    assert values["pad_left"].tolist() == [0.5, -0.25]
    assert values["pad_left_trigger"] == 0.75
    assert values["pad_held"] == Button.X | Button.UP


def test_while_playback_is_on_nobody_takes_the_arenas_pad(yard):
    yard.hold(NEUTRAL)
    yard.world.lock_input(True)
    yard.hold(Pad(left=(0.0, 1.0)))
    yard.world.lock_input(False)
    yard.step()
    assert yard.pad == NEUTRAL


BUTTONS = SCENARIOS["deathmatch"].buttons


def doom(pad: Pad) -> dict[str, float]:
    """What is pressed, of all buttons."""
    result = dict(zip(BUTTONS, button_values(pad, BUTTONS), strict=True))
    return {name: value for name, value in result.items() if value}


@pytest.mark.parametrize(
    ("pad", "message"),
    [
        (NEUTRAL, {}),
        (Pad(left=(0.0, 1.0)), {"MOVE_FORWARD": 1.0}),
        (Pad(left=(0.0, -1.0)), {"MOVE_BACKWARD": 1.0}),
        (Pad(left=(-0.7, 0.7)), {"MOVE_LEFT": 1.0, "MOVE_FORWARD": 1.0}),
        (Pad(left=(0.7, 0.2)), {"MOVE_RIGHT": 1.0}),
        (Pad(right=(-0.5, 1.0)), {"TURN_LEFT_RIGHT_DELTA": -0.5 * TURN}),
        (Pad(held=Button.A), {"ATTACK": 1.0}),
        (Pad(right_trigger=1.0), {"ATTACK": 1.0}),
        (Pad(held=Button.X | Button.Y), {"USE": 1.0, "SELECT_NEXT_WEAPON": 1.0}),
    ],
)
def test_a_pad_presses_dooms_buttons(pad, message):
    assert doom(pad) == message


@pytest.mark.slow
def test_doom_is_played_by_who_holds_its_pad():
    pytest.importorskip("vizdoom")
    try:
        game = open_game("doom:map01", seed=3)
    except GameError as error:
        pytest.skip(str(error))
    with game, Session(
        game.world, "2 MiB", handlers=game.handlers, about=game.about, on_check=UNATTENDED
    ) as session:  # fmt: skip
        assert isinstance(game, Playable)
        game.attach(session)
        start = game.observe()
        game.hold(Pad(left=(0.0, 1.0)))
        for _ in range(20):
            game.step()
            session.update(game.dt)
        there = game.observe()
        ahead = (
            (there.position[0] - start.position[0]) * math.cos(start.facing)
            + (there.position[1] - start.position[1]) * math.sin(start.facing)
        )  # fmt: skip
        assert ahead > 16.0
        game.hold(Pad(right=(1.0, 0.0)))
        for _ in range(6):
            game.step()
            session.update(game.dt)
        turned = math.remainder(game.observe().facing - there.facing, math.tau)
        assert turned == pytest.approx(-math.radians(6 * TURN), abs=math.radians(TURN))
        newest = session.source.span.newest
        assert session.source.inputs(newest)[game.player, "pad"]["right x"] == 1.0
        assert there.level == "map01"
