"""Plan files: what is read, what stays of comments, and how bad input is told."""

import pytest

from playhead.agents.plans.plan_checker import check_plan
from playhead.agents.plans.plan_file import (
    load_plan,
    parse_plan,
    plan_file_of,
    shipped_plan,
)
from playhead.errors import PlanError

from .room import Room

GOOD = """\
# A plan of mine.
game: arena:dungeon
nodes:
  - {actor: switch, action: interact, tolerance: 0}  # opens the door
  - location: [1, 2.5, 0]
    movement: run
    wait: 2
rules:
  - when: [{actor: enemy, within: 4}, {value: health, above: 20}]
    priority: 10
    action: attack
"""


def test_a_plan_is_read_with_its_defaults():
    plan = parse_plan(GOOD).plan
    assert [node.title for node in plan.nodes] == ["interact switch", "go to (1, 2.5, 0)"]
    assert (plan.nodes[0].tolerance, plan.nodes[0].movement) == (0, "walk")
    assert (plan.nodes[1].wait, plan.nodes[1].time_limit) == (2, 60)
    assert (plan.rules[0].title, plan.rules[0].priority) == ("attack enemy", 10)


def test_comments_survive_a_change(tmp_path):
    file = parse_plan(GOOD)
    file.document["nodes"][0]["wait"] = 3
    file.save(tmp_path / "one.plan.yaml")
    again = load_plan(tmp_path / "one.plan.yaml")
    assert again.plan.nodes[0].wait == 3
    assert "# A plan of mine." in again.text()
    assert "# opens the door" in again.text()


def test_a_plan_that_was_made_is_written_without_its_defaults():
    plan = parse_plan(GOOD).plan
    file = plan_file_of(plan, comment="recorded")
    assert file.plan == plan
    assert "time_limit" not in file.text()
    assert file.text().startswith("# recorded")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the plan is empty"),
        ("- 1", ":1: a plan is a mapping with `nodes`, this is a list"),
        ("just a line of text", ":1: a plan is a mapping"),
        ("nodes: [", "this is no YAML"),
        ("nodes: []", ":1: nodes: at least one is needed"),
        ("game: x", "`nodes` is missing"),
        ("nodes:\n- {actor: a}\nnodes:\n- {actor: b}", "found duplicate key"),
        ("nodes:\n- {actor: a}\n- {actr: b}", ":3: node 2, actr: there is no field 'actr' here:"
         " did you mean 'actor'?"),
        ("nodes:\n- actor: a\n  tolerance: -1", ":3: node 1, tolerance: this must be a number"),
        ("nodes:\n- actor: a\n  tolerance: .nan", ":3: node 1, tolerance: this must be"),
        ("nodes:\n- actor: a\n  tolerance: wide", ":3: node 1, tolerance: this must be"),
        ("nodes:\n- actor: a\n  time_limit: 0", ":3: node 1, time_limit"),
        ("nodes:\n- actor: a\n  movement: fly", ":3: node 1, movement: Invalid enum value 'fly'"),
        ("nodes:\n- {wait: 1}", ":2: node 1: a node needs an actor, a location or an action"),
        ("nodes:\n- {actor: a, location: [1, 2, 3]}", "give one of them"),
        ("nodes:\n- {location: [1, 2]}", ":2: node 1, location: this must be"),
        ("nodes:\n- {actor: a}\nrules:\n- {when: [], action: b}", ":4: rule 1, when: at least one"
         " precondition"),
        ("nodes:\n- {actor: a}\nrules:\n- {action: b}", ":4: rule 1: `when` is missing"),
        ("nodes:\n- {actor: a}\nrules:\n- when: [{actor: a}]", "for an actor give `within`"),
        ("nodes:\n- {actor: a}\nrules:\n- when: [{value: a}]", "give `above`, `below` or `is`"),
        ("nodes:\n- &a {actor: *a}", ":2: node 1, actor: this must be a text"),
        ("nodes: &a\n- *a", ":1: node 1: this must be a mapping"),
        ("nodes:\n- {actor: a}\nrules:\n" + "- {when: [{actor: a, within: 1}]}\n" * 2,
         "two rules are called 'go to a'"),
        ("nodes: " + "[" * 500, "nested too deeply"),
    ],
)  # fmt: skip
def test_bad_input_raises_with_file_and_line(text, message):
    with pytest.raises(PlanError) as caught:
        parse_plan(text, "bad.plan.yaml")
    assert str(caught.value).startswith("bad.plan.yaml")
    assert message in str(caught.value)


def test_every_mistake_is_listed_at_once():
    with pytest.raises(PlanError) as caught:
        parse_plan("""nodes:
- {actor: a, tolerance: -1}
- {actor: b}
- {actor: c, movement: fly}
rules:
- when: {actor: d, within: 2}
""", "bad.plan.yaml")  # fmt: skip
    assert str(caught.value).splitlines() == [
        "bad.plan.yaml:2: node 1, tolerance: this must be a number >= 0.0",
        "bad.plan.yaml:4: node 3, movement: Invalid enum value 'fly': it is one of walk, run,"
        " straight, teleport, policy",
        "bad.plan.yaml:6: rule 1, when: this must be a list, got a mapping: begin each entry with"
        " `- `, or put them into [ ]",
    ]


def test_a_file_that_is_missing_or_no_text_raises(tmp_path):
    with pytest.raises(PlanError, match="can't be read"):
        load_plan(tmp_path / "none.plan.yaml")
    (tmp_path / "bytes.plan.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PlanError, match="can't be read"):
        load_plan(tmp_path / "bytes.plan.yaml")


def test_a_long_plan_is_read():
    plan = parse_plan("nodes:\n" + "- {actor: a, action: press}\n" * 2_000).plan
    assert len(plan.nodes) == 2_000


def test_all_names_are_checked_against_the_game_and_every_mistake_has_its_line():
    room = Room()
    room.add(10, "button", (1, 0), "red button")
    text = """nodes:
- {actor: red buton, action: press}
- {actor: button, action: pres}
- {actor: button, action: hit}
- {location: [0, 0, 0], action: press}
- {action: shout}
rules:
- when: [{actor: fo, within: 2}]
  action: hit
- when: [{value: helth, below: 3}]
  action: hit
- when: [{value: health, below: 3}]
"""
    with pytest.raises(PlanError) as caught:
        check_plan(parse_plan(text, "p"), room)
    assert str(caught.value).splitlines() == [
        "p:2: there is no actor 'red buton': did you mean 'red button'?",
        "p:3: there is no action 'pres': did you mean 'press'?",
        "p:4: 'hit' can't be done to 'button'; what can be: press",
        "p:5: 'press' is done to an actor: give `actor`, by name or type",
        "p:8: there is no actor 'fo': did you mean 'foe'?",
        "p:10: rule 'hit': the game has no value 'helth': did you mean 'health'?",
        "p:11: 'hit' is done to an actor: give `actor`, by name or type",
        "p:12: rule 3 names no actor and no action: it does nothing",
    ]


def test_plans_come_along_with_games():
    assert shipped_plan("arena:dungeon") is not None
    assert shipped_plan("arena:nowhere") is None
    assert shipped_plan("doom:dungeon") is None


def test_mistakes_of_form_and_of_names_are_reported_at_once() -> None:
    text = """
nodes:
  - {actor: buton, action: press, tolerance: -1}
  - {actor: button, action: prss}
  - {actor: button, foo: 1}
  - just words
rules:
  - {when: [{actor: fo, within: 2}], action: press}
"""
    file = parse_plan(text, "my.plan.yaml", strict=False)
    with pytest.raises(PlanError) as error:
        check_plan(file, Room())
    told = str(error.value).splitlines()
    assert [line.split(": ")[0] for line in told] == [
        f"my.plan.yaml:{number}" for number in (3, 3, 4, 5, 6, 8)
    ]
    assert "there is no actor 'buton'" in told[0] + told[1]
    with pytest.raises(PlanError, match="just words|must be a mapping"):
        parse_plan(text)
