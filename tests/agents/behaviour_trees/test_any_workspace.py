"""Whatever stands in the files of a workspace, the check tells of it and never breaks."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.agents.behaviour_trees.expressions import Expression
from playhead.agents.behaviour_trees.workspace.workspace import Workspace
from playhead.agents.behaviour_trees.workspace.workspace_checker import check_workspace
from playhead.errors import TreeError

from .small_workspace import ITEMS, put, write_workspace

NAMES = st.sampled_from(
    [
        "fighter", "fight", "flee", "wander", "attack", "walk", "enemy near", "health", "ahead",
        "type", "children", "when", "x", "",
    ]
)  # fmt: skip
PLAIN = st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | NAMES
JSON = st.recursive(
    PLAIN, lambda some: st.lists(some, max_size=3) | st.dictionaries(NAMES, some, max_size=4)
)
NODES = st.dictionaries(
    NAMES,
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["selector", "sequence", "parallel", "inverter", "count"]),
            "children": st.lists(NAMES, max_size=3),
        },
        optional={
            "status": st.sampled_from(["success", "failure", "any"]), "times": st.integers(0, 3),
        },
    ),
    max_size=6,
)  # fmt: skip


def problems_of(**files: str):
    with tempfile.TemporaryDirectory() as folder:
        write_workspace(Path(folder))
        for name, text in files.items():
            put(Path(folder), name.replace("__", "/").replace("_DOT_", "."), text)
        return check_workspace(Workspace(Path(folder)))


@settings(max_examples=25)
@given(st.sampled_from(sorted(ITEMS)), JSON)
def test_any_json_is_checked(name, value):
    problems_of(**{f"tree_items__{name}_DOT_json": json.dumps(value)})


@settings(max_examples=40)
@given(NODES)
def test_any_nodes_are_checked(nodes):
    structure = {"agents": {"a": {"root": "fighter"}}, "nodes": nodes}
    problems = problems_of(tree_items__tree_structure_DOT_json=json.dumps(structure))
    assert all(problem.message for problem in problems)


@settings(max_examples=25)
@given(
    st.sampled_from(["tree_items__formats_DOT_json", "map_data__map_info_DOT_yml",
                     "command__command_reference_DOT_tsv"]),
    st.text(max_size=60),
)  # fmt: skip
def test_any_text_is_checked(name, text):
    problems_of(**{name: text.encode("utf-8", "replace").decode()})


@given(st.text("abxyz01.<>=!+-*/%()' ,[]{}:", max_size=40))
def test_any_expression_is_read_or_refused_with_a_reason(text):
    try:
        expression = Expression(text)
        expression.value(dict.fromkeys(expression.keys, 2.0))
    except TreeError as error:
        assert str(error)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a + b * 2", 9.0), ("a < b < 5", True), ("not (a > b) and b == 4", True),
        ("min(a, b) - abs(-3)", -2.0), ("turned(4)", pytest.approx(4 - 6.283185307)),
        ("p.y - p.x", 1.0), ("distance(p, q)", 5.0), ("'x' == t or a", True), ("-a % 3", 2.0),
    ],
)  # fmt: skip
def test_expressions_come_to_what_python_would_make_of_them(text, value):
    values = {"a": 1.0, "b": 4.0, "p": (1.0, 2.0), "q": (4.0, 6.0, 9.0), "t": "x"}
    assert Expression(text).value(values) == value


@pytest.mark.parametrize(
    "text",
    ["open('x')", "a.__class__", "[a]", "lambda: a", "a[0]", "f'{a}'", "a ** 9", "(a := 1)",
     "a if b else c", "'a' * 9999999999", "(" * 300 + "a" + ")" * 300, "not " * 60 + "a",
     "a in b", ""],
)  # fmt: skip
def test_what_is_not_of_the_language_is_refused(text):
    with pytest.raises(TreeError):
        Expression(text).value({"a": 1.0, "b": 2.0, "c": 3.0})
