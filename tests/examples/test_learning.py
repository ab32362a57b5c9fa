"""The example that learns; `benchmarks/games/learning_quality.py` measures how well."""

import re
import sys
from pathlib import Path

import pytest

from playhead.recorder.clips.clip_source import ClipSource


@pytest.fixture(scope="module", autouse=True)
def learner():
    # It brings torch: a second and 200 MB, which each process of a run would spend on collecting.
    pytest.importorskip("stable_baselines3")


@pytest.fixture(scope="module")
def example(learner, load_example):
    return load_example("learn_to_aim")


@pytest.mark.slow
def test_the_clip_of_a_round_is_the_round_that_was_played(example, tmp_path):
    model = example.beginner(1)
    rounds = example.play(model, 3, seed=5)
    again = example.play(model, 3, seed=5)
    assert [one[:3] for one in again] == [one[:3] for one in rounds]
    best = max(rounds, key=lambda one: one.reward)
    example.record(best, tmp_path / "best.mcap")
    clip = ClipSource.open(tmp_path / "best.mcap")
    span = clip.span
    assert span.newest - span.oldest == round(span.seconds / 0.05)
    steps = range(span.oldest + 1, span.newest + 1)
    rewards = [clip.watches(frame)[1, "reward"] for frame in steps]
    assert sum(rewards) == pytest.approx(best.reward, abs=0.01)
    ended = clip.transitions(span.newest, 1, "round", 1)[0].trace
    assert ended.target == ("won" if best.won else "lost")


@pytest.mark.slow  # the clip of a round is made by the same example in each run
def test_it_learns_plays_and_records_when_it_is_run(example, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["learn_to_aim.py", "--steps", "1", "--folder", str(tmp_path)])
    monkeypatch.setattr(example, "ARENAS", 8)
    monkeypatch.setattr(example, "ROUNDS", 3)
    example.main()
    result = capsys.readouterr().out
    assert "before: 0.00" in result
    for name in ("best", "worst"):
        assert f"playhead view {tmp_path / name}.mcap" in result
        assert ClipSource.open(tmp_path / f"{name}.mcap").span


@pytest.mark.slow
def test_what_the_documents_show_of_learning_runs():
    text = (Path(__file__).parents[2] / "docs/arena.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    code = next(block for block in blocks if "AimVecEnv" in block)
    names: dict = {}
    exec(
        code.replace("arenas=64", "arenas=4")
        .replace("learn(2_000)", "learn(1)")
        .replace("arenas=16", "arenas=4"),
        names,
    )
    assert names["model"].num_timesteps == 500
