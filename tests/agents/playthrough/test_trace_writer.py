"""What the agent leaves in a recording."""

from typing import Any

import pytest

from playhead.agents.playthrough.playthrough_agent import PlaythroughAgent
from playhead.agents.playthrough.state_transitions import STATES
from playhead.games.playable_interface import ObservedEntity
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session

from ...support.fake_world import FakeWorld
from .field import PLAYER, settings_of
from .rows import demo_of, row, seen, walk

FRAME = 1 / 30


@pytest.fixture
def session():
    with Session(FakeWorld(tick=FRAME), "4 MiB", on_check=UNATTENDED) as one:
        yield one


def played(session, rows, observations, settings=""):
    agent = PlaythroughAgent(
        demo_of(rows), settings_of(settings), instruments=session, agent=PLAYER
    )
    for observation in observations:
        agent.step(observation)
        session.update(FRAME)
    return agent


def traces(session):
    """Every transition in the recording, oldest first."""
    span = session.source.span
    return [
        trace
        for frame in range(span.oldest, span.newest + 1)
        for agent, trace in session.source.traces(frame)
        if agent == PLAYER
    ]


def lines(session):
    """The segments of all that is drawn as lines in the newest frame."""
    source = session.source
    drawn = source.drawn(source.span.newest)
    return [one.values["segments"] for one in drawn if one.kind == "lines"]


def test_every_transition_says_what_won_what_was_true_as_well_and_why_the_rest_was_not(session):
    enemy = ObservedEntity("imp", (2.0, 1.0, 0.0), 3.0, object=42)
    coin = ObservedEntity("coin", (1.0, 1.0, 0.0))
    around = [*[seen(at * 0.1) for at in range(12)], seen(1.2, enemies=(enemy,), items=(coin,))]
    played(session, walk(100), around)
    begun, fights = traces(session)
    assert (begun.machine, begun.source, begun.target) == ("playthrough", "", "move_checkpoint")
    assert begun.won == "start"
    assert (fights.source, fights.target) == ("move_checkpoint", "enemy_battle")
    assert fights.won == "enemy_in_range"
    assert fights.also_true == ("item_in_range",)
    assert {one.condition: one.reason for one in fights.rejected} == {
        "boss": "0 bosses, field ''",
        "screen_shown": "no screen",
        "message_or_event": "no message, event ''",
        "replay_starts": "row 15 is no start that the game is ready for",
    }
    assert fights.values["row"] == 15
    assert fights.values["enemies"] == 1
    assert [(one.object, one.position) for one in fights.beliefs] == [(42, (2.0, 1.0, 0.0))]


def test_what_it_believes_of_its_target_says_when_it_was_seen(session):
    enemy = ObservedEntity("imp", (2.0, 0.5, 0.0), 3.0, object=42)
    gone = [seen(1.2)] * 8
    played(
        session,
        walk(100),
        [*[seen(at * 0.1) for at in range(12)], seen(1.2, enemies=(enemy,)), *gone],
    )
    back = traces(session)[2]
    assert back.target == "back_to_demoroute"
    assert back.won == "defeated"
    assert back.beliefs[0].seen == pytest.approx(13 * FRAME)


def test_each_frame_has_its_state_row_target_and_pad(session):
    agent = played(session, walk(60), [seen(at * 0.1, 0.2) for at in range(20)])
    watches = session.source.watches(session.source.span.newest)
    values = {name: value for (object, name), value in watches.items() if object == PLAYER}
    assert values["replay.state"] == STATES.index("move_checkpoint")
    assert values["replay.row"] == agent.row
    assert values["replay.target row"] == agent.memory.target_row
    assert values["replay.target x"] == pytest.approx(agent.memory.target_row * 0.1)
    assert (values["replay.target y"], values["replay.target z"]) == (0.0, 0.0)
    assert values["replay.stick x"] > 0.5
    assert values["replay.stick y"] < 0.0
    assert values["replay.held"] == 0
    assert {"replay.still", "replay.points of return"} <= set(values)


def test_the_demos_route_and_its_way_points_are_drawn_once_and_stay(session):
    agent = played(session, walk(60), [seen(at * 0.1) for at in range(20)])
    source = session.source
    drawn = [one for one in source.drawn(source.span.newest) if one.object == PLAYER]
    by_kind: dict[str, list[Any]] = {}
    for one in drawn:
        by_kind.setdefault(one.kind, []).append(one)
    assert sorted(by_kind) == ["line", "lines", "sphere"]
    assert len(by_kind["lines"]) == 2
    counts = sorted(len(one.values["segments"]) for one in by_kind["lines"])
    points = len(agent.context.route.checkpoints)
    assert counts == [points - 1, points]


def test_the_route_is_drawn_in_the_games_own_coordinates(session):
    unity = "engine: {kind: unity}"
    rows = [row(at * 0.1, 5.0, player_z=at * 0.2) for at in range(40)]
    played(session, rows, [seen(0.0, 5.0)], unity)
    segments = lines(session)
    assert len(segments) == 2
    for one in segments:
        assert one[0][0] == pytest.approx((0.0, 5.0, 0.0))
    # A way point's line stands up, which is y there.
    assert any(one[0][1] == pytest.approx((0.0, 5.3, 0.0)) for one in segments)


def test_a_long_route_is_drawn_with_fewer_lines(session):
    played(session, walk(5000), [seen()], "showing: {segments: 100}")
    counts = [len(one) for one in lines(session)]
    assert len(counts) == 2
    assert max(counts) <= 101


def test_no_line_is_drawn_where_nobody_walked(session):
    rows = [*walk(20), *(row(50 + at * 0.1) for at in range(20))]
    played(session, rows, [seen()])
    drawn = lines(session)
    assert len(drawn) == 2
    assert all(abs(start[0] - end[0]) < 3.0 for one in drawn for start, end in one)


def test_a_detour_and_a_recovery_are_marks(session):
    stands = [*[seen(at * 0.1) for at in range(40)], *[seen(4.0)] * 420]
    played(session, walk(100), stands)
    marks = [mark for mark in session.source.marks() if mark.name in ("detour", "recovery")]
    assert marks[0].name == "detour"
    assert marks[0].object == PLAYER
    assert marks[0].note == "no way to row 50; it looks for a way round"
    mark = next(mark for mark in marks if mark.name == "recovery")
    assert mark.object == PLAYER
    assert mark.note.startswith("no way to row ")
    assert "back to row" in mark.note


def test_what_is_given_up_is_logged(session):
    coin = ObservedEntity("coin", (0.5, 1.5, 0.0))
    stands = [seen(0.1, items=(coin,))] * 500
    played(session, walk(100), stands)
    span = session.source.span
    lines = [
        line.text for frame in range(span.oldest, span.newest + 1)
        for line in session.source.logs(frame)
    ]  # fmt: skip
    assert lines == ["gave up on item coin at (0.5, 1.5, 0)"]
