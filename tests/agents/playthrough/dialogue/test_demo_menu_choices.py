"""The agent confirms what the demo chose, wherever it stands now, or fails: in a village that has
changed since its demo was recorded."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from playhead.agents.playthrough.playthrough_settings import settings_for
from playhead.agents.replay.agent_factory import playthrough
from playhead.agents.replay.demos.demo_files import read_demos, shipped
from playhead.agents.replay.local_replay_game import LocalGame
from playhead.agents.replay.replay_batch import BatchSettings, ReplayBatch
from playhead.agents.replay.replay_outcome import DemoOutcome
from playhead.games.arena.adventure.adventure_game import COLUMNS, OUTCOMES, AdventureGame
from playhead.games.arena.adventure.world.level_loader import level_path, load_level
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session

VILLAGE = "arena:village"
Level = dict[str, Any]


def event(level: Level, id: str) -> Level:
    return next(one for one in level["events"] if one["id"] == id)


@pytest.fixture
def errands(tmp_path: Path) -> Callable[..., DemoOutcome]:
    """Replay the first demo, in which a quest is accepted and a lamp bought."""

    def replay(change: Callable[[Level], object], **settings: Any) -> DemoOutcome:
        level = yaml.safe_load(level_path("village").read_text(encoding="utf-8"))
        change(level)
        path = tmp_path / "village.level.yaml"
        path.write_text(yaml.safe_dump(level, sort_keys=False), encoding="utf-8")
        demos = read_demos(shipped(VILLAGE)[:1], COLUMNS, level_names(level), OUTCOMES)
        numbers = settings_for(VILLAGE)
        with AdventureGame(load_level(path), seed=1) as game, Session(
            game.world, "256 MiB", handlers=game.handlers, on_check=UNATTENDED
        ) as session:  # fmt: skip
            game.attach(session)
            batch = ReplayBatch(
                demos, playthrough(numbers), BatchSettings(orders=numbers.orders, **settings)
            )
            batch.queue.start()
            assert batch.queue.begin_lap()
            report = batch.lap(LocalGame(game, session), 1)
            assert report is not None
            marks = [mark.note for mark in session.source.marks() if mark.name == "divergence"]
        (outcome,) = report.demos
        if outcome.failure is not None and outcome.divergence is not None:
            assert outcome.divergence.text in marks
        return outcome

    return replay


def level_names(level: Level) -> list[str]:
    return [area["name"] for area in level["areas"]]


@pytest.mark.slow
def test_an_option_elsewhere_is_found_by_its_name(errands):
    assert errands(lambda level: event(level, "elder_asks")["options"].reverse()).finished


@pytest.mark.slow
def test_an_article_elsewhere_is_found_by_its_name(errands):
    goods = {"kind": "rope", "price": 2}
    assert errands(lambda level: level["goods"].insert(0, goods)).finished


@pytest.mark.slow
@pytest.mark.parametrize("latency", [0, 4])
def test_more_pages_than_in_the_demo_are_turned_until_the_question_is_asked(errands, latency):
    pages = ["And so on.", "And so on.", "And so on."]
    outcome = errands(
        lambda level: event(level, "elder_asks")["pages"].extend(pages), latency=latency
    )
    assert outcome.finished, outcome.failure


@pytest.mark.slow
def test_a_question_that_comes_earlier_gets_the_demos_answer(errands):
    def change(level: Level) -> None:
        del event(level, "elder_asks")["pages"][1:]

    assert errands(change).finished


@pytest.mark.slow
def test_an_option_that_is_gone_is_a_failure_and_no_other_is_chosen(errands):
    def change(level: Level) -> None:
        event(level, "elder_asks")["options"][1]["label"] = "I might"

    outcome = errands(change)
    assert outcome.failure is not None
    assert "the demo chose 'I will', and there are only 'I might', 'not now'" in (
        outcome.failure.message
    )


@pytest.mark.slow
def test_an_article_that_can_not_be_paid_is_a_failure_at_the_shop(errands):
    def change(level: Level) -> None:
        level["goods"][1]["price"] = 9

    outcome = errands(change)
    assert outcome.failure is not None
    assert "nothing came of choosing 'lamp': items is '', in the demo's row" in (
        outcome.failure.message
    )


@pytest.mark.slow
def test_an_answer_without_its_effect_fails_at_the_demos_end(errands):
    def change(level: Level) -> None:
        event(level, "sign_word")["sets"] = []
        event(level, "sign_hollow")["sets"] = ["word known"]

    outcome = errands(change)
    assert outcome.failure is not None
    assert outcome.failure.kind == "outcome"
    assert "flags is 'asked', at the demo's end it is 'asked, word known'" in (
        outcome.failure.message
    )
    assert outcome.divergence is not None
    assert outcome.divergence.text.startswith("flags nothing, demo 'word known', since row ")
