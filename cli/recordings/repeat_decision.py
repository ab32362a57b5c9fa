"""`playhead ask`: make a recorded decision again, outside the game, perhaps with an edit."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from ...errors import CommandError
from ...recorder.monotonic_timeline import exactly
from ...recording.decisions.decision_reexecution import TIME_LIMIT
from ...recording.decisions.reexecuted_decision import ReexecutedDecision
from ...recording.decisions.reexecuted_decision_text import (
    choice_text,
    decision_facts,
    decision_lines,
)
from ...recording.recording import Recording
from ...runner.terminal.safe_terminal_output import echo
from .instant_parser import bounds_of, instant_of, opened

WITH = click.option(
    "--with", "edit", type=click.Path(path_type=Path), help="An edit: its choice is laid beside."
)
MAKER = click.option(
    "--maker", metavar="MODULE:FUNCTION",
    help="Who decides, if not as recorded: takes the inputs, or returns the tree or machine.",
)  # fmt: skip
DECIDER = click.option("--decider", help="The machine, tree or plan, if the agent has several.")
LIMIT = click.option(
    "--time-limit", type=click.FloatRange(0), default=TIME_LIMIT, show_default=True,
    help="Seconds that a decision may take; 0: no limit.",
)  # fmt: skip


@click.command(no_args_is_help=False)
@click.argument("recording")
@click.option("--agent", required=True, help="Whose decision, by id or name.")
@click.option("--at", help="The instant: seconds, '#FRAME' or a mark; by default the end.")
@click.option("--range", "stretch", metavar="A..B", help="Or all decisions from one to another.")
@WITH
@DECIDER
@MAKER
@LIMIT
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a decision.")
def ask(
    recording: str, agent: str, at: str | None, stretch: str | None, edit: Path | None,
    decider: str | None, maker: str | None, time_limit: float, as_json: bool,
) -> None:  # fmt: skip
    """Make the newest decision of an agent up to an instant again, from its recorded inputs.

    RECORDING is a clip, the ring of a game, or the address of a running one.

    The code that decided is called here, outside the game: breakpoints in it hit. With an edit the
    new choice is laid beside the recorded one. Over a range the frames are listed in which the
    edit would have chosen otherwise. Exit code 1: a decision did not come out as recorded.

    An edit is an edited copy of the Python module that decides, a plan, or a workspace or one of
    its files.

    \b
    Example:
      playhead ask run.mcap --at 12.5 --agent "guard 7"
      playhead ask run.mcap --at '#750' --agent "guard 7" --with guard_fsm_edited.py
      playhead ask run.mcap --range 0..30 --agent player --with other.plan.yaml --json
      playhead ask run.mcap --agent north --maker my_game.trees:make_guard
    """
    if at is not None and stretch is not None:
        raise CommandError("--at and --range: give one of them")
    sys.path.insert(0, os.getcwd())  # a script's path begins with its own folder instead
    options: dict[str, Any] = {
        "decider": decider, "with_": edit, "maker": maker, "time_limit": time_limit or None,
    }  # fmt: skip
    with opened(recording) as run:
        try:
            if stretch is None:
                reproduced = _one(run, agent, at, options, as_json=as_json)
            else:
                reproduced = _all(run, agent, stretch, options, as_json=as_json)
        except CommandError as error:
            raise CommandError(f"{recording}: {error}") from error
    if not reproduced:
        click.get_current_context().exit(1)


def _one(
    run: Recording, agent: str, at: str | None, options: dict[str, Any], *, as_json: bool
) -> bool:
    asked = run.ask(agent, **instant_of(run, at), **options)
    echo(_json(decision_facts(asked)) if as_json else decision_lines(asked))
    return asked.is_reproduced


def _all(
    run: Recording, agent: str, stretch: str, options: dict[str, Any], *, as_json: bool
) -> bool:
    count = reproduced = changed = 0
    same: list[ReexecutedDecision] = []
    """Changed decisions one after another that are printed in one line."""
    for one in run.ask_all(agent, **bounds_of(run, stretch), **options):
        count += 1
        reproduced += one.is_reproduced
        changed += one.is_changed
        if as_json and not (one.is_reproduced and not one.is_changed):
            echo(_json(decision_facts(one)))
        elif not as_json:
            if same and not (one.is_changed and _change(one) == _change(same[0])):
                echo([_change_line(same)])
                same.clear()
            same += [one] if one.is_changed else []
            for line in _difference_lines(one):
                echo(line)
    if same:
        echo([_change_line(same)])
    if as_json:
        echo(_json({"decisions": count, "reproduced": reproduced, "changed": changed}))
    else:
        echo(_summary(count, reproduced, changed, options["with_"]))
    return reproduced == count


def _change_line(same: list[ReexecutedDecision]) -> str:
    """Decisions that an edit changes in the same way."""
    first, last = same[0], same[-1]
    frames = f"frame {first.frame}"
    if last.frame != first.frame:
        frames = f"frames {first.frame} to {last.frame}"
    count = f"  ({len(same)} decisions)" if len(same) > 1 else ""
    return f"{exactly(first.time):>10} s  {frames:<22} {_change(first)}{count}"


def _change(one: ReexecutedDecision) -> str:
    assert one.edited is not None
    return f"{choice_text(one.recorded)} → {choice_text(one.edited)}"


def _difference_lines(one: ReexecutedDecision) -> Iterator[str]:
    if not one.is_reproduced:
        differences = "; ".join(one.differences[:3])
        where = f"{exactly(one.time):>10} s  {f'frame {one.frame}':<22}"
        yield f"{where} NOT reproduced: {differences}"
        yield from (f"{'':36} note: {note}" for note in one.notes)


def _summary(count: int, reproduced: int, changed: int, edit: Path | None) -> str:
    text = f"{count} decisions, "
    text += "all as recorded" if reproduced == count else f"{count - reproduced} NOT as recorded"
    if edit is not None:
        text += f"; {edit} would have chosen otherwise in {changed} of them"
    return text


def _json(facts: dict[str, Any]) -> str:
    return msgspec.json.encode(facts).decode()
