"""New plans, and plans that are joined, whatever made them."""

import pytest

from playhead.agents.plans.creation.new_and_joined_plans import joined, new_plan
from playhead.agents.plans.plan_file import parse_plan
from playhead.errors import PlanError

from ..room import Room

ONE = """# The first half.
game: room
nodes:
- {actor: button, action: press} # the red one
rules:
- {when: [{actor: foe, within: 2}], action: hit}
"""


def test_a_new_plan_has_one_node_and_tells_in_comments_what_the_game_has():
    room = Room()
    room.add(10, "button", (1, 0), "red button")
    file = new_plan("room", room)
    assert [node.title for node in file.plan.nodes] == ["go to (0, 0, 0)"]
    assert "#   button (press): red button" in file.text()
    assert "# Types of actors that may come: foe, ghost" in file.text()
    assert "# Actions that need no actor: shout" in file.text()
    assert "# Values for rules: health, presses, screen" in file.text()
    assert len(new_plan().plan.nodes) == 1


def test_plans_are_joined_with_all_nodes_rules_and_comments():
    two = parse_plan("""
nodes:
- {location: [1, 2, 3]}
- {actor: ghost} # it walks
rules:
- {when: [{actor: foe, within: 2}], action: hit}
- {when: [{value: health, below: 5}], action: shout} # help
""")
    both = joined([parse_plan(ONE), two, new_plan()])
    assert [node.title for node in both.plan.nodes] == [
        "press button", "go to (1, 2, 3)", "go to ghost", "go to (0, 0, 0)",
    ]  # fmt: skip
    assert [rule.title for rule in both.plan.rules] == ["hit foe", "shout"]
    assert both.plan.game == "room"
    for comment in ("# The first half.", "# the red one", "# it walks", "# help"):
        assert comment in both.text()


def test_the_game_of_any_of_the_plans_is_that_of_all():
    assert joined([new_plan(), parse_plan(ONE)]).plan.game == "room"


def test_plans_that_contradict_each_other_are_refused_with_where():
    with pytest.raises(PlanError, match=r"different games.*a\.yaml: room, b\.yaml: hall"):
        joined([parse_plan(ONE, "a.yaml"), parse_plan("game: hall\nnodes: [{actor: x}]", "b.yaml")])
    other = parse_plan(ONE.replace("within: 2", "within: 3"), "b.yaml")
    with pytest.raises(PlanError, match=r"b\.yaml:6: rule 'hit foe' is another one in a\.yaml"):
        joined([parse_plan(ONE, "a.yaml"), other])
    with pytest.raises(PlanError, match="no plans to join"):
        joined([])
