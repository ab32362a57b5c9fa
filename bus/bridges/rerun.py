"""Bridge to Rerun: logs each shown frame at its own time and moves the viewer's cursor there.

Objects, bones and drawings are in `world/…`, numbers in `values/…`, cameras in `pictures/…`.

Timelines are `frame` (a sequence) and `playhead` (seconds). A frame is logged once, when it is
first shown; where a user scrubs afterwards, Rerun has it already and only the cursor moves.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import rerun
from rerun.experimental import ViewerClient

from ...errors import BusError
from ...recorder.packets.mark import Mark
from ...recorder.reading.axis_conversion import quaternion
from ..messages.message import PlayheadTime
from .frame_view import FrameView, SolidShape, StatementsView, Stroke

URL = "rerun+http://127.0.0.1:9876/proxy"
"""Where a viewer on this machine listens."""
NAME = "playhead"
"""What Rerun calls the application."""
_FLUSH = 2.0
"""Seconds in which a viewer has to take what it is sent."""
_TRIES = 50
"""Times that the viewer may refuse in a row to move its cursor: five seconds of ticks."""
_LEVELS = {"debug": "DEBUG", "info": "INFO", "warning": "WARN", "error": "ERROR"}


class Rerun:
    """Logs to a Rerun viewer, or into a file.

    Args:
        recording: The Rerun recording to log to, made under the name `NAME`.
        viewer: Whose time cursor is moved; None for a file.
        complain: Called once with the reason if the cursor can't be moved any more.
    """

    def __init__(
        self,
        recording: Any,
        viewer: Any = None,
        *,
        complain: Callable[[str], object] = lambda text: None,
    ) -> None:
        self._recording = recording
        self._viewer = viewer
        self._complain = complain
        self._store = f"Recording:{NAME}:{recording.get_recording_id()}"
        self._logged: dict[int, tuple[int, frozenset[str]]] = {}
        """Frames that Rerun has, with the focus and hidden channels of their drawings."""
        self._sent_counts: dict[int, tuple[int, int]] = {}
        """How many log lines and decisions Rerun has, by frame."""
        self._marked: set[tuple[int, str]] = set()
        self._follows = False
        self._cursor: dict[str, Any] | None = None
        """Where the viewer's cursor has to go yet."""
        self._refusals = 0
        self._names: dict[str, list[str]] = {}
        """The numbers of each object, in the order in which they are logged."""
        recording.set_log_time_enabled(False)
        recording.set_log_tick_enabled(False)
        recording.log("world", rerun.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)

    @classmethod
    def to_viewer(cls, url: str = URL, *, complain: Callable[[str], object]) -> "Rerun":
        """Log to a viewer that runs already.

        Raises:
            BusError: there is none.
        """
        try:
            viewer = ViewerClient.connect(url)
            viewer.get_state()
        except Exception as error:  # what its bindings raise is no one kind of error
            raise BusError(
                f"{url}: no Rerun viewer answers there ({error}); start one with `rerun`, or write"
                " a file with --save"
            ) from None
        recording = rerun.RecordingStream(NAME)
        recording.connect_grpc(url)
        return cls(recording, viewer, complain=complain)

    @classmethod
    def to_file(cls, path: str) -> "Rerun":
        """Log into an .rrd file.

        Raises:
            OSError: it can't be written.
        """
        open(path, "ab").close()  # Rerun itself would only log that it can't
        recording = rerun.RecordingStream(NAME)
        recording.save(path)
        return cls(recording)

    def begin(self, wake: Callable[[], object]) -> None:
        """Nothing comes back from Rerun that would be worth waking anybody."""

    # --- the playhead's instant -----------------------------------------------------------------

    def show(self, view: FrameView) -> None:
        """Log an instant, if Rerun has not got it yet, and move the cursor there."""
        self.log(view)
        # Until it is gone: what waited here for a slow viewer would be the playhead's past.
        self._recording.flush(timeout_sec=_FLUSH)
        self._point(view.now)

    def log(self, view: FrameView) -> None:
        """Log an instant, if Rerun has not got it yet."""
        now = view.now
        shown = (now.focus, now.hidden)
        self._set_time(now.frame, now.time)
        if now.frame not in self._logged:
            self._figures(view)
            for label, values in view.values.items():
                self._values(label, values)
            for camera in view.pictures.values():
                self._log(f"pictures/{camera.name}", rerun.EncodedImage(
                    contents=camera.data, media_type=f"image/{camera.format}"
                ))  # fmt: skip
        if self._logged.get(now.frame) != shown:
            self._drawings(view)
            self._logged[now.frame] = shown
        self._lines(view)

    def mark(self, mark: Mark, statement: StatementsView) -> None:
        """Log a mark at its frame."""
        self._mark(mark.frame, mark.time, statement)

    def tick(self) -> bool:
        """Move the cursor if the viewer was not ready for it; nothing else comes from Rerun."""
        self._move()
        return False

    def close(self) -> None:
        """Send the rest, and let go of the viewer or the file."""
        self._recording.flush(timeout_sec=_FLUSH)
        self._recording.disconnect()

    def _point(self, now: PlayheadTime) -> None:
        """Have the viewer's time cursor moved; live, it follows by itself."""
        follows, self._follows = self._follows, now.mode == "live"
        if follows and self._follows:
            return
        self._cursor = (
            {"play_state": "following"}
            if self._follows
            else {"sequence": now.frame, "play_state": "paused"}
        )
        self._move()

    def _move(self) -> None:
        if self._viewer is None or self._cursor is None:
            return
        try:
            self._viewer.set_time("frame", recording=self._store, **self._cursor)
        except Exception as error:
            # At first because the viewer has not taken in the recording yet.
            self._refusals += 1
            if self._refusals >= _TRIES:
                self._viewer = None
                self._complain(f"Rerun's time cursor can't be moved any more: {error}")
        else:
            self._cursor, self._refusals = None, 0

    # --- what is logged -------------------------------------------------------------------------

    def _set_time(self, frame: int, time: float) -> None:
        self._recording.set_time("frame", sequence=frame)
        self._recording.set_time("playhead", duration=time)

    def _log(self, path: str, what: Any) -> None:
        self._recording.log(path, what)

    # Every frame logs all of these, also where there is nothing: Rerun would else show what it was
    # given last.

    def _figures(self, view: FrameView) -> None:
        visible = [figure for figure in view.figures if figure.visible]
        self._log("world/objects", rerun.Points3D(
            np.array([figure.position for figure in visible]).reshape(-1, 3),
            colors=[figure.color for figure in visible],
            labels=[figure.label for figure in visible],
            radii=[0.12] * len(visible),
        ))  # fmt: skip
        nowhere = np.empty((0, 3))
        joints = [figure.joints for figure in visible if len(figure.joints)]
        self._log("world/joints", rerun.Points3D(
            np.concatenate(joints) if joints else nowhere, radii=0.03
        ))  # fmt: skip
        bones = [figure.bones for figure in visible if len(figure.bones)]
        colors = [figure.color for figure in visible for _ in figure.bones]
        self._log("world/bones", rerun.LineStrips3D(
            np.concatenate(bones) if bones else [], colors=colors
        ))  # fmt: skip

    def _values(self, label: str, values: Mapping[str, float]) -> None:
        names = self._names.setdefault(label, [])
        fresh = [name for name in values if name not in names]
        if fresh:
            names += fresh
            self._recording.log(f"values/{label}", rerun.SeriesLines(names=names), static=True)
        numbers = [values.get(name, float("nan")) for name in names]
        self._log(f"values/{label}", rerun.Scalars(numbers))

    def _drawings(self, view: FrameView) -> None:
        strips = [(strip, stroke) for stroke in view.strokes for strip in _strips(stroke)]
        self._log("world/drawn/lines", rerun.LineStrips3D(
            [strip for strip, _ in strips], colors=[stroke.color for _, stroke in strips]
        ))  # fmt: skip
        self._log("world/drawn/boxes", rerun.Boxes3D(**_placed(view.boxes)))
        self._log("world/drawn/spheres", rerun.Ellipsoids3D(**_placed(view.spheres)))
        self._log("world/drawn/texts", rerun.Points3D(
            np.array([label.position for label in view.labels]).reshape(-1, 3),
            labels=[label.text for label in view.labels],
            colors=[label.color for label in view.labels],
            radii=0.01,
        ))  # fmt: skip

    def _lines(self, view: FrameView) -> None:
        frame = view.now.frame
        logged, decided = self._sent_counts.get(frame, (0, 0))
        # Late statements come last: only they are new.
        for statement in view.log[logged:]:
            self._log_text("log", statement)
        for statement in view.decisions[decided:]:
            self._log_text("decisions", statement)
        self._sent_counts[frame] = (len(view.log), len(view.decisions))
        for statement in view.marks:
            self._mark(frame, view.now.time, statement)

    def _mark(self, frame: int, time: float, statement: StatementsView) -> None:
        if (frame, statement.text) not in self._marked:
            self._marked.add((frame, statement.text))
            self._set_time(frame, time)
            self._log_text("marks", statement)

    def _log_text(self, path: str, statement: StatementsView) -> None:
        path = f"{path}/{statement.about}" if statement.about else path
        level = _LEVELS.get(statement.level, "INFO")
        self._log(path, rerun.TextLog(statement.text, level=level))


def _strips(stroke: Stroke) -> list[Any]:
    if stroke.pairs:
        return list(stroke.points.reshape(-1, 2, 3))
    if stroke.closed:
        return [np.concatenate([stroke.points, stroke.points[:1]])]
    return [stroke.points]


def _placed(blocks: list[SolidShape]) -> dict[str, Any]:
    return {
        "centers": np.array([block.position for block in blocks]).reshape(-1, 3),
        "half_sizes": np.array([block.size / 2 for block in blocks]).reshape(-1, 3),
        "quaternions": [rerun.Quaternion(xyzw=quaternion(block.turn)) for block in blocks],
        "colors": [block.color for block in blocks],
    }
