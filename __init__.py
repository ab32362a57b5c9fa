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
    from .agents.playthrough.agent_context import PlaythroughAgentContext as PlaythroughAgentContext
    from .agents.playthrough.observation_view import EntityOnPlan as EntityOnPlan
    from .agents.playthrough.observation_view import ObservationView as ObservationView
    from .agents.playthrough.ordered_agent_states import (
        PlaythroughAgentStates as PlaythroughAgentStates,
    )
    from .agents.playthrough.states.agent_state import (
        PlaythroughAgentState as PlaythroughAgentState,
    )
    from .agents.playthrough.states.boss_battle import BossBattleState as BossBattleState
    from .agents.playthrough.states.enemy_battle import EnemyBattleState as EnemyBattleState
    from .bus.client.client import Client as Client
    from .bus.client.client import connect as connect
    from .bus.messages.message import PlayheadTime as PlayheadTime
    from .bus.messages.response_rows import ObjectRow as ObjectRow
    from .bus.server.bus_settings import BusSettings as BusSettings
    from .games.playable_game import PlayableGame as PlayableGame
    from .games.playable_interface import Observation as Observation
    from .games.playable_interface import ObservedEntity as ObservedEntity
    from .handlers.camera_handler import CameraHandler as CameraHandler
    from .handlers.field_handler import FieldHandler as FieldHandler
    from .handlers.first_person_model_handler import ViewModelHandler as ViewModelHandler
    from .handlers.handler_conformance import check_handler as check_handler
    from .handlers.handler_registry import HandlerRegistry as HandlerRegistry
    from .handlers.player_handler import PlayerHandler as PlayerHandler
    from .handlers.skeletal_pose_handler import SkeletalPoseHandler as SkeletalPoseHandler
    from .handlers.skeletal_pose_handler import Skeleton as Skeleton
    from .hooks.decision_hooks_interface import HookManager as HookManager
    from .hooks.edits_interface import EditManager as EditManager
    from .hooks.hook_definition import HookDefinition as HookDefinition
    from .hooks.hook_definition import HookState as HookState
    from .hooks.object_edits import AppliedEdit as AppliedEdit
    from .playback import commands as commands
    from .playback.pads.pad import NEUTRAL as NEUTRAL
    from .playback.pads.pad import Button as Button
    from .playback.pads.pad import Pad as Pad
    from .playback.playback_state import Mode as Mode
    from .playback.playback_state import PlaybackState as PlaybackState
    from .recorder.checks.check_policy import UNATTENDED as UNATTENDED
    from .recorder.checks.check_policy import CheckPolicy as CheckPolicy
    from .recorder.checks.failed_check_tracker import FailedCheck as FailedCheck
    from .recorder.clip_triggers import ClipPolicy as ClipPolicy
    from .recorder.clips.clip_writer import ClipAttachment as ClipAttachment
    from .recorder.clips.clip_writer import SavedClip as SavedClip
    from .recorder.handler_interface import Batch as Batch
    from .recorder.handler_interface import Handler as Handler
    from .recorder.handler_interface import PacketWriter as PacketWriter
    from .recorder.objects.object_ids import ObjectOrId as ObjectOrId
    from .recorder.packets.layouts.layout import Field as Field
    from .recorder.packets.layouts.layout import Layout as Layout
    from .recorder.packets.layouts.layout import layout_from_dtype as layout_from_dtype
    from .recorder.packets.mark import Mark as Mark
    from .recorder.packets.recorded_frame import FrameRange as FrameRange
    from .recorder.packets.recorded_frame import Packet as Packet
    from .recorder.packets.reexecutable_decisions import ConditionResult as ConditionResult
    from .recorder.packets.reexecutable_decisions import DecisionResult as DecisionResult
    from .recorder.packets.reexecutable_decisions import NodeResult as NodeResult
    from .recorder.packets.trace_types import AnimationClip as AnimationClip
    from .recorder.packets.trace_types import AnimationFrame as AnimationFrame
    from .recorder.packets.trace_types import StateTransition as StateTransition
    from .recorder.packets.trace_types import TreeNode as TreeNode
    from .recorder.packets.trace_types import TreeTick as TreeTick
    from .recorder.pictures.picture_settings import PictureSettings as PictureSettings
    from .recorder.recording_status import RecordingStatus as RecordingStatus
    from .recorder.saving.clip_job import ClipJob as ClipJob
    from .recorder.statements.instrumentation_interface import Belief as Belief
    from .recorder.statements.instrumentation_interface import DecisionTracer as DecisionTracer
    from .recorder.statements.instrumentation_interface import Draw as Draw
    from .recorder.statements.instrumentation_interface import Instrumentation as Instrumentation
    from .recorder.statements.instrumentation_interface import (
        NullInstrumentation as NullInstrumentation,
    )
    from .recorder.statements.instrumentation_interface import Rejected as Rejected
    from .recorder.world_adapter import Conventions as Conventions
    from .recorder.world_adapter import StandIn as StandIn
    from .recorder.world_adapter import World as World
    from .recording.decisions.reexecuted_decision import ReexecutedDecision as ReexecutedDecision
    from .recording.decisions.why_not_answer import NearestMiss as NearestMiss
    from .recording.decisions.why_not_answer import WhyNot as WhyNot
    from .recording.decisions.why_not_answer import WhyNotObstacle as WhyNotObstacle
    from .recording.failed_check import RecordedFailedCheck as RecordedFailedCheck
    from .recording.frame_list import Frame as Frame
    from .recording.frame_list import RecordedFrames as RecordedFrames
    from .recording.log_and_watch_reader import RecordedLogLine as RecordedLogLine
    from .recording.objects.field_history import History as History
    from .recording.objects.field_history import MultiObjectHistory as MultiObjectHistory
    from .recording.objects.object_snapshot import ObjectSnapshot as ObjectSnapshot
    from .recording.occurrence_counts import OccurrenceCount as OccurrenceCount
    from .recording.open_file import open as open
    from .recording.recording import Recording as Recording
    from .recording.search.find import Hit as Hit
    from .recording.tables.recording_table import RecordingTable as RecordingTable
    from .recording.transition_reader import RecordedTransition as RecordedTransition
    from .recording.trees.tree_snapshot import NodeChange as NodeChange
    from .recording.trees.tree_snapshot import RecordedNode as RecordedNode
    from .recording.trees.tree_snapshot import TreeSnapshot as TreeSnapshot
    from .recording_session import RecordingSession as RecordingSession
    from .recording_session import record as record
    from .session import Session as Session
    from .viewer_process import view as view

    __version__: str

# A new name is one line here and one above. No module may have the name of a function or class:
# importing it would put the module in that one's place.
_HOMES = {
    "AnimationClip": "recorder.packets.trace_types",
    "AnimationFrame": "recorder.packets.trace_types",
    "AppliedEdit": "hooks.object_edits",
    "Batch": "recorder.handler_interface",
    "Belief": "recorder.statements.instrumentation_interface",
    "BossBattleState": "agents.playthrough.states.boss_battle",
    "BusSettings": "bus.server.bus_settings",
    "Button": "playback.pads.pad",
    "CameraHandler": "handlers.camera_handler",
    "CheckPolicy": "recorder.checks.check_policy",
    "Client": "bus.client.client",
    "ClipAttachment": "recorder.clips.clip_writer",
    "ClipJob": "recorder.saving.clip_job",
    "ClipPolicy": "recorder.clip_triggers",
    "ConditionResult": "recorder.packets.reexecutable_decisions",
    "Conventions": "recorder.world_adapter",
    "DecisionResult": "recorder.packets.reexecutable_decisions",
    "DecisionTracer": "recorder.statements.instrumentation_interface",
    "Draw": "recorder.statements.instrumentation_interface",
    "EditManager": "hooks.edits_interface",
    "EnemyBattleState": "agents.playthrough.states.enemy_battle",
    "EntityOnPlan": "agents.playthrough.observation_view",
    "FailedCheck": "recorder.checks.failed_check_tracker",
    "Field": "recorder.packets.layouts.layout",
    "FieldHandler": "handlers.field_handler",
    "Frame": "recording.frame_list",
    "FrameRange": "recorder.packets.recorded_frame",
    "Handler": "recorder.handler_interface",
    "HandlerRegistry": "handlers.handler_registry",
    "History": "recording.objects.field_history",
    "Hit": "recording.search.find",
    "HookDefinition": "hooks.hook_definition",
    "HookManager": "hooks.decision_hooks_interface",
    "HookState": "hooks.hook_definition",
    "Instrumentation": "recorder.statements.instrumentation_interface",
    "Layout": "recorder.packets.layouts.layout",
    "Mark": "recorder.packets.mark",
    "Mode": "playback.playback_state",
    "MultiObjectHistory": "recording.objects.field_history",
    "NEUTRAL": "playback.pads.pad",
    "NearestMiss": "recording.decisions.why_not_answer",
    "NodeChange": "recording.trees.tree_snapshot",
    "NodeResult": "recorder.packets.reexecutable_decisions",
    "NullInstrumentation": "recorder.statements.instrumentation_interface",
    "ObjectOrId": "recorder.objects.object_ids",
    "ObjectRow": "bus.messages.response_rows",
    "ObjectSnapshot": "recording.objects.object_snapshot",
    "Observation": "games.playable_interface",
    "ObservationView": "agents.playthrough.observation_view",
    "ObservedEntity": "games.playable_interface",
    "OccurrenceCount": "recording.occurrence_counts",
    "Packet": "recorder.packets.recorded_frame",
    "PacketWriter": "recorder.handler_interface",
    "Pad": "playback.pads.pad",
    "PictureSettings": "recorder.pictures.picture_settings",
    "PlayableGame": "games.playable_game",
    "PlaybackState": "playback.playback_state",
    "PlayerHandler": "handlers.player_handler",
    "PlayheadTime": "bus.messages.message",
    "PlaythroughAgentContext": "agents.playthrough.agent_context",
    "PlaythroughAgentState": "agents.playthrough.states.agent_state",
    "PlaythroughAgentStates": "agents.playthrough.ordered_agent_states",
    "RecordedFailedCheck": "recording.failed_check",
    "RecordedFrames": "recording.frame_list",
    "RecordedLogLine": "recording.log_and_watch_reader",
    "RecordedNode": "recording.trees.tree_snapshot",
    "RecordedTransition": "recording.transition_reader",
    "Recording": "recording.recording",
    "RecordingSession": "recording_session",
    "RecordingStatus": "recorder.recording_status",
    "RecordingTable": "recording.tables.recording_table",
    "ReexecutedDecision": "recording.decisions.reexecuted_decision",
    "Rejected": "recorder.statements.instrumentation_interface",
    "SavedClip": "recorder.clips.clip_writer",
    "Session": "session",
    "SkeletalPoseHandler": "handlers.skeletal_pose_handler",
    "Skeleton": "handlers.skeletal_pose_handler",
    "StandIn": "recorder.world_adapter",
    "StateTransition": "recorder.packets.trace_types",
    "TreeNode": "recorder.packets.trace_types",
    "TreeSnapshot": "recording.trees.tree_snapshot",
    "TreeTick": "recorder.packets.trace_types",
    "UNATTENDED": "recorder.checks.check_policy",
    "ViewModelHandler": "handlers.first_person_model_handler",
    "WhyNot": "recording.decisions.why_not_answer",
    "WhyNotObstacle": "recording.decisions.why_not_answer",
    "World": "recorder.world_adapter",
    "check_handler": "handlers.handler_conformance",
    "connect": "bus.client.client",
    "layout_from_dtype": "recorder.packets.layouts.layout",
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
