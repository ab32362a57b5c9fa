"""The outcome of a replay: of one demo, and of one run through all selected demos."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from .demos.demo_divergence_monitor import Divergence

FailureKind = Literal["agent", "crash", "hang", "observation", "assert", "outcome", "load"]
"""Who found it: the agent could not go on; the game crashed, hangs, says what can't be read, or a
check of its own failed; something is not as at the demo's end; the saved game could not be
loaded."""


class DemoFailure(msgspec.Struct, frozen=True):
    """Why a demo could not be replayed: the recorder assert, in plain values."""

    message: str
    time: float
    """Timeline seconds of the first violating frame."""
    frame: int
    object: int
    """The player that failed."""
    kind: FailureKind = "agent"
    traceback: str = ""
    """Where the game was when it crashed, as far as it could say."""


class DemoOutcome(msgspec.Struct, frozen=True):
    """What came of one demo."""

    demo: str
    status: str = msgspec.field(name="standing")
    """`finished`, `failed` or `skipped`."""
    seconds: float = 0.0
    """Seconds of game time that it was played."""
    recoveries: int | None = 0
    """How often the agent went back to a point of return; None if it died with the game's process
    and no recording says it."""
    transitions: int | None = 0
    """How often it changed its state; None if it died with the game's process."""
    row: int | None = 0
    """The row that it came to; None as of `recoveries`."""
    failure: DemoFailure | None = None
    clip: str | None = None
    """The clip of the failure, if one was kept."""
    notes: tuple[str, ...] = ()
    """What else happened: items that were never reached, events that are not in the demo."""
    trouble: str = ""
    """Why no clip was kept although one was wanted."""
    divergence: Divergence | None = None
    """What was first not as in the demo, and has stayed so."""

    @property
    def finished(self) -> bool:
        return self.status == "finished"


class RunReport(msgspec.Struct, frozen=True):
    """What came of one run: the whole set once, under one seed."""

    seed: int | None
    lap: int
    """Which time it was, counted from 1."""
    demos: tuple[DemoOutcome, ...]
    attempts: int = 1
    """How often it was played: more than once if it failed and was tried again."""
    flaky: bool = False
    """Whether it failed, and finished when it was tried again."""
    interrupted: bool = False
    """Whether it was ended before all its demos were played."""

    @property
    def status(self) -> str:
        """The outcome: `finished`, `failed`, `flaky` or `interrupted`."""
        if self.flaky:
            return "flaky"
        if any(one.status == "failed" for one in self.demos):
            return "failed"
        return "interrupted" if self.interrupted else "finished"

    @property
    def divergence(self) -> Divergence | None:
        """The first failure's, or else the first one."""
        failed = [one for one in self.demos if one.failure is not None]
        found = (one.divergence for one in (*failed[:1], *self.demos))
        return next((one for one in found if one is not None), None)

    @property
    def played(self) -> list[DemoOutcome]:
        """Those that were not skipped."""
        return [outcome for outcome in self.demos if outcome.status != "skipped"]

    @property
    def finished(self) -> bool:
        """Whether all that were played came to their end."""
        return not self.interrupted and all(outcome.finished for outcome in self.played)

    @property
    def failure(self) -> DemoFailure | None:
        """The first one."""
        return next((one.failure for one in self.demos if one.failure is not None), None)

    @property
    def clip(self) -> str | None:
        """The first failure's."""
        return next((one.clip for one in self.demos if one.clip is not None), None)

    @property
    def facts(self) -> dict[str, Any]:
        """The same in plain values."""
        return {
            "seed": self.seed,
            "finished": self.finished,
            "seconds": round(sum(one.seconds for one in self.demos), 6),
            "recoveries": _total([one.recoveries for one in self.demos]),
            "transitions": _total([one.transitions for one in self.demos]),
            "failure": msgspec.to_builtins(self.failure),
            "clip": self.clip,
            "divergence": msgspec.to_builtins(self.divergence),
            "standing": self.status,
            "attempts": self.attempts,
            "flaky": self.flaky,
            "interrupted": self.interrupted,
            "lap": self.lap,
            "demos": [msgspec.to_builtins(one) for one in self.demos],
        }


def _total(counts: Sequence[int | None]) -> int | None:
    """The sum; None if one of them is not known."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def of_facts(facts: Mapping[str, Any]) -> RunReport:
    """The report that gave these plain values.

    Raises:
        msgspec.ValidationError: none did.
    """
    return msgspec.convert(dict(facts), RunReport)
