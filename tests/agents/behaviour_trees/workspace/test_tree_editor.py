"""A tree that is being made: edits, undo, the check at each, and saving."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.agents.behaviour_trees.workspace.tree_editor import TreeEditor
from playhead.agents.behaviour_trees.workspace.workspace_checker import load_workspace
from playhead.errors import TreeError

from ..small_workspace import write_workspace


@pytest.fixture
def editor(tmp_path):
    return TreeEditor(write_workspace(tmp_path), "fighter")


def drawn(editor):
    return [f"{'  ' * row['depth']}{row['name']}" for row in editor.state()["rows"]]


FIRST = [
    "fighter", "  flee", "    is hurt", "    home open", "    go home", "  fight",
    "    enemy near", "    attack", "  wander",
]  # fmt: skip


def test_the_state_shows_the_tree_and_what_it_can_be_made_of(editor):
    state = editor.state()
    assert drawn(editor) == FIRST
    assert state["actions"] == ["attack", "go home", "wander"]
    assert (state["problems"], state["unsaved"], state["can_undo"]) == ([], False, False)
    assert state["rows"][2] == {
        "name": "is hurt", "kind": "trigger", "depth": 2, "parent": "flee", "index": 0,
    }  # fmt: skip


def test_a_new_node_is_put_in_filled_renamed_and_saved(editor, tmp_path):
    editor.insert("fighter", 2, "count")
    assert any("it has 0 children" in one["message"] for one in editor.state()["problems"])
    with pytest.raises(TreeError, match="it has 0 children"):
        editor.save()
    editor.insert("count 1", 0, "attack")
    editor.rename("count 1", "thrice")
    editor.change("thrice", times=3)
    assert drawn(editor)[8:] == ["  thrice", "    attack", "  wander"]
    assert editor.state()["unsaved"]
    editor.save()
    assert not editor.state()["unsaved"]
    node = load_workspace(tmp_path).nodes["thrice"]
    assert (node.times, node.children) == (3, ("attack",))


def test_children_move_and_each_edit_is_undone_and_done_again(editor):
    editor.move("fighter", 0, "fighter", 3)
    assert [line for line in drawn(editor) if line.startswith("  ") and line[2] != " "] == [
        "  fight", "  wander", "  flee",
    ]  # fmt: skip
    editor.move("fight", 1, "flee", 0)
    moved = drawn(editor)
    editor.undo()
    editor.undo()
    assert drawn(editor) == FIRST
    editor.undo()
    editor.redo()
    editor.redo()
    editor.redo()
    assert drawn(editor) == moved


def test_what_is_taken_away_goes_with_all_that_nobody_else_uses(editor):
    editor.remove("fighter", 0)
    assert "  flee" not in drawn(editor)
    assert editor.state()["problems"] == []


def test_edits_that_make_no_sense_are_refused_and_change_nothing(editor):
    editor.insert("flee", 0, "selector")
    before = drawn(editor)
    for edit, message in (
        (lambda: editor.move("fighter", 0, "selector 1", 0), "can't be put below itself"),
        (lambda: editor.insert("figt", 0, "attack"), "did you mean 'fight'"),
        (lambda: editor.insert("fight", 0, "atack"), "did you mean 'attack'"),
        (lambda: editor.remove("fight", 9), "there is no 9"),
        (lambda: editor.rename("fight", "attack"), "is taken"),
        (lambda: editor.change("fight", type="circle"), "can't be set"),
    ):
        with pytest.raises(TreeError, match=message):
            edit()
    assert drawn(editor) == before
    editor.undo()
    assert drawn(editor) == FIRST


EDITS = st.tuples(
    st.sampled_from(["insert", "remove", "move"]), st.sampled_from(["fighter", "flee", "fight"]),
    st.integers(0, 3), st.sampled_from(["fighter", "flee", "fight", "attack", "inverter"]),
    st.integers(0, 3),
)  # fmt: skip


@settings(max_examples=20)
@given(edits=st.lists(EDITS, max_size=8))
def test_all_edits_undone_give_back_what_was_there(edits, tmp_path_factory):
    editor = TreeEditor(write_workspace(tmp_path_factory.mktemp("w")), "fighter")
    made = 0
    for kind, parent, index, other, at in edits:
        try:
            if kind == "insert":
                editor.insert(parent, index, other)
            elif kind == "remove":
                editor.remove(parent, index)
            else:
                editor.move(parent, index, other, at)
        except TreeError:
            continue
        made += 1
        editor.state()
    for _ in range(made):
        editor.undo()
    assert drawn(editor) == FIRST


def test_fields_of_leaves_are_edited_checked_undone_and_saved(editor, tmp_path):
    fields = editor.state()["fields"]
    assert fields["is hurt"] == {"when": "health < 30", "python": "", "reachable": "", "about": ""}
    assert fields["attack"]["operations"] == "face enemy, shoot"
    assert fields["attack"]["write"] == "seen = tick"
    editor.set_field("is hurt", "when", "health < home")
    (problem,) = editor.state()["problems"]
    assert "home is a place, and is used as a number" in problem["message"]
    with pytest.raises(TreeError, match="home is a place"):
        editor.save()
    editor.undo()
    assert editor.state()["problems"] == []
    editor.set_field("is hurt", "when", "health < 50")
    editor.set_field("attack", "operations", "shoot")
    editor.set_field("attack", "write", "seen = tick + 1; calm = false; shots = 3")
    editor.set_field("go home", "about", "back to the gate")
    editor.save()
    saved = load_workspace(tmp_path)
    assert saved.trigger_nodes["is hurt"].when == "health < 50"
    assert saved.action_nodes["attack"].operations == ("shoot",)
    assert saved.action_nodes["attack"].write == {"seen": "tick + 1", "calm": False, "shots": 3}
    assert not editor.state()["unsaved"]
    for _ in range(4):
        editor.undo()
    assert editor.state()["fields"] == fields


def test_a_wrong_field_of_a_leaf_is_refused(editor):
    with pytest.raises(TreeError, match="did you mean 'is hurt'"):
        editor.set_field("is hurd", "when", "tick > 1")
    with pytest.raises(TreeError, match="has no field 'wen': did you mean 'when'"):
        editor.set_field("is hurt", "wen", "tick > 1")
    with pytest.raises(TreeError, match="give key = value"):
        editor.set_field("attack", "write", "seen")
    assert not editor.state()["can_undo"]
