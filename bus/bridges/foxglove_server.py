"""Bridge to Foxglove: a live WebSocket server whose play buttons and time move the playhead.

Topics: `/scene` (SceneUpdate, the whole scene of the instant), `/values` and `/playhead` (JSON),
`/log`, `/decisions` and `/marks` (Log). Their times are the timeline's.
"""

import contextlib
import queue
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as TookTooLong
from typing import Any, NamedTuple

import foxglove
from foxglove import messages, websocket

from ...errors import CapacityError, PlayheadError
from ...playback.commands import FASTEST, SLOWEST
from ...playback.playback_state import Mode, PlaybackState
from ...recorder.packets.mark import Mark
from ...recorder.reading.axis_conversion import quaternion
from ...recorder.statements.statement_messages import Picture
from ..client.client import Client
from ..messages.address import Address
from ..messages.message import PlayheadTime
from .foxglove_messages import picture_topic
from .frame_view import Color, Figure, FrameView, SolidShape, StatementsView, Stroke

PORT = 8765
"""Foxglove's own default."""
FRAME = "world"
"""The coordinate frame that everything is in."""
AHEAD = 600.0
"""Seconds by which the range shown on Foxglove's bar goes beyond what is recorded while the game
runs on: it can't be changed, only be sent again by a server that restarts."""
_QUEUED = 256
"""Messages that wait for a slow client; it loses the oldest. Four seconds of a game."""
_HANDOVER = 2.0
"""Seconds that a server which is stopped may still hold its address."""
_ANSWER_WITHIN = 2.0
"""Seconds that a request of Foxglove's may take: its server waits for the state that answers it."""
_JUMP = 1.0
"""A jump of the timeline by so many seconds is a seek, not playing."""


class _Request(NamedTuple):
    plays: bool
    rate: float
    time: float | None
    """Seconds to seek to."""
    id: str
    state: "Future[Any]"
    """The playback state after it was carried out, which is its answer."""


class Foxglove:
    """A Foxglove server: it shows instants and receives playback requests. For one thread.

    Args:
        client: The service that its play buttons move.
        address: Where to listen, as `Address.of` takes it.

    Raises:
        CommandError: the address is none.
        CapacityError: it can't be had.
    """

    def __init__(self, client: Client, address: str = "") -> None:
        self._wake: Callable[[], object] = lambda: None
        self._client = client
        self._address = Address.of(address or "127.0.0.1", PORT)
        self._requests: queue.SimpleQueue[_Request] = queue.SimpleQueue()
        self._newcomers = False
        self._shown_time: PlayheadTime | None = None
        context = foxglove.Context()
        self._context = context
        self._scene = foxglove.channels.SceneUpdateChannel("/scene", context=context)
        self._lines = {
            topic: foxglove.channels.LogChannel(f"/{topic}", context=context)
            for topic in ("log", "decisions", "marks")
        }
        self._images: dict[str, Any] = {}
        """The channels of the cameras, by their names."""
        self._values = foxglove.Channel("/values", schema=_ANYTHING, context=context)
        self._playhead = foxglove.Channel("/playhead", schema=_ANYTHING, context=context)
        self._server, self._until = self._serve()
        self._address = self._address.at(self._server.port)

    @property
    def url(self) -> str:
        """The address to open in Foxglove."""
        return f"ws://{self._address.authority}"

    def _serve(self, patience: float = 0.0) -> tuple[Any, float]:
        """A server for the recorded range, and its end, seconds."""
        present = self._client.snapshot()
        start, end = (0.0, 0.0) if present.span is None else present.span[2:]
        end += AHEAD if present.time.mode == "live" else 0.0
        deadline = time.monotonic() + patience
        while True:
            try:
                return self._listen(start, end), end
            except RuntimeError as error:  # what the bindings raise, whatever it is
                if time.monotonic() >= deadline:
                    raise CapacityError(
                        f"can't listen on {self._address.authority} for Foxglove: {error}; give"
                        " another address"
                    ) from None
            time.sleep(0.01)

    def _listen(self, start: float, end: float) -> Any:
        host, port = self._address
        # Foxglove's protocol of a listener has methods for much that is not offered here.
        listener: Any = self
        return foxglove.start_server(
            name="playhead", host=host, port=port, context=self._context,
            capabilities=[websocket.Capability.Time, websocket.Capability.PlaybackControl],
            server_listener=listener, playback_time_range=(_nanos(start), _nanos(end)),
            message_backlog_size=_QUEUED,
        )  # fmt: skip

    def begin(self, wake: Callable[[], object]) -> None:
        """Have `wake` called, on any thread, when `tick` has something to do."""
        self._wake = wake

    # --- the playhead's instant -----------------------------------------------------------------

    def show(self, view: FrameView) -> None:
        """Send an instant."""
        now, before = view.now, self._shown_time
        if now.time > self._until:
            self._server.stop()  # it lets go of its address a moment later
            self._server, self._until = self._serve(_HANDOVER)
        self._shown_time = now
        jumped = before is not None and not 0.0 <= now.time - before.time <= _JUMP
        if before is None or jumped or _state(before) != _state(now):
            self._send_state(now, jumped)
        at = _nanos(now.time)
        self._server.broadcast_time(at)
        self._scene.log(scene_of(view), log_time=at)
        self._values.log(view.tree, log_time=at)
        self._playhead.log(
            {
                "mode": now.mode, "frame": now.frame, "time": now.time, "rate": now.rate,
                "game_time": now.game_time, "epoch": now.epoch, "focus": now.focus,
                "hidden": sorted(now.hidden), "loop": now.loop, "origin": now.origin,
            },
            log_time=at,
        )  # fmt: skip
        for topic, lines in (
            ("log", view.log), ("decisions", view.decisions), ("marks", view.marks)
        ):  # fmt: skip
            for statement in lines:
                self._send_log(topic, statement, at)
        for image in view.pictures.values():
            self._send_picture(image, at)

    def _send_picture(self, image: Picture, at: int) -> None:
        channel = self._images.get(image.name)
        if channel is None:
            channel = self._images[image.name] = foxglove.channels.CompressedImageChannel(
                picture_topic(image.name), context=self._context
            )
        channel.log(
            messages.CompressedImage(
                timestamp=_timestamp(at), frame_id=image.name, data=image.data, format=image.format
            ),
            log_time=at,
        )

    def mark(self, mark: Mark, statement: StatementsView) -> None:
        """Send a mark, if the instant that it names is shown or is of the running game."""
        now = self._shown_time
        if now is not None and (now.mode == "live" or now.frame == mark.frame):
            self._send_log("marks", statement, _nanos(mark.time))

    def _send_log(self, topic: str, statement: StatementsView, at: int) -> None:
        self._lines[topic].log(messages.Log(
            timestamp=_timestamp(at), level=_LEVELS.get(statement.level, _INFO),
            message=statement.text, name=statement.about, file=statement.file, line=statement.line,
        ), log_time=at)  # fmt: skip

    def _send_state(self, now: PlayheadTime, jumped: bool) -> None:
        self._server.broadcast_playback_state(_playback_state(now, jumped))

    # --- Foxglove's requests --------------------------------------------------------------------

    def tick(self) -> bool:
        """Carry out what was asked for; True if a new client has connected."""
        requests: list[_Request] = []
        while True:
            try:
                requests.append(self._requests.get_nowait())
            except queue.Empty:
                break
        if requests:
            # Of those that came meanwhile only the last counts, but for where the bar was put.
            times = [request.time for request in requests if request.time is not None]
            self._obey(requests[-1]._replace(time=times[-1] if times else None), requests)
        newcomers, self._newcomers = self._newcomers, False
        return newcomers

    def _obey(self, request: _Request, requests: list[_Request]) -> None:
        try:
            state = self._moved(request)
        except PlayheadError as error:
            self._server.publish_status(str(error), foxglove.StatusLevel.Warning)
            state = None
        now = self._client.time
        if now is None:
            for one in requests:
                one.state.cancel()
            return
        if state is not None and state.time is not None:
            now = PlayheadTime(
                origin=now.origin, sequence=now.sequence, mode=state.mode.value,
                frame=state.frame or 0, time=state.time, rate=state.rate,
            )  # fmt: skip
        jumped = request.time is not None and state is not None
        for one in requests:
            answer = _playback_state(now, jumped, one.id)
            if not one.state.set_running_or_notify_cancel():  # it was not waited for any longer
                self._server.broadcast_playback_state(answer)
            else:
                one.state.set_result(answer)

    def _moved(self, request: _Request) -> PlaybackState:
        client, live = self._client, self._client.time
        is_live = live is not None and live.mode == "live"
        if request.time is not None:
            state = client.seek(request.time)
            is_live = False
        elif is_live and request.plays:
            return client.leave()
        if request.plays:
            rate = min(max(abs(request.rate), SLOWEST), FASTEST)
            state = client.play(rate if request.rate >= 0 else -rate)
        elif request.time is None or state.mode is not Mode.PAUSED:
            state = client.pause()
        return state

    # What follows is called by Foxglove's server, on threads of its own.

    def on_subscribe(self, client: Any, channel: Any) -> None:
        """A client has subscribed to a topic."""
        self._newcomers = True
        self._wake()

    def on_unsubscribe(self, client: Any, channel: Any) -> None:
        """A client has unsubscribed from a topic."""

    def on_playback_control_request(self, request: Any) -> Any:
        """Handle the buttons and the bar; returns the playback state after it.

        What is returned is the answer. If the game takes longer than the server may wait, there
        is none yet, and the state is sent when it is known.
        """
        seek, state = request.seek_time, Future[Any]()
        self._requests.put(_Request(
            request.playback_command == websocket.PlaybackCommand.Play, request.playback_speed,
            None if seek is None else seek / 1e9, request.request_id, state,
        ))  # fmt: skip
        self._wake()
        try:
            return state.result(_ANSWER_WITHIN)
        except CancelledError:
            return None
        except TookTooLong:
            return None if state.cancel() else state.result()

    def close(self) -> None:
        """Stop serving."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._requests.get_nowait().state.cancel()
        self._server.stop()


_ANYTHING = {"type": "object", "additionalProperties": True}
_INFO = messages.LogLevel.Info
_LEVELS = {
    "debug": messages.LogLevel.Debug,
    "info": _INFO,
    "warning": messages.LogLevel.Warning,
    "error": messages.LogLevel.Error,
}


def _playback_state(now: PlayheadTime, jumped: bool, request: str | None = None) -> Any:
    runs = now.mode != "paused"
    return websocket.PlaybackState(
        websocket.PlaybackStatus.Playing if runs else websocket.PlaybackStatus.Paused,
        _nanos(now.time), now.rate if now.mode == "playing" else 1.0, jumped, request,
    )  # fmt: skip


def _state(now: PlayheadTime) -> tuple[object, ...]:
    return now.mode, now.rate


def _nanos(seconds: float) -> int:
    return max(round(seconds * 1e9), 0)


def _timestamp(nanos: int) -> Any:
    return messages.Timestamp(sec=nanos // 10**9, nsec=nanos % 10**9)


# --- the scene --------------------------------------------------------------------------------


def scene_of(view: FrameView) -> Any:
    """A SceneUpdate that leaves nothing of what was there before."""
    at = _timestamp(_nanos(view.now.time))
    everything = messages.SceneEntityDeletion(
        timestamp=at, type=messages.SceneEntityDeletionType.All
    )
    drawn = messages.SceneEntity(
        timestamp=at, frame_id=FRAME, id="drawn",
        lines=[_line(stroke) for stroke in view.strokes],
        cubes=[messages.CubePrimitive(**_block(block)) for block in view.boxes],
        spheres=[messages.SpherePrimitive(**_block(block)) for block in view.spheres],
        texts=[_text(label.position, label.text, label.color) for label in view.labels],
    )  # fmt: skip
    figures = [_figure(figure, at) for figure in view.figures if figure.visible]
    return messages.SceneUpdate(deletions=[everything], entities=[*figures, drawn])


def _figure(figure: Figure, at: Any) -> Any:
    values = {"id": str(figure.id), "type": figure.type}
    values.update((name, f"{value:g}") for name, value in figure.values.items())
    lines = []
    if len(figure.bones):
        points = figure.bones.reshape(-1, 3)
        lines.append(_line(Stroke(points, figure.color, pairs=True)))
    return messages.SceneEntity(
        timestamp=at, frame_id=FRAME, id=figure.label,
        metadata=[messages.KeyValuePair(key=key, value=value) for key, value in values.items()],
        arrows=[messages.ArrowPrimitive(
            pose=_pose(figure.position, figure.turn), shaft_length=0.5, shaft_diameter=0.06,
            head_length=0.2, head_diameter=0.14, color=_color(figure.color),
        )],
        texts=[_text(figure.position, figure.label, figure.color)],
        lines=lines,
    )  # fmt: skip


def _line(stroke: Stroke) -> Any:
    kinds = messages.LinePrimitiveLineType
    kind = kinds.LineList if stroke.pairs else kinds.LineLoop if stroke.closed else kinds.LineStrip
    return messages.LinePrimitive(
        type=kind, thickness=2.0, scale_invariant=True, color=_color(stroke.color),
        points=[messages.Point3(x=x, y=y, z=z) for x, y, z in stroke.points.tolist()],
    )  # fmt: skip


def _block(block: SolidShape) -> dict[str, Any]:
    x, y, z = block.size.tolist()
    return {
        "pose": _pose(block.position, block.turn),
        "size": messages.Vector3(x=x, y=y, z=z),
        "color": _color(block.color),
    }


def _text(position: Any, text: str, color: Color) -> Any:
    return messages.TextPrimitive(
        pose=_pose(position, None), text=text, billboard=True, font_size=12.0,
        scale_invariant=True, color=_color(color),
    )  # fmt: skip


def _pose(position: Any, turn: Any) -> Any:
    x, y, z = position.tolist()
    a, b, c, d = (0.0, 0.0, 0.0, 1.0) if turn is None else quaternion(turn)
    return messages.Pose(
        position=messages.Vector3(x=x, y=y, z=z),
        orientation=messages.Quaternion(x=a, y=b, z=c, w=d),
    )


def _color(color: Color) -> Any:
    r, g, b, a = (part / 255 for part in color)
    return messages.Color(r=r, g=g, b=b, a=a)
