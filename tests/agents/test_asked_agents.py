"""The agents that come along decide again as they did in every frame of a run, and an edit is seen
in just the frames in which it matters."""

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("py_trees")

from playhead.agents.behaviour_trees.tree_game_run import find_workspace, run_tree
from playhead.agents.behaviour_trees.workspace.workspace_checker import (
    load_workspace,
)
from playhead.agents.plans.execution.run_plan_in_game import run_plan
from playhead.agents.plans.plan_file import load_plan, shipped_plan
from playhead.agents.playthrough.playthrough_settings import settings_for
from playhead.agents.replay.agent_factory import playthrough
from playhead.agents.replay.demos.demo_files import read_demos, shipped
from playhead.agents.replay.local_replay_game import LocalGame
from playhead.agents.replay.replay_batch import BatchSettings, ReplayBatch
from playhead.errors import CommandError, PlanError, TreeError
from playhead.games.arena.adventure.adventure_game import COLUMNS, AdventureGame
from playhead.games.arena.guards import guard_fsm
from playhead.games.arena.yard_game import ArenaGame
from playhead.games.game_catalog import open_game
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recording import open_file
from playhead.session import Session


def deciders_in(run):
    """All who decided in a recording, as (agent, decider)."""
    source = run._source
    return sorted({
        (one.agent, one.decider)
        for frame in range(run.frames[0].number, run.frames[-1].number + 1)
        for one in source.decisions(frame)
    })  # fmt: skip


def asked_of(run, agent, decider, **options):
    asked = list(run.ask_all(agent, decider=decider, **options))
    assert asked
    wrong = [(one.frame, one.differences) for one in asked if not one.is_reproduced]
    assert wrong == []
    return asked


@pytest.fixture(scope="module")
def guards(tmp_path_factory):
    """Fifteen seconds of a tree's guard among those that think by a table."""
    path = tmp_path_factory.mktemp("asked") / "guards.mcap"
    game = ArenaGame(seed=1, guards=6)
    run_tree(load_workspace(find_workspace("yard_guard")), game, "guard", frames=900, clip=path)
    return path


@pytest.fixture(scope="module")
def dungeon(tmp_path_factory):
    """The plan that comes along with the dungeon, from its beginning to its end."""
    path = tmp_path_factory.mktemp("asked") / "dungeon.mcap"
    with (
        open_game("arena:dungeon", seed=3) as game,
        Session(game.world, "64 MiB", handlers=game.handlers, on_check=UNATTENDED) as session,
    ):
        assert run_plan(load_plan(shipped_plan("arena:dungeon")), game, session=session).finished
        session.save(path)
    return path


@pytest.mark.slow
def test_every_decision_of_guards_comes_out_as_it_did(guards):
    with open_file.open(guards) as run:
        counts, targets = {}, set()
        for agent, decider in deciders_in(run):
            asked = asked_of(run, agent, decider)
            targets |= {one.recorded.target for one in asked}
            counts[run.object(agent).name] = len(asked)
        assert counts.pop("middle") == 900
        assert set(counts.values()) == {150}
        assert len(counts) == 5
        assert {"Notice", "Chase", "hit", "run to the target"} <= targets
        moved = [one for one in run.ask_all("middle") if one.recorded.outcome]
        assert moved, "a tree's commands are compared, too"


@pytest.mark.slow
def test_an_edited_table_of_guards_is_seen_in_just_the_frames_in_which_it_matters(guards, tmp_path):
    edited = tmp_path / "guard_fsm.py"
    source = Path(guard_fsm.__file__).read_text(encoding="utf-8")
    edited.write_text(source.replace("FRESH_NOISE = 0.3", "FRESH_NOISE = 0.0"), encoding="utf-8")
    with open_file.open(guards) as run:
        changed, expected = [], []
        for name in ("north", "west"):
            for one in run.ask_all(name, with_=edited):
                changed += [(name, one.frame)] if one.is_changed else []
                hears = one.inputs["noise_age"] < 0.3 and not one.inputs["sees"]
                expected += [(name, one.frame)] if one.inputs["state"] == "Patrol" and hears else []
    assert changed == expected
    assert changed


@pytest.mark.slow
def test_an_edited_tree_is_laid_beside_the_recorded_one(guards, tmp_path):
    items = find_workspace("yard_guard") / "tree_items"
    triggers = json.loads((items / "trigger_nodes.json").read_text(encoding="utf-8"))
    old = triggers["can strike"]["when"]
    assert "1.6" in old
    triggers["can strike"]["when"] = old.replace("1.6", "3.0")
    edited = tmp_path / "trigger_nodes.json"
    edited.write_text(json.dumps(triggers), encoding="utf-8")
    with open_file.open(guards) as run:
        asked = asked_of(run, "middle", None, with_=edited)
        changed = [one for one in asked if one.is_changed]
        near = [
            one.frame for one in asked
            if one.recorded.target == "run to the target" and one.inputs["sees"]
            and 1.6 < one.inputs["target_distance"] <= 3.0
        ]  # fmt: skip
        assert [one.frame for one in changed] == near
        assert near
        assert changed[0].edited is not None
        assert changed[0].edited.target == "hit"
        assert any(line.endswith("can strike: failure → success") for line in changed[0].changes)
        whole = tmp_path / "workspace"
        shutil.copytree(find_workspace("yard_guard"), whole)
        shutil.copy(edited, whole / "tree_items" / "trigger_nodes.json")
        assert run.ask("middle", near[0], with_=whole).edited == changed[0].edited


@pytest.mark.slow
def test_what_is_wrong_with_an_edited_workspace_is_reported(guards, tmp_path):
    with open_file.open(guards) as run:
        broken = tmp_path / "tree_structure.json"
        broken.write_text('{"agents": {"guard": {"drives": "middle", "root": "nobody"}}}')
        with pytest.raises(TreeError, match="nobody"):
            run.ask("middle", with_=broken)
        (tmp_path / "notes.txt").write_text("hello")
        with pytest.raises(TreeError, match="give a workspace, or one of its files"):
            run.ask("middle", with_=tmp_path / "notes.txt")
        with pytest.raises(TreeError, match="the file is missing"):
            run.ask("middle", with_=tmp_path)


@pytest.mark.slow
def test_why_a_tree_s_branch_did_not_come_names_node_and_nearest_miss(guards):
    with open_file.open(guards) as run:
        found = run.why_not("middle", "hit")
    strike = next(one for one in found.obstacles if one.what.endswith("can strike"))
    miss = strike.nearest
    assert miss.lacks is not None
    assert miss.lacks == pytest.approx(miss.values["target_distance"] - 1.6)
    assert found.decisions == 900 == found.came + sum(one.count for one in found.obstacles)


@pytest.mark.slow
def test_every_decision_of_a_plan_and_of_its_enemies_comes_out_as_it_did(dungeon, tmp_path):
    with open_file.open(dungeon) as run:
        deciders = deciders_in(run)
        assert {decider for _, decider in deciders} == {"plan", "enemy"}
        targets = set()
        for agent, decider in deciders:
            targets |= {one.recorded.target for one in asked_of(run, agent, decider)}
        assert {"attack enemy", "take item", "Chase", "Strike"} <= targets
        edited = tmp_path / "other.plan.yaml"
        plan = load_plan(shipped_plan("arena:dungeon"))
        edited.write_text(plan.text().replace("within: 4", "within: 9"), encoding="utf-8")
        asked = asked_of(run, "hero", "plan", with_=edited)
        changed = [one for one in asked if one.is_changed]
        assert changed
        assert {one.edited.target for one in changed if one.edited} == {"attack enemy"}
        for one in asked:
            rule = next(each for each in one.again.conditions if each.name == "attack enemy")
            is_nearer = rule.lacks is not None and 0 < rule.lacks <= 5
            assert one.is_changed == (is_nearer and one.recorded.target == ""), one.frame
        edited.write_text("nodes: 3\n", encoding="utf-8")
        with pytest.raises(PlanError, match="other.plan.yaml"):
            run.ask("hero", with_=edited)
        with pytest.raises(CommandError, match="edited in Python"):
            run.ask(12, decider="enemy", with_=edited)


@pytest.mark.slow
def test_why_a_rule_did_not_fire_names_its_nearest_miss(dungeon):
    with open_file.open(dungeon) as run:
        fired = run.why_not("hero", "attack enemy")
        assert fired.came_first is not None
        found = run.why_not("hero", "attack enemy", last=fired.came_first - 1)
    (one,) = found.obstacles
    assert (one.what, one.kind, one.nearest.frame) == (
        "attack enemy", "condition", fired.came_first - 1,
    )  # fmt: skip
    assert one.nearest.lacks is not None
    assert 0 < one.nearest.lacks < 0.2


@pytest.mark.slow
def test_every_decision_of_a_complete_replay_of_the_village_comes_out_as_it_did(tmp_path):
    settings, files = settings_for("arena:village"), read_demos(shipped("arena:village"), COLUMNS)
    with AdventureGame("village", seed=3) as game, Session(
        game.world, "128 MiB", handlers=game.handlers, on_check=UNATTENDED
    ) as session:  # fmt: skip
        game.attach(session)
        batch = ReplayBatch(
            files, playthrough(settings), BatchSettings(latency=2, orders=settings.orders)
        )
        batch.queue.start()
        batch.queue.begin_lap()
        report = batch.lap(LocalGame(game, session), 3)
        assert [one.status for one in report.demos] == ["finished"] * 4, report.failure
        session.save(tmp_path / "village.mcap")
    with open_file.open(tmp_path / "village.mcap") as run:
        assert run.frames[0].number == 1, "nothing of it was evicted"
        deciders = deciders_in(run)
        asked = {who: asked_of(run, *who) for who in deciders}
    (agent,) = (who for who in deciders if who[1] == "playthrough")
    assert len(asked[agent]) > 3000
    assert {one.recorded.target for one in asked[agent]} >= {
        "pad_replay", "message_skip", "collect_item", "enemy_battle", "boss_battle",
    }  # fmt: skip
    assert len(deciders) > 5, "the enemies are asked, too"


def test_where_a_hook_has_decided_that_is_reported(tmp_path):
    game = ArenaGame(seed=3, guards=1)
    with Session(game.world, "8 MiB", handlers=game.handlers, on_check=UNATTENDED) as session:
        game.attach(session)
        guard = game.yard.guards[0]
        session.hooks.replace(guard.id, rule="sees_target", machine="guard", result=True, times=1)
        for _ in range(20):
            game.step()
            session.update(game.dt)
        session.save(tmp_path / "hooked.mcap")
    game.close()
    with open_file.open(tmp_path / "hooked.mcap") as run:
        wrong = [one for one in run.ask_all(guard.id) if not one.is_reproduced]
        (hooked,) = wrong[:1]
        assert hooked.recorded.target == "Notice"
        assert any(note.startswith("a hook acted on it then: hook ") for note in hooked.notes)
