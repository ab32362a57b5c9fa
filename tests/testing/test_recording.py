"""What a pytest run does for a program's own objects: the fixture `playhead_record`."""

import pytest

from playhead.playback.recording_url import RecordingLink
from playhead.recorder.clips.clip_source import ClipSource

from .test_plugin import clips, links

pytest_plugins = "pytester"

GUARD = """
import pytest

DT = 1 / 64

def walk(rec, guard, steps, limit=0.75):
    for _ in range(steps):
        with rec.frame():
            guard["x"] += DT
            rec.check(guard["x"] < limit, "the guard stays inside", focus=guard)

@pytest.fixture
def guard():
    return {"name": "north", "x": 0.0}
"""
INSIDE = (
    GUARD
    + """
def test_inside(playhead_record, guard):
    with playhead_record([guard], dt=DT) as rec:
        walk(rec, guard, 60)
"""
)
FAILS = 48
"""The frame in which the guard's check fails."""


def test_without_dt_it_says_what_record_says(run):
    result = run("def test_it(playhead_record):\n    playhead_record([])\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*TypeError: record() missing 1 required keyword-only argument: 'dt'*"]
    )


def test_a_failed_check_fails_the_test_at_its_frame_and_tells_the_story(run, pytester):
    result = run(INSIDE)
    result.assert_outcomes(failed=1)
    [clip] = clips(pytester)
    result.stdout.fnmatch_lines([
        ">*with rec.frame():",
        "*Failed: the guard stays inside (guard?'x'? < limit)",
        "*--- playhead ---*",
        "CHECK FAILED at 0.750 s, frame 48: the guard stays inside",
        "  expression  guard?'x'? < limit",
        "  object      north (id 1)",
        "  from        test_yard.py:*",
        f"The clip: playhead-results/{clip.name} (48 frames, * KiB)",
    ])  # fmt: skip
    # Where it failed in the test is shown, and not the insides of playhead.
    result.stdout.no_fnmatch_line("*frame_scope*")
    assert links(result) == [RecordingLink(str(clip), frame=FAILS, focus=1)]
    with ClipSource.open(clip) as source:
        [mark] = source.marks()
        assert (mark.kind, mark.frame, mark.object) == ("check", FAILS, 1)


@pytest.mark.slow
def test_the_modes_are_those_of_every_session(run, pytester):
    passes = INSIDE.replace("60)", "40)")
    run(passes).assert_outcomes(passed=1)
    assert clips(pytester) == []
    run(passes, "--playhead=on").assert_outcomes(passed=1)
    assert len(clips(pytester)) == 1
    result = run(INSIDE, "--playhead=off", "--playhead-dir=none")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["CHECK FAILED at 0.750 s, frame 48: *"])
    assert not (pytester.path / "none").exists()


@pytest.mark.slow
def test_the_environment_does_not_switch_it_off(run, pytester, monkeypatch):
    monkeypatch.setenv("PLAYHEAD", "off")
    run(INSIDE).assert_outcomes(failed=1)
    assert len(clips(pytester)) == 1


def test_it_takes_what_record_takes_a_path_as_well(run, pytester):
    result = run(
        GUARD
        + """
class Door:
    def __init__(self):
        self.width, self.colour = 2.0, "red"

def test_given(playhead_record, tmp_path):
    path = tmp_path / "run.mcap"
    door = Door()
    with playhead_record(
        lambda: [door], path, dt=DT, memory="2 MiB", fields={"Door": ["width"]}, about={"seed": 3}
    ) as rec:
        with rec.frame():
            door.width = 3.0
        assert rec.source.span.newest == 1
        [packet] = rec.source.objects(1)
        assert (rec.dt, rec.id_of(door), packet.id) == (DT, 1, 1)
    assert path.exists()

def test_no_dt(playhead_record):
    with pytest.raises(TypeError, match="dt"):
        playhead_record([])
"""
    )
    result.assert_outcomes(passed=2)
    assert clips(pytester) == []


@pytest.mark.parametrize(
    "begin",
    [
        pytest.param("open_blocks.enter_context(rec.frame())", id="in a frame that is open"),
        pytest.param("pass", id="in no frame"),
    ],
)
def test_a_check_whose_frame_never_ended_fails_the_test(run, begin):
    """Also where the recording is closed in the middle of a step."""
    result = run(
        GUARD
        + f"""
from contextlib import ExitStack

open_blocks = ExitStack()

@pytest.mark.parametrize("close", [False, True])
def test_unfinished(playhead_record, guard, close):
    rec = playhead_record([guard], dt=DT)
    walk(rec, guard, 3)
    {begin}
    rec.check(1 > 2, "one is more", focus=guard)
    if close:
        rec.close()
"""
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    found = "CHECK FAILED at *, frame 4: one is more"
    result.stdout.fnmatch_lines([found, found])
    assert [(link.frame, link.focus) for link in links(result)] == [(4, 1), (4, 1)]


def test_a_failed_assert_is_marked_in_a_frame_that_shows_the_objects_as_they_were(run):
    result = run(
        GUARD
        + """
def test_far(playhead_record, guard):
    rec = playhead_record([guard], dt=DT)
    walk(rec, guard, 40)
    assert guard["x"] > 1
"""
    )
    result.stdout.fnmatch_lines(["TEST FAILED at 0.625 s, frame 41: AssertionError: *"])
    assert [link.frame for link in links(result)] == [41]


@pytest.mark.slow
def test_a_check_in_a_step_that_makes_its_own_frame_fails_the_test(run):
    pytest.importorskip("gymnasium")
    result = run(
        GUARD
        + """
import gymnasium

class Pole(gymnasium.Env):
    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Box(-1, 1, (2,))

    def reset(self, *, seed=None, options=None):
        return self.observation_space.low, {}

    def step(self, action):
        self.rec.check(action == 0, "it is not pushed")
        return self.observation_space.low, 0.0, False, False, {}

def test_pushed(playhead_record):
    inner = Pole()
    rec = inner.rec = playhead_record(dt=DT)
    env = rec.wrap(inner)
    env.reset()
    env.step(0)
    env.step(1)
    assert not "reached"
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        ">*env.step(1)",
        "*Failed: it is not pushed*",
        "CHECK FAILED at *: it is not pushed",
    ])  # fmt: skip


def test_beside_a_session_on_a_world_each_has_its_clip(run, pytester):
    result = run(
        GUARD
        + """
def test_both(playhead_record, session, playhead_world, guard):
    rec = playhead_record([guard], dt=DT)
    playhead_world.step(session, 3)
    walk(rec, guard, 60)
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        "*--- playhead, session 2 ---*",
        "CHECK FAILED at 0.750 s, frame 48: the guard stays inside",
        "*--- playhead, session 1 ---*",
        "TEST FAILED at *, frame 4: *",
    ])  # fmt: skip
    assert len(clips(pytester)) == 2


def test_a_list_where_a_world_is_wanted_is_told_the_way_out(run):
    result = run(
        GUARD
        + """
def test_no_world(playhead_session, guard):
    playhead_session([guard])
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*RecordingError: *'north'* is no World*ph.record takes *"])
