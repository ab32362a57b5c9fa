"""From above, arrows are for what faces somewhere, and diamonds for what has no angles."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

import playhead as ph
from playhead.playback.playback_state import Mode, PlaybackState
from playhead.viewer.backends.view_target import target_of
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
