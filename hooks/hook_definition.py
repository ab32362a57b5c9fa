"""What a hook is: where it is set, what it does there, and when. The same struct is on the wire.

A hook is set on one location of one object: a node of its behaviour tree, a transition of its state
machine, a rule of its decision table or plan, or one of its recorded fields.
"""

import math
from typing import Any

import msgspec

from ..errors import CommandError
from ..recorder.text.name_hint import name_hint
from ..recording.decisions.decision_location import (
    FieldLocation,
    Location,
    NodeLocation,
    RuleLocation,
    TransitionLocation,
)

KINDS = ("break", "trace", "replace", "mock")
"""Pause the game; write a line; give another result; answer from a list."""
STATUSES = ("success", "failure", "running")
"""Results of a node."""
MOMENTS = ("before", "after")
MOST_HOOKS = 256
"""Hooks that a session takes at once."""
MOST_RESULTS = 10_000
"""Answers of one mock."""


class HookDefinition(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A hook as it is asked for: its kind, its location, and when it acts."""

    kind: str
    """One of `KINDS`."""
    location: Location
    object: int = 0
    """Whose it is; 0 is the world."""
    times: int = 0
    """How often it acts; 0 for always."""
    when: str = ""
    """A condition in the language of `find`; the hook acts only where it holds."""
    at: str = "before"
    """For a break: `before` the decision, or `after` it."""
    result: Any = None
    """For a replace. A node: one of `STATUSES`. A transition: the state to go to instead, None to
    stay. A rule: True if it holds, False if not. A field: its value."""
    results: tuple[Any, ...] = ()
    """For a mock: the results, one each time."""
    repeat: bool = False
    """For a mock: begin again after the last result."""
    delay: float = 0.0
    """For a replace on a node: seconds of recorded time for which it is running first."""
    keys: dict[str, Any] = {}
    """For a replace or mock on a node: keys of the blackboard that it sets when it ends."""
    keep: bool = False
    """Whether it stays when the client that set it is gone."""

    @property
    def changes_outcome(self) -> bool:
        """Whether it changes what the game does."""
        return self.kind in ("replace", "mock")


class HookState(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A hook that is set, and what it has done so far."""

    id: int
    hook: HookDefinition
    owner: str = ""
    """The client that set it; empty for the game itself, and for hooks that are kept."""
    state: str = "armed"
    """`armed`, `waiting` (nothing there that it could act on yet), `disabled`, `done`, `wrong`."""
    note: str = ""
    """Why it waits, or what is wrong."""
    hits: int = 0
    first: int = 0
    """The frame in which it acted first; 0 for never."""
    last: int = 0
    text: str = ""
    """What happened at its newest hit."""


class HookHit(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A hook has acted."""

    id: int
    kind: str
    object: int
    location: Location
    frame: int
    """The frame that is being recorded."""
    text: str
    in_step: bool = False
    """The game is paused in the middle of a step: the newest frame is the one before."""


def validated_hook(spec: HookDefinition) -> HookDefinition:
    """The same hook, if all of it makes sense.

    Raises:
        CommandError: something does not; the message names the value and what to give.
    """
    location = spec.location
    if spec.kind not in KINDS:
        raise CommandError(f"hook {spec.kind!r}: {name_hint(spec.kind, KINDS)}")
    if spec.times < 0:
        raise CommandError(f"times={spec.times}: give how often it acts, or 0 for always")
    if spec.at not in MOMENTS:
        raise CommandError(f"at={spec.at!r}: {name_hint(spec.at, MOMENTS)}")
    if isinstance(location, NodeLocation) and not location.name and location.index < 0:
        raise CommandError("node: give its name, or its index in the tree")
    if isinstance(location, RuleLocation) and not location.name:
        raise CommandError("rule: give its name")
    if isinstance(location, FieldLocation) and not location.field:
        raise CommandError("field: give its name, such as 'hp' or 'velocity.x'")
    if not (math.isfinite(spec.delay) and spec.delay >= 0):
        raise CommandError(f"delay={spec.delay}: give seconds, not below 0")
    if not isinstance(location, NodeLocation) and (spec.delay or spec.keys):
        raise CommandError(f"delay and keys are for nodes, not for a {location.text}")
    if spec.kind == "replace":
        _check_result(location, spec.result)
    elif spec.kind == "mock":
        if isinstance(location, TransitionLocation):
            raise CommandError(f"mock: a {location.text} has no list of answers; replace it")
        if not spec.results:
            raise CommandError("mock: the list of results is empty: give at least one")
        if len(spec.results) > MOST_RESULTS:
            raise CommandError(
                f"mock: {len(spec.results):,} results; at most {MOST_RESULTS:,} are taken"
            )
        for result in spec.results:
            _check_result(location, result)
    return spec


def _check_result(location: Location, result: Any) -> None:
    match location:
        case NodeLocation():
            if result not in STATUSES:
                hint = name_hint(str(result), STATUSES)
                raise CommandError(f"result {result!r}: a node has no such status: {hint}")
        case TransitionLocation():
            if result is not None and (not isinstance(result, str) or not result):
                raise CommandError(
                    f"result {result!r}: give the state to go to instead, or None to stay"
                )
        case RuleLocation():
            if not isinstance(result, bool):
                raise CommandError(
                    f"result {result!r}: give True if the rule holds, False if it does not"
                )
        case FieldLocation():
            if result is None:
                raise CommandError(f"result: give the value that {location.field} is to have")
