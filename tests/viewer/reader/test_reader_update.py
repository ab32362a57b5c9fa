"""The mailbox between the reader thread and the window."""

import pytest

from playhead.viewer.reader import reader_update
from playhead.viewer.reader.reader_update import UpdateMailbox


class Clock:
    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(reader_update, "time", clock)
    return clock


@pytest.fixture
def heard():
    return []


@pytest.fixture
def mailbox(heard, clock):
    return UpdateMailbox(lambda: heard.append(clock.now))


def paint(mailbox, clock, seconds):
    mailbox.take()
    clock.now += seconds
    mailbox.painted()


def test_the_window_is_notified_once_until_it_takes_the_update(mailbox, heard):
    mailbox.publish(progress=0.25)
    mailbox.publish(progress=0.5)
    assert len(heard) == 1
    assert mailbox.take().progress == 0.5
    assert mailbox.take().progress is None
    mailbox.publish(progress=0.75)
    assert len(heard) == 2


def test_a_window_that_leaves_time_to_read_rests_twice_as_long_as_it_painted(mailbox, heard, clock):
    mailbox.leaves_time_to_read = True
    mailbox.publish(progress=0.25)
    paint(mailbox, clock, 0.2)
    painted = clock.now
    mailbox.publish(progress=0.5)
    clock.now = painted + 0.39
    mailbox.notify_if_due()
    assert not mailbox.is_due
    assert len(heard) == 1
    clock.now = painted + 0.41
    mailbox.notify_if_due()
    mailbox.notify_if_due()
    assert heard[1:] == [clock.now]
    assert mailbox.take().progress == 0.5


def test_a_window_never_rests_longer_than_a_second(mailbox, heard, clock):
    mailbox.leaves_time_to_read = True
    mailbox.publish(progress=0.25)
    paint(mailbox, clock, 30.0)
    clock.now += 1.01
    mailbox.publish(progress=0.5)
    assert len(heard) == 2


@pytest.mark.parametrize(
    "urgent", [{"completed": 1}, {"messages": ["no such mark"]}, {"failed_checks": [None]}]
)
def test_a_resting_window_is_notified_at_once_of_what_concerns_its_user(
    mailbox, heard, clock, urgent
):
    mailbox.leaves_time_to_read = True
    mailbox.publish(progress=0.25)
    paint(mailbox, clock, 0.2)
    mailbox.publish(progress=0.5)
    assert len(heard) == 1
    mailbox.publish(**urgent)
    assert len(heard) == 2


def test_when_there_is_nothing_more_to_read_the_window_hears_of_what_waits(mailbox, heard, clock):
    mailbox.leaves_time_to_read = True
    mailbox.publish(progress=0.25)
    paint(mailbox, clock, 0.2)
    mailbox.publish(progress=1.0)
    mailbox.leaves_time_to_read = False
    mailbox.notify_if_due()
    assert len(heard) == 2
