"""Log lines that can do the game no harm."""

import logging

import pytest

from playhead.recorder.text.safe_log import log_safely


class Broken(logging.Filter):
    def filter(self, record):
        raise ZeroDivisionError


@pytest.fixture
def logger():
    made = logging.getLogger("playhead.tests.safe_log")
    yield made
    made.filters.clear()


def test_what_a_terminal_would_obey_is_escaped_and_line_ends_stay(logger, caplog):
    assert log_safely(logger, logging.ERROR, "%s of %d\nagain", "\x1b[2Jguard", 7)
    assert caplog.messages == ["\\x1b[2Jguard of 7\nagain"]


def test_a_text_without_parts_may_hold_any_sign(logger, caplog):
    assert log_safely(logger, logging.ERROR, "100 % of %s")
    assert caplog.messages == ["100 % of %s"]


def test_a_log_that_breaks_reaches_nobody(logger, caplog):
    logger.addFilter(Broken())
    assert not log_safely(logger, logging.ERROR, "never heard")
    assert caplog.messages == []


def test_the_traceback_of_an_error_comes_along(logger, caplog):
    try:
        raise KeyError("hp")
    except KeyError as error:
        log_safely(logger, logging.ERROR, "a handler failed", error=error)
    assert "KeyError: 'hp'" in caplog.text
