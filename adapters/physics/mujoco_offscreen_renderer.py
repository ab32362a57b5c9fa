"""The picture of a camera of MuJoCo's, rendered without a window. Imports mujoco."""

import os
from typing import Any

import mujoco

from ...errors import RecordingError

WIDTH, HEIGHT = 640, 360
"""Pixels of the picture, where the model's offscreen buffer has so many."""


class MujocoCamera:
    """Renders what a camera sees now; called like a function.

    Args:
        camera: Its name or number; -1 for the free camera.

    Raises:
        RecordingError: the model has no such camera, or nothing can be rendered here.
    """

    def __init__(self, model: Any, data: Any, camera: str | int) -> None:
        self._data, self._camera = data, _camera_id(model, camera)
        size = model.vis.global_
        try:
            self._renderer: Any = mujoco.Renderer(
                model, min(HEIGHT, int(size.offheight)), min(WIDTH, int(size.offwidth))
            )
        except Exception as error:  # of whatever gives OpenGL here: each has errors of its own
            chosen = os.environ.get("MUJOCO_GL", "")
            raise RecordingError(
                f"camera={camera!r:.80}: MuJoCo can't render here ({error!r:.200}): without a"
                " display set MUJOCO_GL=egl or MUJOCO_GL=osmesa before mujoco is imported; it is"
                f" {chosen!r} now"
            ) from error

    def __call__(self) -> Any:
        self._renderer.update_scene(self._data, self._camera)
        return self._renderer.render()

    def close(self) -> None:
        """Give back what OpenGL has of it."""
        self._renderer.close()


def _camera_id(model: Any, camera: str | int) -> int:
    names = [model.camera(number).name for number in range(model.ncam)]
    if isinstance(camera, str) and camera in names:
        return names.index(camera)
    is_number = isinstance(camera, int) and not isinstance(camera, bool)
    if is_number and -1 <= camera < model.ncam:  # type: ignore[operator]
        return int(camera)
    known = ", ".join(f"{name or number!r}" for number, name in enumerate(names)) or "none"
    raise RecordingError(
        f"camera={camera!r:.80} is none of this model's: there are {known}, and -1 for the free one"
    )
