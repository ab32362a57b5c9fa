"""A loop that steps its world in playback is told so, if the world's time can be had."""

import logging

import pytest

from playhead.playback.checks.ignored_pause_monitor import UPDATES, LoopMonitor


class Clock:
    """A world of which only the time is asked."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.is_broken = False

    def time(self):
        if self.is_broken:
            raise RuntimeError("the level is being loaded")
        return self.seconds


@pytest.mark.parametrize("is_broken", [False, True])
def test_a_loop_that_ignores_the_pause_is_logged_once_unless_its_time_can_not_be_read(
    is_broken, caplog
):
    caplog.set_level(logging.ERROR, "playhead")
    world = Clock()
    world.is_broken = is_broken
    monitor = LoopMonitor(world)
    monitor.begin()
    for _ in range(UPDATES + 3):
        monitor.update_ends(None)
        world.seconds += 10.0
        monitor.update_begins(10.0, None)
    assert len(caplog.records) == (0 if is_broken else 1)
