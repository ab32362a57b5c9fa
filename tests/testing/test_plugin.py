"""What a pytest run does when a test with a session fails, seen from outside."""

import re
import sys
from pathlib import Path

import pytest

from playhead.playback.recording_url import RecordingLink
from playhead.recorder.clips.clip_source import ClipSource

pytest_plugins = "pytester"

FAILS = 48
"""The frame in which the guard's check fails."""
INSIDE = """
def test_inside(session, playhead_world):
    playhead_world.step(session, 60)
"""
PASSES = """
def test_passes(session, playhead_world):
    playhead_world.step(session, 40)
"""


def clips(pytester: pytest.Pytester, folder: str = "playhead-results") -> list[Path]:
    return sorted((pytester.path / folder).glob("*.mcap"))


def links(result: pytest.RunResult) -> list[RecordingLink]:
    """The links that the run says to open."""
    found = re.findall(
        r"^  playhead view '?(playhead://[^'\s]+)", result.stdout.str(), re.MULTILINE
    )
    return [RecordingLink.of(text) for text in found]


def test_a_failed_check_fails_the_test_at_its_frame_and_tells_the_story(run, pytester):
    result = run(INSIDE)
    result.assert_outcomes(failed=1)
    [clip] = clips(pytester)
    result.stdout.fnmatch_lines([
        "*Failed: the guard stays inside (self.seconds < 0.75)",
        "*--- playhead ---*",
        "CHECK FAILED at 0.750 s, frame 48: the guard stays inside",
        "  expression  self.seconds < 0.75",
        "  object      north (id 7)",
        "  from        conftest.py:*",
        "Its last decisions, newest first:",
        "  frame    32   Patrol → Chase   because sees",
        "*looked at range 2.5",
        "*rejected hurt: hp is not below 35",
        "Watched in frame 48:",
        "  speed = 1.5",
        f"The clip: playhead-results/{clip.name} (48 frames, * KiB)",
    ])  # fmt: skip
    # Where it failed in the test is shown, and not the insides of playhead.
    result.stdout.fnmatch_lines([">*session.update(DT)"])
    result.stdout.no_fnmatch_line("*recorder*")
    assert links(result) == [RecordingLink(str(clip), frame=FAILS, focus=7)]


def test_the_clip_ends_with_the_culprits_frame_which_has_its_mark(run, pytester):
    run(INSIDE)
    [path] = clips(pytester)
    with ClipSource.open(path) as clip:
        assert clip.span is not None
        assert clip.span.newest == FAILS
        [mark] = clip.marks()
        assert (mark.kind, mark.frame, mark.object) == ("check", FAILS, 7)
        assert clip.objects(FAILS)[0].position[0] == 0.75


def test_a_failed_assert_is_marked_in_a_frame_that_shows_the_world_as_it_was(run, pytester):
    result = run("""
        def test_far(session, playhead_world):
            playhead_world.step(session, 40)
            playhead_world.guard.position = (99.0, 0.0, 0.0)
            assert playhead_world.guard.position[0] == 3
    """)
    result.stdout.fnmatch_lines([
        "TEST FAILED at 0.625 s, frame 41: AssertionError: assert 99.0 == 3",
        "  expression  assert playhead_world.guard.position?0? == 3",
        "  from        test_yard.py:4",
        "States at frame 41:",
        "  north (id 7)  guard: Chase since frame 32, because sees",
        "Watched in frame 40:",
        "  speed = 1.5   north (id 7)",
    ])  # fmt: skip
    [link] = links(result)
    assert (link.frame, link.focus) == (41, 0)
    with ClipSource.open(Path(link.target)) as clip:
        [mark] = clip.marks()
        assert (mark.frame, mark.line, Path(mark.file).name) == (41, 4, "test_yard.py")
        assert clip.objects(41)[0].position[0] == 99.0


def test_an_exception_of_the_game_is_reported_with_the_projects_own_line(run):
    result = run(
        """
        import game

        def test_breaks(session, playhead_world):
            playhead_world.step(session, 3)
            game.explode()
        """,
        game="""
        import json

        def explode():
            json.loads("{")
        """,
    )
    result.stdout.fnmatch_lines([
        "TEST FAILED at *, frame 4: JSONDecodeError: *",
        '  expression  json.loads("{")',
        "  from        game.py:4",
    ])  # fmt: skip


def test_a_check_in_a_frame_that_never_ended_fails_the_test(run):
    result = run("""
        def test_unfinished(session, playhead_world):
            playhead_world.step(session, 3)
            session.check(1 > 2, "one is more", focus=7)

        def test_asserted(session):
            assert session.check(2 > 3, "two is more")
    """)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines([
        "one is more (1 > 2)",
        "CHECK FAILED at *, frame 4: one is more",
        "CHECK FAILED at *, frame 1: two is more",
    ])  # fmt: skip


def test_a_game_that_swallows_exceptions_does_not_swallow_a_failed_check(run):
    result = run("""
        def test_swallowed(session, playhead_world):
            for _ in range(60):
                try:
                    playhead_world.step(session)
                except Exception:
                    pass
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["CHECK FAILED at 0.750 s, frame 48: *"])


def test_other_checks_that_failed_are_reported_too(run):
    result = run("""
        from conftest import DT

        def test_two_checks(session, playhead_world):
            session.check(False, "first", focus=7)
            session.check(False, "second")
            session.update(DT)
    """)
    result.stdout.fnmatch_lines([
        "CHECK FAILED at *, frame 1: first",
        "Also failed:",
        "  frame     1  second: the world, test_yard.py:5",
    ])  # fmt: skip


def test_a_check_that_is_meant_to_fail_can_be_awaited(run, pytester):
    result = run("""
        import pytest
        from playhead.recorder.checks.check_policy import CheckPolicy

        def test_awaited(session, playhead_world):
            with pytest.raises(pytest.fail.Exception, match="stays inside"):
                playhead_world.step(session, 60)
            assert session.failed_checks[0].frame == 48

        def test_in_peace(playhead_session, playhead_world, playhead_handlers):
            policy = CheckPolicy(pause=False, camera=False, notify=False)
            session = playhead_session(
                playhead_world, handlers=playhead_handlers, on_check=policy
            )
            playhead_world.step(session, 60)
            assert len(session.failed_checks) == 1

        @pytest.mark.xfail(strict=True)
        def test_expected(session, playhead_world):
            session.check(False, "never finished")
            playhead_world.step(session, 60)
    """)
    result.assert_outcomes(passed=2, xfailed=1)
    assert clips(pytester) == []


def test_tests_that_pass_or_are_skipped_leave_nothing(run, pytester):
    result = run(
        PASSES
        + """
import pytest

def test_skipped(playhead_session, playhead_world, playhead_handlers):
    with playhead_session(playhead_world, handlers=playhead_handlers) as session:
        playhead_world.step(session, 3)
        pytest.skip("not here")

def test_without_a_session():
    pass
"""
    )
    result.assert_outcomes(passed=2, skipped=1)
    assert clips(pytester) == []


@pytest.mark.slow
def test_each_session_of_a_test_has_its_clip_and_the_failed_one_comes_first(run, pytester):
    result = run("""
        from conftest import DT

        def test_two(playhead_session, playhead_world, playhead_handlers):
            with (
                playhead_session(playhead_world, handlers=playhead_handlers) as one,
                playhead_session(playhead_world, "1 MiB", handlers=playhead_handlers) as two,
            ):
                one.update(DT)
                two.check(False, "two fails", focus=7)
                one.update(DT)
                two.update(DT)
    """)
    result.stdout.fnmatch_lines([
        "*--- playhead, session 2 ---*",
        "CHECK FAILED at *, frame 1: two fails",
        "*--- playhead, session 1 ---*",
        "TEST FAILED at *, frame 3: Failed: two fails (False)",
    ])  # fmt: skip
    first, second = links(result)
    assert (first.focus, first.frame, second.focus, second.frame) == (7, 1, 0, 3)
    assert sorted([Path(first.target), Path(second.target)]) == clips(pytester)


@pytest.mark.slow
def test_tests_with_awkward_names_have_clips_of_their_own(run, pytester):
    names = ["a/b", "a:b", "..", "ü" * 300, "A/B", "con"]
    result = run(f"""
        import pytest

        @pytest.mark.parametrize("seed", {names!r}, ids=str)
        def test_named(session, playhead_world, seed):
            playhead_world.step(session, 60)
    """)
    result.assert_outcomes(failed=len(names))
    assert len(clips(pytester)) == len(names)
    assert all(re.fullmatch(r"[\w-]{8,120}\.mcap", clip.name, re.ASCII) for clip in clips(pytester))


@pytest.mark.slow
def test_on_keeps_every_test_and_off_none(run, pytester):
    run(INSIDE + PASSES, "--playhead=on", "--playhead-dir=all")
    assert len(clips(pytester, "all")) == 2
    result = run(INSIDE + PASSES, "--playhead=off", "--playhead-dir=none")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["CHECK FAILED at 0.750 s, frame 48: *"])
    assert not (pytester.path / "none").exists()
    assert links(result) == []


@pytest.mark.slow
def test_settings_come_from_the_ini_file_too_and_options_go_first(run, pytester):
    ini = "playhead = on\nplayhead_dir = sub/kept\nplayhead_viewer = off\n"
    run(PASSES, ini=ini)
    assert len(clips(pytester, "sub/kept")) == 1
    run(PASSES, "--playhead-dir=other", "--playhead=retain-on-failure", ini=ini)
    assert not (pytester.path / "other").exists()


@pytest.mark.parametrize("line", ["playhead = sometimes", "playhead_viewer = perhaps"])
def test_a_setting_that_is_none_ends_the_run_at_once(run, line):
    result = run(PASSES, ini=line + "\n")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{line.split()[-1]}*choose one of*"])


@pytest.mark.slow
def test_a_folder_made_for_clips_is_kept_out_of_version_control(run, pytester):
    run(INSIDE)
    assert (pytester.path / "playhead-results" / ".gitignore").read_text() == "*\n"
    (pytester.path / "mine").mkdir()
    run(INSIDE, "--playhead-dir=mine")
    assert [path.suffix for path in (pytester.path / "mine").iterdir()] == [".mcap"]


@pytest.mark.slow
def test_a_clip_that_can_not_be_saved_hides_nothing(run, pytester):
    (pytester.path / "taken").write_text("a file")
    result = run(INSIDE, "--playhead-dir=taken")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        "*Failed: the guard stays inside*",
        "CHECK FAILED at 0.750 s, frame 48: *",
        "No clip could be saved: *taken*",
    ])  # fmt: skip


@pytest.mark.slow
def test_a_world_that_can_not_be_recorded_any_more_hides_nothing(run, pytester):
    result = run("""
        def test_closed(session, playhead_world):
            playhead_world.step(session, 5)
            playhead_world.open = False
            assert not "told"
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        "*assert not 'told'",
        "The frame of the failure could not be recorded: *the yard is closed*",
        "TEST FAILED at *: AssertionError: assert not 'told'",
        "The clip: *",
    ])  # fmt: skip


def test_a_fixture_that_fails_has_its_clip_too(run, pytester):
    result = run("""
        import pytest

        @pytest.fixture
        def walked(session, playhead_world):
            playhead_world.step(session, 60)

        def test_after(walked):
            pass

        @pytest.fixture
        def judged(session, playhead_world):
            yield
            session.check(False, "judged", focus=7)

        def test_before(judged):
            pass
    """)
    result.assert_outcomes(errors=2, passed=1)
    assert sorted(link.frame for link in links(result)) == [1, FAILS]
    assert len(clips(pytester)) == 2


@pytest.mark.slow
def test_a_session_that_was_closed_before_the_failure_is_missed_in_words(run):
    result = run("""
        def test_late(playhead_session, playhead_world, playhead_handlers):
            with playhead_session(playhead_world, handlers=playhead_handlers) as session:
                playhead_world.step(session, 5)
            assert False
    """)
    result.stdout.fnmatch_lines(["The session was closed before the test failed: *"])


def test_a_session_without_a_world_says_what_to_define(pytester, viewers):
    pytester.makepyfile("def test_worldless(session): pass")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:hypothesispytest")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*define a fixture `playhead_world`*"])


@pytest.mark.skipif(sys.platform == "win32", reason="other signals")
def test_an_interrupted_test_keeps_its_clip_and_says_so_at_the_end(run):
    result = run("""
        import os, signal

        def test_hangs(session, playhead_world):
            playhead_world.step(session, 5)
            os.kill(os.getpid(), signal.SIGINT)
            playhead_world.step(session, 5)
    """)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([
        "*playhead: test_yard.py::test_hangs was interrupted*",
        "INTERRUPTED at *, frame 6: interrupted",
        "  playhead view '*#frame=6'",
    ])  # fmt: skip


@pytest.mark.slow
def test_a_test_that_is_run_again_keeps_each_attempt(run, pytester):
    result = run(INSIDE, "test_yard.py", "test_yard.py", "--keep-duplicates")
    result.assert_outcomes(failed=2)
    assert len(clips(pytester)) == 2


@pytest.mark.slow
def test_a_run_leaves_the_last_runs_clips_as_they_are_and_removes_older_ones(run, pytester):
    counts = []
    bystander = pytester.path / "playhead-results" / "mine.mcap"
    for _ in range(5):
        result = run(INSIDE)
        saved_clips = clips(pytester)
        assert Path(links(result)[0].target) in saved_clips
        counts.append(len(saved_clips))
        bystander.touch()
    assert counts == [1, 3, 4, 4, 4]
    assert bystander in clips(pytester)


@pytest.mark.slow
def test_several_processes_report_as_one(run, pytester):
    pytest.importorskip("xdist")
    result = run(
        """
        import pytest

        @pytest.mark.parametrize("seed", range(6))
        def test_inside(session, playhead_world, seed):
            playhead_world.step(session, 60)
        """,
        "-n", "2",
    )  # fmt: skip
    result.assert_outcomes(failed=6)
    assert {Path(link.target) for link in links(result)} == set(clips(pytester))
    assert len(clips(pytester)) == 6


def test_a_run_without_sessions_loads_nothing_and_warns_of_nothing(pytester, viewers):
    pytester.makepyfile("""
        import sys

        def test_light():
            heavy = {"numpy", "zmq", "msgspec", "mcap", "playhead.session", "playhead.bus"}
            assert not heavy & set(sys.modules)
            assert "playhead.testing.plugin" in sys.modules
    """)
    result = pytester.runpytest_subprocess("-q", "-W", "error", "-p", "no:hypothesispytest")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*playhead*")
    assert not list(pytester.path.glob("playhead*"))
