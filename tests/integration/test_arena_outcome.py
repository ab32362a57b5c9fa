"""Recording, pausing and scrubbing change nothing of how a seeded arena goes on."""

from random import Random

import pytest

from playhead.games.arena.yard_game import ArenaGame
from playhead.playback.commands import (
    Enter,
    Leave,
    Pause,
    Play,
    SeekFrame,
    SeekTime,
    Step,
)
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session


class Unrecorded:
    """A game that nobody recorded, stepped as far as somebody wants to know of it."""

    def __init__(self) -> None:
        self._game, self._hashes = ArenaGame(seed=11), {}

    def __getitem__(self, step: int) -> str:
        for done in range(len(self._hashes) + 1, step // 1000 + 1):
            for _ in range(1000):
                self._game.step()
            self._hashes[1000 * done] = self._game.state_hash()
        return self._hashes[step]


@pytest.fixture(scope="module")
def unrecorded() -> Unrecorded:
    return Unrecorded()


few_or_many = pytest.mark.parametrize(
    "frames", [1000, pytest.param(10_000, marks=pytest.mark.slow)]
)


def recorded(game: ArenaGame, memory: str = "16 MiB") -> Session:
    session = Session(game.world, memory, handlers=game.handlers, on_check=UNATTENDED)
    game.attach(session)
    return session


@few_or_many
def test_all_frames_end_the_same_with_and_without_the_recorder(unrecorded, frames):
    game = ArenaGame(seed=11)
    with recorded(game, "2 MiB") as session:
        for _ in range(frames):
            game.step()
            session.update(game.dt)
        assert session.status.frames == frames
        assert session.status.frames_held < frames
    assert game.state_hash() == unrecorded[frames]


@pytest.mark.slow
@few_or_many
def test_a_run_scrubbed_wildly_and_resumed_many_times_ends_the_same(unrecorded, frames):
    game, rng = ArenaGame(seed=11), Random(3)
    with recorded(game) as session:
        for frame in range(1, frames + 1):
            game.step()
            session.update(game.dt)
            if frame % 500 == 0:
                before = game.state_hash()
                scrub_wildly(session, rng)
                session.apply(Leave())
                assert session.live
                assert game.state_hash() == before
    assert game.state_hash() == unrecorded[frames]


@pytest.mark.slow
def test_a_thousand_steps_after_a_resume_equal_a_run_never_paused(unrecorded):
    game, rng = ArenaGame(seed=11), Random(4)
    with recorded(game) as session:
        for _ in range(1000):
            game.step()
            session.update(game.dt)
        session.apply(Enter(), now=True)
        scrub_wildly(session, rng)
        session.leave()
        for _ in range(1000):
            game.step()
            session.update(game.dt)
    assert game.state_hash() == unrecorded[2000]


@pytest.mark.slow
def test_each_frame_shows_the_same_however_one_gets_there():
    game, rng = ArenaGame(seed=2), Random(9)
    with recorded(game, "4 MiB") as session:
        for _ in range(900):
            game.step()
            session.update(game.dt)
        span = session.source.span
        assert span is not None
        session.apply(Enter(), now=True)
        linear = {}
        for frame in range(span.oldest, span.newest + 1):
            session.apply(SeekFrame(frame))
            linear[frame] = seen(game, session)
        assert len(set(map(repr, linear.values()))) > len(linear) // 2
        for _ in range(400):
            frame = rng.randint(span.oldest, span.newest)
            session.apply(SeekFrame(frame))
            assert seen(game, session) == linear[frame]
            if rng.random() < 0.3:
                session.apply(Step(rng.choice((-3, -1, 1, 3))))
                assert seen(game, session) == linear[session.playhead.frame]


def test_two_games_shown_at_once_do_not_meet():
    games = [ArenaGame(seed=seed) for seed in (1, 2)]
    sessions = [recorded(game, "2 MiB") for game in games]
    for _ in range(60):
        for game, session in zip(games, sessions, strict=True):
            game.step()
            session.update(game.dt)
    sessions[0].apply(SeekFrame(30), now=True)
    before = games[1].state_hash()
    sessions[0].apply(SeekFrame(31))
    assert games[1].state_hash() == before
    assert sessions[1].live
    for session in sessions:
        session.close()


def scrub_wildly(session: Session, rng: Random) -> None:
    span = session.source.span
    assert span is not None
    for _ in range(25):
        session.apply(SeekTime(rng.uniform(span.start - 1, span.end + 1)), now=True)
        session.apply(Step(rng.choice((-20, -1, 1, 20))))
        session.apply(Play(rng.choice((-8.0, -1.0, 0.25, 2.0))))
        for _ in range(3):
            session.update(rng.uniform(0.0, 0.3))
        if rng.random() < 0.5:
            session.apply(Pause())


def seen(game: ArenaGame, session: Session) -> tuple:
    """Everything that is to be seen of the yard now."""
    views = {id: entity.view.pack() for id, entity in game.yard.entities.items()}
    return views, dict(game.world.stand_ins), session.restorer.hidden
