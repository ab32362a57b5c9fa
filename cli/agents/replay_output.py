"""The output of `playhead replay`: a row for each demo, reports, and a command at the end."""

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ...agents.junit_file import JunitCase, JunitFailure, write_junit_file
from ...agents.replay.replay_outcome import DemoOutcome, RunReport
from ...recorder.monotonic_timeline import exactly
from ...runner.terminal.safe_terminal_output import echo
from ...runner.terminal.text_table import table_lines

_HEAD = (
    "seed", "lap", "demo", "result", "time", "row", "recoveries", "transitions", "first divergence"
)  # fmt: skip
_LEFT = ("demo", "result", "first divergence")
_MOST_TRACE = 12
"""Lines of a traceback that a summary has: those nearest to the crash."""
_INNERMOST_FIRST = "most recent call first"
"""What the tracebacks of dying processes say."""


class ReplayOutput:
    """Writes what came of demos and runs.

    Args:
        game: What is played.
        demos: The names of the set, so that all rows are as wide.
        seeds: All that are played.
        as_json: Whether stdout gets an object for each run instead of rows.
    """

    def __init__(
        self, game: str, demos: Sequence[str], seeds: Sequence[int | None], *, as_json: bool
    ) -> None:
        self.game = game
        self.reports: list[RunReport] = []
        self._as_json = as_json
        self._rows = 0
        names = [*demos, "demo"]
        shown = [_number_text(seed) for seed in (seeds[0], seeds[-1])]
        self._widest = (
            max(shown, key=len), "", max(names, key=len), "interrupted", "1000.0 s", "100000"
        )  # fmt: skip

    def outcome(self, one: DemoOutcome, seed: int | None, lap: int, attempt: int = 1) -> None:
        """A demo has ended: print its row."""
        if one.trouble:
            echo(f"playhead: {one.trouble}", err=True)
        if self._as_json:
            return
        result = one.status if attempt == 1 else f"{one.status}, try {attempt}"
        row = (
            _number_text(seed), str(lap), one.demo, result, f"{one.seconds:.1f} s",
            _number_text(one.row), _number_text(one.recoveries), _number_text(one.transitions),
            "" if one.divergence is None else one.divergence.text,
        )  # fmt: skip
        room = (*self._widest, *[""] * (len(_HEAD) - len(self._widest)))
        head, _, line = table_lines(_HEAD, [room, row], _LEFT)
        echo([line] if self._rows else [head, line])
        self._rows += 1

    def report(self, report: RunReport) -> None:
        """A run has ended."""
        self.reports.append(report)
        if self._as_json:
            echo(json.dumps(report.facts))

    def end(self) -> None:
        """All was played: say what failed, and why."""
        if not self._as_json and self.reports:
            echo(summary_lines(self.reports))

    def junit(self, path: Path) -> None:
        """Write a test for each demo of each run.

        Raises:
            RecordingError: it can't be written.
        """
        cases = [case for report in self.reports for case in _cases(self.game, report)]
        write_junit_file("replay", cases, path)

    def then(self, command: str, report: Path | None) -> bool:
        """Run a command in the shell, with the summary on its stdin and facts in its environment.

        Returns whether it succeeded; if not, a line says so.

        Args:
            report: The file that `PLAYHEAD_REPORT` names; None for one with the summary.
        """
        text = "\n".join(summary_lines(self.reports)) + "\n"
        with tempfile.TemporaryDirectory(prefix="playhead-report-") as folder:
            if report is None:
                report = Path(folder) / "report.txt"
                report.write_text(text, encoding="utf-8")
            finished = sum(one.finished for one in self.reports)
            facts = {
                "PLAYHEAD_REPORT": str(report.absolute()), "PLAYHEAD_GAME": self.game,
                "PLAYHEAD_RUNS": str(len(self.reports)), "PLAYHEAD_FINISHED": str(finished),
                "PLAYHEAD_FLAKY": str(sum(one.flaky for one in self.reports)),
            }  # fmt: skip
            done = subprocess.run(
                command, shell=True, check=False, input=text.encode(), env={**os.environ, **facts},
                stdout=2,  # stdout is for results
            )  # fmt: skip
        if done.returncode:
            code = done.returncode
            echo(f"playhead: --then {command!r} ended with exit code {code}", err=True)
        return done.returncode == 0


def summary_lines(reports: Sequence[RunReport]) -> list[str]:
    """How many runs finished, and of each failure where it began, what it was, and its clip."""
    finished = sum(report.finished for report in reports)
    flaky = sum(report.flaky for report in reports)
    flaky_text = f", {flaky} flaky" if flaky else ""
    lines = [f"{finished} of {len(reports)} runs finished{flaky_text}"]
    for report in reports:
        for one in report.demos:
            if one.failure is not None:
                lines += _failure_lines(report, one)
    return lines


def _failure_lines(
    report: RunReport, one: DemoOutcome, most: int = _MOST_TRACE
) -> list[str]:  # fmt: skip
    failure = one.failure
    assert failure is not None
    head = f"{one.demo}, seed {_number_text(report.seed)}, lap {report.lap}{_verdict(report)}:"
    lines = [head]
    if one.divergence is not None:
        lines.append(f"  {one.divergence.text} — frame {one.divergence.frame}")
    lines.append(f"  {failure.message} — frame {failure.frame}, {exactly(failure.time)} s")
    lines += [f"    {line}" for line in _trace_lines(failure.traceback, most)]
    if one.clip is not None:
        lines.append(f"  clip {one.clip}")
    return lines


def _trace_lines(trace: str, most: int) -> list[str]:
    if _INNERMOST_FIRST not in trace:
        return trace.splitlines()[-most:]
    return trace[max(0, trace.find("Current thread")) :].splitlines()[:most]


def _verdict(report: RunReport) -> str:
    if report.flaky:
        return f", flaky: finished at try {report.attempts}"
    return f", failed {report.attempts} times" if report.attempts > 1 else ""


def _cases(game: str, report: RunReport) -> list[JunitCase]:
    lap = f", lap {report.lap}" if report.lap > 1 else ""
    seed = "" if report.seed is None else f"[seed {report.seed}{lap}]"
    cases = []
    for one in report.demos:
        failure = None
        if one.failure is not None:
            why = one.failure.message if one.divergence is None else one.divergence.text
            kind = f"flaky {one.failure.kind}" if report.flaky else one.failure.kind
            failure = JunitFailure(why, kind, "\n".join(_failure_lines(report, one, most=1000)))
        output = "\n".join(filter(None, (f"clip {one.clip}" if one.clip else "", *one.notes)))
        skipped = one.status == "skipped"
        name = f"{one.demo}{seed}"
        cases.append(JunitCase(game, name, one.seconds, failure, skipped, output))
    return cases


def _number_text(number: int | None) -> str:
    return "–" if number is None else str(number)
