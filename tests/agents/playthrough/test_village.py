"""The village's demos that come along: whole, chained, and played to the end by the agent."""

import json
import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from playhead.agents.demo_reader import read_demo
from playhead.agents.playthrough.playthrough_settings import settings_for
from playhead.agents.replay.agent_factory import playthrough
from playhead.agents.replay.demos.demo_files import chained, end_of, read_demos, shipped, start_of
from playhead.agents.replay.local_replay_game import LocalGame
from playhead.agents.replay.replay_batch import BatchSettings, ReplayBatch
from playhead.games.arena.adventure.adventure_game import COLUMNS, AdventureGame
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.clips.clip_source import ClipSource
from playhead.session import Session

from ...support.process import PLAYHEAD, run_process

VILLAGE = "arena:village"
HASTY = """
recovery: {attempts: 1}
talking: {patience: 45}
"""
"""Settings of an agent that gives up soon."""


def demos():
    return read_demos(shipped(VILLAGE), COLUMNS)


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return run_process(PLAYHEAD, *args, "--headless")


def test_they_have_all_columns_and_lead_from_one_saved_game_to_the_next():
    found = demos()
    assert [one.name for one in found] == ["1-errands", "2-gate", "3-forest", "4-hollow"]
    for one in found:
        assert one.demo.own == COLUMNS
        assert not one.demo.cut
    for before, after in pairwise(found):
        assert before.end.read_bytes() == after.start.read_bytes()
        assert chained(before, after)
    first, last = found[0].demo.rows[0], found[-1].demo.rows[-1]
    assert (first.level, last.level) == ("village", "hollow")


def test_they_show_what_the_village_asks_for():
    rows = [row for one in demos() for row in one.demo.rows]
    events = {row.event for row in rows} - {""}
    assert {"elder_asks", "sign_word", "shop_opens", "guard_opens", "traveller_hurt"} <= events
    for button in ("button_a", "button_b", "button_x", "button_y", "pad_up", "trigger_l"):
        assert any(getattr(row, button) for row in rows), button
    assert any(row.in_air for row in rows)
    cursors = {one for file in demos() for one in file.demo.columns["cursor"].tolist()}
    assert {"I will", "bind the leg", "lamp"} <= cursors


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 5])
def test_all_are_played_to_the_games_end_with_late_pads(seed):
    settings, files = settings_for(VILLAGE), demos()
    with AdventureGame("village", seed=seed) as game, Session(
        game.world, "8 MiB", handlers=game.handlers, on_check=UNATTENDED
    ) as session:  # fmt: skip
        game.attach(session)
        batch = ReplayBatch(
            files, playthrough(settings), BatchSettings(latency=2, orders=settings.orders)
        )
        batch.queue.start()
        batch.queue.begin_lap()
        report = batch.lap(LocalGame(game, session), seed)
        assert [one.status for one in report.demos] == ["finished"] * 4, report.failure
        assert game.adventure.finished
        assert session.failed_checks == []


def test_a_game_of_somebody_elses_has_no_demos_here():
    assert [path.name for path in shipped("doom:map01")] == ["map01.csv"]
    assert shipped("mine:village") == []
    assert shipped("arena:") == []
    assert [path.name for path in shipped("arena:dungeon")] == ["1-dungeon.csv"]


def test_a_scripted_person_goes_on_where_a_saved_game_was_left(tmp_path):
    last = shipped(VILLAGE)[-1]
    done = run(
        "demo-record", VILLAGE, "on.csv", "--seconds", "3", "--from", str(start_of(last)), "--json"
    )
    assert done.returncode == 0, done.stderr
    assert start_of(tmp_path / "on.csv").read_bytes() == start_of(last).read_bytes()
    rows = read_demo(tmp_path / "on.csv").rows
    assert {row.level for row in rows} == {"hollow"}
    # It is after the troll, and does not go back to the elder.
    assert rows[-1].player_y > rows[0].player_y + 4.0


@pytest.mark.slow
def test_the_agent_plays_from_a_process_of_its_own(tmp_path):
    assert run("demo-record", VILLAGE, "short.csv", "--seconds", "2.5").returncode == 0
    done = run("replay", VILLAGE, "short.csv", "--outside", "--seed", "4", "--json")
    assert done.returncode == 0, done.stderr
    (facts,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert (facts["finished"], facts["seed"]) == (True, 4)
    assert facts["demos"][0]["row"] == len(read_demo(tmp_path / "short.csv")) - 1


@pytest.fixture
def without_lamp(tmp_path):
    """The way to the guard, who lets nobody out without a lamp: the replay has to fail."""
    gate = shipped(VILLAGE)[1]
    shutil.copy(gate, tmp_path / "gate.csv")
    save = json.loads(start_of(gate).read_text())
    del save["items"]["lamp"]
    start_of(tmp_path / "gate.csv").write_text(json.dumps(save))
    assert end_of(gate).is_file()
    (tmp_path / "hasty.yaml").write_text(settings_path().read_text().rstrip() + "\n" + HASTY)
    return tmp_path / "gate.csv"


def settings_path() -> Path:
    from playhead.agents.playthrough import playthrough_settings as settings

    return Path(settings.__file__).parent / "settings" / "arena-village.yaml"


@pytest.mark.slow
def test_a_failing_replay_keeps_its_clip_which_is_at_the_failure(without_lamp, tmp_path):
    done = run(
        "replay", VILLAGE, without_lamp.name, "--seed", "3", "--latency", "2",
        "--settings", "hasty.yaml", "--clips", "kept",
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    output = re.search(r"(the replay of gate\.csv failed .*) — frame (\d+), ", done.stdout)
    assert output is not None, done.stdout
    message, frame = output[1], int(output[2])
    assert "event guard_refuses came instead of guard_opens" in message
    with ClipSource.open(tmp_path / "kept" / "gate-seed3.mcap") as clip:
        (check,) = [mark for mark in clip.marks() if mark.kind == "check"]
        assert (check.frame, check.name) == (frame, message)
        assert clip.span.oldest < frame < clip.span.newest
        begins = [
            mark.frame for mark in clip.marks()
            if mark.name == "event begins" and mark.note == "guard_refuses"
        ]  # fmt: skip
        # What the agent did is in the frame of what it did it for: the window had just opened.
        skips = [
            at for at in range(clip.span.oldest, clip.span.newest + 1)
            for agent, trace in clip.traces(at)
            if agent == check.object and getattr(trace, "won", "") == "message_or_event"
        ]  # fmt: skip
        assert begins
        assert all(0 <= skip - begin <= 1 for begin, skip in zip(begins, skips, strict=True))
