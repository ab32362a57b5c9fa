"""`playhead clip`: facts of a clip, check it, rescue its intact part, trim it, export it."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec

from ...errors import CommandError, DamagedError, RecordingError
from ...recorder.clips.clip_format import ClipDamage, Gap
from ...recorder.clips.clip_source import ClipSource
from ...recorder.clips.clip_writer import SavedClip
from ...recorder.clips.verify_clip import VerifyReport, verify
from ...recorder.monotonic_timeline import exactly
from ...recorder.packets.mark import COLORS
from ...recorder.packets.recording_losses import RecordedLoss, loss_text
from ...recorder.saving.csv_export import export_csv
from ...recorder.saving.recover_ring import RecoveredClip, begins_as_ring, kind_of, recover
from ...recorder.saving.trim_clip import cut, instant
from ...recorder.text.duration_text import duration_text
from ...runner.terminal.progress_bar import bar
from ...runner.terminal.safe_terminal_output import echo
from ..bus.connection_options import MINUS, Commands
from .video_export import VideoOptions, export_clip_video

FILE = click.Path(path_type=Path)
JSON = click.option("--json", "as_json", is_flag=True, help="Print the facts as one JSON object.")
FORCE = click.option("--force", is_flag=True, help="Replace what is there under that name.")
_MOST_LINES = 20
_MOST_NAME = 200
"""Characters of a mark's name in a line."""
_VIDEOS = ("mp4", "gif")
_KINDS = ("foxglove", "csv", "parquet", "perfetto", *_VIDEOS)


@click.group(cls=Commands, no_args_is_help=False)
def clip() -> None:
    """Clips: saved stretches of recording, *.mcap.

    An instant is a time in seconds, '#FRAME' in quotes, or the name of a mark.

    \b
    Example:
      playhead clip info bug.mcap
      playhead clip recover run.ring run.mcap
      playhead clip cut run.mcap short.mcap --from 12.5 --to '#900'
    """


# --- info -------------------------------------------------------------------------------------


@clip.command()
@click.argument("clip", type=FILE)
@JSON
def info(clip: Path, as_json: bool) -> None:
    """Say what is in CLIP: its frames, objects, marks, what it says of itself.

    \b
    Example:
      playhead clip info bug.mcap --json
    """
    with _opened(clip) as source:
        if source.span is None:
            raise _unreadable(clip, source)
        facts = {"path": str(clip), **source.info()}
    echo(json.dumps(facts) if as_json else info_lines(facts))


def info_lines(facts: dict[str, Any]) -> list[str]:
    """The facts of a clip as lines to be read."""
    span, about = facts["span"], facts["metadata"]
    lines = [f"{facts['path']}: {_size(facts['bytes'])}, {facts['frames']:,} frames"]
    if span is not None:
        lines.append(
            f"span      frames {span['oldest']} … {span['newest']}, {exactly(span['start'])} …"
            f" {exactly(span['end'])} s ({duration_text(span['seconds'])})"
        )
    types: dict[str, int] = {}
    for row in facts["objects"]:
        types[row["type"]] = types.get(row["type"], 0) + 1
    kinds = ", ".join(f"{count} {name}" for name, count in sorted(types.items()))
    lines.append(f"objects   {len(facts['objects'])}{f': {kinds}' if kinds else ''}")
    lines.append(f"agents    {len(facts['agents'])}")
    if facts["games"] > 1:
        lines.append(f"games     {facts['games']}, one after another: this is about the newest")
    values = ", ".join(f"{name} {value}" for name, value in about.get("about", {}).items())
    if values:
        lines.append(f"about     {values}")
    own = about.get("playhead", {})
    lines.append(
        f"made      {own.get('created', '?')} by playhead {own.get('playhead', '?')},"
        f" format {own.get('format', '?')}"
    )
    marks = [
        f"{mark['kind']:<9} {exactly(mark['time'])} s, frame {mark['frame']}: {_cut(mark['name'])}"
        for mark in facts["marks"]
        if mark["kind"] != COLORS
    ]
    files = [
        f"file      {one['name']} ({one['media_type']}, {_size(one['bytes'])})"
        for one in facts["attachments"]
    ]
    lines += _few(marks, "marks") + _few(files, "files")
    lines += loss_lines(facts["losses"])
    lines += gap_lines(Gap(**gap) for gap in facts["gaps"])
    lines += damage_lines(ClipDamage(**damage) for damage in facts["damage"])
    lines += [f"note      {warning}" for warning in facts["warnings"]]
    if not facts["complete"]:
        lines.append(f"damaged: playhead clip recover {facts['path']} OUT makes a whole one of it")
    return lines


# --- verify -----------------------------------------------------------------------------------


@clip.command("verify")
@click.argument("clip", type=FILE)
@JSON
@click.pass_context
def verify_(ctx: click.Context, clip: Path, as_json: bool) -> None:
    """Check every byte of CLIP; exits 1 if anything is not as it must be.

    \b
    Example:
      playhead clip verify bug.mcap && echo whole
    """
    report = _verified(clip)
    if as_json:
        echo(json.dumps(verified_facts(report)))
    else:
        verdict = "whole" if report.ok else "DAMAGED"
        echo([
            f"{clip}: {verdict}: {report.frames:,} frames in {report.chunks} chunks,"
            f" {report.attachments} files, {_size(report.bytes)}, all of them read",
            *damage_lines(report.problems),
            *(f"note      {warning}" for warning in report.warnings),
        ])  # fmt: skip
    if not report.ok:
        ctx.exit(1)


def _verified(path: Path) -> VerifyReport:
    _must_be_clip(path)
    with bar("checking") as update:
        return verify(path, update)


def verified_facts(report: VerifyReport) -> dict[str, Any]:
    """What was found, in plain values."""
    return {
        "path": str(report.path),
        "ok": report.ok,
        "bytes": report.bytes,
        "frames": report.frames,
        "chunks": report.chunks,
        "attachments": report.attachments,
        "problems": [problem._asdict() for problem in report.problems],
        "warnings": list(report.warnings),
    }


# --- recover ----------------------------------------------------------------------------------


@clip.command("recover")
@click.argument("file", type=FILE)
@click.argument("out", type=FILE)
@FORCE
@JSON
@click.pass_context
def recover_(ctx: click.Context, file: Path, out: Path, force: bool, as_json: bool) -> None:
    """Make the clip OUT of all that is intact in FILE: a ring's file, or a damaged clip.

    Of the ring of a killed game these are all of its finished frames. Says what is lost, and
    where. Exits 0 only if OUT has been checked and is whole.

    \b
    Example:
      playhead clip recover run.ring run.mcap
      playhead clip recover half.mcap whole.mcap
    """
    _must_be_free(out, force)
    with bar("recovering") as update:
        found = recover(file, out, overwrite=force, progress=update)
    report = _verified(out)
    if as_json:
        echo(json.dumps(recovered_facts(file, found, report)))
    else:
        echo(recovered_lines(file, found, report))
    if not report.ok:
        ctx.exit(1)


def recovered_facts(file: Path, found: RecoveredClip, report: VerifyReport) -> dict[str, Any]:
    """What became of a file, in plain values."""
    return {
        "from": str(file),
        "kind": found.kind,
        "live": found.live,
        "path": str(found.saved.path),
        "frames": found.saved.frames,
        "bytes": found.saved.bytes,
        "lost": found.lost,
        "gaps": [gap._asdict() for gap in found.gaps],
        "damage": [damage._asdict() for damage in found.damage],
        "verified": report.ok,
        "problems": [problem._asdict() for problem in report.problems],
    }


def recovered_lines(file: Path, found: RecoveredClip, report: VerifyReport) -> list[str]:
    """The same as lines to be read."""
    saved = found.saved
    lines = [
        f"{file} ({'a ring' if found.kind == 'ring' else 'a clip'}, {_size(found.bytes)}):"
        f" {saved.frames:,} frames are in {saved.path} ({_size(saved.bytes)})"
    ]
    if found.live:
        lines.append("live      a process is still recording into it: this is what was held")
    lines.append(f"lost      {found.lost:,} frames between the oldest and the newest")
    lines += gap_lines(found.gaps) + damage_lines(found.damage)
    if report.ok:
        lines.append("checked   every byte: it is whole")
    else:
        lines += ["checked   IT IS NOT WHOLE: please report this", *damage_lines(report.problems)]
    return lines


# --- cut --------------------------------------------------------------------------------------


@clip.command("cut", context_settings=MINUS)
@click.argument("clip", type=FILE)
@click.argument("out", type=FILE)
@click.option("--from", "start", metavar="INSTANT", help="By default the beginning.")
@click.option("--to", "end", metavar="INSTANT", help="By default the end.")
@FORCE
@JSON
def cut_(
    clip: Path, out: Path, start: str | None, end: str | None, force: bool, as_json: bool
) -> None:
    """Make the clip OUT of the frames of CLIP from one instant to another, both included.

    \b
    Example:
      playhead clip cut run.mcap short.mcap --from 12.5 --to 20
      playhead clip cut run.mcap short.mcap --from '#300' --to 'a guard stays at its post'
    """
    _must_be_free(out, force)
    with _opened(clip) as source:
        first, last = _stretch(clip, source, start, end)
        with bar("cutting") as update:
            saved = cut(source, out, first, last, overwrite=force, progress=update)
    echo(json.dumps(saved_facts(saved)) if as_json else saved_lines(saved))


def _stretch(path: Path, source: ClipSource, start: str | None, end: str | None) -> tuple[int, int]:
    span = source.span
    if span is None:
        raise _unreadable(path, source)
    begins, ends = _seconds(start), _seconds(end)
    if begins is not None and begins > (span.end if ends is None else min(ends, span.end)):
        where = (
            f"{path} ends at {exactly(span.end)} s"
            if ends is None or ends > span.end
            else (f"that is behind --to {end}")
        )
        raise CommandError(f"--from {start}: {where}")
    if ends is not None and ends < span.start:
        raise CommandError(f"--to {end}: {path} begins at {exactly(span.start)} s")
    first = span.oldest if start is None else instant(source, start)
    return first, span.newest if end is None else instant(source, end)


# --- export -----------------------------------------------------------------------------------


@clip.command(context_settings=MINUS)
@click.argument("kind", type=click.Choice(_KINDS))
@click.argument("clip", type=FILE)
@click.argument("out", type=FILE)
@click.option("--from", "start", metavar="INSTANT", help="By default the beginning.")
@click.option("--to", "end", metavar="INSTANT", help="By default the end.")
@click.option("--camera", default="", metavar="NAME", help="Of a video: whose pictures.")
@click.option("--world", is_flag=True, help="Of a video: the viewer's world, not pictures.")
@click.option("--caption/--no-caption", default=True, help="Of a video: time, checks, states.")
@click.option("--rate", type=click.IntRange(1, 60), help="Of a video: images a second.")
@click.option("--focus", default=0, metavar="ID", help="Of a video: the object it is about.")
@FORCE
@JSON
def export(
    kind: str, clip: Path, out: Path, start: str | None, end: str | None, camera: str, world: bool,
    caption: bool, rate: int | None, focus: int, force: bool, as_json: bool,
) -> None:  # fmt: skip
    """Write CLIP for other programs: OUT is a folder for csv and parquet, else a file.

    foxglove: an MCAP that Foxglove and Lichtblick open: the scene, the values, the log.

    csv: one file for each type of objects, and frames, watches, traces, log and marks.

    parquet: the same tables for pandas, Polars, DuckDB (needs pyarrow).

    perfetto: a trace for ui.perfetto.dev: states, ticks, log, values and step times as tracks.
    OUT.pftrace is in Perfetto's own format (needs the extra perfetto), OUT.json in Chrome's.

    mp4, gif: a video in real time of the recorded pictures, or, where there are none, of the world
    as the viewer shows it (needs PyAV; captions and the world need the viewer).

    \b
    Example:
      playhead clip export foxglove bug.mcap for-foxglove.mcap
      playhead clip export csv bug.mcap tables --from 'a guard stays at its post'
      playhead clip export perfetto bug.mcap bug.pftrace
      playhead clip export mp4 bug.mcap bug.mp4 --from 12 --to 'the player lives'
    """
    _must_be_free(out, force)
    with _opened(clip) as source:
        first, last = _stretch(clip, source, start, end)
        with bar("exporting") as update:
            if kind in _VIDEOS:
                video = VideoOptions(kind, camera, world, caption, rate, focus)
                files = export_clip_video(clip, source, out, first, last, video, force, update)
            else:
                files = _export(kind, source, out, first, last, force, update)
    if as_json:
        echo(json.dumps({
            "path": str(out), "kind": kind, "oldest": first, "newest": last,
            "files": [{"path": str(path), "bytes": path.stat().st_size} for path in files],
        }))  # fmt: skip
        return
    echo(f"{path}: {_size(path.stat().st_size)}" for path in files)


def _export(
    kind: str, source: ClipSource, out: Path, first: int, last: int, force: bool,
    update: Callable[[int, int], object],
) -> list[Path]:  # fmt: skip
    match kind:
        case "csv":
            return export_csv(source, out, first, last, overwrite=force, progress=update)
        case "parquet":
            from ...recording.export.parquet_export import export_parquet

            return export_parquet(source, out, first, last, overwrite=force, progress=update)
        case "perfetto":
            from ...recording.export.perfetto_export import export_perfetto

            export_perfetto(source, out, first, last, overwrite=force, progress=update)
        case _:
            from ...bus.bridges.foxglove_file import export_foxglove

            export_foxglove(source, out, first, last, overwrite=force, progress=update)
    return [out]


# --- what they share --------------------------------------------------------------------------


def _unreadable(path: Path, source: ClipSource) -> DamagedError:
    why = "; ".join(one.what for one in source.clip.damage) or "it has none"
    return DamagedError(f"{path}: not one frame of this clip can be read: {why}")


def _seconds(instant: str | None) -> float | None:
    try:
        return None if instant is None else float(instant)
    except ValueError:
        return None


def _opened(path: Path) -> ClipSource:
    _must_be_clip(path)
    return ClipSource.open(path)


def _must_be_free(path: Path, force: bool) -> None:
    empty = path.is_dir() and not any(path.iterdir())
    if os.path.lexists(path) and not force and not empty:
        raise RecordingError(f"{path}: this is there already: give another name, or say --force")


def _must_be_clip(path: Path) -> None:
    if kind_of(path) == "ring":
        if not begins_as_ring(path):
            raise DamagedError(f"{path}: this is neither a ring's file nor a clip")
        raise DamagedError(
            f"{path}: this is a ring's file: make a clip of it with"
            f" `playhead clip recover {path} OUT.mcap`"
        )


def saved_facts(saved: SavedClip) -> dict[str, Any]:
    """A clip that was written, in plain values."""
    return {
        "path": str(saved.path),
        "frames": saved.frames,
        "bytes": saved.bytes,
        "gaps": [gap._asdict() for gap in saved.gaps],
    }


def saved_lines(saved: SavedClip) -> list[str]:
    """The same as lines to be read."""
    line = f"{saved.path}: {saved.frames:,} frames, {_size(saved.bytes)}"
    return [line, *gap_lines(saved.gaps)]


def gap_lines(gaps: Any) -> list[str]:
    """Gaps as lines."""
    return _few(
        [f"gap       frames {gap.first} to {gap.last} ({gap.reason})" for gap in gaps], "gaps"
    )


def loss_lines(losses: list[dict[str, Any]]) -> list[str]:
    """What was not recorded, as lines."""
    lines = []
    for facts in losses:
        loss = msgspec.convert(facts, RecordedLoss)
        lines.append(f"lost      {loss_text(loss)}, since frame {loss.frame}")
    return _few(lines, "losses")


def damage_lines(damage: Any) -> list[str]:
    """Damage as lines."""
    return _few([f"damage    {one}" for one in damage], "places")


def _few(lines: list[str], what: str) -> list[str]:
    if len(lines) <= _MOST_LINES:
        return lines
    return [*lines[:_MOST_LINES], f"          … and {len(lines) - _MOST_LINES} {what} more"]


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_NAME else f"{text[:_MOST_NAME]} …"


def _size(size: int) -> str:
    return f"{size:,} bytes" if size < 10_000 else f"{size / 2**20:.2f} MiB"
