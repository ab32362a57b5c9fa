"""The scripted player."""

from playhead.games.doom.player import ScriptedPlayer

BUTTONS = ("MOVE_FORWARD", "TURN_LEFT_RIGHT_DELTA", "ATTACK", "USE", "JUMP")


def test_an_action_depends_on_the_seed_and_the_tic_alone():
    forward, backward = ScriptedPlayer(3, BUTTONS), ScriptedPlayer(3, BUTTONS)
    there = [forward.action(tic) for tic in range(200)]
    back = [backward.action(tic) for tic in reversed(range(200))]
    assert there == back[::-1]


def test_another_seed_plays_another_game():
    one, other = ScriptedPlayer(3, BUTTONS), ScriptedPlayer(4, BUTTONS)
    assert [one.action(tic) for tic in range(200)] != [other.action(tic) for tic in range(200)]


def test_it_moves_turns_and_shoots():
    player = ScriptedPlayer(7, BUTTONS)
    pressed = {
        button
        for tic in range(400)
        for button, value in zip(BUTTONS, player.action(tic), strict=True)
        if value
    }
    assert pressed == set(BUTTONS) - {"JUMP"}
