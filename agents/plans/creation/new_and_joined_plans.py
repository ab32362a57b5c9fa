"""Makes a new plan for a game, and joins several plans."""

from collections.abc import Iterable, Sequence
from copy import deepcopy

from ruamel.yaml.comments import CommentedSeq

from ....errors import PlanError
from ....games.plan_game_interface import PlanGame
from ..plan import Node, Plan
from ..plan_file import PlanFile, parse_plan, plan_file_of

_WIDTH = 96


def new_plan(game: str = "", driven: PlanGame | None = None, file: str = "<plan>") -> PlanFile:
    """A plan with one node: to go to where the player is.

    Args:
        game: The game that it is for.
        driven: The same, started: what it offers is then listed in comments.
    """
    if driven is None:
        return plan_file_of(Plan((Node(location=(0.0, 0.0, 0.0)),), game=game), file)
    x, y, z = (round(axis, 2) for axis in driven.observe().position)
    plan = Plan((Node(location=(x, y, z)),), game=game)
    return plan_file_of(plan, file, "\n".join(_offers(driven)))


def joined(files: Sequence[PlanFile], file: str = "<plan>") -> PlanFile:
    """The nodes of some plans one after another, and the rules of all; comments are kept.

    Raises:
        PlanError: there is none; they are for different games; or two rules of one name differ.
    """
    if not files:
        raise PlanError("no plans to join: name at least one")
    games = {one.plan.game for one in files if one.plan.game}
    if len(games) > 1:
        listing = ", ".join(f"{one.file}: {one.plan.game or 'any'}" for one in files)
        raise PlanError(f"plans for different games can't be joined: {listing}")
    document = deepcopy(files[0].document)
    if games and not files[0].plan.game:
        document.insert(0, "game", games.pop())
    known = {rule.title: (rule, files[0].file) for rule in files[0].plan.rules}
    for other in files[1:]:
        copy = deepcopy(other.document)
        _append(document["nodes"], copy["nodes"], range(len(other.plan.nodes)))
        fresh: list[int] = []
        for at, rule in enumerate(other.plan.rules):
            same, where = known.setdefault(rule.title, (rule, other.file))
            if same != rule:
                raise PlanError(
                    f"{other.file}:{other.line(('rules', at))}: rule {rule.title!r} is another one"
                    f" in {where}: give one of them a `name` of its own"
                )
            if where == other.file and same is rule:
                fresh.append(at)
        if fresh:
            _append(document.setdefault("rules", CommentedSeq()), copy["rules"], fresh)
    merged = PlanFile(files[0].plan, document, file)
    return parse_plan(merged.text(), file)


def _append(to: CommentedSeq, rows: CommentedSeq, numbers: Iterable[int]) -> None:
    for number in numbers:
        to.append(rows[number])
        if number in rows.ca.items:
            to.ca.items[len(to) - 1] = rows.ca.items[number]


def _offers(game: PlanGame) -> list[str]:
    """What the game has, as lines of a comment."""
    by_type: dict[str, set[str]] = {}
    can: dict[str, set[str]] = {}
    for actor in game.plan_actors():
        by_type.setdefault(actor.type, set()).add(actor.name)
        can.setdefault(actor.type, set()).update(actor.actions)
    paragraphs = ["Actors that are there at the start, by type, and what can be done to them:"]
    for type in sorted(by_type):
        names = ", ".join(sorted(by_type[type] - {type}))
        actions = ", ".join(sorted(can[type])) or "nothing"
        paragraphs.append(f"  {type} ({actions})" + (f": {names}" if names else ""))
    others = sorted(game.plan_types.keys() - by_type.keys())
    if others:
        paragraphs.append(f"Types of actors that may come: {', '.join(others)}")
    later = sorted(game.plan_names().keys() - {actor.name for actor in game.plan_actors()})
    if later:
        paragraphs.append(f"Names of actors that may come: {', '.join(later)}")
    anywhere = sorted(name for name, one in game.plan_actions.items() if one.somewhere)
    if anywhere:
        paragraphs.append(f"Actions that need no actor: {', '.join(anywhere)}")
    paragraphs.append(f"Values for rules: {', '.join(sorted(game.plan_values))}")
    return [line for one in paragraphs for line in _wrapped(one)]


def _wrapped(text: str) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        if len(lines[-1]) + len(word) > _WIDTH:
            lines.append("   ")
        lines[-1] += f"{word} "
    return [line.rstrip() for line in lines]
