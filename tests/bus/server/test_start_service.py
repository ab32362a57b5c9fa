"""What `bus=` may be: True, a port, an address, or settings."""

import socket

import pytest

from playhead.bus.server.bus_settings import DEFAULTS, BusSettings
from playhead.bus.server.start_service import settings_of
from playhead.recording_session import record


def test_a_port_is_taken_as_a_port_and_true_as_the_usual_one():
    assert settings_of(True) is DEFAULTS
    assert settings_of(5671) == BusSettings("5671")
    settings = BusSettings("tcp://127.0.0.1:*", patience=3.0)
    assert settings_of(settings) is settings


def test_a_session_listens_at_the_port_that_was_chosen():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    try:
        session = record([{"name": "a"}], dt=0.1, bus=port)
    except Exception as error:  # somebody else has taken it meanwhile
        pytest.skip(str(error))
    with session:
        assert session.bus is not None
        assert session.bus.endpoint == f"tcp://127.0.0.1:{port}"
