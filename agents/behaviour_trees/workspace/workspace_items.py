"""The items of a workspace: one class for each kind, as the files spell it."""

from types import GenericAlias
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from ....games.tree_body_interface import PLAYER
from ..tree_nodes import CountedStatus, Result

ValueType = Literal["number", "text", "flag", "place", "object"]
Names = tuple[str, ...]
Text = Annotated[str, Meta(min_length=1)]


class Format(Struct, frozen=True, forbid_unknown_fields=True):
    """A value that the game provides; it is on the blackboard under the format's name."""

    type: ValueType
    """An `object` is the name of one of those in the object reference."""
    source: str = ""
    """What the game calls it; by default as the format."""
    default: float | bool | str | tuple[float, ...] | None = None
    """Its value while the game provides none."""
    about: str = ""


class KeyOperation(Struct, frozen=True, forbid_unknown_fields=True):
    """A basic operation: commands that are given together, in one frame."""

    commands: Annotated[dict[str, float | str], Meta(min_length=1)]
    """For each command a number, or an expression."""
    about: str = ""


class ActionNode(Struct, frozen=True, forbid_unknown_fields=True):
    """A leaf that does something within one frame."""

    operations: Names = ()
    """Key operations; of two that give the same command the later one counts."""
    write: dict[str, float | bool | str] = {}
    """Keys of the blackboard, and a number or an expression for each; before the operations."""
    goal: str = ""
    """A place of the map, or a key with a place: the way there is searched, and written to the keys
    that begin with `way`. The operations rest until it is found."""
    about: str = ""


class TriggerNode(Struct, frozen=True, forbid_unknown_fields=True):
    """A leaf that asks something. It has exactly one of `when`, `python` and `reachable`."""

    when: str = ""
    """An expression."""
    python: str = ""
    """`FILE:FUNCTION`: a function in a Python file of the workspace; it is given the blackboard."""
    reachable: str = ""
    """A place of the map, or a key with a place: whether there is a way to it."""
    about: str = ""


class _Composite(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    children: Names
    about: str = ""


class SelectorNode(_Composite, frozen=True, tag="selector"):
    """Executes its children up to the first that does not fail."""


class SequenceNode(_Composite, frozen=True, tag="sequence"):
    """Executes its children up to the first that does not succeed."""


class ParallelNode(_Composite, frozen=True, tag="parallel"):
    """Executes all of its children, and succeeds."""


class InverterNode(_Composite, frozen=True, tag="inverter"):
    """Turns what its child ends as."""


class CountNode(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="count"):
    """Counts how often its child ends as `status`, and at `times` ends as `result`."""

    children: Names
    status: CountedStatus
    times: Annotated[int, Meta(ge=0)]
    result: Result = "success"
    about: str = ""


InnerNode = SelectorNode | SequenceNode | ParallelNode | InverterNode | CountNode
ONE_CHILD = (InverterNode, CountNode)


class Agent(Struct, frozen=True, forbid_unknown_fields=True):
    """A complete tree: the program that controls one character of the game."""

    root: Text
    """The node at the top."""
    drives: str = PLAYER
    """Whom, of those that the game offers."""
    start: dict[str, float | bool | str] = {}
    """Keys of the blackboard, and what they are before the first tick; a text is a text here."""
    phrases: Names = ()
    """Sentences by which a person would call for it."""
    about: str = ""


class TreeStructure(Struct, frozen=True, forbid_unknown_fields=True):
    """How nodes make up trees. A child is a node of these, an action node or a trigger node."""

    agents: dict[str, Agent]
    nodes: dict[str, InnerNode] = {}


class MapInfo(Struct, frozen=True, forbid_unknown_fields=True):
    """The map: places with names, and, where the game does not know it, where one can walk."""

    places: dict[str, Annotated[tuple[float, ...], Meta(min_length=2, max_length=3)]] = {}
    cell: Annotated[float, Meta(gt=0)] = 1.0
    """The distance between two cells of the drawing."""
    corner: tuple[float, float] = (0.0, 0.0)
    """The middle of the cell at the lower left."""
    drawing: Names = ()
    """Rows of cells as seen from above, y up: `.` can be walked on."""


class Command(Struct, frozen=True):
    """A line of the command reference: a command of a body, and its range."""

    command: Text
    low: float
    high: float
    about: str = ""


class ObjectReference(Struct, frozen=True):
    """A line of the object reference."""

    name: Text
    kind: str = ""
    about: str = ""


ITEM_FILES: dict[str, Any] = {
    "formats": Format,
    "key_operations": KeyOperation,
    "action_nodes": ActionNode,
    "trigger_nodes": TriggerNode,
}
"""The files of `tree_items/` that hold items by name."""


def schemas() -> dict[str, dict[str, Any]]:
    """The JSON schema of each file of a workspace, by the file's path in it."""
    return {
        **{
            f"tree_items/{name}.json": msgspec.json.schema(GenericAlias(dict, (str, kind)))
            for name, kind in ITEM_FILES.items()
        },
        "tree_items/tree_structure.json": msgspec.json.schema(TreeStructure),
        "map_data/map_info.yml": msgspec.json.schema(MapInfo),
        "command/command_reference.tsv": msgspec.json.schema(list[Command]),
        "object/object_reference.tsv": msgspec.json.schema(list[ObjectReference]),
    }
