"""Arenas, and users in front of them."""

import pytest


@pytest.fixture
def hall():
    from .arena_hall import Hall

    made = []

    def start(mode="test"):
        made.append(Hall(mode))
        return made[-1]

    yield start
    for one in made:
        one.close()


@pytest.fixture
def person(hall, window, until):  # windows are closed before the game is gone
    from .arena_hall import Person

    def start(mode="test", **rest):
        game = hall(mode)
        made = Person(window(game.endpoint, ready=False, **rest), until)
        made.game = game
        return made

    return start
