"""Dispatches requests and tracks connected tools: the same for every transport.

Questions go to the query handler, commands to the game's thread, statements to the recorder. All of
it runs on the bus's thread, except that the game's thread answers commands.
"""

import itertools
import math
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple, Protocol, get_args

from ...errors import (
    BusyError,
    CapacityError,
    CommandError,
    DamagedError,
    EvictedError,
    HandlerError,
    PlayheadError,
    RecordingError,
)
from ...playback.commands import Command, command_of, validated
from ...playback.pending_command import Outcome, PendingCommand
from ...playback.playback_state import PlaybackState
from ...recorder.saving.clip_job import ClipJob
from ...recorder.statements.statement_messages import Statement
from ...recorder.text.name_hint import name_hint
from ..messages.message import PROTOCOL
from ..messages.message_types import (
    ClipRequest,
    HookRequest,
    Question,
    Request,
    RequestBody,
    Response,
    ResponseBody,
    agrees,
    other_version,
)
from ..messages.msgpack_codec import Envelope
from ..messages.protocol_1_translation import REQUESTS as OLDER
from ..messages.protocol_1_translation import Response1
from ..messages.requests import Bye, Call, Hello, HoldPad, ReportFailedCheck, SaveClip
from ..messages.responses import CallResult, ClipResponse, CommandDone, Done, ErrorResponse, Welcome
from .clip_requests import row_of
from .pending_hook_request import PendingHookRequest
from .rpc_registry import RpcCall

MOST_TOOLS = 256
MOST_ORDERS = 64
"""Commands of one tool that may wait for the game, so that others have their turn."""
SILENT_FOR = 30.0
"""Seconds of silence after which a tool is taken to be gone."""

_KINDS: dict[type[PlayheadError], str] = {
    BusyError: "busy",
    CommandError: "command",
    EvictedError: "evicted",
    DamagedError: "damaged",
    HandlerError: "damaged",
    RecordingError: "recording",
    CapacityError: "capacity",
}
_COMMANDS = get_args(Command)
_QUESTIONS = get_args(Question)
_STATEMENTS = get_args(Statement)
_HOOKS = get_args(HookRequest)
_REQUESTS = tuple(sorted(kind.__struct_config__.tag for kind in get_args(RequestBody)))
_SAVING = get_args(ClipRequest)

Reply = Callable[[Response], None]


class DispatcherHost(Protocol):
    """What a dispatcher connects tools to; any of these may raise a `PlayheadError`."""

    def answer(self, question: Question) -> ResponseBody:
        """Answer a question, at once."""

    def queue_command(self, pending: PendingCommand[Any]) -> None:
        """Queue a command for the game's thread."""

    def record(self, statement: Statement, size: int) -> None:
        """Have a statement recorded, whose message had so many bytes."""

    def hold_pad(self, origin: str, sequence: int, pad: HoldPad) -> None:
        """Hold a pad for a tool."""

    def save(self, saving: ClipRequest) -> ClipJob:
        """Begin to save a clip."""

    def welcome(self, origin: str) -> Welcome:
        """The `Welcome` for a new tool with this name."""

    def deliver(self, work: Callable[[], None]) -> None:
        """Run something on the bus's thread; called on others."""

    def newest_time(self) -> int:
        """Sequence number of the `PlayheadTime` that was published last."""


class _Tool(NamedTuple):
    origin: str
    last_seen: float
    major: int
    """The major version of its protocol."""


class _Waiting(NamedTuple):
    peer: Hashable
    pending: PendingCommand[Any]
    request: Request
    reply: Reply
    until: float


class RequestDispatcher:
    """Receives requests and ensures that each gets exactly one answer.

    Args:
        host: Carries requests out.
        service: The service's own name.
        patience: Seconds in which the game has to take up a command.
        clock: Seconds that only count up.
    """

    def __init__(
        self,
        host: DispatcherHost,
        service: str,
        *,
        patience: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.counts: Counter[str] = Counter()
        """`requests`, `answers`, `malformed`, `busy`."""
        self.on_tools: Callable[[], None] = lambda: None
        """Called when one comes or goes."""
        self._host = host
        self._service = service
        self._patience = patience
        self._clock = clock
        self._tools: OrderedDict[Hashable, _Tool] = OrderedDict()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, _Waiting] = {}
        self._lock = threading.Lock()
        """Locked while `_waiting` and `_ordered` change, for a moment only."""
        self._saving: dict[int, tuple[Request, Reply]] = {}
        """The peers that wait for clips."""
        self._ordered: Counter[Hashable] = Counter()
        """How many of each peer's commands wait."""

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of all who are connected; for any thread."""
        return tuple(tool.origin for tool in list(self._tools.values()))

    def receive(self, peer: Hashable, request: Request, reply: Reply, size: int = 0) -> None:
        """Take a request from a peer; it is answered now or, if it is a command, later.

        `size` is how many bytes it had.
        """
        self.counts["requests"] += 1
        if self._major(peer, request) == 1:
            reply = _in_version_1(reply)
        try:
            result = self._result(peer, request, reply, size)
        except PlayheadError as error:
            result = failed(error)
        except Exception as error:  # one request may not cost the service
            result = ErrorResponse(
                "internal", f"{type(error).__name__}: {error}: please report this"
            )
        if result is not None:
            self._respond(request, reply, result)

    def refuse(self, peer: Hashable, envelope: Envelope, error: DamagedError, reply: Reply) -> None:
        """Answer what is no request as well as can be."""
        self.counts["malformed"] += 1
        result = ErrorResponse("malformed", _unknown_request(envelope.body) or str(error))
        if peer in self._tools and (wrong := _wrong_command(envelope.body)) is not None:
            result = wrong
        if peer in self._tools and self._tools[peer].major == 1:
            reply = _in_version_1(reply)
        theirs = _protocol_in(envelope.body)
        if theirs is not None and not agrees(theirs):
            result = other_version(PROTOCOL, theirs)
        self._reply(reply, envelope.sequence, result)

    def _result(
        self, peer: Hashable, request: Request, reply: Reply, size: int
    ) -> ResponseBody | None:
        body = request.body
        if isinstance(body, Hello):
            return self._hello(peer, body)
        tool = self._tools.get(peer)
        if tool is None:
            return ErrorResponse("hello", "the service does not know you: say hello first")
        if request.origin != tool.origin:
            return ErrorResponse(
                "hello", f"origin {request.origin!r}: here you are {tool.origin!r}"
            )
        self._tools[peer] = tool._replace(last_seen=self._clock())
        if isinstance(body, _QUESTIONS):
            return self._host.answer(body)
        if isinstance(body, (*_COMMANDS, *_HOOKS, ReportFailedCheck, Call)):
            self._order(peer, request, body, tool.origin, reply)
            return None
        if isinstance(body, _STATEMENTS):
            self._host.record(body, size)
            return Done()
        if isinstance(body, HoldPad):
            self._host.hold_pad(tool.origin, request.sequence, body)
            return Done()
        if isinstance(body, _SAVING):
            return self._save(request, body, reply)
        if isinstance(body, Bye):
            self.forget(peer)
            return Done()
        return ErrorResponse("command", "only games and browsers on the gateway send this")

    def _major(self, peer: Hashable, request: Request) -> int:
        """The major version of a peer's protocol."""
        if isinstance(request.body, Hello):
            return request.body.protocol[0]
        tool = self._tools.get(peer)
        return PROTOCOL[0] if tool is None else tool.major

    # --- who is there ---------------------------------------------------------------------------

    def _hello(self, peer: Hashable, hello: Hello) -> ResponseBody:
        if not agrees(hello.protocol):
            return other_version(PROTOCOL, hello.protocol)
        name = "".join(c for c in hello.name if c.isprintable())[:64] or "tool"
        known = self._tools.get(peer)
        # A repeated hello keeps the name, or the tool's own echoes would look like another's.
        origin = known.origin if known is not None else f"{name}#{next(self._numbers)}"
        self._tools[peer] = _Tool(origin, self._clock(), hello.protocol[0])
        if known is None:
            if len(self._tools) > MOST_TOOLS:
                del self._tools[min(self._tools, key=lambda one: self._tools[one].last_seen)]
            self.on_tools()
        return self._host.welcome(origin)

    def origin_of(self, peer: Hashable) -> str:
        """The name of a peer; empty before its hello."""
        tool = self._tools.get(peer)
        return "" if tool is None else tool.origin

    def keep_alive(self, peers: Iterable[Hashable]) -> None:
        """These peers are still connected, as their transport knows."""
        for peer in peers:
            if peer in self._tools:
                self._tools[peer] = self._tools[peer]._replace(last_seen=self._clock())

    def forget(self, peer: Hashable) -> None:
        """A peer is gone."""
        if self._tools.pop(peer, None) is not None:
            self.on_tools()

    def hung_up(self, peer: Hashable) -> None:
        """A peer is gone: its commands are carried out, and their answers dropped."""
        self.forget(peer)
        with self._lock:
            self._ordered.pop(peer, None)
            for number, waiting in self._waiting.items():
                if waiting.peer is peer:
                    self._waiting[number] = waiting._replace(peer=None, reply=_drop_response)

    # --- clips ----------------------------------------------------------------------------------

    def _save(self, request: Request, body: ClipRequest, reply: Reply) -> ResponseBody | None:
        clip = self._host.save(body)
        if not isinstance(body, SaveClip):
            if clip.error is not None:
                raise clip.error
            return ClipResponse(row_of(clip))
        number = next(self._numbers)
        self._saving[number] = (request, reply)
        clip.on_done(lambda done: self._host.deliver(lambda: self._saved(number, done)))
        return None

    def _saved(self, number: int, clip: ClipJob) -> None:
        waiting = self._saving.pop(number, None)
        if waiting is not None:
            response = failed(clip.error) if clip.error is not None else ClipResponse(row_of(clip))
            self._respond(*waiting, response)

    # --- commands -------------------------------------------------------------------------------

    def _order(
        self, peer: Hashable, request: Request, command: RequestBody, origin: str, reply: Reply
    ) -> None:
        if self._ordered[peer] >= MOST_ORDERS:
            raise BusyError(f"{MOST_ORDERS} of your commands wait already: wait for their answers")
        number = next(self._numbers)

        def done(outcome: Outcome) -> None:
            # Looked up now, on the game's thread: a moment later others may have moved on.
            self._settled(number, outcome, self._host.newest_time())

        pending = PendingCommand(command, origin, done)
        until = self._clock() + self._patience
        with self._lock:
            self._waiting[number] = _Waiting(peer, pending, request, reply, until)
            self._ordered[peer] += 1
        try:
            self._host.queue_command(pending)
        except BaseException:  # its values are wrong, or too many wait: answered by the caller
            self._no_longer(number)
            raise

    def _no_longer(self, number: int) -> _Waiting | None:
        """Stop waiting for a command; None if it is not waited for."""
        with self._lock:
            waiting = self._waiting.pop(number, None)
            if waiting is not None and waiting.peer in self._ordered:
                self._ordered[waiting.peer] -= 1
                if not self._ordered[waiting.peer]:
                    del self._ordered[waiting.peer]
            return waiting

    def _settled(self, number: int, outcome: Outcome, time: int) -> None:
        waiting = self._no_longer(number)
        if waiting is None:
            return
        result: ResponseBody
        if not isinstance(outcome, PlaybackState):
            result = failed(outcome)
        elif isinstance(waiting.request.body, ReportFailedCheck):
            result = Done()
        elif isinstance(waiting.pending.command, RpcCall):
            result = CallResult(waiting.pending.command.result)
        elif isinstance(waiting.pending.command, PendingHookRequest):
            result = waiting.pending.command.result
        else:
            result = CommandDone(outcome, time)
        self._respond(waiting.request, waiting.reply, result)

    def expire(self) -> float | None:
        """Give up commands that waited too long; seconds until the next one ends, or None."""
        now = self._clock()
        for number, waiting in list(self._waiting.items()):
            if waiting.until > now:
                continue
            if not waiting.pending.give_up():  # it is being carried out: its outcome is on the way
                with self._lock:
                    if number in self._waiting:
                        self._waiting[number] = waiting._replace(until=math.inf)
            else:
                self._no_longer(number)
                self.counts["busy"] += 1
                self._respond(waiting.request, waiting.reply, ErrorResponse(
                    "busy",
                    f"the game did not take this up within {self._patience:g} s: it is in a long"
                    " step, or stopped in a debugger; what only reads is answered all the same",
                ))  # fmt: skip
        silent = [peer for peer, tool in self._tools.items() if now - tool.last_seen > SILENT_FOR]
        for peer in silent:
            self.forget(peer)
        end = min((waiting.until for waiting in list(self._waiting.values())), default=math.inf)
        return None if end == math.inf else max(end - now, 0.0)

    def close(self) -> None:
        """Give up commands that the game did not take up in time, and answer `busy`."""
        with self._lock:
            waiting, self._waiting = list(self._waiting.values()), {}
            self._ordered.clear()
        for one in waiting:
            if one.pending.give_up():
                text = "the service has ended, and this was not carried out"
            else:
                text = "the service has ended while this was being carried out"
            self._respond(one.request, one.reply, ErrorResponse("ended", text))
        saving, self._saving = list(self._saving.values()), {}
        for request, reply in saving:
            text = "the service has ended while the clip was being written: see whether it is there"
            self._respond(request, reply, ErrorResponse("ended", text))

    def _respond(self, request: Request, reply: Reply, result: ResponseBody) -> None:
        self.counts["answers"] += 1
        self._reply(reply, request.sequence, result)

    def _reply(self, reply: Reply, sequence: int, result: ResponseBody) -> None:
        try:
            reply(Response(origin=self._service, sequence=sequence, body=result))
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            # What is recorded may be of a kind that no message can hold.
            response = ErrorResponse("damaged", f"the answer can't be sent: {error}")
            reply(Response(origin=self._service, sequence=sequence, body=response))


def _in_version_1(reply: Reply) -> Reply:
    def reply_in_version_1(response: Response) -> None:
        reply(Response1(origin=response.origin, sequence=response.sequence, body=response.body))

    return reply_in_version_1


def _drop_response(answer: Response) -> None:
    """Where the answers to a peer go that has hung up."""


def failed(error: PlayheadError) -> ErrorResponse:
    """An error as an answer."""
    kind = next((kind for known, kind in _KINDS.items() if isinstance(error, known)), "failed")
    return ErrorResponse(kind, str(error))


def _wrong_command(body: object) -> ErrorResponse | None:
    """Why a command's values make no sense, as everywhere; None if it is no known command."""
    try:
        validated(command_of(body))
    except CommandError as error:
        return failed(error)
    except (TypeError, ValueError):  # no command, or it has other fields than its own
        pass
    return None


def _unknown_request(body: object) -> str:
    """The message for an unknown request, with the known ones; empty if it is known."""
    name = body.get("do") if isinstance(body, dict) else None
    if not isinstance(name, str) or name in _REQUESTS or name in OLDER:
        return ""
    return f"there is no request {name[:100]!r}: {name_hint(name, _REQUESTS)}"


def _protocol_in(body: object) -> tuple[int, int] | None:
    """The protocol of a hello that is none of this version's."""
    version = body.get("protocol") if isinstance(body, dict) else None
    if not isinstance(version, list | tuple) or len(version) < 2:
        return None
    major, minor = version[:2]
    return (major, minor) if isinstance(major, int) and isinstance(minor, int) else None
