"""A simulation of MuJoCo in one line: bodies, geoms, and exactly the same outcome."""

from typing import Any

import numpy as np
import pytest

from playhead.playback.commands import Enter, SeekFrame
from playhead.recording_session import record

from ...support.late_import import imported_at_use

mujoco = imported_at_use("mujoco")

WALKER = """
<mujoco>
  <option timestep="0.005"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="torso" pos="0 0 1"><freejoint/>
      <geom type="box" size=".2 .1 .3" mass="3"/>
      {legs}
    </body>
    <body name="ball" pos=".1 .1 2"><freejoint/><geom type="sphere" size=".1"/></body>
  </worldbody>
  <actuator>{motors}</actuator>
</mujoco>
"""
LEG = """
<body name="leg{n}" pos="{x} 0 -.3"><joint name="hip{n}" type="hinge" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".04"/></body>
"""


def walker(legs: int = 8) -> Any:
    """A body on legs with motors: its state has more numbers than one field has room for."""
    xml = WALKER.format(
        legs="".join(LEG.format(n=n, x=(n - legs / 2) / 10) for n in range(legs)),
        motors="".join(f'<motor joint="hip{n}" gear="5"/>' for n in range(legs)),
    )
    model = mujoco.MjModel.from_xml_string(xml)
    return model, mujoco.MjData(model)


def step(model: Any, data: Any, number: int) -> None:
    data.ctrl[:] = np.sin(number / 10 + np.arange(model.nu))
    mujoco.mj_step(model, data)


def everything(data: Any) -> Any:
    return [
        np.array(one).tolist()
        for one in (
            data.time, data.qpos, data.qvel, data.qacc, data.xpos, data.qacc_warmstart, data.cvel
        )
    ]  # fmt: skip


def test_the_outcome_is_the_same_with_recording_and_looking_at_the_past():
    plain, (model, data) = walker(), walker()
    assert mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_INTEGRATION) > 64
    with record(dt=0.005, strict=True) as rec:
        rec.add((model, data))
        rec.add((model, data))
        for number in range(300):
            step(*plain, number)
            with rec.frame():
                step(model, data, number)
            if number % 60 == 59:
                now = everything(data)
                rec.apply(Enter(), now=True)
                rec.apply(SeekFrame(20))
                assert everything(data) != now
                rec.apply(SeekFrame(30))
                rec.leave()
                assert everything(data) == now
        assert everything(data) == everything(plain[1])


def test_playback_shows_the_simulation_as_it_was():
    model, data = walker()
    with record(dt=0.005, strict=True) as rec:
        rec.add((model, data))
        seen = []
        for number in range(100):
            with rec.frame():
                step(model, data, number)
            seen.append((data.time, data.qpos.tolist(), data.qvel.tolist()))
        rec.apply(Enter(), now=True)
        for frame in (1, 50, 99):
            rec.apply(SeekFrame(frame))
            assert (data.time, data.qpos.tolist(), data.qvel.tolist()) == seen[frame - 1]
        rec.leave()


def test_bodies_have_their_names_and_places_and_geoms_are_drawn():
    model, data = walker(2)
    with record(dt=0.005, strict=True) as rec:
        rec.add((model, data))
        for number in range(10):
            with rec.frame():
                step(model, data, number)
        names = rec.source.names(10)
        assert {"torso", "leg0", "leg1", "ball"} <= set(names.values())
        bodies = {names.get(packet.id): packet for packet in rec.source.objects(10)}
        for name in ("torso", "ball"):
            assert bodies[name].position == pytest.approx(data.body(name).xpos, abs=1e-6)
        drawn = rec.source.drawn(10)
        assert {one.object for one in drawn} >= {bodies[name].id for name in ("torso", "leg0")}
        assert any(one.latched == "ground" for one in drawn)


def test_angles_turn_about_the_axes_in_the_order_of_the_conventions():
    from playhead.adapters.physics.mujoco_simulation import angles_of

    x, y, z = 0.4, -0.7, 1.2
    cos, sin = np.cos, np.sin
    about_x = np.array([[1, 0, 0], [0, cos(x), -sin(x)], [0, sin(x), cos(x)]])
    about_y = np.array([[cos(y), 0, sin(y)], [0, 1, 0], [-sin(y), 0, cos(y)]])
    about_z = np.array([[cos(z), -sin(z), 0], [sin(z), cos(z), 0], [0, 0, 1]])
    assert angles_of(about_z @ about_y @ about_x) == pytest.approx((x, y, z))
