"""Recorder asserts: mark, pause, camera, notify; at the first frame of each failure."""

import inspect
import sys
import threading
from pathlib import Path

import pytest

from playhead.errors import HandlerError
from playhead.playback.commands import Enter, Step
from playhead.playback.playback_state import Mode
from playhead.recorder.checks.check_policy import UNATTENDED, CheckPolicy

from ...support.process import WITH_SUPPORT, run_process


def here() -> int:
    """The line that this is called from."""
    return inspect.currentframe().f_back.f_lineno


def marks_of(session):
    return [(mark.name, mark.frame, mark.object) for mark in session.source.marks()]


def test_a_failing_check_pauses_then_moves_the_camera_then_tells(play):
    game = play()
    session, court = game.session, game.court
    session.on_failed_check(lambda violation: court.calls.append(("told", violation)))
    lines = []

    def guard():
        lines.append(here() + 1)
        session.check(court.things[1].position[0] < 1.1, "ball 1 stays near", focus=1)

    court.during = guard
    while session.live:
        game.run(1)
    calls_of_interest = ("pause", "look_at", "told")
    pause, look, result = (call for call in court.calls if call[0] in calls_of_interest)
    assert pause == ("pause",)
    assert look == ("look_at", 1)
    violation = result[1]
    assert violation.message == "ball 1 stays near"
    assert violation.expression == "court.things[1].position[0] < 1.1"
    assert (Path(violation.file), violation.line) == (Path(__file__), lines[-1])
    assert (violation.object, violation.recorded) == (1, True)
    assert (violation.frame, violation.time) == (7, 7 * game.DT)
    assert session.failed_checks == [violation]
    (mark,) = session.source.marks()
    assert (mark.kind, mark.name, mark.frame, mark.object) == ("check", "ball 1 stays near", 7, 1)
    assert (mark.expression, mark.line) == (violation.expression, violation.line)


def test_the_world_is_already_at_the_failing_frame_when_listeners_are_reported(play):
    game = play()
    states = []
    game.session.on_failed_check(
        lambda violation: states.append((game.session.live, game.session.playhead.frame))
    )
    game.run(3)
    game.session.check(False, "no", focus=2)
    game.run(1)
    assert states == [(False, 4)]
    assert game.court.camera == (2, game.court.things[2].position)


def test_a_check_in_mid_frame_lets_the_frame_be_finished_and_recorded(play):
    game = play()
    game.run(2)
    game.court.during = lambda: game.session.check(False, "no", focus=3)
    game.run(1)
    session = game.session
    assert session.playhead.frame == session.source.span.newest == 3
    recorded = {packet.id: packet.position for packet in session.source.objects(3)}
    assert recorded[3] == game.court.things[3].position
    assert recorded[3][0] == 3.0 + 3 * 3 * game.DT


def test_a_check_that_holds_says_so_and_leaves_nothing(play):
    game = play()
    assert game.session.check(True, "fine") is True
    game.run(3)
    assert game.session.live
    assert game.session.source.marks() == []
    assert game.session.check(False, "not fine") is False


def test_of_several_checks_in_one_frame_the_first_moves_the_camera_and_all_are_reported(play):
    game = play()
    received = []
    game.session.on_failed_check(received.append)
    game.run(2)
    for object in (3, 1, 2):
        game.session.check(False, f"about {object}", focus=object)
    game.run(1)
    assert [call for call in game.court.calls if call[0] == "look_at"] == [("look_at", 3)]
    assert [violation.object for violation in received] == [3, 1, 2]
    assert {violation.frame for violation in received} == {3}
    assert game.session.playhead.state.focus == 3
    assert [mark[2] for mark in marks_of(game.session)] == [3, 1, 2]


def test_a_check_that_keeps_failing_is_marked_only_at_its_first_frame(play):
    game = play(on_check=UNATTENDED)
    received = []
    game.session.on_failed_check(received.append)
    game.run(2)
    game.court.during = lambda: game.session.check(False, "still wrong", focus=1)
    game.run(10)
    assert marks_of(game.session) == [("still wrong", 3, 1)]
    assert [violation.frame for violation in received] == [3]


def test_a_check_that_had_passed_is_marked_again_when_it_fails_again(play):
    game = play(on_check=UNATTENDED)
    holds = [True, False, False, True, False, False, True]

    def ask():
        game.session.check(holds[game.court.steps - 1], "hm", focus=2)

    game.court.during = ask
    game.run(len(holds))
    assert [mark[1] for mark in marks_of(game.session)] == [2, 5]
    assert [violation.frame for violation in game.session.failed_checks] == [2, 5]


def test_a_call_that_fails_is_not_forgotten_for_another_one_there_that_is_met(play):
    game = play(on_check=UNATTENDED)

    def ask_twice():
        for holds in (game.court.steps < 3, True):
            game.session.check(holds, "hm", focus=2)

    game.court.during = ask_twice
    game.run(5)
    assert [violation.frame for violation in game.session.failed_checks] == [3]


def test_each_of_several_rules_that_are_checked_in_a_loop_is_reported(play):
    game = play(on_check=UNATTENDED)
    rules = [("a", 3), ("b", 99), ("c", 3), ("d", 4)]

    def ask_all():
        for message, end in rules:
            game.session.check(game.court.steps < end, f"{message} at {game.court.steps}")

    game.court.during = ask_all
    game.run(6)
    assert [(v.message, v.frame) for v in game.session.failed_checks] == [
        ("a at 3", 3), ("c at 3", 3), ("d at 4", 4),
    ]  # fmt: skip


def test_a_game_that_pauses_for_one_rule_of_a_loop_pauses_once(play):
    game = play()

    def ask_all():
        for holds in (False, True):
            game.session.check(holds, "hm")

    game.court.during = ask_all
    game.run(1)
    assert not game.session.live
    game.session.leave()
    game.run(5)
    assert len(game.session.failed_checks) == 1


def test_three_checks_in_a_line_are_three_and_each_shows_its_own_expression(play):
    game = play(on_check=UNATTENDED)
    check, hp, mp, xp = game.session.check, 0, 0, 0
    # fmt: off
    game.court.during = lambda: (check(hp > 1, "ä"), check(mp > 2, "b"), game.session.check(xp > 3, "c"))  # noqa: E501
    # fmt: on
    game.run(3)
    assert [(v.expression, v.frame) for v in game.session.failed_checks] == [
        ("hp > 1", 1), ("mp > 2", 1), ("xp > 3", 1),
    ]  # fmt: skip


def test_a_check_over_several_lines_shows_its_condition(play):
    game = play(on_check=UNATTENDED)
    session, hp, rules = game.session, 0, (False, "unpacked")
    ensure = session.check

    def ask():
        session.check(
            hp > 1  # a comment (
            and hp < 100,
            "over lines",
        )
        (game.session.check(condition=(hp > 5), message="by name"))
        session.check(*rules)
        ensure(hp > 6, "another name")

    game.court.during = ask
    game.run(1)
    assert [violation.expression for violation in session.failed_checks] == [
        "hp > 1 and hp < 100", "hp > 5", "session.check(*rules)", "ensure(hp > 6, 'another name')",
    ]  # fmt: skip


def test_a_check_without_its_source_has_no_expression_and_is_distinguished_all_the_same(play):
    game = play(on_check=UNATTENDED)
    code = compile("check(False, 'a'); check(False, 'b')", "<nowhere>", "exec")
    game.court.during = lambda: exec(code, {"check": game.session.check})
    game.run(3)
    assert [(v.message, v.expression, v.frame) for v in game.session.failed_checks] == [
        ("a", "", 1), ("b", "", 1),
    ]  # fmt: skip


def test_a_check_in_code_that_is_compiled_anew_in_each_frame_fails_once(play):
    game = play(on_check=UNATTENDED)
    game.court.during = lambda: exec("check(False, 'a')", {"check": game.session.check})
    game.run(5)
    assert [violation.frame for violation in game.session.failed_checks] == [1]


def test_checks_that_are_made_in_playback_count_for_nothing(play):
    game = play(on_check=UNATTENDED)

    def ask():
        for holds in (True, False):
            game.session.check(holds, "hm")

    game.court.during = ask
    game.run(2)
    game.session.apply(Enter(), now=True)
    for _ in range(3):
        ask()
        game.session.update(game.DT)
    game.session.leave()
    game.run(2)
    assert [violation.frame for violation in game.session.failed_checks] == [1]


NO_COLUMNS = """
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session
from tests.support.fake_world import FakeWorld

with Session(FakeWorld(), "1 MiB", on_check=UNATTENDED) as session:
    session.on_failed_check(lambda failed: print(failed.message, failed.expression, sep="|"))
    hp = 0
    for _ in range(3):
        session.check(hp > 1, "a"), session.check(hp > 2, "b")
        session.check(
            hp > 3,
            "c",
        )
        session.update(0.1)
"""


def test_without_columns_in_the_code_checks_are_distinguished_and_show_what_is_certain(tmp_path):
    script = tmp_path / "game.py"
    script.write_text(NO_COLUMNS, encoding="utf-8")
    done = run_process(sys.executable, "-X", "no_debug_ranges", script, env=WITH_SUPPORT)
    line = 'session.check(hp > 1, "a"), session.check(hp > 2, "b")'
    assert done.stdout.splitlines() == [f"a|{line}", f"b|{line}", "c|hp > 3"], done.stderr


def test_a_check_that_was_not_made_for_a_while_fails_anew(play):
    game = play(on_check=UNATTENDED)

    def ask_sometimes():
        if game.court.steps in (2, 3, 6):
            game.session.check(False, "hm")

    game.court.during = ask_sometimes
    game.run(8)
    assert [violation.frame for violation in game.session.failed_checks] == [2, 6]


def test_one_check_fails_for_each_object_on_its_own(play):
    game = play(on_check=UNATTENDED)

    def ask_all():
        for id in (1, 2, 3):
            game.session.check(game.court.steps < 2 * id, "hm", focus=id)

    game.court.during = ask_all
    game.run(8)
    assert [(v.object, v.frame) for v in game.session.failed_checks] == [(1, 2), (2, 4), (3, 6)]


def test_a_game_that_was_resumed_runs_on_while_the_same_check_keeps_failing(play):
    game = play()
    game.court.during = lambda: game.session.check(False, "still wrong")
    game.run(1)
    assert not game.session.live
    game.session.leave()
    game.run(5)
    assert game.session.live
    assert len(game.session.failed_checks) == 1


def test_focus_on_an_object_that_left_no_packet_leaves_the_camera_alone(play):
    game = play()
    received = []
    game.session.on_failed_check(received.append)
    game.session.check(False, "who?", focus=4711)
    game.run(1)
    assert not game.session.live
    assert game.court.camera is None
    assert [(violation.object, violation.recorded) for violation in received] == [(4711, False)]
    assert game.session.playhead.state.focus == 0


def test_an_object_that_is_not_targetable_moves_the_camera_but_is_not_selected(play):
    game = play()
    game.court.things[2].targetable = False
    received = []
    game.session.on_failed_check(received.append)
    game.session.check(False, "a fence post", focus=2)
    game.run(1)
    assert game.court.camera == (2, game.court.things[2].position)
    assert game.session.playhead.state.focus == 0
    assert len(received) == 1


def test_unattended_a_failure_is_marked_and_reported_and_the_game_goes_on(play):
    game = play(on_check=UNATTENDED)
    received = []
    game.session.on_failed_check(received.append)
    game.run(2)
    game.session.check(False, "wrong", focus=1)
    game.run(5)
    assert game.session.live
    assert game.court.calls == []
    assert [(violation.frame, violation.object) for violation in received] == [(3, 1)]
    assert marks_of(game.session) == [("wrong", 3, 1)]


@pytest.mark.parametrize("pause", [True, False])
@pytest.mark.parametrize("camera", [True, False])
@pytest.mark.parametrize("notify", [True, False])
def test_each_effect_is_a_setting_and_the_mark_is_none(play, pause, camera, notify):
    game = play(on_check=CheckPolicy(pause, camera, notify))
    received = []
    game.session.on_failed_check(received.append)
    game.session.check(False, "wrong", focus=1)
    game.run(1)
    assert game.session.live is not pause
    assert (game.court.camera is not None) is camera
    assert bool(received) is notify
    assert marks_of(game.session) == [("wrong", 1, 1)]
    assert len(game.session.failed_checks) == 1


def test_a_pause_that_was_asked_for_in_the_failing_frame_does_not_hide_the_failure(play):
    game = play()
    received = []
    game.session.on_failed_check(received.append)
    game.run(3)

    def ask_and_fail():
        game.session.log("here")
        game.session.apply(Enter())
        game.session.check(False, "wrong", focus=2)

    game.court.during = ask_and_fail
    game.run(1)
    assert game.court.camera[0] == 2
    assert game.session.playhead.state.focus == 2
    assert game.session.playhead.frame == received[0].frame == 4


def test_a_step_that_was_asked_for_in_the_failing_frame_is_taken_from_there(play):
    game = play()
    seen = []
    game.session.on_failed_check(lambda violation: seen.append(game.session.playhead.frame))
    game.run(3)

    def fail_and_ask():
        game.session.check(False, "wrong", focus=2)
        game.session.apply(Step(-2))

    game.court.during = fail_and_ask
    game.run(1)
    assert seen == [4]
    assert game.session.playhead.frame == 2


def test_a_listener_that_fails_does_not_keep_others_from_being_notified(play):
    game = play(strict=False)
    received = []

    def breaks(violation):
        raise ZeroDivisionError("in the listener")

    game.session.on_failed_check(breaks)
    game.session.on_failed_check(received.append)
    game.session.check(False, "wrong", focus=1)
    game.run(1)
    assert len(received) == 1
    assert not game.session.live
    assert game.session.status.calls_refused == {"on_failed_check": 1}
    assert "in the listener" in game.session.status.newest_fault


def test_strict_a_failing_listener_is_raised_after_all_were_called(play):
    game = play()
    received = []

    def breaks(violation):
        raise ZeroDivisionError("in the listener")

    game.session.on_failed_check(breaks)
    game.session.on_failed_check(received.append)
    game.session.check(False, "wrong", focus=1)
    with pytest.raises(ZeroDivisionError):
        game.run(1)
    assert len(received) == 1
    assert game.session.playhead.state.mode is Mode.PAUSED


def test_a_listener_may_move_the_playhead(play):
    game = play()
    game.session.on_failed_check(lambda violation: game.session.apply(Step(-1)))
    game.run(4)
    game.session.check(False, "wrong", focus=1)
    game.run(1)
    assert game.session.playhead.frame == 4


def test_a_failure_says_when_its_frame_was_only_finished_by_a_later_update(play):
    game = play(strict=False)
    game.run(2)
    game.session.check(False, "wrong", focus=1)
    game.court.step()
    game.session.update(float("nan"))
    assert game.session.live
    game.run(1)
    assert not game.session.live
    assert [violation.frame for violation in game.session.failed_checks] == [3]


def test_strict_a_failing_handler_keeps_no_check_from_stopping_the_game(play):
    game = play(strict=True)
    game.run(2)
    game.session.check(False, "wrong", focus=1)
    game.court.things[3].velocity = "much"  # type: ignore[assignment]
    with pytest.raises(HandlerError, match="velocity"):
        game.session.update(game.DT)
    assert not game.session.live
    assert [violation.frame for violation in game.session.failed_checks] == [3]


def test_only_the_newest_thousand_violations_are_kept(play):
    game = play(on_check=UNATTENDED)

    def many():
        for id in range(600):
            game.session.check(game.court.steps % 2 == 0, "wrong", focus=id + 1)

    game.court.during = many
    game.run(5)
    assert len(game.session.failed_checks) == 1000
    assert game.session.failed_checks[-1].frame == 5


def test_marks_from_another_thread_are_set_in_the_open_frame(play):
    game = play()
    game.run(2)

    def mark_outside():
        thread = threading.Thread(target=game.session.mark, args=("from outside",))
        thread.start()
        thread.join(10)

    game.court.during = mark_outside
    game.run(1)
    assert marks_of(game.session) == [("from outside", 3, 0)]


def test_a_mark_says_where_it_was_set(play):
    game = play()
    line = here() + 1
    game.session.mark("here", "and why", object=2)
    game.run(1)
    (mark,) = game.session.source.marks()
    assert (mark.name, mark.note, mark.object, mark.frame) == ("here", "and why", 2, 1)
    assert (Path(mark.file), mark.line) == (Path(__file__), line)
    assert (mark.kind, mark.time) == ("mark", game.DT)
