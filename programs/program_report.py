"""The summary that is printed when a recorded program has ended."""

import shlex
from collections.abc import Iterator

from ..adapters.output_path_and_summary import shortest_path
from ..recorder.recording_mode_from_env import RecordingMode, recording_mode
from ..recorder.text.duration_text import duration_text
from .recognition_summary import imported_others
from .unmodified_program_recorder import ProgramRecorder


def report(recorder: ProgramRecorder, name: str) -> Iterator[str]:
    """Lines about a recording, or about why there is none.

    Args:
        name: Of the program, as it was given.
    """
    session, recognition = recorder.session, recorder.recognition
    if session is None and recorder.own_recordings:
        yield from _recorded_by_itself(recorder, name)
        return
    if session is None or session.final_span is None or session.final_status is None:
        yield from _nothing(recorder, name)
        return
    span, status = session.final_span, session.final_status
    path = shortest_path(session.clip or session.ring)
    pictures = status.pictures.recorded
    counts = f"{status.frames_held:,} frames, {duration_text(span.seconds)}, {pictures:,} pictures"
    yield f"recorded {path}: {counts}"
    if status.frames > status.frames_held:
        missing = status.frames - status.frames_held
        yield (
            f"  the first {missing:,} frames did not fit into the memory any more: --memory"
            " '256 MiB' keeps more"
        )
    if session.older is not None:
        yield f"  the clip that was there is {shortest_path(session.older)} now"
    yield from recognition.lines()
    yield f"  open it       playhead view {shlex.quote(path)}"


def _recorded_by_itself(recorder: ProgramRecorder, name: str) -> Iterator[str]:
    """Lines about a program with a session of its own."""
    yield (
        f"{name} records itself with playhead, and that recording is the only one: --out, --dt,"
        " --memory and --bus have no effect on it"
    )
    for path in recorder.own_recordings:
        if path is None:
            yield "  it is not saved at its end: ph.record(objects, 'run.mcap', dt=…) is"
        else:
            yield f"  open it       playhead view {shlex.quote(shortest_path(path))}"


def _nothing(recorder: ProgramRecorder, name: str) -> Iterator[str]:
    notes = [*recorder.recognition.notes, *recorder.recognition.unused()]
    notes += [f"{one} is not recorded by itself" for one in imported_others()]
    yield f"nothing was recorded of {name}"
    if not notes:
        yield (
            "  it imported none of pygame, arcade, pymunk, gymnasium, pettingzoo and mujoco, which"
            " are recorded by themselves"
        )
    yield from (f"  {note}" for note in notes)
    if recording_mode() is RecordingMode.OFF:
        yield "  PLAYHEAD=off is set: it switches off what the program records with ph.record"
        return
    yield (
        "  its own objects are recorded by a line in it: with ph.record(objects, 'run.mcap',"
        " dt=1/60) as rec: (see docs/first-five-minutes.md)"
    )
