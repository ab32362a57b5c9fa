"""The desk: what the docks of one recording share beside time and selection.

What a person has picked out, the courses of objects that somebody looks at, and the ways to the
reader for marks and clips.
"""

from collections import OrderedDict

from ..backends.annotation_store import AnnotationRequest
from ..reader.background_query import BackgroundQuery
from ..reader.field_history import FieldHistory
from ..reader.field_history_scan import FieldHistoryScan
from ..reader.reader_thread import ReaderThread
from ..toolkit import palette
from ..toolkit.numpy_painting import Colors
from ..toolkit.qt import QObject, pyqtSignal
from .pinned_fields import Field, Group, PinnedFields, PlotStyle
from .viewer_store import ViewerStore

_MOST = 8
"""Objects whose courses are kept; of those that nobody asked for lately the oldest goes."""


class Workspace(QObject):
    """Belongs to a clock: `Workspace.of(clock)` is the same one for all docks."""

    pins_changed = pyqtSignal()
    """Something was picked out, or dropped."""
    history_read = pyqtSignal()
    """More of an object's history is known."""
    renaming = pyqtSignal(object)
    """A mark is to be called something else: asked for in place."""
    color_requested = pyqtSignal(str, str)
    """A state is to have another colour; its usual one if that is empty."""
    colors_changed = pyqtSignal()
    """States have other colours now: all that shows them is to be drawn anew."""
    _notified = pyqtSignal()

    def __init__(self, store: ViewerStore) -> None:
        super().__init__(store)
        self.store = store
        self.pins = PinnedFields()
        self._histories: OrderedDict[int, tuple[FieldHistory, FieldHistoryScan]] = OrderedDict()
        self._notified.connect(self._take)

    @classmethod
    def of(cls, store: ViewerStore) -> "Workspace":
        """The clock's own, made when it is first asked for."""
        return next((one for one in store.children() if isinstance(one, cls)), None) or cls(store)

    # --- picks ----------------------------------------------------------------------------------

    def star(self, type: str, name: str) -> None:
        """Show a field on top for all objects of a type, or no more."""
        self.pins.star(type, name)
        self.pins_changed.emit()

    def lane(self, field: Field) -> None:
        """Give a field a lane in the timeline, or take it away."""
        self.pins.lane(field)
        self.pins_changed.emit()

    def plot(self, field: Field) -> None:
        """Plot a field whoever is selected, or no more."""
        self.pins.plot(field)
        self.pins_changed.emit()

    def clear_plots(self) -> None:
        """Plot what the selected object has."""
        self.pins.clear_plots()
        self.pins_changed.emit()

    def set_plots(self, groups: tuple[Group, ...]) -> None:
        """Plot these, whoever is selected."""
        self.pins.plot_groups = groups
        self.pins_changed.emit()

    def style_plot(self, group: Group, style: PlotStyle) -> None:
        """Have a plot look like this."""
        self.pins.style_plot(group, style)
        self.pins_changed.emit()

    def pin(self, object: int) -> None:
        """Keep an object's lanes on top, or no more."""
        self.pins.pin(object)
        self.pins_changed.emit()

    def colors_for(self, state: str) -> Colors:
        """The offer to give a state another colour."""
        return Colors(
            state, palette.chosen_color(state), lambda hue: self.color_requested.emit(state, hue)
        )

    # --- courses --------------------------------------------------------------------------------

    def field_history(self, object: int) -> FieldHistory:
        """What has been read of an object so far; from now on it is read."""
        known = self._histories.get(object)
        if known is None:
            scan = FieldHistoryScan(object, self._notified.emit)
            known = self._histories[object] = (FieldHistory(object), scan)
            self._reader.ask(scan)
            while len(self._histories) > _MOST:
                _, (_, dropped) = self._histories.popitem(last=False)
                self._reader.drop(dropped)
        self._histories.move_to_end(object)
        return known[0]

    def _take(self) -> None:
        for object, (history, scan) in self._histories.items():
            batches, progress, restarted = scan.take()
            if restarted:
                history = FieldHistory(object)
                self._histories[object] = (history, scan)
            for batch in batches:
                history.put(batch)
            history.progress = progress
            self._forget(history)
        self.history_read.emit()

    def _forget(self, history: FieldHistory) -> None:
        """Let a long live session not grow for ever."""
        span = self.store.history.span
        if span is not None:
            held = span.newest - span.oldest + 1
            if len(history) > 2 * held + 1000:
                history.drop_before(span.oldest - held // 2)

    # --- the reader -----------------------------------------------------------------------------

    def annotate(self, request: AnnotationRequest) -> None:
        """Have a mark set or changed, or a clip saved; what came of it is said."""
        self._reader.annotate(request)

    def ask(self, query: BackgroundQuery) -> None:
        """Have something looked into whenever nothing is more urgent."""
        self._reader.ask(query)

    @property
    def _reader(self) -> ReaderThread:
        return self.store.reader
