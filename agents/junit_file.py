"""Results of tests as a JUnit file, which every CI server reads."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from ..errors import PlayheadError, RecordingError

_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML can't hold."""


class JunitFailure(NamedTuple):
    """Why a test failed."""

    message: str
    type: str
    text: str = ""


class JunitCase(NamedTuple):
    """One test."""

    classname: str
    name: str
    seconds: float
    failure: JunitFailure | None = None
    skipped: bool = False
    output: str = ""


def write_junit_file(
    suite: str, cases: Sequence[JunitCase], path: Path, error: type[PlayheadError] = RecordingError
) -> None:
    """Write a report of these tests, all of it or nothing.

    Args:
        suite: What all of them are called together.
        error: Raised if it can't be written.
    """
    failed = sum(case.failure is not None for case in cases)
    skipped = sum(case.skipped for case in cases)
    element = ElementTree.Element(
        "testsuite", name=suite, tests=str(len(cases)), failures=str(failed), errors="0",
        skipped=str(skipped), time=f"{sum(case.seconds for case in cases):.3f}",
    )  # fmt: skip
    for case in cases:
        one = ElementTree.SubElement(
            element, "testcase", classname=_fit(case.classname), name=_fit(case.name),
            time=f"{case.seconds:.3f}",
        )  # fmt: skip
        if case.failure is not None:
            failure_element = ElementTree.SubElement(
                one, "failure", message=_fit(case.failure.message), type=case.failure.type
            )
            failure_element.text = _fit(case.failure.text)
        if case.skipped:
            ElementTree.SubElement(one, "skipped")
        if case.output:
            ElementTree.SubElement(one, "system-out").text = _fit(case.output)
    root = ElementTree.Element("testsuites")
    root.append(element)
    ElementTree.indent(root)
    partial = path.with_name(f".{path.name}.part")
    try:
        ElementTree.ElementTree(root).write(partial, encoding="utf-8", xml_declaration=True)
        partial.replace(path)
    except OSError as problem:
        raise error(f"the report can't be written to {path}: {problem}") from problem


def _fit(text: str) -> str:
    return _UNFIT.sub("?", text)
