"""The examples that need a game on the bus, each in a process of its own as a person starts it."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from playhead.bus.client import Client

EXAMPLES = Path(__file__).parents[2] / "examples"
PLAYHEAD = Path(sys.executable).parent / "playhead"
LIMIT = 60.0


class Running:
    def __init__(self, *command: object) -> None:
        self.process = subprocess.Popen(
            [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip

    def line(self, of: str = "stdout") -> str:
        timer = threading.Timer(LIMIT, self.process.kill)
        timer.start()
        try:
            return getattr(self.process, of).readline().strip()
        finally:
            timer.cancel()
            timer.join()

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def start() -> Iterator[Callable[..., Running]]:
    """Start commands; they are ended with the test."""
    started: list[Running] = []

    def begin(*command: object) -> Running:
        started.append(Running(*command))
        return started[-1]

    yield begin
    for one in started:
        one.close()


def arena(start: Callable[..., Running], seconds: float) -> tuple[Running, str]:
    game = start(
        PLAYHEAD,
        "run",
        "arena:yard",
        "--headless",
        "--seconds",
        str(seconds),
        "--bus",
        "tcp://127.0.0.1:*",
    )
    found = re.search(r"tcp://[\d.:]+", game.line("stderr"))
    assert found
    return game, found[0]


def test_the_follower_tells_where_everybody_stands(start):
    _, endpoint = arena(start, 600)
    follow = start(sys.executable, EXAMPLES / "follow.py", endpoint)
    assert re.match(r"live \d+ \d+\.\d{3} s", follow.line())
    with Client(endpoint) as tool:
        tool.seek_frame(2)
        while follow.line() != "paused 2 0.033 s":
            assert follow.process.poll() is None
        tool.check(False, "it holds")
        told = follow.line()
        while "it holds" not in told:
            told = follow.line()
            assert follow.process.poll() is None
        assert "expression='False'" in told


def test_the_agent_in_another_process_leaves_its_decisions_where_they_belong(start):
    game, endpoint = arena(start, 600)
    agent = start(sys.executable, EXAMPLES / "agent_process.py", endpoint)
    said = [re.match(r"(\d+\.\d+) s  beware of (.+): (.+ m away)", agent.line()) for _ in "12"]
    assert all(said)
    with Client(endpoint) as tool:
        tool.enter()
        tool.leave()  # what was said is in the next frame, and from there on where it belongs
        newest = tool.present().span.newest
        while tool.present().span.newest < newest + 5:
            tool.dispatch(0.05)
        before = "nobody"
        for time, guard, why in (one.groups() for one in said):
            frame = tool.find(float(time) + 0.001)
            (trace,) = [
                row.state
                for row in tool.said(frame).traces
                if row.state is not None and row.state.machine == "lookout"
            ]
            assert (trace.source, trace.target, trace.won) == (before, guard, why)
            names = {row.name: row for row in tool.objects(frame) if row.type == "guard"}
            assert trace.beliefs[0].position == names[guard].position
            assert {lost.condition for lost in trace.rejected} == names.keys() - {guard}
            before = guard
    game.close()
    assert re.search(r"\d+ decisions", agent.process.communicate(timeout=LIMIT)[0])
    assert agent.process.returncode == 0
