"""The text of a plan under edits: everything that an edit is not about stays as it was."""

import pytest

from playhead.errors import PlanError
from playhead.viewer.panels.plan.plan_yaml_document import (
    NODES,
    RULES,
    PlanDocument,
    field_text,
    typed_value,
)

TEXT = """\
# Through the dungeon.
game: arena:dungeon
nodes:
  - {actor: switch, action: interact}  # opens the door
  # Over the lava.
  - {actor: lava pit, action: jump}

  - actor: shrine  # the end
    action: interact
    wait: 2
rules:
  # Whoever comes near.
  - when: [{actor: enemy, within: 4}]
    priority: 10
    action: attack
  - when: [{value: screen, is: popup}]
    action: dismiss
"""


def comments(text):
    return [line[line.index("#") :] for line in text.splitlines() if "#" in line]


def titles(text, kind=NODES):
    return [part.title for part in PlanDocument(text).parts(kind)]


def test_nodes_and_rules_are_found_with_their_lines():
    document = PlanDocument(TEXT)
    assert titles(TEXT) == ["interact switch", "jump lava pit", "interact shrine"]
    assert titles(TEXT, RULES) == ["attack enemy", "dismiss"]
    assert [part.first + 1 for part in document.nodes] == [4, 6, 8]
    assert document.part_at(9).index == 2
    assert document.part_at(14) is document.rules[0]
    assert document.part_at(2) is None


def test_a_field_is_changed_and_all_comments_stay():
    text = PlanDocument(TEXT).with_field(NODES, 0, "tolerance", 2)
    assert "{actor: switch, action: interact, tolerance: 2}" in text
    text = PlanDocument(text).with_field(NODES, 2, "wait", None)
    assert comments(text) == comments(TEXT)
    assert PlanDocument(text).nodes[2].fields == {"actor": "shrine", "action": "interact"}


def test_a_place_takes_the_place_of_an_actor_and_the_other_way_round():
    text = PlanDocument(TEXT).with_field(NODES, 1, "location", [1.5, 2, 0])
    assert PlanDocument(text).nodes[1].fields == {"action": "jump", "location": [1.5, 2, 0]}
    text = PlanDocument(text).with_field(NODES, 1, "actor", "locked door #5")
    assert PlanDocument(text).nodes[1].fields == {"action": "jump", "actor": "locked door #5"}


def test_what_is_deleted_takes_only_its_own_comments_with_it():
    text = PlanDocument(TEXT).without(NODES, 0)
    assert comments(text) == [one for one in comments(TEXT) if one != "# opens the door"]
    text = PlanDocument(TEXT).without(NODES, 1)
    assert comments(text) == [one for one in comments(TEXT) if one != "# Over the lava."]


def test_the_last_rule_that_is_deleted_takes_the_word_with_it():
    text = PlanDocument(PlanDocument(TEXT).without(RULES, 1)).without(RULES, 0)
    assert "rules" not in text
    assert titles(text) == titles(TEXT)


def test_nodes_change_places_with_their_comments():
    text = PlanDocument(TEXT).moved(NODES, 2, 0)
    assert titles(text) == ["interact shrine", "interact switch", "jump lava pit"]
    assert sorted(comments(text)) == sorted(comments(TEXT))
    lines = text.splitlines()
    assert lines.index("  # Over the lava.") + 1 == lines.index(
        "  - {actor: lava pit, action: jump}"
    )


def test_a_copy_comes_behind_and_new_ones_where_they_are_wanted():
    text = PlanDocument(TEXT).duplicated(RULES, 0)
    assert titles(text, RULES) == ["attack enemy", "attack enemy", "dismiss"]
    text = PlanDocument(TEXT).added(NODES, 1, [{"location": [1.0, 2.0, 0.0]}])
    assert titles(text) == ["interact switch", "go to 1, 2, 0", "jump lava pit", "interact shrine"]
    text = PlanDocument(TEXT).added(NODES, 3, [{"actor": "coin"}, {"actor": "elder"}])
    assert titles(text)[3:] == ["go to coin", "go to elder"]
    assert comments(text) == comments(TEXT)


def test_the_parts_of_another_plan_come_with_their_comments():
    other = PlanDocument(
        "nodes:\n# by the gate\n- actor: coin  # a coin\n  wait: 1\n- {actor: elder}\n"
    )
    text = PlanDocument(TEXT).with_parts_of(other, NODES, 1)
    assert titles(text) == [
        "interact switch", "go to coin", "go to elder", "jump lava pit", "interact shrine",
    ]  # fmt: skip
    assert {"# by the gate", "# a coin", *comments(TEXT)} == {*comments(text)}
    text = PlanDocument("nodes:\n- {actor: a}\n").with_parts_of(PlanDocument(TEXT), RULES, 0)
    assert titles(text, RULES) == ["attack enemy", "dismiss"]


def test_a_first_rule_begins_the_list_of_rules():
    text = PlanDocument("nodes:\n- actor: switch").added(
        RULES, 0, [{"when": [{"actor": "enemy", "within": 3}], "action": "attack"}]
    )
    assert PlanDocument(text).rules[0].fields["when"] == [{"actor": "enemy", "within": 3}]
    assert titles(text) == ["go to switch"]


def test_a_plan_in_one_line_can_be_edited_too():
    document = PlanDocument("{game: g, nodes: [{actor: a}, {actor: b}]}\n")
    assert [part.title for part in document.nodes] == ["go to a", "go to b"]
    assert titles(document.without(NODES, 0)) == ["go to b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nodes: [", "line"),
        ("- 1\n", "a plan is a mapping"),
        ("game: x\nnodes: 3\n", "line 2: `nodes` must be a list"),
        ("nodes:\n- a\n", "`nodes` must be a list of mappings"),
        ("a: \x00", "no YAML"),
    ],
)
def test_what_is_no_plan_is_reported_with_its_line(text, message):
    with pytest.raises(PlanError, match=message):
        PlanDocument(text)


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("tolerance", " 1.5 ", 1.5),
        ("wait", "2", 2),
        ("wait", "", None),
        ("actor", "locked door #5", "locked door #5"),
        ("location", "(1, -2.5, 0)", [1, -2.5, 0]),
        ("when", "enemy within 4", [{"actor": "enemy", "within": 4}]),
        ("when", "health above 1 below 30", [{"value": "health", "above": 1, "below": 30}]),
        (
            "when",
            "gate sign within 2; screen is popup",
            [{"actor": "gate sign", "within": 2}, {"value": "screen", "is": "popup"}],
        ),
        ("when", "alive is true", [{"value": "alive", "is": True}]),
    ],
)
def test_what_is_typed_becomes_a_value_and_back(field, text, value):
    assert typed_value(field, text) == value
    if value is not None:
        assert typed_value(field, field_text(field, value)) == value


@pytest.mark.parametrize(
    ("field", "text"),
    [("wait", "soon"), ("location", "1, 2"), ("location", "a b c"), ("when", "enemy"),
     ("when", "enemy near 4"), ("when", "health below little")],
)  # fmt: skip
def test_what_can_be_no_value_is_refused_with_what_to_type(field, text):
    with pytest.raises(PlanError, match=field):
        typed_value(field, text)
