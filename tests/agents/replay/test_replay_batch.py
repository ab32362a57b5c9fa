"""The process: demos are replayed or skipped in turn, in a game in this process."""

import math
from itertools import pairwise
from pathlib import Path

import pytest

from playhead.agents.replay.demos.demo_files import read_demos, start_of
from playhead.agents.replay.local_replay_game import LocalGame, LoopHooks
from playhead.agents.replay.replay_batch import BatchSettings, ReplayBatch
from playhead.agents.replay.replay_outcome import RunReport
from playhead.errors import CommandError, GameError
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.clips.clip_source import ClipSource
from playhead.session import Session

from .corridor import PLAYER, Bare, Corridor, Follower, record_demo


class Rig:
    """A corridor under a session, and demos of it that were recorded one after another."""

    def __init__(self, folder: Path, *, wall: float = math.inf) -> None:
        self.folder = folder
        self.paths = [
            record_demo(folder / "one.csv", 0.0, 1.0), record_demo(folder / "two.csv", 1.0, 2.0),
            record_demo(folder / "three.csv", 3.0, 4.0),
        ]  # fmt: skip
        self.game = Corridor(wall=wall)
        self.session = Session(
            self.game.world, "2 MiB", handlers=self.game.handlers, on_check=UNATTENDED
        )
        self.game.attach(self.session)
        self.made: list[Follower] = []
        self.published: list[dict] = []
        self.game_port = LocalGame(
            self.game,
            self.session,
            LoopHooks(publish=lambda published: self.published.append(published)),
        )

    def make(self, part) -> Follower:
        self.made.append(Follower(part))
        return self.made[-1]

    def batch(self, *names: str, times: int = 1, **settings) -> ReplayBatch:
        wanted = [path for path in self.paths if path.stem in names] if names else self.paths
        return ReplayBatch(read_demos(wanted), self.make, BatchSettings(**settings), times=times)

    def laps(self, batch: ReplayBatch) -> list[RunReport]:
        batch.queue.start()
        reports = []
        while batch.queue.begin_lap():
            reports.append(batch.lap(self.game_port, 3))
        batch.queue.reset()
        return reports


@pytest.fixture
def rig(tmp_path):
    made = []

    def make(**settings):
        made.append(Rig(tmp_path, **settings))
        return made[-1]

    yield make
    for one in made:
        one.session.close()


def test_demos_are_played_in_turn_and_only_what_does_not_follow_is_loaded(rig):
    one = rig()
    (report,) = one.laps(one.batch())
    assert [(each.demo, each.status) for each in report.demos] == [
        ("one", "finished"), ("two", "finished"), ("three", "finished"),
    ]  # fmt: skip
    assert one.game.loads == ["one.start.save", "three.start.save"]
    assert report.finished
    assert report.facts["failure"] is None
    assert report.facts["seed"] == 3


def test_the_whole_set_is_played_so_many_times(rig):
    one = rig()
    batch = one.batch(times=3)
    reports = one.laps(batch)
    assert [report.lap for report in reports] == [1, 2, 3]
    assert one.game.loads == ["one.start.save", "three.start.save"] * 3
    assert batch.queue.progress == 1.0


def test_the_game_time_of_a_demo_goes_on_where_the_games_clock_begins_again(rig):
    one = rig()
    (before,) = one.laps(one.batch("one"))
    world = one.game.world
    world.time = lambda: world.steps % 25 / 60  # 25 steps of 1/60 s
    (after,) = one.laps(one.batch("one"))
    seconds = before.demos[0].seconds
    assert seconds > 0.3
    # What passes between two observations is lost each time that it begins again.
    assert after.demos[0].seconds == pytest.approx(seconds, abs=0.12)


def test_what_is_not_selected_is_skipped_and_the_next_one_is_loaded(rig):
    one = rig()
    batch = one.batch()
    batch.queue.select(["two", "three"])
    (report,) = one.laps(batch)
    assert [each.status for each in report.demos] == ["skipped", "finished", "finished"]
    assert one.game.loads == ["two.start.save", "three.start.save"]
    assert report.finished


def test_a_demo_that_fails_is_a_failed_check_on_the_player_and_the_next_one_is_played(
    rig, tmp_path
):
    one = rig(wall=1.5)
    (report,) = one.laps(one.batch("one", "two", clips=tmp_path / "clips"))
    assert [each.status for each in report.demos] == ["finished", "failed"]
    assert not report.finished
    failure = report.failure
    assert failure is not None
    assert failure.message.startswith("stuck at row")
    (violation,) = one.session.failed_checks
    assert (violation.frame, violation.object) == (failure.frame, PLAYER)
    assert violation.time == pytest.approx(failure.time)
    assert (Path(violation.file), violation.line) == (one.paths[1], report.demos[1].row + 2)
    with ClipSource.open(report.clip) as clip:
        assert clip.span.oldest > 1
        assert clip.span.oldest <= failure.frame < clip.span.newest
        assert [mark.name for mark in clip.marks() if mark.kind == "check"] == [failure.message]


def test_a_failure_is_published_while_the_world_may_still_stand_there(rig, tmp_path):
    one = rig(wall=1.5)
    one.laps(one.batch("one", "two", clips=tmp_path / "clips"))
    published = [published for published in one.published if len(published["outcomes"]) == 2]
    for each in published:
        assert each["demos"][1]["standing"] == "failed"
        assert each["now"] is None
        assert each["outcomes"][1]["failure"]["message"].startswith("stuck at row")
    # At first there is no clip: it is kept a second later.
    clips = [each["outcomes"][1]["clip"] for each in published]
    assert clips[0] is None
    assert clips[-1] is not None


def test_what_comes_behind_a_failed_demo_is_loaded_although_it_would_follow(rig):
    one = rig(wall=0.5)
    (report,) = one.laps(one.batch("one", "two"))
    assert [each.status for each in report.demos] == ["failed", "failed"]
    assert one.game.loads == ["one.start.save", "two.start.save"]


def test_the_agent_speaks_into_the_frame_that_it_saw(rig):
    one = rig()
    one.laps(one.batch("one"))
    source = one.session.source
    span = source.span
    agent = one.made[0]
    published = [
        (frame, source.watches(frame)[PLAYER, "row"])
        for frame in range(span.oldest, span.newest + 1)
        if (PLAYER, "row") in source.watches(frame)
    ]
    assert len(published) >= 5
    for (frame, row), seen in zip(published, agent.seen, strict=False):
        values = {packet.id: fields for packet, fields in source.decoded(frame)}[PLAYER]
        assert values["position"][0] == pytest.approx(seen.position[0], abs=1e-6)
        assert row == int(row)
    # Every second step is a communication frame, a thirtieth of a second apart.
    assert {after[0] - before[0] for before, after in pairwise(published)} == {2}


def test_one_can_skip_the_demo_that_is_played_and_stop_the_rest(rig):
    one = rig()
    batch = one.batch()
    batch.queue.start()
    batch.queue.begin_lap()
    published: list[dict] = []

    def publish(state):
        published.append(state)
        if state["now"] is not None and state["now"]["demo"] == "one":
            batch.handle_request({"do": "skip"}) if batch.queue.current else None
        if state["now"] is not None and state["now"]["demo"] == "two":
            batch.queue.stop()

    hooks = LoopHooks(publish=lambda state: recursed(state))
    one.game_port = LocalGame(one.game, one.session, hooks)
    depth = [0]

    def recursed(state):
        depth[0] += 1
        if depth[0] == 1:
            publish(state)
        depth[0] -= 1

    report = batch.lap(one.game_port)
    assert [each.status for each in report.demos] == ["skipped"] * 3
    assert report.demos[0].seconds > 0
    assert report.demos[2].seconds == 0
    assert not batch.queue.begin_lap()
    assert one.game.loads == ["one.start.save", "two.start.save"]


def test_a_demo_without_saved_games_is_played_where_the_game_stands_there(rig):
    one = rig()
    start_of(one.paths[0]).unlink()
    batch = one.batch("one")
    (report,) = one.laps(batch)
    assert report.finished
    assert one.game.loads == []
    assert not batch.can_repeat
    with pytest.raises(CommandError, match=r"one\.start\.save is not there, and the player"):
        one.laps(batch)


def test_a_demo_that_neither_follows_nor_can_be_loaded_raises_before_anything_is_played(rig):
    one = rig()
    start_of(one.paths[2]).unlink()
    with pytest.raises(CommandError, match=r"three\.csv: three\.start\.save is not there"):
        one.batch()


def test_a_game_without_a_pad_raises(rig):
    bare, one = Bare(), rig()
    with pytest.raises(GameError, match="bare has no pad"):
        LocalGame(bare, one.session)


def test_a_game_that_raises_fails_the_demo_in_its_frame_and_the_rest_is_played_in_another(
    rig, tmp_path
):
    folder = tmp_path / "other"
    folder.mkdir()
    one, other = rig(), Rig(folder)
    one.game.breaks_at = 10
    batch = one.batch(clips=tmp_path / "clips")
    batch.queue.start()
    assert batch.queue.begin_lap()
    assert batch.lap(one.game_port, 3) is None
    assert batch.has_rest
    report = batch.lap(other.game_port, 3)
    other.session.close()
    assert [each.status for each in report.demos] == ["failed", "finished", "finished"]
    failure = report.failure
    assert failure.kind == "crash"
    assert failure.message == "corridor raised ZeroDivisionError('a stone broke')"
    assert "in step\n" in failure.traceback
    assert other.game.loads == ["two.start.save", "three.start.save"]
    (violation,) = one.session.failed_checks
    assert violation.frame == failure.frame == 10
    assert Path(violation.file).name == "corridor.py"
    assert "a stone broke" in violation.expression
    with ClipSource.open(report.clip) as clip:
        assert [mark.frame for mark in clip.marks() if mark.kind == "check"] == [10]


def test_a_check_of_the_game_that_fails_fails_the_demo(rig):
    one = rig()
    step = one.game.step

    def fall() -> None:
        step()
        one.game.instruments.check(one.game.world.steps != 12, "the floor holds", focus=PLAYER)

    one.game.step = fall
    (report,) = one.laps(one.batch())
    assert [each.status for each in report.demos] == ["failed", "finished", "finished"]
    failure = report.failure
    assert (failure.kind, failure.message, failure.frame) == ("assert", "the floor holds", 12)


def test_a_damaged_saved_game_fails_its_demo_only(rig):
    one = rig()
    start_of(one.paths[2]).write_text("{")
    (report,) = one.laps(one.batch())
    assert [each.status for each in report.demos] == ["finished", "finished", "failed"]
    assert report.failure.kind == "load"
    assert "three.start.save is no saved game" in report.failure.message


def test_progress_is_published_as_the_replay_goes_on(rig):
    one = rig(wall=1.5)
    one.laps(one.batch("one", "two", times=2))
    rows = [published["now"]["row"] for published in one.published if published["now"] is not None]
    assert rows
    assert rows[0] < rows[2]
    progress = [published["progress"] for published in one.published]
    assert progress == sorted(progress)
    last = one.published[-1]
    assert [demo["standing"] for demo in last["demos"]] == ["finished", "failed"]
    assert [(each["demo"], each["lap"]) for each in last["outcomes"]] == [
        ("one", 1), ("two", 1), ("one", 2), ("two", 2),
    ]  # fmt: skip
    assert last["outcomes"][1]["failure"]["frame"] > 0


def test_latency_does_not_keep_a_follower_from_its_end(rig):
    one = rig()
    (report,) = one.laps(one.batch(latency=3, lost=0.1))
    assert report.finished


@pytest.mark.parametrize(
    "command",
    [{}, {"do": "fly"}, {"do": "times", "times": "x"}, {"do": "times", "times": 0},
     {"do": "select", "demos": ["four"]}],
)  # fmt: skip
def test_a_request_that_makes_no_sense_is_refused(rig, command):
    batch = rig().batch()
    with pytest.raises(CommandError):
        batch.handle_request(command)
