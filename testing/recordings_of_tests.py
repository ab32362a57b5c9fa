"""The recordings of one test: its sessions, and what is kept of them when it fails."""

from collections.abc import Iterator
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from ..errors import PlayheadError
from ..handlers.handler_registry import HandlerRegistry
from ..playback.commands import SeekFrame
from ..playback.recording_url import RecordingLink
from ..recorder.checks.failed_check_tracker import FailedCheck
from ..recorder.checks.failure_report import failure_story
from ..recorder.world_adapter import World
from .checked_test_session import AssertingRecordingSession, AssertingSession
from .failure_section import clip_text, failure, other_recordings_text
from .plugin_settings import RETAIN, PluginSettings, clip_name, made

_S = TypeVar("_S", bound=AssertingSession)
_CHECKED = "CHECK FAILED"
_RUNS_TO_KEEP = 3
"""How many runs' clips of a test stay in the folder, the newest among them."""


class SavedRecording(NamedTuple):
    """What is reported of one session."""

    title: str
    lines: list[str]
    link: RecordingLink | None = None
    """A link to the culprit in the clip; None if there is no clip."""
    path: Path | None = None
    checked: bool = False
    """Whether it is about one of the session's own checks."""


class RecordingFixtures:
    """Makes the sessions of a test, and keeps their clips and stories.

    Args:
        test: The test's id.
        written: The clips that this run has written; what is written here is added.
    """

    def __init__(self, test: str, settings: PluginSettings, written: set[Path]) -> None:
        self.test = test
        self._settings, self._written = settings, written
        self._sessions: list[AssertingSession] = []
        self._saved_recordings: dict[AssertingSession, SavedRecording] = {}
        self._unreported: list[SavedRecording] = []

    def open(
        self, world: World, memory: int | str = "16 MiB", *,
        handlers: HandlerRegistry | None = None, **rest: Any,
    ) -> AssertingSession:  # fmt: skip
        """A session of this test. What else is given goes to `Session`."""
        return self._added(AssertingSession(world, memory, handlers=handlers, **rest))

    def record(
        self, thing: Any = None, path: str | PathLike[str] | None = None, *,
        dt: float | None = None, memory: int | str = "16 MiB", **rest: Any,
    ) -> AssertingRecordingSession:  # fmt: skip
        """A recording of this test. What else is given goes to `record`."""
        if dt is None:  # in the words of `record`, which is what the test's author knows
            raise TypeError("record() missing 1 required keyword-only argument: 'dt'")
        return self._added(AssertingRecordingSession(thing, path, dt=dt, memory=memory, **rest))

    def _added(self, session: _S) -> _S:
        session.before_close = self._before_close
        self._sessions.append(session)
        return session

    def verify(self) -> None:
        """Fail the test if a check failed and that was not reported yet."""
        __tracebackhide__ = True
        for session in self._sessions:
            session.verify()

    def save_unreported(self, error: BaseException | None) -> list[SavedRecording]:
        """Save clip and report of each session; nothing is raised.

        Returns what was not reported before; sessions whose own checks failed come first.

        Args:
            error: What ended the test; None if nothing did.
        """
        for session in self._sessions:
            self._save_recording(session, error)
        unreported, self._unreported = self._unreported, []
        return sorted(unreported, key=lambda saved: not saved.checked)

    def settle(self) -> None:
        """What failed so far is reported, or was expected."""
        for session in self._sessions:
            session.pending_failures.clear()

    def forget(self) -> None:
        """The test went well after all: remove what this test has kept so far, unless all is."""
        if self._settings.mode == RETAIN:
            for saved in self._saved_recordings.values():
                if saved.path is not None:
                    with suppress(OSError):
                        saved.path.unlink(missing_ok=True)
            self._saved_recordings.clear()
            self._unreported.clear()

    def close(self) -> None:
        """Close the sessions, newest first; then fail if a check failed that was not reported."""
        __tracebackhide__ = True
        errors: list[BaseException] = []
        for session in reversed(self._sessions):
            try:
                session.close()
            except Exception as error:
                errors.append(error)
        if errors:
            raise errors[0]
        self.verify()

    def _before_close(self, session: AssertingSession, error: BaseException | None) -> None:
        """The last moment at which a session can be kept."""
        with suppress(PlayheadError):
            if session.has_failed:
                session.finish_frame()
        if error is not None or session.pending_failures or self._settings.mode == "on":
            self._save_recording(session, error)

    # --- keeping one ----------------------------------------------------------------------------

    def _save_recording(self, session: AssertingSession, error: BaseException | None) -> None:
        if session in self._saved_recordings:
            return
        if session.closed:
            lines = ["The session was closed before the test failed: there is no clip of it."]
            self._add_recording(session, lines)
            return
        culprit, title, lines = self._culprit(session, error)
        home = self._settings.home
        # What the story is made of is the game's: whatever is wrong with it, the test's own
        # failure is reported, and the clip is saved.
        try:
            if culprit is not None and culprit.frame:
                lines += failure_story(session.source, culprit, title=title, folder=home)
                lines += other_recordings_text(session.source, session.failed_checks, culprit, home)
        except Exception as broken:
            lines.append(f"The story could not be completed: {_error_text(broken)}")
        link = path = None
        if self._settings.mode != "off":
            try:
                link, path = self._save(session, culprit, lines)
            except Exception as broken:
                lines += ["", f"No clip could be saved: {_error_text(broken)}"]
        self._add_recording(session, lines, link, path, title == _CHECKED)

    def _add_recording(self, session: AssertingSession, lines: list[str], *rest: Any) -> None:
        if lines and not lines[0]:
            del lines[0]  # it parts what comes from what does not
        several = len(self._sessions) > 1
        title = f"playhead, session {1 + self._sessions.index(session)}" if several else "playhead"
        self._saved_recordings[session] = SavedRecording(title, lines, *rest)
        self._unreported.append(self._saved_recordings[session])

    def _culprit(
        self, session: AssertingSession, error: BaseException | None
    ) -> tuple[FailedCheck | None, str, list[str]]:
        """What it is about, a title, and what went wrong in finding that."""
        lines: list[str] = []
        try:
            session.finish_frame()
        except Exception as broken:
            lines.append(f"The last frame could not be recorded whole: {_error_text(broken)}")
        raised = session.raised
        if raised is not None and any(raised[0] is cause for cause in _causes(error)):
            return raised[1], _CHECKED, lines
        if session.pending_failures:
            return session.pending_failures[0], _CHECKED, lines
        if error is None:
            return None, "", lines
        title = "INTERRUPTED" if isinstance(error, KeyboardInterrupt) else "TEST FAILED"
        failed = failure(error, self._settings.home)
        try:
            if session.live:
                return session.fail_here(failed), title, lines
        except Exception as broken:
            lines.append(f"The frame of the failure could not be recorded: {_error_text(broken)}")
        state, span = session.playhead.state, session.source.span
        if not session.live and state.frame is not None and state.time is not None:
            failed = msgspec.structs.replace(failed, frame=state.frame, time=state.time)
        elif span is not None:
            failed = msgspec.structs.replace(failed, frame=span.newest, time=span.end)
        return failed, title, lines

    def _save(
        self, session: AssertingSession, culprit: FailedCheck | None, lines: list[str]
    ) -> tuple[RecordingLink, Path]:
        path = self._new_path()
        saved = session.save(path, overwrite=True, about={"test": self.test})
        seek = SeekFrame(culprit.frame) if culprit is not None and culprit.frame else None
        link = RecordingLink.to(path, seek, focus=culprit.object if culprit is not None else 0)
        lines += clip_text(saved, link, self._settings.home)
        return link, path

    def _new_path(self) -> Path:
        """A new file for each session and each run: a viewer may be looking at the one before.

        Of earlier runs of this test the newest stay.
        """
        folder, name = made(self._settings.folder), clip_name(self.test)
        there: dict[int, Path] = {}
        for file in folder.glob(f"{name}*.mcap"):
            behind = file.stem.removeprefix(name).removeprefix("-")
            if behind.isdecimal() or not behind:
                there[int(behind or 1)] = file
        before = [there[number] for number in sorted(there) if there[number] not in self._written]
        for file in before[: -(_RUNS_TO_KEEP - 1)]:
            with suppress(OSError):  # another program may have it open
                file.unlink()
        number = max(there, default=0) + 1
        path = folder / (f"{name}-{number}.mcap" if number > 1 else f"{name}.mcap")
        self._written.add(path)
        return path


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what led to it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _error_text(error: BaseException) -> str:
    return str(error) if isinstance(error, PlayheadError) else f"{type(error).__name__}: {error}"
