"""The summary of the recording, which the inspector shows while no object is selected."""

from ...state.viewer_store import ViewerStore
from ...widgets.lists.jump_list import JumpList
from .no_selection_rows import summary_rows


class SummaryList(JumpList):
    """Problems, changes, marks and agents; each row leads there."""

    empty_text = "Nothing is recorded yet"

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Summary", store)

    def build_rows(self) -> bool:
        # While an object is selected, the inspector is in front of this list.
        self._rows = [] if self.store.selected else summary_rows(self.store)
        return True
