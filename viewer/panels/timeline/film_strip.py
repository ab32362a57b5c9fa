"""The film strip: what the game's screen showed, as thumbnails along the time."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from ...reader.picture_scan import PictureRequest, ScannedPicture
from ...state.recorded_pictures import RecordedPictures
from ...toolkit import palette
from ...toolkit.qt import QImage, QPainter, QRectF, Qt
from ...toolkit.theme import color, pen
from .time_scale import TimeScale

THUMBNAIL = 48
"""Pixels of a thumbnail's height."""
ENLARGED = 240
"""Pixels of the height of the one that the mouse is on, at most."""
_GAP = 2
"""Pixels between two thumbnails."""


class FilmSlot(NamedTuple):
    """A thumbnail's position in the strip."""

    x: float
    width: float
    picture: ScannedPicture


def film_slots(
    pictures: RecordedPictures, name: str, scale: TimeScale, width: float
) -> Iterator[FilmSlot]:
    """The thumbnails of a range of time, from left to right.

    Time is cut into slots that begin at the same instants however it is panned, so that thumbnails
    move with it and no others are needed. Each shows the first picture in its slot. Where most
    slots have none, each picture is at its own time.
    """
    wide = round(THUMBNAIL * pictures.aspect(name)) + _GAP
    seconds = scale.seconds * wide / max(width, 1.0)
    if not seconds > 0:
        return
    first, last = math.floor(scale.start / seconds), math.ceil(scale.end / seconds)
    found = [
        (number * seconds, picture)
        for number in range(first, last)
        if (picture := pictures.between(name, number * seconds, (number + 1) * seconds))
    ]
    is_dense, before = 2 * len(found) > last - first, -math.inf
    for start, picture in found:
        # Never over the one before it, so a little late at the most.
        x = max(scale.x(start if is_dense else picture.time, width), before)
        before = x + wide
        yield FilmSlot(x, wide, picture)


def slot_at(
    pictures: RecordedPictures, name: str, scale: TimeScale, width: float, x: float
) -> FilmSlot | None:
    """The thumbnail at a pixel of the strip."""
    for slot in film_slots(pictures, name, scale, width):
        if slot.x <= x < slot.x + slot.width:
            return slot
    return None


def paint_film(
    painter: QPainter, pictures: RecordedPictures, name: str, box: QRectF, scale: TimeScale
) -> None:
    """The thumbnails of one camera; those that are not decoded yet are grey."""
    painter.fillRect(box, color(palette.GROUND))
    slots = list(film_slots(pictures, name, scale, box.width()))
    requests = [PictureRequest(slot.picture, THUMBNAIL) for slot in slots]
    images = pictures.images(f"film {name}", requests)
    top = box.top() + (box.height() - THUMBNAIL) / 2
    for slot, image in zip(slots, images, strict=True):
        thumbnail_box = QRectF(box.left() + slot.x, top, slot.width - _GAP, THUMBNAIL)
        if image is None or image.isNull():
            painter.fillRect(thumbnail_box, color(palette.GROUP))
            continue
        width = min(thumbnail_box.width(), image.width() * THUMBNAIL / max(image.height(), 1))
        painter.drawImage(
            QRectF(thumbnail_box.left(), top, width, THUMBNAIL), image, _part(image, width)
        )


def _part(image: QImage, width: float) -> QRectF:
    """The middle of an image that is too wide for its slot."""
    wide = min(width * image.height() / THUMBNAIL, image.width())
    return QRectF((image.width() - wide) / 2, 0, wide, image.height())


def paint_enlarged(
    painter: QPainter, image: QImage, room: QRectF, about: QRectF, x: float
) -> None:  # fmt: skip
    """A picture beside its thumbnail, as large as there is room for."""
    below, above = room.bottom() - about.bottom() - 8, about.top() - room.top() - 8
    most = min(max(below, above), float(ENLARGED))
    scale = min(most / image.height(), (room.width() - 16) / image.width())
    if scale * image.height() < THUMBNAIL:
        return
    width, height = image.width() * scale, image.height() * scale
    left = min(max(x - width / 2, room.left() + 8), room.right() - width - 8)
    top = about.bottom() + 4 if below >= above else about.top() - height - 4
    box = QRectF(left, top, width, height)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.drawImage(box, image)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, on=False)
    painter.setPen(pen(palette.EDGE))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(box)
