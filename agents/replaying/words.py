"""An agent's words from another process: each goes to the frame that the agent had seen."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...bus.client import Client
from ...bus.sayings import SayDraw, SayLog, SayMark, SayViolation
from ...errors import BusError, BusyError
from ...recorder.checks import caller, expression_at
from ...recorder.instrumentation import Belief, Color, Draw, Rejected, Scalar, Trace, Vector
from ...recorder.logs import LogLine
from ...recorder.object_ids import ObjectRef, only_id
from ...recorder.traces import AnimationTrace, AnyTrace, StateTrace, TreeTrace, with_ids

_WHITE = (255, 255, 255)


class Words:
    """`Instrumentation` over the bus.

    Transitions, lines, marks and checks carry the time of what the agent has seen, so that they are
    in its frame whenever they arrive. Watched values and drawings are in the frame that is being
    recorded when they do. What can't be said because the game is gone or takes nothing is counted
    in `lost`: whoever waits for the game finds out the rest.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self.time: float | None = None
        """Timeline seconds of what the agent has seen; None for the frame being recorded."""
        self.lost = 0
        """Calls that did not get through."""
        self.draw: Draw = _Drawing(self)
        self.trace: Trace = _Tracing(self)

    def say(self, call: Callable[[Client], object]) -> None:
        """Have something said, if anybody is there."""
        if not self._client.connected:
            self.lost += 1
            return
        try:
            call(self._client)
        except (BusError, BusyError):
            self.lost += 1

    def watch(self, name: str, value: float, object: ObjectRef = 0) -> None:
        number = only_id(object)
        self.say(lambda client: client.watch(name, float(value), number))

    def log(
        self, text: str, *, level: str = "info", object: ObjectRef = 0, channel: str | None = None
    ) -> None:
        code = caller(1)
        line = LogLine(text, level, code.f_code.co_filename, code.f_lineno, only_id(object))
        self.say(lambda client: client.ask(SayLog(line, channel, time=self.time)))

    def name(self, object: ObjectRef, name: str) -> None:
        number = only_id(object)
        self.say(lambda client: client.name(number, name))

    def mark(self, name: str, note: str = "", *, object: ObjectRef = 0) -> None:
        mark = SayMark(name, note, only_id(object), time=self.time)
        self.say(lambda client: client.ask(mark))

    def check(self, condition: bool, message: str, *, focus: ObjectRef = 0) -> bool:
        if not condition:
            code = caller(1)
            site = code.f_code.co_filename, code.f_lineno
            failed = SayViolation(
                message, only_id(focus), expression_at(code), *site, time=self.time
            )
            self.say(lambda client: client.ask(failed))
        return condition


class _Tracing:
    def __init__(self, words: Words) -> None:
        self._words = words

    def _say(self, agent: ObjectRef, trace: AnyTrace) -> None:
        time, number, told = self._words.time, only_id(agent), with_ids(trace, only_id)
        self._words.say(lambda client: client.trace(number, told, time=time))

    def state(
        self, agent: ObjectRef, machine: str, source: str, target: str, *, won: str,
        also_true: Sequence[str] = (), rejected: Sequence[Rejected] = (),
        values: Mapping[str, Scalar] | None = None, beliefs: Sequence[Belief] = (),
    ) -> None:  # fmt: skip
        code = caller(1)
        trace = StateTrace(
            machine, source, target, won, tuple(also_true), tuple(rejected), dict(values or {}),
            tuple(beliefs), code.f_code.co_filename, code.f_lineno,
        )  # fmt: skip
        self._say(agent, trace)

    def tree(
        self, agent: ObjectRef, tree: str, statuses: Sequence[str], *,
        ended_early: Mapping[int, str] | None = None,
        blackboard: Mapping[str, Scalar] | None = None, beliefs: Sequence[Belief] = (),
    ) -> None:  # fmt: skip
        trace = TreeTrace(
            tree, tuple(statuses), dict(ended_early or {}), dict(blackboard or {}), tuple(beliefs)
        )
        self._say(agent, trace)

    def define_tree(self, agent: ObjectRef, tree: str, nodes: Sequence[Any]) -> None:
        number = only_id(agent)
        self._words.say(lambda client: client.define_tree(number, tree, tuple(nodes)))

    def animation(self, agent: ObjectRef, tree: str, clips: Sequence[Any]) -> None:
        self._say(agent, AnimationTrace(tree, tuple(clips)))


class _Drawing:
    def __init__(self, words: Words) -> None:
        self._words = words

    def line(
        self, start: Vector, end: Vector, *, color: Color = _WHITE, object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        self._say("line", (start, end), color, object, channel, latch)

    def lines(
        self, segments: Any, *, color: Color = _WHITE, object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        points = [point for segment in segments for point in segment]
        self._say("lines", points, color, object, channel, latch)

    def sphere(
        self, center: Vector, radius: float, *, color: Color = _WHITE, object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        size = (float(radius), 1.0, 1.0)
        self._say("sphere", (center,), color, object, channel, latch, size=size)

    def box(
        self, center: Vector, size: Vector, *, angles: Vector = (0.0, 0.0, 0.0),
        color: Color = _WHITE, object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        self._say(
            "box", (center,), color, object, channel, latch,
            size=_place(size), angles=_place(angles),
        )  # fmt: skip

    def polygon(
        self, points: Sequence[Vector], *, color: Color = _WHITE, object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        self._say("polygon", points, color, object, channel, latch)

    def text(
        self, position: Vector, text: str, *, color: Color = _WHITE, object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        self._say("text", (position,), color, object, channel, latch, text=text)

    def _say(
        self, shape: str, points: Sequence[Vector], color: Color, object: ObjectRef,
        channel: str | None, latch: str | None, **rest: Any,
    ) -> None:  # fmt: skip
        said = SayDraw(
            shape, tuple(map(_place, points)), color=(color[0], color[1], color[2]),
            object=only_id(object), channel=channel, latch=latch, **rest,
        )  # fmt: skip
        self._words.say(lambda client: client.ask(said))


def _place(point: Vector) -> tuple[float, float, float]:
    x, y, z = point
    return float(x), float(y), float(z)
