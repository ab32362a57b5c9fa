"""The picture panel: what the game's own screen showed at the playhead, of each camera."""

from typing import NamedTuple

from ...reader.picture_scan import PictureRequest, ScannedPicture
from ...state.recorded_pictures import RecordedPictures
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.clipboard import copy_image
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.qt import (
    QContextMenuEvent,
    QImage,
    QMouseEvent,
    QPainter,
    QPixmap,
    QPointF,
    QRect,
    QRectF,
    Qt,
)
from ...toolkit.text_painting import paint_empty_text
from ...toolkit.theme import color, font, pen
from ...widgets.painted_panel import PaintedPanel
from .picture_layout import PixelBox, age_text, cells, fitted, natural, shown_names

_LINE = 20
"""Pixels of the line under each picture."""
_CALL = "session.picture(pixels)   ·   rec.wrap(env) and pygame's window are recorded by themselves"


class _Shown(NamedTuple):
    """A picture as it is in the panel."""

    name: str
    picture: ScannedPicture | None
    cell: PixelBox


class PicturePanel(PaintedPanel):
    """The newest picture at or before the playhead, of each camera, and how old it is.

    A click shows one camera alone, or all again; a double click changes between the whole picture
    and its own pixels, which a drag moves.
    """

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Picture")
        self.store = store
        self.pictures = RecordedPictures.of(store)
        self.chosen = ""
        """The camera that is shown alone; empty for all."""
        self.is_natural = False
        """Whether a pixel of a picture is a pixel of the screen."""
        self.is_smooth = True
        """Whether a picture that is not shown in its own size is smoothed."""
        self._pan = (0.0, 0.0)
        self._pressed: QPointF | None = None
        self._pan_before = (0.0, 0.0)
        self._has_moved = False
        self._painted: tuple[object, ...] = ()
        self._newest: dict[str, tuple[ScannedPicture, QImage]] = {}
        """The picture of each camera that was painted last: it stays until the next is decoded."""
        self._pixmaps: dict[str, tuple[object, QPixmap]] = {}
        self._lines: list[QRect] = []
        store.moved.connect(self._moved)
        store.status_changed.connect(self._moved)
        self.pictures.changed.connect(self._moved)

    # --- what is shown --------------------------------------------------------------------------

    @property
    def shown(self) -> list[_Shown]:
        """The pictures at the playhead, and where they are."""
        names = shown_names(self.pictures.names, self.chosen)
        cell_boxes = cells(len(names), self.width(), self.height())
        frame = self.store.frame
        return [
            _Shown(name, self.pictures.at(name, frame), cell)
            for name, cell in zip(names, cell_boxes, strict=True)
        ]

    def _moved(self) -> None:
        """Paint what has changed: the pictures, or only how old they are."""
        if not self.isVisible():
            return
        look = self._look()
        if look != self._painted:
            self.update()
            return
        for line in self._lines:
            self.update(line)

    def _look(self) -> tuple[object, ...]:
        """All that the pictures depend on."""
        return (
            self.size(), self.devicePixelRatioF(), self.is_natural, self.is_smooth, self._pan,
            self.pictures.version, tuple((one.name, one.picture) for one in self.shown),
        )  # fmt: skip

    def paint(self, painter: QPainter) -> None:
        self._painted, self._lines = self._look(), []
        painter.fillRect(self.exposed, color(palette.GROUND))
        shown = self.shown
        if not shown:
            known = self.pictures.is_complete
            text = "No pictures are recorded" if known else "Looking for pictures …"
            paint_empty_text(painter, QRectF(self.rect()), text, _CALL)
            return
        requests = [PictureRequest(one.picture) for one in shown if one.picture is not None]
        images = iter(self.pictures.images("Picture", requests))
        for one in shown:
            image = next(images) if one.picture is not None else None
            self._paint_camera(painter, one, image)

    def _paint_camera(self, painter: QPainter, one: _Shown, image: QImage | None) -> None:
        name, picture, cell = one
        inner = cell._replace(height=max(cell.height - _LINE, 1.0))
        if picture is not None and image is not None:
            self._newest[name] = picture, image
        painted = self._newest.get(name) if picture is not None else None
        if painted is not None and not painted[1].isNull():
            self._paint_image(painter, name, painted[1], inner)
        elif painted is not None or picture is None:
            box = QRectF(*inner)
            text = "No picture so far" if picture is None else "This picture can't be read"
            paint_empty_text(painter, box, text)
        line = QRectF(cell.left, inner.top + inner.height, cell.width, _LINE)
        self._lines.append(line.toAlignedRect())
        self._paint_line(painter, name, picture, painted, line)

    def _paint_image(self, painter: QPainter, name: str, image: QImage, cell: PixelBox) -> None:
        size, ratio = (image.width(), image.height()), self.devicePixelRatioF()
        box = natural(size, cell, self._pan, ratio) if self.is_natural else fitted(size, cell)
        painter.save()
        painter.setClipRect(QRectF(*cell), Qt.ClipOperation.IntersectClip)
        # Scaled once: to scale in every painting takes several times as long as all the rest.
        wide, high = (max(1, round(side * ratio)) for side in (box.width, box.height))
        key = (image.cacheKey(), wide, high, self.is_smooth)
        known = self._pixmaps.get(name)
        if known is None or known[0] != key:
            mode = Qt.TransformationMode
            how = mode.SmoothTransformation if self.is_smooth else mode.FastTransformation
            ratios = Qt.AspectRatioMode.IgnoreAspectRatio
            scaled = image if size == (wide, high) else image.scaled(wide, high, ratios, how)
            pixmap = QPixmap.fromImage(scaled)
            pixmap.setDevicePixelRatio(ratio)
            known = self._pixmaps[name] = key, pixmap
        painter.drawPixmap(QPointF(box.left, box.top), known[1])
        painter.restore()

    def _paint_line(
        self, painter: QPainter, name: str, picture: ScannedPicture | None,
        painted: tuple[ScannedPicture, QImage] | None, box: QRectF,
    ) -> None:  # fmt: skip
        """The name, size and age of a picture."""
        painter.fillRect(box, color(palette.PANEL))
        painter.setFont(font(11))
        painter.setPen(pen(palette.DIM))
        words = box.adjusted(8, 0, -8, 0)
        left = Qt.AlignmentFlag.AlignVCenter
        size = "" if painted is None else f"   {painted[1].width()} × {painted[1].height()}"
        painter.drawText(words, left, f"{name}{size}")
        text = self.age_of(painted[0] if painted is not None else picture)
        if text:
            painter.setPen(pen(palette.WARNING))
            painter.drawText(words, left | Qt.AlignmentFlag.AlignRight, text)

    def age_of(self, picture: ScannedPicture | None) -> str:
        """How much older than the playhead a picture is; empty if it is of that frame."""
        cursor = self.store.cursor
        if picture is None or cursor is None:
            return ""
        return age_text(cursor - picture.time, self.store.frame - picture.frame)

    def text(self) -> str:
        """The pictures' names, frames and ages."""
        lines = [
            f"{one.name}   none so far" if one.picture is None
            else f"{one.name}   frame {one.picture.frame}   {self.age_of(one.picture)}".rstrip()
            for one in self.shown
        ]  # fmt: skip
        return "\n".join(lines) or "No pictures are recorded"

    # --- what a user does ---------------------------------------------------------------------

    def choose(self, name: str) -> None:
        """Show one camera alone; all if the name is empty."""
        self.chosen, self._pan = name, (0.0, 0.0)
        self.update()

    def set_natural(self, is_natural: bool) -> None:
        """Show the pixels of pictures as pixels of the screen, or the whole pictures."""
        self.is_natural, self._pan = is_natural, (0.0, 0.0)
        self.update()

    def set_smooth(self, is_smooth: bool) -> None:
        """Smooth what is not shown in its own size, or show its pixels."""
        self.is_smooth = is_smooth
        self.update()

    def entries(self) -> list[MenuEntry]:
        """What the menu offers."""
        names = self.pictures.names
        entries: list[MenuEntry] = []
        if len(names) > 1:
            entries += [
                (f"Only {name}", lambda name=name: self.choose(name))
                for name in names
                if name != self.chosen
            ]
            if self.chosen:
                entries.append(("All cameras", lambda: self.choose("")))
        if self.is_natural:
            entries.append(("Fit into the panel", lambda: self.set_natural(False)))
        else:
            entries.append(("Own size, 1 : 1", lambda: self.set_natural(True)))
        if self.is_smooth:
            entries.append(("No smoothing", lambda: self.set_smooth(False)))
        else:
            entries.append(("Smoothing", lambda: self.set_smooth(True)))
        entries.append(("Copy the picture", self.copy_image))
        return entries

    def copy_image(self) -> None:
        """Put the first picture that is shown on the clipboard."""
        for one in self.shown:
            painted = self._newest.get(one.name)
            if painted is not None and not painted[1].isNull():
                copy_image(painted[1])
                return
        self.store.message.emit("There is no picture here to be copied")

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:  # noqa: N802
        assert event is not None
        self.menu_of(self.entries()).exec(event.globalPos())

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._pan_before, self._has_moved = event.position(), self._pan, False

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        if self._pressed is None:
            return
        away = event.position() - self._pressed
        self._has_moved |= abs(away.x()) + abs(away.y()) > 4
        if self.is_natural and self._has_moved:
            self._pan = (self._pan_before[0] + away.x(), self._pan_before[1] + away.y())
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        pressed, self._pressed = self._pressed, None
        if pressed is None or self._has_moved or len(self.pictures.names) < 2:
            return
        if self.chosen:
            self.choose("")
            return
        for one in self.shown:
            if one.cell.holds(pressed.x(), pressed.y()):
                self.choose(one.name)

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        self.set_natural(not self.is_natural)
