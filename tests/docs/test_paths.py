"""Every file and folder of the project that a page names is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").glob("*.md"))]
FOLDERS = {
    folder.name for folder in ROOT.iterdir() if folder.is_dir() and not folder.name.startswith(".")
} - {"build"}
FILE = re.compile(r"(?:[\w.-]+/)*[\w-]+\.(?:py|pyi|c|h|md|yaml|toml|gd|cs|js|mjs)")


def named_paths(text: str) -> set[str]:
    """What is in `backticks` and looks like one of the project's own files or folders."""
    found = set()
    for quoted in re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        first = quoted.split("/")[0]
        if "/" in quoted and first in FOLDERS and re.fullmatch(r"[\w./-]+", quoted):
            found.add(quoted)
    return found


def bare_names(text: str) -> set[str]:
    """Names of modules and C files without their folder."""
    quoted = re.findall(r"`([^`\n]+)`", text)
    return {name for name in quoted if FILE.fullmatch(name) and "/" not in name}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_that_a_page_names_is_there(page: Path) -> None:
    missing = [
        name for name in named_paths(page.read_text()) if not (ROOT / name.rstrip("/")).exists()
    ]
    assert missing == [], f"{page.name} names what is not there: mend the page"


def test_every_module_that_the_architecture_names_is_somewhere() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text()
    there = {path.name for folder in FOLDERS for path in (ROOT / folder).rglob("*.*")}
    there |= {path.name for path in ROOT.glob("*.*")}
    assert [name for name in bare_names(page) if name not in there] == []
    assert len(named_paths(page)) > 40, "the page names its paths in backticks"
