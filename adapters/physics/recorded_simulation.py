"""The interface of a recorded physics simulation, and which library's simulation a thing is."""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...recorder.statements.draw_calls import Draw
from ..field_inspection import FieldChoice

IdOf = Callable[[Any], int | None]


class Simulation(ABC):
    """The bodies of a physics library's simulation, and their shapes as drawings."""

    thing: Any
    """What the program gave: the same twice is recorded once."""
    kinds: tuple[type, ...] = ()
    """The classes of its objects."""
    fields: Mapping[str | type, FieldChoice] = {}
    """What is recorded of them, where inspection does not find it."""
    inexact: str = ""
    """Why its state can't be put back exactly, so that it is not; empty if it can be."""

    render: Callable[[], Any] | None = None
    """Gives the picture of this frame; None if it has none."""
    picture_name: str = "camera"
    """What that is called, where other pictures are recorded as well."""

    @abstractmethod
    def objects(self) -> Sequence[Any]:
        """The bodies of this frame."""

    @abstractmethod
    def draw(self, draw: Draw, id_of: IdOf) -> None:
        """Draw the shapes of this frame."""

    def close(self) -> None:  # noqa: B027  # most have nothing to give back
        """Nothing is recorded any more."""


def is_simulation(thing: Any) -> bool:
    """Whether something is a simulation. Imports no library."""
    pymunk, mujoco = sys.modules.get("pymunk"), sys.modules.get("mujoco")
    if pymunk is not None and isinstance(thing, pymunk.Space):
        return True
    if mujoco is None or not isinstance(thing, tuple) or len(thing) != 2:
        return False
    return isinstance(thing[0], mujoco.MjModel) and isinstance(thing[1], mujoco.MjData)


def simulation_of(thing: Any, camera: str | int | None = None) -> Simulation | None:
    """The simulation that something is; None if it is none. Imports no library.

    Args:
        camera: Whose picture is recorded, of a simulation that has cameras.

    Raises:
        RecordingError: it has no such camera, or nothing can be rendered here.
    """
    if not is_simulation(thing):
        return None
    if isinstance(thing, tuple):
        from .mujoco_simulation import MujocoSimulation

        model, data = thing
        return MujocoSimulation(model, data, camera)
    if camera is not None:
        return None
    from .pymunk_space import PymunkSpace

    return PymunkSpace(thing)
