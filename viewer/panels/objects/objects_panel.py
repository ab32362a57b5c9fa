"""The objects panel: everything in the frame by type, with a filter, and switches for drawings."""

from ....playback.commands import Show
from ...scene.display_layers import LAYERS, Layers
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.qt import (
    QEvent,
    QHBoxLayout,
    QKeyEvent,
    QObject,
    QPainter,
    QPaintEvent,
    QRectF,
    QSizePolicy,
    Qt,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from ...toolkit.theme import color
from ...widgets.lists.filter_edit import filter_edit
from .object_list import ObjectListView


class FilterChip(QToolButton):
    """A switch with the colour of what it switches."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802
        super().paintEvent(event)
        painter = QPainter(self)
        name = self._name if self.isChecked() else palette.EDGE
        painter.fillRect(QRectF(9, self.height() / 2 - 4, 8, 8), color(name))
        painter.end()


class ObjectsPanel(QWidget):
    """The list with its filter above, and below the switches of what is drawn."""

    def __init__(self, store: ViewerStore, layers: Layers) -> None:
        super().__init__()
        self.store = store
        self.layers = layers
        self.list = ObjectListView(store)
        self.filter = filter_edit(
            "Filter objects   (Ctrl+F)", "Filter the objects", self._filtered, self._take_first
        )
        self.filter.installEventFilter(self)
        self.setFocusProxy(self.list)
        self.chips: dict[str, QToolButton] = {}
        """Keyed by what they switch: a layer of this viewer, or a `#channel` for all tools."""
        inside = QVBoxLayout(self)
        inside.setContentsMargins(6, 6, 6, 6)
        inside.setSpacing(6)
        inside.addWidget(self.filter)
        inside.addWidget(self.list, 1)
        self._chip_rows = QVBoxLayout()
        self._chip_rows.setSpacing(4)
        inside.addLayout(self._chip_rows)
        for name, layer in LAYERS.items():
            self._add_chip(name, layer.title, layer.color)
        store.moved.connect(self._add_channels)
        store.status_changed.connect(self._renew_chips)
        layers.changed.connect(self._renew_chips)
        self._renew_chips()

    def switch(self, number: int) -> None:
        """Press the chip of that number, counted from 0."""
        chips = list(self.chips.values())
        if 0 <= number < len(chips):
            chips[number].click()

    def _filtered(self, text: str) -> None:
        self.list.filter = text
        self.list.rebuild()

    def _take_first(self) -> None:
        """Enter in the filter selects the first object that is left, and goes to the list."""
        for at, row in enumerate(self.list.rows):
            if row.object:
                self.list.cursor_row = at
                self.store.select(row.object)
                break
        self.list.setFocus()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802
        """Down leads from the filter into the list."""
        is_press = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress
        if is_press and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Down:
            self.list.setFocus()
            self.list.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)

    def _add_channels(self) -> None:
        snapshot = self.store.snapshot
        if snapshot is None:
            return
        for name in snapshot.channels.values():
            if f"#{name}" not in self.chips:
                self._add_chip(f"#{name}", name, palette.type_color(name))
                self._renew_chips()

    def _add_chip(self, key: str, title: str, name: str) -> None:
        chip = FilterChip(name)
        chip.setCheckable(True)
        chip.setText(title)
        chip.setProperty("chip", True)
        chip.setProperty("dotted", True)
        chip.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        chip.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        chip.setToolTip(
            f"Show debug drawings of the channel {title}, for everybody who looks"
            if key.startswith("#") else f"Draw {title.lower()} in this window"
        )  # fmt: skip
        chip.clicked.connect(lambda on: self._switch(key, on))
        if len(self.chips) % 2 == 0:
            self._chip_rows.addLayout(QHBoxLayout())
        row = self._chip_rows.itemAt(self._chip_rows.count() - 1)
        layout = row.layout() if row is not None else None
        assert layout is not None
        layout.addWidget(chip)
        self.chips[key] = chip

    def _switch(self, key: str, on: bool) -> None:
        if key.startswith("#"):
            self.store.send(Show(key[1:], on))
        else:
            self.layers.switch(key, on)

    def _renew_chips(self) -> None:
        for key, chip in self.chips.items():
            if key.startswith("#"):
                chip.setChecked(key[1:] not in self.store.playback.hidden)
            else:
                chip.setChecked(self.layers.is_on(key))
