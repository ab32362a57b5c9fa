"""`playhead plan serve`: answers an editor's questions about plans for a game."""

import json
import sys
from typing import Any

import click

from ...errors import CommandError
from ...games.game_catalog import FAMILIES, open_game
from ...games.user_code_loader import own_path
from ...runner.terminal.safe_terminal_output import echo


@click.command()
@click.argument("game")
@click.option("--skill", type=int, help="doom: how hard it is, 1 to 5.")
def serve(game: str, skill: int | None) -> None:
    """Answer an editor's questions about plans for GAME, until its input ends.

    The first line that it writes is a JSON object of all that a plan may name there: actors, types,
    names, actions, values, and where the player begins. For each line {"number": …, "text": …} that
    it reads it writes {"number": …, "problems": [{"line": …, "message": …}]}.

    \b
    Example:
      playhead plan serve arena:dungeon
    """
    from ...agents.plans.plan_checker import plan_game
    from ...agents.plans.plan_editor_support import problems_of, vocabulary

    own_path(game, list(FAMILIES))
    settings = {} if skill is None else {"skill": skill}
    with open_game(game, **settings) as opened:
        driven = plan_game(opened)
        echo(json.dumps(vocabulary(driven)))
        for line in sys.stdin:
            number, text = _question(line)
            echo(json.dumps({"number": number, "problems": problems_of(text, driven, game)}))


def _question(line: str) -> tuple[int, str]:
    try:
        asked: Any = json.loads(line)
        number, text = asked["number"], asked["text"]
    except (ValueError, KeyError, TypeError, RecursionError):
        number, text = None, None
    if not isinstance(number, int) or not isinstance(text, str):
        raise CommandError(f'{line.strip()[:80]!r}: write {{"number": 1, "text": "…"}} in a line')
    return number, text
