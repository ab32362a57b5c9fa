"""The compiled rasterisers of the viewer's world: lines, triangles and round limbs.

All of them draw into a picture in memory: 4 bytes a pixel (0xffRRGGBB as a number), rows without a
gap. Where a depth is asked for it is a float32 for each pixel, how *near* what is drawn there is:
0 where nothing is, larger the nearer. What raises leaves the picture as it was.

Points of a world are (p, 3) float64, and are seen through a camera: `matrix`, (4, 4) float64, for
rows: point @ matrix[:3] + matrix[3] are clip coordinates, of which the third by the fourth is the
nearness; `near`, the depth from which on something is in front of the eye (what comes from behind
is cut there); `wide` and `high`, how many pixels the camera's picture has.

Every function raises ValueError if sizes don't fit one another, and IndexError if there is no such
point.
"""

import numpy as np
import numpy.typing as npt
from typing_extensions import Buffer

_Pixels = Buffer | npt.NDArray[np.uint32]

def draw_lines(
    pixels: _Pixels,
    width: int,
    height: int,
    lines: npt.NDArray[np.float64],
    colors: npt.NDArray[np.uint32],
    broad: float = 1.0,
    /,
) -> None:
    """Draw smooth lines over a picture.

    Args:
        pixels: The picture …
        width: … its size in pixels …
        height: … from the top.
        lines: (n, 4) float64, x1, y1, x2, y2 in pixels. What is outside is cut; what is no number
            is left out.
        colors: (n) uint32, each line's.
        broad: Their width in pixels, 1 to 10,000. Those of more than one reach half a pixel beyond
            their ends, so that lines that follow one another have no seams.
    """

def draw_edges(
    pixels: _Pixels,
    depth: npt.NDArray[np.float32] | None,
    faintness: int,
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
    """The same for lines between points of a world.

    Args:
        depth: What may cover them, or None. It is only read.
        faintness: What is covered keeps its color's strength / 2 ** faintness, none from 9 on.
        starts: (n) int64, the point at which each line starts …
        ends: … and ends.
    """

def draw_triangles(
    pixels: _Pixels,
    depth: npt.NDArray[np.float32],
    is_body: bool,
    width: int,
    height: int,
    points: npt.NDArray[np.float64],
    corners: npt.NDArray[np.int64],
    colors: npt.NDArray[np.uint32],
    matrix: npt.NDArray[np.float64],
    near: float,
    wide: float,
    high: float,
    /,
) -> None:
    """Draw triangles of one color each, seen from both sides.

    Args:
        is_body: Whether they are a body's: then limbs behind them are not kept as covered.
        corners: (n, 3) int64 indexes of points.
        colors: (n) uint32, 0xAARRGGBB. One that is not opaque leaves the depth as it is.
    """

def draw_capsules(
    pixels: _Pixels,
    depth: npt.NDArray[np.float32],
    covered: npt.NDArray[np.uint32],
    width: int,
    height: int,
    points: npt.NDArray[np.float64],
    starts: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    radii: npt.NDArray[np.float64],
    colors: npt.NDArray[np.uint32],
    matrix: npt.NDArray[np.float64],
    near: float,
    wide: float,
    high: float,
    /,
) -> int:
    """Draw round, shaded limbs; returns how many of their pixels are behind triangles.

    Args:
        covered: (pixels) uint32; where a triangle is in front, the limb's color goes here instead.
        starts: (n) int64, the point at which each limb starts …
        ends: … and ends.
        radii: (n) float64, in the world's unit.
    """

def draw_outlines(
    pixels: _Pixels,
    depth: npt.NDArray[np.float32],
    covered: npt.NDArray[np.uint32],
    width: int,
    height: int,
    /,
) -> None:
    """Draw outlines of what `draw_capsules` left in `covered`, which is emptied with that."""
