"""The single instance of a viewer: other programs of its user send it links, or ask what it shows.

A request must have the secret in the viewer's file (see `viewer_discovery`), which other users and
web pages can't read. Each request has one answer, and is ignored after its time: the viewer does
not follow a sender that has given up waiting.
"""

import contextlib
import hmac
import logging
import os
import secrets
import time
from collections.abc import Callable
from typing import TypeAlias

import msgspec
import zmq

from ..errors import BusError, CommandError
from ..playback.recording_url import RecordingLink
from .server.publisher import handle_of, port_of
from .viewer_discovery import (
    RunningInstance,
    register_instance,
    running_instances,
    unregister_instance,
)

_log = logging.getLogger("playhead.bus")

PATIENCE = 10.0
"""Seconds that a viewer's process has to answer. A viewer on a loaded machine can need a few; only
one that hangs costs its caller all of them, and only once, since it is unregistered then."""
_AT_ONCE = 100
"""Requests that are answered before other work has its turn."""
_MOST_BYTES = 1 << 16


class OpenTarget(msgspec.Struct, frozen=True, tag="hand_over"):
    """Asks the running viewer to open a link."""

    link: str


class GetInstance(msgspec.Struct, frozen=True, tag="where"):
    """Asks the running viewer what it shows."""


class TargetTaken(msgspec.Struct, frozen=True, tag="taken"):
    """The answer: the link will be opened."""


class TargetRefused(msgspec.Struct, frozen=True, tag="refused"):
    """The answer: the link will not be opened."""

    message: str


class InstanceInfo(msgspec.Struct, frozen=True, tag="whereabouts"):
    """What a viewer shows."""

    target: str
    """A file's path, or an endpoint."""
    frame: int
    """0 while there is none."""
    focus: int
    """The selected object; 0 for none."""
    settled: bool
    """Whether the recording has been read to its end."""
    process: int = 0


InstanceQuestion: TypeAlias = OpenTarget | GetInstance
InstanceAnswer: TypeAlias = TargetTaken | TargetRefused | InstanceInfo


class InstanceRequest(msgspec.Struct, frozen=True):
    """A request to a running viewer, as MessagePack."""

    secret: str
    until: float
    """Seconds since 1970 after which the answer is not waited for."""
    ask: InstanceQuestion


_REQUEST_DECODER = msgspec.msgpack.Decoder(InstanceRequest)
_ANSWER_DECODER: "msgspec.msgpack.Decoder[InstanceAnswer]" = msgspec.msgpack.Decoder(InstanceAnswer)


class SingleInstance:
    """A viewer's end of it. For one thread; never waits.

    Args:
        instance_info: Returns what the viewer shows.
        refuses: Returns why a link is not taken now; empty if it is. The sender then tries the
            next viewer.

    Raises:
        BusError: there is no folder that only this user's programs can read.
    """

    def __init__(
        self, instance_info: Callable[[], InstanceInfo],
        refuses: Callable[[RecordingLink], str] = lambda link: "",
    ) -> None:  # fmt: skip
        self._where = instance_info
        self._refuses = refuses
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket = self._context.socket(zmq.ROUTER)
        for option, value in {"linger": 0, "maxmsgsize": _MOST_BYTES, "rcvhwm": _AT_ONCE}.items():
            setattr(self._socket, option, value)
        try:
            self._socket.bind("tcp://127.0.0.1:*")
            endpoint = f"tcp://127.0.0.1:{port_of(self._socket)}"
            self._instance = RunningInstance(
                endpoint, secrets.token_hex(32), os.getpid(), time.time()
            )
            self._file = register_instance(self._instance)
        except (zmq.ZMQError, BusError) as error:
            self._context.destroy(linger=0)
            raise BusError(f"other programs can't hand anything to this viewer: {error}") from None
        self.closed = False

    @property
    def handle(self) -> int:
        """A file handle that becomes readable when a request comes. It signals only once: then call
        `take` for as long as there is `more`."""
        return handle_of(self._socket)

    @property
    def more(self) -> bool:
        """Whether requests wait."""
        return not self.closed and bool(int(self._socket.getsockopt(zmq.EVENTS)) & zmq.POLLIN)

    def take(self) -> list[RecordingLink]:
        """Answer waiting requests, up to a limit; returns the links that they sent."""
        links: list[RecordingLink] = []
        for _ in range(_AT_ONCE):
            try:
                who, *parts = self._socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                break
            answer = self._answer_to(parts, links)
            if answer is not None:
                with contextlib.suppress(zmq.ZMQError):  # gone, or takes no more
                    packed = msgspec.msgpack.encode(answer)
                    self._socket.send_multipart([who, packed], zmq.NOBLOCK)
        return links

    def _answer_to(self, parts: list[bytes], links: list[RecordingLink]) -> InstanceAnswer | None:
        """The answer to a request; None if its secret is wrong, or its sender waits no more."""
        try:
            request = _REQUEST_DECODER.decode(b"".join(parts))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None
        if not hmac.compare_digest(request.secret.encode(), self._instance.secret.encode()):
            return None
        if not self._file.exists():
            # Another program got no answer and removed the file, because this one was busy.
            with contextlib.suppress(BusError):
                self._file = register_instance(self._instance)
        if request.until < time.time():
            return None
        if isinstance(request.ask, GetInstance):
            return msgspec.structs.replace(self._where(), process=os.getpid())
        try:
            link = RecordingLink.of(request.ask.link)
        except CommandError as error:
            return TargetRefused(str(error))
        why = self._refuses(link)
        if why:
            return TargetRefused(why)
        links.append(link)
        return TargetTaken()

    def close(self) -> None:
        """Unregister this viewer and answer no more requests."""
        if not self.closed:
            self.closed = True
            unregister_instance(self._file)
            self._context.destroy(linger=100)


def send_link(link: RecordingLink, *, patience: float = PATIENCE) -> int:
    """Have the viewer that was opened last, of those that take it, show a link.

    Returns its process, or 0 if there is none.

    Viewers that don't answer are unregistered.

    Args:
        patience: Seconds for each viewer to answer.

    Raises:
        BusError: the folder of registered viewers can be changed by other users.
    """
    for file, instance in running_instances():
        answer = _request(instance, OpenTarget(str(link)), patience)
        if isinstance(answer, TargetTaken):
            return instance.process
        if isinstance(answer, TargetRefused):
            _log.info("the viewer of process %d takes %s not: %s", instance.process, link,
                      answer.message)  # fmt: skip
        if answer is None:
            unregister_instance(file)
    return 0


def instance_info(*, patience: float = PATIENCE) -> list[InstanceInfo]:
    """What the running viewers show, the one that was opened last first.

    Raises:
        BusError: the folder of registered viewers can be changed by other users.
    """
    found = []
    for file, instance in running_instances():
        answer = _request(instance, GetInstance(), patience)
        if isinstance(answer, InstanceInfo):
            found.append(answer)
        elif answer is None:
            unregister_instance(file)
    return found


def _request(
    instance: RunningInstance, ask: InstanceQuestion, patience: float
) -> InstanceAnswer | None:
    """What a viewer answers; None if it does not."""
    request = InstanceRequest(instance.secret, time.time() + patience, ask)
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    try:
        socket = context.socket(zmq.DEALER)
        socket.connect(instance.endpoint)
        socket.send(msgspec.msgpack.encode(request))
        if not socket.poll(int(1000 * patience)):
            return None
        return _ANSWER_DECODER.decode(socket.recv())
    except (zmq.ZMQError, msgspec.MsgspecError):
        return None
    finally:
        context.destroy(linger=0)
