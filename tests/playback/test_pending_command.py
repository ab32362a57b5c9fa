"""An order: taken up once, or given up before, whoever asks first."""

import threading

from playhead.errors import CommandError
from playhead.playback.commands import Step
from playhead.playback.pending_command import PendingCommand
from playhead.playback.playback_state import Mode, PlaybackState


def test_an_order_is_taken_up_once():
    pending = PendingCommand(Step(1), "a#1")
    assert pending.is_open
    assert pending.claim()
    assert not pending.is_open
    assert not pending.claim()
    assert not pending.give_up()


def test_what_was_given_up_is_never_taken():
    pending = PendingCommand(Step(1))
    assert pending.give_up()
    assert not pending.is_open
    assert not pending.claim()
    assert not pending.give_up()


def test_of_many_threads_one_gets_it():
    for _ in range(50):
        pending, got, start = PendingCommand(Step(1)), [], threading.Barrier(4)

        def ask(call, got=got, start=start):
            start.wait()
            got.append(call())

        calls = (pending.claim, pending.give_up, pending.claim, pending.give_up)
        threads = [threading.Thread(target=ask, args=(call,)) for call in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(got) == [False, False, False, True]


def test_who_asked_is_told_what_came_of_it():
    received = []
    pending = PendingCommand(Step(1), "a#1", received.append)
    outcomes = [PlaybackState(Mode.PAUSED, 3, 1.0), CommandError("no")]
    for outcome in outcomes:
        pending.answer(outcome)
    assert received == outcomes
    PendingCommand(Step(1)).answer(outcomes[0])  # nobody asked
