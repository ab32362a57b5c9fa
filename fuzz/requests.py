"""Bytes as a service gets them: read, refused or asked of a recording that is really there."""

from collections.abc import Callable
from typing import Any

import msgspec

from playhead.bus.messages.message import PROTOCOL, PlayheadTime
from playhead.bus.messages.message_types import Request, Response
from playhead.bus.messages.msgpack_codec import envelope_of, packed, request_of, response_of
from playhead.bus.messages.requests import Call, Hello
from playhead.bus.messages.response_rows import BusStatus
from playhead.bus.messages.responses import Snapshot, Welcome
from playhead.bus.server.query_handler import QueryHandler
from playhead.bus.server.request_dispatcher import RequestDispatcher
from playhead.bus.server.rpc_registry import RpcCall
from playhead.errors import DamagedError, RecordingError
from playhead.playback.commands import Advance
from playhead.playback.pending_command import PendingCommand
from playhead.recorder.world_adapter import World
from playhead.session import Session

from . import seeds

SEEDS = seeds.requests()
_MOST_STEPS = 3
SNAPSHOT = Snapshot(PlayheadTime(origin="s", sequence=1, mode="live"), None, {})


class Nothing(World):
    """A game without objects."""

    def objects(self) -> list[tuple[int, str, Any]]:
        return []

    def time(self) -> float:
        return 0.0

    def find(self, object_id: int) -> None:
        return None


class Host:
    """A service without sockets: all in one thread, at once."""

    def __init__(self) -> None:
        self.session = Session(Nothing(), "256 KiB", strict=False)
        self.session.serve("a", lambda body: body)
        for step in range(1, 9):
            self.session.mark("a")
            self.session.update(0.25, step / 4)
        recorder = self.session.recorder
        self.desk = QueryHandler(
            recorder.ring, lambda: SNAPSHOT, lambda: recorder.status, lambda: BusStatus("x", ())
        )
        self.answer = self.desk.answer

    def queue_command(self, pending: PendingCommand[Any]) -> None:
        if isinstance(pending.command, Call):
            pending.command = RpcCall(pending.command.name, pending.command.argument)
        if not hasattr(pending.command, "message"):  # a check is placed by the service itself
            if isinstance(pending.command, Advance) and pending.command.steps > _MOST_STEPS:
                pending.command = Advance(_MOST_STEPS)  # nobody waits for thousands
            self.session.take(pending)
            self.session.obey()
            # After an instruction, what pauses the game waits for a frame's end; an advance for
            # its steps.
            playhead = self.session.playhead
            while self.session.live and (pending.is_open or playhead.is_advancing):
                self._step()
        else:
            pending.answer(self.session.playhead.state)

    def record(self, statement: Any, size: int) -> None:
        self.session.recorder.check_tool(statement)
        self.session.recorder.accept(statement, size)
        if self.session.live:
            self._step()

    def _step(self) -> None:
        self.session.update(0.25, self.session.source.span.end + 0.25)  # type: ignore[union-attr]

    def hold_pad(self, origin: str, sequence: int, pad: Any) -> None:
        self.session.pad(0)
        self.session.pads.hold(pad.pad, pad.player, origin=origin, sequence=sequence)

    def save(self, saving: Any) -> Any:
        raise RecordingError("nothing is written to disk here")

    def welcome(self, origin: str) -> Welcome:
        return Welcome(origin, PROTOCOL, "s", 1, 2, snapshot=SNAPSHOT)

    def deliver(self, work: Any) -> None:
        work()

    def newest_time(self) -> int:
        return 1


HOST = Host()
BOARD = RequestDispatcher(HOST, "s")


def one_input(data: bytes) -> None:
    answers: list[Response] = []
    try:
        request = request_of(data)
    except DamagedError as error:
        envelope = envelope_of(data)
        BOARD.refuse("peer", envelope, error, answers.append)
        [answer] = answers
        assert answer.sequence == envelope.sequence
        assert response_of(packed(answer)) == answer
        return
    answer = served(request)
    assert getattr(answer.body, "kind", "") != "internal", answer
    again = response_of(packed(answer))
    assert again.body.__class__ is answer.body.__class__


def served(request: Request, encode: Callable[[Response], object] = packed) -> Response:
    """The one answer to a request, whatever sender it names."""
    answers: list[Response] = []

    def reply(answer: Response) -> None:
        encode(answer)
        answers.append(answer)

    BOARD.receive("peer", Request(origin="", sequence=0, body=Hello("x", PROTOCOL)), lambda _: None)
    origin = BOARD.origin_of("peer")
    BOARD.receive("peer", msgspec.structs.replace(request, origin=origin), reply)
    [answer] = answers
    assert answer.sequence == request.sequence
    return answer
