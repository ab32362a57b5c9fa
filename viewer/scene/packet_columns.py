"""A frame's packets as columns: those of one type and one length together, in recording order."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...native.ring_type_aliases import RUN_LATCHED, Run


class PacketColumns(NamedTuple):
    """Packets of one type whose payloads are equally long; n of them."""

    type: int
    """The ring's number for it."""
    headers: npt.NDArray[Any]
    """(n,) records: `id`, `flags`, `targetable`, `position`, `angles`."""
    payloads: npt.NDArray[np.uint8]
    """(n, bytes)"""
    channels: npt.NDArray[np.int64]
    """(n,) bits."""

    def records(self, record: np.dtype[Any]) -> npt.NDArray[Any]:
        """The start of the payloads, (n,); they must be as long as that."""
        start = np.ascontiguousarray(self.payloads[:, : record.itemsize])
        read: npt.NDArray[Any] = start.view(record)[:, 0] if record.itemsize else start
        return read

    def tails(self, behind: int, element: np.dtype[Any]) -> npt.NDArray[Any] | None:
        """What repeats behind so many bytes, (n, elements, …); None if the last is cut off."""
        room = self.payloads.shape[1] - behind
        if room < 0 or not element.itemsize or room % element.itemsize:
            return None
        bytes_ = self.payloads[:, behind:]
        if not room:
            return np.empty((len(self.headers), 0, *element.shape), element.base)
        # A view where it can be one: of hundreds of skeletons only some are looked at.
        if bytes_.strides[1] != 1:
            bytes_ = np.ascontiguousarray(bytes_)
        numbers = bytes_.view(element.base)
        return numbers.reshape(len(self.headers), room // element.itemsize, *element.shape)


def columns_of(runs: Sequence[Run]) -> list[PacketColumns]:
    """A frame's packets but for those that are latched, in order of their first ones."""
    parts: dict[tuple[int, int], list[Run]] = {}
    for run in runs:
        if not run[2] & RUN_LATCHED:
            key = run[0], 0 if run[4] is None else run[4].shape[1]
            if key in parts:
                parts[key].append(run)
            else:
                parts[key] = [run]
    return [_joined(type, rows) for (type, _), rows in parts.items()]


def _joined(type: int, runs: list[Run]) -> PacketColumns:
    if len(runs) == 1:
        _, channels, _, headers, payloads = runs[0]
        # Beside each other while this thread has just had the whole frame in its cache: whoever
        # paints would fetch each header from far away. As bytes, for the reason below.
        headers = np.ascontiguousarray(headers.view(f"V{headers.itemsize}")).view(headers.dtype)
        if payloads is None:
            payloads = np.empty((len(headers), 0), np.uint8)
        return PacketColumns(type, headers, payloads, np.full(len(headers), channels, np.int64))
    # Numpy would join records field by field, which takes fifty times as long.
    joined = b"".join([run[3].tobytes() for run in runs])
    headers = np.frombuffer(joined, runs[0][3].dtype)
    payload_arrays = [run[4] for run in runs if run[4] is not None]
    payloads = (
        np.concatenate(payload_arrays) if payload_arrays else np.empty((len(headers), 0), np.uint8)
    )
    counts = [len(run[3]) for run in runs]
    return PacketColumns(type, headers, payloads, np.repeat([run[1] for run in runs], counts))
