"""The tabs of panels that share one area: their names fit, or are shortened at their ends."""

from ..toolkit.qt import QEvent, QFont, QFontMetricsF, QObject, Qt, QTabBar

_PADDING = 24.0
"""Pixels beside a name, where there is room (see the style sheet)."""


class PanelTabs(QObject):
    """Dresses the tab bars of a window, which Qt makes and deletes as panels are moved."""

    def dress(self, bar: QTabBar) -> None:
        """Have a bar look and behave as the others."""
        bar.setUsesScrollButtons(False)
        bar.setElideMode(Qt.TextElideMode.ElideRight)
        bar.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # A field can be dragged into a panel that is behind another one.
        bar.setChangeCurrentOnDrag(True)
        bar.setAcceptDrops(True)
        # The weight of the style sheet: names are shortened by the bar's own font.
        face = bar.font()
        face.setWeight(QFont.Weight.DemiBold)
        bar.setFont(face)
        bar.removeEventFilter(self)
        bar.installEventFilter(self)
        self._fit(bar)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802
        if (
            event is not None
            and event.type() == QEvent.Type.Resize
            and isinstance(watched, QTabBar)
        ):
            self._fit(watched)
        return False

    @staticmethod
    def _fit(bar: QTabBar) -> None:
        """Where the names do not fit, they get less room beside them."""
        metrics = QFontMetricsF(bar.font())
        names = [bar.tabText(at) for at in range(bar.count())]
        needs = sum(metrics.horizontalAdvance(name) + _PADDING for name in names)
        tight = needs > bar.width()
        if bool(bar.property("tight")) is not tight:
            bar.setProperty("tight", tight)
            style = bar.style()
            if style is not None:
                style.unpolish(bar)
                style.polish(bar)
            bar.updateGeometry()
