"""One seed, one hash: in every process, and in every Python that runs these tests.

The hashes here are known beforehand, so that interpreters agree without being run side by side.
They hold for one arithmetic: sine and its kin differ in their last bit from one C library, or one
processor, to another.
"""

import hashlib
import math
import struct
from functools import partial
from random import Random

import numpy as np
import pymunk
import pytest

from playhead.games.arena.adventure.adventure_game import AdventureGame
from playhead.games.arena.guard_yard import Yard
from playhead.games.arena.pettingzoo_env import AimArena

from ...support.process import run_python

ARITHMETIC = "97128870217bf797"
"""Digest of the functions that the arena calculates with, where the hashes below were taken."""

KNOWN = {
    "yard": (3_000, "06fe2b562e544e066d4abbbb14fe7cd2"),
    "aim": (1_000, "0cfc7ff882253f4339275a87b55d29a8"),
    "dungeon": (3_000, "122501194ad9bcca335505afbcfd9cd2"),
    "village": (3_000, "ea4d4702f1f456edf4bf40dade41aac4"),
}
"""Steps, and the state hash after them. Who changes a game on purpose writes its new one here."""
LONG = {
    "yard": (20_000, "b2f4e202f82911906c11c87d71e030ca"),
    "aim": (20_000, "ac863b3554ae90154ddc6a185cae2b98"),
    "dungeon": (20_000, "8ffb2666d2e60fa2c476a72107b259bb"),
    "village": (20_000, "73451dbb5db10760d354de31fc8c60a7"),
}


def arithmetic():
    """How sine, its kin and the physics engine calculate here."""
    numbers = [0.37 * i - 50 for i in range(3000)]
    digest = hashlib.blake2b(pymunk.chipmunk_version.encode(), digest_size=8)
    for function in (
        math.sin,
        math.cos,
        lambda x: math.atan2(x, 1.3),
        lambda x: math.hypot(x, 2.1),
    ):
        digest.update(struct.pack("<3000d", *map(function, numbers)))
    for function in (np.sin, np.cos, lambda x: np.hypot(x, 2.1)):
        for piece in (numbers, numbers[:5]):
            digest.update(np.asarray(function(np.array(piece)), "<f8").tobytes())
    return digest.hexdigest()


def yard(steps):
    game = Yard(7)
    for _ in range(steps):
        game.step()
    return game.state_hash()


def aim(steps):
    game, rng = AimArena("train-mix", agents=3), Random(7)
    game.reset(seed=7)
    for _ in range(steps):
        if not game.agents:
            game.reset()
        game.step(
            {
                name: ([rng.randrange(3), rng.randrange(3), rng.randrange(2)], rng.gauss(0.0, 5.0))
                for name in game.agents
            }
        )
    return game.state_hash()


def adventure(level, steps):
    """Play it by its scripted person, and the next seed when one is done."""
    digest, seed, game = hashlib.blake2b(digest_size=16), 7, AdventureGame(level, seed=7)
    for _ in range(steps):
        game.step()
        if game.adventure.finished:
            digest.update(game.state_hash().encode())
            seed += 1
            game = AdventureGame(level, seed=seed)
    digest.update(game.state_hash().encode())
    return digest.hexdigest()


GAMES = {
    "yard": yard, "aim": aim, "dungeon": partial(adventure, "dungeon"),
    "village": partial(adventure, "village"),
}  # fmt: skip

same_arithmetic = pytest.mark.skipif(
    arithmetic() != ARITHMETIC,
    reason=f"the arithmetic here is {arithmetic()}: the known hashes are of another",
)


def in_another_process(game, steps):
    code = (
        "from tests.games.arena import test_same_everywhere as same\n"
        f"print(same.GAMES[{game!r}]({steps}))\n"
    )
    done = run_python(code, env={"PYTHONHASHSEED": "4711"}, check=True, limit=240)
    return done.stdout.strip()


@same_arithmetic
@pytest.mark.parametrize("game", KNOWN)
def test_a_seed_gives_the_hash_that_is_known(game):
    steps, known = KNOWN[game]
    assert GAMES[game](steps) == known


@pytest.mark.slow
@pytest.mark.parametrize("game", KNOWN)
def test_a_seed_gives_the_same_hash_in_another_process(game):
    assert in_another_process(game, 500) == GAMES[game](500)


@same_arithmetic
@pytest.mark.slow
@pytest.mark.parametrize("game", LONG)
def test_a_seed_gives_the_hash_that_is_known_after_twenty_thousand_steps(game):
    steps, known = LONG[game]
    assert in_another_process(game, steps) == known
