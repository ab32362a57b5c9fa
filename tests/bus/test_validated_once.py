"""A command's values are checked once on their way from a client to the playhead."""

import pytest

from playhead import session_commands
from playhead.bus.client import client_calls
from playhead.bus.server import request_dispatcher
from playhead.errors import CommandError
from playhead.playback import playhead
from playhead.playback.commands import validated


def test_a_seek_is_checked_by_the_service_alone(game, tool, monkeypatch: pytest.MonkeyPatch):
    one = game()
    one.run(5)
    client = tool(one)
    client.enter()
    calls = []

    def counted(command):
        calls.append(command)
        return validated(command)

    for module in (client_calls, request_dispatcher, session_commands, playhead):
        monkeypatch.setattr(module, "validated", counted)
    for move in (
        lambda: client.seek(0.04), lambda: client.seek(frame=2), lambda: client.step(1),
        lambda: client.play(2.0), lambda: client.leave(),
    ):  # fmt: skip
        calls.clear()
        move()
        assert len(calls) == 1


def test_a_command_that_is_refused_is_sent_once(game, tool):
    one = game()
    one.run(5)
    client = tool(one)
    for refused in (
        lambda: client.seek(mark="nowhere"), lambda: client.seek(float("nan")),
        lambda: client.advance(2),
    ):  # fmt: skip
        before = one.bus.status.requests
        with pytest.raises(CommandError):
            refused()
        assert one.bus.status.requests == before + 1
