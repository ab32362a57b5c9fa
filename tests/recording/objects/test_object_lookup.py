"""Objects are given by id or name, and one without a name by its type and id."""

import pytest

import playhead as ph
from playhead.errors import CommandError


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
