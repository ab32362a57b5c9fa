"""Replays demos under many seeds in worker processes, and collects the reports."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..agents.playthrough.trace_writer import RECOVERY, ROW_LANE
from ..agents.replay.demos.demo_files import DemoFile
from ..agents.replay.replay_loop import DEMO_BEGINS, free_name, row_place
from ..agents.replay.replay_outcome import DemoFailure, DemoOutcome, FailureKind, RunReport
from ..errors import CommandError, PlayheadError
from ..recorder.clips.clip_source import ClipSource
from ..recorder.clips.mark_editor import annotate
from ..recorder.packets.mark import Mark
from ..recorder.saving.recover_ring import recover
from .replay_worker import Alive, DemoBegins, ReplayTask, replay_task
from .worker_pool import PoolEvent, WorkerDeath, WorkerPool


class _TaskProgress:
    """What is known of a task that is being carried out."""

    def __init__(self, task: ReplayTask) -> None:
        self.task = task
        self.lap = task.lap
        self.outcomes = list(task.outcomes)
        self.at: int | None = None
        """The index of the demo that is played."""
        self.alive = Alive(0.0, 0, 0.0)
        self.begun = 0.0
        """Timeline seconds at which that demo began, as far as is known."""


class ReplayJobs:
    """Plays the set for each seed. A context manager.

    Args:
        tasks: One for each seed.
        demos: The set.
        count: The most processes at a time.
        retries: How often a run that failed is tried again.
        on_outcome: Called with what came of each demo, in which run.
        on_report: Called with each report.
        on_progress: Called with how many tasks are done; a part of one counts as that.
    """

    def __init__(
        self, tasks: Sequence[ReplayTask], demos: Sequence[DemoFile], *, count: int, retries: int,
        on_outcome: Callable[[DemoOutcome, ReplayTask, int], object],
        on_report: Callable[[RunReport], object],
        on_progress: Callable[[float], object] = lambda done: None,
    ) -> None:  # fmt: skip
        self._demos = list(demos)
        self._retries = retries
        self._on_outcome = on_outcome
        self._on_report = on_report
        self._on_progress = on_progress
        self._progress: dict[int, _TaskProgress] = {}
        """Keyed by the identity of their tasks."""
        self._failed: dict[tuple[int | None, int], RunReport] = {}
        """The first report of each seed and lap that is tried again."""
        self._done = 0
        self._began = False
        """Whether any demo has begun: before that an error is none of the game's."""
        self._pool = WorkerPool(replay_task, count)
        for task in tasks:
            self._pool.submit(task)

    def play(self) -> None:
        """Play all.

        Raises:
            PlayheadError: something must be put right first.
        """
        for event in self._pool.events():
            progress = self._progress.setdefault(id(event.task), _TaskProgress(event.task))
            if event.kind == "message":
                self._take_message(event.task, progress, event.value)
                continue
            del self._progress[id(event.task)]
            if event.kind == "died":
                self._died(event, progress)
            elif event.kind == "failed":
                if not self._began or isinstance(event.value, CommandError):
                    raise event.value
                self._broken(event.task, progress, str(event.value), "crash")
            self._done += event.task.attempt == 1 and not event.task.outcomes
        for report in [*self._failed.values()]:
            self._deliver(report)

    def interrupted(self) -> None:
        """Report what was played of the runs that are not over."""
        for progress in self._progress.values():
            if progress.outcomes:
                self._deliver(self._report(progress.task, progress, interrupted=True))
        for report in [*self._failed.values()]:
            self._deliver(report)
        self._progress.clear()
        self._failed.clear()

    def close(self) -> None:
        """End all processes."""
        self._pool.close()

    def __enter__(self) -> "ReplayJobs":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- messages of workers -------------------------------------------------------------------

    def _take_message(self, task: ReplayTask, progress: _TaskProgress, value: Any) -> None:
        match value:
            case Alive():
                progress.alive = value
                shares = sum(one.alive.share for one in self._progress.values())
                self._on_progress(self._done + shares)
            case DemoBegins():
                self._began = True
                progress.at, progress.begun = value.at, progress.alive.time
            case DemoOutcome():
                self._began = True
                progress.outcomes.append(value)
                progress.at = None
                self._on_outcome(value, task, progress.lap)
            case RunReport():
                progress.outcomes, progress.at = [], None
                progress.lap = value.lap + 1
                self._ended(task, value)
            case _:
                pass  # it only says that it is alive

    def _ended(self, task: ReplayTask, report: RunReport) -> None:
        """A run was played: it counts, or is tried again."""
        key = report.seed, report.lap
        first = self._failed.pop(key, None)
        if first is None and (report.finished or not self._retries):
            self._deliver(report)
        elif report.finished and first is not None:
            self._deliver(msgspec.structs.replace(first, attempts=task.attempt, flaky=True))
        else:
            reported = report if first is None else first
            reported = msgspec.structs.replace(reported, attempts=task.attempt)
            if task.attempt > self._retries:
                self._deliver(reported)
                return
            self._failed[key] = reported
            again = ReplayTask(
                task.setup._replace(times=report.lap), task.seed, task.patience, report.lap,
                attempt=task.attempt + 1, ring=task.ring,
            )  # fmt: skip
            self._pool.submit(again, first=True)

    def _deliver(self, report: RunReport) -> None:
        self._on_report(report)

    # --- instead of a worker that has died -----------------------------------------------------

    def _died(self, event: PoolEvent, progress: _TaskProgress) -> None:
        death: WorkerDeath = event.value
        what = f"the process of {event.task.setup.request.game} {death.reason}"
        self._broken(
            event.task, progress, what, "hang" if death.hangs else "crash", death.traceback
        )

    def _broken(
        self, task: ReplayTask, progress: _TaskProgress, message: str, kind: FailureKind,
        trace: str = "",
    ) -> None:  # fmt: skip
        """The present demo has failed; the rest is played in another game."""
        at = len(progress.outcomes) if progress.at is None else progress.at
        demo = self._demos[min(at, len(self._demos) - 1)]
        alive = progress.alive
        failure = DemoFailure(message, alive.time, alive.frame, 0, kind, trace)
        unknown = DemoOutcome(
            demo.name, "failed", failure=failure, recoveries=None, transitions=None, row=None
        )
        outcome = self._with_clip(task, unknown, demo)
        assert outcome.failure is not None
        seconds = max(0.0, outcome.failure.time - progress.begun)
        outcome = msgspec.structs.replace(outcome, seconds=seconds)
        progress.outcomes.append(outcome)
        self._on_outcome(outcome, task, progress.lap)
        rest = self._demos[at + 1 :]
        if progress.at is not None and rest and rest[0].start.is_file():
            again = task._replace(lap=progress.lap, outcomes=tuple(progress.outcomes))
            self._pool.submit(again, first=True)
            return
        progress.outcomes += [DemoOutcome(one.name, "skipped") for one in rest]
        self._ended(task, self._report(task, progress))
        if progress.lap < task.setup.times:
            self._pool.submit(task._replace(lap=progress.lap + 1, outcomes=()), first=True)

    def _report(
        self, task: ReplayTask, progress: _TaskProgress, *, interrupted: bool = False
    ) -> RunReport:
        known = {one.demo for one in progress.outcomes}
        rest = (DemoOutcome(one.name, "skipped") for one in self._demos if one.name not in known)
        return RunReport(
            task.seed, progress.lap, (*progress.outcomes, *rest), task.attempt,
            interrupted=interrupted,
        )  # fmt: skip

    def _with_clip(self, task: ReplayTask, outcome: DemoOutcome, demo: DemoFile) -> DemoOutcome:
        """The same with a clip of what the dead process has left in its file, and what that
        says."""
        clips, ring = task.setup.clips, task.ring
        assert outcome.failure is not None
        if clips is None or ring is None or not ring.is_file():
            return outcome
        name = outcome.demo if task.seed is None else f"{outcome.demo}-seed{task.seed}"
        path = free_name(clips, name).absolute()
        try:
            recover(ring, path)
            with ClipSource.open(path) as clip:
                span = clip.span
                assert span is not None, "what was recovered has frames"
                frame, time = span.newest, span.end
                row = _row_at(clip, frame)
                begun, recoveries = _since_demo_began(clip)
            place = row_place(demo, row or 0)
            annotate(path, [Mark(
                outcome.failure.message, frame, time, kind="check", object=begun,
                file=place.file, line=place.line,
            )])  # fmt: skip
        except (PlayheadError, OSError) as error:
            return msgspec.structs.replace(outcome, trouble=f"no clip of {name}: {error}")
        failure = msgspec.structs.replace(outcome.failure, frame=frame, time=time, object=begun)
        return msgspec.structs.replace(
            outcome, clip=str(path), failure=failure, row=row, recoveries=recoveries
        )


def _row_at(clip: ClipSource, frame: int) -> int | None:
    """The demo's row that the agent was at when a game died; None if that is not recorded."""
    for at in (frame, frame - 1):  # in the last frame it may have reported nothing yet
        watched = clip.watches(at).items() if clip.span and at >= clip.span.oldest else ()
        for (_, name), row in watched:
            if name == ROW_LANE:
                return int(row)
    return None


def _since_demo_began(clip: ClipSource) -> tuple[int, int | None]:
    """The object that is played, 0 if it is not known, and how often the agent went back since the
    newest demo began; None if that is older than the clip."""
    marks = list(clip.marks())
    began = [at for at, mark in enumerate(marks) if mark.name == DEMO_BEGINS]
    if not began:
        return 0, None
    since = marks[began[-1] :]
    return since[0].object, sum(mark.name == RECOVERY for mark in since)


def rings_of(folder: Path, seed: int | None) -> Path:
    """The file for the recording of a run, beside the clips that are made of it."""
    return folder / f".{'run' if seed is None else f'seed{seed}'}.ring"
