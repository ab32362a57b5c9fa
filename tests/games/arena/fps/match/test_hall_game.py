"""`arena:doomlike`: scripted agents win its rounds, recorded or not."""

import pytest

from playhead.games.arena.fps.match.hall_game import AimGame
from playhead.playback.commands import Enter
from playhead.session import Session


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["train-free", "train-goto", "train-attack"])
def test_scripted_agents_win_rounds_of_every_kind(mode):
    results = []
    with AimGame(seed=3, agents=1, mode=mode) as game:
        game.side.on_message(lambda result: results.append(result.result))
        while len(results) < 8:
            game.step()
    assert results == ["Win"] * 8


@pytest.mark.slow
def test_it_goes_the_same_way_recorded_and_scrubbed_as_alone():
    plain, recorded = AimGame(seed=2), AimGame(seed=2)
    with Session(
        recorded.world, "16 MiB", handlers=recorded.handlers, about=recorded.about
    ) as session:
        recorded.attach(session)
        for step in range(400):
            for game in (plain, recorded):
                game.step()
            session.update(recorded.dt)
            if step % 100 == 50:
                session.apply(Enter(), now=True)
                recorded.step()
                session.leave()
            assert plain.state_hash() == recorded.state_hash()
        assert session.status.packets_dropped == 0
        names = {row.type for row in session.source.objects(session.source.span.newest)}
        assert names <= {"agent", "enemy", "block"}
    assert plain.name == "arena:doomlike"
    assert plain.about["seed"] == 2
    assert AimGame().state_hash() == AimGame().state_hash()
