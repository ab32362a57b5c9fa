"""An adventure as a game: what it tells, one hash for one seed, and playback that undoes itself."""

import math
import sys
from random import Random

import pytest

from playhead.errors import GameError
from playhead.games.arena.adventure.adventure_game import COLUMNS, AdventureGame
from playhead.games.game_catalog import open_game
from playhead.games.playable_interface import DemoColumns, Playable, Saves
from playhead.playback.commands import Enter, Leave, Play, SeekFrame, SeekTime, Step
from playhead.playback.pads.pad import NEUTRAL, Button, Pad
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.packets.packet_types import Kind
from playhead.session import Session

from ....support.process import run_process
from .conftest import Driver

BUTTONS = (0, 0, Button.A, Button.B, Button.X, Button.Y, Button.UP, Button.B | Button.RB)
LEVELS = ("village", "dungeon")


def pads(seed: int, steps: int):
    """What somebody might hold who does not know the game."""
    rng, angle, held = Random(seed), 0.0, 0
    for step in range(steps):
        if step % 20 == 0:
            angle = rng.uniform(-math.pi, math.pi)
            held = int(rng.choice(BUTTONS))
        pressed = held if step % 20 < 3 else 0
        yield Pad(left=(math.cos(angle), math.sin(angle)), held=pressed)


def recorded(game: AdventureGame, memory: str = "16 MiB") -> Session:
    session = Session(
        game.world, memory, handlers=game.handlers, about=game.about, on_check=UNATTENDED
    )
    game.attach(session)
    return session


@pytest.mark.parametrize("level", LEVELS)
def test_the_catalog_opens_it_and_it_is_all_that_agents_need(level):
    with open_game(f"arena:{level}", seed=3) as game:
        assert isinstance(game, AdventureGame)
        assert isinstance(game, Playable)
        assert isinstance(game, DemoColumns)
        assert isinstance(game, Saves)
        assert game.name == f"arena:{level}"
        assert game.about["seed"] == 3
        game.hold(NEUTRAL)
        game.step()
        seen = game.observe()
        assert set(seen.extras) == set(game.columns) == set(COLUMNS)
        for name, kind in game.columns.items():
            assert type(seen.extras[name]) is kind
        assert game.pad == NEUTRAL


def test_a_level_that_is_not_there_is_named():
    with pytest.raises(GameError, match=r"arena:attic.*village, dungeon"):
        open_game("arena:attic")
    with pytest.raises(GameError, match="attic"):
        AdventureGame("attic")


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_a_recorder_changes_nothing(level):
    plain, watched = (AdventureGame(level, seed=5, title=False) for _ in range(2))
    with recorded(watched) as session:
        for pad in pads(1, 1500):
            for game in (plain, watched):
                game.hold(pad)
                game.step()
            session.update(watched.dt)
        status = session.status
        assert status.packets_dropped == status.calls_dropped == status.latch_refused == 0
    assert plain.state_hash() == watched.state_hash()


@pytest.mark.slow
def test_playback_changes_nothing_also_across_a_change_of_area():
    plain, scrubbed, rng = (
        AdventureGame("village", seed=5, title=False),
        AdventureGame("village", seed=5, title=False), Random(2),
    )  # fmt: skip
    with recorded(scrubbed) as session:
        for step, pad in enumerate(pads(3, 1800)):
            for game in (plain, scrubbed):
                if step == 600:
                    Driver(game).be("forest", (0.0, -12.0))
                game.hold(pad)
                game.step()
            session.update(scrubbed.dt)
            if step % 300 == 299:
                before = scrubbed.state_hash()
                session.apply(Enter(), now=True)
                for _ in range(10):
                    span = session.source.span
                    session.apply(SeekTime(rng.uniform(span.start - 1, span.end + 1)))
                    session.apply(Step(rng.choice((-7, 3))))
                    session.apply(Play(rng.choice((-4.0, 2.0))))
                    session.update(0.2)
                session.apply(Leave())
                assert scrubbed.state_hash() == before
    assert plain.state_hash() == scrubbed.state_hash()


def test_each_frame_shows_the_same_however_one_gets_there():
    game, rng = AdventureGame("village", seed=2, title=False), Random(9)
    Driver(game).be("forest", (0.0, -12.0))
    with recorded(game, "8 MiB") as session:
        for pad in pads(4, 400):
            game.hold(pad)
            game.step()
            session.update(game.dt)

        def seen():
            views = {id: entity.view.pack() for id, entity in game.adventure.entities.items()}
            return views, dict(game.world.stand_ins), session.restorer.hidden

        span = session.source.span
        session.apply(Enter(), now=True)
        linear = {}
        for frame in range(span.oldest, span.newest + 1):
            session.apply(SeekFrame(frame))
            linear[frame] = seen()
        assert len(set(map(repr, linear.values()))) > len(linear) // 2
        for _ in range(100):
            frame = rng.randint(span.oldest, span.newest)
            session.apply(SeekFrame(frame))
            assert seen() == linear[frame]


def hash_elsewhere(level: str, hash_seed: str, steps: int) -> str:
    code = (
        "from playhead.games.arena.adventure.adventure_game import AdventureGame\n"
        f"game = AdventureGame({level!r}, seed=11)\n"
        f"for _ in range({steps}): game.step()\n"
        "print(game.state_hash())\n"
    )
    done = run_process(sys.executable, "-c", code, env={"PYTHONHASHSEED": hash_seed}, check=True)
    return done.stdout.strip()


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_one_seed_gives_one_hash_in_every_process(level):
    hashes = {hash_elsewhere(level, hash_seed, 3000) for hash_seed in ("0", "4711")}
    assert len(hashes) == 1
    assert len(hashes.pop()) == 32


def test_another_seed_gives_another_hash():
    hashes = set()
    for seed in range(4):
        game = AdventureGame("village", seed=seed, title=False)
        for pad in pads(1, 60):
            game.hold(pad)
            game.step()
        hashes.add(game.state_hash())
    assert len(hashes) == 4


def test_a_recording_tells_heights_events_minds_and_what_was_held(village):
    game = village.game
    village.be("village", (0.0, -5.5))
    with recorded(game) as session:

        def go(pad: Pad, steps: int) -> None:
            for _ in range(steps):
                game.hold(pad)
                game.step()
                session.update(game.dt)

        go(Pad(held=int(Button.A)), 2)
        go(NEUTRAL, 20)
        go(Pad(left=(0.25, -0.5), left_trigger=0.75, held=int(Button.LB)), 1)
        newest = session.source.span.newest
        values = {packet.id: values for packet, values in session.source.decoded(newest)}
        player = values[game.player]
        assert player["pad_left"].tolist() == [0.25, -0.5]
        assert player["pad_held"] == Button.LB
        assert player["joints"].shape[0] >= 20
        texts = [mark.name for mark in session.source.marks()]
        assert "event begins" in texts
        watches = session.source.watches(newest)
        assert watches[game.player, "height"] == 0.0
        village.be("forest", (0.0, -8.0))
        go(NEUTRAL, 21 * 60)
        newest = session.source.span.newest
        facts = session.source.facts(newest)
        enemies = [enemy.id for enemy in game.adventure.area_state.all_enemies]
        assert enemies
        assert {facts[id, Kind.NAME, ""] for id in enemies} == {"goblin"}
        assert {(id, "enemy") for id in enemies} <= set(session.source.machines(newest))
