"""What went wrong is counted, the first of each cause is logged, and the recording is told."""

import logging
import threading

import pytest

from playhead.errors import HandlerError, RecordingError
from playhead.recorder.fault_counts import (
    MOST_CAUSES,
    MOST_LOSSES,
    MOST_WORDS,
    OTHERS,
    FaultCounts,
    RefusedCall,
    error_text,
)


def test_causes_without_end_are_counted_together():
    faults = FaultCounts()
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
    faults = FaultCounts()

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
    faults, first = FaultCounts(), HandlerError("one")
    faults.defer(first)
    faults.defer(HandlerError("two"))
    assert faults.pop_error() is first
    assert faults.pop_error() is None


def test_an_error_is_reported_by_its_own_words_if_it_is_one_of_ours():
    assert error_text(RecordingError("id 0 is the world")) == "id 0 is the world"
    assert error_text(KeyError("hp")) == "KeyError('hp')"
    assert len(error_text(ValueError("x" * 10_000))) == MOST_WORDS


def test_refusing_takes_errors_and_lets_interrupts_through():
    received = []
    refusing = RefusedCall("draw", lambda cause, error: received.append((cause, type(error))))
    for _ in range(2):
        with refusing:
            raise KeyError
    with refusing:
        pass
    assert received == [("draw", KeyError)] * 2
    with pytest.raises(KeyboardInterrupt), refusing:
        raise KeyboardInterrupt
    assert len(received) == 2


def test_the_first_of_each_cause_is_an_error_in_the_log_and_those_after_it_are_counted(caplog):
    faults = FaultCounts()
    for object in range(1, 50):
        faults.handler_failed("orc", object, KeyError("hp"))
        faults.has_no_handler("ghost")
        faults.call_refused("objects()", RecordingError("no entry"), lost=True)
    result = [(record.name, record.levelname, record.getMessage()) for record in caplog.records]
    assert [row[:2] for row in result] == [("playhead.recorder", "ERROR")] * 3
    assert "object 1: KeyError('hp')" in result[0][2]
    assert "handlers.ignore('ghost')" in result[1][2]
    faults.handler_failed("orc", 1, ValueError("another cause"))
    assert len(caplog.records) == 4
    assert faults.handlers == {"orc": 50}


def test_an_error_of_the_games_own_code_is_logged_with_its_traceback(caplog):
    try:
        raise KeyError("hp")
    except KeyError as error:
        FaultCounts().handler_failed("orc", 1, error)
    assert "in test_an_error_of_the_games_own_code" in caplog.text


def test_causes_without_end_do_not_fill_the_log(caplog):
    faults = FaultCounts()
    for n in range(3 * MOST_CAUSES):
        faults.call_refused(f"cause {n}")
    assert len(caplog.records) == MOST_CAUSES + 1
    assert "only counted from now on" in caplog.records[-1].getMessage()


def test_only_one_of_many_threads_logs_a_cause(caplog):
    faults, start = FaultCounts(), threading.Barrier(8)

    def refuse():
        start.wait(30)
        for _ in range(200):
            faults.call_refused("draw")

    threads = [threading.Thread(target=refuse) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(caplog.records) == 1


def test_a_log_that_breaks_or_calls_back_harms_nobody():
    faults = FaultCounts()

    class Breaking(logging.Handler):
        def emit(self, record):
            faults.call_refused("log")
            raise OSError("the disk is full")

    logger, handler = logging.getLogger("playhead"), Breaking()
    logger.addHandler(handler)
    try:
        faults.call_refused("draw")
    finally:
        logger.removeHandler(handler)
    assert faults.calls == {"draw": 1, "log": 2, "logging": 2}


def test_the_recording_is_reported_a_loss_at_once_and_then_whenever_it_has_doubled():
    faults, result = FaultCounts(), []
    for frame in range(1, 101):
        faults.has_no_handler("ghost")
        result += faults.pop_losses(frame)
    assert [loss.count for _, loss in result] == [1, 2, 4, 8, 16, 32, 64]
    assert {(number, loss.cause, loss.what, loss.frame) for number, loss in result} == {
        (0, "no handler", "ghost", 1)
    }
    for n in range(100):
        faults.has_no_handler(f"type {n}")
    assert len(faults.pop_losses(200)) == MOST_LOSSES - 1


def test_what_a_terminal_would_obey_is_not_logged_as_it_is(caplog):
    FaultCounts().call_refused("an \x1b[31morc\n")
    assert caplog.messages == ["an \\x1b[31morc\\n"]


def test_a_lock_that_another_thread_held_at_a_fork_does_not_block_the_child():
    faults = FaultCounts()
    faults._lock.acquire()  # as by a thread that the child does not have
    faults.renew_lock()
    faults.call_refused("draw")
    assert faults.calls == {"draw": 1}
