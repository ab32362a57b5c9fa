"""What an expression uses as what it is not is found before a tree runs."""

import pytest

from playhead.agents.behaviour_trees.expression_types import misused

KINDS = {"hp": "number", "sees": "flag", "enemy": "text", "post": "place", "free": ""}


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("hp < 3 and not sees or enemy == 'Imp'", []),
        ("distance(post, post) + post.x < hp", []),
        ("sees.x > 1", ["sees is a flag: it has no x"]),
        ("distance(sees, post) < 1", ["sees is a flag, and is used as a place"]),
        ("distance(post, 3) < 1", ["3 is a number, and is used as a place"]),
        ("post < 1", ["post is a place, and is used as a number"]),
        ("post + 1 < 2 and post + 1 > 0", ["post is a place, and is used as a number"]),
        ("abs(enemy) < 1", ["enemy is a text, and is used as a number"]),
        ("enemy == 3", ["it compares enemy (text) with 3 (number): they are never equal"]),
        ("enemy == None or post != None", []),
        ("free.x + free < distance(free, post)", []),
        ("sees * 2 < hp and sees == True", []),
    ],
)  # fmt: skip
def test_each_misuse_is_reported_once(text, faults):
    assert misused(text, KINDS) == faults
