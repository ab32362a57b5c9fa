"""The layout of the cameras' pictures in the panel: side by side, as large as possible."""

import math
from collections.abc import Sequence
from typing import NamedTuple


class PixelBox(NamedTuple):
    """A rectangle, pixels."""

    left: float
    top: float
    width: float
    height: float

    def holds(self, x: float, y: float) -> bool:
        """Whether a point is inside."""
        return (
            self.left <= x < self.left + self.width and self.top <= y < self.top + self.height
        )  # fmt: skip


def cells(count: int, width: float, height: float, gap: float = 4.0) -> list[PixelBox]:
    """The boxes of so many pictures, in rows, so that those of 16 : 9 become the largest."""
    if count < 1:
        return []
    columns = max(
        range(1, count + 1),
        key=lambda one: min(width / one, height / math.ceil(count / one) * 16 / 9),
    )
    rows = math.ceil(count / columns)
    wide = max((width - gap * (columns - 1)) / columns, 1.0)
    high = max((height - gap * (rows - 1)) / rows, 1.0)
    return [
        PixelBox((at % columns) * (wide + gap), (at // columns) * (high + gap), wide, high)
        for at in range(count)
    ]


def fitted(size: tuple[int, int], cell: PixelBox) -> PixelBox:
    """The whole picture in the middle of a box."""
    width, height = size
    scale = min(cell.width / max(width, 1), cell.height / max(height, 1))
    return _centred(width * scale, height * scale, cell)


def natural(
    size: tuple[int, int], cell: PixelBox, pan: tuple[float, float], ratio: float
) -> PixelBox:
    """A picture whose pixels are the screen's, moved by `pan`, but never out of sight.

    Args:
        ratio: Device pixels for each pixel.
    """
    width, height = (side / ratio for side in size)
    middle = _centred(width, height, cell)
    limits = max(width - cell.width, 0.0) / 2, max(height - cell.height, 0.0) / 2
    x, y = (
        min(max(moved, -limit), limit) for moved, limit in zip(pan, limits, strict=True)
    )  # fmt: skip
    return middle._replace(left=round(middle.left + x), top=round(middle.top + y))


def _centred(width: float, height: float, cell: PixelBox) -> PixelBox:
    left = cell.left + (cell.width - width) / 2
    return PixelBox(round(left), round(cell.top + (cell.height - height) / 2), width, height)


def age_text(seconds: float, frames: int) -> str:
    """How much older than the playhead a picture is; empty if it is of that very frame."""
    if frames <= 0:
        return ""
    unit = "frame" if frames == 1 else "frames"
    span = f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
    return f"{frames} {unit} older · {span}"


def shown_names(names: Sequence[str], chosen: str) -> list[str]:
    """The cameras that are shown: the chosen one, or all."""
    return [chosen] if chosen in names else list(names)
