"""`playhead plan serve` and `plan run --clip`: what an editor of plans starts."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from playhead.cli.agents.plan import plan
from playhead.recorder.clips.clip_source import ClipSource

pytest.importorskip("pymunk")


def test_an_editor_is_told_what_the_game_has_and_what_is_wrong_with_each_text():
    asked = [
        {"number": 7, "text": "nodes:\n  - {actor: swich, action: interact}\n"},
        {"number": 8, "text": "nodes: ["},
        {"number": 9, "text": "nodes:\n  - {actor: switch, action: interact}\n"},
    ]
    given = "".join(f"{json.dumps(one)}\n" for one in asked)
    done = CliRunner().invoke(plan, ["serve", "arena:dungeon"], input=given)
    offers, *answers = map(json.loads, done.stdout.splitlines())
    assert "interact" in offers["actions"]
    assert {"switch", "shrine"} <= {actor["name"] for actor in offers["actors"]}
    assert [one["number"] for one in answers] == [7, 8, 9]
    assert answers[0]["problems"] == [
        {"line": 2, "message": "there is no actor 'swich': did you mean 'switch'?"}
    ]
    assert "no YAML" in answers[1]["problems"][0]["message"]
    assert answers[2]["problems"] == []


@pytest.mark.parametrize("line", ["x", "[]", '{"number": 1}', '{"number": "1", "text": ""}'])
def test_a_line_that_is_no_question_ends_it_with_what_to_write(line):
    done = CliRunner().invoke(plan, ["serve", "arena:dungeon"], input=f"{line}\n")
    assert done.exit_code != 0
    assert "write {" in str(done.exception)


@pytest.mark.slow
def test_a_run_keeps_its_clip_whatever_comes_of_it(tmp_path: Path):
    clip = tmp_path / "run.mcap"
    assert CliRunner().invoke(plan, ["run", "arena:dungeon", "--clip", str(clip)]).exit_code == 0
    with ClipSource.open(clip) as source:
        assert source.span.newest > 100


def test_a_clip_of_several_runs_is_refused(tmp_path: Path):
    done = CliRunner().invoke(
        plan, ["run", "arena:dungeon", "--seeds", "1..2", "--clip", str(tmp_path / "x.mcap")]
    )
    assert "single run" in str(done.exception)
