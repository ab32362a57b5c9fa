"""Objects are given by id or name, and one without a name by its type and id."""

import pytest

import playhead as ph
from playhead.errors import CommandError
from playhead.recording.decisions.why_not_text import why_not_lines
from playhead.recording.objects.object_lookup import shown_name_at


class Guard:
    def __init__(self) -> None:
        self.x, self.hp = 0.0, 10


def test_where_no_object_has_a_name_an_error_says_how_to_write_one(tmp_path):
    path = tmp_path / "run.mcap"
    with ph.record([Guard()], path, dt=1 / 60) as rec, rec.frame():
        pass
    with ph.open(path) as run:
        with pytest.raises(CommandError, match="a type and an id, as in 'Guard 1'"):
            run.history("Guard", "hp")
        assert run.history("Guard 1", "hp").values.tolist() == [10]


def test_an_object_without_a_name_is_called_by_its_type_and_id_wherever_it_is_shown(tmp_path):
    path = tmp_path / "run.mcap"
    guard = Guard()
    with ph.record([guard], path, dt=1 / 60) as rec:
        for state in ("Patrol", "Flee"):
            with rec.frame():
                rec.trace.state(guard, "mind", None, state, won="start")
    with ph.open(path) as run:
        assert shown_name_at(run.source, 2, 1) == "Guard 1"
        assert shown_name_at(run.source, 2, 7) == ""
        assert next(iter(why_not_lines(run.why_not(1, "Flee")))).startswith("Guard 1 · mind: Flee ")
