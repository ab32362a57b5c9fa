"""Drag and drop of fields from one panel to another."""

import json

from ..state.pinned_fields import ObjectField
from ..toolkit.qt import QDrag, QMimeData, QWidget

MIME = "application/x-playhead-field"


def start_drag(source: QWidget, field: ObjectField) -> None:
    """Drag a field until the mouse button is released."""
    drag = QDrag(source)
    drag.setMimeData(data_of(field))
    drag.exec()


def data_of(field: ObjectField) -> QMimeData:
    """A field as drag-and-drop data; other programs get its name as text."""
    data = QMimeData()
    data.setData(MIME, json.dumps(field).encode())
    data.setText(field.name)
    return data


def field_of(data: QMimeData | None) -> ObjectField | None:
    """The field that is dragged; None if it is something else."""
    if data is None or not data.hasFormat(MIME):
        return None
    try:
        object, name, watch = json.loads(data.data(MIME).data())
    except ValueError:  # another program may use this MIME type for something else
        return None
    if not isinstance(object, int) or not isinstance(name, str) or not isinstance(watch, bool):
        return None
    return ObjectField(object, name, watch)
