"""Records the listed programs and prints the table of docs/programs.md.

`python -m tools.recorded_programs.make_table FOLDER [--arcade PYTHON] [NAME …]`, in the project's
folder. Clips and pictures of the viewer are left in FOLDER. arcade asks for another pymunk: it may
have a Python of its own.
"""

import argparse
import os
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import playhead as ph

from .programs import PROGRAMS, ListedProgram

OUTCOME = Path(__file__).with_name("outcome.py")
FRAMES, SECONDS, LIMIT = 150, 25, 120
HEADLESS = {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy", "ARCADE_HEADLESS": "true",
            "MUJOCO_GL": "egl", "QT_QPA_PLATFORM": "offscreen"}  # fmt: skip


def run(*command: object, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command], cwd=folder, env={**os.environ, **HEADLESS}, text=True,
        capture_output=True, timeout=LIMIT, check=False,
    )  # fmt: skip


def version_of(package: str, python: Path) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        code = f"import importlib.metadata as m; print(m.version({package!r}))"
        return run(python, "-c", code, folder=Path.cwd()).stdout.strip()


def outcome_of(program: ListedProgram, python: Path, folder: Path) -> str:
    """Whether the program's outcome is the same with and without the recorder, and its hash."""
    arguments = (OUTCOME, 60, program.watched, *program.command)
    record = (python.with_name("playhead"), "record", "--headless", "--out", "outcome.mcap")
    plain = run(python, *arguments, folder=folder).stdout
    recorded = run(*record, *arguments, folder=folder).stdout
    if not plain:
        return "it needs a display"
    if plain != recorded:
        return f"{plain.strip()} / {recorded.strip()}"
    return f"equal, `{plain.split()[0]}`"


def row(program: ListedProgram, python: Path, folder: Path) -> str:
    clip = folder / f"{program.stem}.mcap"
    clip.unlink(missing_ok=True)
    output = run(
        python.with_name("playhead"), "record", "--headless", "--frames", FRAMES, "--seconds",
        SECONDS, "--out", clip, *program.command, folder=folder,
    ).stderr  # fmt: skip
    lines = [line.removeprefix("playhead:   ") for line in output.splitlines()]
    found = [re.split(r"  +", line) for line in lines if re.match(r"\w+ [\w ]+  +", line)]
    kinds = "; ".join(f"{kind}: {what}" for kind, what, *_ in found if kind != "open it")
    frames, objects, pictures = "0", "0", "0"
    if clip.exists():
        with ph.open(clip) as recording:
            newest = len(recording.frames)
            frames, objects = f"{newest}", f"{len(recording.objects())}"
            pictures = f"{sum(1 for _ in recording.pictures())}"
        view = Path(sys.executable).with_name("playhead")
        for size in ("1920x1080", "1280x720"):
            picture = f"{program.stem}-{size}.png"
            run(view, "view", clip, "--size", size, "--screenshot", picture, folder=folder)
    package = f"{program.package} {version_of(program.package, python)}"
    cells = [
        program.name, package, kinds or "nothing",
        frames, objects, pictures, outcome_of(program, python, folder),
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--arcade", type=Path, default=Path(sys.executable))
    given = parser.parse_args()
    folder = given.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    for program in PROGRAMS:
        if not given.names or any(name in program.arguments for name in given.names):
            python = given.arcade if program.package == "arcade" else Path(sys.executable)
            print(row(program, python, folder), flush=True)


if __name__ == "__main__":
    main()
