"""The signs of problems: triangles, with a number where several are at one place."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...toolkit import palette
from ...toolkit.qt import QPainter, QPointF, QPolygonF, QRectF, Qt
from ...toolkit.theme import font, pen

_APART = 1.5
"""Pixels within which problems share a sign."""


class ProblemSign(NamedTuple):
    """Where a sign is, in pixels from the left, and how many problems it stands for."""

    x: float
    number: int


def signs_at(places: Iterable[float], first: float, last: float) -> list[ProblemSign]:
    """The signs of problems at some pixels, kept between two others: those at one place share one.

    Args:
        places: Where the problems are, in pixels, in any order.
    """
    signs: list[ProblemSign] = []
    for place in sorted(places):
        x = min(max(place, first), last)
        if signs and x - signs[-1].x <= _APART:
            signs[-1] = signs[-1]._replace(number=signs[-1].number + 1)
        else:
            signs.append(ProblemSign(x, 1))
    return signs


def paint_sign_counts(
    painter: QPainter, signs: Sequence[ProblemSign], box: QRectF, half: float
) -> None:
    """Write `×2` beside signs that stand for several, where there is room beside the next one.

    Args:
        box: Its height is the line's; its right end is that of the room.
        half: Half the width of a sign.
    """
    painter.setFont(font(10, bold=True))
    painter.setPen(pen(palette.FAILED_TEXT))
    metrics = painter.fontMetrics()
    for at, sign in enumerate(signs):
        if sign.number == 1:
            continue
        text = f"×{sign.number}"
        width = metrics.horizontalAdvance(text) + 2.0
        left = sign.x + half + 2
        end = signs[at + 1].x - half if at + 1 < len(signs) else box.right()
        if left + width > end:
            left = sign.x - half - 2 - width
            before = signs[at - 1].x + half if at else box.left()
            if left < before:
                continue
        words = QRectF(left, box.top(), width, box.height())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, text)
    painter.setPen(Qt.PenStyle.NoPen)


def warning_sign(x: float, y: float, size: float = 5.5) -> QPolygonF:
    """A triangle around a point."""
    return QPolygonF(
        [QPointF(x, y - size), QPointF(x + size, y + size - 1), QPointF(x - size, y + size - 1)]
    )
