"""Programs that know nothing of playhead, run with and without its recorder."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..support.process import PLAYHEAD, run_process

Ended = subprocess.CompletedProcess[str]
QUIET = {"PYGAME_HIDE_SUPPORT_PROMPT": "1", "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., Ended]:
    """Run `playhead record` in the test's folder."""

    def run(*arguments: object, **options: Any) -> Ended:
        return run_process(PLAYHEAD, "record", *arguments, cwd=tmp_path, env=QUIET, **options)

    return run


@pytest.fixture
def plain(tmp_path: Path) -> Callable[..., Ended]:
    """Run the same with plain Python."""

    def run(*arguments: object, **options: Any) -> Ended:
        return run_process(sys.executable, *arguments, cwd=tmp_path, env=QUIET, **options)

    return run


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write a program into the test's folder."""

    def save(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return save
