"""A simulation of MuJoCo: its bodies as objects, its geoms as drawings. Imports mujoco."""

from collections.abc import Callable, Sequence
from typing import Any

import mujoco
import numpy as np

from ...recorder.statements.draw_calls import Draw
from ..field_inspection import ReadOnlyFields
from ..value_kind import MOST_IN_ARRAY
from .mujoco_offscreen_renderer import MujocoCamera
from .recorded_simulation import IdOf, Simulation

CHANNEL = "shapes"
_LATCH = "ground"
_STATE = mujoco.mjtState.mjSTATE_INTEGRATION
"""All that the next step depends on."""


class MujocoBody(ReadOnlyFields):
    """A body as the simulation has it now. It is moved with the whole state, not by itself."""

    def __init__(self, model: Any, data: Any, index: int) -> None:
        self._data, self._index = data, index
        self.name = model.body(index).name or f"body {index}"
        self.position = self.angles = self.velocity = (0.0, 0.0, 0.0)

    def read(self) -> None:
        """Take over where the body is now."""
        data, index = self._data, self._index
        self.position = tuple(data.xpos[index].tolist())
        self.angles = angles_of(data.xmat[index])
        self.velocity = tuple(data.cvel[index, 3:].tolist())


class MujocoState:
    """The whole state of a simulation, in parts that a recording's field has room for.

    In playback, setting the last part sets the simulation. What the simulation was when playback
    began is kept as a copy, since a state alone lacks what was computed from it; when exactly that
    state is set again, the copy is put back.
    """

    parts: tuple[str, ...] = ()
    """The properties that hold the state, in order."""

    def __init__(self, model: Any, data: Any) -> None:
        self._model, self._data = model, data
        self._size = mujoco.mj_stateSize(model, _STATE)
        self._next = np.zeros(self._size)
        self._own: Any = None
        """The simulation's data as playback began."""
        self._own_state = np.zeros(self._size)

    def get(self, part: slice) -> Any:
        """A part of the present state; a copy, which can't be written to."""
        state = np.zeros(self._size)
        mujoco.mj_getState(self._model, self._data, state, _STATE)
        state.flags.writeable = False
        return state[part]

    def set(self, part: slice, values: Any) -> None:
        """Set a part of the state; the last one takes effect."""
        if self._own is None:
            self._own = mujoco.MjData(self._model)
            mujoco.mj_copyData(self._own, self._model, self._data)
            mujoco.mj_getState(self._model, self._data, self._own_state, _STATE)
            self._next[:] = self._own_state
        self._next[part] = values
        if part.stop < self._size:
            return
        if np.array_equal(self._next, self._own_state):
            mujoco.mj_copyData(self._data, self._model, self._own)
            self._own = None
            return
        mujoco.mj_setState(self._model, self._data, self._next, _STATE)
        mujoco.mj_forward(self._model, self._data)


def state_class(size: int) -> type[MujocoState]:
    """A class with a property for each part of a state."""
    parts = [
        slice(begin, min(begin + MOST_IN_ARRAY, size)) for begin in range(0, size, MOST_IN_ARRAY)
    ]
    properties = {f"state_{number}": _property(part) for number, part in enumerate(parts)}
    return type("MujocoState", (MujocoState,), {**properties, "parts": tuple(properties)})


def _property(part: slice) -> property:
    def get(state: MujocoState) -> Any:
        return state.get(part)

    def set(state: MujocoState, values: Any) -> None:
        state.set(part, values)

    return property(get, set)


class MujocoSimulation(Simulation):
    """A model and its data: each body but the world, and the whole state, which is put back."""

    _camera: MujocoCamera | None = None

    def __init__(self, model: Any, data: Any, camera: str | int | None = None) -> None:
        self.thing = (model, data)
        if camera is not None:
            self.render = self._camera = MujocoCamera(model, data, camera)
            self.picture_name = str(camera)
        self._model, self._data = model, data
        self._bodies = [MujocoBody(model, data, index) for index in range(1, model.nbody)]
        self.state = state_class(mujoco.mj_stateSize(model, _STATE))(model, data)
        self.fields = {type(self.state): self.state.parts}
        self._ground: Any = None

    def close(self) -> None:
        if self._camera is not None:
            self._camera.close()
            self.render = self._camera = None

    def objects(self) -> Sequence[Any]:
        for body in self._bodies:
            body.read()
        return [*self._bodies, self.state]

    def draw(self, draw: Draw, id_of: IdOf) -> None:
        model, data = self._model, self._data
        ground = [_grid(data, index) for index in _planes(model)]
        if ground and self._ground is None:
            self._ground = np.concatenate(ground)
            draw.lines(self._ground, color=(110, 116, 126), channel=CHANNEL, latch=_LATCH)
        for index in range(model.ngeom):
            shape = _SHAPES.get(model.geom_type[index])
            if shape is None or model.geom_rgba[index, 3] == 0:
                continue
            body = int(model.geom_bodyid[index])
            id = id_of(self._bodies[body - 1]) or 0 if body else 0
            color = tuple(int(255 * part) for part in model.geom_rgba[index])
            shape(draw, model, data, index, color, id)


def angles_of(matrix: Any) -> tuple[float, float, float]:
    """The angles about the axes x, y, z, in this order, of a rotation matrix; radians."""
    m = np.asarray(matrix).reshape(3, 3)
    return (
        float(np.arctan2(m[2, 1], m[2, 2])),
        float(-np.arcsin(np.clip(m[2, 0], -1.0, 1.0))),
        float(np.arctan2(m[1, 0], m[0, 0])),
    )


def _sphere(draw: Draw, model: Any, data: Any, index: int, color: Any, id: int) -> None:
    center = tuple(data.geom_xpos[index].tolist())
    radius = float(model.geom_size[index, 0])
    draw.sphere(center, radius, color=color, object=id, channel=CHANNEL)


def _capsule(draw: Draw, model: Any, data: Any, index: int, color: Any, id: int) -> None:
    radius, half = model.geom_size[index, :2].tolist()
    axis = data.geom_xmat[index].reshape(3, 3)[:, 2] * half
    ends = [tuple((data.geom_xpos[index] + sign * axis).tolist()) for sign in (-1, 1)]
    for end in ends:
        draw.sphere(end, radius, color=color, object=id, channel=CHANNEL)
    draw.line(*ends, color=color, object=id, channel=CHANNEL)


def _box(draw: Draw, model: Any, data: Any, index: int, color: Any, id: int) -> None:
    """A box, also round a cylinder, an ellipsoid or a mesh."""
    center, half = model.geom_aabb[index, :3], model.geom_aabb[index, 3:]
    turn = data.geom_xmat[index].reshape(3, 3)
    draw.box(
        tuple((data.geom_xpos[index] + turn @ center).tolist()), tuple((2 * half).tolist()),
        angles=angles_of(turn), color=color, object=id, channel=CHANNEL,
    )  # fmt: skip


_GEOM = mujoco.mjtGeom
_SHAPES: dict[int, Callable[[Draw, Any, Any, int, Any, int], None]] = {
    int(_GEOM.mjGEOM_SPHERE): _sphere, int(_GEOM.mjGEOM_CAPSULE): _capsule,
    int(_GEOM.mjGEOM_ELLIPSOID): _box, int(_GEOM.mjGEOM_CYLINDER): _box,
    int(_GEOM.mjGEOM_BOX): _box, int(_GEOM.mjGEOM_MESH): _box,
}  # fmt: skip
_GRID = 10
"""Lines each way that show a plane."""
_ENDLESS = 5.0
"""Half the length, metres, that is shown of an endless plane."""


def _planes(model: Any) -> list[int]:
    return [int(one) for one in np.flatnonzero(model.geom_type == int(_GEOM.mjGEOM_PLANE))]


def _grid(data: Any, index: int, half: float = _ENDLESS) -> Any:
    """The lines of a plane, (n, 2, 3)."""
    at = np.linspace(-half, half, _GRID + 1)
    ends = np.full_like(at, half)
    zeros = np.zeros_like(at)
    along = np.stack([np.stack([at, -ends, zeros], 1), np.stack([at, ends, zeros], 1)], 1)
    across = along[..., [1, 0, 2]]
    turn = data.geom_xmat[index].reshape(3, 3)
    return np.concatenate([along, across]) @ turn.T + data.geom_xpos[index]
