"""What a game or an agent can say about itself, and the same said into the void.

Game code is written against `Instrumentation`. A `Session` records these calls;
`NullInstrumentation` takes the same calls and keeps nothing, so that one call site serves with and
without a recorder.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from .object_ids import ObjectRef

Vector = Sequence[float]
Scalar = float | int | bool | str | None
Color = tuple[int, int, int] | tuple[int, int, int, int]


class Belief(msgspec.Struct, frozen=True):
    """What an agent holds true about an object that it reacts to, right or wrong.

    Much of what looks stupid in an agent is a belief that is old: the viewer shows a ghost where
    the agent thinks that the object is.
    """

    object: int
    """The object believed in, or its id; what is recorded is the id."""
    position: tuple[float, float, float]
    """Where the agent thinks it is."""
    seen: float
    """Game time (seconds) at which it was last perceived."""
    note: str = ""

    if TYPE_CHECKING:
        # What is recorded is an id; whoever says it may give the object.
        def __init__(
            self, object: ObjectRef, position: tuple[float, float, float], seen: float,
            note: str = "",
        ) -> None: ...  # fmt: skip


class Rejected(msgspec.Struct, frozen=True):
    """An alternative that lost, and why."""

    condition: str
    """What would have had to hold."""
    reason: str
    """Why it did not, in words with numbers: `hp 74 is not below 35`."""


class Draw(Protocol):
    """Recorded debug drawing: shown live, and again when its frame is scrubbed to.

    Points are three numbers in the game's unit. What is the same in all calls:

    Args:
        color: Red, green, blue and perhaps alpha, each from 0 to 255; white by default.
        object: The object that it belongs to, or its id; 0 for the world.
        channel: A name, such as `ai`, by which drawings are shown and recorded, or not.
        latch: A name under which the drawing stays until it is drawn anew. Without one it is shown
            in its own frame only.

    Raises:
        RecordingError: strict, and numbers make no sense, or the object is unknown. Else such a
            call is counted in `status.calls_refused`, and logged once.
    """

    def line(
        self, start: Vector, end: Vector, *, color: Color = ..., object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        """Draw a straight line between two points of the world."""

    def lines(
        self,
        segments: Any,
        *,
        color: Color = ...,
        object: ObjectRef = 0,
        channel: str | None = None,
        latch: str | None = None,
    ) -> None:
        """Draw many lines of one colour; `segments` is an array of the shape (n, 2, 3)."""

    def sphere(
        self, center: Vector, radius: float, *, color: Color = ..., object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        """Draw a sphere round a point."""

    def box(
        self, center: Vector, size: Vector, *, angles: Vector = (0.0, 0.0, 0.0),
        color: Color = ..., object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        """Draw a cuboid round a point: `size` is three edge lengths, `angles` are radians."""

    def polygon(
        self, points: Sequence[Vector], *, color: Color = ..., object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        """Draw a closed, flat outline of three points or more."""

    def text(
        self, position: Vector, text: str, *, color: Color = ..., object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        """Draw a text at a point; it faces whoever looks."""


class Trace(Protocol):
    """Recorded decisions, in one shape for every kind of decision maker.

    The viewer shows what an agent did in each frame, why, and what it lost against. Any thread may
    call these. What makes no sense is refused as by `Draw`.
    """

    def state(
        self, agent: ObjectRef, machine: str, source: str, target: str, *, won: str,
        also_true: Sequence[str] = (), rejected: Sequence[Rejected] = (),
        values: Mapping[str, Scalar] | None = None, beliefs: Sequence[Belief] = (),
    ) -> None:  # fmt: skip
        """Record that a state machine went from one state to another, and why.

        Until the next call `target` is the state that the machine is in.

        Args:
            agent: The object that decides, or its id.
            machine: Which of its machines: an agent may have several.
            source: The state that it left.
            target: The state that it is in from now on.
            won: The condition that decided.
            also_true: Conditions that held as well, and came later in the order.
            rejected: Alternatives that lost, and why.
            values: Numbers and texts that the conditions looked at.
            beliefs: What the agent held true about other objects.
        """

    def tree(
        self, agent: ObjectRef, tree: str, statuses: Sequence[str], *,
        ended_early: Mapping[int, str] | None = None,
        blackboard: Mapping[str, Scalar] | None = None, beliefs: Sequence[Belief] = (),
    ) -> None:  # fmt: skip
        """Record one tick of a behaviour tree.

        Args:
            agent: The object that decides, or its id.
            tree: Which of its trees; `define_tree` names its nodes.
            statuses: For each node of the definition `success`, `failure`, `running`, or an empty
                text where it was not ticked.
            ended_early: For nodes that were stopped before they were through: index to reason.
            blackboard: Entries that changed in this tick.
            beliefs: What the agent held true about other objects.
        """

    def define_tree(self, agent: ObjectRef, tree: str, nodes: Sequence[Any]) -> None:
        """Say which nodes a behaviour tree has, as `TreeNode`s; this holds until said again."""

    def animation(self, agent: ObjectRef, tree: str, clips: Sequence[Any]) -> None:
        """Record how an animation tree was blended in this frame, as `AnimationClip`s."""


class Instrumentation(Protocol):
    """What game code and agents may say of themselves, whoever listens.

    Write code against this type: a `Session` records the calls, `NullInstrumentation` takes the
    same ones and keeps nothing, and an agent in another process has one that goes over the bus.
    """

    @property
    def draw(self) -> Draw:
        """Debug drawing."""

    @property
    def trace(self) -> Trace:
        """Decisions."""

    def watch(self, name: str, value: float, object: ObjectRef = 0) -> None:
        """Record a named number, of an object or of the world, in this frame."""

    def log(
        self, text: str, *, level: str = "info", object: ObjectRef = 0, channel: str | None = None
    ) -> None:
        """Write a line into the log of the recording; `level` is debug, info, warning or error."""

    def name(self, object: ObjectRef, name: str) -> None:
        """Say what people call an object; this holds until it is said again."""

    def mark(self, name: str, note: str = "", *, object: ObjectRef = 0) -> None:
        """Name the frame that is being recorded, to find it again."""

    def check(self, condition: bool, message: str, *, focus: ObjectRef = 0) -> bool:
        """The recorder assert: False stops the game at the end of this frame (see `Session`)."""


class _NullDraw:
    def line(self, *_: Any, **__: Any) -> None: ...
    def lines(self, *_: Any, **__: Any) -> None: ...
    def sphere(self, *_: Any, **__: Any) -> None: ...
    def box(self, *_: Any, **__: Any) -> None: ...
    def polygon(self, *_: Any, **__: Any) -> None: ...
    def text(self, *_: Any, **__: Any) -> None: ...


class _NullTrace:
    def state(self, *_: Any, **__: Any) -> None: ...
    def tree(self, *_: Any, **__: Any) -> None: ...
    def define_tree(self, *_: Any, **__: Any) -> None: ...
    def animation(self, *_: Any, **__: Any) -> None: ...


class NullInstrumentation:
    """Takes every call of `Instrumentation` and keeps nothing: for code that may run unrecorded."""

    draw: Draw = _NullDraw()
    trace: Trace = _NullTrace()

    def watch(self, name: str, value: float, object: ObjectRef = 0) -> None:
        """Do nothing."""

    def log(
        self, text: str, *, level: str = "info", object: ObjectRef = 0, channel: str | None = None
    ) -> None:
        """Do nothing."""

    def name(self, object: ObjectRef, name: str) -> None:
        """Do nothing."""

    def mark(self, name: str, note: str = "", *, object: ObjectRef = 0) -> None:
        """Do nothing."""

    def check(self, condition: bool, message: str, *, focus: ObjectRef = 0) -> bool:
        """Return the condition."""
        return condition


NULL_INSTRUMENTATION: Instrumentation = NullInstrumentation()
