"""Ways of moving that differ are told apart by what they finish and cover."""

import msgspec
import pytest

pytest.importorskip("pymunk")

from playhead.agents.plans.policy.policy_benchmark import ComparedRun, compared_run, scores

PLAN = """\
game: arena:dungeon
nodes:
  - {actor: notice, action: talk}
  - {actor: switch, action: interact, time_limit: 8}
rules:
  - {when: [{actor: coin in the cell, within: 3}], action: take}
  - {when: [{value: health, below: 10}], action: jump}
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """What came of the plan: a wall is in the way of who goes straight."""
    plan = tmp_path_factory.mktemp("plans") / "cell.plan.yaml"
    plan.write_text(PLAN)
    return {
        model: compared_run(str(plan), "arena:dungeon", 1, {}, model)
        for model in ("straight", "walk")
    }


@pytest.mark.slow
@pytest.mark.parametrize("models", [("straight", "walk"), ("walk", "straight")])
def test_who_finishes_more_comes_first_with_more_of_all_covered(runs, models):
    best, other = scores({model: [runs[model]] for model in models})
    assert (best.model, other.model) == ("walk", "straight")
    assert (best.finished, other.finished) == (1, 0)
    assert (best.nodes.done, best.nodes.total) == (2, 2)
    assert (other.nodes.done, other.nodes.total) == (1, 2)
    assert (best.rules.done, best.rules.total) == (1, 2)
    assert (other.rules.done, other.rules.total) == (0, 2)
    assert best.validations.done > other.validations.done
    assert best.cells.done > other.cells.done
    assert best.cells.total == other.cells.total
    [failure] = other.failures
    assert "node 2 (interact switch): not done within 8 s" in failure


def test_of_models_that_finish_as_many_the_one_that_covers_more_comes_first(runs):
    walk = runs["walk"]

    def has_fired(run: ComparedRun, rules: dict[str, int]) -> ComparedRun:
        return run._replace(outcome=msgspec.structs.replace(run.outcome, rules=rules))

    def those(**models: ComparedRun) -> list[str]:
        return [one.model for one in scores({name: [run] for name, run in models.items()})]

    half = {area: set(sorted(cells)[::2]) for area, cells in walk.cells.items()}
    less = walk._replace(cells=half)
    assert those(less=less, walk=walk) == those(walk=walk, less=less) == ["walk", "less"]
    # A rule that fired is worth more than cells.
    lazy, busy = has_fired(walk, {}), has_fired(less, walk.outcome.rules)
    assert those(lazy=lazy, busy=busy) == ["busy", "lazy"]
    assert those(second=walk, first=walk) == ["second", "first"], "equal ones stay as given"
