"""Programs in JavaScript that tests run with Node, and the libraries that they need."""

import shutil
from pathlib import Path

import pytest

from .support.process import run_process
from .support.shared_folder import alone_in

ROOT = Path(__file__).parents[1]


def node_folder(name: str, sources: Path, needs: str) -> Path:
    """A folder with copies of the sources and, fetched once by npm, what their package file names.

    The test is skipped where npm or Node is not installed.

    Args:
        name: What the folder is called below `build/node`.
        needs: A package that is there once all are.
    """
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("npm and node are not installed")
    folder = ROOT / "build" / "node" / name
    with alone_in(folder):
        for file in sources.iterdir():
            shutil.copy(file, folder)
        if not (folder / "node_modules" / needs).exists():
            command = (npm, "install", "--no-audit", "--no-fund", "--ignore-scripts")
            done = run_process(*command, cwd=folder, limit=200)
            assert done.returncode == 0, done.stderr
    return folder


def run_node(folder: Path, program: str, *args: object) -> str:
    """Run a program of the folder; returns what it printed."""
    done = run_process("node", program, *args, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout
