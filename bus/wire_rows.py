"""What requests hold inside, read strictly: a key that is none of theirs is refused by its name.

What is recorded is read with the recorder's own structures, which leave out what they do not know:
a newer playhead may have written it. For a type checker these here are the recorder's own too,
since whoever makes a request gives those.
"""

from typing import TYPE_CHECKING, TypeAlias

from ..recorder.instrumentation import Belief, Rejected
from ..recorder.logs import LogLine
from ..recorder.traces import AnimationClip, AnimationTrace, StateTrace, TreeNode, TreeTrace
from ..recorder.world import Conventions

if TYPE_CHECKING:
    LogRow: TypeAlias = LogLine
    StateRow: TypeAlias = StateTrace
    TreeRow: TypeAlias = TreeTrace
    AnimationRow: TypeAlias = AnimationTrace
    NodeRow: TypeAlias = TreeNode
    ConventionsRow: TypeAlias = Conventions
else:

    class BeliefRow(Belief, frozen=True, forbid_unknown_fields=True):
        pass

    class RejectedRow(Rejected, frozen=True, forbid_unknown_fields=True):
        pass

    class LogRow(LogLine, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
        pass

    class StateRow(StateTrace, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
        rejected: tuple[RejectedRow, ...] = ()
        beliefs: tuple[BeliefRow, ...] = ()

    class TreeRow(TreeTrace, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
        beliefs: tuple[BeliefRow, ...] = ()

    class ClipRow(AnimationClip, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
        pass

    class AnimationRow(AnimationTrace, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
        clips: tuple[ClipRow, ...]

    class NodeRow(TreeNode, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
        pass

    class ConventionsRow(Conventions, frozen=True, forbid_unknown_fields=True):
        pass
