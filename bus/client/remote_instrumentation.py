"""Statements of tools and agents, sent to a game over the bus."""

import time as clocks
from abc import abstractmethod
from collections import deque
from typing import Any

import msgspec

from ...errors import BusError, BusyError, PlayheadError
from ...native.ring_memory import parse_size
from ...recorder.checks.check_condition_source import caller, expression_at
from ...recorder.objects.object_ids import ObjectOrId, only_id
from ...recorder.pictures.picture_recorder import PictureRecorder
from ...recorder.pictures.picture_settings import PictureSettings
from ...recorder.statements.instrumentation_interface import Instrumentation
from ...recorder.statements.resolve_object_ids import with_ids_only
from ...recorder.statements.statement_checks import validate
from ...recorder.statements.statement_messages import Picture, PlacedStatement, Statement
from ..messages.message_types import RequestBody, ResponseBody
from ..messages.requests import ReportFailedCheck

_PICTURE_ROOM = parse_size("64 MiB")
"""The ring that a client's pictures are taken to go into: the usual one."""


class RemoteInstrumentation(Instrumentation):
    """Sends statements to a service; all but `check` wait for no answer.

    Objects are named by their ids. Wrong statements are collected in `refusals`: those that this
    end can see to be wrong at once, those that the service refuses when its answer is there, after
    `flush` for sure.
    """

    refusals: deque[str]
    """Why statements were refused: the newest messages."""
    _pictures: PictureRecorder | None = None
    """Compresses pictures; made for the first one that is given as pixels."""

    @property
    @abstractmethod
    def connected(self) -> bool:
        """Whether the service is there."""

    @abstractmethod
    def say(self, request: RequestBody) -> int:
        """Send a request without waiting for its answer; returns its sequence number.

        Raises:
            BusError: the service is not there.
        """

    @abstractmethod
    def ask(self, request: RequestBody) -> ResponseBody:
        """Send any request of the protocol, and wait for its answer."""

    def _emit(self, statement: Statement) -> None:
        statement = with_ids_only(statement, only_id)
        validate(statement)
        self.say(statement)

    def _take_pixels(self, image: Any, name: str) -> None:
        self.take_picture(image, name, None)

    def take_picture(self, image: Any, name: str, time: float | None) -> None:
        """Take a picture that is not compressed, if one is due, and send it when it is.

        Args:
            time: Timeline seconds of what it shows; None for the frame being recorded when it
                arrives.

        Raises:
            RecordingError: it is no picture; see `picture`. Or what the function raises.
            BusError: the service is not there.
        """
        if self._pictures is None:
            self._pictures = PictureRecorder(PictureSettings(), _PICTURE_ROOM)
        self._pictures.take(image, name, clocks.monotonic(), time)
        self.send_pictures()

    def send_pictures(self, timeout: float = 0.0) -> None:
        """Send the pictures that are compressed by now; those that are not are waited for."""
        pictures = self._pictures
        if pictures is None:
            return
        pictures.wait(timeout)
        for one in pictures.take_encoded():
            if one.error is not None:
                self._refuse("picture", one.error)
            else:
                self._emit(
                    Picture(one.data, "jpeg", one.width, one.height, one.name, time=one.instant)
                )
            pictures.count(one, recorded=one.error is None)

    def _refuse(self, cause: str, error: Exception) -> None:
        if isinstance(error, BusError):
            raise error
        text = str(error) if isinstance(error, PlayheadError) else repr(error)
        self.refusals.append(f"{cause}: {text}")

    def check(
        self, condition: bool, message: str, *, focus: ObjectOrId = 0,
        time: float | None = None, game_time: float | None = None, stacklevel: int = 1,
    ) -> bool:  # fmt: skip
        """The recorder assert, from outside: if it fails, the game pauses at that instant.

        Returns the condition. Waits until the game knows. `stacklevel` is how far up the call is
        that makes the check, as in `logging`.
        """
        if not condition:
            code = caller(stacklevel)
            self.ask(ReportFailedCheck(
                message, only_id(focus), expression_at(code), code.f_code.co_filename,
                code.f_lineno, time=time, game_time=game_time,
            ))  # fmt: skip
        return condition


class AgentInstrumentation(Instrumentation):
    """States what an agent in another process does, in the frame that the agent had seen.

    Transitions, lines, marks and checks carry the time of what the agent has seen, so that they are
    in its frame whenever they arrive. Watched values and drawings are in the frame that is being
    recorded when they do. What can't be stated because the game is gone or takes nothing is counted
    in `lost`: calls that wait for the game raise instead.
    """

    def __init__(self, client: RemoteInstrumentation) -> None:
        self._client = client
        self.time: float | None = None
        """Timeline seconds of what the agent has seen; None for the frame being recorded."""
        self.lost = 0
        """Calls that did not get through."""
        self._make_calls()

    def _take_pixels(self, image: Any, name: str) -> None:
        if not self._client.connected:
            self.lost += 1
            return
        self._client.take_picture(image, name, self.time)

    def _emit(self, statement: Statement) -> None:
        if isinstance(statement, PlacedStatement) and statement.time is statement.game_time is None:
            statement = msgspec.structs.replace(statement, time=self.time)
        if not self._client.connected:
            self.lost += 1
            return
        try:
            self._client.emit(statement)
        except BusError:
            self.lost += 1

    def _refuse(self, cause: str, error: Exception) -> None:
        self._client._refuse(cause, error)

    def check(
        self, condition: bool, message: str, *, focus: ObjectOrId = 0, stacklevel: int = 1
    ) -> bool:
        if not condition:
            code = caller(stacklevel)
            try:
                if not self._client.connected:
                    raise BusError("the service is not there")
                self._client.ask(ReportFailedCheck(
                    message, only_id(focus), expression_at(code), code.f_code.co_filename,
                    code.f_lineno, time=self.time,
                ))  # fmt: skip
            except (BusError, BusyError):
                self.lost += 1
        return condition
