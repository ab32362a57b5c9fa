"""From above, arrows are for types that turn, and diamonds for those that never have angles."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

import playhead as ph
from playhead.playback.playback_state import Mode, PlaybackState
from playhead.viewer.backends.open_target import target_of
from playhead.viewer.reader.frame_snapshot import SnapshotReader
from playhead.viewer.scene.scene_model import SceneModel


@pytest.mark.parametrize("angle", [0.0, 1.5])
def test_what_has_no_angles_faces_nowhere(tmp_path, angle):
    thing = {"position": (3.0, 4.0, 0.0), "angles": (0.0, 0.0, angle)}
    path = tmp_path / "thing.mcap"
    with ph.record({"thing": thing}, dt=0.1, memory="4 MiB") as rec:
        rec.update()
        rec.save(path)
    backend = target_of(str(path)).open()
    try:
        playback = PlaybackState(Mode.PAUSED, 1, 0.1, 1.0)
        scene = SceneModel(SnapshotReader(backend.source).read(1), playback)
    finally:
        backend.close()
    assert scene.faces.tolist() == [angle != 0.0]


def test_a_type_that_turns_in_another_frame_is_an_arrow_in_all_of_them(tmp_path, until):
    from playhead.viewer.reader.reader_thread import ReaderThread

    class Ship:
        position = (1.0, 2.0, 0.0)
        angles = (0.0, 0.0, 0.0)

    class Crate(Ship):
        pass

    ship, crate, path = Ship(), Crate(), tmp_path / "ships.mcap"
    with ph.record([ship, crate], dt=0.1, memory="4 MiB") as rec:
        for frame in range(40):
            ship.angles = (0.0, 0.0, 0.3 if 10 <= frame < 30 else 0.0)
            rec.update()
        rec.save(path)
    reader = ReaderThread(target_of(str(path)), lambda: None)
    reader.start()
    try:
        seen = []

        def is_read() -> bool:
            update = reader.take()
            seen.extend([update.snapshot] if update.snapshot is not None else [])
            return update.progress == 1.0

        until(is_read)
        snapshot = seen[-1]
        scene = SceneModel(snapshot, PlaybackState(Mode.PAUSED, 40, 4.0, 1.0))
    finally:
        reader.close()
    faces = {snapshot.objects.type_of(int(id)): bool(scene.faces[row]) for row, id in
             enumerate(scene.ids.tolist())}  # fmt: skip
    assert faces == {"Ship": True, "Crate": False}
