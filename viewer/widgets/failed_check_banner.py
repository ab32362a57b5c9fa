"""The banner of a failed check or a divergence from a demo: what, where, and for which object."""

from ...playback.playback_state import Mode
from ..backends.playback_backend import (
    DIVERGENCE,
    ReportedCheck,
    failed_check_of,
    reported_divergence,
)
from ..state.shared_pins_and_histories import PanelContext
from ..state.viewer_store import ViewerStore
from ..toolkit import palette
from ..toolkit.qt import (
    QEvent,
    QHBoxLayout,
    QLabel,
    QObject,
    QPainter,
    QPaintEvent,
    QPointF,
    QPolygonF,
    QPushButton,
    QRectF,
    QSizePolicy,
    Qt,
    QVBoxLayout,
    QWidget,
)
from ..toolkit.source_location_text import source_location
from ..toolkit.theme import color, font, pen, restyle
from ..toolkit.time_text import time_text

_MAX_WIDTH = 660
_CONDITIONS = ("if ", "if(", "elif ", "else if", "} else if", "case ", "while ", "when ")
_TOP = 37
"""Pixels from the top of the world panel: below the panel's own label."""


class FailureBanner(QWidget):
    """Lies over the top of another widget while there is a failed check to show.

    It appears when a check fails in a running game, and when playback is at a frame in which one
    failed. It stays until it is dismissed or the playhead moves away.

    Args:
        over: The widget below it.
    """

    def __init__(self, store: ViewerStore, over: QWidget) -> None:
        super().__init__(over)
        self.store = store
        self.check: ReportedCheck | None = None
        """The failed check that is shown; None for none."""
        self._dismissed: set[tuple[int, str]] = set()
        """Frame and message of each check that the user has dismissed."""
        self.setAccessibleName("Failed check")
        self.title = QLabel()
        self.title.setFont(font(14, bold=True))
        restyle(self.title, f"color: {palette.SELECTED}; font-size: 14px; font-weight: 600;")
        self.detail = QLabel()
        self.detail.setFont(font(12, mono=True))
        restyle(
            self.detail,
            f"color: {palette.FAILED_TEXT}; font-size: 12px;"
            f" font-family: {font(12, mono=True).families()[0]!r}, 'DejaVu Sans Mono', monospace;",
        )
        self.where = QLabel()
        restyle(self.where, f"color: {palette.DIM};")
        for label in (self.title, self.detail, self.where):
            label.setTextFormat(Qt.TextFormat.PlainText)
            # A long text must not make the window wider than the screen.
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.title.setWordWrap(True)
        self.open = QPushButton("Open source")
        self.go = QPushButton("Go there")
        self.dismiss_button = QPushButton("Dismiss")
        self._lay_out()
        self.open.clicked.connect(self.open_source)
        self.go.clicked.connect(self._go)
        self.dismiss_button.clicked.connect(self.dismiss)
        over.installEventFilter(self)
        store.moved.connect(self._update_check)
        store.status_changed.connect(self._update_check)
        store.history_grew.connect(self._update_check)
        self.hide()

    def _lay_out(self) -> None:
        labels = QVBoxLayout()
        labels.setSpacing(3)
        for label in (self.title, self.detail, self.where):
            labels.addWidget(label)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(52, 10, 12, 10)
        layout.setSpacing(8)
        layout.addLayout(labels, 1)
        for button, tip in (
            (self.open, "Open the check in the editor (E)"),
            (self.go, "Pause the game and go to the frame"),
            (self.dismiss_button, "Dismiss (Esc)"),
        ):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.setToolTip(tip)
            restyle(button, "padding: 6px 10px;")
            layout.addWidget(button)

    # --- choosing the check ---------------------------------------------------------------------

    def show_check(self, check: ReportedCheck) -> None:
        """Show a check that has just failed; of several in one frame the first."""
        violation = check.violation
        if self.check is not None and self.check.violation.frame == violation.frame:
            return
        self._dismissed.discard((violation.frame, violation.message))
        self._show(check)

    def _update_check(self) -> None:
        """Show the check that failed in the current frame, if one did."""
        frame, is_live = self.store.frame, self.store.playback.mode is Mode.LIVE
        if self.check is not None and not self.check.is_paused:
            # The game ran on after the failure; the user may have gone back to that frame.
            if not is_live and frame == self.check.violation.frame:
                self._show(ReportedCheck(self.check.violation, True))
            return
        if is_live:
            # The report of a pause may arrive before the frame in which the game paused.
            if self.check is not None and frame > self.check.violation.frame:
                self._hide_check()
            return
        found = self._found_at(frame)
        if found is None:
            if self.check is not None and self.check.violation.frame != frame and frame:
                self._hide_check()
        elif self.check is None or self.check.violation != found.violation:
            self._show(found)

    def _found_at(self, frame: int) -> ReportedCheck | None:
        """What went wrong in a frame: of the selected object first, and checks first."""
        marks = [mark for mark in self.store.history.marks if mark.frame == frame]
        found = [
            *(ReportedCheck(failed_check_of(mark), True) for mark in marks if mark.kind == "check"),
            *(reported_divergence(mark) for mark in marks if mark.name == DIVERGENCE),
        ]
        shown = [
            one for one in found
            if (one.violation.frame, one.violation.message) not in self._dismissed
        ]  # fmt: skip
        return min(shown, key=lambda one: one.violation.object != self.store.selected, default=None)

    def _show(self, check: ReportedCheck) -> None:
        self.check = check
        violation = check.violation
        self.title.setText(f"{check.heading}: {violation.message}")
        # The expression of `check(False, …)` explains nothing: the line around it may.
        explains = violation.expression not in ("", "False")
        code = violation.expression if explains else self._code_of(violation.file, violation.line)
        self.detail.setText(code)
        self.detail.setVisible(bool(code))
        snapshot = self.store.snapshot
        object_name = (
            snapshot.name_of(violation.object) if snapshot is not None and violation.object else ""
        )
        parts = [
            source_location(violation.file, violation.line), object_name,
            f"frame {violation.frame}", time_text(violation.time), self._others(violation.frame),
            "" if check.is_paused else "the game runs on",
        ]  # fmt: skip
        self.where.setText("   ·   ".join(part for part in parts if part))
        has_source = bool(violation.file)
        self.where.setToolTip(f"{violation.file}:{violation.line}" if has_source else "")
        self.open.setVisible(has_source)
        self.go.setVisible(not check.is_paused)
        self.show()
        self._move_and_resize()
        self.raise_()
        self._repaint_below()

    def _others(self, frame: int) -> str:
        """How many more checks failed in a frame, in words; empty if none did."""
        marks = self.store.history.marks
        count = sum(mark.frame == frame and mark.kind == "check" for mark in marks) - 1
        return f"and {count} more in this frame" if count > 0 else ""

    def _code_of(self, file: str, line: int) -> str:
        """A line of the game's source, with the condition that it is under.

        A row of a demo explains nothing: it is too long to be read."""
        if file.endswith(".csv"):
            return ""
        sources = PanelContext.of(self.store).sources
        before = sources.line(file, line - 1)
        condition = before if before.startswith(_CONDITIONS) else ""
        return "   ".join(part for part in (condition, sources.line(file, line)) if part)

    def _repaint_below(self) -> None:
        """Repaint the widget below: what it paints at its top makes room for this banner."""
        over = self.parentWidget()
        if over is not None:
            over.update()

    def dismiss(self) -> None:
        """Hide the check until it fails again."""
        if self.check is not None:
            violation = self.check.violation
            self._dismissed.add((violation.frame, violation.message))
        self._hide_check()

    def _hide_check(self) -> None:
        self.check = None
        self.hide()
        self._repaint_below()

    def open_source(self) -> None:
        """Open the check's source line in the editor."""
        if self.check is not None:
            self.store.source_requested.emit(self.check.violation.file, self.check.violation.line)

    def _go(self) -> None:
        if self.check is not None:
            self.store.jump(self.check.violation.frame, self.check.violation.object)

    # --- geometry and painting ------------------------------------------------------------------

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802
        if event is not None and event.type() == QEvent.Type.Resize and self.isVisible():
            self._move_and_resize()
        return False

    def _move_and_resize(self) -> None:
        over = self.parentWidget()
        assert over is not None
        across, down = QWidget.width(over), QWidget.height(over)
        width = max(200, min(_MAX_WIDTH, across - 24))
        self.setFixedWidth(width)
        # Not adjustSize(), which only guesses the height of a wrapped title.
        self.resize(width, max(self.heightForWidth(width), self.minimumSizeHint().height()))
        self.move((across - width) // 2, min(_TOP, max(0, down - self.height())))

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(palette.FAILED))
        painter.setBrush(color(palette.FAILED_GROUND))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 7, 7)
        middle, half = self.height() / 2, 11.0
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color(palette.FAILED))
        painter.drawPolygon(QPolygonF([
            QPointF(28, middle - half), QPointF(28 - half - 2, middle + half - 1),
            QPointF(28 + half + 2, middle + half - 1),
        ]))  # fmt: skip
        painter.setPen(pen(palette.FAILED_GROUND))
        painter.setFont(font(14, bold=True))
        box = QRectF(28 - half, middle - half + 3, 2 * half, 2 * half - 3)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "!")
        painter.end()
