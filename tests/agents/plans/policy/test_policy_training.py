"""Training for real, for a few seconds; without the extra `rl` it says what to install."""

import json
import sys

import pytest

from playhead.agents.plans.policy.navigation_task import training_grids
from playhead.agents.plans.policy.policy_model import load_policy

from ....support.process import PLAYHEAD, run_process


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_few_thousand_steps_make_a_policy_that_is_better_than_chance(tmp_path):
    pytest.importorskip("stable_baselines3")
    from playhead.agents.plans.policy.policy_evaluation import evaluate
    from playhead.agents.plans.policy.policy_training import train

    grids = training_grids(range(10))
    calls = []
    begun = train(grids, 1, 0)
    model = train(grids, 60_000, 0, trained_on="a test", tell=lambda *those: calls.append(those))
    assert calls[-1][0] >= 60_000
    model.save(tmp_path / "policy.npz")
    before, after = (evaluate(one, grids, 200, 1).share for one in (begun, model))
    assert after > before + 0.1


@pytest.mark.slow
def test_the_command_writes_a_policy_and_says_how_good_it_is(tmp_path):
    pytest.importorskip("stable_baselines3")
    out = tmp_path / "policy.npz"
    options = ("--steps", "9000", "--levels", "5", "--json")
    (temporary := tmp_path / "temporary").mkdir()
    done = run_process(
        PLAYHEAD, "train", "arena:dungeon", "--out", str(out), *options, limit=240,
        # What torch keeps for its compiler is torch's.
        env={
            "TMPDIR": str(temporary),
            "SB3_LOGDIR": None,
            "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "inductor"),
        },
    )  # fmt: skip
    assert not list(temporary.iterdir())
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["bytes"] == out.stat().st_size
    assert 0 <= facts["arrived_unseen"] <= 1


@pytest.mark.slow
def test_the_command_trains_on_a_plan_and_says_how_many_of_its_nodes_are_reached(tmp_path):
    pytest.importorskip("stable_baselines3")
    out, plan = tmp_path / "policy.npz", tmp_path / "switch.plan.yaml"
    plan.write_text(
        "game: arena:dungeon\n"
        "nodes: [{actor: switch, action: interact, time_limit: 10}]\n"
    )  # fmt: skip
    options = ("--plan-levels", "2", "--steps", "9000", "--levels", "5", "--json")
    done = run_process(
        PLAYHEAD, "train", "--plan", str(plan), "--out", str(out), *options, limit=240
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    (of_plan,) = facts["plans"]
    assert (facts["game"], of_plan["path"], of_plan["walks"]) == ("arena:dungeon", str(plan), 2)
    assert (of_plan["levels"], of_plan["nodes"], of_plan["reached_by_paths"]) == (5, 5, 5)
    assert 0 <= of_plan["reached"] <= 5
    assert "50% of the walks those of switch.plan.yaml in 2 levels" in load_policy(out).trained_on


@pytest.mark.slow
def test_without_the_extra_the_error_names_it(tmp_path):
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError(name='torch')")
    arguments = ["train", "arena:dungeon", "--out", str(tmp_path / "policy.npz")]
    code = f"from playhead.cli.main import main; main({arguments!r})"
    done = run_process(sys.executable, "-c", code, env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode != 0
    assert "training needs torch, which is not installed" in done.stderr
    assert "[rl]" in done.stderr


@pytest.mark.slow
def test_a_game_that_has_no_maps_of_cells_is_refused(tmp_path):
    done = run_process(PLAYHEAD, "train", "arena:yard", "--out", str(tmp_path / "policy.npz"))
    assert done.returncode != 0
    assert "arena:yard can't be driven by plans" in done.stderr
