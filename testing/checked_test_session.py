"""A session for tests: a failed check fails the test at the end of its frame."""

from collections.abc import Callable
from os import PathLike
from typing import Any, Self

import msgspec
import pytest

from ..errors import PlayheadError
from ..recorder.checks.check_policy import UNATTENDED, CheckPolicy
from ..recorder.checks.failed_check_tracker import FailedCheck
from ..recorder.world_adapter import World
from ..recording_session import RecordingSession
from ..session import Session


class AssertingSession(Session):
    """Fails the test, in `update` or at the test's end, when one of its checks has failed.

    It is strict: errors that are otherwise only counted are raised. It is unattended: a failed
    check does not pause the game. With a policy of `notify=False` failed checks do not fail the
    test. `PLAYHEAD=off` does not switch it off: a test without its checks would pass.
    """

    always_records = True

    def __init__(
        self, world: World, memory: int | str = "16 MiB", *,
        on_check: CheckPolicy = UNATTENDED, strict: bool = True, **rest: Any,
    ) -> None:  # fmt: skip
        super().__init__(world, memory, on_check=on_check, strict=strict, **rest)
        self._listen()

    def _listen(self) -> None:
        """Collect the session's failed checks from now on."""
        self.pending_failures: list[FailedCheck] = []
        """Failed checks that have not failed the test yet."""
        self.raised: tuple[BaseException, FailedCheck] | None = None
        """The error that failed the test, and its check."""
        self.before_close: Callable[[AssertingSession, BaseException | None], object] = (
            lambda session, error: None
        )
        """Called once, while the recording is still there, with what ends a `with` block."""
        self._newest_time: float | None = None
        self.on_failed_check(self.pending_failures.append)

    @property
    def closed(self) -> bool:
        """Whether nothing is recorded any more."""
        return self._closed

    def update(self, dt: float, time: float | None = None) -> None:
        __tracebackhide__ = True
        self._newest_time = time
        super().update(dt, time)
        self._raise_pending()

    def wait(self, timeout: float | None = None) -> bool:
        __tracebackhide__ = True
        live = super().wait(timeout)
        self._raise_pending()
        return live

    def verify(self) -> None:
        """Fail the test if a failed check was not raised yet, also if its frame is not finished."""
        __tracebackhide__ = True
        if not self.closed and self._check_failures.fresh:
            fresh = list(self._check_failures.fresh)
            try:
                self.finish_frame()
            except PlayheadError:
                self.pending_failures.extend(fresh)
        self._raise_pending(pytrace=False)

    def _raise_pending(self, *, pytrace: bool = True) -> None:
        __tracebackhide__ = True
        if self.pending_failures:
            first = self.pending_failures[0]
            self.pending_failures.clear()
            reason = f" ({first.expression})" if first.expression else ""
            error = pytest.fail.Exception(f"{first.message}{reason}", pytrace)
            self.raised = error, first
            raise error

    @property
    def has_failed(self) -> bool:
        """Whether a failed check was not raised yet, also if its frame is not finished."""
        return bool(self.pending_failures or self._check_failures.fresh)

    def finish_frame(self) -> None:
        """Record everything since the last step; its failed checks raise nothing here.

        Raises:
            PlayheadError: the world, or a handler, can't be recorded any more.
        """
        self._in_frame = False  # a block that is still open is recorded as it is
        if self.live and self.recorder.ring.raw.is_open:
            super().update(0.0, self._newest_time)

    def fail_here(self, failed: FailedCheck) -> FailedCheck:
        """Record the world again as it is, with a mark for something that failed.

        Returns it with its frame and time.

        Raises:
            PlayheadError: the world, or a handler, can't be recorded any more.
        """
        self.report_failed_check(failed)
        super().update(0.0, self._newest_time)
        self.pending_failures.clear()
        newest = self.source.stamp(self.recorder.next_frame - 1)
        return msgspec.structs.replace(failed, frame=newest.id, time=newest.time)

    def close(self) -> None:
        self._close(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._close(next((one for one in exc_info if isinstance(one, BaseException)), None))

    def _close(self, error: BaseException | None) -> None:
        if self.closed:
            return
        try:
            self.before_close(self, error)
        finally:
            super().close()


class AssertingRecordingSession(AssertingSession, RecordingSession):
    """The same for a program's own objects: what `record` would return, with such checks."""

    def __init__(
        self, thing: Any = None, path: str | PathLike[str] | None = None, *,
        dt: float, memory: int | str = "16 MiB",
        on_check: CheckPolicy = UNATTENDED, strict: bool = True, **rest: Any,
    ) -> None:  # fmt: skip
        RecordingSession.__init__(
            self, thing, path, dt=dt, memory=memory, on_check=on_check, strict=strict, **rest
        )
        self._listen()

    def update(self, dt: float | None = None, time: float | None = None) -> None:
        __tracebackhide__ = True
        self._newest_time = time
        RecordingSession.update(self, dt, time)
        self._raise_pending()
