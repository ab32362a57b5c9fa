"""Addresses: parsed from what a user types, and whether other machines can reach them."""

import ipaddress
import re
from typing import NamedTuple

from ...errors import CommandError

DEFAULT_PORT = 5670

_TYPED = re.compile(
    r"(?:(?P<scheme>\w+)://)?(?P<host>\[[^]]+]|[^:/\s\[\]]*)(?::(?P<port>\d+|\*))?/?"
)


class Address(NamedTuple):
    """A TCP address to listen on or to connect to."""

    host: str
    port: int
    """0 for any free one."""

    @classmethod
    def of(cls, text: str, port: int = DEFAULT_PORT) -> "Address":
        """The address that a user typed: `5670`, `:5670`, `10.0.0.5`, `localhost:5670`, `tcp://[::1]:*`.

        Raises:
            CommandError: it is no address.
        """
        typed = text.strip()
        if typed.isdigit():
            typed = f":{typed}"
        found = _TYPED.fullmatch(typed)
        if found is None or found["scheme"] not in (None, "tcp", "ws", "wss"):
            raise CommandError(f"address {text!r}: give one such as tcp://127.0.0.1:{DEFAULT_PORT}")
        number = (
            port if found["port"] is None else 0 if found["port"] == "*" else int(found["port"])
        )
        if number > 65535:
            raise CommandError(f"address {text!r}: a port is at most 65535")
        return cls(found["host"].strip("[]") or "127.0.0.1", number)

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def authority(self) -> str:
        """`host:port`, with brackets where the host has colons."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def endpoint(self) -> str:
        """The address as ZeroMQ writes it."""
        return f"tcp://{self.authority}".removesuffix(":0") + (":*" if not self.port else "")

    def at(self, port: int) -> "Address":
        """The same host, another port."""
        return self._replace(port=port)
