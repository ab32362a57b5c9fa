"""How commands print where a playback is: as text for people, as plain values for programs."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...recorder.monotonic_timeline import exactly

if TYPE_CHECKING:
    from ...bus.messages.message import PlayheadTime
    from ...playback.playback_state import PlaybackState
    from ...recorder.packets.recorded_frame import FrameRange


def span_facts(span: "FrameRange | None") -> dict[str, Any] | None:
    """The two ends of the recording, by name."""
    return None if span is None else span._asdict()


def state_facts(state: "PlaybackState") -> dict[str, Any]:
    """Where a command led, in plain values."""
    return {
        "mode": state.mode.value,
        "frame": state.frame,
        "time": state.time,
        "rate": state.rate,
        "clamped": state.clamped,
        "loop": state.loop,
        "focus": state.focus,
        "hidden": sorted(state.hidden),
        "span": span_facts(state.span),
    }


def time_facts(time: "PlayheadTime") -> dict[str, Any]:
    """An instant in plain values."""
    return {
        "mode": time.mode,
        "frame": time.frame,
        "time": time.time,
        "game_time": time.game_time,
        "epoch": time.epoch,
        "rate": time.rate,
        "focus": time.focus,
        "hidden": sorted(time.hidden),
        "loop": time.loop,
        "origin": time.origin,
    }


def instant_text(
    mode: str, frame: int | None, time: float | None, rate: float, *,
    loop: tuple[float, float] | None = None, focus: int = 0, hidden: Iterable[str] = (),
) -> str:  # fmt: skip
    """The playback state as a line: `paused   frame 3571   59.500 s`."""
    line = f"{mode:<8} frame {frame or '–':<7} {exactly(time or 0.0)} s"
    if mode == "playing":
        line += f"   ×{rate:g}"
    if loop is not None:
        line += f"   loop {exactly(loop[0])}–{exactly(loop[1])} s"
    if focus:
        line += f"   focus {focus}"
    if hidden:
        line += f"   hidden {', '.join(sorted(hidden))}"
    return line


def state_text(state: "PlaybackState") -> str:
    """The same for the answer to a command."""
    span = state.span
    frame, time = state.frame, state.time
    if frame is None and span is not None:
        frame, time = span.newest, span.end
    line = instant_text(
        state.mode.value, frame, time, state.rate,
        loop=state.loop, focus=state.focus, hidden=state.hidden,
    )  # fmt: skip
    if state.clamped and span is not None:
        line += (
            f"   (that is the end: frames {span.oldest} … {span.newest}"
            f" are held, {exactly(span.start)} … {exactly(span.end)} s)"
        )
    return line


def time_text(time: "PlayheadTime") -> str:
    """The same for an instant that was heard of."""
    return instant_text(
        time.mode, time.frame, time.time, time.rate,
        loop=time.loop, focus=time.focus, hidden=time.hidden,
    )  # fmt: skip
