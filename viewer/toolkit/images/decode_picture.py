"""Decodes recorded pictures with Qt, in any thread."""

from ..qt import QBuffer, QByteArray, QImage, QImageReader, QIODevice, QSize

_MOST_SIDE = 16_384
"""Pixels of a side: what claims more is no picture that was recorded."""


def decoded_picture(data: bytes, height: int = 0) -> QImage:
    """The image in a JPEG, PNG or WebP file; without pixels if it can't be read.

    Args:
        height: Pixels that it shall have; 0 for its own. A smaller JPEG is decoded in less time.
    """
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    size = reader.size()
    if not size.isValid() or max(size.width(), size.height()) > _MOST_SIDE:
        return QImage()
    if 0 < height < size.height():
        width = max(1, round(size.width() * height / size.height()))
        reader.setScaledSize(QSize(width, height))
    image = reader.read()
    # The format that is painted fastest.
    return image.convertToFormat(QImage.Format.Format_RGB32) if not image.isNull() else QImage()
