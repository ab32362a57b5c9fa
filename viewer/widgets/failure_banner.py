"""The banner of a failed check: what failed, where it is checked, and about whom."""

from pathlib import PureWindowsPath

from ...playback.playback_state import Mode
from ..backends.playback_backend import ReportedCheck, failed_check_of
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
from ..toolkit.theme import color, font, pen
from ..toolkit.time_text import time_text

_WIDEST = 660
_TOP = 37
"""Below the world's own label."""


class FailureBanner(QWidget):
    """Lies over the top of another widget while there is a failed check to show.

    It comes when a check fails in a running game, and where a recording is paused at one; it stays
    until it is dismissed or the playhead moves away.

    Args:
        over: What it lies over.
    """

    def __init__(self, store: ViewerStore, over: QWidget) -> None:
        super().__init__(over)
        self.store = store
        self.check: ReportedCheck | None = None
        """The failed check that is shown; None for none."""
        self._dismissed: set[tuple[int, str]] = set()
        self.setAccessibleName("Failed check")
        self.title = QLabel()
        self.title.setFont(font(14, bold=True))
        self.title.setStyleSheet(f"color: {palette.SELECTED}; font-size: 14px; font-weight: 600;")
        self.detail = QLabel()
        self.detail.setFont(font(12, mono=True))
        self.detail.setStyleSheet(
            f"color: {palette.FAILED_TEXT}; font-size: 12px;"
            f" font-family: {font(12, mono=True).families()[0]!r}, 'DejaVu Sans Mono', monospace;"
        )
        self.where = QLabel()
        self.where.setStyleSheet(f"color: {palette.DIM};")
        for label in (self.title, self.detail, self.where):
            label.setTextFormat(Qt.TextFormat.PlainText)
            # A long text must not make the window wider than the screen.
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.title.setWordWrap(True)
        self.open = QPushButton("Open source")
        self.go = QPushButton("Go there")
        self.away = QPushButton("Dismiss")
        self._lay_out()
        self.open.clicked.connect(self.open_source)
        self.go.clicked.connect(self._go)
        self.away.clicked.connect(self.dismiss)
        over.installEventFilter(self)
        store.moved.connect(self._follow)
        store.status_changed.connect(self._follow)
        store.history_grew.connect(self._follow)
        self.hide()

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(3)
        for label in (self.title, self.detail, self.where):
            words.addWidget(label)
        inside = QHBoxLayout(self)
        inside.setContentsMargins(52, 10, 12, 10)
        inside.setSpacing(8)
        inside.addLayout(words, 1)
        for button, tip in (
            (self.open, "Open the check in the editor (E)"),
            (self.go, "Pause the game and go to the frame"), (self.away, "Dismiss (Esc)"),
        ):  # fmt: skip
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.setToolTip(tip)
            button.setStyleSheet("padding: 6px 10px;")
            inside.addWidget(button)

    # --- which check ----------------------------------------------------------------------------

    def show_check(self, check: ReportedCheck) -> None:
        """Show a check that has just failed."""
        violation = check.violation
        self._dismissed.discard((violation.frame, violation.message))
        self._show(check)

    def _follow(self) -> None:
        """Show the check that failed in the current frame, if one did."""
        frame, live = self.store.frame, self.store.playback.mode is Mode.LIVE
        if self.check is not None and not self.check.is_paused:
            # The game ran on: a person may have gone to that frame by now.
            if not live and frame == self.check.violation.frame:
                self._show(ReportedCheck(self.check.violation, True))
            return
        if live:
            # That a game is paused may be known a little before its last frame is shown.
            if self.check is not None and frame > self.check.violation.frame:
                self._hide_check()
            return
        marks = [
            mark for mark in self.store.history.marks
            if mark.kind == "check" and mark.frame == frame
            and (mark.frame, mark.name) not in self._dismissed
        ]  # fmt: skip
        about = [mark for mark in marks if mark.object == self.store.selected]
        if not marks:
            if self.check is not None and self.check.violation.frame != frame and frame:
                self._hide_check()
            return
        violation = failed_check_of((about or marks)[0])
        if self.check is None or self.check.violation != violation:
            self._show(ReportedCheck(violation, True))

    def _show(self, check: ReportedCheck) -> None:
        self.check = check
        violation = check.violation
        self.title.setText(f"Check failed: {violation.message}")
        self.detail.setText(violation.expression)
        # `check(False, …)` was decided elsewhere: its expression explains nothing.
        self.detail.setVisible(violation.expression not in ("", "False"))
        snapshot = self.store.snapshot
        who = (
            snapshot.name_of(violation.object) if snapshot is not None and violation.object else ""
        )
        # The path may come from another system, with other slashes.
        file = PureWindowsPath(violation.file).name if violation.file else ""
        parts = [
            f"{file}:{violation.line}" if file else "", who,
            f"frame {violation.frame}", time_text(violation.time),
            "" if check.is_paused else "the game runs on",
        ]  # fmt: skip
        self.where.setText("   ·   ".join(part for part in parts if part))
        self.where.setToolTip(f"{violation.file}:{violation.line}" if file else "")
        self.open.setVisible(bool(file))
        self.go.setVisible(not check.is_paused)
        self.show()
        self._place()
        self.raise_()
        self._make_room()

    def _make_room(self) -> None:
        """Have the widget below painted again: its own banner moves with this one."""
        over = self.parentWidget()
        if over is not None:
            over.update()

    def dismiss(self) -> None:
        """Hide the check, as the person has read it."""
        if self.check is not None:
            violation = self.check.violation
            self._dismissed.add((violation.frame, violation.message))
        self._hide_check()

    def _hide_check(self) -> None:
        self.check = None
        self.hide()
        self._make_room()

    def open_source(self) -> None:
        """Show the check in the editor."""
        if self.check is not None:
            self.store.source_requested.emit(self.check.violation.file, self.check.violation.line)

    def _go(self) -> None:
        if self.check is not None:
            self.store.jump(self.check.violation.frame, self.check.violation.object)

    # --- the picture ----------------------------------------------------------------------------

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802
        if event is not None and event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def _place(self) -> None:
        over = self.parentWidget()
        assert over is not None
        width = max(200, min(_WIDEST, over.width() - 24))
        self.setFixedWidth(width)
        # A wrapped title is as high as its width makes it: adjustSize() guesses that.
        self.resize(width, max(self.heightForWidth(width), self.minimumSizeHint().height()))
        self.move((over.width() - width) // 2, min(_TOP, max(0, over.height() - self.height())))

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
