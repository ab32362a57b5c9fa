"""`playhead find`: when did an expression become true in a recording?"""

import json
import shlex
from itertools import islice
from typing import Any

import click

from ...errors import CommandError
from ...recorder.monotonic_timeline import exactly
from ...recording import open_file
from ...recording.search.find import Hit
from ...recording.trees.tree_text import value_text
from ...runner.terminal.safe_terminal_output import echo

_MOST = 100


@click.command(no_args_is_help=False)
@click.argument("recording", type=click.Path(dir_okay=False))
@click.argument("expression")
@click.option("--object", "objects", multiple=True, help="Only this object, by id or name; repeat.")
@click.option("--from", "start", type=float, help="Only from this time on, seconds.")
@click.option("--to", "end", type=float, help="Only up to this time, seconds.")
@click.option("--most", type=click.IntRange(1), default=_MOST, show_default=True, help="Hits.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a hit.")
def find(
    recording: str, expression: str, objects: tuple[str, ...], start: float | None,
    end: float | None, most: int, as_json: bool,
) -> None:  # fmt: skip
    """Say when EXPRESSION becomes true in RECORDING, a clip or the ring of a game.

    Names are fields, watched values, `state`, `time`, `frame`; functions changed, previous,
    entered, left, state, event, node, abs, norm. Exit code 1: there is no hit.

    \b
    Example:
      playhead find run.mcap 'hp < 50 and state == "Flee"'
      playhead find run.mcap '"guard 7".hp < previous(hp)' --json
    """
    with open_file.open(recording) as run:
        try:
            hits = run.find(expression, objects=objects or None, start=start, end=end)
            found = list(islice(hits, most + 1))
        except CommandError as error:
            raise CommandError(f"{recording}: {error}") from None
        for hit in found[:most]:
            echo(json.dumps(hit._asdict()) if as_json else _line(hit))
    if len(found) > most:
        echo(f"and more: --most {2 * most} shows as many", err=True)
    if found and not as_json:
        focus = f" --focus {found[0].object}" if found[0].object else ""
        echo(
            f"look at the first one: playhead view {shlex.quote(recording)}"
            f" --at '#{found[0].frame}'{focus}",
            err=True,
        )
    if not found:
        if not as_json:
            echo("no hit", err=True)
        click.get_current_context().exit(1)


def _line(hit: Hit) -> str:
    whose = hit.name or ("the world" if hit.object == 0 else f"object {hit.object}")
    if not whose.endswith(f" {hit.object}") and hit.object:
        whose += f" (id {hit.object})"
    values = ", ".join(f"{name} = {_value(value)}" for name, value in hit.values.items())
    time = f"{exactly(hit.time):>10} s"
    return f"{time}  frame {hit.frame:<8} {whose}{f'   {values}' if values else ''}"


def _value(value: Any) -> str:
    return value if isinstance(value, str) else value_text(value)
