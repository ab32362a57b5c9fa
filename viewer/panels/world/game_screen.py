"""The game's own picture in place of a world in which nothing has a position."""

from ...reader.picture_scan import PictureRequest
from ...state.recorded_pictures import RecordedPictures
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.qt import QImage, QObject, QPainter, QRect, QSize, Qt, pyqtSignal
from ...toolkit.theme import color

_ABOVE = 44
"""Pixels above it that the caption has."""


class GameScreen(QObject):
    """Paints the newest picture at the playhead, as large as it fits."""

    changed = pyqtSignal()
    """There are other pictures, or one was decoded."""

    def __init__(self, store: ViewerStore) -> None:
        super().__init__(store)
        self._store = store
        self._pictures = RecordedPictures.of(store)
        self._newest: QImage | None = None
        """The one that was painted last: it stays until the next is decoded."""
        self._pictures.changed.connect(self.changed)

    def paint(self, painter: QPainter, box: QRect) -> bool:
        """Paint it into a box; False if there is none."""
        names = self._pictures.names
        picture = self._pictures.at(names[0], self._store.frame) if names else None
        if picture is None:
            return False
        (image,) = self._pictures.images("World", (PictureRequest(picture),))
        self._newest = self._newest if image is None else image
        painter.fillRect(box, color(palette.SKY))
        if self._newest is not None and not self._newest.isNull():
            room = box.adjusted(8, _ABOVE, -8, -8)
            size: QSize = self._newest.size().scaled(
                room.size(), Qt.AspectRatioMode.KeepAspectRatio
            )
            fitted = QRect(0, 0, size.width(), size.height())
            fitted.moveCenter(room.center())
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(fitted, self._newest)
        return True
