"""CURVE keys: which tools may use a service that can be reached from other machines.

Each side has a pair: a public key to hand out (`NAME.key`) and a secret one (`NAME.key_secret`).
A service answers only those whose public keys lie in a folder of its own; to everybody else it
sends nothing at all. The handshake and the ciphers are ZeroMQ's (ZMTP 3.1, CURVE).
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import zmq
import zmq.auth
from zmq.utils.z85 import Z85CHARS

from ...errors import CommandError

if TYPE_CHECKING:
    from zmq.auth.thread import ThreadAuthenticator

PUBLIC = ".key"
SECRET = ".key_secret"
_Z85 = frozenset(Z85CHARS)


class KeyPair(NamedTuple):
    """One side's keys, in Z85 text."""

    public: bytes
    secret: bytes


class ServerKeys(NamedTuple):
    """What a service needs to be reachable from outside."""

    keys: KeyPair
    clients: Path
    """A folder with the public keys of all who may talk to it."""

    @property
    def server_options(self) -> Mapping[str, Any]:
        """Socket options, to be set before binding."""
        return {
            "curve_server": True,
            "curve_publickey": self.keys.public,
            "curve_secretkey": self.keys.secret,
        }

    def guard(self, context: "zmq.Context[zmq.Socket[bytes]]") -> "ThreadAuthenticator":
        """Start the thread that checks each new peer's key for ZeroMQ; end it with `stop`.

        Raises:
            CommandError: the folder is none, or holds no keys.
        """
        if not self.clients.is_dir() or not list(self.clients.glob(f"*{PUBLIC}")):
            raise CommandError(
                f"{self.clients}: no public keys there; put the {PUBLIC} file of each tool that may"
                " talk to this service into that folder"
            )
        from zmq.auth.thread import ThreadAuthenticator  # brings asyncio, which clients do without

        guard = ThreadAuthenticator(context)
        guard.start()
        guard.configure_curve(domain="*", location=str(self.clients))
        return guard


class ClientKeys(NamedTuple):
    """What a tool needs to talk to a locked service."""

    keys: KeyPair
    server: bytes
    """The service's public key."""

    @property
    def client_options(self) -> Mapping[str, Any]:
        """Socket options, to be set before connecting."""
        return {
            "curve_publickey": self.keys.public,
            "curve_secretkey": self.keys.secret,
            "curve_serverkey": self.server,
        }


def make(name: str, folder: Path) -> tuple[Path, Path]:
    """Make a pair of keys in a folder; returns the public and the secret file.

    Raises:
        CommandError: the name is none for a file, or there are such keys already.
        OSError: they can't be written.
    """
    if not name or name != Path(name).name:
        raise CommandError(f"name {name!r}: give a plain name, such as 'studio'")
    public, secret = folder / f"{name}{PUBLIC}", folder / f"{name}{SECRET}"
    for file in (public, secret):
        if file.exists():
            raise CommandError(f"{file} exists: take another name, or remove it first")
    folder.mkdir(parents=True, exist_ok=True)
    before = os.umask(0o077)
    try:
        zmq.auth.create_certificates(folder, name)
    finally:
        os.umask(before)
    public.chmod(0o644)
    return public, secret


def load(file: Path) -> KeyPair:
    """The pair in a secret file.

    Raises:
        CommandError: there is none.
    """
    public, secret = _read(file)
    if secret is None:
        raise CommandError(f"{file} holds no secret key: give the file that ends in {SECRET}")
    return KeyPair(public, secret)


def load_public(file: Path) -> bytes:
    """The public key in a file.

    Raises:
        CommandError: there is none.
    """
    return _read(file)[0]


def _read(file: Path) -> tuple[bytes, bytes | None]:
    try:
        public, secret = zmq.auth.load_certificate(file)
        for key in (public, secret):
            if key is not None and (len(key) != 40 or set(key) - _Z85):
                raise ValueError("a key is 40 characters of Z85")
    except (OSError, ValueError) as error:
        raise CommandError(
            f"{file} is no file with keys: {error}; `playhead keys NAME` makes some"
        ) from None
    return public, secret
