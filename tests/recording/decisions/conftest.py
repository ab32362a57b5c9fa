"""A program's own module that decides, written anew for each test, and a recording of it."""

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import pytest

from playhead.recording_session import record

CHOOSE = """
from enum import Enum

import playhead as ph


class State(Enum):
    Calm = 1
    Flee = 2


def choose(inputs):
    hurt = inputs["hp"] < 35
    return State.Flee if hurt else None


def choose_by_table(inputs):
    hurt = inputs["hp"] < 35
    near = inputs["away"] < 3
    conditions = (
        ph.ConditionResult("hurt", "Flee", hurt, "" if hurt else f"hp {inputs['hp']}",
                           inputs["hp"] - 35.0),
        ph.ConditionResult("near", "Fight", near, "" if near else f"{inputs['away']} m away",
                           inputs["away"] - 3.0),
    )
    won = next((one for one in conditions if one.holds), None)
    return ph.DecisionResult(won.target if won else "", won.name if won else "", conditions)
"""


class MakeModule(Protocol):
    def __call__(self, name: str, text: str) -> ModuleType: ...


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Write a module into the present folder, and import it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(name: str, text: str) -> ModuleType:
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        importlib.invalidate_caches()
        return importlib.import_module(name)

    yield make
    for name, one in [*sys.modules.items()]:
        if str(getattr(one, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def guard_clip(tmp_path, module):
    """Record twenty frames of a guard that loses health and is come near to."""

    def make(function: str = "choose", path: Path | None = None) -> Path:
        brain = module("brain", CHOOSE)
        guard: dict[str, Any] = {"name": "north", "hp": 100.0}
        path = path or tmp_path / "run.mcap"
        with record([guard], path, dt=0.1, strict=True) as rec:
            for step in range(20):
                with rec.frame():
                    guard["hp"] -= 5
                    inputs = {"hp": guard["hp"], "away": 20.0 - step}
                    rec.trace.decide(guard, "brain", getattr(brain, function), inputs)
        return path

    return make
