"""Questions about decisions: what would be decided now, and what kept something from coming."""

from collections.abc import Iterator
from enum import Enum
from os import PathLike
from pathlib import Path

from ...errors import CommandError
from ...recorder.text.enum_names import text_of
from ..frame_lookup import frame_of, range_of
from ..objects.object_lookup import ObjectOrId, object_id
from ..statement_queries import StatementQuestions
from .decision_question_scope import AgentRange
from .decision_reexecution import TIME_LIMIT, Questioner
from .reexecuted_decision import ReexecutedDecision
from .why_not import why_not
from .why_not_answer import WhyNot


class DecisionQuestions(StatementQuestions):
    """What a `Recording` answers about decisions that were recorded with their inputs."""

    def ask(
        self, agent: ObjectOrId, frame: int | None = None, *, at: float | None = None,
        decider: str | None = None, with_: str | PathLike[str] | None = None,
        maker: str | None = None, time_limit: float | None = TIME_LIMIT,
    ) -> ReexecutedDecision:  # fmt: skip
        """Make an agent's newest decision up to an instant again, outside the game.

        The code that decided is called in this process, on the inputs that were recorded: a
        debugger's breakpoints in it hit. The answer has the recorded choice and the new one side by
        side, and says what differs: then an input is not recorded, or the code has changed.

        Args:
            decider: Which of the agent's deciders: the name of its machine, its tree, …; may be
                left out where it has only one.
            with_: An edit, whose choice is compared with the others: a file or folder that replaces
                what the decider was made from. It may be Python (an edited copy of the module that
                decides), a plan, a workspace or one of its files.
            maker: What decides, as `module:function`, if the recording does not say: a function
                of the inputs, or one that returns the behaviour tree.
            time_limit: Seconds that deciding, and loading what decides, may take; None: as long as
                they like. Time at a breakpoint does not count.

        Raises:
            CommandError: no decision is recorded with its inputs; or what decides can't be found or
                loaded, raised an error, or did not come to an end.
        """
        with self._answering():
            number = frame_of(self._source, frame, at)
            return self._questioner(agent, number, decider, with_, maker, time_limit).newest(number)

    def ask_all(
        self, agent: ObjectOrId, *, first: int | None = None, last: int | None = None,
        start: float | None = None, end: float | None = None, decider: str | None = None,
        with_: str | PathLike[str] | None = None, maker: str | None = None,
        time_limit: float | None = TIME_LIMIT,
    ) -> Iterator[ReexecutedDecision]:  # fmt: skip
        """Make all of an agent's decisions in a stretch again, streamed, oldest first.

        `[one.frame for one in run.ask_all("guard 7", with_="edited.py") if one.is_changed]` are the
        frames in which the edit would have chosen otherwise. For arguments and errors see `ask`.
        """
        with self._answering():
            low, high = range_of(self._source, first, last, start, end)
            asked = self._questioner(agent, high, decider, with_, maker, time_limit)
        return asked.all(low, high)

    def why_not(
        self, agent: ObjectOrId, state: str | Enum, *, first: int | None = None,
        last: int | None = None, start: float | None = None, end: float | None = None,
        decider: str | None = None, maker: str | None = None,
        time_limit: float | None = TIME_LIMIT,
    ) -> WhyNot:  # fmt: skip
        """What kept a state, a rule or a branch of a tree from coming in a stretch, how often, and
        when it came nearest.

        A table's conditions are asked again in each decision, as by `ask`. Of a tree the node is
        named whose failure kept the branch from being ticked. Of a machine of which only its
        transitions are recorded, the answer is what they say was rejected.

        Args:
            state: The name of a state, a rule, or a node: of several of one name by its path from
                the root, `guard > attack`.
            decider: The machine, tree or plan, where several know the name.
            maker: As of `ask`.
            time_limit: As of `ask`.

        Raises:
            CommandError: no decider of the agent knows the name.
        """
        with self._answering():
            low, high = range_of(self._source, first, last, start, end)
            id = object_id(self._source, agent, high)
            stretch = AgentRange(self._source, id, low, high, self._damage)
            return why_not(stretch, text_of(state), decider, maker, time_limit)

    def _questioner(
        self, agent: ObjectOrId, frame: int, decider: str | None,
        with_: str | PathLike[str] | None, maker: str | None, seconds: float | None,
    ) -> Questioner:  # fmt: skip
        if seconds is not None and not seconds > 0:
            raise CommandError(f"time_limit={seconds!r}: give seconds, or None for no limit")
        edit = None if with_ is None else Path(with_)
        if edit is not None and not edit.exists():
            raise CommandError(f"{edit}: there is no such file")
        return Questioner(
            self._source, object_id(self._source, agent, frame), decider, edit=edit, maker=maker,
            seconds=seconds, damage=self._damage,
        )  # fmt: skip
