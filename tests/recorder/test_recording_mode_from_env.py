"""`PLAYHEAD` in the environment."""

import logging

import pytest

from playhead.errors import RecordingError
from playhead.recorder import recording_mode_from_env as module
from playhead.recorder.recording_mode_from_env import RecordingMode, recording_mode


@pytest.mark.parametrize(
    ("environment", "mode"),
    [
        ({}, RecordingMode.ON),
        ({"PLAYHEAD": ""}, RecordingMode.ON),
        ({"PLAYHEAD": "on"}, RecordingMode.ON),
        ({"PLAYHEAD": "off"}, RecordingMode.OFF),
        ({"PLAYHEAD": "strict"}, RecordingMode.STRICT),
    ],
)
def test_it_is_on_by_default(environment, mode):
    assert recording_mode(environment) is mode


@pytest.mark.parametrize("value", ["OFF", "0", "1", "yes", " off"])
def test_another_value_is_refused_with_those_that_there_are(value):
    with pytest.raises(RecordingError, match="PLAYHEAD=.*give off, on, strict"):
        recording_mode({"PLAYHEAD": value})


def test_the_variable_that_it_replaces_is_named_once_and_not_obeyed(caplog, monkeypatch):
    monkeypatch.setattr(module, "_logged", set())
    with caplog.at_level(logging.WARNING, "playhead"):
        for _ in range(3):
            assert recording_mode({"PLAYHEAD_STRICT": "1"}) is RecordingMode.ON
        assert recording_mode({"PLAYHEAD_STRICT": "1", "PLAYHEAD": "off"}) is RecordingMode.OFF
    assert caplog.messages == [
        "PLAYHEAD_STRICT=1 is not read any more: set PLAYHEAD=strict (or off, or on)"
    ]
