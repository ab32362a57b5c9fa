"""The end of a program's recording."""

from pathlib import Path

import pytest

import playhead as ph
from playhead.programs.program_session import ProgramSession


class Ball:
    def __init__(self, x: float) -> None:
        self.x, self.y = x, 20.0


def test_the_last_frame_has_the_objects_of_functions_that_have_returned(tmp_path: Path) -> None:
    balls = [Ball(10.0 * number) for number in range(5)]
    session = ProgramSession(
        lambda: balls, tmp_path / "run.ring", tmp_path / "run.mcap", pytest.fail, dt=0.1
    )
    session.close_step(0.1)
    session.mark("what comes after the last step, as its picture does")
    balls.clear()
    session.close()
    with ph.open(tmp_path / "run.mcap") as run:
        before, last = run.objects(1), run.objects(2)
        assert len(before) == 5
        assert [one.position for one in last] == [one.position for one in before]
        assert [one.fields for one in last] == [one.fields for one in before]
