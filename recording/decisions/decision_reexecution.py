"""Makes recorded decisions again, outside the game, as they were or with an edit."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from ...errors import CommandError
from ...recorder.packets.reexecutable_decisions import DecisionMaker, DecisionResult
from ...recorder.reading.frame_source import FrameSource
from ...recorder.statements.decision_maker_reference import FUNCTION, MACHINE, TREE
from ..recording_damage import DamageLog
from .decider_loader import Decider, TransitionDecider, call, changed_since, decider_of
from .recorded_decisions import DecisionScan, RecordedDecision, chosen_decider
from .reexecuted_decision import ReexecutedDecision, differences

TIME_LIMIT = 10.0
"""Seconds that a decision may take, or the loading of what makes it."""


class Questioner:
    """Asks decisions of one agent again.

    Args:
        decider: Which of the agent's deciders; None where it has one.
        edit: The file or folder that replaces what the decider was made from.
        maker: `module:function` that takes the inputs, or returns a behaviour tree or a machine, to
            be asked instead of the one that the recording names.
        seconds: How long a decision may take; None: as long as it likes.
    """

    def __init__(
        self, source: FrameSource, agent: int, decider: str | None, *, edit: Path | None,
        maker: str | None, seconds: float | None, damage: DamageLog,
    ) -> None:  # fmt: skip
        self._source, self._agent, self._decider = source, agent, decider
        self._edit, self._maker, self._seconds = edit, maker, seconds
        self._scan = DecisionScan(source, agent, decider, damage)
        self._deciders: dict[str, tuple[DecisionMaker, Decider, Decider | None]] = {}
        """For each decider: the last maker of its decisions, and what makes them now."""

    def newest(self, frame: int) -> ReexecutedDecision:
        """The newest decision at or before a frame, made again."""
        about = self._about(frame)
        return self._asked(chosen_decider(self._scan.newest(frame), self._decider, about))

    def all(self, first: int, last: int) -> Iterator[ReexecutedDecision]:
        """All decisions of a stretch, made again, oldest first."""
        found = False
        for decision in self._scan.decisions(first, last):
            found = True
            if decision.decider != (self._decider or decision.decider):
                continue
            self._decider = self._decider or decision.decider
            yield self._asked(decision)
        if not found:
            chosen_decider(self._scan.newest(last), self._decider, self._about(last))
            raise CommandError(
                f"{self._about(last)} decided nothing in the frames {first} to {last}"
            )

    def decide(self, decision: RecordedDecision) -> DecisionResult:
        """Make a decision again."""
        return self.decide_with(decision, {})

    def decide_with(self, decision: RecordedDecision, inputs: Mapping[str, Any]) -> DecisionResult:
        """The same with some inputs in the place of those recorded."""
        _, decide, _ = self._makers(decision)
        given = {**_inputs(decision), **inputs}
        return call(decide, given, _where(decision), self._seconds)

    def transition_names(self, decision: RecordedDecision) -> list[tuple[str, str, str]]:
        """All transitions of the machine that made a decision: trigger, source, target; none if it
        can't tell."""
        _, decide, _ = self._makers(decision)
        return (
            list(cast(TransitionDecider, decide).transition_names)
            if hasattr(decide, "transition_names")
            else []
        )

    def _asked(self, decision: RecordedDecision) -> ReexecutedDecision:
        maker, decide, edited_decide = self._makers(decision)
        where, inputs = _where(decision), _inputs(decision)
        again = call(decide, inputs, where, self._seconds)
        edited = None
        if edited_decide is not None:
            edited = call(edited_decide, inputs, f"{self._edit}: {where}", self._seconds)
        different = differences(decision.choice, again)
        notes = list(again.notes)
        if different:
            notes += filter(None, [changed_since(maker)])
            notes += [f"a hook acted on it then: {text}" for text in self._hooks(decision.frame)]
            if again.nodes:
                notes.append(
                    "a node that keeps something of its own, such as a count or a timer, or looks"
                    " at what is not on the blackboard, can't be done again as it was"
                )
        return ReexecutedDecision(
            decision.agent, self._source.names(decision.frame).get(decision.agent, ""),
            decision.decider, decision.frame, self._source.time(decision.frame), decision.inputs,
            decision.choice, again, edited, different,
            () if edited is None else differences(again, edited), tuple(notes),
        )  # fmt: skip

    def _hooks(self, frame: int) -> list[str]:
        """What hooks did to the agent in a frame: that is no doing of the code."""
        inputs = self._source.inputs(frame)
        return [
            f"{name}: {text}"
            for (object, name), text in inputs.items()
            if object == self._agent and name.startswith("hook ")
        ]

    def _makers(
        self, decision: RecordedDecision
    ) -> tuple[DecisionMaker, Decider, Decider | None]:  # fmt: skip
        maker = self._maker_of(decision)
        known = self._deciders.get(decision.decider)
        if known is None or known[0] != maker:
            edited = None
            trusted = self._maker is not None
            if self._edit is not None:
                edited = decider_of(maker, self._edit, self._seconds, is_trusted=trusted)
            known = (
                maker,
                decider_of(maker, None, self._seconds, is_trusted=trusted),
                edited,
            )
            self._deciders[decision.decider] = known
        return known

    def _maker_of(self, decision: RecordedDecision) -> DecisionMaker:
        if self._maker is not None:
            kind = FUNCTION if decision.tick is None else TREE
            if decision.maker is not None and decision.maker.kind == MACHINE:
                kind = MACHINE
            return DecisionMaker(kind, {"function": self._maker})
        if decision.maker is not None:
            return decision.maker
        if decision.tick is not None:
            raise CommandError(
                f"the recording does not say how the tree {decision.decider!r} is made: give"
                " --maker MODULE:FUNCTION (in Python maker=…), a function that returns it"
            )
        raise CommandError(
            f"the recording does not say which function decides for {decision.decider!r}: give"
            " --maker MODULE:FUNCTION (in Python maker=…), a function of the inputs"
        )

    def _about(self, frame: int) -> str:
        name = self._source.names(frame).get(self._agent, "")
        return repr(name) if name else f"object {self._agent}"


def _inputs(decision: RecordedDecision) -> Mapping[str, Any]:
    return decision.inputs if decision.tick is None else {"tick": decision.tick._asdict()}


def _where(decision: RecordedDecision) -> str:
    return f"{decision.decider} in frame {decision.frame}"
