"""The agent's states and the order of their conditions: the built-in ones and a user's own."""

import inspect
from collections.abc import Callable, Collection
from functools import cached_property
from typing import Any

from ...decision_rules import Condition, DecisionRule
from ...errors import AgentError
from ...recorder.text.name_hint import name_hint
from .agent_context import PlaythroughAgentContext
from .observation_view import ObservationView
from .state_names import BACK, DETOUR, MESSAGE, MOVE, STATES, UNLIMITED
from .state_transitions import TABLE, TransitionRule
from .states.agent_state import PlaythroughAgentState
from .states.back_to_demoroute import BackToDemoroute
from .states.boss_battle import BossBattleState
from .states.collect_item import CollectItem
from .states.detour import Detour
from .states.enemy_battle import EnemyBattleState
from .states.message_skip import MessageSkip
from .states.move_checkpoint import MoveCheckpoint
from .states.pad_replay import PadReplay
from .states.unlimited_pad_replay import UnlimitedPadReplay

STATE_CLASSES: tuple[type[PlaythroughAgentState], ...] = (
    MoveCheckpoint, MessageSkip, PadReplay, UnlimitedPadReplay, CollectItem, EnemyBattleState,
    BossBattleState, BackToDemoroute, Detour,
)  # fmt: skip
ALWAYS = frozenset({MESSAGE, UNLIMITED})
"""States that every state of one's own is left for: nothing else can be done meanwhile."""

When = Callable[[PlaythroughAgentContext, ObservationView], bool]
"""Whether a state is to be entered now."""
WhyNot = str | Callable[[PlaythroughAgentContext, ObservationView], str]
"""Why it is not, for the recording."""


class PlaythroughAgentStates:
    """The states of a playthrough agent, and in which order their conditions are asked.

    It begins with the usual states. Of all conditions that hold in a frame the first one wins; the
    usual order is boss_battle, enemy_battle, unlimited_pad_replay, message_skip, collect_item,
    pad_replay. `move_checkpoint` is what remains; `back_to_demoroute` and `detour` are entered by
    others.

        def agent():
            states = ph.PlaythroughAgentStates()
            states.add(Swim, when=in_water, before="enemy_battle")
            states.replace(PhasedBoss)
            return states

    `playhead replay … --agent swimming:agent` (or `--agent swimming.py`) plays with them.
    """

    def __init__(self) -> None:
        self._classes = {state.name: state for state in STATE_CLASSES}
        self._rules: list[TransitionRule] = list(TABLE)
        self._yields: dict[str, frozenset[str]] = {}
        """For each state of one's own, those that it is left for when their conditions hold."""
        self._during: dict[str, Collection[str]] = {}

    def add(
        self, state: type[PlaythroughAgentState], *, when: When, why_not: WhyNot = "",
        before: str = "", after: str = "", during: Collection[str] = (MOVE, BACK, DETOUR),
        yields_to: Collection[str] = (),
    ) -> None:  # fmt: skip
        """Add a state of your own, with the condition by which it is entered.

        Args:
            state: A class derived from `PlaythroughAgentState`, with a name of its own.
            when: Asked in each frame, with the agent's context and what it sees.
            why_not: Why the condition does not hold: a text, or a function of the same two.
            before: The state before whose condition this one is asked …
            after: … or after which; last of all if neither is given.
            during: The states in which it is asked.
            yields_to: States that this one is left for if their conditions hold, beside messages
                and screens.

        Raises:
            AgentError: the class is no state, there is one of its name, or there is no such place.
        """
        name = _checked_state(state)
        if name in self._classes:
            raise AgentError(
                f"{_place(state)}: there is a state {name!r} already,"
                f" {_place(self._classes[name])}: give this one another name, or use replace"
            )
        if not callable(when):
            raise AgentError(f"{_place(state)}: when={when!r:.80}: give a function (context, view)")
        at = self._position(before, after, _place(state))
        rule: TransitionRule = DecisionRule(
            _condition(name, when, why_not), name, frozenset(during)
        )
        self._classes[name] = state
        self._rules.insert(at, rule)
        self._yields[name] = frozenset(yields_to) | ALWAYS
        self._during[name] = tuple(during)
        self._forget()

    def replace(
        self, state: type[PlaythroughAgentState], *, when: When | None = None, why_not: WhyNot = ""
    ) -> None:
        """Put a class of your own in the place of the state of the same name.

        Args:
            state: A class derived from `PlaythroughAgentState`, or from the one that it replaces.
            when: The condition in the place of that state's; None keeps it.
            why_not: As in `add`.

        Raises:
            AgentError: the class is no state, there is none of its name, or that has no condition.
        """
        name = _checked_state(state)
        if name not in self._classes:
            raise AgentError(
                f"{_place(state)}: there is no state {name!r} to replace:"
                f" {name_hint(name, self._classes)}"
            )
        if when is not None:
            at = self._rule_of(name, _place(state))
            rule = self._rules[at]
            self._rules[at] = DecisionRule(_condition(name, when, why_not), name, rule.sources)
        self._classes[name] = state
        self._forget()

    def move(self, name: str, *, before: str = "", after: str = "") -> None:
        """Ask a state's condition before or after that of another one.

        Raises:
            AgentError: there is no such state, or it has no condition.
        """
        rule = self._rules.pop(self._rule_of(name, f"move({name!r})"))
        try:
            at = self._position(before, after, f"move({name!r})")
        except AgentError:
            self._rules.append(rule)
            raise
        self._rules.insert(at, rule)
        self._forget()

    @property
    def names(self) -> tuple[str, ...]:
        """All states: the usual ones, and after them those that were added."""
        return (*STATES, *(name for name in self._classes if name not in STATES))

    @property
    def order(self) -> tuple[str, ...]:
        """The states that have a condition, in the order in which these are asked."""
        return tuple(rule.target for rule in self._rules)

    @property
    def are_own(self) -> bool:
        """Whether a state or the order of conditions differs from the usual ones."""
        return tuple(self._classes.values()) != STATE_CLASSES or tuple(self._rules) != TABLE

    def of(self, name: str) -> type[PlaythroughAgentState]:
        """The class of a state.

        Raises:
            AgentError: there is no such state.
        """
        if name not in self._classes:
            raise AgentError(f"there is no state {name!r}: {name_hint(name, self._classes)}")
        return self._classes[name]

    @cached_property
    def table(self) -> tuple[TransitionRule, ...]:
        """The conditions in their order, each with the states in which it is asked.

        Raises:
            AgentError: a state names another one that there is not.
        """
        for name, targets in self._yields.items():
            for key, others in (("yields_to", targets), ("during", self._during[name])):
                for other in others:
                    if other not in self._classes:
                        raise AgentError(
                            f"{_place(self._classes[name])}: {key} {other!r}: there is no such"
                            f" state: {name_hint(other, self._classes)}"
                        )
        return tuple(
            DecisionRule(rule.condition, rule.target, self._sources(rule)) for rule in self._rules
        )

    def _sources(self, rule: TransitionRule) -> frozenset[str]:
        yielding = {name for name, targets in self._yields.items() if rule.target in targets}
        return (rule.sources or frozenset(self._classes)) | yielding - {rule.target}

    def _forget(self) -> None:
        self.__dict__.pop("table", None)

    def _rule_of(self, name: str, where: str) -> int:
        for at, rule in enumerate(self._rules):
            if rule.target == name:
                return at
        if name in self._classes:
            raise AgentError(f"{where}: {name} has no condition of its own: others lead to it")
        raise AgentError(f"{where}: there is no state {name!r}: {name_hint(name, self.order)}")

    def _position(self, before: str, after: str, where: str) -> int:
        if before and after:
            raise AgentError(f"{where}: say before={before!r} or after={after!r}, not both")
        if not (before or after):
            return len(self._rules)
        return self._rule_of(before or after, where) + bool(after)


def _condition(name: str, when: When, why_not: WhyNot) -> Condition[Any]:
    def reason(now: Any) -> str:
        reason_text = why_not(now.context, now.view) if callable(why_not) else why_not
        return reason_text or "it does not hold"

    return Condition(name, lambda now: now.asks(name, when), reason)


def _checked_state(state: Any) -> str:
    if not (isinstance(state, type) and issubclass(state, PlaythroughAgentState)):
        raise AgentError(
            f"{state!r:.80} is no state: give a class derived from ph.PlaythroughAgentState"
        )
    name = state.name
    if not isinstance(name, str) or not name.strip():
        raise AgentError(f"{_place(state)}: a state needs a name, such as name = 'swim'")
    if inspect.isabstract(state):
        missing = ", ".join(sorted(state.__abstractmethods__))
        raise AgentError(f"{_place(state)}: state {name!r} has no {missing}")
    return name


def _place(state: type) -> str:
    return f"{state.__module__}.{state.__qualname__}"
