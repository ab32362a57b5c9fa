"""An arena as a `World`: its objects, and how playback changes their views."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from ...adapters.pausable_world import ViewWorld
from ...playback.pads.pad import Pad
from ...recorder.statements.instrumentation_interface import Instrumentation
from .entity import Entity, EntityView
from .guard_yard import Yard
from .player_camera import CameraView, looking
from .top_down_picture import GroundPlan, Image, PlanPicture

BEHIND, ABOVE = 5.0, 5.0
"""Metres from what the free camera looks at."""


class WithCamera(Protocol):
    """A camera, whose view is shown."""

    @property
    def view(self) -> CameraView: ...


class WorldSimulation(Protocol):
    """What runs in an arena. It never reads a view, so that playback may write them."""

    @property
    def time(self) -> float:
        """Game time in seconds."""

    @property
    def entities(self) -> Mapping[int, Entity]:
        """All that there is now, by id."""

    @property
    def camera(self) -> WithCamera: ...

    @property
    def plan(self) -> GroundPlan:
        """The level as it is seen from above."""

    @property
    def player(self) -> Entity:
        """The character in the middle of the picture."""

    def attach(self, instruments: Instrumentation) -> None:
        """Draw, trace, watch, log and check through these from now on."""

    def step(self, pad: Pad | None = None) -> None:
        """Advance 1/60 s. Without a pad the scripted person plays."""

    def state_hash(self) -> str:
        """A hash of the simulated state and of all views."""


class ArenaWorld(ViewWorld):
    """A simulation between a loop that steps it and a recorder. Playback touches views only."""

    def __init__(self, simulation: WorldSimulation) -> None:
        super().__init__()
        self.simulation = simulation
        self.free_camera: CameraView | None = None
        """Where one looks from during playback, after `look_at`; the recorded camera stays."""
        self._pad: Pad | None = None
        self._plan_picture = PlanPicture()

    @property
    def eye(self) -> CameraView:
        """The view to draw through now."""
        return self.free_camera if self.free_camera is not None else self.simulation.camera.view

    def attach(self, instruments: Instrumentation) -> None:
        """Let it draw, trace, watch and check through these."""
        self.simulation.attach(instruments)

    def press(self, pad: Pad | None) -> None:
        """What is held down from now on; None hands the pad to the scripted person.

        Without effect while the input is locked.
        """
        if not self.input_locked:
            self._pad = pad

    def step(self) -> None:
        """Advance 1/60 s; does nothing while paused."""
        if not self.paused:
            self.simulation.step(self._pad)

    def state_hash(self) -> str:
        """A hash of the simulated state and all views."""
        return self.simulation.state_hash()

    def objects(self) -> Iterator[tuple[int, str, Entity]]:
        for entity in self.simulation.entities.values():
            yield entity.id, entity.type, entity

    def time(self) -> float:
        return self.simulation.time

    def find(self, object_id: int) -> Entity | None:
        return self.simulation.entities.get(object_id)

    def screen_pixels(self) -> Image:
        simulation, (x, y, _) = self.simulation, self.simulation.player.view.position
        return self._plan_picture.draw(simulation.plan, simulation.entities.values(), (x, y))

    def view_of(self, object_id: int) -> EntityView | None:
        entity = self.find(object_id)
        return None if entity is None else entity.view

    def resume(self) -> None:
        super().resume()
        self.free_camera = None

    def look_at(self, object_id: int, position: tuple[float, float, float]) -> None:
        x, y, z = position
        source = (x, y - BEHIND, z + ABOVE)
        angles = looking(source, position)
        self.free_camera = CameraView(position=source, angles=angles, state="free")


class YardWorld(ArenaWorld):
    """A yard as playhead sees it."""

    def __init__(self, yard: Yard) -> None:
        super().__init__(yard)
        self.yard = yard
