"""Hooks on the nodes of trees of py_trees: what Groot2 and BehaviorTree.CPP do with theirs."""

import threading
from typing import Any

import pytest

py_trees = pytest.importorskip("py_trees")

from py_trees.behaviour import Behaviour  # noqa: E402
from py_trees.blackboard import Blackboard  # noqa: E402
from py_trees.common import Access, Status  # noqa: E402
from py_trees.composites import Selector, Sequence  # noqa: E402

from playhead.errors import CapacityError, CommandError  # noqa: E402
from playhead.hooks.hook_definition import MOST_HOOKS  # noqa: E402
from playhead.playback.playback_state import Mode  # noqa: E402
from playhead.recording_session import record  # noqa: E402

from ..support.waits import LIMIT  # noqa: E402

DT = 1 / 64


class Guard:
    def __init__(self) -> None:
        self.hp, self.name = 9.0, "guard"


class Leaf(Behaviour):
    """Counts what py_trees does with it."""

    def __init__(self, name: str, *results: Status) -> None:
        super().__init__(name)
        self.results, self.calls = results, list[str]()

    def initialise(self) -> None:
        self.calls.append("initialise")

    def update(self) -> Status:
        self.calls.append("update")
        self.feedback_message = "its own"
        return self.results[min(self.calls.count("update"), len(self.results)) - 1]

    def terminate(self, new_status: Status) -> None:
        self.calls.append(f"terminate {new_status.name}")


class Play:
    """A guard with a tree: attack if it sees somebody, else patrol."""

    def __init__(self, **settings: Any) -> None:
        self.guard = Guard()
        self.sees = Leaf("sees", Status.FAILURE)
        self.hit = Leaf("hit", Status.RUNNING)
        self.patrol = Leaf("patrol", Status.RUNNING)
        attack = Sequence("attack", memory=False, children=[self.sees, self.hit])
        self.root = Selector("guard", memory=False, children=[attack, self.patrol])
        self.rec = record([self.guard], dt=DT, strict=True, **settings)
        self.rec.add(self.root, agent=self.guard, name="mind")
        self.hooks = self.rec.hooks
        self.run(1)

    def run(self, frames: int = 1) -> None:
        for _ in range(frames):
            with self.rec.frame():
                self.root.tick_once()

    def statuses(self) -> list[str]:
        span = self.rec.source.span
        [(_, trace)] = self.rec.source.traces(span.newest)
        return list(trace.statuses)


@pytest.fixture
def play():
    made = []

    def make(**settings: Any) -> Play:
        made.append(Play(**settings))
        return made[-1]

    yield make
    for one in made:
        one.rec.close()
    Blackboard.clear()


def test_a_node_is_not_touched_while_no_hook_is_on_it(play):
    game = play()
    before = [vars(node).get("tick") for node in game.root.iterate()]
    hook = game.hooks.trace("guard", node="sees")
    assert "tick" in vars(game.sees)
    assert "tick" not in vars(game.hit)
    game.hooks.remove(hook)
    assert [vars(node).get("tick") for node in game.root.iterate()] == before


def test_a_disabled_hook_touches_nothing_and_an_enabled_one_acts_again(play):
    game = play()
    hook = game.hooks.replace("guard", node="sees", result="success")
    game.hooks.disable(hook)
    assert "tick" not in vars(game.sees)
    game.run()
    assert game.root.tip().name == "patrol"
    game.hooks.enable(hook)
    game.run()
    assert game.root.tip().name == "hit"


@pytest.mark.parametrize("status", ["success", "failure", "running"])
def test_a_replaced_leaf_is_not_executed_and_its_parent_sees_the_given_status(play, status):
    game = play()
    game.hooks.replace("guard", node="sees", result=status)
    game.run()
    assert game.sees.status is Status[status.upper()]
    assert game.sees.calls.count("update") == game.sees.calls.count("initialise") == 1
    assert (game.hit.status is Status.RUNNING) == (status == "success")


def test_a_replaced_status_is_recorded_with_the_hook_as_its_reason_as_an_input_and_marked(play):
    game = play()
    hook = game.hooks.replace("guard", node="sees", result="success")
    game.run(2)
    source, newest = game.rec.source, game.rec.source.span.newest
    [(_, trace)] = source.traces(newest)
    assert trace.reasons[2] == f"hook {hook.id}: success"
    assert source.statements(newest).inputs[1, f"hook {hook.id}"] == (
        f"node 'sees' -> success, by hook {hook.id}"
    )
    [mark] = [mark for mark in source.marks() if mark.kind == "hook"]
    assert mark.frame == newest - 1
    assert "sees" in mark.name


def test_a_replaced_composite_stops_its_running_children_and_executes_none(play):
    game = play()
    game.sees.results = (Status.SUCCESS,)
    game.run()
    assert game.hit.status is Status.RUNNING
    game.hooks.replace("guard", node="attack", result="failure")
    game.run()
    assert game.hit.status is Status.INVALID
    assert game.hit.calls[-1] == "terminate INVALID"
    assert game.root.tip().name == "patrol"


def test_a_running_leaf_that_is_replaced_is_stopped_and_begins_anew_afterwards(play):
    game = play()
    hook = game.hooks.replace("guard", node="patrol", result="running")
    game.run(2)
    assert game.patrol.calls[-1] == "terminate INVALID"
    game.hooks.remove(hook)
    game.run()
    assert game.patrol.calls[-2:] == ["initialise", "update"]
    assert game.patrol.feedback_message == "its own"


def test_the_root_can_be_replaced_and_its_ticks_are_recorded_nevertheless(play):
    game = play()
    game.hooks.replace("guard", node="guard", result="success")
    game.run()
    assert game.statuses()[0] == "success"
    assert game.statuses()[1] != "running"
    game.hooks.clear()
    game.run()
    assert game.statuses()[0] == "running"


def test_a_mock_answers_from_its_list_and_is_itself_again(play):
    game = play()
    game.hooks.mock("guard", node="sees", results=["success", "running", "failure"])
    seen = []
    for _ in range(4):
        game.run()
        seen.append(game.sees.status.name)
    assert seen == ["SUCCESS", "RUNNING", "FAILURE", "FAILURE"]
    assert game.sees.calls[-1].startswith("terminate")
    assert "update" in game.sees.calls
    assert game.hooks.list()[0].state == "done"
    assert "tick" not in vars(game.sees)


def test_the_last_result_of_a_mock_is_seen_by_the_parent_and_recorded(play):
    game = play()
    game.hooks.mock("guard", node="sees", results=["running"])
    game.run()
    assert game.sees.status is Status.RUNNING
    assert game.root.status is Status.RUNNING
    assert game.root.tip().name == "sees"
    [(_, trace)] = game.rec.source.traces(game.rec.source.span.newest)
    assert trace.reasons[2] == "hook 1: running"
    game.run()
    assert game.sees.calls[-3:] == ["initialise", "update", "terminate FAILURE"]
    assert "tick" not in vars(game.sees)
    game.hooks.replace("guard", node="guard", result="running", times=1)
    game.run()
    assert game.statuses()[0] == "running"
    game.run(2)
    assert game.statuses()[0] == "running"
    assert game.patrol.status is Status.RUNNING


def test_a_mock_that_repeats_goes_round(play):
    game = play()
    game.hooks.mock("guard", node="sees", results=["success", "failure"], repeat=True)
    seen = []
    for _ in range(5):
        game.run()
        seen.append(game.sees.status.name)
    assert seen == ["SUCCESS", "FAILURE", "SUCCESS", "FAILURE", "SUCCESS"]


def test_a_replaced_result_comes_after_a_delay_during_which_the_node_is_running(play):
    game = play()
    game.hooks.replace("guard", node="sees", result="success", delay=3 * DT)
    seen = []
    for _ in range(5):
        game.run()
        seen.append(game.sees.status.name)
    assert seen == ["RUNNING"] * 3 + ["SUCCESS", "RUNNING"]


def test_a_replaced_node_sets_keys_of_the_blackboard_when_it_ends(play):
    game = play()
    board = py_trees.blackboard.Client(name="test")
    board.register_key("door", access=Access.WRITE)
    board.door = "shut"
    game.hooks.replace("guard", node="sees", result="success", keys={"/door": "open"})
    game.run()
    assert board.door == "open"


def test_a_hook_acts_so_often_and_is_done_then(play):
    game = play()
    game.hooks.replace("guard", node="sees", result="success", times=2)
    game.run(4)
    [report] = game.hooks.list()
    assert (report.hits, report.state, report.last - report.first) == (2, "done", 1)
    assert game.sees.status is Status.FAILURE


def test_of_two_hooks_that_replace_a_node_the_one_that_was_set_first_acts(play):
    game = play()
    game.hooks.replace("guard", node="sees", result="success", times=1)
    game.hooks.replace("guard", node="sees", result="running")
    game.run()
    assert game.sees.status is Status.SUCCESS
    game.run()
    assert game.sees.status is Status.RUNNING
    assert [report.hits for report in game.hooks.list()] == [1, 1]


def test_a_trace_writes_a_line_with_status_reason_and_the_blackboard(play):
    game = play()
    board = game.patrol.attach_blackboard_client("patrol")
    board.register_key("goal", access=Access.WRITE)
    board.goal = 7
    game.hooks.trace("guard", node="patrol")
    game.run(70)  # keys are looked for at least once a second
    lines = list(game.rec.source.statements(game.rec.source.span.newest).logs)
    assert [line.text for line in lines] == ["node 'patrol' -> running: its own (goal=7)"]


def test_a_condition_looks_at_the_blackboard_and_at_recorded_fields(play):
    game = play()
    game.hooks.trace("guard", node="patrol", when="hp < 5 and abs(hp) > 1")
    game.run(2)
    assert game.hooks.list()[0].hits == 0
    game.guard.hp = 4.0
    game.run(2)
    assert game.hooks.list()[0].hits == 1  # its fields are those of the newest frame


def test_a_condition_with_an_unknown_name_says_so_and_does_not_act(play):
    game = play()
    game.hooks.replace("guard", node="patrol", result="failure", when="hpp < 5")
    game.run()
    [report] = game.hooks.list()
    assert (report.state, report.hits) == ("wrong", 0)
    assert "did you mean 'hp'" in report.note


def test_a_break_of_the_game_itself_pauses_at_the_end_of_the_frame(play):
    game = play()
    game.hooks.break_at("guard", node="patrol", times=1)
    game.run()
    state = game.rec.state
    assert state.mode is Mode.PAUSED
    assert state.frame == state.span.newest == 2
    game.rec.leave()
    game.run(2)
    assert game.rec.live


def test_a_break_in_a_worker_thread_pauses_the_game_at_the_end_of_its_frame(play):
    game = play()
    game.hooks.break_at("guard", node="patrol", times=1)
    worker = threading.Thread(target=game.root.tick_once)
    with game.rec.frame():
        worker.start()
        worker.join(LIMIT)
    assert game.rec.state.mode is Mode.PAUSED
    game.rec.leave()
    game.run()


def test_a_hook_survives_entering_and_leaving_playback(play):
    game = play()
    game.hooks.replace("guard", node="sees", result="success")
    game.run(3)
    game.rec.enter()
    game.rec.step(-2)
    game.rec.leave()
    game.run()
    assert game.sees.status is Status.SUCCESS
    assert game.hooks.list()[0].hits == 4


def test_a_hook_follows_a_node_that_leaves_the_tree_and_comes_again(play):
    game = play()
    game.hooks.replace("guard", node="patrol", result="failure")
    other = Leaf("other", Status.RUNNING)
    game.root.remove_child(game.patrol)
    game.root.add_child(other)
    game.run(2)
    [report] = game.hooks.list()
    assert report.state == "waiting"
    assert "no such node" in report.note
    assert "tick" not in vars(game.patrol)
    game.root.remove_child(other)
    game.root.add_child(game.patrol)
    game.run(2)
    assert game.hooks.list()[0].state == "armed"
    assert game.patrol.status is Status.FAILURE


def test_a_hook_waits_for_an_agent_whose_tree_comes_later(play):
    game = play()
    late = Guard()
    game.hooks.replace(99, node="patrol", result="failure")
    assert game.hooks.list()[0].state == "waiting"
    tree = Leaf("patrol", Status.RUNNING)
    game.rec.add([late])
    game.rec.add(tree, agent=99, name="late")
    assert game.hooks.list()[0].state == "armed"
    tree.tick_once()
    assert tree.status is Status.FAILURE


@pytest.mark.parametrize(
    ("set", "why"),
    [
        (lambda hooks: hooks.trace("guard", node="atack"), "did you mean 'attack'"),
        (lambda hooks: hooks.trace("guard", node=12), "has 5 nodes"),
        (lambda hooks: hooks.trace("gard", node="attack"), "did you mean 'guard'"),
        (lambda hooks: hooks.trace("guard", node="attack", tree="body"), "there is only mind"),
        (lambda hooks: hooks.trace("guard"), "one of node="),
        (lambda hooks: hooks.trace("guard", node="hit", field="hp"), "one of node="),
        (lambda hooks: hooks.replace("guard", node="hit", result="ok"), "no such status"),
        (lambda hooks: hooks.replace("guard", node="hit", result=None), "no such status"),
        (lambda hooks: hooks.mock("guard", node="hit", results=[]), "list of results is empty"),
        (lambda hooks: hooks.mock("guard", node="hit", results="success"), "give a list"),
        (lambda hooks: hooks.break_at("guard", node="hit", at="during"), "at='during'"),
        (lambda hooks: hooks.trace("guard", node="hit", when="hp <"), "invalid syntax"),
        (lambda hooks: hooks.trace("guard", node="hit", when="changed(hp)"), "other instants"),
        (lambda hooks: hooks.trace("guard", node="hit", times=-1), "times=-1"),
        (lambda hooks: hooks.remove(7), "hook 7: it is not set"),
        (lambda hooks: hooks.replace("guard", node="hit", result="success", delay=float("nan")),
         "delay=nan"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_and_sets_nothing(play, set, why):
    game = play()
    with pytest.raises(CommandError, match=why):
        set(game.hooks)
    assert game.hooks.list() == []


def test_a_flood_of_hooks_is_refused_and_the_game_runs_on(play):
    game = play()
    refused = 0
    for _ in range(10_000):
        try:
            game.hooks.trace("guard", node="sees")
        except CapacityError:
            refused += 1
    assert refused == 10_000 - MOST_HOOKS == 10_000 - len(game.hooks.list())
    game.hooks.clear()
    game.run()
    assert game.rec.live


def test_the_run_with_hooks_that_only_look_is_the_run_without_them(play):
    plain, looked_at = play(), play()
    for node in ("guard", "attack", "sees", "patrol"):
        looked_at.hooks.trace("guard", node=node)
    looked_at.hooks.trace("guard", field="hp")
    for game in (plain, looked_at):
        game.run(20)
        game.sees.results = (Status.SUCCESS,)
        game.run(20)
    assert plain.sees.calls == looked_at.sees.calls
    assert plain.hit.calls == looked_at.hit.calls
    assert plain.patrol.calls == looked_at.patrol.calls


def test_the_past_answers_at_once_how_often_a_node_was_ticked(play, tmp_path):
    game = play()
    game.run(9)
    from playhead.recording.recording import Recording

    run = Recording(game.rec.source, "test")
    found = run.occurrences("guard", node="sees")
    assert (found.count, found.first, found.last, found.now) == (10, 1, 10, "failure")
    assert found.outcomes == {"failure": 10}
    assert run.occurrences("guard", node="hit").count == 0
    with pytest.raises(CommandError, match="did you mean 'sees'"):
        run.occurrences("guard", node="seees")
