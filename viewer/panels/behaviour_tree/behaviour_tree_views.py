"""The behaviour tree panel: the list or the graph of a tree, with a filter and switches above."""

from itertools import pairwise

from ...state.viewer_store import ViewerStore
from ...toolkit.qt import (
    QHBoxLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)
from ...toolkit.text_button import text_button
from ...widgets.lists.filter_edit import filter_edit
from .behaviour_tree_panel import BehaviourTreeList
from .tree_graph import TreeGraph


class BehaviourTreeViews(QWidget):
    """A filter, what runs alone, the graph instead of the list, and the changes of a node."""

    def __init__(self, store: ViewerStore) -> None:
        super().__init__()
        self.list = BehaviourTreeList(store)
        self.graph = TreeGraph(store, self.list)
        self.filter = filter_edit(
            "Filter nodes", "Filter the nodes of the behaviour tree", self._filtered,
            self.list.setFocus, width=70,
        )  # fmt: skip
        self.setFocusProxy(self.list)
        self.running = text_button(
            "running", "List the running nodes alone", padding=4, switches=True, in_tab_order=True
        )
        self.running.toggled.connect(self._show_running)
        self.as_graph = text_button(
            "graph", "Show the tree as a graph", padding=4, switches=True, in_tab_order=True
        )
        self.as_graph.toggled.connect(self._show_graph)
        self.previous = text_button(
            "◂", "Previous change of the chosen node (Alt+Up)", padding=4, in_tab_order=True
        )
        self.previous.clicked.connect(lambda: self.list.seek_chosen(-1))
        self.next = text_button(
            "▸", "Next change of the chosen node (Alt+Down)", padding=4, in_tab_order=True
        )
        self.next.clicked.connect(lambda: self.list.seek_chosen(1))
        bar = QHBoxLayout()
        bar.setSpacing(3)
        bar.addWidget(self.filter, 1)
        buttons = (self.running, self.as_graph, self.previous, self.next)
        for button in buttons:
            bar.addWidget(button)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.list)
        self._stack.addWidget(self.graph)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(6, 6, 6, 2)
        inside.setSpacing(6)
        inside.addLayout(bar)
        inside.addWidget(self._stack, 1)
        # Only now are they in one window, which is what an order can be of.
        for one, other in pairwise((self.filter, *buttons, self.list)):
            QWidget.setTabOrder(one, other)

    def _filtered(self, text: str) -> None:
        self.list.words = text
        self.list.rebuild()

    def _show_running(self, on: bool) -> None:
        self.list.only_running = on
        self.as_graph.setChecked(False)
        self.list.rebuild()

    def _show_graph(self, on: bool) -> None:
        self._stack.setCurrentWidget(self.graph if on else self.list)
