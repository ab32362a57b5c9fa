"""All objects of one tic of Doom, as columns sorted by type."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...recorder.packets.layouts.layout import Field, layout_from_dtype

DOOM_OBJECT = np.dtype(
    [
        ("position", "<f8", (3,)),
        ("angles", "<f8", (3,)),
        ("velocity", "<f8", (3,)),
    ]
)
"""What a packet holds of an object: x, y, z in map units; angle, pitch and roll in radians;
velocity in map units a tic, as the engine moves by. Packed: 72 bytes."""

DOOM_LAYOUT = layout_from_dtype(
    DOOM_OBJECT,
    notes={
        "position": Field(unit="map unit", role="position"),
        "angles": Field(unit="rad", role="angles"),
        "velocity": Field(unit="map unit/tic", role="velocity"),
    },
)
"""The same, for a handler to declare."""


@dataclass(slots=True)
class DoomColumns:
    """The objects of one type: the columns that a batch is recorded from. Views, not copies."""

    ids: Any
    positions: Any
    angles: Any
    targetable: Any
    visible: Any
    payloads: Any
    """(n,) records of `DOOM_OBJECT`."""


class ObjectTable:
    """The objects of one tic, sorted by type; the engine's order is kept inside a type.

    Args:
        ids: (n,) unsigned 64-bit, none of them 0.
        types: (n,) unsigned 32-bit, never falling: indices into `names`.
        records: (n,) of `DOOM_OBJECT`, packed.
        names: the Doom class of each type index.
        kinds: what the engine takes each class for, such as `Monster`; the dead are of another.
        seen: (m,) ids of what is on the player's screen.
    """

    __slots__ = ("_positions", "ids", "kinds", "names", "records", "seen", "types")

    def __init__(
        self,
        ids: npt.NDArray[np.uint64],
        types: npt.NDArray[np.uint32],
        records: npt.NDArray[Any],
        names: tuple[str, ...],
        kinds: tuple[str, ...] = (),
        seen: npt.NDArray[np.uint64] | None = None,
    ) -> None:
        self.kinds = kinds
        self.seen = np.zeros(0, "<u8") if seen is None else seen
        self.ids = ids
        self.types = types
        self.records = records
        self.names = names
        self._positions: dict[int, int] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[tuple[int, str, Any]]:
        """Each object as (id, type, record)."""
        names = self.names
        for id, index, record in zip(
            self.ids.tolist(), self.types.tolist(), self.records, strict=True
        ):
            yield id, names[index], record

    def slices(self) -> list[tuple[str, slice]]:
        """The position in the columns of each type that is present."""
        if not len(self.types):
            return []
        starts = [0, *(np.flatnonzero(self.types[1:] != self.types[:-1]) + 1).tolist()]
        ends = [*starts[1:], len(self.types)]
        indices = self.types[starts].tolist()
        return [
            (self.names[index], slice(start, end))
            for index, start, end in zip(indices, starts, ends, strict=True)
        ]

    def columns_by_type(self) -> list[tuple[str, DoomColumns]]:
        """Each type that is present, with its columns."""
        positions = self.records["position"].astype(np.float32)
        # Headers say roll first, as the world's conventions do.
        angles = self.records["angles"][:, ::-1].astype(np.float32)
        return [
            (
                name,
                DoomColumns(
                    self.ids[part], positions[part], angles[part], None, None, self.records[part]
                ),
            )
            for name, part in self.slices()
        ]

    def of_kinds(self, *kinds: str) -> npt.NDArray[np.int_]:
        """Where the objects of these kinds stand in the columns."""
        matches = [kind in kinds for kind in self.kinds]
        return np.flatnonzero(np.array(matches, bool)[self.types])

    def find(self, object_id: int) -> Any | None:
        """The record of this object, or None if it does not exist in this tic."""
        at = self._index().get(object_id)
        return None if at is None else self.records[at]

    def type_of(self, object_id: int) -> str | None:
        """Its Doom class, which may change while the id stays: `DoomPlayer`, `DeadDoomPlayer`."""
        at = self._index().get(object_id)
        return None if at is None else self.names[self.types[at]]

    def types_by_id(self) -> Mapping[int, str]:
        """The Doom class of every object."""
        names = self.names
        return {
            id: names[index]
            for id, index in zip(self.ids.tolist(), self.types.tolist(), strict=True)
        }

    def hash(self) -> str:
        """32 hex digits over every id, type and number of the tic."""
        digest = hashlib.blake2b(digest_size=16)
        for name, part in self.slices():
            digest.update(f"{name}:{part.stop - part.start};".encode())
        digest.update(self.ids.tobytes())
        digest.update(self.records.tobytes())
        return digest.hexdigest()

    def _index(self) -> dict[int, int]:
        if self._positions is None:
            self._positions = {id: at for at, id in enumerate(self.ids.tolist())}
        return self._positions
