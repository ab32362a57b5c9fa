"""The objects dock: everything in the frame by type, with a filter, and switches for drawings."""

from collections.abc import Sequence
from typing import NamedTuple

from ...playback.command import Show
from ..clock import Clock
from ..layers import LAYERS, Layers
from ..listing import Listing
from ..models import palette
from ..painting import elided
from ..qt import (
    QHBoxLayout,
    QLineEdit,
    QPainter,
    QPaintEvent,
    QPointF,
    QRectF,
    QResizeEvent,
    QSizePolicy,
    Qt,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from ..theme import color, font, pen


class ObjectRow(NamedTuple):
    """A type, or an object of it."""

    title: str
    type: str
    object: int = 0
    note: str = ""
    color: str = palette.DIM


class ObjectList(Listing):
    """Types can be folded; a click on an object selects it, one on its eye hides it."""

    empty = "No objects in this frame"
    call = "handlers.register(…)  and  World.objects()"

    def __init__(self, clock: Clock) -> None:
        super().__init__("Objects")
        self.clock = clock
        self.filter = ""
        self._rows: list[ObjectRow] = []
        self._folded: set[str] = set()
        self._shown_selection = 0
        clock.moved.connect(self.renew)
        clock.picked.connect(self.renew)

    @property
    def rows(self) -> list[ObjectRow]:
        """What is listed."""
        return self._rows

    def renew(self) -> None:
        """Make the rows anew, if there is anything else to be seen."""
        moment = self.clock.moment
        if moment is None:
            self._rows = []
        else:
            words = self.filter.lower().split()
            types = tuple(sorted({one.packet.type for one in moment.objects.values()}))
            self._rows = []
            for type in types:
                members = [
                    one for one in moment.objects.values()
                    if one.packet.type == type
                    and all(word in f"{one.name} {type} {one.packet.id}".lower() for word in words)
                ]  # fmt: skip
                if not members:
                    continue
                self._rows.append(ObjectRow(type, type, note=str(len(members))))
                if type in self._folded and not words:
                    continue
                members.sort(key=lambda one: (one.name, one.packet.id))
                self._rows += [
                    ObjectRow(
                        one.name, type, one.packet.id, moment.state_of(one.packet.id),
                        palette.type_color(type, types),
                    )
                    for one in members
                ]  # fmt: skip
        self.empty = "Nothing matches" if self.filter else ObjectList.empty
        if self._shown_selection != self.clock.selected:
            self._shown_selection = self.clock.selected
            self._show_selected()
        self.update()

    def _show_selected(self) -> None:
        ids = [row.object for row in self._rows]
        if self.clock.selected and self.clock.selected in ids:
            self.show_row(ids.index(self.clock.selected))

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._show_selected()

    def heights(self) -> Sequence[int]:
        return [20] * len(self._rows)

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        told = self._rows[row]
        middle = Qt.AlignmentFlag.AlignVCenter
        if not told.object:
            painter.setFont(font(11, bold=True))
            painter.setPen(pen(palette.DIM))
            sign = "▸" if told.type in self._folded else "▾"
            name = elided(painter, f"{sign}  {told.title}", box.width() - 60)
            painter.drawText(box.adjusted(10, 0, 0, 0), middle, name)
            after = 10 + painter.fontMetrics().horizontalAdvance(name) + 8
            painter.setPen(pen(palette.FAINT))
            painter.drawText(box.adjusted(after, 0, 0, 0), middle, told.note)
            return
        selected, hidden = told.object == self.clock.selected, told.object in self.clock.hidden
        if selected:
            painter.fillRect(box, color("#1d3556"))
        elif row == self.hover:
            painter.fillRect(box, color("#181c24"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color(palette.FAINT if hidden else told.color))
        painter.drawEllipse(QPointF(32, box.center().y()), 3.5, 3.5)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        right = 26 if hidden or row == self.hover else 10
        note_width = 0.0
        if told.note:
            painter.setFont(font(11))
            note_width = min(
                painter.fontMetrics().horizontalAdvance(told.note) + 8.0, box.width() / 2
            )
            painter.setPen(pen(palette.lighter(palette.state_color(told.note))))
            painter.drawText(
                box.adjusted(0, 0, -right, 0), middle | Qt.AlignmentFlag.AlignRight,
                elided(painter, told.note, note_width),
            )  # fmt: skip
        painter.setFont(font(12))
        name = palette.SELECTED if selected else palette.FAINT if hidden else palette.TEXT
        painter.setPen(pen(name))
        words = box.adjusted(44, 0, -right - note_width - 4, 0)
        painter.drawText(words, middle, elided(painter, told.title, words.width()))
        if hidden or row == self.hover:
            painter.setPen(pen(palette.FAINT if hidden else palette.DIM))
            eye = box.adjusted(box.width() - 24, 0, -8, 0)
            painter.drawText(eye, Qt.AlignmentFlag.AlignCenter, "○" if hidden else "●")

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        told = self._rows[row]
        if not told.object:
            self._folded ^= {told.type}
            self.renew()
        elif at.x() > self.width() - 26:
            self.clock.hide(self.clock.hidden ^ {told.object})
        else:
            self.clock.select(told.object)


class Chip(QToolButton):
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


class ObjectsDock(QWidget):
    """The list with its filter above, and below the switches of what is drawn."""

    def __init__(self, clock: Clock, layers: Layers) -> None:
        super().__init__()
        self.clock = clock
        self.layers = layers
        self.list = ObjectList(clock)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter objects   (Ctrl+F)")
        self.filter.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.filter.textChanged.connect(self._filtered)
        self.chips: dict[str, QToolButton] = {}
        """By what they switch: a layer of this viewer, or `#channel` of everybody."""
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
        clock.moved.connect(self._add_channels)
        clock.stood.connect(self._renew_chips)
        layers.changed.connect(self._renew_chips)
        self._renew_chips()

    def switch(self, number: int) -> None:
        """Press the chip of that number, counted from 0."""
        chips = list(self.chips.values())
        if 0 <= number < len(chips):
            chips[number].click()

    def _filtered(self, text: str) -> None:
        self.list.filter = text
        self.list.renew()

    def _add_channels(self) -> None:
        moment = self.clock.moment
        if moment is None:
            return
        for name in moment.channels.values():
            if f"#{name}" not in self.chips:
                self._add_chip(f"#{name}", name, palette.type_color(name))
                self._renew_chips()

    def _add_chip(self, key: str, title: str, name: str) -> None:
        chip = Chip(name)
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
            self.clock.send(Show(key[1:], on))
        else:
            self.layers.switch(key, on)

    def _renew_chips(self) -> None:
        for key, chip in self.chips.items():
            if key.startswith("#"):
                chip.setChecked(key[1:] not in self.clock.shown.hidden)
            else:
                chip.setChecked(self.layers.is_on(key))
