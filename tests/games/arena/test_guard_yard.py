"""The yard: deterministic, recorder or not; its guards live; its flaw shows."""

import math
import sys
from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playhead.errors import GameError
from playhead.games.arena.animation.walk_animation import HUMAN, WalkAnimation, gait, pose
from playhead.games.arena.entity import STEP
from playhead.games.arena.guard_yard import ASTRAY, SEED, Yard
from playhead.games.arena.guards.guard import THINKING, Guard
from playhead.games.arena.guards.guard_fsm import EXPIRY, State
from playhead.games.arena.guards.thrown_stone import ThrownStone
from playhead.games.arena.level import parse_level
from playhead.playback.pads.pad import NEUTRAL, Button, Pad

from ...support.process import run_process


class Recording:
    """Takes every call of `Instrumentation`; also stands in for its `draw` and `trace`."""

    armed_hooks = None

    def __init__(self):
        self.calls = Counter()
        self.latched = []
        self.transitions = []
        self.failed = []
        self.thoughts = []
        self.blends = []
        self.trees = {}
        self.watched = Counter()
        self.names = {}
        self.inputs = []
        self.yard = None
        self.draw = self.trace = self

    def _drawn(self, kind, latch):
        self.calls[kind] += 1
        if latch:
            self.latched.append((kind, latch))

    def decision(self, agent, decider, inputs, target="", **_):
        self.calls["decision"] += 1

    def line(self, start, end, *, latch=None, **_):
        self._drawn("line", latch)

    def lines(self, segments, *, latch=None, **_):
        assert segments.shape[1:] == (2, 3)
        self._drawn("lines", latch)

    def sphere(self, center, radius, *, latch=None, **_):
        self._drawn("sphere", latch)

    def box(self, center, size, *, latch=None, **_):
        self._drawn("box", latch)

    def polygon(self, points, *, latch=None, **_):
        self._drawn("polygon", latch)

    def text(self, position, text, *, latch=None, **_):
        self._drawn("text", latch)

    def state(self, agent, machine, source, target, **rest):
        self.calls["state"] += 1
        tick = self.yard.tick if self.yard else 0
        self.transitions.append((tick, agent, source, target, rest))

    def define_tree(self, agent, tree, nodes):
        self.trees[agent] = nodes

    def tree(self, agent, tree, statuses, **rest):
        assert len(statuses) == len(self.trees[agent])
        self.thoughts.append((self.yard.tick, agent, statuses, rest))

    def animation(self, agent, tree, clips):
        self.blends.append((self.yard.tick, agent, clips))

    def watch(self, name, value, object=0):
        self.calls["watch"] += 1
        self.watched[name] += 1

    def input(self, name, value, *, object=0):
        self.inputs.append((name, value, object))

    def log(self, text, **_):
        self.calls["log"] += 1

    def name(self, object, name):
        self.names[object] = name

    def mark(self, name, note="", **_):
        self.calls["mark"] += 1

    def check(self, condition, message, *, focus=0):
        self.calls["check"] += 1
        if not condition:
            self.failed.append((self.yard.tick, message, focus))
        return condition


def run(frames, seed=SEED, **settings):
    recording = Recording()
    yard = recording.yard = Yard(seed, instruments=recording, **settings)
    for _ in range(frames):
        yard.step()
    return yard, recording


@cache
def a_minute():
    """What a minute of the usual yard is, for tests that only look at it."""
    return run(3600)


def hash_elsewhere(hash_seed, frames, guards):
    code = (
        "from playhead.games.arena.guard_yard import Yard\n"
        f"yard = Yard({SEED}, guards={guards})\n"
        f"for _ in range({frames}): yard.step()\n"
        "print(yard.state_hash())\n"
    )
    done = run_process(sys.executable, "-c", code, env={"PYTHONHASHSEED": hash_seed}, check=True)
    return done.stdout.strip()


@pytest.mark.slow
@pytest.mark.parametrize(("frames", "guards"), [(10_000, 6), (1500, 6), (200, 100)])
def test_one_seed_gives_one_hash_in_every_process(frames, guards):
    hashes = {hash_elsewhere(hash_seed, frames, guards) for hash_seed in ("0", "4711")}
    assert len(hashes) == 1
    assert len(hashes.pop()) == 32


def test_another_seed_gives_another_hash():
    hashes = set()
    for seed in range(4):
        yard = Yard(seed)
        for _ in range(300):
            yard.step()
        hashes.add(yard.state_hash())
    assert len(hashes) == 4


@pytest.mark.slow
def test_whoever_listens_changes_nothing():
    silent = Yard()
    spoken, recording = run(0)
    for frame in range(1500):
        silent.step()
        spoken.step()
        if frame % 250 == 0:
            assert silent.state_hash() == spoken.state_hash()
    assert silent.state_hash() == spoken.state_hash()
    assert recording.calls["state"] > 20


@pytest.mark.slow
def test_a_step_draws_watches_and_checks():
    yard, recording = a_minute()
    for kind in ("polygon", "sphere", "text"):
        assert recording.calls[kind] == 6 * 3600
    assert recording.calls["box"] == 3600 + len(yard.level.walls)
    assert recording.calls["line"] > 1000
    assert recording.calls["lines"] > 3600
    assert recording.calls["log"] > 10
    assert recording.watched["speed"] == recording.watched["health"] == 7 * 3600
    assert recording.watched["belief_age"] > 1000
    assert recording.calls["check"] > 3600


def test_walls_are_drawn_once_for_each_that_listens():
    yard, recording = run(50)
    walls = [("box", f"wall {number}") for number in range(len(yard.level.walls))]
    assert recording.latched == [*walls, ("lines", "fence")]
    other = Recording()
    other.yard = yard
    yard.attach(other)
    for _ in range(50):
        yard.step()
    assert other.latched == recording.latched
    assert recording.calls["box"] == 50 + len(walls)


def test_attaching_says_names_and_present_states_at_once():
    yard, _ = run(700)
    other = Recording()
    other.yard = yard
    yard.attach(other)
    assert other.names == {id: entity.name for id, entity in yard.entities.items()}
    message = {agent: target for _, agent, _, target, _ in other.transitions}
    assert message == {guard.id: guard.state.value for guard in yard.guards}


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [(SEED + 1,), range(3)])
def test_guards_go_through_all_states_and_trace_each_transition(seeds):
    seen = Counter()
    for recording in (a_minute()[1], *(run(3000, seed=seed)[1] for seed in seeds)):
        states = {}
        for _, agent, source, target, rest in recording.transitions:
            assert states.get(agent, "Patrol") == source
            assert source != target
            assert rest["won"]
            assert rest["values"]["hp"] >= 0
            states[agent] = target
            seen[target] += 1
    assert set(seen) == {state.value for state in State}


@pytest.mark.slow
def test_beliefs_in_a_trace_say_where_and_when_the_player_was_seen():
    _, recording = a_minute()
    believing = [entry for entry in recording.transitions if entry[4]["beliefs"]]
    assert believing
    for tick, _, _, _, rest in believing:
        (belief,) = rest["beliefs"]
        assert belief.object == 1
        assert rest["values"]["belief_age"] == pytest.approx(tick * STEP - belief.seen)
        assert all(map(math.isfinite, belief.position))


@pytest.mark.slow
def test_stones_come_and_go_and_ids_are_never_used_again():
    yard = Yard()
    born, gone, alive = set(), set(), set(yard.entities)
    for _ in range(3000):
        yard.step()
        now = set(yard.entities)
        assert not (now - alive) & (born | gone)
        born |= now - alive
        gone |= alive - now
        alive = now
        assert list(yard.entities) == sorted(yard.entities)
    assert len(born) > 5
    assert len(gone) > 5
    assert gone <= born
    assert all(yard.find(id) is None for id in gone)


def test_a_stone_hurts_one_guard_once_and_bounces_off_walls():
    level = parse_level(
        "{name: lane, size: [20, 6], player: {at: [-6, 0], facing: 0}, walls: [],"
        " guards: [{name: a, route: [[-2, 0], [-1, 0]]}], waypoints: [[0, 2], [0, -2]]}"
    )
    yard = Yard(level=level, guards=1)
    (guard,) = yard.guards
    yard.step(Pad(held=int(Button.A)))
    (stone,) = (e for e in yard.entities.values() if isinstance(e, ThrownStone))
    heights = []
    while yard.find(stone.id):
        yard.step(Pad())
        heights.append(stone.z)
        assert abs(stone.x) <= 10
    assert guard.hp == 100 - 26
    assert max(heights) > 1.4
    assert heights[-1] == 0
    assert 60 < len(heights) < 240


def test_no_stone_leaves_a_hand_that_touches_a_wall():
    level = parse_level(
        "{name: nook, size: [20, 6], player: {at: [0, 0], facing: 0},"
        " walls: [{name: w, at: [2, 0], size: [2, 2]}],"
        " guards: [{name: a, route: [[-8, 2], [-8, 1]]}], waypoints: [[0, 2], [0, -2]]}"
    )
    yard = Yard(level=level, guards=0)
    for _ in range(60):
        yard.step(Pad(left=(1.0, 0.0)))
    for _ in range(60):
        yard.step(Pad(held=int(Button.A)))
    assert list(yard.entities) == [1, 2, 3]


def test_the_pad_moves_turns_dodges_and_is_heeded_over_the_script():
    yard = Yard(guards=0)
    start = yard.player.at
    for _ in range(60):
        yard.step(Pad(left=(1.0, 0.0), right=(0.0, 1.0)))
    walked = yard.player.x - start[0]
    assert 2.0 < walked < 2.7
    assert yard.player.y == pytest.approx(start[1])
    assert yard.player.facing == pytest.approx(math.pi / 2)
    yard.step(Pad(left=(1.0, 0.0), held=int(Button.B)))
    assert yard.player.state == "dodge"
    assert yard.player.speed > 7


def test_views_are_written_by_every_step():
    yard, _ = run(400)
    player, guard = yard.player, yard.guards[1]
    assert player.view.position == (player.x, player.y, 0.0)
    assert player.view.angles[2] == player.facing
    assert player.view.joints.shape == (22, 3, 4)
    assert guard.view.joints.shape == (24, 3, 4)
    assert yard.guards[0].view.joints.shape == (23, 3, 4)
    assert guard.view.joints.dtype == np.float32
    assert guard.view.state == guard.state.value
    assert yard.camera.view.joints.shape == (0, 3, 4)
    assert yard.view_model.view.position[2] > 1.5
    before = guard.view.joints.copy()
    for _ in range(10):
        yard.step()
    assert not np.array_equal(before, guard.view.joints)


def test_every_field_of_a_view_is_in_the_hash():
    yard, _ = run(10)
    before = yard.state_hash()
    view = yard.camera.view
    for name, other in {
        "position": (1.0, 2.0, 3.0),
        "angles": (0.0, 0.0, 9.0),
        "visible": False,
        "state": "odd",
        "hp": 1.0,
        "joints": np.ones((1, 3, 4), np.float32),
        "fov": 2.0,
    }.items():
        value_before = getattr(view, name)
        setattr(view, name, other)
        assert yard.state_hash() != before, name
        setattr(view, name, value_before)
    assert yard.state_hash() == before


def test_scribbling_over_views_does_not_change_what_happens_next():
    left, right = Yard(), Yard()
    for frame in range(900):
        left.step()
        right.step()
        if frame % 100 == 0:
            for entity in right.entities.values():
                entity.view.position = (9.0, 9.0, 9.0)
                entity.view.joints[:] = 5.0
                entity.view.state = "odd"
    # A stone's view is all written again as well; only what was hidden would stay so.
    assert left.state_hash() == right.state_hash()


def test_each_guard_tells_its_tree_once_and_each_thought_with_its_belief():
    yard, recording = run(600)
    assert set(recording.trees) == {guard.id for guard in yard.guards}
    assert len(recording.thoughts) == 6 * 600 // THINKING
    result = {(tick, agent): rest for tick, agent, _, rest in recording.thoughts}
    for tick, agent, source, _, rest in recording.transitions:
        thought = result[tick, agent]
        assert thought["beliefs"] == rest["beliefs"], source
        for one in rest["rejected"]:
            assert one.reason in thought["ended_early"].values()


def test_a_person_whose_animation_stands_still_tells_it_once():
    yard, recording = run(0, guards=0)
    for _ in range(30):
        yard.step(NEUTRAL)
    assert [agent for _, agent, _ in recording.blends] == [yard.player.id]
    for _ in range(5):
        yard.step(Pad(left=(1.0, 0.0)))
    assert len(recording.blends) == 6


def test_who_begins_to_listen_later_hears_trees_and_animations_from_the_start():
    yard, _ = run(40)
    other = Recording()
    other.yard = yard
    yard.attach(other)
    for _ in range(THINKING):
        yard.step()
    assert set(other.trees) == {guard.id for guard in yard.guards}
    assert {agent for _, agent, _ in other.blends} == {yard.player.id, *other.trees}


@pytest.mark.slow
def test_the_clips_that_are_reported_are_those_of_the_pose():
    yard, recording = run(0, seed=3)
    seen = 0
    for _ in range(900):
        yard.step()
        for tick, agent, clips in recording.blends[-7:]:
            if tick != yard.tick:
                continue
            walker = yard.find(agent)
            shares = {clip.name: np.array([clip.contribution]) for clip in clips}
            times = {clip.name: clip.time for clip in clips}
            walk = WalkAnimation(shares["idle"], shares["walk"], shares["run"])
            lift = shares["throw"] if "throw" in shares else shares["strike"]
            phase = np.array([times["walk"] * math.tau])
            angles = gait(phase, walk, lift, shares.get("lie", np.zeros(1)))
            posed = pose(HUMAN, angles)[0, : walker.joints]
            assert np.allclose(posed, walker.view.joints, atol=1e-6)
            seen += 1
    assert seen > 3000


@settings(max_examples=8)
@example(0, [(0.0, -1.0, 0.0, 0.0, 0), *[(0.0, 0.0, 0.0, 0.0, 0)] * 2, (0.0, 0.0, 0.0, 0.0, 2)])
@given(
    st.integers(0, 99),
    st.lists(
        st.tuples(
            st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1),
            st.integers(0, 4095),
        ),
        min_size=1,
        max_size=8,
    ),
)  # fmt: skip
def test_whatever_is_pressed_the_run_repeats_and_nobody_leaves(seed, presses):
    pads = [Pad(left=(a, b), right=(c, d), held=held) for a, b, c, d, held in presses]
    ends = []
    for _ in range(2):
        recording = Recording()
        yard = recording.yard = Yard(seed, instruments=recording)
        for pad in pads:
            for _ in range(30):
                yard.step(pad)
        assert not recording.failed
        ends.append(yard.state_hash())
    assert ends[0] == ends[1]


def test_the_flaw_fails_a_check_within_a_minute_and_says_why():
    yard, recording = run(3600, flaw=True)
    tick, message, focus = recording.failed[0]
    assert message == "an attacking guard faces its target"
    assert 10 * 60 < tick < 3600
    assert isinstance(yard.find(focus), Guard)
    before = [entry for entry in recording.transitions if entry[1] == focus and entry[0] <= tick]
    taken, _, source, target, rest = before[-1]
    assert (source, target, rest["won"]) == ("Chase", "Attack", "in_reach")
    assert tick - ASTRAY <= taken < tick
    assert rest["values"]["sees"] is False
    assert rest["values"]["belief_age"] > 1.0
    assert tick * STEP - rest["beliefs"][0].seen > EXPIRY


@pytest.mark.slow
def test_without_the_flaw_no_check_fails():
    _, recording = a_minute()
    assert recording.calls["check"] > 3600
    assert recording.failed == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [SEED, 0, 1, 2])
def test_without_the_flaw_no_check_fails_for_ten_thousand_frames(seed):
    _, recording = run(10_000, seed=seed)
    assert recording.failed == []


def test_a_hundred_guards_share_six_routes_and_keep_the_peace():
    yard, recording = run(150, guards=100)
    assert len(yard.guards) == 100
    assert recording.failed == []


def test_a_knocked_down_player_gets_up_at_home():
    yard = Yard(guards=0)
    home = yard.player.at
    for _ in range(60):
        yard.step(Pad(left=(0.0, 1.0)))
    assert yard.player.suffer(100.0)
    yard.step(Pad(left=(0.0, 1.0)))
    assert yard.player.view.state == "down"
    for _ in range(160):
        yard.step(Pad())
    assert yard.player.at == pytest.approx(home)
    assert yard.player.hp == 100.0


def test_numbers_of_guards_that_make_no_sense_are_refused():
    with pytest.raises(GameError, match="-1 guards"):
        Yard(guards=-1)
    with pytest.raises(GameError, match="0 guards"):
        Yard(guards=0, flaw=True)


def test_every_step_records_the_pad_that_it_was_played_with():
    yard, listener = Yard(1), Recording()
    listener.yard = yard
    yard.attach(listener)
    yard.step(Pad(left=(0.5, 0.0), held=int(Button.A)))
    yard.step(NEUTRAL)
    assert listener.inputs == [
        ("pad", {"left x": 0.5, "A": True}, yard.player.id), ("pad", {}, yard.player.id),
    ]  # fmt: skip
