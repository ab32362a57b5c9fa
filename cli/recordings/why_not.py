"""`playhead why-not`: what kept a state, a rule or a branch of a tree from coming?"""

import os
import sys

import click
import msgspec

from ...errors import CommandError
from ...recording.decisions.why_not_text import why_not_lines
from ...runner.terminal.safe_terminal_output import echo
from .instant_parser import opened
from .repeat_decision import DECIDER, LIMIT, MAKER


@click.command("why-not", no_args_is_help=False)
@click.argument("recording")
@click.argument("agent")
@click.argument("state")
@click.option("--from", "start", type=float, help="Only from this time on, seconds.")
@click.option("--to", "end", type=float, help="Only up to this time, seconds.")
@DECIDER
@MAKER
@LIMIT
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def why_not(
    recording: str, agent: str, state: str, start: float | None, end: float | None,
    decider: str | None, maker: str | None, time_limit: float, as_json: bool,
) -> None:  # fmt: skip
    """Say what kept STATE of AGENT from coming: a state, a rule of a plan, a node of a tree.

    RECORDING is a clip, the ring of a game, or the address of a running one.

    Which condition or node was in the way, in how many decisions, and when it came nearest: the
    frame, the values, and how far it was from holding.

    \b
    Example:
      playhead why-not run.mcap "guard 7" Attack
      playhead why-not run.mcap "guard 7" Attack --from 10 --to 20 --json
      playhead why-not run.mcap player "attack enemy"
    """
    sys.path.insert(0, os.getcwd())  # a script's path begins with its own folder instead
    with opened(recording) as run:
        try:
            found = run.why_not(
                agent, state, start=start, end=end, decider=decider, maker=maker,
                time_limit=time_limit or None,
            )  # fmt: skip
        except CommandError as error:
            raise CommandError(f"{recording}: {error}") from error
    echo(msgspec.json.encode(found).decode() if as_json else why_not_lines(found))
