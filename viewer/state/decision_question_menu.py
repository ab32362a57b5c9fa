"""Questions about decisions that any panel's menu may ask; one panel answers them."""

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

from ..toolkit.menu_entries import MenuAction
from ..toolkit.qt import QInputDialog, QObject, QWidget, pyqtSignal
from .viewer_store import ViewerStore

_MOST_OFFERED = 8


class DecisionQuestion(NamedTuple):
    """A decision to be made again, or something that did not come."""

    agent: int
    decider: str
    """The machine, the tree, the plan."""
    state: str = ""
    """What did not come: a state, a rule, a node by its path; empty to make a decision again."""
    frame: int = 0
    """Whose newest decision is to be made again."""
    edit: str = ""
    """The file of an edit; empty for none."""

    @property
    def title(self) -> str:
        """The question in words."""
        if self.state:
            return f"Why not {self.state}?"
        return f"{self.decider} again" + (f", by {self.edit}" if self.edit else "")


class DecisionController(QObject):
    """Belongs to a store: `DecisionController.of(store)` is the same one for all panels."""

    asked = pyqtSignal(object)
    """A `DecisionQuestion` was asked."""

    def __init__(self, store: ViewerStore) -> None:
        super().__init__(store)
        self._store = store

    @classmethod
    def of(cls, store: ViewerStore) -> "DecisionController":
        """The questions of a store, created on first use."""
        return next((one for one in store.children() if isinstance(one, cls)), None) or cls(store)

    def why_not(self, agent: int, decider: str, states: Iterable[str]) -> list[MenuAction]:
        """Menu entries that ask why each of some states did not come."""
        return [
            (f"Why not {state}?", partial(self.ask, DecisionQuestion(agent, decider, state)))
            for state in [*states][:_MOST_OFFERED]
        ]

    def why_not_typed(self, agent: int, decider: str, parent: QWidget | None = None) -> MenuAction:
        """The menu entry that asks why something did not come whose name is typed: what never came
        is on no list."""

        def type_it() -> None:
            text, is_given = QInputDialog.getText(
                parent, "Why not?", f"A state, a rule or a node of {decider}:"
            )
            if is_given and text.strip():
                self.ask(DecisionQuestion(agent, decider, text.strip()))

        return "Why not … (type its name)", type_it

    def again(self, agent: int, decider: str, frame: int) -> MenuAction:
        """The menu entry that asks for the newest decision up to a frame again."""
        question = DecisionQuestion(agent, decider, frame=frame)
        return "Make this decision again", partial(self.ask, question)

    def ask(self, question: DecisionQuestion) -> None:
        """Have a question answered."""
        self.asked.emit(question)
