"""The interface that game code and agents make statements through, and one that records nothing.

A `Session` records what is stated, a `Client` sends it to a game on the bus, and
`NullInstrumentation` takes the same calls and keeps nothing, so that one call site serves with and
without a recorder.
"""

from abc import abstractmethod
from collections.abc import Callable
from functools import wraps
from typing import Any

from ..objects.object_ids import ObjectOrId
from ..packets.draw_primitives import Color as Color
from ..packets.draw_primitives import Vector as Vector
from ..packets.trace_types import Belief as Belief
from ..packets.trace_types import Rejected as Rejected
from ..packets.trace_types import Scalar as Scalar
from .decision_trace_calls import DecisionTracer as DecisionTracer
from .draw_calls import Draw as Draw
from .statement_calls import CALLS, Emitter
from .statement_messages import Statement


class Instrumentation(Emitter):
    """The statements that game code and agents can make, wherever they go.

    Write code against this type: a `Session` records the calls, `NullInstrumentation` takes the
    same ones and keeps nothing, and an agent in another process has one that goes over the bus.
    """

    armed_hooks: Any = None
    """The hooks on decisions (a `HookTable`) while any is set, else None."""

    @abstractmethod
    def check(
        self, condition: bool, message: str, *, focus: ObjectOrId = 0, stacklevel: int = 1
    ) -> bool:
        """The recorder assert: False stops the game at the end of this frame (see `Session`)."""


def _ignored(call: Callable[..., Any]) -> Callable[..., None]:
    """A call that does nothing at all, not even look at what it is given."""

    @wraps(call)
    def nothing(*_: Any, **__: Any) -> None: ...

    nothing.__doc__ = "Do nothing."
    return nothing


def _nowhere(part: type[Any]) -> Any:
    """A `Draw` or `DecisionTracer` whose calls are ignored; but a game's own function is called."""
    calls = {
        name: _ignored(call)
        for name, call in vars(part).items()
        if name[0] != "_" and name != "decide"
    }
    return type(f"Null{part.__name__}", (part,), calls)(None, None)


class NullInstrumentation(Instrumentation):
    """Takes every call of `Instrumentation` and keeps nothing: for code that may run unrecorded."""

    draw: Draw = _nowhere(Draw)
    trace: DecisionTracer = _nowhere(DecisionTracer)

    def _emit(self, statement: Statement) -> None: ...

    def _refuse(self, cause: str, error: Exception) -> None: ...

    def _take_pixels(self, image: Any, name: str) -> None: ...

    def check(
        self, condition: bool, message: str, *, focus: ObjectOrId = 0, stacklevel: int = 1
    ) -> bool:
        """Return the condition."""
        return condition


for _call in CALLS:
    setattr(NullInstrumentation, _call, _ignored(getattr(Emitter, _call)))

NULL_INSTRUMENTATION: Instrumentation = NullInstrumentation()
