"""Starts a session's bus service. ZeroMQ is imported only here, when a game asks for a bus."""

from typing import TYPE_CHECKING

from ...recorder.recorder import Recorder
from .bus_settings import DEFAULTS, BusSettings

if TYPE_CHECKING:
    from .service import ServedSession, Service


def settings_of(bus: int | str | BusSettings) -> BusSettings:
    """The settings for True, a port, an address, or settings."""
    if isinstance(bus, BusSettings):
        return bus
    return DEFAULTS if bus is True else BusSettings(str(bus))


def start_service(
    recorder: Recorder, session: "ServedSession", bus: int | str | BusSettings
) -> "Service":
    """Put a session on the bus."""
    # Imported when asked for: a game without a bus needs no ZeroMQ.
    from .service import Service

    return Service(recorder, session, settings_of(bus))
