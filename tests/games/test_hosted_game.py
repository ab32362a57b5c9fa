"""A game of one's own, as commands run it."""

import pytest

import playhead as ph
from playhead.errors import GameError
from playhead.games.playable_as_game import HostedGame


class Walk(ph.PlayableGame):
    def __init__(self, pad):
        self.pad, self.pads = pad, []

    def objects(self):
        return {}

    def step(self, pad):
        self.pads.append(pad)

    def observe(self):
        return ph.Observation((0.0, 0.0, 0.0))

    def person(self):
        return self.pad


@pytest.mark.parametrize(
    "pad", [ph.Pad((3.0, 0.0)), ph.Pad((0.0, -1.01)), ph.Pad(right=(0.0, 2.0))]
)
def test_a_person_that_pushes_a_stick_too_far_is_refused_at_once(pad):
    walk = Walk(pad)
    with pytest.raises(GameError, match="Walk: person.. returned .*each axis of a stick is -1 to"):
        HostedGame(walk).step()
    assert walk.pads == []


def test_a_diagonal_push_of_the_keyboard_is_none_of_these():
    walk = Walk(ph.Pad((1.0, 1.0)))
    HostedGame(walk).step()
    assert walk.pads == [walk.pad]
