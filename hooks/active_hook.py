"""A hook that is set, and what the code at its location asks of it."""

from collections.abc import Mapping
from typing import Any, Protocol

from .hook_condition import HookCondition
from .hook_definition import HookDefinition, HookState


class ActiveHook:
    """A hook that is set, and how far it has come."""

    def __init__(self, id: int, spec: HookDefinition, owner: str) -> None:
        self.id, self.spec, self.owner = id, spec, owner
        self.condition = HookCondition(spec.when) if spec.when else None
        self.is_enabled = True
        self.hits = self.first = self.last = 0
        self.left = spec.times
        """How often it acts yet, where it does not act always."""
        self.answered = 0
        """How many results of a mock were given."""
        self.text = ""
        self.waits = self.wrong = ""
        """Why it can't act."""

    @property
    def is_done(self) -> bool:
        """Whether it has acted as often as it should."""
        spec = self.spec
        if spec.kind == "mock" and not spec.repeat:
            return self.answered >= len(spec.results)
        return bool(spec.times) and self.left <= 0

    @property
    def acts(self) -> bool:
        """Whether it may act at all."""
        return self.is_enabled and not self.is_done

    def again(self) -> None:
        """Let it act again as if it had just been set."""
        self.is_enabled, self.left, self.answered = True, self.spec.times, 0
        self.wrong = ""

    @property
    def result(self) -> Any:
        """The result that it gives next."""
        spec = self.spec
        return spec.result if spec.kind == "replace" else spec.results[
            self.answered % len(spec.results)
        ]  # fmt: skip

    @property
    def report(self) -> HookState:
        """It as others see it."""
        state, note = "armed", ""
        if self.wrong:
            state, note = "wrong", self.wrong
        elif not self.is_enabled:
            state = "disabled"
        elif self.is_done:
            state = "done"
        elif self.waits:
            state, note = "waiting", self.waits
        return HookState(
            id=self.id, hook=self.spec, owner=self.owner, state=state, note=note, hits=self.hits,
            first=self.first, last=self.last, text=self.text,
        )  # fmt: skip


class HookCounter(Protocol):
    """What decides whether a hook acts, and counts and records that it has."""

    def applies(self, hook: ActiveHook, values: Mapping[str, Any] = ...) -> bool:
        """Whether a hook acts on a decision that was made of these values."""

    def hit(self, hook: ActiveHook, text: str, values: Mapping[str, Any] = ...) -> None:
        """A hook acts: count it and record it; a break pauses the game."""

    def failed(self, hook: ActiveHook, error: Exception) -> None:
        """A hook can't do what it should."""
