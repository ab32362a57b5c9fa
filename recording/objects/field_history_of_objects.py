"""The histories of a field for objects that a caller names: one answer for each of them."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ...errors import CommandError, EvictedError
from ...recorder.reading.frame_source import FrameSource
from ..frame_lookup import span_of
from ..log_and_watch_reader import frames_in
from ..recording_damage import DamageLog
from .field_history import NO_ROWS, FieldReader, FieldRows, History, Times, rows_of, with_gaps
from .object_lookup import ObjectOrId, object_id
from .object_snapshot import object_list_text, objects_in


def histories_of(
    source: FrameSource, objects: Sequence[ObjectOrId], field: str, first: int, last: int,
    damage: DamageLog, *, absent_as_nan: bool,
) -> dict[int | str, History]:  # fmt: skip
    """The history of each object, by its id or name as given; by the id of anything else.

    Args:
        absent_as_nan: Give every frame a row, which is NaN where the object is absent.

    Raises:
        CommandError: there is no such object or field; or NaN is asked for, and it is no number.
        DamagedError: no frame can be read.
    """
    ids = [object_id(source, one, last) for one in objects]
    rows_by_id = _read_rows(source, field, ids, first, last, damage)
    rows = [rows_by_id.get(id, NO_ROWS) for id in ids]
    histories = [one.history for one in rows]
    if absent_as_nan:
        frames, times = _frame_times(source, first, last, damage)
        histories = [with_gaps(one, frames, times) for one in rows]
    keys = [one if isinstance(one, int | str) else id for one, id in zip(objects, ids, strict=True)]
    return dict(zip(keys, histories, strict=True))


def _read_rows(
    source: FrameSource, field: str, ids: list[int], first: int, last: int, damage: DamageLog
) -> dict[int, FieldRows]:
    span = span_of(source)
    reader = FieldReader(source, field, ids, None)
    rows = rows_of(reader.blocks(first, last, damage))
    if not rows:
        damage.raise_if_all(source, first, last)
    if first <= span.oldest and last >= span.newest:  # else they may be elsewhere
        for id in ids:
            if id not in reader.seen and id not in rows:
                newest = objects_in(source, span_of(source).newest)
                raise CommandError(
                    f"object {id} is in no frame of this recording; in the newest frame"
                    f" {object_list_text(newest)}"
                )
    return rows


def _frame_times(
    source: FrameSource, first: int, last: int, damage: DamageLog
) -> tuple[npt.NDArray[np.int64], Times]:
    frames: list[int] = []
    times: list[float] = []
    for frame in frames_in(source, first, last):
        try:
            with damage.skipping(frame):
                times.append(source.time(frame))
                frames.append(frame)
        except EvictedError:
            continue
    return np.array(frames, np.int64), np.array(times, np.float64)
