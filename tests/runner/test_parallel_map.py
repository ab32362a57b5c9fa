"""Calls in processes of their own: results come in order, and a dead process costs its own."""

import importlib
from collections.abc import Callable
from pathlib import Path

import pytest

from playhead.errors import GameError
from playhead.runner.parallel_map import ordered_calls
from playhead.runner.worker_pool import WorkerDeath

MODULE = """
import os
from playhead.errors import GameError

def doubled(number, before_step):
    assert before_step()
    if number == 2:
        os._exit(3)
    if number < 0:
        raise GameError(f"{number} is below 0")
    return 2 * number
"""


@pytest.fixture
def doubled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    (tmp_path / "doubling_calls.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    return importlib.import_module("doubling_calls").doubled


def died(call: tuple[int], death: WorkerDeath) -> int:
    assert death.reason == "ended with exit code 3"
    return -call[0]


def test_results_come_in_order_and_a_dead_process_costs_only_its_own(doubled) -> None:
    found = ordered_calls(doubled, [(1,), (2,), (3,), (4,)], 2, died)
    assert list(found) == [2, -2, 6, 8]


def test_an_error_of_a_call_is_raised(doubled) -> None:
    with pytest.raises(GameError, match="below 0"):
        list(ordered_calls(doubled, [(1,), (-1,)], 2, died))


def test_a_single_job_is_done_in_this_process() -> None:
    assert list(ordered_calls(lambda one, before_step: one, [(1,), (5,)], 1, died)) == [1, 5]
