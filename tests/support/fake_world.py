"""A game without a game: objects that a test moves, and all that playback asks for written down."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from playhead.handlers.field_handler import FieldHandler
from playhead.handlers.handler_registry import HandlerRegistry
from playhead.recorder.handler_interface import Batch
from playhead.recorder.world_adapter import Conventions, StandIn, World

Vector = tuple[float, float, float]

DT = 1 / 64
"""A step without rounding: times are exact."""


def nothing(*_: object) -> None:
    """Does nothing."""


@dataclass
class FakeWorld(World):
    """A game and its adapter in one.

    It insists on what playback promises: no step while it is paused, nothing hidden twice,
    `pause` and `resume` in turn.

    Args:
        things: The objects by id. A thing's type is its attribute `type`, or the lower-case name
            of its class. `hide` uses the attribute `visible`, if there is one.
        move: Moves one thing in a step: `move(thing, dt)`.
        dt: Seconds of a step.
        tick: Seconds that pass whenever the time is asked for, for loops that never `step`.
        columns: What `batches` answers, for a world that is `columnar`.
    """

    things: dict[int, Any] = field(default_factory=dict)
    move: Callable[[Any, float], object] = nothing
    dt: float = DT
    tick: float = 0.0
    columns: Callable[[], Iterable[Batch]] = tuple
    columnar: bool = False
    can_restore: bool = True
    conventions: Conventions = field(default_factory=Conventions)
    unlisted: set[int] = field(default_factory=set)
    """Things that exist, but are not among the objects."""
    during: Callable[[], object] = nothing
    """Called in the middle of each step: when half of the things have moved."""
    seconds: float = 0.0
    steps: int = 0
    paused: bool = False
    locked: bool = False
    hidden: dict[int, bool] = field(default_factory=dict)
    """Hidden ids with the visibility that they had: hiding goes through the flag itself."""
    stand_ins: dict[int, StandIn] = field(default_factory=dict)
    camera: tuple[int, Vector] | None = None
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    """What was asked of it, as `(name, argument)`; everything but questions."""
    walks: int = 0
    """How often its objects were asked for."""

    def step(self) -> None:
        assert not self.paused, "a step while playback is on"
        self.steps += 1
        self.seconds += self.dt
        half = len(self.things) // 2
        for number, thing in enumerate(list(self.things.values())):
            if number == half:
                self.during()
            self.move(thing, self.dt)
        if not self.things:
            self.during()

    def type_of(self, thing: Any) -> str:
        return str(getattr(thing, "type", None) or type(thing).__name__.lower())

    def state(self) -> Any:
        """Everything that could be told apart, also what playback may have left behind."""
        return repr((
            self.things, self.seconds, self.steps, self.locked, self.paused,
            sorted(self.stand_ins.items()), sorted(self.hidden.items()),
        ))  # fmt: skip

    def picture(self) -> Any:
        """What a person would see now."""
        return repr((
            sorted(self.things.items()), sorted(self.stand_ins.items()), sorted(self.hidden)
        ))  # fmt: skip

    # --- as playhead sees it ------------------------------------------------------------------

    def objects(self) -> list[tuple[int, str, Any]]:
        self.walks += 1
        return [
            (id, self.type_of(thing), thing)
            for id, thing in self.things.items()
            if id not in self.unlisted
        ]

    def batches(self) -> Iterable[Batch]:
        return self.columns()

    def time(self) -> float:
        self.seconds = round(self.seconds + self.tick, 9) if self.tick else self.seconds
        return self.seconds

    def find(self, object_id: int) -> Any | None:
        return self.things.get(object_id)

    def pause(self) -> None:
        assert not self.paused
        self.paused = True
        self.calls.append(("pause",))

    def resume(self) -> None:
        self.paused = False
        self.calls.append(("resume",))

    def lock_input(self, locked: bool) -> None:
        self.locked = locked
        self.calls.append(("lock" if locked else "unlock",))

    def hide(self, object_id: int) -> None:
        assert object_id not in self.hidden
        thing = self.things[object_id]
        self.hidden[object_id] = getattr(thing, "visible", True)
        thing.visible = False
        self.calls.append(("hide", object_id))

    def unhide(self, object_id: int) -> None:
        self.things[object_id].visible = self.hidden.pop(object_id)
        self.calls.append(("unhide", object_id))

    def show_stand_in(self, stand_in: StandIn) -> None:
        self.stand_ins[stand_in.id] = stand_in
        self.calls.append(("show", stand_in.id))

    def remove_stand_in(self, object_id: int) -> None:
        del self.stand_ins[object_id]
        self.calls.append(("remove", object_id))

    def look_at(self, object_id: int, position: Vector) -> None:
        self.camera = (object_id, position)
        self.calls.append(("look_at", object_id))


@dataclass
class HaltingWorld(FakeWorld):
    """One that is asked to come to a stand, as a game in another process is.

    Whether a world has a `halt` of its own makes a difference, so the other one has none.
    """

    halts: bool = True
    """What `halt` answers."""

    def halt(self) -> bool:
        return self.halts


def handlers_of(world: FakeWorld) -> HandlerRegistry:
    """A handler for each type of thing that is there, which records and plays its fields."""
    handlers = HandlerRegistry()
    samples = {world.type_of(thing): thing for thing in world.things.values()}
    for type, sample in samples.items():
        handlers.register(type, FieldHandler(sample))
    return handlers
