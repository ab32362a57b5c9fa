"""Completion and diagnostics for editors of plans: what a game offers, and a text's problems."""

import re
from typing import Any

from ...errors import PlanError
from ...games.plan_game_interface import PlanGame
from .plan_checker import check_for_game, check_plan
from .plan_file import parse_plan

_FILE = "plan"
_LINE = re.compile(rf"^{_FILE}:(\d+): ")


def vocabulary(game: PlanGame) -> dict[str, Any]:
    """All that a plan for this game may name."""
    actors = [
        {
            "id": one.id, "name": one.name, "type": one.type, "position": one.position,
            "actions": one.actions,
        }
        for one in game.plan_actors()
    ]  # fmt: skip
    return {
        "actors": actors,
        "position": game.observe().position,
        "types": sorted(game.plan_types),
        "names": sorted(game.plan_names()),
        "actions": {name: one.somewhere for name, one in sorted(game.plan_actions.items())},
        "values": sorted(game.plan_values),
    }


def problems_of(text: str, game: PlanGame, name: str) -> list[dict[str, Any]]:
    """All that is wrong with a plan's text for a game of this name: lines and messages."""
    try:
        file = parse_plan(text, _FILE, strict=False)
        check_for_game(file.plan, _FILE, name)
        check_plan(file, game)
    except PlanError as error:
        found = []
        for one in str(error).splitlines():
            line = _LINE.match(one)
            message = one[line.end() :] if line else one.removeprefix(f"{_FILE}: ")
            found.append({"line": int(line[1]) if line else 0, "message": message})
        return found
    return []
