"""An agent at work on a body that a test moves: what it reads, gives, and tells of errors."""

import math
from collections.abc import Mapping

import pytest
from py_trees.blackboard import Blackboard
from py_trees.common import Status

from playhead.agents.behaviour_trees.tree_agent import TreeAgent
from playhead.agents.behaviour_trees.workspace.workspace import Workspace
from playhead.agents.behaviour_trees.workspace.workspace_checker import (
    check_for_body,
    load_workspace,
)
from playhead.errors import TreeError
from playhead.games.tree_body_interface import CommandRange, Place, TreeValue
from playhead.games.walk_map import WalkMap, map_of_drawing

from .small_workspace import put, write_workspace


class Robot:
    """A body that walks where it is told to: `ahead` along its facing, `turn` a radian a tick."""

    object = 1
    values = frozenset({"health", "enemy", "enemy_distance", "enemy_bearing", "home"})
    commands: Mapping[str, CommandRange] = {
        "ahead": CommandRange(-1, 1), "turn": CommandRange(-1, 1), "fire": CommandRange(0, 1),
    }  # fmt: skip

    def __init__(self, drawing: list[str] | None = None) -> None:
        self.position: Place = (0.0, 0.0)
        self.facing = 0.0
        self.reported_values: dict[str, TreeValue] = {
            "health": 100.0, "enemy_distance": math.inf, "enemy_bearing": 0.0, "home": (4.0, 4.0),
        }  # fmt: skip
        self.did: list[dict[str, float]] = []
        self.released = False
        self.map = map_of_drawing(drawing, 1.0, (0.0, 0.0)) if drawing else None

    def observe(self) -> Mapping[str, TreeValue]:
        return self.reported_values

    def act(self, commands: Mapping[str, float]) -> None:
        self.did.append(dict(commands))
        self.facing += commands.get("turn", 0.0)
        step = 0.2 * commands.get("ahead", 0.0)
        x, y = self.position[0], self.position[1]
        self.position = (x + step * math.cos(self.facing), y + step * math.sin(self.facing))

    def release(self) -> None:
        self.released = True

    def walk_map(self) -> WalkMap | None:
        return self.map


def test_the_first_branch_whose_conditions_hold_gives_the_commands(tmp_path):
    body = Robot()
    with TreeAgent(load_workspace(write_workspace(tmp_path)), "fighter", body) as agent:
        agent.step(0.1)
        body.reported_values |= {"enemy": "Imp", "enemy_distance": 3.0, "enemy_bearing": 7.0}
        agent.step(0.1)
        assert body.did == [{"ahead": 1.0}, {"turn": -1.0, "fire": 1.0}]
        assert agent.value("seen") == 2
        body.reported_values["health"] = 10.0
        agent.step(0.1)
        assert body.did[-1] == {"ahead": 1.0}
        assert (agent.value("way"), agent.status) == ("found", Status.SUCCESS)
        assert agent.value("goal_distance") == pytest.approx(math.dist((4, 2), (0.2, 0)))
    assert body.released
    assert agent.failures == {}
    assert not [key for key in Blackboard.storage if key.startswith("/fighter")]


def test_a_key_that_one_leaf_writes_is_read_by_any_other_in_the_same_tick_and_later(tmp_path):
    write_workspace(
        tmp_path,
        action_nodes={
            "note": {"write": {"alarm": "tick"}}, "shout": {"write": {"heard": "alarm"}},
        },
        trigger_nodes={"is alarmed": {"when": "alarm == tick"}, "was alarmed": {"when": "alarm"}},
        nodes={
            "fighter": {"type": "selector", "children": ["listen", "flee", "fight", "wander"]},
            "listen": {"type": "sequence", "children": ["enemy near", "note", "answer"]},
            "answer": {"type": "sequence", "children": ["is alarmed", "shout"]},
            "flee": {"type": "sequence", "children": ["was alarmed", "go home"]},
        },
        tree_structure={"agents": {"fighter": {"root": "fighter", "start": {"alarm": 0}}}},
    )  # fmt: skip
    body = Robot()
    with TreeAgent(load_workspace(tmp_path), "fighter", body) as agent:
        agent.step(0.1)
        assert body.did == [{"ahead": 1.0}], "it wandered"
        body.reported_values |= {"enemy": "Imp", "enemy_distance": 3.0}
        agent.step(0.1)
        assert (agent.value("alarm"), agent.value("heard")) == (2, 2)
        body.reported_values["enemy"] = ""
        agent.step(0.1)
        assert agent.value("way") == "found", "it flees by what was written a tick ago"


def test_a_node_that_is_used_in_several_places_stands_in_each_by_itself(tmp_path):
    write_workspace(
        tmp_path,
        nodes={
            "fighter": {"type": "selector", "children": ["flee", "calm", "fight", "wander"]},
            "flee": {"type": "sequence", "children": ["is hurt", "fight"]},
            "calm": {"type": "inverter", "children": ["fight"]},
        },
    )
    body = Robot()
    with TreeAgent(load_workspace(tmp_path), "fighter", body) as agent:
        fights = [node for node in agent.tree.root.iterate() if node.name == "fight"]
        assert [node.parent.name for node in fights] == ["flee", "calm", "fighter"]
        body.reported_values |= {"health": 5.0, "enemy": "Imp", "enemy_distance": 3.0}
        agent.step(0.1)
        assert [node.status for node in fights] == [
            Status.SUCCESS, Status.INVALID, Status.INVALID,
        ]  # fmt: skip


def test_two_agents_of_one_name_have_blackboards_of_their_own(tmp_path):
    workspace = load_workspace(write_workspace(tmp_path))
    one, other = Robot(), Robot()
    other.reported_values["health"] = 5.0
    with (
        TreeAgent(workspace, "fighter", one) as first,
        TreeAgent(workspace, "fighter", other) as second,
    ):
        first.step(0.1)
        second.step(0.1)
        assert (first.value("health"), second.value("health")) == (100.0, 5.0)


def test_a_key_that_is_missing_is_named_with_the_path_and_the_agent_goes_on(tmp_path):
    body, calls = Robot(), []
    del body.reported_values["enemy_distance"]
    body.reported_values["enemy"] = "Imp"
    workspace = load_workspace(write_workspace(tmp_path))
    with TreeAgent(workspace, "fighter", body, on_failure=calls.append) as agent:
        agent.step(0.1)
        agent.step(0.1)
        (message,) = calls
        assert message.startswith(
            "fighter > fighter > fight > enemy near: there is no key 'enemy_distance' on the"
            " blackboard: did you mean 'way_distance'?"
        )
        assert agent.failures == {message: 2}
        assert body.did == [{"ahead": 1.0}] * 2


def test_a_trigger_that_raises_has_failed_and_ends_a_strict_agent(tmp_path):
    write_workspace(tmp_path, trigger_nodes={"enemy near": {"python": "mine:near"}})
    put(tmp_path, "mine.py", "def near(values):\n    return values['health'] / 0\n")
    workspace = load_workspace(tmp_path)
    body = Robot()
    with TreeAgent(workspace, "fighter", body) as agent:
        agent.step(0.1)
        assert body.did == [{"ahead": 1.0}]
        (result,) = agent.failures
        assert result.startswith(
            "fighter > fighter > fight > enemy near: it raised ZeroDivisionError"
        )
    with (
        TreeAgent(workspace, "fighter", Robot(), is_strict=True) as agent,
        pytest.raises(TreeError, match="fight > enemy near: it raised ZeroDivisionError"),
    ):
        agent.step(0.1)


def test_an_action_that_raises_has_succeeded_and_gives_no_commands(tmp_path):
    write_workspace(
        tmp_path, key_operations={"walk": {"commands": {"ahead": "1 / (health - health)"}}}
    )
    body = Robot()
    with TreeAgent(load_workspace(tmp_path), "fighter", body) as agent:
        agent.step(0.1)
        assert body.did == [{}]
        assert agent.status is Status.SUCCESS
        (result,) = agent.failures
        wrong = "'1 / (health - health)' with health = 100: float division"
        assert f"fighter > fighter > wander: {wrong}" in result


def test_python_triggers_read_the_blackboard(tmp_path):
    write_workspace(tmp_path, trigger_nodes={"enemy near": {"python": "mine:near"}})
    put(tmp_path, "mine.py", "def near(values):\n    return values['health'] == 70\n")
    body = Robot()
    with TreeAgent(load_workspace(tmp_path), "fighter", body) as agent:
        agent.step(0.1)
        body.reported_values["health"] = 70
        agent.step(0.1)
        assert [set(did) for did in body.did] == [{"ahead"}, {"turn", "fire"}]
        assert agent.failures == {}


WALLED = ["......", ".####.", ".#..#.", ".#..#.", ".####.", "......"]
WALLS = [(x, 5 - y) for y, row in enumerate(WALLED) for x, cell in enumerate(row) if cell == "#"]
STEER = {
    "walk": {"commands": {"ahead": "cos(way_bearing)", "turn": "way_bearing"}},
}


def going_home(folder):
    write_workspace(
        folder,
        key_operations=STEER,
        action_nodes={
            "go home": {"goal": "home", "operations": ["walk"]},
            "wait": {"operations": ["shoot"]},
        },
        nodes={
            "fighter": {"type": "selector", "children": ["flee", "wait"]},
            "fight": None,
            "flee": {"type": "sequence", "children": ["home open", "go home"]},
        },
    )
    return load_workspace(folder)


def test_a_way_is_pending_then_found_and_followed_around_walls(tmp_path):
    body = Robot(WALLED)
    body.reported_values["home"] = (5.0, 5.0)
    seen = set()
    with TreeAgent(going_home(tmp_path), "fighter", body, answer_after=0.2) as agent:
        for _ in range(200):
            agent.step(0.1)
            seen.add(str(agent.value("way")))
            assert min(math.dist(body.position, wall) for wall in WALLS) > 0.35
            if math.dist(body.position, (5.0, 5.0)) < 0.5:
                break
        assert math.dist(body.position, (5.0, 5.0)) < 0.5
        assert seen >= {"none", "pending", "found"}
        assert agent.failures == {}


def test_an_unreachable_goal_is_reported_and_something_else_is_done(tmp_path):
    body = Robot(WALLED)
    body.reported_values["home"] = (2.4, 2.4)
    with TreeAgent(going_home(tmp_path), "fighter", body, answer_after=0.2) as agent:
        for _ in range(10):
            agent.step(0.1)
        assert body.did == [{"fire": 1.0}] * 10
        trigger = next(node for node in agent.tree.root.iterate() if node.name == "home open")
        assert trigger.feedback_message == "the way to home: unreachable"


def test_the_same_run_gets_its_answers_at_the_same_ticks(tmp_path):
    workspace = going_home(tmp_path)
    runs = []
    for _ in range(2):
        body = Robot(WALLED)
        body.reported_values["home"] = (5.0, 5.0)
        with TreeAgent(workspace, "fighter", body, answer_after=0.2) as agent:
            for _ in range(40):
                agent.step(0.1)
        runs.append(body.did)
    assert runs[0] == runs[1]


def test_names_that_a_game_does_not_have_are_problems_with_the_nearest_one(tmp_path):
    write_workspace(tmp_path, formats={"armour": {"type": "number", "source": "helth"}})
    put(tmp_path, "command/command_reference.tsv", "command\tlow\thigh\nahead\t-2\t1\nfier\t0\t1\n")
    results = [one.text for one in check_for_body(Workspace(tmp_path), Robot(), "the robot")]
    assert any(
        "armour: the robot has no value 'helth': did you mean 'health'?" in one for one in results
    )
    assert any("the robot has no command 'fier': did you mean 'fire'?" in one for one in results)
    assert any("ahead: the robot takes -1 to 1, not -2 to 1" in one for one in results)
