"""The thread that records a remote game, and sends it the frames to show in playback."""

import contextlib
import queue
import time
from collections.abc import Callable
from functools import partial
from typing import get_args

from ...bus.gateway.messages_from_game import (
    GameConnected,
    GameDisconnected,
    GameFrame,
    GameMessage,
    GameQueue,
    Item,
)
from ...bus.messages.gateway_messages import (
    DefineSkeleton,
    DefineType,
    GamePaused,
    GameResumed,
    PublishValue,
    ReturnResult,
    ServeCalls,
)
from ...bus.messages.message_types import Request, ResponseBody
from ...bus.messages.requests import ReportFailedCheck
from ...bus.messages.responses import Done
from ...bus.server.request_dispatcher import failed
from ...bus.server.service import Service
from ...errors import PlayheadError
from ...playback.commands import Enter
from ...playback.playback_state import Mode
from ...recorder.checks.failed_check_tracker import FailedCheck
from ...recorder.statements.statement_messages import Statement
from ...session import Session
from .declared_types import RemoteFrame
from .remote_pad_sender import RemotePads
from .remote_world import RemoteWorld
from .served_call_forwarding import RemoteCalls

_AT_ONCE = 256
"""Items from the connection that are taken before commands have their turn."""
_STEP = 1 / 60
"""Seconds between two moves of a playhead that plays."""
_STATEMENTS = get_args(Statement)


class RemoteRecorder:
    """Takes what the game sends and what tools order, one thing after the other.

    Args:
        session: Of the world below, on the bus.
        world: The game at the other end.
        service: The session's bus, which counts what is refused.
    """

    def __init__(self, session: Session, world: RemoteWorld, service: Service) -> None:
        self._session, self._world, self._service = session, world, service
        # Not an event: that could be held by the very thread that a signal handler interrupts.
        self._rung: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._stopping = False
        self._connections = 0
        """How many games have connected."""
        self._played: float | None = None
        self._steps = session.recorder.queue
        """Where what a step states waits for the step's frame."""
        self.link = GameQueue(self._ring)
        """Where the gateway puts what the game sends."""
        self._calls = RemoteCalls(session.serve, session.withdraw, lambda: world.game)
        self._pads = RemotePads(session.pads)
        session.pads.on_change = self._ring
        session.on_order = self._ring
        session.on_moved(world.follow)

    def stop(self) -> None:
        """Have `run` return; for any thread, and for signal handlers."""
        self._stopping = True
        self._ring()

    def _ring(self) -> None:
        if self._rung.empty():
            self._rung.put(None)

    def _sleep(self, seconds: float | None) -> None:
        with contextlib.suppress(queue.Empty):
            self._rung.get(seconds != 0, timeout=seconds)

    def run(self) -> None:
        """Record and show until `stop`."""
        while not self._stopping:
            self._sleep(self.turn())
        if not self._session.live:
            self._guarded(self._session.leave)

    def turn(self) -> float | None:
        """Do what there is to do; returns the seconds until there may be more, None for ever."""
        busy = self._take_some()
        self._obey()
        self._world.catch_up()
        game = self._world.game
        waits = (self._play(), None if game is None else self._pads.send(game))
        return 0.0 if busy else min((one for one in waits if one is not None), default=None)

    def _obey(self) -> None:
        self._guarded(self._session.obey)
        if self._session.live:
            if not self._session.playhead.is_advancing:
                self._world.release()
            frame = self._world.take_frame_from_playback()
            if frame is not None:
                self._guarded(partial(self._record, frame, waited=True))

    def _guarded(self, act: Callable[[], object]) -> None:
        """The sender of the order got the error; the next order has its turn."""
        try:
            act()
        except Exception as error:
            recorder = self._session.recorder
            recorder.faults.call_refused("serve", error)
            if recorder.strict and not isinstance(error, PlayheadError):
                raise

    def _play(self) -> float | None:
        """Let real time pass for a playhead that plays; returns how long to sleep."""
        session = self._session
        if session.playhead.mode is Mode.PLAYING:
            now = time.monotonic()
            if self._played is None:
                self._played = now
            elif now - self._played >= _STEP:
                passed, self._played = now - self._played, now
                self._guarded(partial(session.update, passed))
            return max(self._played + _STEP - time.monotonic(), 0.0)
        self._played = None
        deadline = self._world.deadline if session.live else None
        return None if deadline is None else max(deadline - time.monotonic(), 0.001)

    # --- what the game sends --------------------------------------------------------------------

    def _take_some(self) -> bool:
        """Take some items; whether there may be more."""
        for _ in range(_AT_ONCE):
            item = self.link.take()
            if item is None:
                return False
            self._guarded(partial(self._item, item))
        return True

    def _item(self, item: Item) -> None:
        match item:
            case GameConnected():
                self._attach(item)
            case GameMessage():
                self._handle_request(item.request, item.size)
            case GameFrame():
                self._framed(item.image)
            case GameDisconnected():
                self._steps.forget_step()
                before = self._world.dropped
                self._world.gone()
                self._calls.gone()
                self._pads.gone()
                self._session.recorder.lose(self._world.dropped - before)
                self._service.refused["dropped"] = self._world.dropped
                self._end_advance()

    def _attach(self, item: GameConnected) -> None:
        self._connections += 1
        self._world.attach(item, self._session.recorder, self._session.live)
        self._pads.take(item.register.pads)
        self._answer(item.sequence, Done())

    def _handle_request(self, request: Request, size: int) -> None:
        ask, result = request.body, Done()
        try:
            match ask:
                case DefineType() | DefineSkeleton():
                    self._world.declare(ask)
                case GamePaused():
                    self._paused()
                case GameResumed():
                    self._world.resumed()
                case ServeCalls():
                    self._calls.serve(ask)
                case ReturnResult():
                    self._calls.returned(ask)
                case PublishValue():
                    self._service.publish(ask.name, ask.body, self._connections)
                case ReportFailedCheck():
                    failed_check = FailedCheck(
                        ask.message, ask.expression, ask.object, ask.file, ask.line
                    )
                    self._session.recorder.accept_in_step(failed_check, size)
                case _ if isinstance(ask, _STATEMENTS):
                    self._session.recorder.expect_tree(ask)
                    self._session.recorder.accept_in_step(ask, size)
        except PlayheadError as error:
            self._answer(request.sequence, failed(error), always=True)
        else:
            self._answer(request.sequence, result)

    def _answer(self, sequence: int, result: ResponseBody, *, always: bool = False) -> None:
        game = self._world.game
        if game is not None and (sequence or always):
            game.answer(sequence, result)

    def _framed(self, image: bytes) -> None:
        try:
            frame = self._world.types.read(image)
            if self._session.live:
                self._record(frame)
            else:
                self._keep(frame)
        except PlayheadError as error:
            self._service.refused["frames"] += 1
            self._answer(0, failed(error), always=True)
        self._service.refused["dropped"] = self._world.dropped

    def _keep(self, frame: RemoteFrame) -> None:
        """A frame has come in playback: it is recorded when that ends, unless another one comes."""
        before = self._world.dropped
        self._world.hold_frame(frame)
        self._session.recorder.lose(self._world.dropped - before)
        self._steps.step_waits()

    def _record(self, frame: RemoteFrame, *, waited: bool = False) -> None:
        self._world.take(frame)
        self._tell(waited=waited)
        self._session.update(frame.delta, frame.time)

    def _tell(self, *, waited: bool = False) -> None:
        """The step's frame is recorded next: what the step has stated goes into it."""
        for check in self._steps.end_step(waited=waited):
            try:
                self._session.report_failed_check(check)
            except PlayheadError as error:
                self._answer(0, failed(error), always=True)

    def _paused(self) -> None:
        session, world = self._session, self._world
        if world.paused(session.live):
            self._rejoin()
        if world.is_paused:  # or it means an order before this advance, which it may obey twice
            self._end_advance()

    def _end_advance(self) -> None:
        """The game is paused, or is gone: what waited for that has its turn.

        An advance is over then, although steps may be left: its check failed, or it was too slow
        to send each of its frames.
        """
        runs = self._world.runs
        self._obey()
        # What waited may have been the next advance, which has just begun and goes on.
        if self._session.playhead.is_advancing and self._world.runs == runs:
            self._guarded(partial(self._session.apply, Enter(), now=True))

    def _rejoin(self) -> None:
        session, world = self._session, self._world
        try:
            if world.unrecorded is None:
                session.rejoin()
            else:
                self._tell(waited=True)
                session.rejoin(world.unrecorded.delta, world.unrecorded.time)
        finally:
            world.follow(session.playhead.state)
