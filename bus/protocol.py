"""Every message of the bus, in one list; nothing here opens a socket.

A tool sends a `Request` and gets one `Answer` with the same sequence number. What happens meanwhile
comes as an `Event` by topic, and as `Time` on a socket of its own. On ZeroMQ all of them are
MessagePack (`wire.py`), on the gateway's WebSocket the same structures are JSON. `docs/protocol.md`
is the contract, for people who write a tool or a game client in any language.
"""

from typing import TypeAlias

from ..playback.commands import Command
from ..recorder.statements import Statement
from .answers import (
    ClipTold,
    Done,
    Failed,
    Found,
    FrameBytes,
    Instructed,
    Latched,
    Marks,
    Moved,
    NewestTold,
    Objects,
    Present,
    Said,
    Stamps,
    StatusReport,
    Types,
    Versions,
    Welcome,
)
from .asks import (
    Bye,
    GetFind,
    GetFrame,
    GetLatched,
    GetMarks,
    GetObjects,
    GetPresent,
    GetSaid,
    GetStamps,
    GetStatus,
    GetTold,
    GetTypes,
    GetVersions,
    Hello,
    HoldPad,
    Instruct,
    ReportCheck,
    Save,
    Trigger,
)
from .game_talk import (
    AdvanceGame,
    Attach,
    DeclareSkeleton,
    DeclareType,
    Listen,
    LookAt,
    PauseGame,
    ResumeGame,
    Running,
    ShowFrame,
    Standing,
)
from .happenings import (
    Changed,
    CheckFailed,
    ClipDone,
    InputGiven,
    Logged,
    MarkSet,
    PhaseBegan,
    SpanHeld,
    Told,
    ToolsChanged,
    Traced,
)
from .message import PROTOCOL, Message

# --- what tools ask -----------------------------------------------------------------------------

Question: TypeAlias = (
    GetPresent
    | GetStatus
    | GetFrame
    | GetObjects
    | GetSaid
    | GetTypes
    | GetStamps
    | GetFind
    | GetMarks
    | GetLatched
    | GetVersions
    | GetTold
)
"""What only reads: answered also while the game stands in a debugger."""
Saving: TypeAlias = Save | Trigger
"""What is done without the game's thread: also while the game stands in a debugger."""
GatewayTalk: TypeAlias = Listen | Attach | DeclareType | DeclareSkeleton | Standing | Running
"""What only the gateway takes."""
Ask: TypeAlias = (
    Hello
    | Bye
    | Command
    | Question
    | Statement
    | ReportCheck
    | HoldPad
    | Instruct
    | Saving
    | GatewayTalk
)


class Request(Message, frozen=True, kw_only=True):
    """What a tool sends: one question, command or statement."""

    ask: Ask


# --- what they are told -------------------------------------------------------------------------

Result: TypeAlias = (
    Welcome
    | Present
    | Moved
    | Done
    | Failed
    | FrameBytes
    | Objects
    | Said
    | Types
    | Stamps
    | Found
    | Marks
    | Latched
    | Versions
    | ClipTold
    | Instructed
    | NewestTold
    | StatusReport
)


class Answer(Message, frozen=True, kw_only=True):
    """What the service sends back: exactly one for each request."""

    answer: Result


Happening: TypeAlias = (
    SpanHeld
    | MarkSet
    | CheckFailed
    | Traced
    | Logged
    | InputGiven
    | PhaseBegan
    | Changed
    | ClipDone
    | ToolsChanged
    | Told
)

TOPICS = (
    "span", "mark", "check", "trace", "log", "input", "phase", "changed", "clip", "tools", "told"
)  # fmt: skip
"""What can be subscribed to: the first part of an event's two."""


class Event(Message, frozen=True, kw_only=True):
    """Something that happened."""

    event: Happening


# --- what games in other languages are told -----------------------------------------------------

Order: TypeAlias = PauseGame | ResumeGame | AdvanceGame | ShowFrame | LookAt


class Ordered(Message, frozen=True, kw_only=True):
    """What the service wants of the game."""

    order: Order


# --- versions -----------------------------------------------------------------------------------


def agrees(theirs: tuple[int, int]) -> bool:
    """Whether a tool with this protocol version can talk to this service."""
    return theirs[0] == PROTOCOL[0]


def other_version(service: tuple[int, int], tool: tuple[int, int]) -> Failed:
    """Why a tool and a service can't talk to each other."""
    return Failed(
        "version",
        f"this service speaks protocol {service[0]}.{service[1]}, you speak {tool[0]}.{tool[1]}:"
        " bring the older of the two up to date",
        service,
    )
