"""What the plan panel and its markers show: the plan at the frame, and the one that is edited."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...state.viewer_store import ViewerStore
from ...toolkit.qt import QObject, QTimer, pyqtSignal
from .plan_editor import PlanEditor
from .plan_rows import PlanRow, rows_of
from .plan_yaml_document import NODES
from .recorded_plan import (
    PLAN,
    Place,
    PlanAtFrame,
    ValidationChange,
    frames_of,
    open_and_decided,
    place_of,
    plan_at,
    validations,
)


@dataclass(frozen=True)
class PlacedNode:
    """A node in the world."""

    index: int
    """Counted from 0."""
    place: Place
    status: str
    """As of `PlanRow`."""
    is_location: bool
    """Whether it is of the edited plan and goes to a place, so that it can be moved."""


class PlanController(QObject):
    """Knows the plan of the recording at the shown frame, and the plan that is edited."""

    changed = pyqtSignal()
    appeared = pyqtSignal()
    """The recording has a plan in it: emitted once for each recording."""

    def __init__(self, store: ViewerStore, editing: PlanEditor) -> None:
        super().__init__(store)
        self.store, self.editing = store, editing
        self._seen: tuple[object, PlanAtFrame | None] = None, None
        self._appeared = False
        # The first frame has the window arrange its panels: only then one more is opened.
        self._tell = QTimer(self)
        self._tell.setSingleShot(True)
        self._tell.timeout.connect(self.appeared.emit)
        for signal in (store.moved, store.history_grew, editing.changed):
            signal.connect(self._on_changed)
        editing.message.connect(store.message.emit)

    def _on_changed(self) -> None:
        if not self._appeared and self.record is not None:
            self._appeared = True
            self._tell.start()
        if self.editing.begin_at and self.store.is_settled:
            self._go_to_begin()
        self.changed.emit()

    @property
    def record(self) -> PlanAtFrame | None:
        """The plan that is followed at the shown frame."""
        snapshot = self.store.snapshot
        if self._seen[0] is not snapshot:
            self._seen = snapshot, plan_at(snapshot)
        return self._seen[1]

    def changes(self) -> list[ValidationChange]:
        """The validations up to the shown frame, newest first."""
        if self.record is None:
            return []
        return open_and_decided(validations(self.store.history, self.store.frame))

    def rows(self) -> list[PlanRow]:
        """All lines of the panel."""
        editing = self.editing
        return rows_of(
            self.record, self.changes(), editing.document, editing.name, editing.problems,
            editing.opened,
        )  # fmt: skip

    def places(self) -> list[PlacedNode]:
        """The nodes that have a place in the world, in their order."""
        record, snapshot, document = self.record, self.store.snapshot, self.editing.document
        placed = []
        if document is None:
            for index, node in enumerate(record.plan.nodes if record is not None else ()):
                where = place_of(node, snapshot)
                if where is not None:
                    placed.append(PlacedNode(index, where, self._status(index), is_location=False))
            return placed
        here = self.editing.vocabulary.position
        for part in document.nodes:
            location = part.fields.get("location")
            where = _vector(location) if location is not None else self._actor_place(
                str(part.fields.get("actor", "")), here
            )  # fmt: skip
            if where is not None:
                here = where
                status = self._status(part.index, part.title)
                placed.append(PlacedNode(part.index, where, status, location is not None))
        return placed

    def _status(self, index: int, title: str = "") -> str:
        record = self.record
        nodes = record.plan.nodes if record is not None else ()
        if record is None or index >= len(nodes) or (title and nodes[index].title != title):
            return ""
        number = record.progress.node - 1
        if index == number:
            return "failed" if record.progress.failure else "now"
        return "done" if index < number else "waiting"

    def _actor_place(self, name: str, here: Place | None) -> Place | None:
        found = self.editing.vocabulary.meant(name) if name else []
        if not found:
            return None
        near = min(found, key=lambda one: _away(one.position, here or one.position))
        snapshot = self.store.snapshot
        seen = snapshot.objects.get(near.id) if snapshot is not None and near.id > 0 else None
        if seen is None or self.record is None or self.record.plan.game != self.editing.game:
            return near.position
        x, y, z = seen.packet.position
        return float(x), float(y), float(z)

    # --- going there ----------------------------------------------------------------------------

    def go(self, what: str, direction: int) -> None:
        """Go to the next `node` or `rule` that begins, or `validation` that is decided, or back."""
        known = any(key == PLAN for _, key in getattr(self.store.snapshot, "facts", ()))
        if not known and not frames_of(self.store.history, what):
            self.store.message.emit("No plan is followed in this recording: playhead plan run")
            return
        words = {"node": "nodes", "rule": "rules that fire"}.get(what, "validations")
        self.store.next_of(frames_of(self.store.history, what), direction, words)

    def go_to_node(self, index: int) -> None:
        """Go to where a node begins, or went on last."""
        frames = self._begins(index)
        if frames:
            self.store.jump(frames[0])
        else:
            self.store.message.emit(
                f"Node {index + 1} does not begin in this recording{self.store.so_far}"
            )

    def go_to_rule(self, title: str) -> None:
        """Go to where a rule fires next, and after the last time to the first."""
        frames = frames_of(self.store.history, f"rule {title}")
        ahead = [frame for frame in frames if frame > self.store.frame]
        if frames:
            self.store.jump((ahead or frames)[0])
        else:
            self.store.message.emit(
                f"Rule {title!r} does not fire in this recording{self.store.so_far}"
            )

    def _begins(self, index: int) -> list[int]:
        return frames_of(self.store.history, f"node {index + 1}:")

    def _go_to_begin(self) -> None:
        node, self.editing.begin_at = self.editing.begin_at, 0
        frames = self._begins(node - 1)
        failed = self.record is not None and self.record.progress.failure
        if frames:
            self.store.jump(frames[0])
        elif not failed:
            self.store.message.emit(f"The plan did not come to node {node}")

    # --- moving nodes ---------------------------------------------------------------------------

    def move_node(self, index: int, place: Sequence[float]) -> None:
        """Give a node of the edited plan another location."""
        self.editing.set_field((NODES, index), "location", [round(float(p), 2) for p in place])


def _vector(value: object) -> Place | None:
    if not isinstance(value, list) or len(value) != 3:
        return None
    if not all(isinstance(part, int | float) for part in value):
        return None
    return float(value[0]), float(value[1]), float(value[2])


def _away(one: Place, other: Place) -> float:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))
