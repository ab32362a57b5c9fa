"""The desk: what the docks of one recording share."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.viewer.backends.view_target import target_of
from playhead.viewer.state.pinned_fields import Field
from playhead.viewer.state.viewer_store import ViewerStore
from playhead.viewer.state.workspace import Workspace


@pytest.fixture
def clock(app, until, clip):
    made = ViewerStore(target_of(str(clip)))
    made.start()
    until(lambda: made.is_settled)
    yield made
    made.close()


def test_a_clock_has_one_desk(clock):
    assert Workspace.of(clock) is Workspace.of(clock)


def test_picks_are_told(clock):
    desk, told = Workspace.of(clock), []
    desk.picked.connect(lambda: told.append(desk.picks.facts))
    desk.star("walker", "hp")
    desk.lane(Field(1, "hp"))
    desk.plot(Field(1, "hp"))
    desk.pin(1)
    desk.clear_plots()
    assert len(told) == 5
    assert told[-1] == {"stars": {"walker": ["hp"]}}


def test_a_course_arrives_bit_by_bit_and_is_the_same_for_all(clock, until):
    desk, reads = Workspace.of(clock), []
    desk.read.connect(lambda: reads.append(len(desk.course(1))))
    course = desk.course(1)
    assert len(course) == 0
    until(lambda: course.progress >= 1.0)
    assert len(course) == 256
    assert reads
    assert desk.course(1) is course


def test_only_the_courses_that_were_asked_for_lately_are_kept_and_read_on(clock, until):
    desk = Workspace.of(clock)
    first = desk.course(1)
    for object in range(2, 9):
        desk.course(object)
    assert desk.course(1) is first
    desk.course(9)  # now 2 was asked for longest ago
    assert desk.course(1) is first
    assert len(clock.reader._inquiries) == 8
    assert {scan.object for scan in clock.reader._inquiries} == {1, 3, 4, 5, 6, 7, 8, 9}


def test_what_was_read_of_another_recording_is_forgotten(clock, until):
    desk = Workspace.of(clock)
    until(lambda: desk.course(1).progress >= 1.0)
    before = desk.course(1)
    (scan,) = clock.reader._inquiries
    scan.restart()
    desk._take()
    assert desk.course(1) is not before
    assert len(desk.course(1)) == 0
    clock.reader._wake.ring()
    until(lambda: desk.course(1).progress >= 1.0)
    assert len(desk.course(1)) == 256
