"""Samples of a curve: where a range has none, the curve breaks instead of running across it."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_LATE = 1.5
"""How many times its usual interval a sample may come late and still continue the curve."""

_NOISE = 1e-6
"""A share of a length below which it can't differ: numbers of 32 bits have seven figures."""

_MOSTLY = 3.0
"""The same where frames are left out anyway."""


class CurveSamples(NamedTuple):
    """A curve: values at rising times. A value that is no number says that nothing is known from
    its time on."""

    times: Floats
    """(n,) seconds."""
    values: Floats
    """(n,), or (n, parts) of a vector."""

    def index_at(self, time: float) -> int | None:
        """The index of the sample that holds at a time; None before the first one."""
        at = int(np.searchsorted(self.times, time + 1e-9, side="right")) - 1
        return at if at >= 0 else None


def lengths(parts: Floats) -> Floats:
    """How long vectors are, (n, parts) → (n,).

    Of vectors that only turn the length is the same but for the last figures of a number; drawn
    over its whole range that would be a comb of noise. So it is one number where nothing else
    differs.
    """
    result: Floats = np.sqrt(np.square(parts).sum(axis=1))
    fine = result[np.isfinite(result)]
    if len(fine) and float(np.ptp(fine)) <= _NOISE * float(fine.max()):
        result[np.isfinite(result)] = median(fine)
    return result


def broken(frames: Floats, times: Floats, values: Floats, last: float = -np.inf) -> CurveSamples:
    """The samples with a break wherever one that was due did not come.

    A value that is sampled in every tenth frame is due in every tenth frame: the usual interval is
    the median one.

    Args:
        frames: (n,) rising; in which each was taken.
        times: (n,) seconds.
        values: (n,) or (n, parts).
        last: The newest frame that was read: after the last sample there is a break, too, if
            another one was due by then.
    """
    count = len(frames)
    if not count:
        return CurveSamples(times, values)
    if frames[-1] - frames[0] == count - 1:
        if last - frames[-1] <= _LATE:
            return CurveSamples(times, values)  # the most frequent case, which nothing is asked of
        intervals, usual, late = np.ones(count - 1), 1.0, np.empty(0, np.int64)
    else:
        intervals = np.diff(frames)
        usual = median(intervals)
        late = np.flatnonzero(intervals > _LATE * usual)
    if last - frames[-1] > _LATE * usual:
        late = np.append(late, count - 1)
    if not len(late):
        return CurveSamples(times, values)
    # The next one was due one usual interval later; in seconds that is as long as it took before.
    step = _usual_seconds(times, usual, intervals)
    due = times[late] + step
    inside = late < count - 1
    due[inside] = np.minimum(due[inside], times[late[inside] + 1])
    nothing = np.full((len(late), *values.shape[1:]), np.nan)
    return CurveSamples(
        np.insert(times, late + 1, due), np.insert(values, late + 1, nothing, axis=0)
    )


def joined(frames: Floats) -> npt.NDArray[np.bool_]:
    """Whether nothing is missing between two neighbours, for each two, (n − 1,).

    A game that runs is looked at in some of its frames only, now in every second and now in every
    fourth: then nothing is missing where one is left out.
    """
    intervals = np.diff(frames)
    usual = median(intervals) if len(intervals) else 1.0
    result: npt.NDArray[np.bool_] = intervals <= (_LATE if usual <= 1 else _MOSTLY * usual)
    return result


def _usual_seconds(times: Floats, usual: float, intervals: Floats) -> float:
    """How long the usual interval takes."""
    in_time = intervals <= _LATE * usual
    return median(np.diff(times)[in_time]) if in_time.any() else 0.0


def median(values: Floats) -> float:
    """The middle of some numbers; of a few, numpy's own takes ten times as long."""
    ordered, half = np.sort(values), len(values) // 2
    return float(ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2)
