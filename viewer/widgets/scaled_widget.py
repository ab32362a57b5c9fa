"""A widget whose pixels are as large as the text size says, whatever it paints."""

from typing import Any

from ..toolkit.qt import (
    QContextMenuEvent,
    QDragMoveEvent,
    QDropEvent,
    QEvent,
    QMouseEvent,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    QWheelEvent,
    QWidget,
)
from ..toolkit.theme import text_scale


class ScaledWidget(QWidget):
    """Its own pixels are `text_scale()` times as large as those of the widgets around it.

    Size, mouse and device ratio are given in its own pixels, so that a subclass needs to know
    nothing of the text size. Whatever lies over it is another widget, with pixels of the window:
    that asks for `QWidget.width(panel)`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._fixed: tuple[int | None, int | None] = None, None
        """Width and height that it always has, in its own pixels."""

    # --- sizes ----------------------------------------------------------------------------------

    def width(self) -> int:
        return round(super().width() / text_scale())

    def height(self) -> int:
        return round(super().height() / text_scale())

    def size(self) -> QSize:
        return QSize(self.width(), self.height())

    def rect(self) -> QRect:
        return QRect(0, 0, self.width(), self.height())

    def devicePixelRatioF(self) -> float:  # noqa: N802 — Qt's name
        return super().devicePixelRatioF() * text_scale()

    def setFixedSize(self, size: QSize) -> None:  # type: ignore[override] # noqa: N802
        self._fixed = size.width(), size.height()
        self.rescale()

    def setFixedHeight(self, h: int) -> None:  # noqa: N802
        self._fixed = self._fixed[0], h
        self.rescale()

    def setFixedWidth(self, w: int) -> None:  # noqa: N802
        self._fixed = w, self._fixed[1]
        self.rescale()

    def rescale(self) -> None:
        """The text size has changed."""
        width, height = self._fixed
        if width is not None:
            super().setFixedWidth(round(width * text_scale()))
        if height is not None:
            super().setFixedHeight(round(height * text_scale()))
        self.update()

    # --- positions ------------------------------------------------------------------------------

    def update(self, *box: Any) -> None:
        """Have a part painted anew, or all of it."""
        if not box or text_scale() == 1.0:
            super().update(*box)
            return
        (part,) = box
        scale, part = text_scale(), QRectF(part)
        outer = QRectF(
            part.x() * scale, part.y() * scale, part.width() * scale, part.height() * scale
        )
        super().update(outer.toAlignedRect())

    def own(self, part: QRect) -> QRect:
        """A part of the widget in its own pixels, whole."""
        if text_scale() == 1.0:
            return part
        scale, box = text_scale(), QRectF(part)
        return QRectF(
            box.x() / scale, box.y() / scale, box.width() / scale, box.height() / scale
        ).toAlignedRect()

    def mapToGlobal(self, point: Any) -> Any:  # noqa: N802
        return super().mapToGlobal(_times(point, text_scale()))

    def mapFromGlobal(self, point: Any) -> Any:  # noqa: N802
        return _times(super().mapFromGlobal(point), 1 / text_scale())

    def mapTo(self, parent: QWidget | None, point: QPoint) -> QPoint:  # type: ignore[override] # noqa: N802
        return super().mapTo(parent, (QPointF(point) * text_scale()).toPoint())

    # --- the mouse ------------------------------------------------------------------------------

    def event(self, event: QEvent | None) -> bool:
        if event is None or text_scale() == 1.0:
            return super().event(event)
        own = _in_own_pixels(event, 1 / text_scale())
        if own is None:
            return super().event(event)
        done = super().event(own)
        if isinstance(event, QDropEvent) and isinstance(own, QDropEvent):
            event.setDropAction(own.dropAction())
        event.setAccepted(own.isAccepted())
        return done


def _times(point: Any, scale: float) -> Any:
    """A point in other pixels, of the same kind."""
    if scale == 1.0:
        return point
    scaled = QPointF(point) * scale
    return scaled if isinstance(point, QPointF) else scaled.toPoint()


def _in_own_pixels(event: QEvent, scale: float) -> QEvent | None:
    """The same event at its position in other pixels; None if it has no position.

    A drag that enters has the window's pixels: nobody asks it where.
    """
    if isinstance(event, QMouseEvent):
        return QMouseEvent(
            event.type(), event.position() * scale, event.scenePosition(), event.globalPosition(),
            event.button(), event.buttons(), event.modifiers(),
        )  # fmt: skip
    if isinstance(event, QWheelEvent):
        return QWheelEvent(
            event.position() * scale, event.globalPosition(), event.pixelDelta(),
            event.angleDelta(), event.buttons(), event.modifiers(), event.phase(),
            event.inverted(),
        )  # fmt: skip
    if isinstance(event, QContextMenuEvent):
        at = _times(event.pos(), scale)
        return QContextMenuEvent(event.reason(), at, event.globalPos(), event.modifiers())
    if isinstance(event, QDragMoveEvent) and event.type() == QEvent.Type.DragMove:
        return QDragMoveEvent(
            (event.position() * scale).toPoint(), event.possibleActions(), event.mimeData(),
            event.buttons(), event.modifiers(),
        )  # fmt: skip
    if isinstance(event, QDropEvent) and event.type() == QEvent.Type.Drop:
        return QDropEvent(
            event.position() * scale, event.possibleActions(), event.mimeData(), event.buttons(),
            event.modifiers(),
        )  # fmt: skip
    return None
