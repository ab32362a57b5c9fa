"""A tool's end of the bus: follow the playhead, move it, ask what is recorded, leave traces.

with Client() as client:
    client.on_moved(lambda state: print(state.frame, state.time))
    client.seek(12.5)
    client.run()
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from ...errors import (
    BusError,
    BusyError,
    CapacityError,
    CommandError,
    DamagedError,
    EvictedError,
    GameError,
    PlayheadError,
    RecordingError,
)
from ...playback.commands import Command
from ...playback.pads.pad import Pad
from ...playback.playback_control import OnMoved
from ...playback.playback_state import Mode, PlaybackState
from ...recorder.text.name_hint import name_hint
from ...recording.recording import Recording
from ..messages.address import DEFAULT_PORT
from ..messages.encryption_keys import ClientKeys
from ..messages.message import PlayheadTime
from ..messages.message_types import TOPICS, RequestBody, Response, ResponseBody
from ..messages.requests import HoldPad
from ..messages.responses import ErrorResponse, Welcome
from .client_calls import ClientCalls
from .client_transport import HELLO_EVERY, ClientTransport
from .remote_hooks_and_edits import ClientEdits, ClientHooks
from .remote_instrumentation import RemoteInstrumentation
from .subscriptions import OnEvent, OnTime, Subscriptions

_R = TypeVar("_R", bound=ResponseBody)

_ECHO_PATIENCE = 0.1
"""Seconds that a command's answer waits for the time that the command led to."""

_ERRORS: Mapping[str, type[PlayheadError]] = {
    "busy": BusyError,
    "command": CommandError,
    "evicted": EvictedError,
    "damaged": DamagedError,
    "malformed": DamagedError,
    "recording": RecordingError,
    "capacity": CapacityError,
    "failed": GameError,
}


class Client(ClientCalls, RemoteInstrumentation):
    """A tool on the bus. For one thread.

    Callbacks run inside `dispatch` and `run` only, never inside another call. In a loop of its
    own, call `dispatch()` every so often; for asyncio there is `attach`; in a Qt program give each
    of `handles` to a socket notifier, and a timer of 0.1 s, which call `dispatch`.

    If the service goes away, `connected` turns False, calls raise BusError, and the client looks
    for it until it is back, by itself; `on_connection` callbacks learn of both.

    Args:
        endpoint: Where the service listens; `tcp://127.0.0.1:5670` by default.
        name: What people call this tool.
        keys: For a service that is locked with keys.
        timeout: Seconds to wait for the service, and for each answer.
        conflate: If the tool is slow, receive only the newest of the instants that pass while
            the game runs or playback plays, and of every discrete move; else of every instant.

    Raises:
        BusError: no service answers there, or it is of another version.
        CommandError: the endpoint is no address.
    """

    def __init__(
        self,
        endpoint: str = "",
        *,
        name: str = "tool",
        keys: ClientKeys | None = None,
        timeout: float = 5.0,
        conflate: bool = True,
    ) -> None:
        self._transport = ClientTransport(endpoint or "tcp://127.0.0.1", name, keys=keys)
        self._timeout = timeout
        self._responses: dict[int, ResponseBody | None] = {}
        """Awaited answers by their sequence number; None until they have come."""
        self._unacknowledged: set[int] = set()
        """Statements whose answers are not waited for."""
        self._subscriptions = Subscriptions(self._transport, conflate)
        self._recording: Recording | None = None
        self.hooks = ClientHooks(self)
        """Breakpoints, traces and replaced results of the game's decisions: see `HookManager`."""
        self.edits = ClientEdits(self)
        """Edits of the paused game, with undo and redo: see `EditManager`."""
        self.refusals: deque[str] = deque(maxlen=100)
        """Why statements were refused: the newest messages."""
        self._transport.on_response = self._on_response
        self._transport.on_disconnect = self._on_disconnect
        self._make_calls()
        self._connect()
        self._subscriptions.forget_states()  # those who will ask were not there before

    def _connect(self) -> None:
        end = time.monotonic() + self._timeout
        try:
            while not self._transport.ready:
                if self._transport.refused is not None:
                    raise BusError(f"{self.endpoint}: {self._transport.refused.message}")
                remaining = end - time.monotonic()
                if remaining <= 0:
                    raise BusError(
                        f"{self.endpoint}: no playhead answers there within {self._timeout:g} s;"
                        " is a game running with bus=True, or `playhead serve`? Are the keys right?"
                    )
                self._transport.pump(remaining)
        except BaseException:
            self._transport.close()
            raise

    # --- the connection -------------------------------------------------------------------------

    @property
    def endpoint(self) -> str:
        """Where the service listens."""
        return self._transport.address.endpoint

    @property
    def connected(self) -> bool:
        """Whether the service is there."""
        return self._transport.welcome is not None

    @property
    def welcome(self) -> Welcome:
        """The service's description of itself and of the game.

        Raises:
            BusError: it is not there.
        """
        if self._transport.welcome is None:
            raise BusError(f"{self.endpoint}: the service is not there")
        return self._transport.welcome

    @property
    def origin(self) -> str:
        """This tool's name on the bus."""
        return self.welcome.origin

    @property
    def recording(self) -> Recording:
        """What is recorded of the game, to be asked like that of a file (see `Recording`).

        Each question is answered by the service, about what it holds at that moment, also while
        the game is paused, or is stopped in a debugger.
        """
        if self._recording is None or self._recording.closed:
            from .remote_source import RemoteSource  # which is made of a client

            self._recording = Recording(RemoteSource(self, ahead=True), self.endpoint)
        return self._recording

    def on_connection(self, callback: Callable[[bool], object]) -> None:
        """Have `callback` called with False when the service is lost, with True when it is back."""
        self._subscriptions.on_connection(callback)

    def close(self) -> None:
        """Leave the bus."""
        if self._pictures is not None:
            self._pictures.close()
        self._transport.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- subscriptions --------------------------------------------------------------------------

    @property
    def time(self) -> PlayheadTime | None:
        """The newest playback state that this client has received."""
        return self._subscriptions.time

    @property
    def missed(self) -> int:
        """Events that were sent and not received here."""
        return self._subscriptions.missed

    def on_moved(self, callback: OnMoved) -> Callable[[], None]:
        """Have `callback` called whenever another frame is shown, or the mode is another.

        Moves by all tools count; frames that a running game records don't: see `on_time`.
        `span` is the newest that this client has received. Returns a function that ends it.
        """
        self._transport.subscribe("span")
        before: tuple[str, int] | None = None

        def moved(time: PlayheadTime) -> None:
            nonlocal before
            now = time.mode, 0 if time.mode == Mode.LIVE.value else time.frame
            changed, before = before not in (None, now), now
            if changed:
                callback(time.state(self._subscriptions.span))

        return self._subscriptions.on_time(moved, own=True)

    def on_time(self, callback: OnTime, *, own: bool = False) -> Callable[[], None]:
        """Have `callback` called with each new instant: live, with each recorded frame.

        It is called with the present one first. Returns a function that ends it.

        Args:
            own: Also with those that this tool caused.
        """
        return self._subscriptions.on_time(callback, own)

    def on(self, topic: str, callback: OnEvent, *, every: bool = False) -> None:
        """Have `callback` called with each event of a topic: see `TOPICS` in the protocol.

        Of `published`, the values that the game publishes, it gets only the newest of each name:
        first what there is already, also after a reconnection.

        Args:
            every: Of `published` all that comes from now on. What comes while 10,000 wait is
                counted as missed, the oldest first.

        Raises:
            CommandError: there is no such topic.
        """
        if topic not in TOPICS:
            raise CommandError(f"no topic {topic!r}: {name_hint(topic, TOPICS)}")
        self._subscriptions.on(topic, callback, every=every)

    def dispatch(self, timeout: float = 0.0) -> int:
        """Call the callbacks for all that has come; wait up to `timeout` seconds for the first.

        Returns how many calls were made.
        """
        end = time.monotonic() + timeout
        if self._pictures is not None and self.connected:
            self.send_pictures()
        while True:
            remaining = end - time.monotonic()
            self._transport.pump(0.0 if self._subscriptions.waits else remaining)
            calls = self._subscriptions.deliver()
            if calls or remaining <= 0:
                return calls

    def run(self, seconds: float | None = None) -> None:
        """Dispatch until `close` is called, or for some seconds."""
        end = float("inf") if seconds is None else time.monotonic() + seconds
        while not self._transport.closed and (remaining := end - time.monotonic()) > 0:
            self.dispatch(min(remaining, HELLO_EVERY))

    @property
    def handles(self) -> tuple[int, ...]:
        """File handles that become readable when `dispatch` has something to do; they may change
        when the service comes back."""
        return self._transport.handles

    def attach(self, loop: asyncio.AbstractEventLoop | None = None) -> Callable[[], None]:
        """Dispatch in an asyncio loop, by default the running one; returns a function to end it."""
        loop = loop or asyncio.get_running_loop()
        watched: set[int] = set()
        listened = 0
        timer: asyncio.TimerHandle | None = None

        def turn() -> None:
            nonlocal listened
            if self._transport.closed:
                detach()
                return
            while not self._transport.closed and self.dispatch():
                pass
            if self._transport.closed or self._transport.listened == listened:
                return
            # Sockets were closed and opened again, perhaps under the same numbers.
            listened = self._transport.listened
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

    # --- requests and statements ----------------------------------------------------------------

    def ask(self, request: RequestBody) -> ResponseBody:
        """Send any request of the protocol, and wait for its answer.

        Raises:
            BusError: the service is not there, or did not answer in time.
            PlayheadError: the service refused the request; the message says why.
        """
        return self._result(request)

    def apply(self, command: Command) -> PlaybackState:
        before = self.time
        state = super().apply(command)
        # The new time was published before the answer was sent, but over a socket of its own. It is
        # waited for, so that `time` and new callbacks begin at where the command led.
        end = time.monotonic() + _ECHO_PATIENCE
        while self.time is before and _differs(before, state):
            remaining = end - time.monotonic()
            if remaining <= 0 or not self.connected:
                break
            self._transport.pump(remaining)
        return state

    def asked(self, request: RequestBody, kind: type[_R], timeout: float | None = None) -> _R:
        """Like `ask`, for an answer of a certain kind, and perhaps with other patience."""
        result = self._result(request, timeout)
        if not isinstance(result, kind):
            raise BusError(f"{self.endpoint} answered with {type(result).__name__}: {result!r}")
        return result

    def asked_together(self, requests: Sequence[RequestBody], kind: type[_R]) -> list[_R]:
        """Like `asked` for several requests, which are sent together: faster than one by one.

        Returns the answers before the first request that fails. If that is the very first one, its
        error is raised.
        """
        run, sequences = self._service, list[int]()
        responses: list[_R] = []
        try:
            for request in requests:
                sequences.append(self._send(request))
                self._responses[sequences[-1]] = None
            for sequence in sequences:
                result = self._wait_for(sequence)
                if not isinstance(result, kind):
                    break
                responses.append(result)
            self._check_same_run(run)
        finally:
            for sequence in sequences:
                self._responses.pop(sequence, None)
        return responses or [self.asked(request, kind) for request in requests[:1]]

    def _result(self, request: RequestBody, timeout: float | None = None) -> ResponseBody:
        """Its answer. A service that forgot this tool is greeted and asked again."""
        run = self._service
        result = self._wait_for(self._send(request), timeout)
        if isinstance(result, ErrorResponse) and result.kind == "hello":
            end = time.monotonic() + self._timeout
            while not self._transport.ready and time.monotonic() < end:
                self._transport.pump(0.01)
            self._check_same_run(run)
            result = self._wait_for(self._send(request), timeout)
        if isinstance(result, ErrorResponse):
            raise _ERRORS.get(result.kind, BusError)(result.message)
        return result

    @property
    def _service(self) -> str:
        """Which run of the service is there; empty for none."""
        return "" if self._transport.welcome is None else self._transport.welcome.service

    def _check_same_run(self, run: str) -> None:
        """Another run records something else: what is asked now was not meant for it."""
        if run != self._service:
            raise BusError(
                f"{self.endpoint}: the run that this was asked of is gone; whoever is there now"
                " records something else: look there, then ask again"
            )

    def _send(self, request: RequestBody) -> int:
        run, end = self._service, time.monotonic() + self._timeout
        while True:
            try:
                return self._transport.send(request)
            except BusError:
                remaining = end - time.monotonic()
                if self._transport.welcome is None or remaining <= 0:
                    raise
                self._transport.pump(min(remaining, 0.01))
            self._check_same_run(run)

    def _wait_for(self, sequence: int, timeout: float | None = None) -> ResponseBody:
        self._responses.setdefault(sequence, None)
        patience = self._timeout if timeout is None else timeout
        end = time.monotonic() + patience
        try:
            while self._responses[sequence] is None:
                remaining = end - time.monotonic()
                if not self.connected:
                    raise BusError(f"{self.endpoint}: the service was lost before it answered")
                if remaining <= 0:
                    raise BusError(f"{self.endpoint}: no answer within {patience:g} s")
                self._transport.pump(remaining)
        finally:
            result = self._responses.pop(sequence)
        assert result is not None
        return result

    def pad(self, pad: Pad, *, player: int = 0, time: float | None = None) -> int:
        """Hold a pad from the game's next step on, until the next call or `close`.

        While something is held, call again at least twice a second: a pad whose holder has been
        silent for a second is released. This does not wait for an answer. If a pad is refused,
        because playback is on or the game takes none, the reason is in `refusals`.

        Args:
            time: Timeline seconds of the instant that it was decided on.

        Returns the sequence number by which the game knows this pad.

        Raises:
            BusError: the service is not there.
        """
        held = HoldPad(
            pad.left, pad.right, pad.left_trigger, pad.right_trigger, pad.held, player, time
        )
        return self.say(held)

    def say(self, request: RequestBody) -> int:
        sequence = self._send(request)
        self._unacknowledged.add(sequence)
        self._transport.pump()
        return sequence

    def flush(self) -> None:
        """Wait until the service has accepted, or refused, all statements.

        Raises:
            BusError: it did not in time.
        """
        end = time.monotonic() + self._timeout
        self.send_pictures(self._timeout)
        while self._unacknowledged:
            remaining = end - time.monotonic()
            if remaining <= 0 or not self.connected:
                raise BusError(
                    f"{self.endpoint}: {len(self._unacknowledged)} statements were not answered"
                    f" within {self._timeout:g} s"
                )
            self._transport.pump(remaining)

    def _on_response(self, response: Response) -> None:
        sequence, result = response.sequence, response.body
        if sequence in self._responses:
            self._responses[sequence] = result
        elif sequence in self._unacknowledged:
            self._unacknowledged.discard(sequence)
            if isinstance(result, ErrorResponse):
                self.refusals.append(result.message)

    def _on_disconnect(self) -> None:
        self._unacknowledged.clear()
        self._subscriptions.disconnected()


def connect(address: int | str = DEFAULT_PORT, **settings: Any) -> Client:
    """Connect to a running game, to follow it, move its playhead, and ask what was recorded.

    Args:
        address: Where its bus listens: a port of this machine, or `HOST:PORT`, `tcp://HOST:PORT`.
        settings: As for `Client`: `name`, `keys`, `timeout`, `conflate`.

    Raises:
        BusError: no service answers there, or it is of another version.
        CommandError: the address is none.
    """
    if isinstance(address, bool) or not isinstance(address, int | str):
        raise CommandError(f"address {address!r}: give a port, or one such as tcp://127.0.0.1:5670")
    return Client(str(address), **settings)


def _differs(instant: PlayheadTime | None, state: PlaybackState) -> bool:
    """Whether an instant is another one than a command led to."""
    if instant is None or instant.mode != state.mode.value:
        return True
    return state.frame is not None and instant.frame != state.frame
