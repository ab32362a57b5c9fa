"""What is found in a program's variables, and what is left alone."""

import sys
from typing import Any

from playhead.programs.find_program_objects import ProgramObjects, variables_on_stack
from playhead.programs.recognition_summary import Recognition


class Ship:
    def __init__(self, x: float) -> None:
        self.x, self.y = x, 0.0


class Keys(tuple[bool, ...]):
    """As pygame's pressed keys: a tuple that refuses to be looked through."""

    def __iter__(self) -> Any:
        raise TypeError("no iteration")


def found_by(function: Any) -> dict[str, Any]:
    objects = ProgramObjects(Recognition(lambda line: None))

    def look() -> dict[str, Any]:
        caller = sys._getframe(1)
        objects.scopes = lambda: variables_on_stack(caller)
        return objects.found()

    found: dict[str, Any] = function(look)
    return found


def test_objects_in_lists_in_dicts_and_in_objects_are_found() -> None:
    def play(look: Any) -> Any:
        ships, keys = [Ship(1), Ship(2)], Keys((True,))
        level = {"boss": Ship(3), "rows": [[Ship(4)]]}
        found = look()
        assert (found["ships"], found["level"], len(keys)) == (ships, [level["boss"]], 1)
        return found

    found = found_by(play)
    assert found["level.rows 0"][0].x == 4


def test_numbers_are_variables_of_their_function_and_constants_are_not() -> None:
    def play(look: Any) -> Any:
        score, LIVES, _hidden = 5, 3, 7  # noqa: N806
        return look() if score + LIVES + _hidden else {}

    assert found_by(play)["variables of play()"] == {"score": 5}


def test_a_look_keeps_nothing_of_the_program_alive() -> None:
    import weakref

    def play(look: Any) -> Any:
        ship = Ship(1)
        look()
        reference = weakref.ref(ship)
        del ship
        return {"living": reference()}

    assert found_by(play)["living"] is None
