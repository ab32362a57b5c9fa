"""`playhead new`: files to begin with."""

from pathlib import Path

import click

from ...errors import CommandError
from ...recorder.saving.atomic_file import check_free
from ...runner.terminal.safe_terminal_output import echo

TEMPLATE = Path(__file__).parent / "tester_template"
"""What is written for a tester: files that work as they are."""


@click.group()
def new() -> None:
    """Write files to begin with.

    \b
    Example:
      playhead new tester mygame
    """


@new.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
def tester(folder: Path) -> None:
    """Write a game that the playthrough tester plays, to be replaced by yours.

    No file is ever replaced.

    \b
    Example:
      playhead new tester mygame
    """
    files = sorted(path for path in TEMPLATE.iterdir() if path.suffix in (".py", ".md"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"{folder}: no folder can be made there: {error.strerror}") from error
    for path in files:
        check_free(folder / path.name)
    for path in files:
        (folder / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    echo([
        *(f"wrote     {folder / path.name}" for path in files),
        "next",
        f"  cd {folder}",
        "  playhead demo-record my_game.py:MyGame walk.csv --headless",
        "  playhead replay my_game.py:MyGame walk.csv --seeds 1..10",
    ])  # fmt: skip
