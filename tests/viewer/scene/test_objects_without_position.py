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
    until(lambda: "all without a recorded position" in world.text())
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
    assert not world.scene.unplaced
    assert not world.scene.positions.any()


def test_beside_others_they_are_left_out_and_counted(window, tmp_path, until):
    class Flyer(Runner):
        pass

    flyer = Flyer()
    objects = {"a": Learner(), "b": Learner(), "c": flyer}

    def move(one) -> None:
        if one is flyer:
            flyer.position = (flyer.position[0] + 1.0, 2.0, 0.0)

    recorded(tmp_path / "both.mcap", objects, move)
    world = window(tmp_path / "both.mcap").world
    until(lambda: "2 without a recorded position" in world.text())
    assert len(world.scene.ids) == 1


def test_a_recording_without_positions_shows_the_game_s_own_picture_in_the_middle(
    window, tmp_path, until
):
    learner = Learner()
    with ph.record({"learner": learner}, tmp_path / "env.mcap", dt=0.1) as rec:
        for _ in range(20):
            with rec.frame():
                rec.picture(np.full((90, 160, 3), (200, 40, 40), np.uint8))
    world = window(tmp_path / "env.mcap").world

    def middle():
        image = world.grab().toImage()
        return image.pixelColor(image.width() // 2, image.height() // 2 + 20)

    until(lambda: middle().red() > 150 > 80 > middle().green())
    assert "the game's own picture is shown" in world.text()
    assert world.pick(world.width() / 2, world.height() / 2) == 0


def test_bodies_whose_own_shapes_are_drawn_have_no_placeholders(window, tmp_path):
    pymunk = pytest.importorskip("pymunk")
    space = pymunk.Space()
    for at in range(2):
        body = pymunk.Body(1.0, 1.0)
        body.position = (100.0 + 200.0 * at, 100.0)
        space.add(body, pymunk.Poly.create_box(body, (60, 40)))
    with ph.record([], tmp_path / "boxes.mcap", dt=0.1) as rec:
        rec.add(space)
        for _ in range(3):
            with rec.frame():
                space.step(0.01)
    world = window(tmp_path / "boxes.mcap").world
    world.grab()
    assert world.scene.shapes.outlined == set(world.scene.ids.tolist())
    view = world.camera.view(world.width(), world.height())
    (x, y), _, _ = (one[0] for one in view.project(world.scene.positions[:1]))
    image = world.grab().toImage()
    shades = [image.pixelColor(int(x) + at, int(y) + 4).lightness() for at in (-9, 0, 9)]
    assert max(shades) - min(shades) < 12  # an even surface, through which the grid shines a little
    world.layers.switch("drawings", False)
    assert image != world.grab().toImage()
