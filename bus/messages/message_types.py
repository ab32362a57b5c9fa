"""Every message of the bus, in one list; nothing here opens a socket.

A tool sends a `Request` and gets one `Response` with the same sequence number. What happens
meanwhile comes as an `Event` by topic, and as `PlayheadTime` on a socket of its own. On ZeroMQ all
are MessagePack (`msgpack_codec.py`), on the gateway's WebSocket the same structures are JSON.
`docs/protocol.md` is the contract, for people who write a tool or a game client in any language.
"""

from typing import TypeAlias

import msgspec

from ...playback.commands import Command
from ...recorder.statements.statement_messages import Statement
from .events import (
    CheckFailed,
    ClipFinished,
    EventsRecorded,
    FramesChanged,
    HookActed,
    HooksChanged,
    InputsRecorded,
    LinesLogged,
    MarkAdded,
    PhaseStarted,
    PictureRecorded,
    SpanChanged,
    ToolsChanged,
    TracesRecorded,
    ValuePublished,
)
from .gateway_messages import (
    AdvanceGame,
    CallGame,
    DefineSkeleton,
    DefineType,
    GamePaused,
    GameResumed,
    HoldGamePad,
    LookAt,
    PauseGame,
    PublishValue,
    RegisterGame,
    ResumeGame,
    ReturnResult,
    ServeCalls,
    ShowFrame,
    Subscribe,
)
from .message import PROTOCOL, Message
from .requests import (
    Bye,
    Call,
    ChangeHook,
    EditField,
    EditKey,
    FindFrame,
    GetFrame,
    GetFrameHeaders,
    GetHooks,
    GetLatched,
    GetLatchHistory,
    GetMarks,
    GetObjects,
    GetPicture,
    GetPublished,
    GetSnapshot,
    GetStatements,
    GetStatus,
    GetTypes,
    Hello,
    HoldPad,
    RedoEdit,
    ReportFailedCheck,
    SaveClip,
    SetHook,
    TriggerClip,
    UndoEdit,
)
from .responses import (
    CallResult,
    ClipResponse,
    CommandDone,
    Done,
    ErrorResponse,
    FoundFrame,
    FoundPicture,
    FrameBytes,
    FrameHeaders,
    FrameStatements,
    HookList,
    LatchedValues,
    LatchHistory,
    MarkList,
    NewestPublished,
    ObjectList,
    Snapshot,
    StatusReport,
    TypeList,
    Welcome,
)

# --- what tools ask -----------------------------------------------------------------------------

Question: TypeAlias = (
    GetSnapshot
    | GetStatus
    | GetFrame
    | GetObjects
    | GetStatements
    | GetTypes
    | GetFrameHeaders
    | FindFrame
    | GetMarks
    | GetLatched
    | GetLatchHistory
    | GetPublished
    | GetPicture
    | GetHooks
)
"""Requests that only read: answered also while the game is stopped in a debugger."""
HookRequest: TypeAlias = SetHook | ChangeHook | EditField | EditKey | UndoEdit | RedoEdit
"""Requests that take hold of decisions, or edit the paused game; on the game's thread."""
ClipRequest: TypeAlias = SaveClip | TriggerClip
"""Requests that need no game thread: answered also while the game is stopped in a debugger."""
GatewayRequest: TypeAlias = (
    Subscribe
    | RegisterGame
    | DefineType
    | DefineSkeleton
    | GamePaused
    | GameResumed
    | ServeCalls
    | ReturnResult
    | PublishValue
)
"""What only the gateway takes."""
RequestBody: TypeAlias = (
    Hello
    | Bye
    | Command
    | Question
    | Statement
    | ReportFailedCheck
    | HoldPad
    | Call
    | HookRequest
    | ClipRequest
    | GatewayRequest
)


class Request(Message, frozen=True, kw_only=True):
    """What a tool sends: one question, command or statement."""

    body: RequestBody = msgspec.field(name="ask")


# --- what they are sent -------------------------------------------------------------------------

ResponseBody: TypeAlias = (
    Welcome
    | Snapshot
    | CommandDone
    | Done
    | ErrorResponse
    | FrameBytes
    | ObjectList
    | FrameStatements
    | TypeList
    | FrameHeaders
    | FoundFrame
    | MarkList
    | LatchedValues
    | LatchHistory
    | ClipResponse
    | CallResult
    | NewestPublished
    | StatusReport
    | FoundPicture
    | HookList
)


class Response(Message, frozen=True, kw_only=True):
    """What the service sends back: exactly one for each request."""

    body: ResponseBody = msgspec.field(name="answer")


EventBody: TypeAlias = (
    SpanChanged
    | MarkAdded
    | CheckFailed
    | TracesRecorded
    | LinesLogged
    | InputsRecorded
    | PhaseStarted
    | EventsRecorded
    | PictureRecorded
    | FramesChanged
    | ClipFinished
    | ToolsChanged
    | HooksChanged
    | HookActed
    | ValuePublished
)

TOPICS = (
    "span", "mark", "failed_check", "trace", "log", "input", "phase", "event", "picture", "changed",
    "clip", "tools", "hooks", "hook_acted", "published",
)  # fmt: skip
"""What can be subscribed to: the first part of an event's two."""


class Event(Message, frozen=True, kw_only=True):
    """Something that happened."""

    event: EventBody


# --- orders to games in other languages ---------------------------------------------------------

Order: TypeAlias = (
    PauseGame | ResumeGame | AdvanceGame | ShowFrame | LookAt | HoldGamePad | CallGame
)


class Ordered(Message, frozen=True, kw_only=True):
    """An order of the service to the game."""

    order: Order


# --- versions -----------------------------------------------------------------------------------


def agrees(theirs: tuple[int, int]) -> bool:
    """Whether a tool with this protocol version can talk to this service."""
    return theirs[0] in (PROTOCOL[0] - 1, PROTOCOL[0])


def other_version(service: tuple[int, int], tool: tuple[int, int]) -> ErrorResponse:
    """Why a tool and a service can't talk to each other."""
    return ErrorResponse(
        "version",
        f"this service speaks protocol {service[0]}.{service[1]}, you speak {tool[0]}.{tool[1]}:"
        " bring the older of the two up to date",
        service,
    )
