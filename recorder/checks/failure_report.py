"""A failed check as lines of text: what failed, its object, and the decisions that led there.

For terminals and reports, from any source. Each part is a list of lines without an end; a part that
has no content is empty.
"""

from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path

from ..monotonic_timeline import exactly
from ..packets.packet_types import Kind
from ..reading.frame_source import FrameSource, Transition
from ..statements.instrumentation_interface import Belief, Scalar
from .failed_check_tracker import FailedCheck

_MOST_DECISIONS = 3
_MOST_WATCHED = 12
_MOST_AGENTS = 8
_INDENT = " " * 15
_AGENTS = Path(__file__).parents[2] / "agents"
"""Where playhead's own agents report failures: the cause is never in these lines."""


def object_label(source: FrameSource, frame: int, object: int) -> str:
    """What people call an object at a frame, with its id: `south west (id 8)`."""
    if not object:
        return "the world"
    name = source.latched(frame, object, Kind.NAME, "")
    if not name:
        name = next((one.type for one in source.objects(frame) if one.id == object), "")
    return f"{name} (id {object})" if name else f"id {object}"


def failure_story(
    source: FrameSource, failed: FailedCheck, *, title: str = "CHECK FAILED",
    folder: Path | None = None,
) -> list[str]:  # fmt: skip
    """A failure, the decisions that led to it, and the values that were watched.

    Args:
        title: The text in front.
        folder: Files below it are named from there.

    Raises:
        EvictedError: its frame is not in the recording.
    """
    frame, object = failed.frame, failed.object
    span = source.span
    # A frame that was recorded because a test ended has no values: no step led to it.
    before = frame - 1 if span is not None and frame > span.oldest else frame
    lines = check_text(source, failed, title=title, folder=folder)
    for part in (
        decision_lines(source, frame, object, _MOST_DECISIONS) if object else [],
        state_lines(source, frame) if not object else [],
        watched_lines(source, frame, object) or watched_lines(source, before, object),
    ):
        if part:
            lines += ["", *part]
    return lines


def check_text(
    source: FrameSource, failed: FailedCheck, *, title: str = "CHECK FAILED",
    folder: Path | None = None,
) -> list[str]:  # fmt: skip
    """Where and when something failed, and about whom.

    Args:
        title: The text in front.
        folder: Files below it are named from there.

    Raises:
        EvictedError: the frame is not in the recording.
    """
    lines = [f"{title} at {exactly(failed.time)} s, frame {failed.frame}: {failed.message}"]
    if failed.expression not in ("", "False"):  # a check that always fails says it in its message
        lines.append(f"  expression  {failed.expression}")
    if failed.object:
        lines.append(f"  object      {object_label(source, failed.frame, failed.object)}")
    if failed.file and not Path(failed.file).is_relative_to(_AGENTS):
        lines.append(f"  from        {place_text(failed.file, folder)}:{failed.line}")
    return lines


def place_text(file: str, folder: Path | None = None) -> str:
    """A file as seen from a folder if it lies below it; else as it is."""
    path = Path(file)
    return str(path.relative_to(folder)) if folder and path.is_relative_to(folder) else file


def decision_lines(
    source: FrameSource, frame: int, object: int, limit: int = 10
) -> list[str]:  # fmt: skip
    """The newest transitions of an object up to a frame, newest first, each with its reasons.

    Raises:
        EvictedError: the frame is not in the recording.
    """
    machines = [machine for agent, machine in source.machines(frame) if agent == object]
    found: list[Transition] = []
    for machine in machines:
        found += source.transitions(frame, object, machine, limit)
    found.sort(key=attrgetter("frame"), reverse=True)
    if not found:
        return []
    lines = ["Its last decisions, newest first:"]
    for at, _, trace in found[:limit]:
        also = f" (also true: {', '.join(trace.also_true)})" if trace.also_true else ""
        prefix = f"{trace.machine}: " if len(machines) > 1 else ""
        lines.append(
            f"  frame {at:>5}  {prefix}{trace.source or '·':>7} → {trace.target:<7}"
            f" because {trace.won}{also}"
        )
        if trace.values:
            lines.append(f"{_INDENT}looked at {value_lines(trace.values)}")
        lines += [f"{_INDENT}{_belief_text(source, at, belief)}" for belief in trace.beliefs]
        lines += [f"{_INDENT}rejected {lost.condition}: {lost.reason}" for lost in trace.rejected]
    return lines


def value_lines(values: Mapping[str, Scalar]) -> str:
    """Plain values in a line: `hp 35, sees False, range 2.5`."""
    return ", ".join(f"{name} {_scalar_text(value)}" for name, value in values.items())


def watched_lines(source: FrameSource, frame: int, object: int = 0) -> list[str]:
    """What was watched of an object and of the world in a frame; of everybody for object 0.

    Raises:
        EvictedError: the frame is not in the recording.
    """
    watched = sorted(source.watches(frame).items())
    lines = [
        f"  {name} = {_scalar_text(value)}"
        + (f"   {object_label(source, frame, prefix)}" if prefix and not object else "")
        for (prefix, name), value in watched
        if object in (0, prefix) or not prefix
    ]
    return [f"Watched in frame {frame}:", *_shortened(lines, _MOST_WATCHED)] if lines else []


def state_lines(source: FrameSource, frame: int) -> list[str]:
    """The state that each agent was in at a frame, and since when.

    Raises:
        EvictedError: the frame is not in the recording.
    """
    lines = []
    for agent, machine in source.machines(frame):
        for at, _, trace in source.transitions(frame, agent, machine, 1):
            lines.append(
                f"  {object_label(source, frame, agent)}  {machine}: {trace.target}"
                f" since frame {at}, because {trace.won}"
            )
    return [f"States at frame {frame}:", *_shortened(lines, _MOST_AGENTS)] if lines else []


def _belief_text(source: FrameSource, frame: int, belief: Belief) -> str:
    span = source.span
    at_frame = max(frame, span.oldest) if span is not None else frame
    # A belief counts in game time, a frame in the timeline's.
    epoch = source.latched(at_frame, 0, Kind.EPOCH, "") or {}
    age = source.stamp(at_frame).time - float(epoch.get("offset", 0.0)) - belief.seen
    at = ", ".join(f"{number:.1f}" for number in belief.position)
    note = f": {belief.note}" if belief.note else ""
    old = f", {age:.1f} s old" if age >= 0.05 else ""
    return f"believed {object_label(source, at_frame, belief.object)} at ({at}){note}{old}"


def _scalar_text(value: Scalar) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value) if value != "" else "''"


def _shortened(lines: list[str], most: int) -> list[str]:
    if len(lines) <= most:
        return lines
    return [*lines[:most], f"  … and {len(lines) - most} more"]
