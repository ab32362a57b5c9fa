"""A tool's end of the bus: follow the playhead, move it, ask what is recorded, leave traces.

with Client() as client:
    client.follow(lambda time: print(time.frame, time.time))
    client.seek(12.5)
    client.run()
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeVar

from ..errors import (
    BusError,
    BusyError,
    CapacityError,
    CommandError,
    DamagedError,
    EvictedError,
    PlayheadError,
    RecordingError,
)
from ..playback.command import (
    Command,
    Enter,
    Focus,
    Follow,
    Leave,
    Loop,
    LoopOff,
    Pause,
    Play,
    SeekFrame,
    SeekMark,
    SeekTime,
    Show,
    Step,
    validated,
)
from ..playback.pad import Pad
from ..playback.shown import Shown
from ..recorder.checks import caller, expression_at
from ..recorder.logs import LogLine
from ..recorder.marks import Mark
from ..recorder.traces import AnimationTrace, AnyTrace, StateTrace, TreeNode, TreeTrace
from .clips import SAVE_WITHIN
from .keys import Pass
from .line import HELLO_EVERY, Line
from .protocol import (
    TOPICS,
    Answer,
    Ask,
    ClipRow,
    ClipTold,
    Event,
    Failed,
    Found,
    FrameBytes,
    GetFind,
    GetFrame,
    GetMarks,
    GetObjects,
    GetPresent,
    GetSaid,
    GetStatus,
    GetTypes,
    Happening,
    HoldPad,
    Marks,
    Moved,
    ObjectRow,
    Objects,
    Present,
    Result,
    Said,
    Save,
    SayAnimation,
    SayFact,
    SayLog,
    SayMark,
    SayName,
    SayNodes,
    SayState,
    SayTree,
    SayViolation,
    SayWatch,
    Statement,
    StatusReport,
    Time,
    Trigger,
    Types,
    Welcome,
)

_R = TypeVar("_R", bound=Result)

_ERRORS: Mapping[str, type[PlayheadError]] = {
    "busy": BusyError,
    "command": CommandError,
    "evicted": EvictedError,
    "damaged": DamagedError,
    "malformed": DamagedError,
    "recording": RecordingError,
    "capacity": CapacityError,
}
_KEPT = 10_000
"""Events that may wait for `dispatch`; the oldest are dropped, and counted in `missed`."""

OnTime = Callable[[Time], object]
OnEvent = Callable[[Event], object]


class Client:
    """A tool on the bus. For one thread.

    Callbacks run inside `dispatch` and `run` only, never inside another call. In a loop of its
    own, call `dispatch()` every so often; for asyncio there is `attach`; in a Qt program give each
    of `handles` to a socket notifier, and a timer of 0.1 s, which call `dispatch`.

    If the service goes away, `connected` turns False, calls raise BusError, and the client looks
    for it until it is back, by itself; `on_connection` hears of both.

    Args:
        endpoint: Where the service listens; `tcp://127.0.0.1:5670` by default.
        name: What people call this tool.
        keys: For a service that is locked with keys.
        timeout: Seconds to wait for the service, and for each answer.
        conflate: If the tool is slow, hear of the newest instant only; else of every one.

    Raises:
        BusError: nobody answers there, or it is of another version.
        CommandError: the endpoint is no address.
    """

    def __init__(
        self,
        endpoint: str = "",
        *,
        name: str = "tool",
        keys: Pass | None = None,
        timeout: float = 5.0,
        conflate: bool = True,
    ) -> None:
        self._line = Line(endpoint or "tcp://127.0.0.1", name, keys=keys, conflate=conflate)
        self._timeout = timeout
        self._answers: dict[int, Result | None] = {}
        """Awaited answers by their sequence number; None until they have come."""
        self._unanswered: set[int] = set()
        """Statements whose answers nobody waits for."""
        self._told: deque[Event] = deque()
        self._states: deque[bool] = deque()
        self._followers: list[_Follower] = []
        self._listeners: dict[str, list[OnEvent]] = {topic: [] for topic in TOPICS}
        self._connection: list[Callable[[bool], object]] = []
        self._times: deque[Time] = deque(maxlen=1 if conflate else _KEPT)
        self._service = ""
        self._sequences: dict[str, int] = {}
        self.time: Time | None = None
        """Where everybody stands, as far as is known here."""
        self.missed = 0
        """Events that were told, and did not get here."""
        self.refusals: deque[str] = deque(maxlen=100)
        """Why the newest of the statements that were refused were."""
        self._line.on_answer = self._on_answer
        self._line.on_event = self._on_event
        self._line.on_time = self._on_time
        self._line.on_welcome = self._on_welcome
        self._line.on_lost = self._on_lost
        self._connect()
        self._states.clear()  # those who will ask were not there before

    def _connect(self) -> None:
        end = time.monotonic() + self._timeout
        try:
            while not self._line.ready:
                if self._line.refused is not None:
                    raise BusError(f"{self.endpoint}: {self._line.refused.message}")
                left = end - time.monotonic()
                if left <= 0:
                    raise BusError(
                        f"{self.endpoint}: no playhead answers there within {self._timeout:g} s;"
                        " is a game running with bus=True, or `playhead serve`? Are the keys right?"
                    )
                self._line.pump(left)
        except BaseException:
            self._line.close()
            raise

    # --- the connection -------------------------------------------------------------------------

    @property
    def endpoint(self) -> str:
        """Where the service listens."""
        return self._line.address.endpoint

    @property
    def connected(self) -> bool:
        """Whether the service is there."""
        return self._line.welcome is not None

    @property
    def welcome(self) -> Welcome:
        """What the service said of itself and of the game.

        Raises:
            BusError: it is not there.
        """
        if self._line.welcome is None:
            raise BusError(f"{self.endpoint}: the service is not there")
        return self._line.welcome

    @property
    def origin(self) -> str:
        """This tool's name on the bus."""
        return self.welcome.origin

    def on_connection(self, callback: Callable[[bool], object]) -> None:
        """Have `callback` called with False when the service is lost, with True when it is back."""
        self._connection.append(callback)

    def close(self) -> None:
        """Leave the bus."""
        self._line.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # --- hearing --------------------------------------------------------------------------------

    def follow(self, callback: OnTime, *, own: bool = False) -> None:
        """Have `callback` called with each new instant; with those that this tool caused if `own`.

        It is called with the present one first.
        """
        self._followers.append(_Follower(callback, own, self.time))

    def on(self, topic: str, callback: OnEvent) -> None:
        """Have `callback` called with each event of a topic: see `TOPICS` in the protocol.

        Raises:
            CommandError: there is no such topic.
        """
        if topic not in self._listeners:
            raise CommandError(f"topic {topic!r}: there are {', '.join(TOPICS)}")
        self._line.subscribe(topic)
        self._listeners[topic].append(callback)

    def dispatch(self, timeout: float = 0.0) -> int:
        """Call the callbacks for all that has come; wait up to `timeout` seconds for the first.

        Returns how many calls were made.
        """
        end = time.monotonic() + timeout
        while True:
            left = end - time.monotonic()
            fresh = any(follower.first is not None for follower in self._followers)
            waits = bool(self._told or self._times or self._states or fresh)
            self._line.pump(0.0 if waits else left)
            calls = self._deliver()
            if calls or left <= 0:
                return calls

    def run(self, seconds: float | None = None) -> None:
        """Dispatch until `close` is called, or for some seconds."""
        end = float("inf") if seconds is None else time.monotonic() + seconds
        while not self._line.closed and (left := end - time.monotonic()) > 0:
            self.dispatch(min(left, HELLO_EVERY))

    def _deliver(self) -> int:
        calls = 0
        while self._states:
            state = self._states.popleft()
            for told in tuple(self._connection):
                told(state)
                calls += 1
        for follower in tuple(self._followers):
            first, follower.first = follower.first, None
            if first is not None:
                follower.told = first.sequence
                follower.callback(first)
                calls += 1
        while self._times:
            instant = self._times.popleft()
            for follower in tuple(self._followers):
                is_news = instant.sequence > follower.told
                if is_news and (follower.own or instant.origin != self._line.origin):
                    follower.told = instant.sequence
                    follower.callback(instant)
                    calls += 1
        while self._told:
            event = self._told.popleft()
            for listener in tuple(self._listeners[_topic(event.event)]):
                listener(event)
                calls += 1
        return calls

    @property
    def handles(self) -> tuple[int, ...]:
        """File handles that become readable when `dispatch` has something to do; they may change
        when the service comes back."""
        return self._line.handles

    def attach(self, loop: asyncio.AbstractEventLoop | None = None) -> Callable[[], None]:
        """Have an asyncio loop dispatch, by default the running one; returns what ends that."""
        loop = loop or asyncio.get_running_loop()
        watched: set[int] = set()
        listened = 0
        timer: asyncio.TimerHandle | None = None

        def turn() -> None:
            nonlocal listened
            if self._line.closed:
                detach()
                return
            while not self._line.closed and self.dispatch():
                pass
            if self._line.closed or self._line.listened == listened:
                return
            # Sockets were closed and made anew, perhaps under the same numbers.
            listened = self._line.listened
            for handle in watched:
                loop.remove_reader(handle)
            watched.clear()
            watched.update(self.handles)
            for handle in watched:
                loop.add_reader(handle, turn)

        def beat() -> None:
            nonlocal timer
            timer = loop.call_later(0.1, beat)
            turn()  # may detach

        def detach() -> None:
            if timer is not None:
                timer.cancel()
            for handle in watched:
                loop.remove_reader(handle)
            watched.clear()

        beat()
        return detach

    # --- moving the playhead --------------------------------------------------------------------

    def apply(self, command: Command) -> Shown:
        """Have a command carried out; returns what really happened.

        Raises:
            CommandError: its values make no sense, or what it names is not there.
            BusyError: the game did not take it up in time.
            BusError: the service is not there, or did not answer in time.
        """
        return self.asked(validated(command), Moved).shown

    def enter(self, time: float | None = None) -> Shown:
        """Pause the game at its newest frame, or at a time."""
        return self.apply(Enter(time))

    def leave(self) -> Shown:
        """Put everything back and let the game run on."""
        return self.apply(Leave())

    def go_live(self) -> Shown:
        """Go to the newest and stay with it."""
        return self.apply(Follow())

    def play(self, rate: float = 1.0, *, restart: bool = False) -> Shown:
        """Play recorded frames; in reverse if `rate` is negative."""
        return self.apply(Play(rate, restart))

    def pause(self) -> Shown:
        """Stand still."""
        return self.apply(Pause())

    def step(self, frames: int = 1) -> Shown:
        """Move by whole frames."""
        return self.apply(Step(frames))

    def seek(self, time: float) -> Shown:
        """Go to the newest frame at or before a time, seconds."""
        return self.apply(SeekTime(time))

    def seek_frame(self, frame: int) -> Shown:
        """Go to a frame."""
        return self.apply(SeekFrame(frame))

    def seek_mark(self, name: str) -> Shown:
        """Go to the frame of a mark."""
        return self.apply(SeekMark(name))

    def loop(self, start: float, end: float) -> Shown:
        """Play round and round between two instants."""
        return self.apply(Loop(start, end))

    def loop_off(self) -> Shown:
        """Play to the ends again."""
        return self.apply(LoopOff())

    def focus(self, object: int) -> Shown:
        """Show only this object's debug drawings; 0 for all."""
        return self.apply(Focus(object))

    def show(self, channel: str, on: bool) -> Shown:
        """Show or hide a channel."""
        return self.apply(Show(channel, on))

    # --- asking ---------------------------------------------------------------------------------

    def ask(self, ask: Ask) -> Result:
        """Ask anything of the protocol, and wait for its answer.

        Raises:
            BusError: the service is not there, or did not answer in time.
            PlayheadError: what the service says is wrong.
        """
        return self._result(ask)

    def present(self) -> Present:
        """Where everything stands, with the numbers of the newest events."""
        return self.asked(GetPresent(), Present)

    def status(self) -> StatusReport:
        """How recording and bus are doing."""
        return self.asked(GetStatus(), StatusReport)

    def frame(self, frame: int) -> FrameBytes:
        """A frame as the ring's own bytes."""
        return self.asked(GetFrame(frame), FrameBytes)

    def objects(self, frame: int) -> list[ObjectRow]:
        """The objects of a frame, decoded."""
        return self.asked(GetObjects(frame), Objects).objects

    def said(self, frame: int) -> Said:
        """What games and agents said in a frame."""
        return self.asked(GetSaid(frame), Said)

    def types(self, frame: int) -> Types:
        """How payloads are to be read."""
        return self.asked(GetTypes(frame), Types)

    def marks(self) -> list[Mark]:
        """The marks whose frames are held, oldest first."""
        return self.asked(GetMarks(), Marks).marks

    def find(self, time: float) -> int:
        """The newest frame at or before a time."""
        return self.asked(GetFind(time), Found).frame

    # --- clips ----------------------------------------------------------------------------------

    def save(
        self, path: str, start: int | None = None, end: int | None = None, *,
        timeout: float = SAVE_WITHIN,
    ) -> ClipRow:  # fmt: skip
        """Have what is held, or the frames from `start` to `end`, saved on the game's machine.

        Waits until it is there. Works also while the game stands in a debugger.

        Args:
            path: The file, `*.mcap`, never one that is there. A relative one is in the game's
                folder of clips.

        Raises:
            RecordingError: the file can't be made or written there.
            EvictedError: `start` or `end` is not held.
            BusError: it was not there in time.
        """
        return self.asked(Save(path, start, end), ClipTold, timeout).clip

    def trigger(
        self, name: str, pre: float | None = None, post: float | None = None, *,
        note: str = "", object: int = 0,
    ) -> ClipRow:  # fmt: skip
        """Have the seconds before this instant and those that come next saved. Does not wait.

        When it is there everybody who listens to the topic `clip` is told.
        """
        return self.asked(Trigger(name, pre, post, note, object), ClipTold).clip

    def asked(self, ask: Ask, kind: type[_R], timeout: float | None = None) -> _R:
        """Like `ask`, for an answer of a certain kind, and perhaps with other patience."""
        result = self._result(ask, timeout)
        if not isinstance(result, kind):
            raise BusError(f"{self.endpoint} answered with {type(result).__name__}: {result!r}")
        return result

    def _result(self, ask: Ask, timeout: float | None = None) -> Result:
        """Its answer. A service that forgot this tool is greeted and asked once more."""
        known = self._line.welcome
        result = self._wait_for(self._send(ask), timeout)
        if isinstance(result, Failed) and result.kind == "hello":
            end = time.monotonic() + self._timeout
            while not self._line.ready and time.monotonic() < end:
                self._line.pump(0.01)
            now = self._line.welcome
            # Another run of the service records something else: that is not what was meant.
            if known is not None and now is not None and now.service == known.service:
                result = self._wait_for(self._send(ask), timeout)
        if isinstance(result, Failed):
            raise _ERRORS.get(result.kind, BusError)(result.message)
        return result

    def _send(self, ask: Ask) -> int:
        end = time.monotonic() + self._timeout
        while True:
            try:
                return self._line.send(ask)
            except BusError:
                left = end - time.monotonic()
                if self._line.welcome is None or left <= 0:
                    raise
                self._line.pump(min(left, 0.01))

    def _wait_for(self, sequence: int, timeout: float | None = None) -> Result:
        self._answers[sequence] = None
        patience = self._timeout if timeout is None else timeout
        end = time.monotonic() + patience
        try:
            while self._answers[sequence] is None:
                left = end - time.monotonic()
                if not self.connected:
                    raise BusError(f"{self.endpoint}: the service was lost before it answered")
                if left <= 0:
                    raise BusError(f"{self.endpoint}: no answer within {patience:g} s")
                self._line.pump(left)
        finally:
            result = self._answers.pop(sequence)
        assert result is not None
        return result

    # --- saying ---------------------------------------------------------------------------------

    def trace(
        self, agent: int, trace: AnyTrace, *,
        time: float | None = None, game_time: float | None = None,
    ) -> None:  # fmt: skip
        """A decision of an agent, at an instant: timeline seconds, or the game's own clock.

        Statements wait for no answer; what was refused is in `refusals`, after `flush` for sure.
        """
        match trace:
            case StateTrace():
                self._say(SayState(agent, trace, time=time, game_time=game_time))
            case TreeTrace():
                self._say(SayTree(agent, trace, time=time, game_time=game_time))
            case AnimationTrace():
                self._say(SayAnimation(agent, trace, time=time, game_time=game_time))
            case _:
                raise RecordingError(f"{trace!r} is no StateTrace, TreeTrace or AnimationTrace")

    def log(
        self, text: str, *, level: str = "info", object: int = 0, channel: str | None = None,
        time: float | None = None, game_time: float | None = None,
    ) -> None:  # fmt: skip
        """A line of the log."""
        code = caller(1)
        line = LogLine(text, level, code.f_code.co_filename, code.f_lineno, object)
        self._say(SayLog(line, channel, time=time, game_time=game_time))

    def mark(
        self, name: str, note: str = "", *, object: int = 0,
        time: float | None = None, game_time: float | None = None,
    ) -> None:  # fmt: skip
        """Name an instant."""
        self._say(SayMark(name, note, object, time=time, game_time=game_time))

    def check(
        self, condition: bool, message: str, *, focus: int = 0,
        time: float | None = None, game_time: float | None = None,
    ) -> bool:  # fmt: skip
        """The recorder assert, from outside: if it fails, the game pauses at that instant.

        Returns the condition. Waits until the game knows.
        """
        if not condition:
            code = caller(1)
            self.ask(SayViolation(
                message, focus, expression_at(code), code.f_code.co_filename, code.f_lineno,
                time=time, game_time=game_time,
            ))  # fmt: skip
        return condition

    def watch(self, name: str, value: float, object: int = 0) -> None:
        """A named number of an object, in the frame being recorded."""
        self._say(SayWatch(name, value, object))

    def name(self, object: int, name: str) -> None:
        """What people call an object."""
        self._say(SayName(object, name))

    def fact(self, object: int, key: str, value: Any) -> None:
        """Anything plain that stays true of an object until said again."""
        self._say(SayFact(object, key, value))

    def define_tree(self, agent: int, tree: str, nodes: "tuple[TreeNode, ...]") -> None:
        """Which nodes an agent's behaviour tree has."""
        self._say(SayNodes(agent, tree, nodes))

    def pad(self, pad: Pad, *, player: int = 0, time: float | None = None) -> int:
        """Hold a pad from the game's next step on, until the next call; leaving lets it go.

        While something is held, say so again at least twice a second: a pad whose holder has been
        silent for a second is let go. Pads wait for no answer; one that was not taken, because
        playback is on or the game takes none, is in `refusals`.

        Args:
            time: Timeline seconds of the instant that it was decided on.

        Returns the sequence number by which the game knows this pad.

        Raises:
            BusError: the service is not there.
        """
        held = HoldPad(
            pad.left, pad.right, pad.left_trigger, pad.right_trigger, pad.held, player, time
        )
        return self._say(held)

    def flush(self) -> None:
        """Wait until the service has taken, or refused, all that was said.

        Raises:
            BusError: it did not in time.
        """
        end = time.monotonic() + self._timeout
        while self._unanswered:
            left = end - time.monotonic()
            if left <= 0 or not self.connected:
                raise BusError(
                    f"{self.endpoint}: {len(self._unanswered)} statements were not answered"
                    f" within {self._timeout:g} s"
                )
            self._line.pump(left)

    def _say(self, statement: Statement | HoldPad) -> int:
        sequence = self._send(statement)
        self._unanswered.add(sequence)
        self._line.pump()
        return sequence

    # --- what comes -----------------------------------------------------------------------------

    def _on_answer(self, answer: Answer) -> None:
        sequence, result = answer.sequence, answer.answer
        if sequence in self._answers:
            self._answers[sequence] = result
        elif sequence in self._unanswered:
            self._unanswered.discard(sequence)
            if isinstance(result, Failed):
                self.refusals.append(result.message)

    def _on_time(self, told: Time) -> None:
        newer = self.time is None or told.sequence > self.time.sequence
        if newer:
            self.time = told
            self._times.append(told)

    def _on_event(self, event: Event) -> None:
        topic = _topic(event.event)
        before = self._sequences.get(topic)
        if before is not None and event.sequence > before + 1:
            self.missed += event.sequence - before - 1
        self._sequences[topic] = event.sequence
        if len(self._told) >= _KEPT:
            self._told.popleft()
            self.missed += 1
        self._told.append(event)

    def _on_welcome(self, welcome: Welcome) -> None:
        self.time = welcome.present.time
        self._times.clear()
        for follower in self._followers:
            follower.first = self.time
        if self._service != welcome.service:  # or the gap says how much was missed
            self._service = welcome.service
            self._sequences.clear()
        self._states.append(True)

    def _on_lost(self) -> None:
        self._unanswered.clear()
        self._states.append(False)


@dataclass
class _Follower:
    callback: OnTime
    own: bool
    first: Time | None
    """The instant that it is to be called with before all others, until it was."""
    told: int = -1
    """Sequence number of the newest instant that it was called with."""


def _topic(event: Happening) -> str:
    topic = event.__struct_config__.tag
    assert isinstance(topic, str)
    return topic
