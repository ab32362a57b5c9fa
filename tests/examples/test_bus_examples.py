"""The examples that need a game on the bus, each in a process of its own as a person starts it."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from playhead.bus.client.client import Client

from ..support.process import ON_THE_BUS, PLAYHEAD, Process

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def start(start_process: Callable[..., Process]) -> Callable[..., Process]:
    return start_process


def arena(start: Callable[..., Process], seconds: float) -> tuple[Process, str]:
    game = start(PLAYHEAD, "run", "arena:yard", "--seconds", seconds, *ON_THE_BUS)
    return game, game.find(r"tcp://[\d.:]+", "stderr")[0]


@pytest.mark.slow
def test_the_follower_tells_where_everybody_is(start):
    _, endpoint = arena(start, 600)
    follow = start(sys.executable, EXAMPLES / "follow_playhead.py", endpoint)
    assert re.match(r"live \d+ \d+\.\d{3} s", follow.line())
    with Client(endpoint) as tool:
        tool.seek(frame=2)
        follow.find("^paused 2 0.033 s$")
        tool.check(False, "it holds")
        assert "expression='False'" in follow.find("it holds").string


@pytest.mark.slow
def test_the_agent_in_another_process_leaves_its_decisions_where_they_belong(start):
    game, endpoint = arena(start, 600)
    agent = start(sys.executable, EXAMPLES / "remote_agent.py", endpoint)
    output = [
        re.match(r"(\d+\.\d+) s  beware of (.+): (.+ m away)", agent.line().strip()) for _ in "12"
    ]
    assert all(output)
    with Client(endpoint) as tool:
        tool.enter()
        tool.leave()  # what was said is in the next frame, and from there on where it belongs
        newest = tool.snapshot().span.newest
        while tool.snapshot().span.newest < newest + 5:
            tool.dispatch(0.05)
        before = "nobody"
        for time, guard, why in (one.groups() for one in output):
            frame = tool.find(float(time) + 0.001)
            (trace,) = [
                row.state
                for row in tool.statements(frame).traces
                if row.state is not None and row.state.machine == "lookout"
            ]
            assert (trace.source, trace.target, trace.won) == (before, guard, why)
            names = {row.name: row for row in tool.objects(frame) if row.type == "guard"}
            assert trace.beliefs[0].position == names[guard].position
            assert {lost.condition for lost in trace.rejected} == names.keys() - {guard}
            before = guard
    game.kill()
    code, output, _ = agent.end()
    assert code == 0
    assert re.search(r"\d+ decisions", output)
