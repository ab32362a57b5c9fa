"""When the agent calls a debug function of the game: where chance decides, or it can't get on."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from ...errors import AgentError, CommandError
from ...recorder.text.name_hint import name_hint
from .agent_memory import AgentMemory
from .observation_view import ObservationView
from .playthrough_settings import DebugRule
from .replay_report import Kind, ReplayReport
from .route.demo_route import DemoRoute
from .trace_writer import TraceWriter

DebugCall = Callable[[str, Any], object]
"""Calls the game's debug function of this name with a plain value."""
RESCUED: frozenset[Kind] = frozenset({"stuck", "event", "screen", "choice"})
"""Failures that a rule `on: stuck` is asked for first."""


def check_debug_rules(
    rules: Sequence[DebugRule], functions: Collection[str], columns: Collection[str]
) -> None:
    """See whether a game has what rules call.

    Raises:
        AgentError: it has no such debug function, or no such column.
    """
    for rule in rules:
        if rule.call not in functions:
            raise AgentError(
                f"debug: the game has no debug function {rule.call!r}:"
                f" {name_hint(rule.call, functions)}"
            )
        if rule.column and rule.column not in columns:
            raise AgentError(
                f"debug: {rule.call}: the game has no column {rule.column!r}:"
                f" {name_hint(rule.column, columns)}"
            )
        if rule.on == "differs" and not rule.column:
            raise AgentError(f"debug: {rule.call}: on: differs needs a column that differs")


class DebugRules:
    """Carries out the rules of the settings during a replay. Each call is marked in the recording.

    Args:
        call: Calls a function of the game.
    """

    def __init__(
        self, rules: Sequence[DebugRule], call: DebugCall, *, route: DemoRoute,
        memory: AgentMemory, report: ReplayReport, trace: TraceWriter,
    ) -> None:  # fmt: skip
        self._rules = [rule for rule in rules if not rule.column or rule.column in route.own]
        self._call, self._route, self._memory = call, route, memory
        self._report, self._trace = report, trace
        self._calls = [0] * len(self._rules)
        self._differing = [0] * len(self._rules)

    def step(self, view: ObservationView) -> None:
        """A frame has been seen: call what it asks for."""
        row = self._memory.row
        for at, rule in enumerate(self._rules):
            if rule.on == "start" and self._report.frames == 1:
                self._act(at, rule, row, "the demo begins")
            elif rule.on == "differs":
                expected = self._route.value(row, rule.column)
                actual = view.seen.extras.get(rule.column)
                self._differing[at] = self._differing[at] + 1 if actual != expected else 0
                if self._differing[at] > rule.after:
                    self._differing[at] = 0
                    why = f"{rule.column} is {actual!r}, in the demo {expected!r}"
                    self._act(at, rule, row, why)

    def rescue(self, kind: Kind, reason: str) -> bool:
        """The agent is about to give up: whether something was called that may help."""
        if kind not in RESCUED:
            return False
        row = self._memory.row
        return any(
            rule.on == "stuck" and self._act(at, rule, row, reason)
            for at, rule in enumerate(self._rules)
        )

    def _act(self, at: int, rule: DebugRule, row: int, why: str) -> bool:
        if self._calls[at] >= rule.times:
            return False
        self._calls[at] += 1
        argument = self._route.value(row, rule.column) if rule.column else rule.argument
        call = f"{rule.call}({'' if argument is None else repr(argument)})"
        try:
            self._call(rule.call, argument)
        except CommandError as error:
            self._trace.log(f"debug function {call} failed: {error}")
            self._report.debug_calls.append(f"{call} at row {row} failed: {error}")
            return False
        self._trace.debug_called(f"{call} at row {row}: {why}")
        self._report.debug_calls.append(f"{call} at row {row}: {why}")
        return True
