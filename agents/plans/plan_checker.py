"""Checks a plan against its game before it starts: do its actors and actions exist there?"""

from collections.abc import Iterator

from ...errors import GameError, PlanError
from ...games.game_interface import Game
from ...games.plan_game_interface import PlanGame
from ...games.plan_target_actor import Actor
from ...games.walkable_grid import GridMap
from ...recorder.text.name_hint import name_hint
from .plan import Node, Plan, Rule
from .plan_file import PlanFile, PlanProblem


def plan_game(game: Game) -> PlanGame:
    """The same game, which plans can drive.

    Raises:
        GameError: they can't.
    """
    if not isinstance(game, PlanGame):
        missing = [
            name for name in sorted(_members()) if not hasattr(game, name)
        ]  # fmt: skip
        raise GameError(f"{game.name} can't be driven by plans: it has no {', '.join(missing)}")
    return game


def check_plan(file: PlanFile, game: PlanGame) -> None:
    """Nothing, if the plan is well-formed and the game has all that it names.

    Raises:
        PlanError: it is not, or has not; all that is wrong, with lines.
    """
    problems = sorted({*file.problems, *_problems(file, game)})
    if problems:
        raise file.error(problems)


def meant(name: str, actors: "list[Actor] | tuple[Actor, ...]") -> list[Actor]:
    """The actors that a reference means: those of this name, or else of this type."""
    return [a for a in actors if a.name == name] or [a for a in actors if a.type == name]


def check_for_game(plan: Plan, file: str, *names: str) -> None:
    """Nothing, if the plan is for this game or for any.

    Args:
        names: The game's own, and the one by which it was opened, which may be a file.

    Raises:
        PlanError: it is for another.
    """
    if plan.game and plan.game not in names:
        raise PlanError(f"{file}: this plan is for {plan.game}, not for {names[0]}")


def check_begin(file: PlanFile, begin: int) -> None:
    """Nothing, if the plan has a node of that number, counted from 1.

    Raises:
        PlanError: it has not.
    """
    count = len(file.plan.nodes)
    if not 1 <= begin <= count:
        raise PlanError(f"{file.file}: there is no node {begin} to begin with: it has 1 to {count}")


def _problems(file: PlanFile, game: PlanGame) -> Iterator[PlanProblem]:
    gridless = not isinstance(game.plan_map(), GridMap)
    tasks: list[tuple[Node | Rule, str, int]] = [
        *((node, "nodes", index) for index, node in enumerate(file.plan.nodes)),
        *((rule, "rules", index) for index, rule in enumerate(file.plan.rules)),
    ]
    for task, part, index in tasks:
        if task.movement == "policy" and gridless:
            message = "the game has no map of cells, which the movement 'policy' needs"
            yield PlanProblem(file.line((part, index)), message)
    for index, node in enumerate(file.plan.nodes):
        place = ("nodes", index)
        if node.actor:
            yield from _actor(file, game, node.actor, (*place, "actor"))
        if node.action:
            yield from _action(file, game, node.action, node.actor, (*place, "action"))
    for index, rule in enumerate(file.plan.rules):
        place = ("rules", index)
        about = ""
        for number, one in enumerate(rule.when):
            where = (*place, "when", number)
            if one.actor:
                about = about or one.actor
                yield from _actor(file, game, one.actor, (*where, "actor"))
            elif one.value not in game.plan_values:
                near = name_hint(one.value, sorted(game.plan_values))
                yield PlanProblem(
                    file.line((*where, "value")),
                    f"rule {rule.title!r}: the game has no value {one.value!r}: {near}",
                )
        if rule.action:
            yield from _action(file, game, rule.action, about, (*place, "action"))
        elif not about:
            yield PlanProblem(
                file.line(place), f"rule {index + 1} names no actor and no action: it does nothing"
            )


def _actor(
    file: PlanFile, game: PlanGame, name: str, place: tuple[str | int, ...]
) -> Iterator[PlanProblem]:
    known = {*game.plan_types, *game.plan_names()}
    if name not in known:
        yield PlanProblem(
            file.line(place), f"there is no actor {name!r}: {name_hint(name, sorted(known))}"
        )


def _action(
    file: PlanFile, game: PlanGame, name: str, actor: str, place: tuple[str | int, ...]
) -> Iterator[PlanProblem]:
    action = game.plan_actions.get(name)
    if action is None:
        near = name_hint(name, sorted(game.plan_actions))
        yield PlanProblem(file.line(place), f"there is no action {name!r}: {near}")
        return
    found = meant(actor, list(game.plan_actors())) if actor else []
    if found and not action.somewhere and all(name not in one.actions for one in found):
        can = ", ".join(sorted({one for actor in found for one in actor.actions})) or "nothing"
        yield PlanProblem(
            file.line(place), f"{name!r} can't be done to {actor!r}; what can be: {can}"
        )
    if not actor and not action.somewhere:
        yield PlanProblem(
            file.line(place), f"{name!r} is done to an actor: give `actor`, by name or type"
        )


def _members() -> set[str]:
    return {
        *PlanGame.__annotations__,
        *(name for name in vars(PlanGame) if not name.startswith("_")),
    }
