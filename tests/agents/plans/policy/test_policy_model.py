"""A policy's file: what is written is read again, and nothing else is taken for one."""

import sys

import msgspec
import numpy as np
import pytest

from playhead.agents.plans.policy.policy_model import Layer, load_policy
from playhead.errors import PlanError

from ....support.process import run_process


def test_the_shipped_policy_is_small_and_gives_probabilities_and_a_value():
    model = load_policy()
    width = model.policy[0].weight.shape[1]
    judged = model.judge(np.zeros(width, np.float32))
    assert judged.probabilities.shape == (8,)
    assert judged.probabilities.sum() == pytest.approx(1.0, abs=1e-5)
    assert np.isfinite(judged.value)
    rows = np.random.default_rng(1).normal(size=(3, width)).astype(np.float32)
    assert model.scores(rows)[2] == pytest.approx(model.scores(rows[2]), abs=1e-4)


def test_what_is_saved_is_loaded_again(tmp_path):
    model = load_policy()
    model.save(tmp_path / "policy.npz")
    assert (tmp_path / "policy.npz").stat().st_size < 500_000
    again = load_policy(tmp_path / "policy.npz")
    assert again.trained_on == model.trained_on
    assert all(
        np.array_equal(mine.weight, its.weight)
        for mine, its in zip(model.policy, again.policy, strict=True)
    )


def test_it_runs_without_torch_and_without_gymnasium():
    code = (
        "import sys; from playhead.agents.plans.execution.plan_agent import PlanAgent;"
        "from playhead.agents.plans.policy.policy_model import load_policy; load_policy();"
        "print({'torch', 'stable_baselines3', 'gymnasium'} & set(sys.modules))"
    )
    done = run_process(sys.executable, "-c", code)
    assert done.stdout.strip() == "set()", done.stderr


def test_a_missing_foreign_or_cut_file_raises_with_its_name(tmp_path):
    path = tmp_path / "policy.npz"
    with pytest.raises(PlanError, match="policy.npz: the policy can't be read: No such file"):
        load_policy(path)
    path.write_text("not a policy")
    with pytest.raises(PlanError, match="policy.npz is no complete policy file"):
        load_policy(path)
    load_policy().save(path)
    path.write_bytes(path.read_bytes()[:-3000])
    with pytest.raises(PlanError, match="policy.npz is no complete policy file"):
        load_policy(path)
    np.savez(path, weights=np.zeros(3))
    with pytest.raises(PlanError, match="policy.npz is no policy, it has no 'format'"):
        load_policy(path)
    np.save(tmp_path / "one.npy", np.zeros(3))
    with pytest.raises(PlanError, match="one.npy is no"):
        load_policy(tmp_path / "one.npy")


def test_a_policy_of_another_sensor_or_with_broken_numbers_is_refused(tmp_path):
    path, model = tmp_path / "policy.npz", load_policy()
    model._replace(reach=7).save(path)
    with pytest.raises(PlanError, match="another grid sensor: it reaches 7 cells"):
        load_policy(path)
    first = model.policy[0]
    narrow = Layer(first.weight[:, :-1], first.bias)
    model._replace(policy=(narrow, *model.policy[1:])).save(path)
    with pytest.raises(PlanError, match="a layer of its policy network takes 489 numbers"):
        load_policy(path)
    broken = Layer(first.weight, np.full_like(first.bias, np.nan))
    model._replace(policy=(broken, *model.policy[1:])).save(path)
    with pytest.raises(PlanError, match="weights of its (policy|value) network are not finite"):
        load_policy(path)


def test_a_file_that_unpickles_something_is_not_opened(tmp_path):
    path = tmp_path / "policy.npz"
    np.savez(path, format=np.array([msgspec.json], dtype=object).astype(str).astype(object))
    with pytest.raises(PlanError, match="is no complete policy file"):
        load_policy(path)
