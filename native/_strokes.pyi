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
    /,
) -> None:
    """Draw smooth lines, one pixel wide, over a picture.

    Args:
        pixels: Its memory, 4 bytes a pixel (0xffRRGGBB as a number), rows without a gap.
        width: Its size in pixels …
        height: … from the top.
        lines: (n, 4) float64, x1, y1, x2, y2 in pixels. What is outside is cut; what is no number
            is left out.
        colors: (n) uint32, each line's.

    Raises:
        ValueError: the sizes don't fit one another.
    """
