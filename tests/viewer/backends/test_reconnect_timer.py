"""When a lost game is looked for."""

import hypothesis.strategies as st
from hypothesis import given

from playhead.viewer.backends.reconnect_timer import AT_ONCE, ReconnectTimer


def test_at_first_it_is_looked_for_all_the_time_then_at_given_instants():
    retry = ReconnectTimer()
    retry.begin(100.0)
    assert retry.tries(100.1)
    assert retry.due == 0.0
    assert not retry.tries(100.0 + AT_ONCE)
    due = retry.due
    assert due > 100.0 + AT_ONCE
    assert not retry.tries(due - 0.01)
    assert retry.tries(due)
    assert retry.tries(due + 0.5)
    assert retry.due == 0.0


def test_it_waits_longer_each_time():
    retry, now = ReconnectTimer(), 0.0
    retry.begin(now)
    waits = []
    for _ in range(6):
        while retry.tries(now):
            now += 0.1
        waits.append(round(retry.due - now, 6))
        now = retry.due
    assert waits == sorted(waits)
    assert waits[0] < waits[-1] == waits[-2]


def test_a_person_need_not_wait():
    retry = ReconnectTimer()
    retry.begin(0.0)
    assert not retry.tries(50.0)
    retry.now()
    assert retry.tries(50.1)


@given(st.lists(st.floats(0.01, 5.0), min_size=1, max_size=60))
def test_between_tries_the_next_one_is_always_reported(steps):
    retry, now = ReconnectTimer(), 0.0
    retry.begin(now)
    for step in steps:
        now += step
        assert retry.tries(now) is (retry.due == 0.0)
        assert retry.due == 0.0 or retry.due > now
