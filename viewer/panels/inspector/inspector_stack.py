"""The inspector of the selected object; while none is selected, the summary."""

from ...state.viewer_store import ViewerStore
from ...toolkit.qt import QStackedWidget
from .inspector_panel import InspectorPanel
from .recording_summary_list import SummaryList


class InspectorViews(QStackedWidget):
    """Shows one or the other, by what is selected."""

    def __init__(self, store: ViewerStore) -> None:
        super().__init__()
        self._store = store
        self.inspector = InspectorPanel(store)
        self.summary = SummaryList(store)
        self.addWidget(self.summary)
        self.addWidget(self.inspector)
        store.selection_changed.connect(self._choose)
        self._choose()

    def _choose(self) -> None:
        shown = self.inspector if self._store.selected else self.summary
        had_focus = self.hasFocus() or any(one.hasFocus() for one in (self.inspector, self.summary))
        self.setCurrentWidget(shown)
        self.setFocusProxy(shown)
        if had_focus:
            shown.setFocus()
