"""What the recorder is for: a cause found after the fact, by scrubbing and reading alone."""

from dataclasses import dataclass
from itertools import pairwise
from math import dist

import pytest

from playhead.games.arena.guard_yard import ASTRAY
from playhead.games.arena.yard_game import ArenaGame
from playhead.playback.commands import Enter, SeekFrame, SeekMark, Step
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.packets.trace_types import (
    AnimationClip,
    AnimationFrame,
    TreeNode,
    TreeTick,
)
from playhead.session import Session

from ..support.fake_world import FakeWorld

MINUTE = 60 * 60
Vector = tuple[float, float, float]


@pytest.fixture
def failed():
    """The yard with its flawed guard, standing still at the failure."""
    with (
        ArenaGame(flaw=True) as game,
        Session(game.world, "16 MiB", handlers=game.handlers) as session,
    ):
        game.attach(session)
        for _ in range(MINUTE):
            game.step()
            session.update(game.dt)
            if not session.live:
                break
        yield game, session


@pytest.mark.slow
def test_the_flawed_guards_wrong_transition_and_stale_belief_are_found_by_scrubbing(failed):
    game, session = failed
    source = session.source
    assert not session.live
    (violation,) = session.failed_checks
    culprit = violation.object
    assert violation.frame == session.playhead.frame == source.span.newest < MINUTE
    assert violation.message == "an attacking guard faces its target"
    assert session.playhead.state.focus == culprit
    assert game.world.eye.state == "free"

    # The failure shows an attack that has gone on for a second with nobody in front.
    session.apply(SeekMark("an attacking guard faces its target"))
    guard, player = game.yard.find(culprit), game.yard.player
    assert guard.view.state == "Attack"
    assert dist(guard.view.position, player.view.position) > 3.0

    # Back to the decision that led into it.
    newest, before, *_ = source.transitions(violation.frame, culprit, "guard")
    assert newest.frame <= violation.frame - ASTRAY + 1
    shown = session.apply(SeekFrame(newest.frame))
    assert (shown.frame, guard.view.state) == (newest.frame, "Attack")
    session.press("Left")
    assert guard.view.state == "Chase"
    where_it_decided = guard.view.position
    session.press("Right")

    # Why: it was in reach of a place where nobody has been for a while.
    decision = newest.trace
    assert (decision.source, decision.target, decision.won) == ("Chase", "Attack", "in_reach")
    assert before.trace.target == "Chase"
    assert decision.values["sees"] is False
    assert {lost.condition for lost in decision.rejected} >= {"hurt", "target_down"}
    (belief,) = decision.beliefs
    assert belief.object == player.id
    assert belief.note == "last seen"
    age = shown.time - belief.seen
    assert age == pytest.approx(decision.values["belief_age"]) == pytest.approx(2.5, abs=2.0)
    assert age > 1.0
    assert dist(belief.position, player.view.position) > 3.0
    believed_away = decision.values["distance"]
    assert dist(belief.position, where_it_decided) == pytest.approx(believed_away)

    # The believed place was right when it was last seen: it is the belief that grew old.
    session.apply(SeekFrame(source.frame_at(belief.seen + 1e-6)))
    assert dist(belief.position, player.view.position) < 0.2
    ages = [
        source.watches(frame).get((culprit, "belief_age"))
        for frame in range(newest.frame, violation.frame + 1)
    ]
    assert ages == sorted(ages)
    assert ages[-1] - ages[0] == pytest.approx((len(ages) - 1) * game.dt)


@pytest.mark.slow
def test_the_drawings_of_the_culprit_show_what_it_believed_beside_what_was(failed):
    game, session = failed
    source, culprit = session.source, session.failed_checks[0].object
    (newest,) = source.transitions(session.failed_checks[0].frame, culprit, "guard", 1)
    frame = newest.frame + 10
    shown = session.apply(SeekFrame(frame))
    drawn = [one for one in source.drawn(frame) if one.object and shown.draws(one.object)]
    assert {one.object for one in drawn} == {culprit}
    (line,) = [one for one in drawn if one.kind == "line"]
    believed = newest.trace.beliefs[0].position
    assert dist(line.values["end"][:2], believed[:2]) < 0.01
    assert dist(line.values["end"][:2], game.yard.player.view.position[:2]) > 3.0
    assert [one.values["text"] for one in drawn if one.kind == "text"] == ["Attack"]


@pytest.mark.slow
def test_the_same_yard_without_the_flaw_fails_no_check_in_twice_that_time():
    with (
        ArenaGame() as game,
        Session(game.world, "1 MiB", handlers=game.handlers, on_check=UNATTENDED) as session,
    ):
        game.attach(session)
        for _ in range(2000):
            game.step()
            session.update(game.dt)
        assert session.failed_checks == []


@dataclass
class Walker:
    position: Vector = (0.0, 0.0, 0.0)
    velocity: Vector = (0.0, 0.0, 0.0)


@pytest.fixture
def stage(make_stage):
    """Make a session over walkers, which a test moves."""

    def make(*walkers, memory="256 KiB", latch="16 KiB"):
        world = FakeWorld(dict(enumerate(walkers, start=1)))
        session = make_stage(world, memory, latch=latch).session

        def finish(dt=1 / 64):
            world.seconds += dt
            session.update(dt)

        return world, session, finish

    return make


BRAIN = (
    TreeNode("root", "selector"),
    TreeNode("fight", "sequence", 0),
    TreeNode("enemy near?", "condition", 1),
    TreeNode("aim", "action", 1),
    TreeNode("shoot", "action", 1),
    TreeNode("wander", "action", 0),
)


def tick(distance, ammo):
    """Statuses of BRAIN's nodes and the branches that ended early."""
    if distance > 5:
        return ["success", "failure", "failure", "", "", "success"], {1: f"enemy at {distance} m"}
    if not ammo:
        statuses = ["success", "failure", "success", "success", "failure", "success"]
        return statuses, {1: "shoot failed: no ammo"}
    return ["success", "success", "success", "success", "success", ""], {}


def test_at_each_frame_a_behaviour_tree_lists_its_nodes_and_why_a_branch_ended_early(stage):
    _, session, finish = stage(Walker(), memory="64 KiB")
    session.trace.define_tree(1, "brain", BRAIN)
    expected = {}
    for n in range(1, 401):
        distance, ammo = abs(40 - n % 80) / 4, n % 7
        statuses, early = tick(distance, ammo)
        if n % 2:  # the brain thinks in every other frame
            session.trace.tree(
                1, "brain", statuses, ended_early=early, blackboard={"ammo": ammo, "n": n}
            )
        expected[n] = (statuses, early, ammo) if n % 2 else None
        finish()

    span = session.source.span
    assert span.oldest > 100, "the frame in which the tree was defined is gone"
    reasons = set()
    for frame in range(span.oldest, span.newest + 1):
        shown = session.apply(SeekFrame(frame), now=True)
        assert session.source.tree(shown.frame, 1, "brain") == BRAIN
        result = [trace for agent, trace in session.source.traces(shown.frame) if agent == 1]
        if expected[frame] is None:
            assert result == []
            continue
        (trace,) = result
        statuses, early, ammo = expected[frame]
        assert isinstance(trace, TreeTick)
        assert dict(zip((n.name for n in BRAIN), trace.statuses, strict=True)) == dict(
            zip((n.name for n in BRAIN), statuses, strict=True)
        )
        assert trace.ended_early == early
        assert trace.blackboard == {"ammo": ammo, "n": frame}
        reasons |= set(trace.ended_early.values())
    assert "shoot failed: no ammo" in reasons


def test_an_animation_pop_is_found_frame_by_frame_in_the_recorded_tree(stage):
    _, session, finish = stage(Walker())
    expected = {}
    for n in range(1, 61):
        # The run is blended in over ten frames, but the turn pops in from one frame to the next.
        run = min(max((n - 20) / 10, 0.0), 1.0)
        turn = 1.0 if n >= 45 else 0.0
        clips = [
            AnimationClip("locomotion", 1.0 - turn, criteria="root"),
            AnimationClip("walk", (1 - turn) * (1 - run), 1.2, n / 60, "speed < 3", 0),
            AnimationClip("run", (1 - turn) * run, 0.9, n / 60, "speed >= 3", 0),
            AnimationClip("turn", turn, 1.0, max(n - 45, 0) / 15, "heading off by > 90 degrees"),
        ]
        session.trace.animation(1, "body", clips)
        expected[n] = tuple(clips)
        finish()

    session.apply(Enter(), now=True)
    pops, before = [], None
    while True:
        frame = session.playhead.frame
        ((agent, trace),) = session.source.traces(frame)
        assert isinstance(trace, AnimationFrame)
        assert (agent, trace.tree, trace.clips) == (1, "body", expected[frame])
        shares = {clip.name: clip.contribution for clip in trace.clips}
        if before is not None:
            pops += [(frame + 1, name) for name in shares if abs(before[name] - shares[name]) > 0.5]
        before = shares
        if session.apply(Step(-1)).clamped:
            break
    assert session.playhead.frame == 1
    assert pops == [(45, "locomotion"), (45, "run"), (45, "turn")]
    (turn,) = [clip for clip in expected[45] if clip.name == "turn"]
    assert (turn.time, turn.rate, turn.criteria) == (0.0, 1.0, "heading off by > 90 degrees")


def test_two_who_dodge_to_and_fro_are_found_by_velocity_against_desired_velocity(stage):
    one, other = Walker((0.0, 0.0, 0.0)), Walker((10.0, 0.05, 0.0))
    _, session, finish = stage(one, other, memory="1 MiB")
    dt, side = 1 / 64, 1.0
    for n in range(1, 321):
        apart = abs(one.position[0] - other.position[0])
        if apart < 2 and n % 4 == 0:
            side = -side  # both step to the same side, and both think better of it
        for id, walker, way in ((1, one, 1.0), (2, other, -1.0)):
            desired = (way, side if apart < 2 else 0.0, 0.0)
            vx, vy, _ = walker.velocity
            # It takes time to follow one's own wishes.
            walker.velocity = (vx + (desired[0] - vx) * 0.2, vy + (desired[1] - vy) * 0.2, 0.0)
            x, y, _ = walker.position
            walker.position = (x + walker.velocity[0] * dt, y + walker.velocity[1] * dt, 0.0)
            session.watch("desired_vy", desired[1], object=id)
            session.watch("vy", walker.velocity[1], object=id)
        session.check(apart > 0.7, "people keep clear of each other", focus=1)
        finish(dt)
        if not session.live:
            break

    (violation,) = session.failed_checks
    source = session.source
    flips, wrong_way = [], 0
    for frame in range(violation.frame, 1, -1):
        shown = session.apply(SeekFrame(frame))
        watched, earlier = source.watches(shown.frame), source.watches(shown.frame - 1)
        assert watched[1, "vy"] == one.velocity[1]
        assert watched[2, "vy"] == other.velocity[1]
        if watched[1, "desired_vy"] * earlier[1, "desired_vy"] < 0:
            flips.append(frame)
        wrong_way += watched[1, "desired_vy"] * watched[1, "vy"] < 0
    assert len(flips) >= 8
    assert {a - b for a, b in pairwise(flips)} == {4}
    assert wrong_way >= len(flips)
    # It began where they came near: before that nobody wished to go sideways.
    start = min(flips) - 1
    while source.watches(start)[1, "desired_vy"]:
        start -= 1
    near, far = ({p.id: p.position[0] for p in source.objects(f)} for f in (start + 2, start - 2))
    assert abs(near[1] - near[2]) < 2 < abs(far[1] - far[2])
