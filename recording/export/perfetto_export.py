"""Exports a recording as a trace that Perfetto opens: states, ticks, log and values as tracks."""

from collections.abc import Callable
from pathlib import Path

from ...errors import CommandError
from ...recorder.reading.frame_source import FrameSource
from ...recorder.saving.atomic_file import new_file
from ..recording import Recording
from .chrome_trace_writer import ChromeTraceWriter
from .perfetto_trace_writer import PerfettoTraceWriter
from .trace_events import RecordingEvents

SUFFIXES = (".pftrace", ".perfetto-trace", ".json")


def export_perfetto(
    source: FrameSource, out: Path, first: int, last: int, *, overwrite: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> None:  # fmt: skip
    """Write the frames from `first` to `last` as a trace.

    Each object with a state machine, a behaviour tree or values is a process, with a track for each
    of them. Times are the timeline's; if it begins before 0 they are counted from its first one.

    Args:
        out: A file that ends in `.pftrace` or `.perfetto-trace` for Perfetto's own format, which
            needs the package `perfetto`; or in `.json` for Chrome's.

    Raises:
        CommandError: it ends in something else.
        RecordingError: the file is there already, can't be written, or the package is missing.
    """
    if out.suffix not in SUFFIXES:
        raise CommandError(
            f"{out}: name it {out.stem}.pftrace for Perfetto's own format, or {out.stem}.json for"
            " Chrome's; Perfetto opens both"
        )
    with new_file(out, overwrite=overwrite) as part:
        events = RecordingEvents(Recording(source, str(out)), source, first, last)
        make_writer = ChromeTraceWriter if out.suffix == ".json" else PerfettoTraceWriter
        with make_writer(part, events.start) as writer:
            for number, kind in enumerate(events.kinds, 1):
                for event in kind():
                    writer.write(event)
                if progress is not None:
                    progress(number, len(events.kinds))
