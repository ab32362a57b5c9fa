"""Nothing grows with the length of the run."""

import os
from pathlib import Path

import pytest

from playhead.games.arena.yard_game import ArenaGame
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session


def resident() -> int:
    """Bytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_the_process_stays_as_large_as_it_was_while_the_ring_turns_over_many_times():
    game = ArenaGame(seed=1)
    with Session(game.world, "2 MiB", handlers=game.handlers, on_check=UNATTENDED) as session:
        game.attach(session)
        for _ in range(1000):
            game.step()
            session.update(game.dt)
        memory, before = session.status.memory, resident()
        for frame in range(5_000):
            game.step()
            session.log(f"line {frame} was never said before")
            session.update(game.dt)
        assert session.status.memory == memory
        assert resident() - before < 2 << 20
