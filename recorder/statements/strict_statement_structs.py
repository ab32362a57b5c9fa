"""The nested structs of statements, read strictly: an unknown key is refused by its name.

What is recorded is read with the structures that these are made of, which leave out what they do
not know: a newer playhead may have written it. For a type checker both are the same, since whoever
makes a statement gives the plain ones.
"""

from typing import TYPE_CHECKING, TypeAlias

from ..objects.object_ids import ObjectOrId
from ..packets.log_lines import LogLine
from ..packets.reexecutable_decisions import DecisionMaker
from ..packets.trace_types import (
    AnimationClip,
    AnimationFrame,
    Belief,
    BlackboardAccess,
    Rejected,
    StateTransition,
    TreeNode,
    TreeTick,
)

if TYPE_CHECKING:
    LineField: TypeAlias = LogLine
    StateField: TypeAlias = StateTransition
    TreeField: TypeAlias = TreeTick
    AnimationField: TypeAlias = AnimationFrame
    NodeField: TypeAlias = TreeNode
    MakerField: TypeAlias = DecisionMaker
    IdField: TypeAlias = ObjectOrId
else:
    IdField = int

    class BeliefField(Belief, frozen=True, forbid_unknown_fields=True):
        pass

    class RejectedField(Rejected, frozen=True, forbid_unknown_fields=True):
        pass

    class LineField(LogLine, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
        pass

    class StateField(StateTransition, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
        rejected: tuple[RejectedField, ...] = ()
        beliefs: tuple[BeliefField, ...] = ()

    class AccessField(BlackboardAccess, frozen=True, forbid_unknown_fields=True):
        pass

    class TreeField(TreeTick, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
        beliefs: tuple[BeliefField, ...] = ()
        accesses: tuple[AccessField, ...] = ()

    class ClipField(AnimationClip, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
        pass

    class AnimationField(
        AnimationFrame, frozen=True, omit_defaults=True, forbid_unknown_fields=True
    ):
        clips: tuple[ClipField, ...]

    class MakerField(DecisionMaker, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
        pass

    class NodeField(TreeNode, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
        pass
