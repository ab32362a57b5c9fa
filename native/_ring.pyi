"""The compiled ring. Frames are known by their ids, types and channels by numbers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from typing_extensions import Buffer

PACKET_DTYPE: np.dtype[np.void]
ALIGNED_FROM: int

Row = (
    tuple[int, int, bool, Sequence[float], Sequence[float]]
    | tuple[int, int, bool, Sequence[float], Sequence[float], Buffer | None]
)
Plan = tuple[
    int,
    int,
    int,
    Callable[[Any], int] | None,
    Callable[[Any, Any], None] | None,
    list[int] | None,
    list[Any] | None,
]
Run = tuple[int, int, int, npt.NDArray[np.void], npt.NDArray[np.uint8] | None]
RawPacket = tuple[
    int, int, bool, int, tuple[float, float, float], tuple[float, float, float], int, int, bytes
]

def features() -> str: ...
def noop(*args: object) -> None: ...

class PacketWriter:
    position: tuple[float, float, float]
    angles: tuple[float, float, float]
    targetable: bool
    visible: bool
    @property
    def payload(self) -> memoryview: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...

class Ring:
    def __new__(cls, buffer: Buffer, latch: int = -1) -> Ring: ...
    @property
    def newest(self) -> tuple[int, float] | None: ...
    @property
    def oldest(self) -> tuple[int, float] | None: ...
    @property
    def is_open(self) -> bool: ...
    @property
    def open_packets(self) -> int: ...
    @property
    def accounts(self) -> dict[str, int]: ...
    @property
    def finished(self) -> bool: ...
    def begin(self) -> int: ...
    def commit(self, time: float, delta: float, epoch: int = 0, flags: int = 0, /) -> int: ...
    def abort(self) -> None: ...
    def close(self) -> None: ...
    def record(
        self,
        id: int,
        type: int,
        targetable: bool,
        position: Sequence[float],
        angles: Sequence[float],
        payload: Buffer | None = None,
        channels: int = 0,
        /,
    ) -> bool: ...
    def record_list(self, rows: Sequence[Row], channels: int = 0, /) -> int: ...
    def record_batch(
        self,
        type: int,
        ids: Any,
        positions: Any,
        angles: Any = None,
        targetable: Any = None,
        payload: Any = None,
        visible: Any = None,
        channels: int = 0,
    ) -> bool: ...
    def record_objects(
        self,
        objects: Iterable[tuple[int, str, Any]],
        plans: Mapping[str, Plan | None],
        fault: Callable[[int, str, BaseException | None], object],
        fill: int = -1,
        /,
    ) -> int: ...
    def record_by(
        self,
        id: int,
        type: int,
        size: int,
        record: Callable[[Any, PacketWriter], None],
        object: Any,
        channels: int = 0,
        fill: int = -1,
        /,
    ) -> bool: ...
    def latch(
        self, object: int, type: int, channels: int, kind: int, key: int, payload: Buffer, /
    ) -> bool: ...
    def despawn(self, object: int, type: int, /) -> int: ...
    def find(self, time: float, /) -> int: ...
    def stamp(self, frame: int, /) -> tuple[int, float, float, int, int, int, int, int]: ...
    def runs(self, frame: int, /) -> list[Run]: ...
    def packets(self, frame: int, /) -> list[RawPacket]: ...
    def holds(self, frame: int, /) -> bool: ...
    def verify(self, frame: int, /) -> bool: ...
    def latched(
        self, frame: int, object: int, kind: int, key: int, /
    ) -> tuple[int, int, bytes] | None: ...
    def latched_all(self, frame: int, /) -> list[tuple[int, int, int, int, int, bytes]]: ...
    def versions(
        self, frame: int, object: int, kind: int, key: int, limit: int, /
    ) -> list[tuple[int, int, bytes | None]]: ...
