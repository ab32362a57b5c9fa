"""The shapes of what goes into and out of the compiled ring."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Row = tuple[Any, ...]
"""(id, type, targetable, position, angles) and perhaps a payload: one packet of `record_list`."""

Plan = tuple[
    int,
    int,
    int,
    Callable[[Any], int] | None,
    Callable[[Any, Any], None] | None,
    list[int] | None,
    list[Any] | None,
]
"""What `record_objects` does with a type: (type, channels, fixed size or −1, size(), record(),
ids, objects). With the two lists objects are only gathered there; without record() they leave
headers flagged damaged."""

Run = tuple[int, int, int, npt.NDArray[np.void], npt.NDArray[np.uint8] | None]
"""(type, channels, flags, packet headers, payloads or None): views of packets in a row."""

Vector = tuple[float, float, float]
RawPacket = tuple[int, int, bool, int, Vector, Vector, int, int, bytes]
"""(id, type, targetable, flags, position, angles, channels, flags of the run, payload)."""

RUN_LATCHED = 1
"""Flag of a run: its packet is latched."""
DAMAGED = 1
"""Flag of a packet: the handler failed, there is only the header."""
HIDDEN = 2
"""Flag of a packet: recorded as not visible."""
CUT = 4
"""Flag of a packet: a text or a blob was too long, its beginning is there."""
PARTIAL = 8
"""Flag of a packet: its handler asked for more bytes than it wrote, the rest is zero."""
