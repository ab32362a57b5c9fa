"""Replays a set of demos: each one is played or skipped in turn, then the whole set again."""

import contextlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ...errors import CommandError, GameError, PlayheadError
from ...playback.pads.pad import NEUTRAL
from ..playthrough.playthrough_settings import Orders
from .agent_interface import AgentFactory, ReplayAgent
from .demos.demo_files import DemoFile, chained, stands_at
from .demos.demo_queue import DemoQueue, QueuedDemo, QueueState
from .menu_driver import begins_in_a_screen, drive
from .replay_game_interface import ReplayGame, SilentError
from .replay_loop import ReplayProgress, ReplayRequests, play, row_place, spec_for
from .replay_outcome import DemoFailure, DemoOutcome, FailureKind, RunReport
from .simulated_latency import PadLatency

PUBLISH_INTERVAL = 3
"""Communication frames between two publications of the progress."""
MAX_REPORTED = 200
"""Tools get this many of the newest outcomes."""


class BatchSettings(NamedTuple):
    """How demos are replayed."""

    latency: int = 0
    """The longest delay of a pad, in communication frames."""
    lost: float = 0.0
    """The share of pads that never come."""
    clips: Path | None = None
    """The folder for clips of failures."""
    orders: Orders | None = None
    """What to press in screens before a demo begins; None to press nothing."""
    restarts: bool = False
    """Whether the game can be begun anew for each demo."""
    starts_anywhere: bool = False
    """Whether something brings the player to where a demo begins that has no saved game."""
    screen: str = "screen"
    """The demos' own column with the name of the screen."""
    on_progress: Callable[[float], object] = lambda progress: None
    """Called with how much of the set is played, 0 … 1."""
    on_begin: Callable[[int], object] = lambda at: None
    """Called with the index of each demo that begins."""
    on_failure: Callable[[DemoOutcome], object] = lambda outcome: None
    """Called when a demo has failed, before its clip is saved."""
    on_outcome: Callable[[DemoOutcome], object] = lambda outcome: None
    """Called with what came of each demo."""


class ReplayBatch:
    """Plays the demos of a set.

    Args:
        demos: The demos, in playing order.
        make: Makes the agent for each.
        times: How many times the whole set is played.

    Raises:
        CommandError: there are no demos, two of one name, or a demo has neither a saved game to
            begin with nor an end before it to go on from.
    """

    def __init__(
        self, demos: Sequence[DemoFile], make: AgentFactory,
        settings: BatchSettings | None = None, *, times: int = 1,
    ) -> None:  # fmt: skip
        names = [demo.name for demo in demos]
        twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
        if twice is not None:
            raise CommandError(f"two demos are called {twice}: rename one of the files")
        self.demos = list(demos)
        self.queue = DemoQueue(names, times)
        self._make = make
        self._settings = BatchSettings() if settings is None else settings
        self._outcomes: deque[dict[str, Any]] = deque(maxlen=MAX_REPORTED)
        self._failed_outcome: dict[str, Any] | None = None
        """The outcome of the present demo, if it has failed; its clip is not saved yet."""
        self._progress: ReplayProgress | None = None
        self._frames = 0
        self._game_port: ReplayGame | None = None
        self._lap_outcomes: list[DemoOutcome] = []
        """Those of the present lap."""
        self._run = 0
        """The number of the present game, from 1: the frames of each game count from 0."""
        for before, after in zip(self.demos, self.demos[1:], strict=False):
            anew = self._settings.restarts or self._settings.starts_anywhere
            if not anew and not after.start.is_file() and not chained(before, after):
                raise CommandError(_no_start(after))

    @property
    def can_repeat(self) -> bool:
        """Whether the set can be played again in the same game: its first demo can be loaded."""
        return self.demos[0].start.is_file()

    def agent_for(self, game_port: ReplayGame, demo: DemoFile, seed: int | None) -> ReplayAgent:
        """An agent that plays a demo in a game."""
        return self._make(spec_for(game_port, demo, 0 if seed is None else seed))

    @property
    def has_rest(self) -> bool:
        """Whether a lap has begun and is not played to its end: the game broke meanwhile."""
        return bool(self._lap_outcomes)

    def resume(self, lap: int, outcomes: Sequence[DemoOutcome]) -> None:
        """Go on in a lap of which some demos were played in a game that is gone."""
        self.queue.resume(lap, [QueueState(one.status) for one in outcomes])
        self._lap_outcomes = list(outcomes)

    def lap(self, game_port: ReplayGame, seed: int | None = None) -> RunReport | None:
        """Play the set once.

        Returns what came of it; None if the game broke and can be replaced: call this again then,
        with another one, for the demos that are left.

        Raises:
            CommandError: the first demo can't begin: no saved game, and the player is elsewhere.
        """
        if game_port is not self._game_port:
            self._game_port = game_port
            self._run += 1
        if not self.queue.running:
            self.queue.start()
        outcomes = self._lap_outcomes
        before: DemoFile | None = None
        """The demo that was just played to its end; the game is in that state."""
        self.publish()
        while (at := self.queue.next()) is not None:
            demo = self.demos[at]
            self._add_skipped(outcomes, at)
            self._settings.on_begin(at)
            self.publish()
            outcome = self._play_demo(game_port, demo, before, seed)
            self.queue.end(QueueState(outcome.status))
            before = demo if outcome.finished else None
            outcomes.append(outcome)
            self._report(outcome, seed)
            if game_port.silent and game_port.replaceable and self.queue.has_waiting:
                return None
            if game_port.silent and not game_port.replaceable:
                self.queue.stop()
        self._lap_outcomes = []
        self._add_skipped(outcomes, len(self.demos))
        self._progress = None
        self.publish()
        return RunReport(seed, self.queue.lap, tuple(outcomes))

    def _add_skipped(self, outcomes: list[DemoOutcome], until: int) -> None:
        """The report has skipped demos, too."""
        reported = {outcome.demo for outcome in outcomes}
        skipped = [
            DemoOutcome(entry.name, "skipped")
            for entry in self.queue.entries[:until]
            if entry.name not in reported and entry.state is QueueState.SKIPPED
        ]
        outcomes.extend(skipped)
        for outcome in skipped:
            self._settings.on_outcome(outcome)

    def _play_demo(
        self, game_port: ReplayGame, demo: DemoFile, before: DemoFile | None, seed: int | None
    ) -> DemoOutcome:
        if before is None or not chained(before, demo):
            try:
                self.go_to_start(game_port, demo, seed)
            except (GameError, CommandError) as error:
                if isinstance(error, CommandError) and not self._lap_outcomes:
                    raise  # the command's own mistake, and nothing was played yet
                return self._not_begun(game_port, demo, error)
        settings, queue = self._settings, self.queue
        number = 1000 * (0 if seed is None else seed) + queue.lap
        latency = PadLatency(settings.latency, lost=settings.lost, seed=number)
        requests = ReplayRequests(
            latency, number, seed, settings.clips, lambda: queue.should_leave, self._on_frame,
            lambda outcome: self._on_failure(outcome, seed),
        )  # fmt: skip
        name = demo.name if seed is None else f"{demo.name}-seed{seed}"
        name += f"-{queue.lap}" if queue.times > 1 else ""
        return play(game_port, demo, self._make, requests, clip=name)

    def _not_begun(
        self, game_port: ReplayGame, demo: DemoFile, error: PlayheadError
    ) -> DemoOutcome:
        """A demo whose saved game can't be loaded, or that no screen leads to, has failed."""
        kind: FailureKind = error.kind if isinstance(error, SilentError) else "load"
        trace = error.traceback if isinstance(error, SilentError) else ""
        game_port.fail(str(error), row_place(demo, 0))
        if not game_port.silent:
            with contextlib.suppress(SilentError):
                game_port.next(NEUTRAL)  # statements after the loading are in the next frame
        point, player = game_port.flush(), game_port.player
        failure = DemoFailure(str(error), point.time, point.frame, player, kind, trace)
        return DemoOutcome(demo.name, "failed", failure=failure)

    def go_to_start(self, game_port: ReplayGame, demo: DemoFile, seed: int | None) -> None:
        """Bring the game to the state in which a demo begins.

        Raises:
            CommandError: there is no saved game, and the player is elsewhere.
            GameError: its saved game can't be loaded, or a screen does not go away.
        """
        if game_port.can_restart:
            game_port.restart(seed)
        if game_port.can_load and demo.start.is_file():
            game_port.load(demo.start)
        else:
            seen = game_port.observe()
            anywhere = self._settings.starts_anywhere
            if seen is not None and not anywhere and not stands_at(demo, seen):
                raise CommandError(_no_start(demo))
        orders = self._settings.orders
        if orders is not None and not begins_in_a_screen(demo, orders, self._settings.screen):
            drive(game_port.next, orders, game_port.name)

    # --- publishing -----------------------------------------------------------------------------

    def _on_frame(self, now: ReplayProgress) -> None:
        self._progress = now
        entry = self.queue.current
        if entry is not None:
            entry.progress = now.progress
        self._settings.on_progress(self.queue.progress)
        self._frames += 1
        if self._frames % PUBLISH_INTERVAL == 0:
            self.publish()

    def _on_failure(self, outcome: DemoOutcome, seed: int | None) -> None:
        self._settings.on_failure(outcome)
        self._failed_outcome, self._progress = self._facts(outcome, seed), None
        self.publish()

    def _report(self, outcome: DemoOutcome, seed: int | None) -> None:
        self._outcomes.append(self._facts(outcome, seed))
        self._settings.on_outcome(outcome)
        self._failed_outcome = self._progress = None
        self.publish()

    def _facts(self, outcome: DemoOutcome, seed: int | None) -> dict[str, Any]:
        facts: dict[str, Any] = msgspec.to_builtins(outcome)
        facts.update(seed=seed, lap=self.queue.lap, run=self._run)
        return facts

    def publish(self) -> None:
        """Publish the state."""
        if self._game_port is not None:
            self._game_port.publish(self.state)

    @property
    def state(self) -> dict[str, Any]:
        """The queue, the present demo and the outcomes, in plain values."""
        queue, now, current = self.queue, self._progress, self.queue.current
        demos = [_entry_facts(entry) for entry in queue.entries]
        outcomes = list(self._outcomes)
        if self._failed_outcome is not None:
            outcomes = [*outcomes, self._failed_outcome][-MAX_REPORTED:]
            for entry in demos:
                if current is not None and entry["name"] == current.name:
                    entry["standing"] = QueueState.FAILED.value
        return {
            "running": queue.running,
            "lap": queue.lap,
            "times": queue.times,
            "progress": queue.progress,
            "demos": demos,
            "now": None if now is None or current is None
            else {"demo": current.name, "row": now.row, "rows": now.rows, "state": now.state},
            "outcomes": outcomes,
            "run": self._run,
        }  # fmt: skip

    def handle_request(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out a tool's request (see docs/protocol.md); returns the state after it.

        Raises:
            CommandError: there is no such request.
        """
        queue = self.queue
        match dict(request):
            case {"do": "select", "demos": list(names)}:
                queue.select([str(name) for name in names])
            case {"do": "times", "times": int(times)}:
                queue.times = times
            case {"do": "start"}:
                queue.start()
            case {"do": "stop"}:
                queue.stop()
            case {"do": "skip"}:
                queue.skip()
            case other:
                raise CommandError(
                    f"replay {other!r}: there are select (demos), times (times), start, stop, skip"
                )
        self.publish()
        return self.state


def _entry_facts(entry: QueuedDemo) -> dict[str, Any]:
    return {
        "name": entry.name, "selected": entry.selected, "standing": entry.state.value,
        "progress": entry.progress,
    }  # fmt: skip


def _no_start(demo: DemoFile) -> str:
    return (
        f"{demo.path}: {demo.start.name} is not there, and the player is not where this demo"
        " begins; `playhead demo-record` writes both"
    )
