"""Settings of the gateway: its address, and who may connect."""

import re
import secrets
import ssl
from pathlib import Path
from typing import NamedTuple

from ...errors import CommandError, RecordingError
from ..messages.address import Address

GATEWAY_PORT = 5671
SHORTEST = 16
"""Characters that a token has at least: it is all that keeps strangers out."""


_TOKEN = re.compile(rf"[A-Za-z0-9_.~-]{{{SHORTEST},256}}")


class GatewaySettings(NamedTuple):
    """Where the gateway listens, and who may connect."""

    address: str = ""
    """`127.0.0.1:5671` by default; `127.0.0.1:0` for any free port."""
    token: str = ""
    """The secret that every client must give. A random one is made if none is given."""
    origins: tuple[str, ...] = ()
    """Web pages that may connect, such as `http://localhost:8000`; none by default."""
    certificate: Path | None = None
    """For TLS: a file with the certificate, and those it depends on …"""
    key: Path | None = None
    """… and its secret key."""

    def check(self) -> None:
        """Find out whether all of it makes sense; errors as of the others."""
        self.where()
        self.token_text()
        self.tls()

    def where(self) -> Address:
        """The address to listen on.

        Raises:
            CommandError: it is none.
            RecordingError: other machines can reach it, and there is no TLS.
        """
        address = Address.of(self.address, GATEWAY_PORT)
        if not address.loopback and self.certificate is None:
            raise RecordingError(
                f"gateway {self.address!r} can be reached from other machines, and without TLS its"
                " token could be read on the way: give a certificate and its key (--tls-cert FILE"
                " --tls-key FILE), or listen on 127.0.0.1"
            )
        return address

    def token_text(self) -> str:
        """The token, or a new one.

        Raises:
            CommandError: it is too short, or can't be part of an address.
        """
        token = self.token or secrets.token_urlsafe(24)
        if not _TOKEN.fullmatch(token):
            raise CommandError(
                f"a token has {SHORTEST} characters at least, of a–z, A–Z, 0–9 and -_.~: leave it"
                " away, and one is made"
            )
        return token

    def tls(self) -> ssl.SSLContext | None:
        """What TLS needs; None without it.

        Raises:
            CommandError: only half of it is given, or the files hold no such thing.
        """
        if self.certificate is None and self.key is None:
            return None
        if self.certificate is None or self.key is None:
            raise CommandError("TLS needs both, --tls-cert FILE and --tls-key FILE")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            context.load_cert_chain(self.certificate, self.key, password=_no_password)
        except (OSError, ValueError) as error:
            raise CommandError(
                f"{self.certificate} and {self.key} are no certificate and its key: {error}"
            ) from None
        return context


def _no_password() -> str:
    raise ValueError("the key is locked with a password; give one that is not")
