"""Where something is decided: a node, a transition, a rule, a field. Hooks are set there, and a
recording is asked how often it happened."""

from typing import Any, TypeAlias

import msgspec

from ...errors import CommandError

ARROW = "->"


class _LocationStruct(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="on",
                   forbid_unknown_fields=True):  # fmt: skip
    pass


class NodeLocation(_LocationStruct, frozen=True, tag="node"):
    """A node of a behaviour tree: every one of that name, or the one at that location."""

    name: str = ""
    index: int = -1
    """Its location in the recorded definition, or -1: the name alone decides."""
    tree: str = ""
    """Empty for all trees of the object."""

    @property
    def text(self) -> str:
        """As a person writes it."""
        return f"node {self.name!r}" if self.name else f"node {self.index}"


class TransitionLocation(_LocationStruct, frozen=True, tag="transition"):
    """Transitions of a state machine, from one state to another; an empty one is any."""

    source: str = ""
    target: str = ""
    machine: str = ""
    """Empty for all machines of the object."""

    @property
    def text(self) -> str:
        """As a person writes it."""
        return f"transition {self.source or 'any'} {ARROW} {self.target or 'any'}"

    def matches(self, source: str, target: str) -> bool:
        """Whether it means the transition between these states."""
        return self.source in ("", source) and self.target in ("", target)


class RuleLocation(_LocationStruct, frozen=True, tag="rule"):
    """A condition of a decision table, or a rule of a plan, by its name."""

    name: str
    machine: str = ""
    """Empty for all tables of the object; the rules of a plan are those of `plan`."""

    @property
    def text(self) -> str:
        """As a person writes it."""
        return f"rule {self.name!r}"


class FieldLocation(_LocationStruct, frozen=True, tag="field"):
    """A recorded field of the object, such as `hp` or `velocity.x`."""

    field: str

    @property
    def text(self) -> str:
        """As a person writes it."""
        return f"field {self.field}"


Location: TypeAlias = NodeLocation | TransitionLocation | RuleLocation | FieldLocation


def location_of(
    *, node: str | int | None = None, tree: str = "", transition: str | None = None,
    rule: str | None = None, machine: str = "", field: str | None = None,
) -> Location:  # fmt: skip
    """The location that is named; exactly one of node, transition, rule and field.

    Raises:
        CommandError: none is named, or several, or one makes no sense.
    """
    given = {
        name: value
        for name, value in (
            ("node", node), ("transition", transition), ("rule", rule), ("field", field)
        )
        if value is not None
    }  # fmt: skip
    if len(given) != 1:
        raise CommandError(
            "name one location: give one of node=, transition=, rule= and field=, not"
            f" {' and '.join(given) or 'none of them'}"
        )
    if node is not None:
        if machine:
            raise CommandError("machine= is for transitions and rules; a node has tree=")
        if isinstance(node, int) and not isinstance(node, bool):
            return NodeLocation("", _index(node), _text(tree, "tree"))
        return NodeLocation(_name(node, "node"), -1, _text(tree, "tree"))
    if tree:
        raise CommandError("tree= is for nodes; a transition or a rule has machine=")
    if transition is not None:
        return transition_location(transition, _text(machine, "machine"))
    if rule is not None:
        return RuleLocation(_name(rule, "rule"), _text(machine, "machine"))
    if machine:
        raise CommandError("machine= is for transitions and rules, not for fields")
    return FieldLocation(_name(field, "field"))


def transition_location(text: str, machine: str = "") -> TransitionLocation:
    """The transitions that a text means: `Patrol -> Chase`, `-> Chase`, `Patrol ->`, `->`.

    Raises:
        CommandError: it has no arrow.
    """
    if not isinstance(text, str) or ARROW not in text.replace("→", ARROW):
        raise CommandError(
            f"transition {text!r}: write 'Patrol -> Chase'; leave a side empty for any state"
        )
    source, _, target = text.replace("→", ARROW).partition(ARROW)
    return TransitionLocation(source.strip(), target.strip(), machine)


def _name(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise CommandError(f"{what} {value!r}: give its name")
    return value


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise CommandError(f"{what}={value!r}: give its name")
    return value


def _index(value: int) -> int:
    if value < 0:
        raise CommandError(f"node {value}: the first node has the index 0")
    return value
