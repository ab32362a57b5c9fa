"""What tools and agents state over a bus, without the bus: pictures, losses, refusals."""

import inspect
from collections import deque
from typing import Any

import numpy as np
import pytest

from playhead.bus.client.remote_instrumentation import AgentInstrumentation, RemoteInstrumentation
from playhead.bus.messages.requests import ReportFailedCheck
from playhead.errors import BusError, BusyError
from playhead.recorder.packets.trace_types import StateTransition
from playhead.recorder.statements.statement_messages import (
    Picture,
    SetMark,
    TransitionStatement,
    WatchedValue,
)

from ...support.waits import LIMIT


class Tool(RemoteInstrumentation):
    """Keeps what it would send."""

    def __init__(self) -> None:
        self.refusals = deque()
        self.sent: list[Any] = []
        self.error: Exception | None = None
        self.is_connected = True
        self._make_calls()

    @property
    def connected(self) -> bool:
        return self.is_connected

    def say(self, request: Any) -> int:
        if self.error is not None:
            raise self.error
        self.sent.append(request)
        return len(self.sent)

    ask: Any = say

    def close(self) -> None:
        if self._pictures is not None:
            self._pictures.close()


@pytest.fixture
def tool():
    tool = Tool()
    yield tool
    tool.close()


def here() -> int:
    """The line that this is called from."""
    return inspect.currentframe().f_back.f_lineno


GREY = np.full((6, 8), 128, np.uint8)


def test_pixels_are_sent_as_a_jpeg_once_they_are_compressed(tool):
    tool.picture(GREY, name="front")
    tool.send_pictures(LIMIT)
    [picture] = tool.sent
    assert isinstance(picture, Picture)
    assert (picture.format, picture.width, picture.height) == ("jpeg", 8, 6)
    assert (picture.name, picture.time) == ("front", None)
    assert picture.data[:2] == b"\xff\xd8"


def test_a_picture_that_can_not_be_compressed_is_listed_and_nothing_is_sent(tool, monkeypatch):
    def fail(*_):
        raise ValueError("no memory for that")

    monkeypatch.setattr("simplejpeg.encode_jpeg", fail)
    tool.picture(GREY, name="front")
    tool.send_pictures(LIMIT)
    assert tool.sent == []
    [refusal] = tool.refusals
    assert refusal == "picture: a picture can't be compressed: no memory for that"


def test_a_wrong_statement_is_listed_but_a_lost_service_is_an_error(tool):
    tool.watch("speed", "fast")
    tool.mark("here")
    assert [request.name for request in tool.sent] == ["here"]
    [refusal] = tool.refusals
    assert "fast" in refusal
    tool.error = BusError("gone")
    with pytest.raises(BusError, match="gone"):
        tool.mark("there")


def test_an_agents_statements_are_of_the_instant_that_it_has_seen(tool):
    agent = AgentInstrumentation(tool)
    agent.time = 1.5
    agent.mark("seen")
    agent.emit(SetMark("then", time=0.5))
    agent.emit(SetMark("then", game_time=7.0))
    agent.emit(TransitionStatement(1, StateTransition("mind", "a", "b", "tired")))
    agent.watch("speed", 2.0)
    marks = [one for one in tool.sent if isinstance(one, SetMark)]
    assert [(one.time, one.game_time) for one in marks] == [(1.5, None), (0.5, None), (None, 7.0)]
    assert tool.sent[3].time == 1.5
    assert isinstance(tool.sent[4], WatchedValue)
    agent.picture(GREY, name="front")
    tool.send_pictures(LIMIT)
    assert tool.sent[5].time == 1.5
    assert agent.lost == 0


@pytest.mark.parametrize("error", [BusError("gone"), BusyError("in a debugger")])
def test_a_check_that_does_not_get_through_is_counted_and_the_agent_goes_on(tool, error):
    agent = AgentInstrumentation(tool)
    tool.error = error
    assert agent.check(False, "alive") is False
    assert (agent.lost, tool.sent) == (1, [])


def test_a_statement_during_which_the_service_is_lost_is_counted(tool):
    agent = AgentInstrumentation(tool)
    tool.error = BusError("gone")
    agent.mark("here")
    assert (agent.lost, tool.sent, list(tool.refusals)) == (1, [], [])


def test_an_agent_without_a_service_states_nothing_and_counts_it(tool):
    agent = AgentInstrumentation(tool)
    tool.is_connected = False
    agent.mark("here")
    agent.picture(GREY, name="front")
    assert agent.check(False, "alive") is False
    assert agent.check(True, "alive") is True
    assert (agent.lost, tool.sent, list(tool.refusals)) == (3, [], [])


def test_an_agents_failed_check_says_where_it_was_made(tool):
    agent, hp = AgentInstrumentation(tool), 0
    agent.time = 2.0
    line = here() + 1
    assert not agent.check(hp > 0, "alive", focus=7)
    [report] = tool.sent
    assert isinstance(report, ReportFailedCheck)
    assert (report.message, report.expression, report.object) == ("alive", "hp > 0", 7)
    assert (report.file, report.line, report.time) == (__file__, line, 2.0)


def test_an_agents_wrong_statements_are_listed_by_its_tool(tool):
    agent = AgentInstrumentation(tool)
    agent.watch("speed", "fast")
    [refusal] = tool.refusals
    assert "fast" in refusal
    assert (agent.lost, tool.sent) == (0, [])
