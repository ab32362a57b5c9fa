"""What went wrong is counted, told in few words, and mutes a type only after a streak."""

import threading

import pytest

from playhead.errors import HandlerError, RecordingError
from playhead.recorder.faults import MOST_CAUSES, MOST_WORDS, OTHERS, Faults, Refusing, words


def test_a_type_is_muted_by_the_failure_that_makes_its_streak_long_enough():
    faults = Faults(mute_after=3)
    told = [faults.handler_failed("orc", frame, ValueError()) for frame in (1, 1, 1, 2, 2, 3, 3)]
    assert told == [False] * 5 + [True, False]
    assert faults.muted == {"orc"}
    assert faults.handlers == {"orc": 7}


def test_a_good_frame_between_begins_the_streak_anew():
    faults = Faults(mute_after=2)
    assert not any(faults.handler_failed("orc", frame, ValueError()) for frame in (1, 3, 5, 7))
    assert faults.handler_failed("orc", 8, ValueError())


def test_a_type_that_was_unmuted_has_its_whole_streak_before_it():
    faults = Faults(mute_after=2)
    for frame in (1, 2):
        faults.handler_failed("orc", frame, ValueError())
    faults.unmute("orc")
    assert not faults.handler_failed("orc", 3, ValueError())
    assert faults.handler_failed("orc", 4, ValueError())


def test_causes_without_end_are_counted_together():
    faults = Faults(3)
    for n in range(MOST_CAUSES + 50):
        faults.call_refused(f"cause {n}")
        faults.has_no_handler(f"type {n}")
        faults.handler_failed(f"type {n}", 1, ValueError())
    for counts in (faults.calls, faults.unhandled, faults.handlers):
        assert len(counts) == MOST_CAUSES + 1
        assert counts[OTHERS] == 50
    faults.call_refused("x" * 100_000)
    assert max(map(len, faults.calls)) <= MOST_WORDS


def test_no_count_is_lost_between_threads():
    faults = Faults(3)

    def refuse():
        for _ in range(5000):
            faults.call_refused("draw")

    threads = [threading.Thread(target=refuse) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert faults.calls == {"draw": 20_000}


def test_the_first_error_of_a_frame_is_the_one_that_is_raised():
    faults, first = Faults(3), HandlerError("one")
    faults.keep(first)
    faults.keep(HandlerError("two"))
    assert faults.take() is first
    assert faults.take() is None


def test_an_error_is_told_by_its_own_words_if_it_is_one_of_ours():
    assert words(RecordingError("id 0 is the world")) == "id 0 is the world"
    assert words(KeyError("hp")) == "KeyError('hp')"
    assert len(words(ValueError("x" * 10_000))) == MOST_WORDS


def test_refusing_takes_errors_and_lets_interrupts_through():
    told = []
    refusing = Refusing("draw", lambda cause, error: told.append((cause, type(error))))
    for _ in range(2):
        with refusing:
            raise KeyError
    with refusing:
        pass
    assert told == [("draw", KeyError)] * 2
    with pytest.raises(KeyboardInterrupt), refusing:
        raise KeyboardInterrupt
    assert len(told) == 2
