"""What another process states, as the bus hands it to a recorder."""

from playhead.recorder.packets.trace_types import AnimationFrame, TreeTick
from playhead.recorder.statements.statement_calls import Emitter
from playhead.recorder.statements.statement_checks import copied
from playhead.recorder.statements.statement_messages import (
    AnimationStatement,
    LogEntry,
    SetMark,
    TransitionStatement,
    TreeTickStatement,
)


class OtherProcess(Emitter):
    """Has a recorder accept statements, copied as by a message; raises what it refuses."""

    def __init__(self, recorder):
        self._recorder = recorder
        self._make_calls()

    def _emit(self, statement):
        self._recorder.accept(*copied(statement))

    def _take_pixels(self, image, name):
        raise NotImplementedError("what another process states is compressed already")

    def _refuse(self, cause, error):
        raise error

    def decide(self, agent, trace, **when):
        """State a decision."""
        kinds = {TreeTick: TreeTickStatement, AnimationFrame: AnimationStatement}
        self._emit(kinds.get(type(trace), TransitionStatement)(agent, trace, **when))

    def line(self, line, channel=None, **when):
        """State a line of the log, with its own file and line."""
        self._emit(LogEntry(line, channel, **when))

    def set_mark(self, name, note="", **when):
        """State a mark that comes from no line of code."""
        self._emit(SetMark(name, note, **when))
