"""The process: every demo of a roster is replayed or skipped in turn, and the whole set again."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ...errors import CommandError
from ..playthrough.playthrough_settings import Orders
from .demo_files import DemoFile, chained, stands_at
from .demo_queue import DemoQueue, QueuedDemo, QueueState
from .game_port import GamePort
from .menu_driver import begins_in_a_screen, drive
from .pad_latency import PadLatency
from .replay_agent import Maker
from .replay_loop import ReplayProgress, ReplayRequests, play
from .replay_outcome import DemoOutcome, RunReport

TELLING = 3
"""Communication frames between two tellings of how far a demo is."""
MOST_REPORTED = 200
"""Outcomes that are told to tools: the newest."""


class BatchSettings(NamedTuple):
    """How the process goes."""

    latency: int = 0
    """The longest delay of a pad, in communication frames."""
    lost: float = 0.0
    """The share of pads that never come."""
    clips: Path | None = None
    """The folder for clips of failures."""
    orders: Orders | None = None
    """What to press in screens before a demo begins; None to press nothing."""
    screen: str = "screen"
    """The demos' own column that tells the screen."""
    on_progress: Callable[[float], object] = lambda progress: None
    """Called with how much of the roster is played, 0 … 1."""


class ReplayBatch:
    """Plays a roster's demos.

    Args:
        demos: The demos, in playing order.
        make: Makes the agent for each.
        times: How many times the whole set is played.

    Raises:
        CommandError: there are no demos, two of one name, or a demo has neither a saved game to
            begin with nor an end before it to go on from.
    """

    def __init__(
        self, demos: Sequence[DemoFile], make: Maker, settings: BatchSettings | None = None, *,
        times: int = 1,
    ) -> None:  # fmt: skip
        names = [demo.name for demo in demos]
        twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
        if twice is not None:
            raise CommandError(f"two demos are called {twice}: rename one of the files")
        self.demos = list(demos)
        self.roster = DemoQueue(names, times)
        self._make = make
        self._settings = BatchSettings() if settings is None else settings
        self._outcomes: deque[dict[str, Any]] = deque(maxlen=MOST_REPORTED)
        self._failed: dict[str, Any] | None = None
        """What came of the demo that is played, if it has failed: it has no clip yet."""
        self._now: ReplayProgress | None = None
        self._frames = 0
        self._stage: GamePort | None = None
        self._run = 0
        """Which run of the game the present stage is, counted from 1: each has its own frames."""
        for before, after in zip(self.demos, self.demos[1:], strict=False):
            if not after.start.is_file() and not chained(before, after):
                raise CommandError(_no_start(after))

    @property
    def can_repeat(self) -> bool:
        """Whether the set can be played again in the same game: its first demo can be loaded."""
        return self.demos[0].start.is_file()

    def lap(self, stage: GamePort, seed: int | None = None) -> RunReport:
        """Play the set once.

        Raises:
            CommandError: the first demo can't begin: no saved game, and the game stands elsewhere.
            GameError: the game broke, or a saved game can't be loaded.
        """
        if stage is not self._stage:
            self._stage = stage
            self._run += 1
        if not self.roster.running:
            self.roster.start()
        outcomes: list[DemoOutcome] = []
        before: DemoFile | None = None
        """The one that was played to its end just now: the game stands there."""
        self.tell()
        while (at := self.roster.next()) is not None:
            demo = self.demos[at]
            self._stand(outcomes, at)
            outcome = self._played(stage, demo, before, seed)
            self.roster.end(QueueState(outcome.standing))
            before = demo if outcome.finished else None
            outcomes.append(outcome)
            self._report(outcome, seed)
            if stage.silent:
                self.roster.stop()
        self._stand(outcomes, len(self.demos))
        self._now = None
        self.tell()
        return RunReport(seed, self.roster.lap, tuple(outcomes))

    def _stand(self, outcomes: list[DemoOutcome], until: int) -> None:
        """Those that were passed over are in the report, too."""
        told = {outcome.demo for outcome in outcomes}
        outcomes.extend(
            DemoOutcome(entry.name, "skipped")
            for entry in self.roster.entries[:until]
            if entry.name not in told and entry.standing is QueueState.SKIPPED
        )

    def _played(
        self, stage: GamePort, demo: DemoFile, before: DemoFile | None, seed: int | None
    ) -> DemoOutcome:
        if before is None or not chained(before, demo):
            self._bring(stage, demo)
        settings, roster = self._settings, self.roster
        number = 1000 * (0 if seed is None else seed) + roster.lap
        latency = PadLatency(settings.latency, lost=settings.lost, seed=number)
        wishes = ReplayRequests(
            latency, number, settings.clips, lambda: roster.leaves, self._on_frame,
            lambda outcome: self._on_failure(outcome, seed),
        )  # fmt: skip
        name = demo.name if seed is None else f"{demo.name}-seed{seed}"
        name += f"-{roster.lap}" if roster.times > 1 else ""
        return play(stage, demo, self._make, wishes, clip=name)

    def _bring(self, stage: GamePort, demo: DemoFile) -> None:
        """Have the game stand where a demo begins."""
        if stage.can_load and demo.start.is_file():
            stage.load(demo.start)
        else:
            seen = stage.observe()
            if seen is not None and not stands_at(demo, seen):
                raise CommandError(_no_start(demo))
        orders = self._settings.orders
        if orders is not None and not begins_in_a_screen(demo, orders, self._settings.screen):
            drive(stage.next, orders, stage.name)

    # --- telling --------------------------------------------------------------------------------

    def _on_frame(self, now: ReplayProgress) -> None:
        self._now = now
        entry = self.roster.current
        if entry is not None:
            entry.progress = now.progress
        self._settings.on_progress(self.roster.progress)
        self._frames += 1
        if self._frames % TELLING == 0:
            self.tell()

    def _on_failure(self, outcome: DemoOutcome, seed: int | None) -> None:
        self._failed, self._now = self._facts(outcome, seed), None
        self.tell()

    def _report(self, outcome: DemoOutcome, seed: int | None) -> None:
        self._outcomes.append(self._facts(outcome, seed))
        self._failed = self._now = None
        self.tell()

    def _facts(self, outcome: DemoOutcome, seed: int | None) -> dict[str, Any]:
        facts: dict[str, Any] = msgspec.to_builtins(outcome)
        facts.update(seed=seed, lap=self.roster.lap, run=self._run)
        return facts

    def tell(self) -> None:
        """Publish how it stands."""
        if self._stage is not None:
            self._stage.tell(self.state)

    @property
    def state(self) -> dict[str, Any]:
        """How it stands, in plain values."""
        roster, now, current = self.roster, self._now, self.roster.current
        demos = [_entry_facts(entry) for entry in roster.entries]
        outcomes = list(self._outcomes)
        if self._failed is not None:
            outcomes = [*outcomes, self._failed][-MOST_REPORTED:]
            for entry in demos:
                if current is not None and entry["name"] == current.name:
                    entry["standing"] = QueueState.FAILED.value
        return {
            "running": roster.running,
            "lap": roster.lap,
            "times": roster.times,
            "progress": roster.progress,
            "demos": demos,
            "now": None if now is None or current is None
            else {"demo": current.name, "row": now.row, "rows": now.rows, "state": now.state},
            "outcomes": outcomes,
            "run": self._run,
        }  # fmt: skip

    def obey(self, wish: Mapping[str, Any]) -> dict[str, Any]:
        """Do what a tool wants: see docs/playthrough.md; returns how things stand then.

        Raises:
            CommandError: it makes no sense.
        """
        roster = self.roster
        match dict(wish):
            case {"do": "select", "demos": list(names)}:
                roster.select([str(name) for name in names])
            case {"do": "times", "times": int(times)}:
                roster.times = times
            case {"do": "start"}:
                roster.start()
            case {"do": "stop"}:
                roster.stop()
            case {"do": "skip"}:
                roster.skip()
            case other:
                raise CommandError(
                    f"replay {other!r}: there are select (demos), times (times), start, stop, skip"
                )
        self.tell()
        return self.state


def _entry_facts(entry: QueuedDemo) -> dict[str, Any]:
    return {
        "name": entry.name, "selected": entry.selected, "standing": entry.standing.value,
        "progress": entry.progress,
    }  # fmt: skip


def _no_start(demo: DemoFile) -> str:
    return (
        f"{demo.path}: {demo.start.name} is not there, and the game does not stand where this demo"
        " begins; `playhead demo-record` writes both"
    )
