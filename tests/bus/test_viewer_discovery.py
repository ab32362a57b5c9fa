"""The files by which running viewers are found: where they are, and whose process still lives."""

import os
import sys
from pathlib import Path

import pytest

from playhead.bus.viewer_discovery import (
    RunningInstance,
    folder,
    register_instance,
    running_instances,
)

VIEWER = RunningInstance("tcp://127.0.0.1:1", "secret", os.getpid(), 1.0)


@pytest.fixture(autouse=True)
def registry(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAYHEAD_VIEWERS", str(tmp_path / "viewers"))


def refuse(*_):
    raise PermissionError


def test_a_process_that_may_not_be_signalled_lives(monkeypatch):
    file = register_instance(VIEWER)
    monkeypatch.setattr(os, "kill", refuse)
    assert running_instances() == [(file, VIEWER)]


def test_on_windows_no_process_is_signalled_as_that_would_end_it(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("a process is ended"))
    file = register_instance(VIEWER)
    assert running_instances() == [(file, VIEWER)]


def test_on_windows_the_folder_is_among_the_users_own_data(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delenv("PLAYHEAD_VIEWERS")
    monkeypatch.setenv("LOCALAPPDATA", "own")
    assert folder() == Path("own", "playhead", "run")
