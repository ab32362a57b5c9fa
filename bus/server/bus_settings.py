"""The settings of a session's bus service, and how it is started."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ...recorder.recorder import Recorder
    from ..messages.curve_keys import ServerKeys
    from .service import PlayheadOwner, Service


class BusSettings(NamedTuple):
    """Where a service listens, for whom, and how patient it is."""

    address: str = ""
    """`tcp://127.0.0.1:5670` by default; `tcp://127.0.0.1:*` for any free port."""
    lock: "ServerKeys | None" = None
    """Keys of this service and of those who may talk to it: needed off loopback."""
    patience: float = 1.0
    """Seconds in which the game has to take up a command, before it is answered `busy`."""


DEFAULTS = BusSettings()


def settings_of(bus: "bool | str | BusSettings") -> BusSettings:
    """The settings for True, an address, or settings."""
    if isinstance(bus, BusSettings):
        return bus
    return BusSettings(bus) if isinstance(bus, str) else DEFAULTS


def start_service(
    recorder: "Recorder", session: "PlayheadOwner", bus: "bool | str | BusSettings"
) -> "Service":
    """Put a session on the bus."""
    # Imported when asked for: a game without a bus needs no ZeroMQ.
    from .service import Service

    return Service(recorder, session, settings_of(bus))
