"""One connection of the gateway: a tool, a browser, or the game."""

import asyncio
import contextlib
import select
import socket as sockets
from collections.abc import Callable
from typing import Any, NamedTuple, get_args

import msgspec
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from ...errors import DamagedError, PlayheadError
from ...recorder.statements.statement_messages import Statement
from ...recorder.text.name_hint import name_hint
from ..messages.gateway_messages import RegisterGame, Subscribe, checked_game
from ..messages.json_codec import envelope_of_text, request_of_text, text_of
from ..messages.message import MOST_BYTES
from ..messages.message_types import (
    TOPICS,
    GatewayRequest,
    Order,
    Ordered,
    Request,
    Response,
    ResponseBody,
)
from ..messages.protocol_1_translation import TOPICS as OLDER
from ..messages.requests import ReportFailedCheck
from ..messages.responses import Done, ErrorResponse, Welcome
from ..server.request_dispatcher import failed
from ..server.service import Service
from .event_feed import EventFeed
from .messages_from_game import GameConnected, GameFrame, GameMessage, GameQueue

AT_ONCE = 16
"""Requests of a connection that may be under way; it is read further when one is answered."""
COMPLAINTS = 64
"""Errors that may wait for a game that does not read: more are left out."""

_HERE = get_args(GatewayRequest)
_STATEMENTS = (*get_args(Statement), ReportFailedCheck)


class _OutgoingMessage(NamedTuple):
    """Messages to be sent one right after the other, and what is to be done then."""

    parts: tuple[str | bytes, ...]
    sent: Callable[[], object]


class GatewayConnection:
    """Reads a peer's messages and writes those to it; one task for each.

    A peer that is gone is not waited for. When writing ends, what is still to be sent counts as
    sent, so reading goes on to its own end. When reading ends, the connection ends.

    What is private belongs to the gateway's loop. `order`, `answer`, `read_on` and `unsent` are
    for the thread that records (see `Game`).
    """

    def __init__(self, socket: ServerConnection, service: Service, link: GameQueue | None) -> None:
        self._socket = socket
        self._service = service
        self._link = link
        self._loop = asyncio.get_running_loop()
        self._origin = ""
        self._response = Response
        """The protocol version of its answers, as in its newest welcome."""
        self._is_game = False
        self._feed: EventFeed | None = None
        self._outbox: asyncio.Queue[_OutgoingMessage] = asyncio.Queue()
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._readable = asyncio.Event()
        self._readable.set()
        self._sending = asyncio.Lock()
        self._ordered = self._sent = 0
        self._running: asyncio.Task[None] | None = None
        self._writing: asyncio.Task[None] | None = None
        self._unheard = False
        """Nothing is sent any more: the peer is gone, or the connection is ending."""
        self._read = 0
        """Messages read so far."""
        self._read_before = -1
        """How many those were when `check` last found that the peer had hung up."""

    async def run(self) -> None:
        """Serve the peer until it is gone."""
        self._running = asyncio.current_task()
        self._writing = writing = asyncio.create_task(self._write())
        try:
            async for message in self._socket:
                self._read += 1
                if isinstance(message, str):
                    await self._text(message)
                else:
                    await self._image(message)
        except ConnectionClosed:
            pass  # gone without a word, which is an end like any other
        finally:
            writing.cancel()
            if self._feed is not None:
                self._feed.close()
            if self._is_game and self._link is not None:
                self._link.detach(self)
            self._service.forget(self)
            self._stop_writing()
            with contextlib.suppress(asyncio.CancelledError):
                await writing

    def check(self) -> None:
        """See whether the peer has hung up, which is not noticed while its requests wait.

        What it sent before is still read, as long as there is something to read.
        """
        if not _has_hung_up(self._socket.transport.get_extra_info("socket")):
            return
        stuck = self._readable.is_set() and self._read == self._read_before
        self._read_before = self._read
        if self._writing is not None:
            self._writing.cancel()
        if stuck:  # the end of what it sent is not reached: it does not read what is sent to it
            self._socket.transport.abort()

    async def end(self, within: float) -> None:
        """Hang up, politely if the peer takes part in that, but within so many seconds."""
        try:
            with contextlib.suppress(TimeoutError, ConnectionClosed):
                await asyncio.wait_for(self._socket.close(1001), within)
        finally:
            self._socket.transport.abort()
            if self._running is not None:
                self._running.cancel()

    # --- what it sends --------------------------------------------------------------------------

    async def _text(self, text: str) -> None:
        if len(text) > MOST_BYTES // 4 and len(text.encode()) > MOST_BYTES:
            await self._socket.close(1009, f"a request has {MOST_BYTES} bytes at most")
            return
        try:
            request = request_of_text(text)
        except DamagedError as error:
            await self._slot()
            self._service.refuse(self, envelope_of_text(text), error, self._reply)
            return
        body = request.body
        ours = isinstance(body, _HERE) or (self._is_game and isinstance(body, _STATEMENTS))
        if not ours:
            await self._slot()
            self._service.post(self, request, self._reply, len(text))
        elif refusal := self._stranger(request):
            await self._refuse(request, refusal)
        elif isinstance(body, Subscribe):
            await self._listen(request, body)
        elif isinstance(body, RegisterGame):
            await self._attach(request, body)
        elif not self._is_game:
            await self._refuse(request, ErrorResponse(
                "command", "only the game says this: say `register_game` first"
            ))  # fmt: skip
        else:
            if request.sequence:
                await self._slot()
            await self._enqueue(GameMessage(request, len(text)))

    async def _slot(self) -> None:
        """Wait until another request may be under way."""
        if not self._unheard:
            await self._slots.acquire()

    async def _image(self, image: bytes) -> None:
        if self._is_game:
            await self._enqueue(GameFrame(image))
        else:
            await self._socket.close(1003, "only the game sends frames: say `register_game` first")

    async def _enqueue(self, item: GameMessage | GameFrame) -> None:
        assert self._link is not None
        self._readable.clear()
        if self._link.put(item):
            self._readable.set()
        await self._readable.wait()

    def _stranger(self, request: Request) -> ErrorResponse | None:
        if not self._origin:
            return ErrorResponse("hello", "the service does not know you: say hello first")
        if request.origin != self._origin:
            return ErrorResponse(
                "hello", f"origin {request.origin!r}: here you are {self._origin!r}"
            )
        return None

    async def _listen(self, request: Request, body: Subscribe) -> None:
        unknown = [topic for topic in body.topics if topic not in (*TOPICS, *OLDER.values())]
        if unknown:
            await self._refuse(request, ErrorResponse(
                "command", f"no topic {unknown[0]!r}: {name_hint(unknown[0], TOPICS)}"
            ))  # fmt: skip
            return
        if self._feed is None:
            service = self._service
            self._feed = EventFeed(service.context, service.name, self._send, service.unsayable)
        await self._slot()
        self._send_response(self._response_to(request.sequence, Done()))
        self._feed.listen(body.topics, body.time)

    async def _attach(self, request: Request, body: RegisterGame) -> None:
        try:
            checked_game(body)
        except PlayheadError as error:
            await self._refuse(request, failed(error))
            return
        if self._link is None:
            refusal = "the game that is recorded here runs in the service's own process"
        elif self._is_game:
            refusal = "you are the game already"
        elif not self._link.attach(GameConnected(self, body, request.sequence, self._origin)):
            self._service.refused["games"] += 1
            refusal = "there is a game already: one at a time; if it is gone, try again"
        else:
            self._is_game = True
            if request.sequence:
                await self._slot()
            return
        await self._refuse(request, ErrorResponse("command", refusal))

    async def _refuse(self, request: Request, refusal: ErrorResponse) -> None:
        await self._slot()
        self._send_response(self._response_to(request.sequence, refusal))

    # --- what is sent to it ---------------------------------------------------------------------

    def answer(self, sequence: int, result: ResponseBody) -> None:
        response = self._response_to(sequence, result)
        self._soon(self._send_response if sequence else self._complain, response)

    def order(self, order: Order, image: bytes | None = None) -> None:
        text = text_of(Ordered(
            origin=self._service.name, sequence=self._ordered + 1, order=order
        ))  # fmt: skip
        self._ordered += 1  # not before: one that JSON can't express would never count as sent
        parts = (text,) if image is None else (text, image)
        self._soon(self._post, _OutgoingMessage(parts, self._order_sent))

    @property
    def unsent(self) -> int:
        return self._ordered - self._sent

    def _order_sent(self) -> None:
        self._sent += 1
        if self._link is not None:
            self._link.notify()

    def read_on(self) -> None:
        self._soon(self._readable.set)

    def _reply(self, response: Response) -> None:
        """An answer from the bus's thread."""
        self._soon(self._send_response, response)

    def _soon(self, call: Callable[..., object], *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended: no game is connected
            self._loop.call_soon_threadsafe(call, *arguments)

    def _response_to(self, sequence: int, result: ResponseBody) -> Response:
        return self._response(origin=self._service.name, sequence=sequence, body=result)

    def _send_response(self, response: Response) -> None:
        result = response.body
        if isinstance(result, Welcome):
            self._origin, self._response = result.origin, type(response)
            # Here events and times come on the same connection.
            result = msgspec.structs.replace(result, events=0, times=0, published=0)
            response = msgspec.structs.replace(response, body=result)
        if self._unheard:
            self._slots.release()
            return
        try:
            text = text_of(response)
        except DamagedError as error:
            text = text_of(self._response_to(response.sequence, failed(error)))
        self._post(_OutgoingMessage((text,), self._slots.release))

    def _complain(self, response: Response) -> None:
        if self._outbox.qsize() < COMPLAINTS:
            self._post(_OutgoingMessage((text_of(response),), lambda: None))

    def _post(self, message: _OutgoingMessage) -> None:
        if self._unheard:
            message.sent()
        else:
            self._outbox.put_nowait(message)

    async def _write(self) -> None:
        try:
            with contextlib.suppress(ConnectionClosed):
                while True:
                    parts, sent = await self._outbox.get()
                    try:
                        await self._send(*parts)
                    finally:
                        sent()
                        self._outbox.task_done()
        finally:
            self._stop_writing()

    def _stop_writing(self) -> None:
        """Send nothing more, and release every sender that waits."""
        if self._unheard:
            return
        self._unheard = True
        while not self._outbox.empty():
            self._outbox.get_nowait().sent()
            self._outbox.task_done()
        self._slots.release()  # the service may still owe all those answers

    async def flush(self) -> None:
        """Wait until everything for it is sent."""
        await self._outbox.join()

    async def _send(self, *parts: str | bytes) -> None:
        # An order and its image may have nothing between them.
        async with self._sending:
            for part in parts:
                await self._socket.send(part)


def _has_hung_up(peer: "sockets.socket | None") -> bool:
    """Whether the other end has closed or is gone, whatever it sent before and is still unread."""
    if peer is None or peer.fileno() < 0:
        return True
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(peer.fileno(), getattr(select, "POLLRDHUP", 0))
    return bool(poll.poll(0))
