"""Hooks and edits of a game elsewhere: what they are about is looked up in its recording."""

import pytest

from playhead.errors import CommandError


def test_before_anything_is_recorded_an_object_is_named_by_its_id_alone(game, tool):
    client = tool(game())
    with pytest.raises(CommandError, match="object 'ball 1': nothing is recorded yet: give its id"):
        client.hooks.trace("ball 1", field="speed")
    assert client.hooks.trace(1, field="speed").hook.object == 1


def test_an_edit_of_a_key_is_refused_while_the_game_runs(game, tool):
    one = game()
    one.run(3)
    client = tool(one)
    with pytest.raises(CommandError, match="the game runs: pause it with enter"):
        client.edits.set_key("difficulty", 3)
    assert client.edits.list() == []
