"""Fields that are dragged from one panel to another."""

import json

from ..state.pinned_fields import Field
from ..toolkit.qt import QDrag, QMimeData, QWidget

MIME = "application/x-playhead-field"


def start_drag(source: QWidget, field: Field) -> None:
    """Have the mouse carry a field until its button is let go."""
    drag = QDrag(source)
    drag.setMimeData(data_of(field))
    drag.exec()


def data_of(field: Field) -> QMimeData:
    """A field as the mouse carries it; for other programs it is a text."""
    data = QMimeData()
    data.setData(MIME, json.dumps(field).encode())
    data.setText(field.name)
    return data


def field_of(data: QMimeData | None) -> Field | None:
    """The field that is carried; None if it is something else."""
    if data is None or not data.hasFormat(MIME):
        return None
    try:
        object, name, watch = json.loads(data.data(MIME).data())
    except ValueError:  # another program may say anything under this name
        return None
    if not isinstance(object, int) or not isinstance(name, str) or not isinstance(watch, bool):
        return None
    return Field(object, name, watch)
