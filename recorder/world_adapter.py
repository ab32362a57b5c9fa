"""The adapter between a game and playhead: the methods that a game must have, and may have."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

import msgspec

from ..errors import RecordingError
from .handler_interface import Batch, FrameImage

_T = TypeVar("_T")


class ObjectEntry(NamedTuple):
    """One object of the game, as the recorder walks over it."""

    id: int
    """1 … 2⁶³−1, the object's own for as long as it lives. Never Python's `id()`."""
    type: str
    """The class of object that a handler is registered for."""
    object: Any
    """What the handler of that type is given."""


class Conventions(msgspec.Struct, frozen=True):
    """How the game's numbers are to be read; given once and recorded as metadata."""

    up: str = "z"
    """The axis that points up."""
    handedness: str = "right"
    """`right` or `left`."""
    unit: str = "m"
    """The unit of length."""
    angles: tuple[str, str, str] = ("x", "y", "z")
    """The axes of the world that a packet's three angles (radians) turn about, the first one first:
    with x, y, z roll, then pitch, then yaw."""


class StandIn(NamedTuple):
    """What is left of an object that was recorded but is gone: enough to show where it was."""

    id: int
    type: str
    position: tuple[float, float, float]
    angles: tuple[float, float, float]
    visible: bool


class World(ABC):
    """A game as playhead sees it: the adapter that you write.

    Write three methods: `objects`, `time` and `find`. All others have a default: a world without
    `pause`, `hide` or `look_at` is recorded and played, too. The game itself may be the adapter.

        class Game(ph.World):
            def objects(self):
                return [(door.id, "door", door) for door in self.doors]

            def time(self):
                return self.seconds

            def find(self, object_id):
                return self.doors_by_id.get(object_id)
    """

    can_restore: bool = True
    """False if recorded data can't be put back into this game's objects: stand-ins show all."""
    can_advance: bool = True
    """False if this game can't be run for a number of steps and paused then."""
    conventions: Conventions = Conventions()
    columnar: bool = False
    """True if `batches` or `images` give all objects, so that `objects` need not be walked."""

    @abstractmethod
    def objects(self) -> Iterable[tuple[int, str, Any]]:
        """All objects that exist now, as `(id, type, object)`, in a stable order.

        An id is a whole number from 1 to 2⁶³−1, the object's own for as long as it lives, and not
        used again while it is recorded. Python's `id()` is none: it comes back on new objects. The
        type is the text that a handler is registered for; the object is what that handler is given.
        """

    @abstractmethod
    def time(self) -> float:
        """Game time in seconds. It may jump, back as well: then a new epoch begins."""

    @abstractmethod
    def find(self, object_id: int) -> Any | None:
        """The living object with this id, or None."""

    def id_of(self, object: Any) -> int | None:
        """The id of one of the game's objects; None if it is none of them.

        Asked where an object is given instead of an id: `check(…, focus=player)`. Without a method
        of its own a world is walked over with `objects`, once a frame at most.
        """
        return next((id for id, _, thing in self.objects() if thing is object), None)

    def batches(self) -> Iterable[Batch]:
        """Objects that exist as columns already, for a world that is `columnar`."""
        return ()

    def images(self) -> Iterable[FrameImage]:
        """Objects that were laid out elsewhere, for a world in another process."""
        return ()

    def screen_pixels(self) -> Any:
        """What the game's screen shows after a step, as `Session.picture` takes it: an array of
        pixels, or a pygame Surface; None for nothing.

        Asked at the end of a step when a picture is due, for a twentieth of the time at most.
        """
        return None

    def halt(self) -> bool:
        """Prepare for playback: True once no step is under way, so that it can begin.

        A world in another process tells its game to stop, and returns False until the game has. The
        method is then called again, and frames that come meanwhile are recorded. If playback does
        not begin after all, `resume` is called.
        """
        return True

    def pause(self) -> None:
        """Stand still: playback begins. The loop that asks `session.live` needs nothing here."""

    def resume(self) -> None:
        """Run on: playback has ended and every object is as it was."""

    def lock_input(self, locked: bool) -> None:
        """While locked the game ignores its players' input: the scrub controls own it."""

    def hide(self, object_id: int) -> None:
        """Don't show this object: it did not exist at the frame that is shown."""

    def unhide(self, object_id: int) -> None:
        """Show this object again, as it was before `hide`."""

    def show_stand_in(self, stand_in: StandIn) -> None:
        """Show, or move, a stand-in for a recorded object that is gone."""

    def remove_stand_in(self, object_id: int) -> None:
        """Remove that stand-in."""

    def look_at(self, object_id: int, position: tuple[float, float, float]) -> None:
        """Turn the camera to this object, which is (or was) at `position`."""


def checked_world(world: Any) -> World:
    """A world as a session takes it.

    Raises:
        RecordingError: it is none.
    """
    if isinstance(world, World):
        return world
    if isinstance(world, type) and issubclass(world, World):
        text = f"{world.__name__} is a class: give an instance of it, as in {world.__name__}()"
    else:
        text = (
            f"{world!r:.80} is no World: give an instance of your own class that is derived from"
            " ph.World"
        )
    raise RecordingError(f"{text}; ph.record takes functions, lists and objects")


def values_from(answer: Callable[[], Iterable[_T]]) -> Iterator[_T]:
    """What a world answers; asked by the recorder, so that it knows if an answer breaks off."""
    yield from answer()
