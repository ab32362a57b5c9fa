"""Objects of which no position is recorded stand side by side, and the caption says so."""

import numpy as np
import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

import playhead as ph


class Learner:
    """As of an environment: it has a reward, and no place."""

    def __init__(self) -> None:
        self.reward = 0.0


class Runner:
    """At the origin at first."""

    def __init__(self) -> None:
        self.position = (0.0, 0.0, 0.0)


def recorded(path, objects, move) -> None:
    with ph.record(objects, path, dt=0.1) as rec:
        for _ in range(40):
            with rec.frame():
                for one in objects.values():
                    move(one)


def test_those_without_a_position_do_not_stand_on_one_spot(window, tmp_path, until):
    learners = {f"learner {at}": Learner() for at in range(20)}
    recorded(tmp_path / "env.mcap", learners, lambda one: setattr(one, "reward", one.reward + 1))
    world = window(tmp_path / "env.mcap").world
    until(lambda: "20 without a recorded position" in world.text())
    world.grab()
    places = world.scene.positions[:, :2]
    gaps = np.linalg.norm(places[:, None] - places[None], axis=2)[~np.eye(20, dtype=bool)]
    assert gaps.min() > 2 * world.scene.radius
    assert np.abs(places.mean(axis=0)).max() < gaps.min()


def test_those_with_a_position_stand_where_they_are_also_at_the_origin(window, tmp_path):
    runners = {"a": Runner(), "b": Runner()}
    recorded(tmp_path / "run.mcap", runners, lambda one: None)
    world = window(tmp_path / "run.mcap").world
    world.grab()
    assert not world.scene.side_by_side
    assert not world.scene.positions.any()
