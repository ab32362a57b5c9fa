"""`playhead tree`: a recorded tree in the terminal, and as other tools have it."""

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

py_trees = pytest.importorskip("py_trees")

from py_trees import decorators  # noqa: E402
from py_trees.behaviours import Failure, Running, StatusQueue, Success  # noqa: E402
from py_trees.common import Access, ParallelPolicy, Status  # noqa: E402
from py_trees.composites import Parallel, Selector, Sequence  # noqa: E402

from playhead.cli.main import playhead  # noqa: E402
from playhead.recording_session import record  # noqa: E402

from ...support.process import run_process  # noqa: E402


class Shoot(py_trees.behaviour.Behaviour):
    def __init__(self) -> None:
        super().__init__("shoot")
        self.board = self.attach_blackboard_client("shoot")
        self.board.register_key("ammo", access=Access.WRITE)
        self.board.ammo = 9

    def update(self) -> Status:
        self.board.ammo -= 1
        self.feedback_message = f"{self.board.ammo} left"
        return Status.RUNNING


@pytest.fixture
def clip(tmp_path) -> Path:
    py_trees.blackboard.Blackboard.clear()
    sees = StatusQueue("sees the player", [Status.SUCCESS, Status.FAILURE], None)
    sees.feedback_message = "12 m away"
    root = Selector("guard", False, [
        Sequence("attack", False, [sees, Shoot()]),
        Sequence("rest", False, [Success("\x1b[2Jsit"), Failure("sleep")]),
        Running("patrol"),
    ])  # fmt: skip
    guard = {"name": "north", "x": 0.0}
    with record([guard], tmp_path / "run.mcap", dt=0.5, strict=True) as rec:
        rec.add(root, agent=guard)
        for _ in range(4):
            with rec.frame():
                root.tick_once()
    py_trees.blackboard.Blackboard.clear()
    return tmp_path / "run.mcap"


def said(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(playhead, [str(one) for one in arguments], catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done.output


def test_a_tree_is_shown_with_reasons_folded_branches_and_its_blackboard(clip):
    assert said("tree", "show", clip, "--frame", 1).splitlines() == [
        "guard · north · ticked in frame 1 at 0.500 s",
        "? guard  ▶ running",
        "├─ → attack  ▶ running",
        "│  ├─ ● sees the player  ✓ success — 12 m away",
        "│  └─ ● shoot  ▶ running — 8 left",
        "├─ → rest  ▸ 2 not ticked",
        "└─ ● patrol",
        "Blackboard",
        "  /ammo  8  ← changed by shoot, was 9",
    ]


def test_what_ended_early_and_what_failed_is_reported_and_nothing_steers_the_terminal(clip):
    lines = said("tree", "show", clip, "--at", 1.0, "--agent", "north").splitlines()
    assert "│  ├─ ● sees the player  ✗ failure — 12 m away" in lines
    assert "│  └─ ● shoot  ⊘ ended early: interrupted: sees the player failed" in lines
    assert any("\\x1b[2Jsit  ✓ success" in line for line in lines)
    assert any(line.startswith("  /ammo  8") and "changed" not in line for line in lines)


def test_the_facts_are_one_json_object_a_tree(clip):
    facts = json.loads(said("tree", "show", clip, "--json"))
    assert (facts["tree"], facts["frame"], facts["time"]) == ("guard", 4, 2.0)
    assert facts["nodes"][3]["name"] == "shoot"
    assert facts["running"] == [7]
    assert facts["blackboard"] == {"/ammo": 7}


def test_what_json_has_no_word_for_is_expressed_all_the_same(tmp_path):
    py_trees.blackboard.Blackboard.clear()
    root = Shoot()
    root.board.register_key("odd", access=Access.WRITE)
    root.board.odd = {"raw": b"ab", "nan": float("nan")}
    with record(path=tmp_path / "run.mcap", dt=0.5, strict=True) as rec:
        rec.add(root)
        with rec.frame():
            root.tick_once()
    py_trees.blackboard.Blackboard.clear()
    facts = json.loads(said("tree", "show", tmp_path / "run.mcap", "--json"))
    assert facts["blackboard"]["/odd"] == {"raw": "YWI=", "nan": None}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--agent", "south"), "no such behaviour tree.*there are 'guard'"),
        (("--tree", "brain"), "no such behaviour tree"),
        (("--at", "77"), "is not held"),
        (("--frame", "2", "--at", "1"), "not both"),
    ],
)
def test_a_wrong_question_is_answered_by_what_there_is(clip, arguments, message):
    from playhead.errors import PlayheadError

    with pytest.raises(PlayheadError, match=message):
        said("tree", "show", clip, *arguments)


def maps() -> py_trees.behaviour.Behaviour:
    """Of all that both formats have one."""
    both = ParallelPolicy.SuccessOnAll(synchronise=False)
    return Selector("brain", False, [
        Sequence("steps", True, [Success("yes"), Failure("no")]),
        Parallel("both", both, [Success("a"), Success("b")]),
        Selector("again", True, [decorators.Inverter("not", Success("c"))]),
        decorators.Repeat("three times", Success("d"), num_success=3),
        decorators.Retry("tries", Success("e"), num_failures=2),
        decorators.Timeout("soon", Success("f"), duration=1.5),
        decorators.FailureIsSuccess("never fails", Success("g")),
        Sequence("end", False, [Shoot()]),
    ])  # fmt: skip


def test_a_tree_goes_to_groot_and_comes_back_as_it_was(tmp_path):
    py_trees.blackboard.Blackboard.clear()
    root = maps()
    with record(path=tmp_path / "run.mcap", dt=0.5, strict=True) as rec:
        rec.add(root)
        with rec.frame():
            root.tick_once()
    out = tmp_path / "brain.xml"
    assert "20 nodes" in said("tree", "export", tmp_path / "run.mcap", out)
    xml = ElementTree.parse(out).getroot()
    assert xml.attrib == {"BTCPP_format": "4", "main_tree_to_execute": "brain"}
    assert [one.tag for one in xml.find("BehaviorTree").find("ReactiveFallback")] == [
        "Sequence", "Parallel", "Fallback", "Repeat", "RetryUntilSuccessful", "Timeout",
        "ForceSuccess", "ReactiveSequence",
    ]  # fmt: skip
    assert [one.attrib for one in xml.find("TreeNodesModel")] == [{"ID": "Shoot"}]
    said("tree", "import", out, tmp_path / "back.mcap")
    before = json.loads(said("tree", "show", tmp_path / "run.mcap", "--json"))["nodes"]
    after = json.loads(said("tree", "show", tmp_path / "back.mcap", "--json"))["nodes"]
    for one, other in zip(before, after, strict=True):
        for key in ("name", "kind", "parent", "detail"):
            assert one[key] == other[key]


def test_what_does_not_map_is_reported(clip, tmp_path):
    result = said("tree", "export", clip, tmp_path / "guard.xml")
    assert "XML can't hold some of its characters" in result
    xml = tmp_path / "port.xml"
    xml.write_text(
        '<root BTCPP_format="4"><BehaviorTree ID="t"><IfThenElse><SubTree ID="s" goal="{x}"/>'
        '<Jump height="3" _skipIf="tired"/><SequenceWithMemory/></IfThenElse></BehaviorTree>'
        '<BehaviorTree ID="s"><AlwaysSuccess/></BehaviorTree></root>'
    )
    result = said("tree", "import", xml, "--tree", "t")
    for part in (
        "IfThenElse is unknown: read as a custom control node",
        "the port goal='{x}'",
        "the port height='3'",
        "the condition or script _skipIf",
        "SequenceWithMemory",
    ):
        assert part in result  # fmt: skip


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ("nonsense", "it is no XML"),
        ("<tree/>", "a <root> with a <BehaviorTree> is expected"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><root/>', "document type"),
        ('<root><BehaviorTree ID="a"/><BehaviorTree ID="a"/></root>', "two trees with the ID 'a'"),
        ('<root><BehaviorTree ID="a"/><BehaviorTree ID="b"/></root>', "name one of them"),
        ('<root><BehaviorTree ID="a"/></root>', "has no nodes"),
        ('<root><BehaviorTree ID="a"><SubTree ID="b"/></BehaviorTree></root>', "subtree 'b'"),
        (
            '<root><BehaviorTree ID="a"><SubTree ID="a"/></BehaviorTree></root>',
            "below itself: a > a",
        ),
    ],
)
def test_a_file_that_is_none_of_groots_is_refused_by_its_name(xml, message, tmp_path):
    from playhead.errors import CommandError

    path = tmp_path / "a.xml"
    path.write_text(xml)
    with pytest.raises(CommandError, match=f"a.xml: .*{message}"):
        said("tree", "import", path)


WITHOUT_AGENTS = """
import sys
sys.modules.update(dict.fromkeys(("gymnasium", "py_trees", "pymunk", "scipy", "yaml")))
from playhead.cli.main import main
main()
"""


def test_a_recorded_tree_is_shown_where_the_extra_agents_is_not_installed(tmp_path: Path) -> None:
    tree = Selector("guard", memory=False, children=[Failure("attack"), Running("patrol")])
    guard = {"name": "north", "x": 0.0}
    with record([guard], tmp_path / "run.mcap", dt=0.1) as rec:
        rec.add(tree, agent=guard)
        with rec.frame():
            tree.tick_once()
    done = run_process(
        sys.executable, "-c", WITHOUT_AGENTS, "tree", "show", tmp_path / "run.mcap", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "patrol  ▶ running" in done.stdout
