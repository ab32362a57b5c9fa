"""What came of plans as a JUnit file, which every CI server reads."""

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from ...errors import PlanError
from .plan_outcome import PlanOutcome

_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML can't hold."""


def write_junit(outcomes: Sequence[PlanOutcome], path: Path) -> None:
    """Write the report: a test for each plan and seed, with the clip of a failure.

    Raises:
        PlanError: it can't be written.
    """
    failed = sum(not outcome.finished for outcome in outcomes)
    suite = ElementTree.Element(
        "testsuite", name="plans", tests=str(len(outcomes)), failures=str(failed), errors="0",
        time=f"{sum(one.seconds for one in outcomes):.3f}",
    )  # fmt: skip
    for one in outcomes:
        case = ElementTree.SubElement(
            suite, "testcase", classname=_fit(one.plan),
            name=_fit(one.plan if one.seed is None else f"{one.plan}[seed {one.seed}]"),
            time=f"{one.seconds:.3f}",
        )  # fmt: skip
        if one.failure is not None:
            told = ElementTree.SubElement(
                case, "failure", message=_fit(one.failure.message), type=one.failure.kind
            )
            told.text = _fit("\n".join((
                f"node {one.failure.node}, frame {one.failure.frame}, {one.failure.time:.3f} s",
                *(f"before: {name} {value}" for name, value in one.failure.before.items()),
                *(f"after: {name} {value}" for name, value in one.failure.after.items()),
            )))  # fmt: skip
        if one.clip is not None:
            ElementTree.SubElement(case, "system-out").text = _fit(f"clip {one.clip}")
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    try:
        ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise PlanError(f"the report can't be written to {path}: {error}") from error


def _fit(text: str) -> str:
    return _UNFIT.sub("?", text)
