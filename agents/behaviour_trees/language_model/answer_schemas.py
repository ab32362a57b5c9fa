"""The answers that a language model must give in each step, as strict JSON schemas.

Every field is required and no other is allowed. Names are fields, because strict schemas have no
maps.
"""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from ..tree_nodes import CountedStatus, Result
from ..workspace.workspace_items import (
    ActionNode,
    Agent,
    CountNode,
    Format,
    InnerNode,
    InverterNode,
    KeyOperation,
    ParallelNode,
    SelectorNode,
    SequenceNode,
    TriggerNode,
    ValueType,
)


class NamedValue(Struct, frozen=True, forbid_unknown_fields=True):
    """A command or a key, and a number or an expression."""

    name: str
    value: float | str


class MadeFormat(Struct, frozen=True, forbid_unknown_fields=True):
    """A format."""

    name: str
    source: str
    type: ValueType
    about: str


class MadeOperation(Struct, frozen=True, forbid_unknown_fields=True):
    """A key operation."""

    name: str
    commands: list[NamedValue]
    about: str


class MadeAction(Struct, frozen=True, forbid_unknown_fields=True):
    """An action node."""

    name: str
    operations: list[str]
    write: list[NamedValue]
    goal: str
    about: str


class MadeTrigger(Struct, frozen=True, forbid_unknown_fields=True):
    """A trigger node. Python is not asked for: nothing that a model writes is executed."""

    name: str
    when: str
    reachable: str
    about: str


class MadeNode(Struct, frozen=True, forbid_unknown_fields=True):
    """An inner node; `status`, `times` and `result` count for a count alone."""

    name: str
    type: Literal["selector", "sequence", "parallel", "inverter", "count"]
    children: list[str]
    status: CountedStatus
    times: int
    result: Result


class Formats(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer of the first step."""

    formats: list[MadeFormat]


class Operations(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer of the second step."""

    operations: list[MadeOperation]


class Selection(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer of the third step: leaves that there are and that fit."""

    actions: list[str]
    triggers: list[str]


class MissingLeaves(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer of the fourth step: leaves that were missing."""

    actions: list[MadeAction]
    triggers: list[MadeTrigger]


class Structure(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer of the fifth step."""

    root: str
    nodes: list[MadeNode]
    phrases: list[str]


class AgentAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    """Which agent is called for; empty if none is."""

    agent: str
    why: str


def schema_of(kind: type[Struct]) -> dict[str, Any]:
    """The JSON schema of an answer, with what it refers to."""
    schema: dict[str, Any] = msgspec.json.schema(kind)
    return schema


def format_of(made: MadeFormat) -> Format:
    return Format(made.type, source=made.source, about=made.about)


def operation_of(made: MadeOperation) -> KeyOperation:
    return KeyOperation({one.name: one.value for one in made.commands}, made.about)


def action_of(made: MadeAction) -> ActionNode:
    written: dict[str, float | bool | str] = {one.name: one.value for one in made.write}
    return ActionNode(tuple(made.operations), written, made.goal, made.about)


def trigger_of(made: MadeTrigger) -> TriggerNode:
    return TriggerNode(when=made.when, reachable=made.reachable, about=made.about)


def node_of(made: MadeNode) -> InnerNode:
    children = tuple(made.children)
    match made.type:
        case "selector":
            return SelectorNode(children)
        case "sequence":
            return SequenceNode(children)
        case "parallel":
            return ParallelNode(children)
        case "inverter":
            return InverterNode(children)
    return CountNode(children, made.status, made.times, made.result)


def agent_of(made: Structure, about: str, drives: str) -> Agent:
    return Agent(made.root, drives=drives, phrases=tuple(made.phrases), about=about)
