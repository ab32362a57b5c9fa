"""What goes wrong in a game is either raised or logged, once; and never keeps the game standing."""

import logging

import pytest

from playhead.errors import HandlerError, RecordingError
from playhead.playback.commands import Enter, SeekMark, Step
from playhead.recorder.fault_counts import FaultCounts

from ..conftest import Ball


class Unknown:
    """An object whose type has no handler."""

    position = (0.0, 0.0, 0.0)


def of_no_type(court):
    court.things[50] = Unknown()


def with_a_broken_handler(court):
    court.things[1].velocity = "fast"


def with_a_text_for_an_id(court):
    court.things["first"] = Ball()


def with_a_long_text(court):
    court.things[1].state = "x" * 5000


BROKEN = [of_no_type, with_a_broken_handler, with_a_text_for_an_id, with_a_long_text]


@pytest.mark.parametrize("break_it", BROKEN)
def test_what_is_raised_when_strict_is_not_logged_as_well(play, caplog, break_it):
    game = play(strict=True)
    break_it(game.court)
    with pytest.raises((HandlerError, RecordingError)):
        game.session.update(game.DT)
    assert not caplog.records


@pytest.mark.parametrize("break_it", BROKEN)
def test_what_is_not_raised_is_logged_once(play, caplog, break_it):
    game = play(strict=False)
    break_it(game.court)
    for _ in range(5):
        game.session.update(game.DT)
    assert len(caplog.records) == 1


def test_of_two_errors_in_a_frame_one_is_raised_and_the_other_logged(play, caplog):
    game = play(strict=True)
    with_a_broken_handler(game.court)
    of_no_type(game.court)
    with pytest.raises(HandlerError) as raised:
        game.session.update(game.DT)
    [record] = caplog.records
    assert record.levelno == logging.ERROR
    assert record.getMessage() not in str(raised.value)
    assert {"ball" in str(raised.value), "ball" in record.getMessage()} == {True, False}


class Broken:
    """A handler that can't play."""

    def play(self, obj, packet):
        raise ZeroDivisionError


@pytest.mark.parametrize("strict", [False, True])
def test_a_handler_that_can_not_play_is_logged_once_or_raised(play, caplog, strict):
    game = play(strict=strict)
    game.run(5)
    working = dict(game.session.handlers.players)
    game.session.restorer._players = working | {"ball": Broken()}
    if strict:
        with pytest.raises(HandlerError, match="mend its `play`"):
            game.session.apply(Enter(), now=True)
        game.session.restorer._players = working
        assert not caplog.records  # the other balls fail for the same reason
    else:
        game.session.apply(Enter(), now=True)
        game.session.apply(Step(-1))
        game.session.leave()
        [record] = caplog.records
        assert "play ball" in record.getMessage()
        assert game.session.status.calls_refused["play ball"] >= 3


def test_a_game_whose_objects_can_not_be_had_in_playback_is_left_running(play, caplog):
    game = play(strict=False)
    game.run(5)
    listed = game.court.objects
    game.court.objects = lambda: 1 / 0
    game.session.check(False, "the door is shut")
    game.session.update(game.DT)
    assert not game.session.live
    game.session.apply(Step(-1))
    game.session.leave()
    assert game.session.live
    assert not game.court.paused
    assert not game.court.locked
    assert game.session.status.calls_refused["objects() in playback"] >= 2
    assert len([text for text in caplog.messages if "objects()" in text]) == 1
    game.court.objects = listed
    game.run(2)
    assert game.session.source.span.newest == 8


def test_an_object_without_a_whole_id_is_no_hindrance_to_playback(play):
    game = play(strict=False)
    game.run(5)
    with_a_text_for_an_id(game.court)
    game.court.things[True] = game.court.things.pop(1)
    game.session.update(game.DT)
    game.session.apply(Enter(), now=True)
    game.session.apply(Step(-1))
    game.session.leave()
    assert game.session.live


def test_a_world_that_was_stopped_for_a_command_that_is_refused_runs_on(play):
    game = play(strict=False)
    game.run(5)
    stops = []

    def halt():
        stops.append(True)
        return len(stops) > 1

    game.court.halt = halt
    game.session.send(SeekMark("nobody set it"))
    game.run(1)
    assert stops == [True]
    assert ("resume",) not in game.court.calls
    game.run(1)
    assert game.session.live
    assert game.court.calls.count(("resume",)) == 1


def test_a_world_that_need_not_be_stopped_is_not_told_to_run_on(play):
    game = play(strict=False)
    game.run(5)
    game.session.send(SeekMark("nobody set it"))
    game.run(2)
    assert ("resume",) not in game.court.calls


def test_a_log_that_records_frames_itself_spoils_none(play):
    game = play(strict=False)

    class Recording(logging.Handler):
        def emit(self, record):
            game.session.update(game.DT)

    logger, handler = logging.getLogger("playhead.recorder"), Recording()
    logger.addHandler(handler)
    try:
        game.run(3)
        with_a_broken_handler(game.court)
        game.session.update(game.DT)
    finally:
        logger.removeHandler(handler)
    assert game.session.source.span.newest == 4
    assert len(game.session.source.objects(4)) == 4


def test_errors_are_logged_again_when_the_one_that_is_raised_was_taken(caplog):
    faults = FaultCounts(raises=True)
    for type in ("one", "two"):
        faults.defer(HandlerError(faults.has_no_handler(type)))
    assert ["'two'" in text for text in caplog.messages] == [True]
    assert "'one'" in str(faults.pop_error())
