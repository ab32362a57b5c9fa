"""Every Python block of the README and of the docs runs as it is printed.

A block is a program of its own, with its imports. The blocks of a page run one after another in one
folder, so that one can open what another has recorded. One with tests in it is run by pytest; one
that opens the viewer gets a display, on which its window is closed.
"""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from ..support.process import Process, run_process
from ..viewer.display import Display, display

__all__ = ["display"]

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
RUN_ELSEWHERE = {"api.md", "libraries.md"}
"""A page that a program writes, without examples; and one with a test of its own."""
FAILS_ON_PURPOSE = {"testing.md": "CHECK FAILED"}
"""Pages whose tests fail, to show what the report says of it."""


class Block(NamedTuple):
    """A Python block of a page."""

    page: str
    line: int
    code: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def opens_the_viewer(self) -> bool:
        return "ph.view(" in self.code


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(page.name, text.count("\n", 0, found.start()) + 2, found[1])
        for found in re.finditer(r"^```(?:python|py)\n(.*?)^```$", text, re.M | re.S)
    ]


LONG = {
    "arena.md", "behaviour-tree-maker.md", "behaviour-trees.md", "decisions.md", "plan-games.md",
    "plans.md", "recording.md", "test-your-own-game.md", "testing.md",
}  # fmt: skip
"""Pages on which something learns, is played to its end, or with many programs."""
BLOCKS = {page.name: blocks_of(page) for page in PAGES if page.name not in RUN_ELSEWHERE}
BLOCKS = {page: blocks for page, blocks in BLOCKS.items() if blocks}


def environment() -> dict[str, str | None]:
    """What a program sees on a machine without a display, without what the tests have set."""
    removed = {name: None for name in os.environ if name.startswith("PLAYHEAD")}
    return {**removed, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}


def run(block: Block, folder: Path) -> None:
    """Run a block; it fails if the program does."""
    program = folder / f"test_block_{block.line}.py"
    program.write_text(block.code, encoding="utf-8")
    runs = ["-m", "pytest", "-q"] if re.search(r"^def test_", block.code, re.M) else []
    # Hypothesis would be imported by pytest, and is not used.
    env = {**environment(), "PYTEST_ADDOPTS": "-p no:hypothesispytest"}
    done = run_process(sys.executable, *runs, program.name, cwd=folder, env=env, limit=280)
    output = f"{block}\n{done.stdout}{done.stderr}"
    expected = FAILS_ON_PURPOSE.get(block.page) if runs else None
    assert done.returncode == (0 if expected is None else 1), output
    assert expected is None or expected in done.stdout, output


def run_and_close_the_window(block: Block, folder: Path, display: Display) -> None:
    """Run a block that opens the viewer, as a person would who closes the window again."""
    (folder / "block.py").write_text(block.code, encoding="utf-8")
    env = {**environment(), **display.environment}
    with Process(sys.executable, "block.py", cwd=folder, env=env) as program:
        display.close_window(display.window("mcap"))
        end = program.end()
    assert end.returncode == 0, f"{block}\n{end.stdout}{end.stderr}"
    assert "CHECK FAILED" in end.stderr, "the viewer was opened for a reason"


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] * (page in LONG)) for page in BLOCKS],
)
def test_the_blocks_of_a_page_run_as_printed(
    page: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    for block in BLOCKS[page]:
        for library in re.findall(r"^(?:import|from) (\w+)", block.code, re.M):
            if library != "playhead":
                pytest.importorskip(library)
        if not block.opens_the_viewer:
            run(block, tmp_path)
        elif shutil.which("Xvfb") and shutil.which("xdotool"):
            run_and_close_the_window(block, tmp_path, request.getfixturevalue("display"))
        else:
            run(block._replace(code=re.sub(r"^ph\.view\(.*", "", block.code, flags=re.M)), tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_the_first_example_of_the_readme_ends_well_on_a_machine_without_a_display(
    tmp_path: Path,
) -> None:
    (tmp_path / "guards.py").write_text(BLOCKS["README.md"][0].code, encoding="utf-8")
    hidden: dict[str, str | None] = dict.fromkeys(("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
    env = {**environment(), **hidden}
    done = run_process(sys.executable, "guards.py", cwd=tmp_path, env=env, limit=280)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "there is no display" in done.stderr.splitlines()[-1]


def test_blocks_import_from_the_front_door_alone() -> None:
    """What a reader has to look up is one name: `import playhead as ph`. Games, plans and trees
    have their own."""
    inner = re.compile(
        r"^(?:from|import) playhead\.(?!(?:games|agents|plans|behaviour_trees)\b)\S+", re.M
    )
    every = [block for blocks in BLOCKS.values() for block in blocks]
    assert not [f"{block}: {found[0]}" for block in every for found in inner.finditer(block.code)]


def test_the_first_example_of_the_readme_has_at_most_ten_lines_and_ends_in_the_viewer() -> None:
    first = BLOCKS["README.md"][0]
    assert len([line for line in first.code.splitlines() if line.strip()]) <= 10
    assert first.opens_the_viewer
