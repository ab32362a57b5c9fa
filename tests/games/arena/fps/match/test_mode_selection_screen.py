"""The start screen: one choice, in time, from any thread."""

import threading

import pytest

from playhead.errors import GameError
from playhead.games.arena.fps.match.mode_selection_screen import START_LIMIT, StartScreen
from playhead.games.arena.fps.simulation.round_targets_and_modes import ArenaMode


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_there_are_forty_five_seconds_to_choose():
    assert START_LIMIT == 45.0
    clock = Clock()
    start = StartScreen(clock=clock)
    clock.now += 44.9
    assert start.seconds_left == pytest.approx(0.1)
    assert start.choose("train-free") is ArenaMode.TRAIN_FREE
    clock.now += 1000
    assert start.wait() is ArenaMode.TRAIN_FREE
    assert not start.expired


def test_after_that_nothing_can_be_chosen_and_who_waits_is_reported():
    clock = Clock()
    start = StartScreen(clock=clock)
    clock.now += 45.0
    assert start.expired
    with pytest.raises(GameError, match="no mode was chosen within 45 s of the start"):
        start.choose("test")
    with pytest.raises(GameError, match="no mode was chosen within 45 s of the start"):
        start.wait()
    clock.now -= 45.0
    assert start.expired


def test_what_was_chosen_cannot_be_changed():
    start = StartScreen()
    start.choose(ArenaMode.TRAIN_MIX)
    for mode in (ArenaMode.TRAIN_FREE, ArenaMode.TRAIN_MIX, ArenaMode.TEST):
        with pytest.raises(GameError, match="train-mix was chosen and can't be changed"):
            start.choose(mode)
    assert start.mode is ArenaMode.TRAIN_MIX


def test_another_thread_chooses_while_one_waits():
    start = StartScreen(20.0)
    chooser = threading.Timer(0.02, start.choose, ("train-goto",))
    chooser.start()
    assert start.wait() is ArenaMode.TRAIN_GOTO
    chooser.join()


def test_the_time_runs_out_while_one_waits():
    start = StartScreen(0.03)
    with pytest.raises(GameError, match=r"within 0\.03 s"):
        start.wait()


def test_closing_ends_the_waiting():
    start = StartScreen(20.0)
    closer = threading.Timer(0.02, start.close)
    closer.start()
    with pytest.raises(GameError):
        start.wait()
    closer.join()


def test_one_looks_without_waiting_and_rests_no_longer_than_until_the_choice():
    clock = Clock()
    start = StartScreen(clock=clock)
    assert start.look() is None
    start.rest(0.001)
    chooser = threading.Timer(0.02, start.choose, ("test",))
    chooser.start()
    while start.look() is None:
        start.rest(20.0)
    chooser.join()
    start.rest(1000.0)
    assert start.look() is ArenaMode.TEST
    late = StartScreen(clock=clock)
    clock.now += 45.0
    late.rest(1000.0)
    with pytest.raises(GameError, match="no mode was chosen"):
        late.look()


def test_a_wrong_mode_or_limit_is_refused_and_a_right_one_can_still_be_chosen():
    start = StartScreen()
    with pytest.raises(GameError, match="choose one of"):
        start.choose("train")
    assert start.choose("test") is ArenaMode.TEST
    with pytest.raises(GameError, match="start limit 0"):
        StartScreen(0)
