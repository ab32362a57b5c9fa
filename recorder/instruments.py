"""What a game or an agent can say about itself, and the same said into the void.

Game code is written against `Instruments`. A `Session` gives the real ones; `SILENT` takes the
same calls and keeps nothing, so that one call site serves with and without a recorder.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

Vector = Sequence[float]
Scalar = float | int | bool | str | None
Color = tuple[int, int, int] | tuple[int, int, int, int]


class Belief(msgspec.Struct, frozen=True):
    """What an agent holds true about an object it reacts to: most stupid AI is stale here."""

    object: int
    """The id of the object believed in."""
    position: tuple[float, float, float]
    """Where the agent thinks it is."""
    seen: float
    """Game time (seconds) at which it was last perceived."""
    note: str = ""


class Rejected(msgspec.Struct, frozen=True):
    """An alternative that lost, and why."""

    condition: str
    reason: str


class Draw(Protocol):
    """Recorded debug drawing. `object=0` belongs to the world; lengths in the game's unit."""

    def line(
        self, start: Vector, end: Vector, *, color: Color = ..., object: int = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None: ...  # fmt: skip

    def lines(
        self,
        segments: Any,
        *,
        color: Color = ...,
        object: int = 0,
        channel: str | None = None,
        latch: str | None = None,
    ) -> None:
        """Many lines of one colour; `segments` is (n, 2, 3) floats."""

    def sphere(
        self, center: Vector, radius: float, *, color: Color = ..., object: int = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None: ...  # fmt: skip

    def box(
        self, center: Vector, size: Vector, *, angles: Vector = (0.0, 0.0, 0.0),
        color: Color = ..., object: int = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None: ...  # fmt: skip

    def polygon(
        self, points: Sequence[Vector], *, color: Color = ..., object: int = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None: ...  # fmt: skip

    def text(
        self, position: Vector, text: str, *, color: Color = ..., object: int = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None: ...  # fmt: skip


class Trace(Protocol):
    """Recorded decisions, in one shape for every kind of decision maker."""

    def state(
        self, agent: int, machine: str, source: str, target: str, *, won: str,
        also_true: Sequence[str] = (), rejected: Sequence[Rejected] = (),
        values: Mapping[str, Scalar] | None = None, beliefs: Sequence[Belief] = (),
    ) -> None: ...  # fmt: skip

    def tree(
        self, agent: int, tree: str, statuses: Sequence[str], *,
        ended_early: Mapping[int, str] | None = None,
        blackboard: Mapping[str, Scalar] | None = None, beliefs: Sequence[Belief] = (),
    ) -> None: ...  # fmt: skip

    def define_tree(self, agent: int, tree: str, nodes: Sequence[Any]) -> None: ...
    def animation(self, agent: int, tree: str, clips: Sequence[Any]) -> None: ...


class Instruments(Protocol):
    """The calls that a game or an agent needs to know."""

    @property
    def draw(self) -> Draw: ...
    @property
    def trace(self) -> Trace: ...
    def watch(self, name: str, value: float, object: int = 0) -> None:
        """A named number of an object, recorded each frame that it is given."""

    def log(
        self, text: str, *, level: str = "info", object: int = 0, channel: str | None = None
    ) -> None: ...

    def name(self, object: int, name: str) -> None:
        """What people call an object; stays until said again."""

    def mark(self, name: str, note: str = "", *, object: int = 0) -> None: ...

    def check(self, condition: bool, message: str, *, focus: int = 0) -> bool:
        """The recorder assert: False stops the game at the end of this frame (see Session)."""


class _SilentDraw:
    def line(self, *_: Any, **__: Any) -> None: ...
    def lines(self, *_: Any, **__: Any) -> None: ...
    def sphere(self, *_: Any, **__: Any) -> None: ...
    def box(self, *_: Any, **__: Any) -> None: ...
    def polygon(self, *_: Any, **__: Any) -> None: ...
    def text(self, *_: Any, **__: Any) -> None: ...


class _SilentTrace:
    def state(self, *_: Any, **__: Any) -> None: ...
    def tree(self, *_: Any, **__: Any) -> None: ...
    def define_tree(self, *_: Any, **__: Any) -> None: ...
    def animation(self, *_: Any, **__: Any) -> None: ...


class Silent:
    """Takes every call of `Instruments` and keeps nothing."""

    draw: Draw = _SilentDraw()
    trace: Trace = _SilentTrace()

    def watch(self, name: str, value: float, object: int = 0) -> None: ...

    def log(
        self, text: str, *, level: str = "info", object: int = 0, channel: str | None = None
    ) -> None: ...

    def name(self, object: int, name: str) -> None: ...

    def mark(self, name: str, note: str = "", *, object: int = 0) -> None: ...

    def check(self, condition: bool, message: str, *, focus: int = 0) -> bool:
        return condition


SILENT: Instruments = Silent()
