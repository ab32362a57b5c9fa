"""A game that can't stop while somebody looks: what is not recorded of it is a gap that says so."""

import pytest

from playhead.playback.commands import Enter
from playhead.session import Session

from ..support.fake_world import FakeWorld
from .conftest import DT, court_handlers, court_of


class Server(FakeWorld):
    """Steps whatever playback wants."""

    def pause(self) -> None:
        pass


@pytest.fixture
def server():
    with Session(court_of(Server), "1 MiB", handlers=court_handlers()) as session:
        yield session


def steps(session: Session, count: int) -> None:
    for _ in range(count):
        session.world.step()
        session.update(DT)


def test_what_it_does_while_somebody_looks_is_a_marked_gap_and_no_long_frame(server):
    steps(server, 10)
    server.apply(Enter(), now=True)
    steps(server, 100)
    server.leave()
    steps(server, 5)
    stamps = list(server.source.stamps(1, 15))
    assert {stamp.delta for stamp in stamps[1:]} == {DT}
    assert stamps[10].time - stamps[9].time == 101 * DT
    (mark,) = server.source.marks()
    assert (mark.kind, mark.frame) == ("loss", 11)
    assert f"{100 * DT:.3f} s" in mark.note


def test_each_look_is_a_gap_of_its_own(server):
    steps(server, 3)
    for _ in range(3):
        server.apply(Enter(), now=True)
        steps(server, 7)
        server.leave()
        steps(server, 2)
    marks = server.source.marks()
    assert [mark.frame for mark in marks] == [4, 6, 8]
    assert all(f"{7 * DT:.3f} s" in mark.note for mark in marks)


def test_a_paused_game_has_no_gap():
    with Session(court_of(), "1 MiB", handlers=court_handlers()) as session:
        steps(session, 3)
        session.apply(Enter(), now=True)
        for _ in range(50):
            session.update(DT)
        session.leave()
        steps(session, 3)
        assert session.source.marks() == []
        assert {stamp.delta for stamp in session.source.stamps(2, 6)} == {DT}


def test_a_clip_of_it_has_the_gap_too(server, tmp_path):
    from playhead.recorder.clips.clip_source import ClipSource

    steps(server, 10)
    server.apply(Enter(), now=True)
    steps(server, 100)
    server.leave()
    steps(server, 5)
    server.save(tmp_path / "gap.mcap")
    with ClipSource.open(tmp_path / "gap.mcap") as clip:
        stamp = clip.stamp(11)
        assert (stamp.delta, stamp.time - clip.stamp(10).time) == (DT, 101 * DT)
        assert [mark.kind for mark in clip.marks()] == ["loss"]
