"""Checks on the bus: what fails in the game or elsewhere, and what comes late."""

from typing import Any

import pytest

from playhead.bus.messages.requests import GetSnapshot, ReportFailedCheck
from playhead.bus.messages.responses import Done, ErrorResponse
from playhead.playback.commands import (
    SeekFrame,
)
from playhead.recorder.statements.statement_messages import SetMark

from ..support.other_process import OtherProcess
from .peers import both, event, times


def test_a_check_that_fails_in_the_game_pauses_it_and_tells_everybody_where(game, peer):
    one = game()
    one.run(5)
    tool = peer(one)
    heard, stood = tool.listen("failed_check", "mark"), tool.listen(times=True)

    def check() -> None:
        one.world.step()
        speed = 9.0
        one.session.check(speed < 3.0, "too fast", focus=2)
        one.session.update(1 / 64)

    one.do(check)
    result = both(heard)
    violation = result["failed_check"].failed_check
    assert (violation.message, violation.object, violation.frame, violation.time) == (
        "too fast", 2, 6, 6 / 64,
    )  # fmt: skip
    assert (violation.expression, violation.file) == ("speed < 3.0", __file__)
    assert violation.line == check.__code__.co_firstlineno + 3
    assert violation.recorded
    mark = result["mark"].mark
    assert (mark.name, mark.kind, mark.frame, mark.line) == ("too fast", "check", 6, violation.line)
    paused = times(stood, lambda time: time.mode == "paused")[-1]
    assert (paused.frame, paused.focus, paused.origin) == (6, 2, one.bus.name)
    assert one.world.calls == [("pause",), ("lock",), ("look_at", 2)]


def test_a_check_from_outside_pauses_at_the_first_violating_frame_then_looks_then_tells(game, peer):
    one = game()
    one.run(20)
    order: list[Any] = []
    one.session.on_failed_check(lambda violation: order.append(("told", violation.frame)))
    one.world.calls = order
    tool = peer(one)
    heard, stood = tool.listen("failed_check", "mark"), tool.listen(times=True)
    answer = tool.ask(ReportFailedCheck(
        "too fast", 2, "speed < 3", "agent.py", 17, time=7 / 64
    ))  # fmt: skip
    assert answer == Done()
    one.run(1)
    assert order == [("pause",), ("lock",), ("look_at", 2), ("told", 7)]
    news = both(heard)
    violation, mark = news["failed_check"].failed_check, news["mark"].mark
    assert (violation.frame, violation.time, violation.object) == (7, 7 / 64, 2)
    assert (violation.expression, violation.file, violation.line) == ("speed < 3", "agent.py", 17)
    result = times(stood, lambda time: time.mode == "paused")
    assert [(time.mode, time.frame) for time in result] == [("live", 21), ("paused", 7)]
    assert result[-1].focus == 2
    assert (mark.name, mark.kind, mark.frame, mark.time) == ("too fast", "check", 7, 7 / 64)


def test_a_check_from_outside_by_the_games_clock_is_placed_in_the_newest_epoch(game, peer):
    one = game()
    one.run(10)
    one.world.seconds = 0.0
    one.run(10)
    tool = peer(one)
    tool.ask(SeekFrame(3))  # everybody looks at the epoch before
    heard = tool.listen("failed_check")
    tool.ask(ReportFailedCheck("slow", 1, game_time=4 / 64))
    violation = event(heard).event.failed_check
    assert (violation.frame, violation.time) == (14, one.session.source.stamp(14).time)


def test_a_check_from_outside_that_names_no_instant_is_about_the_frame_being_recorded(game, peer):
    one = game()
    one.run(4)
    tool = peer(one)
    heard = tool.listen("failed_check")
    tool.ask(ReportFailedCheck("now", 1))
    one.run(1)
    assert event(heard).event.failed_check.frame == 5
    tool.ask(ReportFailedCheck("still", 1))  # in playback it is the newest
    violation = event(heard).event.failed_check
    assert (violation.frame, violation.time) == (5, 5 / 64)


def test_a_check_about_a_frame_without_objects_goes_there_too(game, peer):
    one = game()
    balls, one.world.things = one.world.things, {}
    one.run(5)
    one.world.things = balls
    one.run(5)
    tool = peer(one)
    tool.ask(ReportFailedCheck("empty", time=3 / 64))
    one.run(1)
    assert tool.ask(GetSnapshot()).time.frame == 3


@pytest.mark.parametrize(
    ("rest", "kind"),
    [
        ({"object": -3}, "recording"), ({"time": float("nan")}, "command"),
        ({"time": 1.0, "game_time": 1.0}, "recording"), ({"game_time": float("nan")}, "command"),
        ({"object": 2**63}, "recording"),
    ],
)  # fmt: skip
def test_a_check_that_makes_no_sense_is_refused_and_the_game_runs_on(game, peer, rest, kind):
    one = game()
    one.run(4)
    tool = peer(one)
    answer = tool.ask(ReportFailedCheck("nonsense", **rest))
    assert isinstance(answer, ErrorResponse), answer
    assert answer.kind == kind
    one.run(3)
    assert one.session.live
    assert not one.session.failed_checks


def test_what_comes_late_is_announced(game, peer):
    one = game()
    one.run(10)
    tool = peer(one)
    heard = tool.listen("changed", "mark")
    assert tool.ask(SetMark("there", time=4 / 64)) == Done()
    one.run(1)
    result = both(heard)
    mark = result["mark"].mark
    assert result["changed"].frames == [4]
    assert (mark.name, mark.frame, mark.time) == ("there", 4, 4 / 64)


def test_a_mark_whose_frame_is_gone_does_not_take_the_others_along(game, peer):
    one = game(memory="96 KiB")
    one.run(2)
    tool = peer(one)
    heard = tool.listen("mark")

    def late_then_many() -> None:
        OtherProcess(one.session.recorder).set_mark("early", time=one.session.source.span.start)
        one.session.mark("now")
        for _ in range(200):
            one.world.step()
            one.session.update(1 / 64)
        one.session.mark("newest")
        one.world.step()
        one.session.update(1 / 64)

    one.do(late_then_many)
    result = event(heard)
    while result.event.mark.name != "newest":
        result = event(heard)
    assert one.bus.status.faults == 0
