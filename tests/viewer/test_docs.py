"""The page on the viewer says what the code does, and the promises name tests that there are."""

import re
from pathlib import Path

from playhead.viewer.input.action_table import ACTIONS, GROUPS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "viewer.md").read_text(encoding="utf-8")
KEYS = (ROOT / "docs" / "viewer-keys.md").read_text(encoding="utf-8")
PROMISES = ROOT / "tests" / "viewer" / "promises.md"
MOST = 300_000
"""Bytes that a picture may have: they are in the repository for good."""


def test_the_doc_has_the_keys_as_the_code_has_them():
    ordered = sorted(ACTIONS, key=lambda action: GROUPS.index(action.group))
    rows = [
        f"| {' '.join(f'`{key}`' for key in action.keys) or 'none'} | {action.id} | {action.help} |"
        for action in ordered
    ]
    assert "\n".join(["| key | id | does |", "|---|---|---|", *rows, "", "## "]) in KEYS


def test_every_picture_and_page_that_the_doc_leads_to_is_there():
    links = set(re.findall(r"\]\(([a-z-]+\.(?:png|md))\)", PAGE))
    assert len(links) > 5
    for name in links:
        path = ROOT / "docs" / name
        assert path.is_file(), name
        assert path.suffix != ".png" or path.stat().st_size <= MOST, name


def test_every_test_that_the_promises_name_is_there():
    folder = ROOT / "tests" / "viewer"
    text = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    known = set(re.findall(r"def test_(\w+)", text))
    promises = PROMISES.read_text(encoding="utf-8")
    named = set(re.findall(r"\b[a-z0-9]+(?:_[a-z0-9]+){3,}\b", promises))
    assert len(named) > 40
    assert not named - known
