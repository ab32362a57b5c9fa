"""Patches pymunk and MuJoCo: a step of a simulation is a frame, where nothing else makes them."""

import functools
import os
from types import ModuleType
from typing import Any

from ..unmodified_program_recorder import ProgramRecorder

_WITHOUT_WINDOW = ("egl", "osmesa")
"""What MuJoCo can render with that disturbs no window of the program's."""


def patch_pymunk(module: Any, recorder: ProgramRecorder) -> None:
    """Record each space that makes a step."""
    original = module.Space.step

    @functools.wraps(original)
    def step(space: Any, dt: float) -> Any:
        if not recorder.records_here:
            return original(space, dt)
        if not recorder.knows(space):
            recorder.objects.leave_variables()
            recorder.recognition.found("pymunk space", f"{len(space.bodies)} bodies at first")
        return recorder.simulate(space, lambda: original(space, dt), dt)

    module.Space.step = step


def patch_mujoco(mujoco: ModuleType, recorder: ProgramRecorder) -> None:
    """Record each model and its data that make a step."""
    module: Any = mujoco
    original = module.mj_step

    @functools.wraps(original)
    def mj_step(m: Any, d: Any, nstep: int = 1) -> Any:
        if not recorder.records_here:
            return original(m, d, nstep)
        if not recorder.knows((m, d)):
            recorder.objects.leave_variables()
            recorder.recognition.found("mujoco simulation", f"{m.nbody - 1} bodies")
            if not recorder.is_within and os.environ.get("MUJOCO_GL") in _WITHOUT_WINDOW:
                recorder.add_with_camera((m, d))
        step = float(m.opt.timestep) * nstep
        return recorder.simulate((m, d), lambda: original(m, d, nstep), step)

    module.mj_step = mj_step
