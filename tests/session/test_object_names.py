"""A name stands for its object wherever an id does: in checks, watched values, traces, drawings."""

import pytest

import playhead as ph
from playhead.errors import RecordingError


def test_a_name_is_taken_where_an_id_is_also_in_the_first_frame(tmp_path):
    guards = {"left guard": {"hp": 5.0}, "right guard": {"hp": 9.0}}
    path = tmp_path / "guards.mcap"
    with ph.record(guards, path, dt=0.1, strict=True) as rec:
        for _ in range(3):
            with rec.frame():
                rec.watch("alert", 1.0, "right guard")
                rec.trace.state("left guard", "ai", None, "Alert", won="start")
                rec.check(guards["left guard"]["hp"] < 5.0, "low", focus="left guard")
    with ph.open(path) as run:
        assert run.checks[0].object == run.object("left guard").id
        assert {one.target for one in run.transitions("left guard", "ai")} == {"Alert"}


def test_an_unknown_name_is_an_error_that_tells_the_nearest(tmp_path):
    with ph.record({"runner": {"x": 1.0}}, tmp_path / "r.mcap", dt=0.1, strict=True) as rec:
        with rec.frame():
            pass
        with rec.frame(), pytest.raises(RecordingError, match="did you mean 'runner'"):
            rec.check(True, "x", focus="runer")
