"""A host with its gateway and a tool, for a game that a test plays."""

from collections.abc import Iterator

import pytest

from playhead.bus.client.client import Client

from .game import Game, Peer, Served, served


@pytest.fixture
def serving() -> Iterator[Served]:
    with served() as serving:
        yield serving


@pytest.fixture
def game(serving: Served) -> Iterator[Game]:
    with Game(serving.url) as game:
        yield game


@pytest.fixture
def tool(serving: Served) -> Iterator[Client]:
    with serving.client() as tool:
        yield tool


@pytest.fixture
def director(serving: Served) -> Iterator[Peer]:
    """Somebody on the gateway who moves the playhead, and can wait for the answer later."""
    with Peer(serving.url) as director:
        director.hello("director")
        yield director
