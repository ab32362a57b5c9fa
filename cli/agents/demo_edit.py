"""`playhead demo-edit`: cut a stretch out of a demo, join demos, record a stretch again."""

import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from ...agents.demo_editing import (
    PLAYED,
    DemoText,
    broken_at,
    checked_rows,
    read_text,
    write_text,
    wrong_joint,
    wrong_saves,
)
from ...agents.replay.demos.demo_files import end_of, start_of
from ...agents.replay.demos.python_script_player import load_script
from ...errors import CommandError
from ...games.game_catalog import FAMILIES
from ...games.user_code_loader import own_path
from ...recorder.saving.atomic_file import check_free
from ...runner.demo_stretch_rerecording import rerecord as record_stretch
from ...runner.replay_game_opener import GameRequest
from ...runner.replay_per_seed import ReplaySetup, memory_for
from ...runner.terminal.safe_terminal_output import echo
from ..bus.bus_server_options import settings_of
from ..bus.connection_options import FILE, Commands
from ..games.run import HIDDEN, can_have_window

OUT = click.argument("out", type=FILE, metavar="OUT.csv")
FORCE = click.option("--force", is_flag=True, help="Write it although a joint can't be played.")


@click.group(cls=Commands)
def demo_edit() -> None:
    """Edit demos: no file is replaced, and what is not edited stays byte for byte.

    Rows count from 0, as in `playhead replay`. Each joint is checked: the same level, a place that
    the player can be at in the next row, no event, screen or flight that is broken off, and the
    same saved games.

    \b
    Example:
      playhead demo-edit cut walk.csv start.csv --to 300
      playhead demo-edit join start.csv rest.csv whole.csv
      playhead demo-edit rerecord walk.csv better.csv --game maze.py:Maze --from 120 --to 180
    """


@demo_edit.command()
@click.argument("demo", type=FILE, metavar="DEMO.csv")
@OUT
@click.option("--from", "first", type=int, default=0, show_default=True, help="The first row.")
@click.option("--to", "last", type=int, help="The row before which it ends; by default the end.")
@FORCE
def cut(demo: Path, out: Path, first: int, last: int | None, force: bool) -> None:
    """Cut a stretch of rows out of a demo.

    The saved game at the demo's start goes along if the stretch begins there, the one at its end if
    it ends there. A stretch without one is played after a demo that ends where it begins.

    \b
    Example:
      playhead demo-edit cut walk.csv shop.csv --from 120 --to 300
    """
    _check_outputs(out)
    text = read_text(demo)
    count = len(text.rows)
    end = count if last is None else last
    rows = checked_rows(text, first, end)
    _refuse([*broken_at(text, first), *broken_at(text, end)], force=force)
    written = write_text(
        out, text.names, [text.rows[row] for row in rows],
        start_of(demo) if first == 0 else None, end_of(demo) if end == count else None,
    )  # fmt: skip
    _report(written, len(rows))


@demo_edit.command()
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="DEMO.csv … OUT.csv")
@FORCE
def join(files: tuple[Path, ...], force: bool) -> None:
    """Join demos, each of which begins where the one before ends.

    \b
    Example:
      playhead demo-edit join one.csv two.csv whole.csv
    """
    if len(files) < 3:
        raise click.UsageError("write DEMO.csv DEMO.csv … OUT.csv")
    *demos, out = files
    _check_outputs(out)
    texts = [read_text(path) for path in demos]
    _refuse(
        [
            reason
            for before, after in pairwise(texts)
            for reason in (
                *wrong_joint(before, len(before.rows) - 1, after, 0), *wrong_saves(before, after)
            )
        ],
        force=force,
    )  # fmt: skip
    rows = [row for text in texts for row in text.rows]
    written = write_text(out, texts[0].names, rows, start_of(demos[0]), end_of(demos[-1]))
    _report(written, len(rows))


@demo_edit.command()
@click.argument("demo", type=FILE, metavar="DEMO.csv")
@OUT
@click.option("--game", required=True, help="As for `playhead replay`.")
@click.option("--from", "first", type=int, required=True, help="The row from which it is new.")
@click.option("--to", "last", type=int, help="The row from which the demo is kept again.")
@click.option("--seed", type=int, help="Decides everything that is left to chance.")
@click.option("--script", default="", metavar="FILE.py", help="Who plays, as for demo-record.")
@click.option("--agent", default="", metavar="MODULE:FACTORY", help="As for `playhead replay`.")
@click.option("--settings", "numbers", type=FILE, metavar="YAML", help="The agent's numbers.")
@click.option("--headless", is_flag=True, help="Without a window: a script, or the game's own.")
@FORCE
def rerecord(
    demo: Path, out: Path, game: str, first: int, last: int | None, seed: int | None, script: str,
    agent: str, numbers: Path | None, headless: bool, force: bool,
) -> None:  # fmt: skip
    """Record a stretch of a demo again, and keep the rest.

    The agent plays the demo up to the row --from. Then you play, in the window, or the script does,
    until the player is where the row --to is; the demo after that is kept as it is. Without
    --to all after the stretch is new.

    \b
    Example:
      playhead demo-edit rerecord walk.csv better.csv --game maze.py:Maze --from 120 --to 180
    """
    _check_outputs(out)
    text = read_text(demo)
    checked_rows(text, first, len(text.rows) if last is None else last)
    own_path(game, list(FAMILIES))
    for name in filter(None, (agent, script)):
        own_path(name, ())
    plays = load_script(script) if script else None
    window = not headless and plays is None and can_have_window(locked=False)
    bus = settings_of(HIDDEN, None, None) if window else None
    request = GameRequest(game, {}, memory_for([demo]), bus=bus, window=window)
    setup = ReplaySetup(request, (demo,), numbers=numbers, agent=agent)
    with tempfile.TemporaryDirectory(prefix="playhead-") as folder:
        new = Path(folder) / out.name
        stretch = record_stretch(
            setup, new, first=first, last=last, seed=seed, script=plays,
            say=lambda words: echo(f"playhead: {words}", err=True),
        )  # fmt: skip
        if not stretch.arrived:
            raise CommandError(
                f"the player did not get to where row {last} is: {out} is not written"
            )
        _write_stretch(text, read_text(new), out, first, last, force=force)


def _write_stretch(
    text: DemoText, fresh: DemoText, out: Path, first: int, last: int | None, *, force: bool
) -> None:
    wrong: list[str] = []
    if first > 0:
        wrong += wrong_joint(text, first - 1, fresh, 0, reach=PLAYED)
    if last is not None:
        wrong += wrong_joint(fresh, len(fresh.rows) - 1, text, last, reach=PLAYED)
    _refuse(wrong, force=force)
    kept = [] if last is None else text.rows[last:]
    rows = [*text.rows[:first], *fresh.rows, *kept]
    end = end_of(fresh.path if last is None else text.path)
    written = write_text(out, text.names, rows, start_of(text.path), end)
    _report(written, len(rows))
    echo(f"new       rows {first} to {first + len(fresh.rows)}")


def _check_outputs(out: Path) -> None:
    for path in (out, start_of(out), end_of(out)):
        check_free(path)


def _refuse(wrong: Sequence[str], *, force: bool) -> None:
    """Refuse a joint that can't be played, or say so if it is wanted all the same."""
    if wrong and not force:
        raise CommandError(f"{'; '.join(wrong)}; --force writes it all the same")
    for reason in wrong:
        echo(f"playhead: {reason}", err=True)


def _report(written: Sequence[Path], rows: int) -> None:
    lines: list[Any] = [f"{written[0]}: {rows:,} rows"]
    echo([*lines, *(f"saved     {path}" for path in written[1:])])
