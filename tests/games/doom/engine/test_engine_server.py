"""The reading of objects inside the engine's process."""

import operator

import pytest

vizdoom = pytest.importorskip("vizdoom")

from playhead.games.doom.engine import engine_server as engine  # noqa: E402


def test_objects_are_read_in_one_call_that_says_the_same_as_one_by_one():
    probe = vizdoom.Object.__new__(vizdoom.Object)
    probe.__setstate__((40, 5, *(number / 7 for number in range(9)), "Rocket", "Projectile"))
    read = engine._choose_reader()
    assert read is vizdoom.Object.__getstate__
    state = read(probe)
    assert state[: len(engine._FIELDS)] == operator.attrgetter(*engine._FIELDS)(probe)
    assert state[engine._NAME] == "Rocket"
    assert state[engine._NUMBERS] == tuple(number / 7 for number in range(9))
