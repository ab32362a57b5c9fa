"""What is recorded of the yard's people beside their looks: how they move and want to."""

import pytest

from playhead.games.arena.yard_game import ArenaGame
from playhead.session import Session


def test_velocity_and_the_wanted_one_are_recorded_with_their_meaning():
    with ArenaGame(seed=5) as game, Session(game.world, "4 MiB", handlers=game.handlers) as session:
        game.attach(session)
        for _ in range(200):
            game.step()
            session.update(game.dt)
        frame = session.source.span.newest
        people = {packet.id: values for packet, values in session.source.decoded(frame)}
        for walker in (game.yard.player, *game.yard.guards):
            values = people[walker.id]
            assert values["velocity"] == pytest.approx([walker.vx, walker.vy, 0.0], rel=1e-6)
            assert values["desired_velocity"] == pytest.approx([*walker.desired, 0.0], rel=1e-6)
            layout = session.source.layout(frame, walker.type)
            for name in ("velocity", "desired_velocity"):
                note = layout.notes[name]
                assert (note.unit, note.role, note.restored) == ("m/s", name, False)


def test_a_guard_in_a_wall_wants_more_than_it_gets():
    with ArenaGame(seed=5, guards=1) as game:
        guard = game.yard.guards[0]
        gaps = []
        for _ in range(120):
            game.step()
            gaps.append(abs(guard.speed - sum(x * x for x in guard.desired) ** 0.5))
        assert max(gaps) > 0.3, "legs need time to get up to speed"
        assert min(gaps) < 0.05
