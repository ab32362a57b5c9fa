"""What a player of random buttons presses."""

from playhead.games.doom.seeded_random_player import SeededRandomPlayer

BUTTONS = ("MOVE_FORWARD", "TURN_LEFT_RIGHT_DELTA", "ATTACK", "USE", "JUMP")


def test_an_action_depends_on_the_seed_and_the_tic_alone():
    forward, backward = SeededRandomPlayer(3, BUTTONS), SeededRandomPlayer(3, BUTTONS)
    there = [forward.action(tic) for tic in range(200)]
    back = [backward.action(tic) for tic in reversed(range(200))]
    assert there == back[::-1]


def test_another_seed_plays_another_game():
    one, other = SeededRandomPlayer(3, BUTTONS), SeededRandomPlayer(4, BUTTONS)
    assert [one.action(tic) for tic in range(200)] != [other.action(tic) for tic in range(200)]


def test_it_moves_turns_and_shoots():
    player = SeededRandomPlayer(7, BUTTONS)
    pressed = {
        button
        for tic in range(400)
        for button, value in zip(BUTTONS, player.action(tic), strict=True)
        if value
    }
    assert pressed == set(BUTTONS) - {"JUMP"}
