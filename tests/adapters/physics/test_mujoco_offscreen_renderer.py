"""A camera of MuJoCo's is recorded as pictures where there is OpenGL, and says so where not."""

import json

import pytest

from ...support.late_import import imported_at_use
from ...support.process import run_python

imported_at_use("mujoco")
pytest.importorskip("simplejpeg")

SCENE = """
<mujoco><worldbody><light pos="0 0 3"/><geom type="plane" size="5 5 1" rgba="0 0 1 1"/>
<camera name="side" pos="0 -3 1" xyaxes="1 0 0 0 .3 1"/>
<body pos="0 0 1"><freejoint/><geom size=".4" rgba="1 0 0 1"/></body></worldbody></mujoco>
"""
SCRIPT = f"""
import json, sys
import mujoco
import playhead as ph

model = mujoco.MjModel.from_xml_string('''{SCENE}''')
hashes, pictures, said = [], [], ""
for camera in ("side", None):
    data = mujoco.MjData(model)
    with ph.record(dt=model.opt.timestep, strict=True) as rec:
        try:
            rec.add((model, data), camera=camera)
        except ph.errors.RecordingError as error:
            said = str(error)
            rec.add((model, data))
        for _ in range(30):
            with rec.frame():
                mujoco.mj_step(model, data)
        rec.recorder.wait_for_pictures(30)
        rec.update()
        pictures.append([[name for _, name in rec.source.picture_entries(1, 31) or ()]])
        hashes.append(data.qpos.tobytes().hex())
wrong = ""
try:
    with ph.record(dt=0.1) as rec:
        rec.add((model, mujoco.MjData(model)), camera="front")
except ph.errors.RecordingError as error:
    wrong = str(error)
json.dump([pictures, hashes, said, wrong], sys.stdout)
"""


@pytest.mark.slow
def test_a_camera_is_recorded_where_something_can_be_rendered_and_changes_no_outcome():
    result = run_python(SCRIPT, env={"MUJOCO_GL": "egl"})
    (with_camera, without), hashes, said, wrong = json.loads(result.stdout)
    if said:
        pytest.skip(said)
    assert with_camera[0]
    assert set(with_camera[0]) == {"screen"}
    assert without == [[]]
    assert hashes[0] == hashes[1]
    assert "'front' is none of this model's: there are 'side', and -1 for the free one" in wrong


def test_where_nothing_can_be_rendered_it_says_what_to_set():
    result = run_python(SCRIPT, env={"MUJOCO_GL": "disable"})
    pictures, hashes, said, _ = json.loads(result.stdout)
    assert "MuJoCo can't render here" in said
    assert "set MUJOCO_GL=egl" in said
    assert pictures == [[[]], [[]]]
    assert hashes[0] == hashes[1]
