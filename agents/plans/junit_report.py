"""The outcomes of plans as a JUnit file."""

from collections.abc import Sequence
from pathlib import Path

from ...errors import PlanError
from ...recorder.monotonic_timeline import exactly
from ..junit_file import JunitCase, JunitFailure, write_junit_file
from .plan_outcome import PlanOutcome


def write_junit(outcomes: Sequence[PlanOutcome], path: Path) -> None:
    """Write the report: a test for each plan and seed, with the clip of a failure.

    Raises:
        PlanError: it can't be written.
    """
    write_junit_file("plans", [_case(one) for one in outcomes], path, PlanError)


def _case(one: PlanOutcome) -> JunitCase:
    name = one.plan if one.seed is None else f"{one.plan}[seed {one.seed}]"
    output = "" if one.clip is None else f"clip {one.clip}"
    failure = None
    if one.failure is not None:
        text = "\n".join((
            f"node {one.failure.node}, frame {one.failure.frame}, {exactly(one.failure.time)} s",
            *(f"before: {name} {value}" for name, value in one.failure.before.items()),
            *(f"after: {name} {value}" for name, value in one.failure.after.items()),
        ))  # fmt: skip
        failure = JunitFailure(one.failure.message, one.failure.kind, text)
    return JunitCase(one.plan, name, one.seconds, failure, output=output)
