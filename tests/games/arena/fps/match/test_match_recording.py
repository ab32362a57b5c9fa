"""What a recorded environment shows: objects, rays, rewards by term, actions, rounds."""

import numpy as np
import pytest

from playhead.errors import GameError
from playhead.games.arena.fps.match.hall_world_adapter import AimWorld
from playhead.games.arena.fps.match.match_control_commands import ClearGame, SpawnBlock, SpawnEnemy
from playhead.games.arena.fps.simulation.rewards import TERMS
from playhead.games.arena.fps.simulation.rules import Rules
from playhead.games.arena.pettingzoo_env import AimArena
from playhead.handlers.handler_conformance import check_handler
from playhead.playback.commands import Enter, SeekFrame, Step
from playhead.recorder.world_adapter import StandIn
from playhead.session import Session

from .....support.fake_world import FakeWorld

STILL = ((0, 0, 0), (0.0,))


@pytest.fixture
def session():
    with Session(AimWorld(), "16 MiB") as session:
        yield session


def everybody(env, act):
    return dict.fromkeys(env.agents, act)


def drawn(session, frame, object):
    return [one for one in session.source.drawn(frame) if one.object == object]


def test_every_step_is_a_frame_and_each_round_begins_with_one(session):
    env = AimArena("train-goto", agents=2, record=session, rules=Rules(round_time=1.0))
    env.reset(seed=1)
    assert session.source.span.newest == 1
    while env.agents:
        env.step(everybody(env, STILL))
    env.reset()
    span = session.source.span
    assert (span.newest, span.end) == (22, pytest.approx(1.0))
    stamps = [session.source.stamp(frame) for frame in range(1, 23)]
    assert [stamp.delta for stamp in stamps] == pytest.approx([0.0] + [0.05] * 20 + [0.0])


def test_agents_enemies_and_blocks_are_objects_with_fields(session):
    env = AimArena("train-attack", agents=2, record=session)
    env.reset(seed=1)
    env.step({"agent_0": ((1, 0, 1), (90.0,)), "agent_1": STILL})
    decoded = session.source.decoded(2)
    objects = [packet for packet, _ in decoded]
    kinds = [row.type for row in objects]
    block = env.match.arenas.blocks[0][0]
    assert kinds == ["agent"] * 2 + ["enemy"] * len(block.enemies) + ["block"]
    values = [fields for _, fields in decoded]
    x, y = env.match.arenas.at[:, 0, 0].tolist()
    assert objects[0].position == pytest.approx((x, y, 0.0))
    assert objects[0].angles[2] == pytest.approx(0.0)
    assert values[0]["state"] == b"attack"
    assert (bool(values[0]["gun"]), bool(values[1]["gun"])) == (False, True)
    assert values[-1]["difficulty"] == block.preset.difficulty
    assert values[-1]["diameter"] == block.diameter
    assert objects[-1].position == pytest.approx((*block.firebase, 0.0))
    assert {row["state"] for row in values[2:-1]} <= {b"target", b"other"}
    assert [row["hp"] for row in values[2:-1]] == [3.0] * len(block.enemies)


def test_rewards_by_term_and_actions_are_watched_values(session):
    env = AimArena("train-mix", agents=2, record=session)
    env.reset(seed=1)
    for turn in range(40):
        _, rewards, _, _, infos = env.step(
            {"agent_0": ((1, 2, 1), (float(turn),)), "agent_1": STILL}
        )
    frame = session.source.span.newest
    watched = session.source.watches(frame)
    for number, name in enumerate(env.agents, 1):
        assert watched[number, "reward"] == rewards[name]
        for term in TERMS:
            assert watched[number, f"reward {term}"] == infos[name]["terms"][term]
    result = [watched[1, f"action {key}"] for key in ("forward", "right", "attack", "turn")]
    assert result == [1.0, -1.0, 1.0, 39.0]
    assert watched[1, "reward spin"] == pytest.approx(-sum(range(40)) * 0.08)
    assert watched[0, "remaining time"] == pytest.approx(28.0)


def test_rays_are_lines_from_the_agent_to_what_they_hit(session):
    env = AimArena("train-free", agents=1, record=session)
    env.reset(seed=1)
    env.step(everybody(env, ((0, 0, 1), (0.0,))))
    x, y = env.match.arenas.at[:, 0, 0]
    lines = [p for p in drawn(session, 2, 1) if p.kind == "lines"]
    segments = np.concatenate([p.values["segments"] for p in lines])
    assert len(segments) == 19
    assert segments[:, 0, :2] == pytest.approx(np.tile([x, y], (19, 1)), abs=1e-4)
    lengths = np.hypot(*(segments[:, 1] - segments[:, 0])[:, :2].T)
    seen = env.match.simulation.ray_hits.distances[0, 0, :19]
    assert sorted(lengths) == pytest.approx(sorted(seen), abs=1e-3)
    assert [p.kind for p in drawn(session, 2, 1)].count("line") == 1, "the shot"


def test_targets_and_rounds_are_traced_for_every_agent(session):
    env = AimArena("train-goto", agents=2, record=session, rules=Rules(round_time=0.5))
    env.reset(seed=1)
    while env.agents:
        env.step(everybody(env, STILL))
    last = session.source.span.newest
    env.reset()
    result = [
        (frame, agent, trace.machine, trace.source, trace.target)
        for frame in range(1, session.source.span.newest + 1)
        for agent, trace in session.source.traces(frame)
    ]
    assert result == [
        (1, 1, "target", "", "goto"), (1, 2, "target", "", "goto"),
        (1, 1, "round", "", "running"), (1, 2, "round", "", "running"),
        (last, 1, "round", "running", "lost"), (last, 2, "round", "running", "lost"),
        (last + 1, 1, "target", "goto", "goto"), (last + 1, 2, "target", "goto", "goto"),
        (last + 1, 1, "round", "lost", "running"), (last + 1, 2, "round", "lost", "running"),
    ]  # fmt: skip
    _, trace = session.source.traces(last)[0]
    assert trace.won == "the time is over"
    assert trace.values["distance"] == pytest.approx(env_distance(env, session, last), abs=60)
    assert [line.text for line in session.source.logs(last)] == ["Warning|Result|Lose"]
    assert session.source.logs(last)[0].level == "warning"


def env_distance(env, session, frame):
    """Metres from the first agent to the block's fire base, as recorded."""
    rows = list(session.source.objects(frame))
    return float(np.hypot(*np.subtract(rows[0].position, rows[-1].position)[:2]))


def boxes_and_lines(session, frame):
    """How many walls and walls of blocks there are, and each latched drawing's lines."""
    shapes = drawn(session, frame, 0)
    walls = [one.latched for one in shapes if "size" in one.values]
    lines = {one.latched: len(one.values["segments"]) for one in shapes if "segments" in one.values}
    blocks = sum(name.startswith("block") for name in walls)
    return len(walls) - blocks, blocks, lines


def test_orders_show_in_the_next_frame_and_blocks_vanish_when_cleared(session):
    env = AimArena("test", agents=1, record=session)
    env.reset(seed=1)
    env.send(SpawnBlock("goto", 4, 23.0, 23.0))
    env.send(SpawnEnemy(40.0, 10.0))
    env.step(everybody(env, STILL))
    kinds = [row.type for row in session.source.objects(2)]
    assert (kinds.count("enemy"), kinds.count("block")) == (4, 1)
    assert boxes_and_lines(session, 2) == (4, 5, {"hall": 12, "blocks": 4, "fire bases": 32})
    ids = {row.id for row in session.source.objects(2)}
    env.order(ClearGame())
    env.step(everybody(env, STILL))
    assert [row.type for row in session.source.objects(3)] == ["agent"]
    nothing = {f"block wall {number}": 0 for number in range(5)}
    assert boxes_and_lines(session, 3) == (
        4, 0, {"hall": 12, "blocks": 0, "fire bases": 0, **nothing}
    )  # fmt: skip
    env.order(SpawnBlock("goto", 4, 23.0, 23.0))
    env.step(everybody(env, STILL))
    assert not ids & {row.id for row in session.source.objects(4)} - {1}
    machines = {
        (t.machine, t.target, t.won) for f in (2, 3, 4) for _, t in session.source.traces(f)
    }
    assert ("target", "goto", "ordered") in machines
    assert ("round", "none", "ordered") in machines


def test_a_scrubbed_run_goes_on_like_one_that_was_never_recorded(session):
    recorded = AimArena("train-mix", agents=2, record=session)
    plain = AimArena("train-mix", agents=2)
    recorded.reset(seed=3)
    plain.reset(seed=3)
    rng = np.random.default_rng(1)
    for step in range(300):
        act = {name: (rng.integers(0, [3, 3, 2]), rng.normal(size=1) * 5) for name in plain.agents}
        recorded.step(act)
        plain.step(act)
        if step % 60 == 30:
            session.apply(Enter(), now=True)
            session.apply(Step(-10))
            then = session.playhead.state.frame
            shown = {row.id: row.position for row in session.source.objects(then)}
            for number, view in enumerate(session.world.agents, 1):
                assert view.position == pytest.approx(shown[number], abs=1e-4)
            session.apply(SeekFrame(1))
            session.leave()
        assert recorded.state_hash() == plain.state_hash()


def test_a_step_in_playback_is_refused_where_nobody_could_end_it(session):
    env = AimArena("train-free", agents=1, record=session)
    env.reset(seed=3)
    env.step(everybody(env, STILL))
    before = env.state_hash()
    session.apply(Enter(), now=True)
    with pytest.raises(GameError, match="the session is in playback"):
        env.step(everybody(env, STILL))
    with pytest.raises(GameError, match="the session is in playback"):
        env.reset()
    session.leave()
    assert env.state_hash() == before
    env.step(everybody(env, STILL))


def test_a_session_of_another_game_and_a_second_environment_are_refused(session):
    with (
        Session(FakeWorld(), "1 MiB") as other,
        pytest.raises(GameError, match=r"Session\(AimWorld"),
    ):
        AimArena(record=other)
    AimArena(record=session).reset(seed=1)
    with pytest.raises(GameError, match="shows an arena already"):
        AimArena(record=session).reset(seed=1)


def test_what_playback_hides_and_replaces_comes_back(session):
    env = AimArena("train-attack", agents=1, record=session)
    env.reset(seed=1)
    world = session.world
    ids = [id for id, _, _ in world.objects()]
    assert [world.find(id).visible for id in ids] == [True] * len(ids)
    for id in ids:
        world.hide(id)
        world.hide(id)
        assert not world.find(id).visible
        world.unhide(id)
        assert world.find(id).visible
    world.hide(999)
    world.unhide(999)
    stand_in = StandIn(99, "enemy", (1.0, 2.0, 0.0), (0.0, 0.0, 0.0), True)
    world.show_stand_in(stand_in)
    assert world.stand_ins == {99: stand_in}
    world.remove_stand_in(99)
    world.look_at(1, (1.0, 1.0, 0.0))
    assert world.looked_at == (1, (1.0, 1.0, 0.0))
    world.pause()
    world.resume()
    assert world.looked_at is None
    assert AimWorld().time() == 0.0


def test_handlers_keep_their_contract(session):
    env = AimArena("train-attack", agents=1, record=session)
    env.reset(seed=1)
    views = {type: view for _, type, view in session.world.objects()}
    assert set(views) == {"agent", "enemy", "block"}
    for type, view in views.items():
        check_handler(session.handlers[type].record, view)
