"""Actions as they are written, and those that make no sense."""

import numpy as np
import pytest

from playhead.errors import GameError
from playhead.games.arena.fps.learning.actions import BACK, LEFT, actions_of


def test_keys_and_mouse_are_read_with_two_for_back_and_left():
    done = actions_of([[0, 1, 0], [1, LEFT, 1], [BACK, 0, 1]], [[0.0], [-2.5], [1e30]], 1, 3)
    assert done.forward.tolist() == [[0, 1, -1]]
    assert done.right.tolist() == [[1, -1, 0]]
    assert done.attack.tolist() == [[False, True, True]]
    assert done.turn.tolist() == [[0.0, -2.5, 1e30]]


def test_agents_come_in_the_order_of_their_arenas():
    keys = np.zeros((6, 3), np.int64)
    done = actions_of(keys, np.arange(6.0), 3, 2)
    assert done.turn.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert done.forward.shape == (3, 2)


@pytest.mark.parametrize(
    ("keys", "mouse", "says"),
    [
        ([[3, 0, 0]], [0.0], "discrete action 0 of agent 0 is 3: it goes from 0 to 2"),
        ([[0, 0, 0], [0, -1, 0]], [0.0, 0.0], "discrete action 1 of agent 1 is -1"),
        ([[0, 0, 2]], [0.0], "discrete action 2 of agent 0 is 2: it goes from 0 to 1"),
        ([[0, 0]], [0.0], "give 3 integers"),
        ([[0.5, 0, 0]], [0.0], "give 3 integers"),
        ([[0, 0, 0]], [0.0, 1.0], "2 continuous actions for 1 agents"),
        ([[0, 0, 0]], [np.nan], "continuous action of agent 0 is nan"),
        ([[0, 0, 0], [0, 0, 0]], [0.0, -np.inf], "continuous action of agent 1 is -inf"),
    ],
)
def test_what_is_no_action_is_refused_and_the_message_says_whose(keys, mouse, says):
    with pytest.raises(GameError, match=says):
        actions_of(keys, mouse, 1, len(keys))


@pytest.mark.parametrize("rows", [0, 1, 3, 5, 12])
def test_too_few_rows_or_too_many_are_refused_and_never_shared_out(rows):
    with pytest.raises(GameError, match=f"actions of {rows} agents: there are 6"):
        actions_of(np.zeros((rows, 3), np.int64), np.zeros(rows), 3, 2)
