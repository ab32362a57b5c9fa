"""Tools that send without end: what they cost a running game is bounded in each of its frames."""

import pytest

from playhead.bus.server.bus_settings import BusSettings
from playhead.playback import command_queue
from playhead.playback.commands import Enter, Leave
from playhead.recorder.packets.log_lines import LogLine
from playhead.recorder.statements.statement_messages import LogEntry
from playhead.session import Session

from ..conftest import DT, court_handlers, court_of


@pytest.fixture
def now(session, monkeypatch):
    """The queue's time in a list; it passes only where the shown frame changes, 2 ms each."""
    now = [0.0]
    monkeypatch.setattr(command_queue, "clock", lambda: now[0])
    match = session.restorer.match

    def slow(frame):
        now[0] += 0.002
        match(frame)

    monkeypatch.setattr(session.restorer, "match", slow)
    return now


@pytest.fixture
def session():
    bus = BusSettings("tcp://127.0.0.1:*")
    with Session(court_of(), "4 MiB", handlers=court_handlers(), bus=bus) as session:
        session.world.step()
        session.update(DT)
        yield session


def test_a_frame_takes_in_only_so_many_statements_and_the_rest_comes_in_order(session):
    for number in range(950):
        session.recorder.accept(LogEntry(LogLine(f"line {number}")))
    lines = []
    while len(lines) < 950:
        session.world.step()
        session.update(DT)
        message = session.source.logs(session.source.span.newest)
        assert 0 < len(message) <= 100
        lines += [line.text for line in message]
    assert lines == [f"line {number}" for number in range(950)]
    assert session.status.calls_dropped == 0


def test_entering_and_leaving_without_end_takes_only_a_share_of_the_game(session, now):
    for _ in range(400):
        session.send(Enter())
        session.send(Leave())
    frames = []
    for _ in range(200):
        before = now[0]
        assert session.live
        session.world.step()
        session.update(DT)
        frames.append(now[0] - before)
    assert max(frames) == pytest.approx(0.004), "one pair at most in a frame"
    assert sum(frames) <= 200 * command_queue.AT_ONCE + 0.01
    assert sum(frames) > 0.05, "they have their turn all the same"


def test_a_single_enter_is_obeyed_in_the_step_that_it_comes_in(session, now):
    for _ in range(3):
        session.send(Enter())
        session.update(DT)
        assert not session.live
        session.send(Leave())
        session.update(DT)
        assert session.live
        for _ in range(80):  # as long as somebody's finger takes
            session.world.step()
            session.update(DT)
    assert now[0] == pytest.approx(3 * 2 * 0.002)
