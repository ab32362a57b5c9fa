"""The service: a recording on the bus, in a thread of its own.

Requests come in on a ROUTER socket and go through the dispatcher. The game's thread publishes only
the time, as soon as it has moved. The service's thread reads everything else from the ring. So the
ring is the queue, and a game without subscribers pays nothing for events.
"""

import collections
import logging
import math
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, get_args

import zmq
from zmq.auth.thread import ThreadAuthenticator

from ...errors import CapacityError, CommandError, DamagedError, PlayheadError, RecordingError
from ...hooks.hook_definition import HookHit
from ...playback.pads.latest_pads import LatestPads
from ...playback.pending_command import PendingCommand
from ...playback.playback_state import Mode, PlaybackState
from ...recorder.checks.failed_check_tracker import FailedCheck
from ...recorder.packets.packet_types import Kind
from ...recorder.recorder import Recorder
from ...recorder.saving.clip_job import ClipJob
from ...recorder.saving.clip_manager import ClipManager
from ...recorder.statements.statement_checks import object_id
from ...recorder.statements.statement_messages import Statement
from ...recorder.text.safe_log import log_safely
from ..messages.address import Address
from ..messages.encryption_keys import ServerKeys
from ..messages.events import (
    CheckFailed,
    ClipFinished,
    FramesChanged,
    HookActed,
    HooksChanged,
    ToolsChanged,
)
from ..messages.message import MOST_BYTES, PROTOCOL, PlayheadTime
from ..messages.message_types import (
    ClipRequest,
    HookRequest,
    Question,
    Request,
    Response,
    ResponseBody,
)
from ..messages.msgpack_codec import Envelope, envelope_of, packed, request_of
from ..messages.plain_values import plain
from ..messages.requests import Call, HoldPad, ReportFailedCheck
from ..messages.response_rows import BusStatus
from ..messages.responses import HookList, NewestPublished, Snapshot, Welcome
from .bus_settings import DEFAULTS, BusSettings
from .clip_requests import begin, row_of
from .event_tailer import EventTailer
from .pending_hook_request import KeepHooksOf, PendingHookRequest
from .publisher import Publisher
from .query_handler import QueryHandler
from .request_dispatcher import Reply, RequestDispatcher
from .request_socket import RequestSocket
from .retained_topics import RetainedTopics
from .rpc_registry import RpcCall
from .thread_waker import ThreadWaker

_log = logging.getLogger("playhead.bus")

_HOOKS = get_args(HookRequest)
REPEAT = 0.25
"""Seconds between repetitions of the present state."""
_STATEMENTS_PER_FRAME = 100
"""Statements of tools that a frame takes in, so that a flood of them costs each only so much."""
_AT_ONCE = 16
"""Requests that are taken before the rest of the thread's work has its turn."""
_SHARE = 0.2
"""The share of time that this thread may use all along beside a running game …"""
_MOST_USED = 0.002
"""… and the seconds that it may use beyond that before it leaves the interpreter to the game."""


class ServedHooks(Protocol):
    """The part of a session's hooks that a service uses."""

    @property
    def report(self) -> HookList:
        """All hooks and edits; from any thread."""


class ServedSession(Protocol):
    """The part of a session that a service uses."""

    @property
    def clips(self) -> ClipManager:
        """What is saved of the recording."""

    @property
    def pads(self) -> LatestPads:
        """What the game is played with."""

    @property
    def hooks(self) -> ServedHooks:
        """The hooks that are set, and edits."""

    def take(self, pending: PendingCommand[Any]) -> None:
        """Carry a command out on the game's thread, when its turn has come.

        Raises:
            CommandError: its values make no sense, or too many wait already.
        """


class Service:
    """Puts a recording and its playhead on the bus.

    Args:
        recorder: What records.
        player: Who moves the playhead.
        settings: Where to listen, for whom, and how patiently.

    Raises:
        CommandError: the address is none.
        CapacityError: the address can't be had: in use, or not this machine's.
        RecordingError: it can be reached from outside and there are no keys.
    """

    def __init__(
        self,
        recorder: Recorder,
        player: ServedSession,
        settings: BusSettings = DEFAULTS,
    ) -> None:
        address, lock, patience = settings
        requested = Address.of(address or "tcp://127.0.0.1")
        if not requested.loopback and lock is None:
            raise RecordingError(
                f"address {address!r} can be reached from other machines: that needs keys. Make"
                " them with `playhead keys NAME`, for this service and for each tool, or listen on"
                " 127.0.0.1"
            )
        self.name = f"playhead-{uuid.uuid4().hex[:12]}"
        """Names this run of the service."""
        self._recorder = recorder
        self._player = player
        self._process = os.getpid()
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._publisher = Publisher(self._context, self.name)
        self._retained = RetainedTopics(self._context, self.name)
        self._wake = ThreadWaker()
        self._router = RequestSocket(self._context, MOST_BYTES, self._wake.ring)
        self._guard: ThreadAuthenticator | None = None
        try:
            self._guard = None if lock is None else lock.guard(self._context)
            self._address = self._bind(requested, lock)
        except BaseException:
            self._close_sockets()
            self._wake.close()
            raise
        self._queries = QueryHandler(
            recorder.ring, self._snapshot, lambda: recorder.status, lambda: self.status,
            lambda name: NewestPublished(self._retained.newest(name), self._retained.names),
            recorder.waiting_marks, lambda: player.hooks.report,
        )  # fmt: skip
        self._dispatcher = RequestDispatcher(self, self.name, patience=patience)
        self._dispatcher.on_tools = self._tools_changed
        self._tailer = EventTailer(self._queries.source, self._publisher)
        self._posted: collections.deque[Callable[[], None]] = collections.deque()
        self._offsets = (0, 0.0)
        """The epoch looked up last, and its timeline time − game time."""
        self._state = PlaybackState(Mode.LIVE)
        self._ending = threading.Event()
        self._repeat_at = 0.0
        self._more_tailer = False
        self._used = self._ended_turn = 0.0
        """Seconds that this thread has used beyond its share, and when its last turn ended."""
        self._faults, self._fault = 0, ""
        self.refused: collections.Counter[str] = collections.Counter()
        """What the gateway's games were refused: `games`, `frames`; and `dropped`, in playback;
        and `events` that the gateway could not pass on."""
        recorder.on_late(self._late)
        recorder.queue.per_frame = _STATEMENTS_PER_FRAME
        self._thread = threading.Thread(target=self._run, name="playhead bus", daemon=True)
        self._thread.start()

    def _bind(self, requested: Address, lock: ServerKeys | None) -> Address:
        secured: Mapping[str, Any] = {} if lock is None else lock.server_options
        try:
            bound = requested.at(self._router.bind(requested.endpoint, secured))
            self._ports = self._publisher.bind(bound, **secured)
            self._publisher.bind_inside(self.name)
            self._published_port = self._retained.bind(
                bound, f"inproc://{self.name}-published", **secured
            )
        except zmq.ZMQError as error:
            if error.errno == zmq.EADDRINUSE:
                why = "the port is in use, probably by another game that is recorded"
            else:
                why = str(error)
            raise CapacityError(
                f"can't listen on {requested.endpoint}: {why}; `playhead ctl {requested.port}"
                " status` says by which, or give another address, such as tcp://127.0.0.1:* for any"
                " free port"
            ) from None
        return bound

    # --- for the game's thread ------------------------------------------------------------------

    @property
    def endpoint(self) -> str:
        """Where it listens."""
        return self._address.endpoint

    def recorded(self) -> None:
        """A frame has been recorded."""
        self._publish_time(self._state, "", False)
        if self._publisher.has_new_subscribers or self._tailer.has_subscribers:
            self._wake.ring()

    def moved(self, state: PlaybackState, origin: str = "", *, discrete: bool = True) -> None:
        """The playhead has moved, or shows something else, by a command of `origin`.

        `discrete` is False if it only plays on: then slow tools receive the newest instant alone.
        """
        self._state = state
        self._publish_time(state, origin, discrete)
        if self._publisher.has_new_subscribers:
            self._wake.ring()

    def check_failed(self, failed_check: FailedCheck) -> None:
        """A check has failed; the game has paused and looks there."""
        self._publisher.publish("failed_check", CheckFailed(failed_check))

    def hooks_changed(self, hooks: HookList) -> None:
        """Hooks or edits have changed."""
        self._publisher.publish("hooks", HooksChanged(hooks.hooks, hooks.edits))

    def hook_acted(self, hit: HookHit) -> None:
        """A break has paused the game, or will at the end of this frame."""
        self._publisher.publish("hook_acted", HookActed(hit))

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of all who are connected; from any thread."""
        return self._dispatcher.tools

    def clip_done(self, clip: ClipJob) -> None:
        """A clip is there, or can't be had; from any thread."""
        self._publisher.publish("clip", ClipFinished(row_of(clip)))

    def publish(self, name: str, body: Any, connection: int = 0) -> None:
        """Publish the newest value under a name; from any thread.

        Args:
            connection: Which of the games on the gateway says it.

        Raises:
            RecordingError: the name is none, or the body not plain.
            CapacityError: the body is too large, or there are too many names.
        """
        frame, when = self._recorder.ring.newest or (0, 0.0)
        self._retained.publish(name, body, when, frame, connection)
        if self._retained.has_new_subscribers:
            self._wake.ring()

    def _late(self, frames: list[int]) -> None:
        self._publisher.publish("changed", FramesChanged(frames))

    def _publish_time(self, state: PlaybackState, origin: str, discrete: bool) -> None:
        ring = self._recorder.ring
        frame, when = state.frame, state.time
        if frame is None or when is None:
            frame, when = ring.newest or (0, 0.0)
        try:
            epoch = ring.stamp(frame)[4] if frame else 0
            offset = self._offset(frame, epoch)
        except PlayheadError:  # evicted this instant
            epoch, offset = self._offsets
        self._publisher.publish_time(PlayheadTime(
            origin=origin, sequence=0, mode=state.mode.value, frame=frame, time=when,
            game_time=when - offset, epoch=epoch, rate=state.rate, focus=state.focus,
            hidden=state.hidden, loop=state.loop, discrete=discrete,
        ))  # fmt: skip

    def _offset(self, frame: int, epoch: int) -> float:
        if epoch != self._offsets[0]:
            epoch_fact = self._recorder.source.latched(frame, 0, Kind.EPOCH, "")
            offset = epoch_fact.get("offset", 0.0) if isinstance(epoch_fact, dict) else 0.0
            self._offsets = (epoch, offset if epoch else 0.0)
        return self._offsets[1]

    # --- for the dispatcher --------------------------------------------------------------------

    def answer(self, question: Question) -> ResponseBody:
        return self._queries.answer(question)

    def queue_command(self, pending: PendingCommand[Any]) -> None:
        if isinstance(pending.command, ReportFailedCheck):
            pending.command = self._failed_check(pending.command)
        elif isinstance(pending.command, Call):
            call = pending.command
            argument = plain(call.argument, f"call {call.name!r}: its argument")
            pending.command = RpcCall(call.name, argument)
        elif isinstance(pending.command, _HOOKS):
            pending.command = PendingHookRequest(pending.command)
        self._player.take(pending)

    def _failed_check(self, report: ReportFailedCheck) -> FailedCheck:
        """A check that a tool saw fail, in the frame of the instant that it names."""
        time, source = report.time, self._queries.source
        span = source.span
        if time is not None and report.game_time is not None:
            raise RecordingError(f"time {time!r} and game_time {report.game_time!r}: give one")
        if report.game_time is not None:
            epoch_fact = (
                source.latched(span.newest, 0, Kind.EPOCH, "") if span is not None else None
            )
            offset = epoch_fact.get("offset", 0.0) if isinstance(epoch_fact, dict) else 0.0
            time = offset + report.game_time
        frame = 0 if time is None or span is None else source.frame_at(time)
        when = 0.0 if not frame else source.stamp(frame).time
        about = object_id(report.object)
        return FailedCheck(
            report.message, report.expression, about, report.file, report.line, frame, when
        )

    def record(self, statement: Statement, size: int) -> None:
        self._recorder.check_tool(statement)
        self._recorder.accept(statement, size)

    def hold_pad(self, origin: str, sequence: int, pad: HoldPad) -> None:
        pads = self._player.pads
        pads.hold(pad.pad, pad.player, origin=origin, sequence=sequence, time=pad.time)

    def save(self, saving: ClipRequest) -> ClipJob:
        return begin(self._player.clips, saving)

    def newest_time(self) -> int:
        return self._publisher.now.sequence

    def welcome(self, origin: str) -> Welcome:
        source, span = self._queries.source, self._queries.source.span
        frame = span.newest if span else 0
        game: dict[str, Any] = {} if span is None else {
            "game": source.about(frame), "conventions": source.conventions(frame)
        }  # fmt: skip
        return Welcome(
            origin, PROTOCOL, self.name, *self._ports, snapshot=self._snapshot(),
            published=self._published_port, **game,
        )  # fmt: skip

    def deliver(self, work: Callable[[], None]) -> None:
        """Have something done on the bus's thread; from any thread."""
        self._posted.append(work)
        self._wake.ring()

    def post(self, peer: Any, request: Request, reply: Reply, size: int = 0) -> None:
        """A request that came another way; `reply` is called on the bus's thread."""
        self.deliver(lambda: self._dispatcher.receive(peer, request, reply, size))

    def refuse(self, peer: Any, envelope: Envelope, error: DamagedError, reply: Reply) -> None:
        """Something came another way that is no request."""
        self.deliver(lambda: self._dispatcher.refuse(peer, envelope, error, reply))

    def forget(self, peer: Any) -> None:
        """A peer that came another way is gone."""
        self.deliver(lambda: self._dispatcher.hung_up(peer))

    def keep_alive(self, peers: Iterable[Any]) -> None:
        """Peers that came another way are still there, although they ask nothing."""
        self.deliver(lambda: self._dispatcher.keep_alive(peers))

    def unsayable(self, topic: str, error: DamagedError) -> None:
        """The gateway could not pass an event on; for the gateway's thread."""
        self.refused["events"] += 1
        if self.refused["events"] == 1:
            log_safely(
                _log, logging.ERROR,
                "an event of topic %s is not passed on to the gateway's peers: %s; such are"
                " counted in status.bus.events_dropped", topic, error,
            )  # fmt: skip

    @property
    def context(self) -> "zmq.Context[zmq.Socket[bytes]]":
        """Where `inproc://NAME-events`, `…-times`, `…-published` can be had within this process."""
        return self._context

    def _snapshot(self) -> Snapshot:
        # The numbers come first: what happens in between is then sent twice, never missed.
        sequences, now = self._publisher.sequences, self._publisher.now
        sequences["published"] = self._retained.sequence
        return Snapshot(now, self._queries.source.span, sequences, self._dispatcher.tools)

    @property
    def status(self) -> BusStatus:
        """How the bus is doing."""
        requests, events = self._dispatcher.counts, self._publisher.counts
        retained = self._retained.counts
        return BusStatus(
            self.endpoint, self._dispatcher.tools,
            requests=requests["requests"], answers=requests["answers"],
            malformed=requests["malformed"], busy=requests["busy"], events=events["events"],
            times=events["times"],
            events_dropped=events["events_dropped"] + self.refused["events"],
            times_dropped=events["times_dropped"],
            published=retained["published"], published_dropped=retained["dropped"],
            answers_lost=requests["answers_lost"], skipped_frames=self._tailer.skipped,
            games_refused=self.refused["games"], frames_refused=self.refused["frames"],
            frames_dropped=self.refused["dropped"], faults=self._faults, newest_fault=self._fault,
        )  # fmt: skip

    # --- the bus's thread -----------------------------------------------------------------------

    def _run(self) -> None:
        poller = zmq.Poller()
        requests = self._router.handle
        poller.register(requests, zmq.POLLIN)
        poller.register(self._wake.fileno(), zmq.POLLIN)
        for handle in (*self._publisher.handles, self._retained.handle):
            poller.register(handle, zmq.POLLIN)
        sleep = 0.0
        while not self._ending.is_set():
            ready = poller.poll(math.ceil(1000 * sleep))
            self._wake.clear()
            try:
                sleep = self._turn(any(one != requests for one, _ in ready))
            except Exception as error:  # whatever it is, it may not cost the service
                self._faulty(error)
                sleep = REPEAT
        self._posts()
        self._dispatcher.close()

    def _turn(self, stirred: bool) -> float:
        """Do the waiting work; returns the seconds until there is more, unless `_wake` rings.

        `stirred`: something other than a request woke this thread.
        """
        self._posts()
        began = time.monotonic()
        repeat = began >= self._repeat_at
        if repeat:
            self._repeat_at = began + REPEAT
        more = self._requests()
        if stirred or repeat or self._more_tailer:
            self._more_tailer = self._publish(repeat)
        until = self._dispatcher.expire()
        ended = time.monotonic()
        self._used = max(self._used - _SHARE * (ended - self._ended_turn), 0.0) + ended - began
        self._ended_turn = ended
        if (more or self._used > _MOST_USED) and self._state.mode is Mode.LIVE:
            self._yield_to_game(3 * (ended - began))
        if more or self._more_tailer:
            return 0.0
        return REPEAT if until is None else min(until, REPEAT)

    def _posts(self) -> None:
        while self._posted:
            work = self._posted.popleft()
            try:
                work()
            except Exception as error:
                self._faulty(error)

    def _faulty(self, error: Exception) -> None:
        self._faults += 1
        self._fault = f"{type(error).__name__}: {error}"

    def _yield_to_game(self, seconds: float) -> None:
        """Leave the interpreter to the running game when requests come in a flood.

        A wake-up may not end this: outcomes of commands would, in a flood of commands.
        """
        self._ending.wait(min(seconds, REPEAT))

    def _publish(self, repeat: bool) -> bool:
        newcomers, _ = self._publisher.listen()
        more = self._tailer.publish(repeat or newcomers, newcomers)
        if repeat:
            self._publisher.repeat_time()
        latecomers = self._retained.listen()
        if repeat or latecomers:
            self._retained.repeat(everything=latecomers)
        return more

    def _requests(self) -> bool:
        """Take some requests; True if there may be more."""
        for _ in range(_AT_ONCE):
            parts = self._router.receive()
            if parts is None:
                return False
            *route, data = parts
            self._request(route, data)
        return True

    def _request(self, route: list[bytes], data: bytes) -> None:
        if not 1 <= len(route) <= 2:  # a REQ socket puts an empty part before the message
            self._dispatcher.counts["malformed"] += 1
            return

        def reply(answer: Response) -> None:
            if not self._router.send([*route, packed(answer)]):
                self._dispatcher.counts["answers_lost"] += 1  # it is gone, or never reads

        try:
            request = request_of(data)
        except DamagedError as error:
            self._dispatcher.refuse(route[0], envelope_of(data), error, reply)
            return
        self._dispatcher.receive(route[0], request, reply, len(data))

    def _tools_changed(self) -> None:
        self._player.pads.release_others(self._dispatcher.tools)
        if any(hook.owner for hook in self._player.hooks.report.hooks):
            try:
                self._player.take(
                    PendingCommand(PendingHookRequest(KeepHooksOf(self._dispatcher.tools)))
                )
            except CommandError:  # too much waits: the next one that comes or goes tries again
                self._faults += 1
        self._publisher.publish("tools", ToolsChanged(self._dispatcher.tools))

    # --- the end --------------------------------------------------------------------------------

    def close(self) -> None:
        """Leave the bus: waiting requests are answered with an error.

        In a forked child nothing happens: thread and sockets are the parent's.
        """
        if self._ending.is_set() or os.getpid() != self._process:
            return
        self._ending.set()
        self._wake.ring()
        self._thread.join()
        self._close_sockets()
        self._wake.close()

    def _close_sockets(self) -> None:
        self._publisher.close()
        self._retained.close()
        self._router.close()
        if self._guard is not None:
            self._guard.stop()
        self._context.term()
