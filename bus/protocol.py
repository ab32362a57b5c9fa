"""Every message of the bus, and what they have in common; nothing here opens a socket.

A tool sends a `Request` and gets one `Answer` with the same sequence number. What happens meanwhile
comes as an `Event` by topic, and as `Time` on a socket of its own. On ZeroMQ all of them are
MessagePack, on the gateway's WebSocket the same structures are JSON. `docs/protocol.md` is the
contract, for people who write a tool or a game client in any language.
"""

from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec

from ..errors import DamagedError
from ..playback.command import Command
from ..playback.pad import Pad
from ..playback.shown import Shown
from ..recorder.checks import Violation
from ..recorder.frame import Span
from ..recorder.instruments import Scalar
from ..recorder.logs import LogLine
from ..recorder.marks import Mark
from ..recorder.traces import AnimationTrace, AnyTrace, StateTrace, TreeNode, TreeTrace
from ..recorder.world import Conventions

PROTOCOL = (1, 1)
"""Major and minor. Another major is refused; a newer minor only adds what may be ignored.

1.1 added pads."""
DEFAULT_PORT = 5670
MOST_BYTES = 1 << 20
"""The longest request that is read; longer ones end their connection."""
MOST_ROWS = 10_000
"""The most stamps, versions or marks that one answer lists."""

_T = TypeVar("_T")
Vector: TypeAlias = tuple[float, float, float]


class Message(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What all messages share: who speaks, and the speaker's count."""

    origin: str
    """Who says it: the name that `welcome` gave to the tool, or the service's own."""
    sequence: Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
    """Counts up. In an answer it is the request's; in an event it counts its topic."""


# --- what tools ask ---------------------------------------------------------------------------


class _Ask(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="do"):
    pass


class Hello(_Ask, frozen=True, tag="hello"):
    """Comes before everything else; it and its refusal keep this shape in every version."""

    name: str
    """What people call the tool."""
    protocol: tuple[int, int]


class Bye(_Ask, frozen=True, tag="bye"):
    """The tool goes. Who says nothing for a while is taken to be gone as well."""


class GetPresent(_Ask, frozen=True, tag="present"):
    """Where everything stands now."""


class GetStatus(_Ask, frozen=True, tag="status"):
    """How recording and bus are doing."""


class GetFrame(_Ask, frozen=True, tag="frame"):
    """A recorded frame as the ring's own bytes."""

    frame: int


class GetObjects(_Ask, frozen=True, tag="objects"):
    """The objects of a frame, decoded by their layouts."""

    frame: int


class GetSaid(_Ask, frozen=True, tag="said"):
    """What games and agents said in a frame: traces, log, watched values."""

    frame: int


class GetTypes(_Ask, frozen=True, tag="types"):
    """The types of packets known at a frame, with the layouts of their payloads."""

    frame: int


class GetStamps(_Ask, frozen=True, tag="stamps"):
    """The headers of the frames from `start` to `end`, both included."""

    start: int
    end: int


class GetFind(_Ask, frozen=True, tag="find"):
    """The newest frame at or before a time."""

    time: float


class GetMarks(_Ask, frozen=True, tag="marks"):
    """The marks whose frames are held, oldest first."""


class GetLatched(_Ask, frozen=True, tag="latched"):
    """What held at a frame, as recorded: all of it, or of one object, kind and key."""

    frame: int
    object: int | None = None
    kind: int = 0
    key: int = 0


class GetVersions(_Ask, frozen=True, tag="versions"):
    """The newest values of one latched key up to a frame, newest first."""

    frame: int
    object: int
    kind: int
    key: int
    limit: int = 100


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
)
"""What only reads: answered also while the game stands in a debugger."""


# --- what tools and games in other processes say ----------------------------------------------


class _Placed(_Ask, frozen=True, kw_only=True):
    """Something said about an instant. Without a time it is about the frame being recorded."""

    time: float | None = None
    """Timeline time, seconds."""
    game_time: float | None = None
    """Or the game's own clock, seconds, since it last started over."""


class SayState(_Placed, frozen=True, tag="trace_state"):
    """A machine of an agent went from one state to another."""

    agent: int
    trace: StateTrace


class SayTree(_Placed, frozen=True, tag="trace_tree"):
    """A behaviour tree was ticked."""

    agent: int
    trace: TreeTrace


class SayAnimation(_Placed, frozen=True, tag="trace_animation"):
    """An animation tree was blended."""

    agent: int
    trace: AnimationTrace


class SayLog(_Placed, frozen=True, tag="log"):
    """A line of the log."""

    line: LogLine
    channel: str | None = None


class SayMark(_Placed, frozen=True, tag="mark"):
    """A named instant."""

    name: str
    note: str = ""
    object: int = 0


class SayViolation(_Placed, frozen=True, tag="check_failed"):
    """A check has failed: the game pauses there and every tool is told."""

    message: str
    object: int = 0
    expression: str = ""
    file: str = ""
    line: int = 0


class SayWatch(_Ask, frozen=True, tag="watch"):
    """A named number of an object."""

    name: str
    value: float
    object: int = 0


class SayName(_Ask, frozen=True, tag="name"):
    """What people call an object."""

    object: int
    name: str


class SayFact(_Ask, frozen=True, tag="fact"):
    """Anything plain that stays true of an object until said again."""

    object: int
    key: str
    value: Any


class SayNodes(_Ask, frozen=True, tag="define_tree"):
    """Which nodes an agent's behaviour tree has."""

    agent: int
    tree: str
    nodes: tuple[TreeNode, ...]


class SayDraw(_Ask, frozen=True, tag="draw"):
    """A debug drawing of this frame, or, under a name, one that stays until drawn again."""

    shape: str
    """`line`, `lines`, `sphere`, `box`, `polygon` or `text`."""
    points: tuple[Vector, ...]
    """A line's two ends, the ends of many lines in pairs, a polygon's corners; else the place."""
    size: Vector = (1.0, 1.0, 1.0)
    """A box's edges; a sphere's radius is the first."""
    angles: Vector = (0.0, 0.0, 0.0)
    text: str = ""
    color: tuple[int, int, int] = (255, 255, 255)
    object: int = 0
    channel: str | None = None
    latch: str | None = None


class SayDespawn(_Ask, frozen=True, tag="despawn"):
    """An object is gone."""

    object: int


Statement: TypeAlias = (
    SayState
    | SayTree
    | SayAnimation
    | SayLog
    | SayMark
    | SayViolation
    | SayWatch
    | SayName
    | SayFact
    | SayNodes
    | SayDraw
    | SayDespawn
)
"""What is recorded. Placed by the time that it carries, not by when it arrives."""

# --- what games are played with ----------------------------------------------------------------


class HoldPad(Pad, frozen=True, omit_defaults=True, tag_field="do", tag="pad"):
    """A pad is held, from the game's next step on and until another one comes."""

    player: int = 0
    """Whose pad it is: players are counted from 0."""
    time: float | None = None
    """Timeline seconds of the instant that it was decided on; a person need not say."""

    @property
    def pad(self) -> Pad:
        """What is held, by itself."""
        return Pad(self.left, self.right, self.left_trigger, self.right_trigger, self.held)


# --- what tools want saved -----------------------------------------------------------------------


class Save(_Ask, frozen=True, tag="save"):
    """Save what is held as a clip, on the game's machine; answered when it is there."""

    path: str
    """The file; never one that is there already. A relative one is in the folder of clips."""
    start: int | None = None
    """The first frame, by default the oldest."""
    end: int | None = None


class Trigger(_Ask, frozen=True, tag="trigger"):
    """Save what was just before this instant and what comes next; answered at once."""

    name: str
    pre: float | None = None
    """Seconds in front of it; by default those of the game's policy."""
    post: float | None = None
    note: str = ""
    object: int = 0


Saving: TypeAlias = Save | Trigger
"""What is done without the game's thread: also while the game stands in a debugger."""

# --- what is said on the gateway only, mostly by games in other languages ------------------------


class Attach(_Ask, frozen=True, tag="game"):
    """This connection is the game: its binary messages are frames, and it obeys orders."""

    name: str
    can_restore: bool = True
    """False if recorded frames can't be put back into its objects."""
    conventions: Conventions = Conventions()
    about: dict[str, Scalar] = {}


class DeclareType(_Ask, frozen=True, tag="type"):
    """What packets of a type number hold; comes before the first frame that has some."""

    number: int
    """The game's own, from 32."""
    name: str
    fields: tuple[tuple[str, str, tuple[int, ...]], ...] = ()
    """Name, numpy format such as `<f4`, and shape; packed, without holes."""
    tail: str = ""
    tail_shape: tuple[int, ...] = ()
    tail_name: str = ""
    space: str = ""
    units: dict[str, str] = {}
    roles: dict[str, str] = {}
    channels: tuple[str, ...] = ()


class DeclareSkeleton(_Ask, frozen=True, tag="skeleton"):
    """The joints of a model. A packet refers to it by `number` in its field `skeleton` (`<i4`)."""

    type: int
    number: int
    name: str
    joints: tuple[str, ...]
    parents: tuple[int, ...]
    """Index of each joint's parent; −1 for a root."""


class Listen(_Ask, frozen=True, tag="listen"):
    """From now on send these events on this connection; ZeroMQ's tools subscribe instead."""

    topics: tuple[str, ...] = ()
    time: bool = True


class Standing(_Ask, frozen=True, tag="paused"):
    """The game stands still, as ordered or because its own check failed: no frame is under way."""


class Running(_Ask, frozen=True, tag="resumed"):
    """The game runs again, as ordered."""


GatewayTalk: TypeAlias = Listen | Attach | DeclareType | DeclareSkeleton | Standing | Running
"""What only the gateway takes."""


class StandInRow(msgspec.Struct, frozen=True):
    """What to show in the place of a recorded object that is gone."""

    id: int
    type: str
    position: Vector
    angles: Vector
    visible: bool


class _Order(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="order"):
    pass


class PauseGame(_Order, frozen=True, tag="pause"):
    """Finish the frame, send it, stand still with input locked, and say `paused`."""


class ResumeGame(_Order, frozen=True, tag="resume"):
    """Every object is as it was: unlock input, run on, and say `resumed`."""


class ShowFrame(_Order, frozen=True, tag="show"):
    """Look like this recorded frame.

    If `image` is true, the next message is binary: a frame with the packets to put back into their
    objects. Objects in no list stay as they are.
    """

    frame: int
    time: float
    image: bool
    hide: tuple[int, ...] = ()
    unhide: tuple[int, ...] = ()
    stand_ins: tuple[StandInRow, ...] = ()
    """To be shown, or moved."""
    remove_stand_ins: tuple[int, ...] = ()


class LookAt(_Order, frozen=True, tag="look_at"):
    """Turn the camera there."""

    object: int
    position: Vector


Order: TypeAlias = PauseGame | ResumeGame | ShowFrame | LookAt


class Ordered(Message, frozen=True, kw_only=True):
    """What the service wants of the game."""

    order: Order


Ask: TypeAlias = Hello | Bye | Command | Question | Statement | HoldPad | Saving | GatewayTalk


class Request(Message, frozen=True, kw_only=True):
    """What a tool sends: one question, command or statement."""

    ask: Ask


# --- what the service answers -----------------------------------------------------------------


class _Result(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="is"):
    pass


class Time(Message, frozen=True, kw_only=True):
    """The instant that everybody stands at; sent at each change of it, and a few times a second."""

    mode: str
    """`live`, `paused` or `playing`."""
    frame: int = 0
    """The frame that is shown; live, the newest. 0 while nothing is recorded."""
    time: float = 0.0
    """Its timeline time, seconds."""
    game_time: float = 0.0
    """What the game's own clock said then, seconds."""
    epoch: int = 0
    rate: float = 1.0
    focus: int = 0
    hidden: frozenset[str] = frozenset()
    """Channels that are not shown."""
    loop: tuple[float, float] | None = None
    repeated: bool = False
    """True for a repetition of what was said already under this sequence number."""


class Welcome(_Result, frozen=True, tag="welcome"):
    """The answer to `hello`: who you are, where to listen, and how everything stands."""

    origin: str
    """The tool's own name on this bus."""
    protocol: tuple[int, int]
    service: str
    """Names this run of the service: another one is another recording."""
    events: int
    """The port of the events; 0 on the gateway, which sends them on the same connection."""
    times: int
    """The port of `Time`."""
    present: "Present"
    game: dict[str, Scalar] = {}
    """What its makers said of the recording."""
    conventions: Conventions = Conventions()


class Present(_Result, frozen=True, tag="present"):
    """A snapshot. Events with these sequence numbers, or lower ones, are in it."""

    time: Time
    span: Span | None
    sequences: dict[str, int]
    """By topic: the newest event's."""
    tools: tuple[str, ...] = ()


class Moved(_Result, frozen=True, tag="shown"):
    """A command was carried out: this is what really happened."""

    shown: Shown
    time: int
    """Sequence number of the `Time` that says the same."""


class Done(_Result, frozen=True, tag="done"):
    """It was taken; there is nothing more to say."""


class Failed(_Result, frozen=True, tag="error", omit_defaults=False):
    """It was not done. Nothing has changed."""

    kind: str
    """`version`, `hello`, `malformed`, `busy`, `command`, `evicted`, `damaged`, …"""
    message: str
    protocol: tuple[int, int] = PROTOCOL
    """The service's."""


class FrameBytes(_Result, frozen=True, tag="frame"):
    """A frame by itself, as `docs/ring.md` says."""

    frame: int
    time: float
    delta: float
    epoch: int
    image: bytes


class ObjectRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """An object as it was recorded."""

    id: int
    type: str
    position: Vector
    angles: Vector
    values: dict[str, Any]
    """Its payload's fields."""
    name: str = ""
    targetable: bool = True
    visible: bool = True
    damaged: bool = False


class TraceRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One decision of an agent: exactly one of the three is there."""

    agent: int
    state: StateTrace | None = None
    tree: TreeTrace | None = None
    animation: AnimationTrace | None = None

    @classmethod
    def of(cls, agent: int, trace: AnyTrace) -> "TraceRow":
        match trace:
            case StateTrace():
                return cls(agent, state=trace)
            case TreeTrace():
                return cls(agent, tree=trace)
            case AnimationTrace():
                return cls(agent, animation=trace)


class Objects(_Result, frozen=True, tag="objects"):
    frame: int
    objects: list[ObjectRow]


class Said(_Result, frozen=True, tag="said"):
    frame: int
    traces: list[TraceRow]
    log: list[LogLine]
    watches: list[tuple[int, str, float]]
    """Object, name and value."""


class TypeRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """How packets of one type are to be read."""

    number: int
    name: str
    size: int
    """Bytes of the fields, without the tail."""
    fields: list[tuple[str, str, tuple[int, ...], int]]
    """Name, numpy format, shape, and offset in the payload."""
    tail: str = ""
    tail_shape: tuple[int, ...] = ()
    tail_name: str = ""
    space: str = ""
    units: dict[str, str] = {}
    roles: dict[str, str] = {}


class Types(_Result, frozen=True, tag="types"):
    types: list[TypeRow]
    channels: dict[str, int]
    """Names to bits."""


class Stamps(_Result, frozen=True, tag="stamps"):
    stamps: list[tuple[int, float, float, int, int, int]]
    """Id, time, delta, packets, epoch and flags of each frame."""


class Found(_Result, frozen=True, tag="found"):
    frame: int


class Marks(_Result, frozen=True, tag="marks"):
    marks: list[Mark]


class Latched(_Result, frozen=True, tag="latched"):
    rows: list[tuple[int, int, int, int, int, bytes]]
    """Object, kind, key, frame, type and bytes of what held."""


class Versions(_Result, frozen=True, tag="versions"):
    rows: list[tuple[int, int, bytes | None]]
    """Frame, type and bytes; no bytes where it ended."""


class ClipRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A clip that is being saved, or was."""

    name: str
    """The trigger's; `save` if it was asked for by path."""
    path: str = ""
    """The file on the game's machine; a trigger's is known when it is done."""
    done: bool = False
    frames: int = 0
    bytes: int = 0
    gaps: list[tuple[int, int, str]] = []
    """Stretches between its ends that it does not have: first and last frame, and why."""
    lost: int = 0
    """Frames that were wanted and could not be copied in time."""
    error: str = ""
    """Why there is no file."""


class ClipTold(_Result, frozen=True, tag="clip"):
    clip: ClipRow


class StatusReport(_Result, frozen=True, tag="status"):
    recorder: dict[str, Any]
    """See `playhead.recorder.status.Status`."""
    bus: "BusStatus"


class BusStatus(msgspec.Struct, frozen=True):
    """How the bus is doing."""

    endpoint: str
    tools: tuple[str, ...]
    """Who has said hello and not gone."""
    requests: int = 0
    answers: int = 0
    malformed: int = 0
    """Messages that were none of the protocol's."""
    busy: int = 0
    """Commands that the game did not take up in time."""
    events: int = 0
    times: int = 0
    events_dropped: int = 0
    """How often a subscriber's queue was full and it began to lose events."""
    times_dropped: int = 0
    answers_lost: int = 0
    """Answers to tools that were gone, or never read theirs."""
    skipped_frames: int = 0
    """Frames that were evicted before their events could be sent."""
    games_refused: int = 0
    frames_refused: int = 0
    """Frames from games in other languages that were damaged."""
    frames_dropped: int = 0
    """Frames that they sent while playback was on, and that were not the newest then."""
    faults: int = 0
    """What failed within the service itself, and cost one thing, not the service."""
    newest_fault: str = ""


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
    | StatusReport
)


class Answer(Message, frozen=True, kw_only=True):
    """What the service sends back: exactly one for each request."""

    answer: Result


# --- what happens -----------------------------------------------------------------------------


class _Happening(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="what"):
    pass


class SpanHeld(_Happening, frozen=True, tag="span"):
    """What is held has changed; told a few times a second."""

    span: Span | None


class MarkSet(_Happening, frozen=True, tag="mark"):
    mark: Mark


class CheckFailed(_Happening, frozen=True, tag="check"):
    """A recorder assert: the game has paused there and looks at the object. Go there."""

    violation: Violation


class Traced(_Happening, frozen=True, tag="trace"):
    """All decisions of a frame."""

    frame: int
    time: float
    traces: list[TraceRow]


class Logged(_Happening, frozen=True, tag="log"):
    """All log lines of a frame."""

    frame: int
    time: float
    lines: list[LogLine]


class Changed(_Happening, frozen=True, tag="changed"):
    """These older frames have got traces, lines or marks that came late: read them again."""

    frames: list[int]


class ClipDone(_Happening, frozen=True, tag="clip"):
    """A clip was saved, or could not be."""

    clip: ClipRow


class ToolsChanged(_Happening, frozen=True, tag="tools"):
    tools: tuple[str, ...]


Happening: TypeAlias = (
    SpanHeld | MarkSet | CheckFailed | Traced | Logged | Changed | ClipDone | ToolsChanged
)

TOPICS = ("span", "mark", "check", "trace", "log", "changed", "clip", "tools")
"""What can be subscribed to: the first part of an event's two."""


class Event(Message, frozen=True, kw_only=True):
    """Something that happened."""

    event: Happening


# --- bytes ------------------------------------------------------------------------------------

_encoder = msgspec.msgpack.Encoder()
_requests = msgspec.msgpack.Decoder(Request)
_answers = msgspec.msgpack.Decoder(Answer)
_events = msgspec.msgpack.Decoder(Event)
_times = msgspec.msgpack.Decoder(Time)


def packed(message: Message) -> bytes:
    """A message's bytes."""
    return _encoder.encode(message)


def request_of(data: bytes) -> Request:
    """The request in some bytes.

    Raises:
        DamagedError: they are none; names the field.
    """
    return _unpacked(_requests, data)


def answer_of(data: bytes) -> Answer:
    """The answer in some bytes; errors as for `request_of`."""
    return _unpacked(_answers, data)


def event_of(data: bytes) -> Event:
    """The event in some bytes; errors as for `request_of`."""
    return _unpacked(_events, data)


def time_of(data: bytes) -> Time:
    """The `Time` in some bytes; errors as for `request_of`."""
    return _unpacked(_times, data)


def _unpacked(decoder: "msgspec.msgpack.Decoder[_T]", data: bytes) -> _T:
    try:
        return decoder.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise DamagedError(f"a message of {len(data)} bytes: {error}") from None


class Envelope(msgspec.Struct, frozen=True):
    """As much as can be read of a request that can't be: enough to answer it."""

    sequence: int = 0
    origin: str = ""
    ask: Any = None


def envelope_of(data: bytes) -> Envelope:
    """What can be read of any bytes at all."""
    try:
        return envelope_in(msgspec.msgpack.decode(data))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return Envelope()


def envelope_in(told: Any) -> Envelope:
    """What can be made of a plain value: each field that is what it should be."""
    if not isinstance(told, dict):
        return Envelope()
    sequence, origin = told.get("sequence"), told.get("origin")
    if not isinstance(sequence, int) or isinstance(sequence, bool):
        sequence = 0
    return Envelope(
        sequence if -(2**63) <= sequence < 2**63 else 0,
        origin if isinstance(origin, str) else "",
        told.get("ask"),
    )


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
