"""The settings of a session's bus service."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..messages.encryption_keys import ServerKeys


class BusSettings(NamedTuple):
    """Where a service listens, for whom, and how patient it is."""

    address: str = ""
    """`tcp://127.0.0.1:5670` by default; `tcp://127.0.0.1:*` for any free port."""
    lock: "ServerKeys | None" = None
    """Keys of this service and of those who may talk to it: needed off loopback."""
    patience: float = 1.0
    """Seconds in which the game has to take up a command, before it is answered `busy`."""


DEFAULTS = BusSettings()
