"""A recording of a game in two dimensions, as a person sees it."""

import numpy as np
import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

import playhead as ph
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.world_adapter import Conventions
from playhead.viewer.reader.frame_snapshot import SnapshotReader
from playhead.viewer.reader.object_names import ObjectNames

from .pixels import FRAMES, LAST, PLAYER, make_pixels


@pytest.fixture
def world(window, tmp_path):
    def open(conventions, size=(1280, 720)):
        path = tmp_path / "pixels.mcap"
        make_pixels(path, conventions)
        made = window(path, size=size)
        image = made.world.grab().toImage()
        assert not made.world.error_text
        return made.world, image

    return open


def node_positions(panel):
    """Where the bodies are in the picture, by object."""
    scene = panel.scene
    view = panel.camera.view(panel.width(), panel.height())
    pixels, front, _ = view.project(scene.positions)
    assert front.all()
    return dict(zip(scene.ids.tolist(), pixels, strict=True))


DOWN = [
    Conventions(up="z", handedness="left", unit="px"), Conventions(up="-y", unit="px"),
    Conventions(up="-y"),
]  # fmt: skip
UP = [Conventions(up="y"), Conventions(up="z"), Conventions(up="z", unit="px")]


@pytest.mark.parametrize("conventions", DOWN + UP)
def test_it_opens_from_above_all_of_it_in_sight_and_y_points_as_in_the_game(world, conventions):
    panel, _ = world(conventions)
    assert panel.camera.top
    seen = node_positions(panel)
    player, enemy = seen[PLAYER], seen[3]
    assert (player[1] < enemy[1]) == (conventions in DOWN)
    assert seen[3][0] < seen[LAST][0]  # x points to the right
    assert seen[3][1] == pytest.approx(seen[LAST][1], abs=0.5)
    for x, y in seen.values():
        assert 10 < x < panel.width() - 10
        assert 10 < y < panel.height() - 10


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)])
def test_bodies_are_no_specks(world, size):
    panel, image = world(Conventions(up="-y"), size)
    scene = panel.scene
    assert scene.radius >= scene.extent / 60
    x, y = node_positions(panel)[LAST]
    ground = image.pixelColor(int(x), int(y) - 60).lightness()
    around = [
        (at, down) for at in range(-20, 20) for down in range(-20, 20)
        if abs(image.pixelColor(int(x) + at, int(y) + down).lightness() - ground) > 30
    ]  # fmt: skip
    assert len(around) > 80
    # A surface, not its outline.
    assert image.pixelColor(int(x), int(y)).lightness() > ground + 20


def test_bodies_keep_their_size_while_time_passes(world, until):
    from playhead.playback.commands import SeekFrame

    panel, _ = world(Conventions(up="-y"))
    sizes = set()
    for frame in (1, FRAMES // 2, FRAMES):
        panel.store.send(SeekFrame(frame))
        until(lambda frame=frame: panel.store.frame == frame)
        panel.grab()
        sizes.add(panel.scene.radius)
    assert len(sizes) == 1


def test_a_selected_sprite_keeps_its_shape_and_its_label_is_beside_it(window, tmp_path):
    class Brick:
        def __init__(self, x):
            self.rect = (x, 300, 80, 40)
            self.position = (x + 40.0, 320.0, 0.0)

    path = tmp_path / "bricks.mcap"
    conventions = Conventions(up="-y", unit="px")
    with ph.record(
        {"left": Brick(100), "right": Brick(400)}, dt=0.1, conventions=conventions
    ) as rec:
        rec.update()
        rec.save(path)
    made = window(path, size=(1280, 720))
    made.world.layers.switch("trails", False)

    def look(object):
        made.store.select(object)
        image = made.world.grab().toImage()
        x, y = node_positions(made.world)[1]
        return image, image.pixelColor(int(x) + 3, int(y) + 3).name(), int(x), int(y)

    _, usual, _, _ = look(2)
    image, selected, x, y = look(1)
    assert selected == usual  # its own colour, and no label over it
    half = (
        made.world.camera.view(made.world.width(), made.world.height()).pixels_per_length(
            made.world._scene_renderer.seen.depth[:1]
        )[0]
        * made.world.scene.half_sizes[0]
    )
    edge = [image.pixelColor(x, y + int(half[1]) + at).lightness() for at in range(-3, 4)]
    assert max(edge) > 200  # the outline


def test_a_game_with_height_opens_in_perspective(window, clip):
    assert not window(clip).world.camera.top


def test_paths_of_nodes_are_shortened_to_what_tells_them_apart(tmp_path):
    path = tmp_path / "pixels.mcap"
    make_pixels(path)
    with ClipSource.open(path) as source:
        snapshot = SnapshotReader(source).read(FRAMES)
    assert snapshot.name_of(3) == "Enemy3"
    assert snapshot.objects[3].name == "Enemy3"
    assert snapshot.names.get(3) == "Enemy3"
    # Two nodes are called Player.
    assert (snapshot.name_of(PLAYER), snapshot.name_of(LAST)) == ("Main/Player", "Enemies/Player")
    assert snapshot.paths[3] == "/root/Main/Enemies/Enemy3"


def test_only_paths_are_shortened():
    names = ObjectNames()
    names.name({1: "n/a", 2: "/", 3: "/alone", 4: "/a/x", 5: "/b/x", 6: "/a//y/", 7: "/c/a/x"})
    assert [names.get(at) for at in range(1, 8)] == [
        "n/a", "/", "/alone", "/a/x", "/b/x", "y", "/c/a/x"
    ]  # fmt: skip


def test_the_inspector_and_the_card_tell_the_whole_path(window, tmp_path):
    path = tmp_path / "pixels.mcap"
    make_pixels(path)
    opened = window(path)
    opened.store.select(3)
    assert "/root/Main/Enemies/Enemy3" in opened.inspector.text()
    panel = opened.world
    panel.grab()
    x, y = node_positions(panel)[3]
    from playhead.viewer.toolkit.qt import QPointF

    panel.hover(QPointF(float(x), float(y)))
    assert "/root/Main/Enemies/Enemy3" in panel.card.lines
    assert np.isfinite(panel.scene.radius)


def test_many_nodes_of_one_name_cost_no_more_in_each_frame(monkeypatch):
    from playhead.viewer.reader import object_names as module

    names, asked = ObjectNames(), []
    paths = {at: f"/root/Enemies/E{at}/Sprite" for at in range(1, 201)}
    names.name(paths)
    assert names.get(7) == "E7/Sprite"
    parts = module._parts
    monkeypatch.setattr(module, "_parts", lambda path: asked.append(path) or parts(path))
    names.name(paths)
    assert len(asked) < 10 * len(paths)
