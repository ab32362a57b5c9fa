"""Fixtures for every folder: stages and processes that end with the test."""

from collections.abc import Callable, Iterator

import pytest

from .process import Process, starting
from .stage import Stage


@pytest.fixture
def start_process() -> Iterator[Callable[..., Process]]:
    """Start programs in processes of their own: a command, and what else `Process` takes."""
    yield from starting(Process)


@pytest.fixture
def make_stage() -> Iterator[Callable[..., Stage]]:
    """Make stages: a world, and what goes to its session."""
    yield from starting(Stage)
