"""Hooks in the games that come along: guards of the arena, a tree of the maker, rules of a plan."""

import pytest

pytest.importorskip("pymunk")
pytest.importorskip("py_trees")

from playhead.agents.behaviour_trees.tree_game_run import find_workspace, run_tree
from playhead.agents.behaviour_trees.workspace.workspace_checker import (
    load_workspace,
)
from playhead.games.arena.yard_game import ArenaGame
from playhead.games.game_interface import step_game
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recording.recording import Recording
from playhead.session import Session

from ..agents.plans.room import Room, agent_of, follow
from ..support.fake_world import FakeWorld


def yard(set_hooks=lambda session: None, frames=900):
    """A run of the yard with hooks: its hash, its transitions and its hooks."""
    game = ArenaGame(seed=5)
    with Session(
        game.world, "32 MiB", handlers=game.handlers, on_check=UNATTENDED, strict=True
    ) as session:
        game.attach(session)
        set_hooks(session)
        for _ in range(frames):
            step_game(game)
            session.update(game.dt)
            if not session.live:
                session.leave()
        run = Recording(session.source, "")
        return game.state_hash(), run.transitions(machine="guard", first=1), session.hooks.list()


@pytest.fixture(scope="module")
def plain():
    return yard()


@pytest.mark.slow
def test_hooks_that_look_and_break_leave_the_run_as_it_is(plain):
    def look(session):
        guards = range(1, 8)
        for guard in guards:
            session.hooks.trace(guard, transition="->")
            session.hooks.break_at(guard, rule="sees_target", times=2)
            session.hooks.trace(guard, rule="certain", when="hp > 50 and sees")

    hash, transitions, hooks = yard(look)
    assert hash == plain[0]
    assert [one.target for one in transitions] == [one.target for one in plain[1]]
    assert sum(hook.hits for hook in hooks) > 3


@pytest.mark.slow
def test_a_guard_whose_rule_is_denied_never_goes_by_it(plain):
    guard = next(one.agent for one in plain[1] if one.won == "sees_target")
    hash, transitions, [hook] = yard(
        lambda session: session.hooks.replace(guard, rule="sees_target", result=False)
    )
    assert hash != plain[0]
    assert hook.hits > 0
    assert not [one for one in transitions if one.agent == guard and one.won == "sees_target"]


@pytest.mark.slow
def test_a_guard_is_sent_elsewhere_and_the_transition_says_by_whom(plain):
    guard = next(one.agent for one in plain[1] if one.target == "Notice")
    _, transitions, [hook] = yard(
        lambda session: session.hooks.replace(
            guard, transition="Patrol -> Notice", result="Flee", times=1
        )
    )
    fled = [one for one in transitions if one.agent == guard and one.target == "Flee"]
    assert fled[0].source == "Patrol"
    assert fled[0].won.endswith(f", hook {hook.id}")


def test_a_tree_of_the_maker_takes_a_mock():
    workspace = load_workspace(find_workspace("yard_guard"))
    game = ArenaGame(seed=1)
    statuses = []
    with Session(
        game.world, "32 MiB", handlers=game.handlers, on_check=UNATTENDED, strict=True
    ) as session:
        guard = game.yard.guards[2]

        def look(frame):
            if frame == 3:
                session.hooks.mock(guard.id, node="is at the post", results=["success"] * 5)
            if frame > 3:
                tree = Recording(session.source, "").tree(guard.id, "sentry")
                statuses.extend(one.status for one in tree.nodes if one.name == "is at the post")
            return True

        run_tree(workspace, game, "sentry", frames=12, seed=1, session=session, before_step=look)
        assert statuses == ["success"] * 5 + ["failure"] * 3
        [hook] = session.hooks.list()
        assert (hook.state, hook.hits) == ("done", 5)


def test_a_rule_of_a_plan_is_denied_and_told_so():
    plan = "nodes: [{actor: button, action: press}]\n"
    rule = "rules: [{when: [{actor: foe, within: 2}], action: hit}]\n"
    with Session(FakeWorld(), "1 MiB", strict=True) as session:
        session.hooks.replace(1, rule="hit foe", result=False)
        room = Room()
        room.add(10, "button", (8, 0))
        room.add(20, "foe", (4, 0.5))
        agent = follow(room, agent_of(room, plan + rule, instruments=session))
        assert room.performed == ["press"]
        assert agent.rules_fired == {}
        assert session.hooks.list()[0].hits > 0
