"""playhead: an in-game recorder and scrubbing debugger.

    import playhead as ph

All that a program needs is here, and complete in `docs/api.md`. A name loads its module when it is
used first: importing the package loads nothing else.

    game → handlers → recorder → native ring → playback → game (restored)

The repository root is this package.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import errors as errors
    from .bus.client import Client as Client
    from .bus.client import connect as connect
    from .bus.message import Time as Time
    from .bus.rows import ObjectRow as ObjectRow
    from .bus.settings import BusSettings as BusSettings
    from .handlers.camera import CameraHandler as CameraHandler
    from .handlers.check import check_handler as check_handler
    from .handlers.field import FieldHandler as FieldHandler
    from .handlers.model import ModelHandler as ModelHandler
    from .handlers.model import Skeleton as Skeleton
    from .handlers.player import PlayerHandler as PlayerHandler
    from .handlers.registry import HandlerRegistry as HandlerRegistry
    from .handlers.view_model import ViewModelHandler as ViewModelHandler
    from .playback import commands as commands
    from .playback.pad import Button as Button
    from .playback.pad import Pad as Pad
    from .playback.playback_state import Mode as Mode
    from .playback.playback_state import PlaybackState as PlaybackState
    from .recorder.checks import UNATTENDED as UNATTENDED
    from .recorder.checks import CheckPolicy as CheckPolicy
    from .recorder.checks import FailedCheck as FailedCheck
    from .recorder.clips.writer import Attachment as Attachment
    from .recorder.clips.writer import Saved as Saved
    from .recorder.frame import Packet as Packet
    from .recorder.frame import Span as Span
    from .recorder.handler import Batch as Batch
    from .recorder.handler import Handler as Handler
    from .recorder.handler import PacketWriter as PacketWriter
    from .recorder.instrumentation import Belief as Belief
    from .recorder.instrumentation import Draw as Draw
    from .recorder.instrumentation import Instrumentation as Instrumentation
    from .recorder.instrumentation import NullInstrumentation as NullInstrumentation
    from .recorder.instrumentation import Rejected as Rejected
    from .recorder.instrumentation import Trace as Trace
    from .recorder.layout import Field as Field
    from .recorder.layout import Layout as Layout
    from .recorder.layout import layout_of as layout_of
    from .recorder.marks import Mark as Mark
    from .recorder.object_ids import ObjectRef as ObjectRef
    from .recorder.saving.clip import Clip as Clip
    from .recorder.status import Status as Status
    from .recorder.traces import AnimationClip as AnimationClip
    from .recorder.traces import AnimationTrace as AnimationTrace
    from .recorder.traces import StateTrace as StateTrace
    from .recorder.traces import TreeNode as TreeNode
    from .recorder.traces import TreeTrace as TreeTrace
    from .recorder.triggers import ClipPolicy as ClipPolicy
    from .recorder.world import Conventions as Conventions
    from .recorder.world import StandIn as StandIn
    from .recorder.world import World as World
    from .recording.failed_check import RecordedCheck as RecordedCheck
    from .recording.field_history import History as History
    from .recording.field_history import HistoryBlock as HistoryBlock
    from .recording.frame_list import Frame as Frame
    from .recording.frame_list import FrameList as FrameList
    from .recording.log_search import RecordedLine as RecordedLine
    from .recording.open_file import open as open
    from .recording.recorded_object import RecordedObject as RecordedObject
    from .recording.recording import Recording as Recording
    from .recording.table import Table as Table
    from .recording.transitions import RecordedTransition as RecordedTransition
    from .recording.trees import RecordedNode as RecordedNode
    from .recording.trees import RecordedTree as RecordedTree
    from .recording_session import RecordingSession as RecordingSession
    from .recording_session import record as record
    from .session import Session as Session
    from .viewer_process import view as view

    __version__: str

# A new name is one line here and one above. No module may have the name of a function or class:
# importing it would put the module in that one's place.
_HOMES = {
    "AnimationClip": "recorder.traces",
    "AnimationTrace": "recorder.traces",
    "Attachment": "recorder.clips.writer",
    "Batch": "recorder.handler",
    "Belief": "recorder.instrumentation",
    "BusSettings": "bus.settings",
    "Button": "playback.pad",
    "CameraHandler": "handlers.camera",
    "CheckPolicy": "recorder.checks",
    "Client": "bus.client",
    "Clip": "recorder.saving.clip",
    "ClipPolicy": "recorder.triggers",
    "Conventions": "recorder.world",
    "Draw": "recorder.instrumentation",
    "FailedCheck": "recorder.checks",
    "Field": "recorder.layout",
    "FieldHandler": "handlers.field",
    "Frame": "recording.frame_list",
    "FrameList": "recording.frame_list",
    "Handler": "recorder.handler",
    "HandlerRegistry": "handlers.registry",
    "History": "recording.field_history",
    "HistoryBlock": "recording.field_history",
    "Instrumentation": "recorder.instrumentation",
    "Layout": "recorder.layout",
    "Mark": "recorder.marks",
    "Mode": "playback.playback_state",
    "ModelHandler": "handlers.model",
    "NullInstrumentation": "recorder.instrumentation",
    "ObjectRef": "recorder.object_ids",
    "ObjectRow": "bus.rows",
    "Packet": "recorder.frame",
    "PacketWriter": "recorder.handler",
    "Pad": "playback.pad",
    "PlaybackState": "playback.playback_state",
    "PlayerHandler": "handlers.player",
    "RecordedCheck": "recording.failed_check",
    "RecordedLine": "recording.log_search",
    "RecordedNode": "recording.trees",
    "RecordedObject": "recording.recorded_object",
    "RecordedTransition": "recording.transitions",
    "RecordedTree": "recording.trees",
    "Recording": "recording.recording",
    "RecordingSession": "recording_session",
    "Rejected": "recorder.instrumentation",
    "Saved": "recorder.clips.writer",
    "Session": "session",
    "Skeleton": "handlers.model",
    "Span": "recorder.frame",
    "StandIn": "recorder.world",
    "StateTrace": "recorder.traces",
    "Status": "recorder.status",
    "Table": "recording.table",
    "Time": "bus.message",
    "Trace": "recorder.instrumentation",
    "TreeNode": "recorder.traces",
    "TreeTrace": "recorder.traces",
    "UNATTENDED": "recorder.checks",
    "ViewModelHandler": "handlers.view_model",
    "World": "recorder.world",
    "check_handler": "handlers.check",
    "connect": "bus.client",
    "layout_of": "recorder.layout",
    "open": "recording.open_file",
    "record": "recording_session",
    "view": "viewer_process",
}
"""Every public name, and the module that defines it."""
_MODULES = {"commands": "playback.commands", "errors": "errors"}
"""Modules that are public as a whole."""

__all__ = sorted([*_HOMES, *_MODULES, "__version__"])


if not TYPE_CHECKING:  # a type checker knows each name from above, and refuses all others

    def __getattr__(name: str) -> Any:
        """Load a public name when it is used first; from then on it is an ordinary attribute."""
        if name in _HOMES:
            value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        elif name in _MODULES:
            value = import_module(f"{__name__}.{_MODULES[name]}")
        elif name == "__version__":  # not kept: an installation can be asked again
            from .installation import version

            return version()
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
