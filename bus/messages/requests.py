"""Requests of tools: to connect, query the recording, move the playhead, call the game, save."""

from typing import Any

import msgspec

from ...hooks.hook_definition import HookDefinition
from ...playback.pads.pad import Pad
from .message import RequestStruct


class Hello(RequestStruct, frozen=True, tag="hello", forbid_unknown_fields=False):
    """Comes before everything else; it and its refusal keep this shape in every version."""

    name: str
    """What people call the tool."""
    protocol: tuple[int, int]


class Bye(RequestStruct, frozen=True, tag="bye"):
    """The tool leaves. One that is silent for a while is taken to be gone as well."""


class GetSnapshot(RequestStruct, frozen=True, tag="snapshot"):
    """The present state: the state that later events change."""


class GetStatus(RequestStruct, frozen=True, tag="status"):
    """How recording and bus are doing."""


class GetFrame(RequestStruct, frozen=True, tag="frame"):
    """A recorded frame as the ring's own bytes."""

    frame: int


class GetObjects(RequestStruct, frozen=True, tag="objects"):
    """The objects of a frame, decoded by their layouts."""

    frame: int


class GetStatements(RequestStruct, frozen=True, tag="statements"):
    """What games and agents stated in a frame: traces, log, watched values, inputs,
    events."""

    frame: int


class GetPicture(RequestStruct, frozen=True, tag="get_picture"):
    """The newest picture of a name at or before a frame, not more than 10 seconds older."""

    frame: int
    name: str = "screen"


class GetTypes(RequestStruct, frozen=True, tag="types"):
    """The types of packets known at a frame, with the layouts of their payloads."""

    frame: int


class GetFrameHeaders(RequestStruct, frozen=True, tag="frame_headers"):
    """The headers of the frames from `start` to `end`, both included."""

    start: int
    end: int


class FindFrame(RequestStruct, frozen=True, tag="find_frame"):
    """The newest frame at or before a time."""

    time: float


class GetMarks(RequestStruct, frozen=True, tag="marks"):
    """The marks whose frames are in the recording, oldest first."""


class GetLatched(RequestStruct, frozen=True, tag="latched"):
    """What held at a frame, as recorded: all of it, or only what is of this object, kind, key."""

    frame: int
    object: int | None = None
    kind: int | None = None
    key: int | None = None


class GetLatchHistory(RequestStruct, frozen=True, tag="latch_history"):
    """The newest values of one latched key up to a frame, newest first."""

    frame: int
    object: int
    kind: int
    key: int
    limit: int = 100


class GetPublished(RequestStruct, frozen=True, tag="published"):
    """The newest that the game has published under a name."""

    name: str


class HoldPad(
    Pad, frozen=True, omit_defaults=True, tag_field="do", tag="pad", forbid_unknown_fields=True
):
    """A pad is held, from the game's next step on and until another one comes."""

    held: int = msgspec.field(default=0, name="buttons")
    """The buttons that are down, as a set of `Button` bits."""
    player: int = 0
    """Whose pad it is: players are counted from 0."""
    time: float | None = None
    """Timeline seconds of the instant that it was decided on; optional for a person."""

    @property
    def pad(self) -> Pad:
        """What is held, by itself."""
        return Pad(self.left, self.right, self.left_trigger, self.right_trigger, self.held)


class ReportFailedCheck(RequestStruct, frozen=True, tag="report_failed_check"):
    """A check has failed: the game pauses there, and an event goes to every tool."""

    message: str
    object: int = 0
    expression: str = ""
    file: str = ""
    line: int = 0
    time: float | None = None
    """Timeline seconds of the instant that it is about; without one it is the present frame."""
    game_time: float | None = None
    """Or the game's own clock, seconds, since it last started over."""


class Call(RequestStruct, frozen=True, tag="call"):
    """Call a function that the game serves under a name; answered with what it returns."""

    name: str
    argument: Any = None
    """Plain: maps with text keys, lists, text, numbers, booleans, nothing."""


class GetHooks(RequestStruct, frozen=True, tag="hooks"):
    """All hooks that are set, with what they have done, and the edits of this pause."""


class SetHook(RequestStruct, frozen=True, tag="set_hook"):
    """Set a hook on a decision or a field; it goes when the tool does, unless it is kept."""

    hook: HookDefinition


class ChangeHook(RequestStruct, frozen=True, tag="change_hook"):
    """Enable, disable or remove a hook."""

    id: int
    change: str
    """`enable`, `disable` or `remove`."""


class EditField(RequestStruct, frozen=True, tag="edit_field"):
    """Set a field of an object of the paused game, at its newest frame."""

    object: int
    field: str
    """Its name, or that of a part: `hp`, `velocity.x`."""
    value: Any
    """A value of the field's type: a number, a text, a list, a member's name."""


class EditKey(RequestStruct, frozen=True, tag="edit_key"):
    """Set a key of the blackboard of the paused game."""

    key: str
    value: Any


class UndoEdit(RequestStruct, frozen=True, tag="undo_edit"):
    """Take the newest edit of this pause back."""


class RedoEdit(RequestStruct, frozen=True, tag="redo_edit"):
    """Make the edit again that was undone last."""


class SaveClip(RequestStruct, frozen=True, tag="save_clip"):
    """Save what is recorded as a clip, on the game's machine; answered when it is there."""

    path: str
    """The file. A relative one is in the folder of clips."""
    start: int | None = None
    """The first frame, by default the oldest."""
    end: int | None = None
    overwrite: bool = False
    """Replace a file that is there; otherwise that is an error."""


class TriggerClip(RequestStruct, frozen=True, tag="trigger_clip"):
    """Save what was just before this instant and what comes next; answered at once."""

    name: str
    pre: float | None = None
    """Seconds in front of it; by default those of the game's policy."""
    post: float | None = None
    note: str = ""
    object: int = 0
