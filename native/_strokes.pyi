"""The compiled lines of the viewer's world."""

import numpy as np
import numpy.typing as npt
from typing_extensions import Buffer

def draw_lines(
    pixels: Buffer | npt.NDArray[np.uint32],
    width: int,
    height: int,
    lines: npt.NDArray[np.float64],
    colors: npt.NDArray[np.uint32],
    broad: float = 1.0,
    /,
) -> None:
    """Draw smooth lines over a picture.

    Args:
        pixels: Its memory, 4 bytes a pixel (0xffRRGGBB as a number), rows without a gap.
        width: Its size in pixels …
        height: … from the top.
        lines: (n, 4) float64, x1, y1, x2, y2 in pixels. What is outside is cut; what is no number
            is left out.
        colors: (n) uint32, each line's.
        broad: Their width in pixels, 1 to 10,000. Those of more than one reach half a pixel beyond
            their ends, so that lines that follow one another have no seams.

    Raises:
        ValueError: the sizes don't fit one another, or lines can't be so broad.
    """

def draw_edges(
    pixels: Buffer | npt.NDArray[np.uint32],
    width: int,
    height: int,
    points: npt.NDArray[np.float64],
    starts: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    colors: npt.NDArray[np.uint32],
    matrix: npt.NDArray[np.float64],
    near: float,
    wide: float,
    high: float,
    /,
) -> None:
    """The same for lines between points of a world, seen through a camera.

    Args:
        points: (p, 3) float64.
        starts: (n) int64, the point at which each line starts …
        ends: … and ends.
        matrix: (4, 4) float64, for rows: point @ matrix[:3] + matrix[3] are clip coordinates.
        near: Depths from which on something is in front of the eye. What comes from behind is
            cut there.
        wide: How many pixels the camera's picture has from side to side …
        high: … and from its top to its foot.

    Raises:
        ValueError: the sizes don't fit one another.
        IndexError: there is no such point.
    """
