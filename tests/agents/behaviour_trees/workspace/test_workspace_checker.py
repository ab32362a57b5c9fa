"""What is wrong with a workspace: all of it at once, with file, line and the nearest name."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.agents.behaviour_trees.workspace.workspace import Workspace
from playhead.agents.behaviour_trees.workspace.workspace_checker import (
    check_workspace,
    load_workspace,
)
from playhead.agents.behaviour_trees.workspace.workspace_file_reader import lines_of_json
from playhead.agents.behaviour_trees.workspace.workspace_items import schemas
from playhead.errors import TreeError

from ..small_workspace import put, write_workspace


def problem_texts(folder, *, warnings=False):
    return [one.text for one in check_workspace(Workspace(folder)) if one.is_warning == warnings]


def sequence(*children):
    return {"type": "sequence", "children": list(children)}


def selector(*children):
    return {"type": "selector", "children": list(children)}


def parallel(*children):
    return {"type": "parallel", "children": list(children)}


def with_root(folder, root, **nodes):
    """A workspace whose only agent has this root."""
    agents = {"fighter": {"root": "fighter"}}
    nodes = {"flee": None, "fight": None, "fighter": root, **nodes}
    structure = {"agents": agents, "nodes": {k: v for k, v in nodes.items() if v is not None}}
    write_workspace(folder)
    put(folder, "tree_items/tree_structure.json", json.dumps(structure, indent=1))
    return folder


def test_a_sound_workspace_has_no_problems(tmp_path):
    write_workspace(tmp_path)
    assert check_workspace(Workspace(tmp_path)) == []
    workspace = load_workspace(tmp_path)
    assert workspace.map.places == {"gate": (4.0, 2.0)}
    assert workspace.agents["fighter"].drives == "player"


def test_all_mistakes_are_listed_at_once_with_file_line_and_the_nearest_name(tmp_path):
    write_workspace(
        tmp_path,
        key_operations={"shoot": {"commands": {"fier": 1}}, "walk": {"commands": {"ahead": 2}}},
        action_nodes={"attack": {"operations": ["shot"]}, "go home": {"goal": "gat"}},
        trigger_nodes={
            "is hurt": {"when": "helth < 30"},
            "home open": {"reachable": "home", "when": "True"},
            "enemy near": {"when": "enemy == 'Inp' and"},
        },
        nodes={"fight": sequence("enemy neer", "attack"), "lost": sequence("wander", "attack")},
    )
    assert problem_texts(tmp_path) == [
        "tree_items/key_operations.json:4: walk: ahead is 2: it goes from -1 to 1",
        "tree_items/key_operations.json:14: shoot: there is no command 'fier':"
        " did you mean 'fire'?",
        "tree_items/action_nodes.json:9: attack: there is no key operation 'shot':"
        " did you mean 'shoot'?",
        "tree_items/action_nodes.json:13: go home: there is no place 'gat': did you mean 'gate'?",
        "tree_items/trigger_nodes.json:3: enemy near: \"enemy == 'Inp' and\": invalid syntax",
        "tree_items/trigger_nodes.json:6: is hurt: there is no key 'helth': did you mean 'health'?",
        "tree_items/trigger_nodes.json:8: home open: give exactly one of when, python and"
        " reachable, not when and reachable",
        "tree_items/tree_structure.json:30: fighter > fighter > fight: there is no node"
        " 'enemy neer': did you mean 'enemy near'?",
        "tree_items/tree_structure.json:34: lost: no agent and no node refers to it: make it a"
        " child, an agent's root, or go",
    ]
    with pytest.raises(TreeError, match=r"(?s)walk: ahead is 2.*lost: no agent"):
        load_workspace(tmp_path)


def test_missing_files_and_files_of_the_wrong_shape_are_listed_together(tmp_path):
    write_workspace(tmp_path)
    (tmp_path / "tree_items/trigger_nodes.json").unlink()
    put(tmp_path, "tree_items/formats.json", '{"health": {"type": "number"},\n "x": 1,}')
    put(tmp_path, "tree_items/key_operations.json", "[1]")
    put(tmp_path, "command/command_reference.tsv", "command\tlow\nfire\t0\n")
    put(tmp_path, "map_data/map_info.yml", "places: [")
    found = problem_texts(tmp_path)
    assert "tree_items/formats.json:2: this is no JSON" in found[0]
    assert (
        "tree_items/key_operations.json:1: this must be an object with names and items,"
        " it is a list" in found
    )
    assert "tree_items/trigger_nodes.json: the file is missing" in found
    assert any(one.startswith("map_data/map_info.yml:1: this is no YAML") for one in found)
    assert (
        "command/command_reference.tsv:1: the first line must name the columns, and lacks high"
        in found
    )


def test_entries_of_the_wrong_shape_are_listed_one_by_one(tmp_path):
    write_workspace(
        tmp_path,
        formats={"health": {"type": "numbr"}, "enemy": {"tpe": "text"}, "home": 3},
        action_nodes={"wander": {"operations": "walk"}, "go home": {"gaol": "gate"}},
        nodes={
            "flee": {"type": "sequenze", "children": []},
            "fight": {"type": "count", "children": ["attack"], "status": "done", "times": -1},
        },
    )
    found = problem_texts(tmp_path)
    assert "tree_items/formats.json:3: health: type: invalid enum value 'numbr'" in [
        one.replace("Invalid", "invalid") for one in found
    ]
    assert "tree_items/action_nodes.json:3: wander: operations: this must be" in str(found)
    assert "go home: gaol: there is no field 'gaol' here: did you mean 'goal'?" in str(found)
    assert "node 'flee': type: " in str(found)
    assert "node 'fight': " in str(found)
    assert not any("no node 'flee'" in one or "no node 'fight'" in one for one in found)


def test_a_name_that_is_there_twice_is_a_problem(tmp_path):
    write_workspace(tmp_path)
    put(tmp_path, "tree_items/formats.json", '{"a": {"type": "flag"},\n"a": {"type": "text"}}')
    (doubled,) = [one for one in problem_texts(tmp_path) if "formats.json" in one]
    assert doubled == (
        "tree_items/formats.json:2: 'a' is there more than once: only the last one would count"
    )


def test_a_cycle_is_listed_with_its_path_whether_an_agent_comes_to_it_or_not(tmp_path):
    with_root(
        tmp_path,
        selector("a", "wander"),
        a=sequence("enemy near", "b"),
        b=sequence("a", "wander"),
        c=sequence("c", "wander"),
    )
    found = problem_texts(tmp_path)
    assert any("fighter > fighter > a > b: it is its own part: a > b > a" in one for one in found)
    assert any("c: it is its own part: c > c" in one for one in found)


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (sequence(), "it has no children: every leaf must be an action node or a trigger node"),
        ({"type": "inverter", "children": ["is hurt", "attack"]}, "it has 2 children, it must"),
        ({"type": "count", "children": [], "status": "any", "times": 1}, "it has 0 children"),
    ],
)
def test_wrong_child_counts_are_problems(tmp_path, node, message):
    with_root(tmp_path, selector("odd", "wander"), odd=node)
    (found,) = problem_texts(tmp_path)
    assert f"fighter > fighter > odd: {message}" in found


@pytest.mark.parametrize(
    ("root", "message"),
    [
        (parallel("enemy near", "wander"), "'enemy near' has no effect below a parallel"),
        (selector("wander", "attack"), "'attack' can never be reached: 'wander'"),
        (sequence("never", "attack"), "'attack' can never be reached: 'never'"),
        (selector("enemy near", "all", "attack"), "'attack' can never be reached: 'all'"),
        (selector("zero", "wander"), "a count of 0 ends at once, whatever its child does"),
        (selector("stuck", "wander"), "it never ends: 'wander' never ends as failure"),
        (sequence("wander"), "it has a single child"),
    ],
)  # fmt: skip
def test_trees_that_cannot_mean_what_they_say_are_warned_of(tmp_path, root, message):
    with_root(
        tmp_path,
        root,
        **{
            name: node
            for name, node in {
                "never": {"type": "inverter", "children": ["wander"]},
                "all": parallel("wander", "attack"),
                "zero": {"type": "count", "children": ["enemy near"], "status": "any", "times": 0},
                "stuck": {"type": "count", "children": ["wander"], "status": "failure", "times": 2},
            }.items()
            if name in root["children"]
        },
    )
    assert problem_texts(tmp_path) == []
    assert any(message in one for one in problem_texts(tmp_path, warnings=True))


def test_a_tree_that_grows_without_bounds_is_refused_at_once(tmp_path):
    doubled = {f"n{i}": sequence(f"n{i + 1}", f"n{i + 1}") for i in range(60)}
    with_root(tmp_path, sequence("n0", "wander"), **doubled, n60=sequence("wander", "attack"))
    assert any("its tree has more than 10,000 nodes" in one for one in problem_texts(tmp_path))


def test_a_tree_that_is_too_deep_is_refused(tmp_path):
    chain = {f"n{i}": sequence("is hurt", f"n{i + 1}") for i in range(5_000)}
    with_root(tmp_path, sequence("n0", "wander"), **chain, n5000=sequence("wander", "attack"))
    assert any("its tree is more than 100 nodes deep" in one for one in problem_texts(tmp_path))


def test_python_triggers_are_looked_up_without_being_executed(tmp_path):
    write_workspace(
        tmp_path,
        trigger_nodes={
            "is hurt": {"python": "mine:hurt"},
            "home open": {"python": "mine:hrt"},
            "enemy near": {"python": "../mine:hurt"},
        },
    )
    put(tmp_path, "mine.py", "raise SystemExit\ndef hurt(values):\n    return True\n")
    assert problem_texts(tmp_path) == [
        "tree_items/trigger_nodes.json:3: enemy near: '../mine:hurt': write FILE:FUNCTION,"
        " such as my_triggers:near",
        "tree_items/trigger_nodes.json:9: home open: there is no function in mine.py 'hrt':"
        " did you mean 'hurt'?",
    ]


def test_there_is_a_schema_for_each_file_and_it_holds_for_a_sound_one(tmp_path):
    write_workspace(tmp_path)
    found = schemas()
    assert {name for name in found if name.startswith("tree_items/")} == {
        str(path.relative_to(tmp_path)) for path in tmp_path.glob("tree_items/*.json")
    }
    assert "CountNode" in found["tree_items/tree_structure.json"]["$defs"]
    assert msgspec.json.encode(found)


def test_a_folder_that_is_not_there_is_no_workspace(tmp_path):
    with pytest.raises(TreeError, match="is no workspace"):
        Workspace(tmp_path / "none")


@given(
    st.recursive(
        st.integers() | st.text(max_size=5),
        lambda some: st.lists(some, max_size=3) | st.dictionaries(st.text(max_size=5), some),
        max_leaves=8,
    ),
    st.sampled_from([None, 0, 2]),
)
def test_lines_of_json_are_those_on_which_its_parts_stand(value, indent):
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    lines = lines_of_json(text)

    def look(part, spot):
        if spot:
            last = spot[-1]
            shown = text.split("\n")[lines[spot] - 1]
            assert isinstance(last, int) or json.dumps(last, ensure_ascii=False) in shown
        if isinstance(part, list | dict):
            for key, inner in enumerate(part) if isinstance(part, list) else part.items():
                look(inner, (*spot, key))

    look(value, ())
