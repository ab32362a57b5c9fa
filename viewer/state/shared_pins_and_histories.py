"""The context that the panels of one recording share beside time and selection.

The pinned fields and objects, the field histories that are being read, and requests to the reader
for marks and clips.
"""

from collections import OrderedDict

from ..backends.annotation_store import AnnotationRequest
from ..reader.background_query_base import BackgroundQuery
from ..reader.history.field_history import FieldHistory
from ..reader.history.field_history_scan import FieldHistoryScan
from ..reader.reader_thread import ReaderThread
from ..toolkit import palette
from ..toolkit.menu_entries import ColorChoice
from ..toolkit.qt import QObject, pyqtSignal
from .pinned_fields import Group, ObjectField, PinnedFields, PlotStyle
from .source_lines import SourceLines
from .viewer_store import ViewerStore

_MOST = 8
"""Objects whose field histories are cached; the one not used for longest is dropped."""


class PanelContext(QObject):
    """Belongs to a store: `PanelContext.of(store)` is the same one for all panels."""

    pins_changed = pyqtSignal()
    """A field or an object was pinned, starred or plotted, or no longer is."""
    history_read = pyqtSignal()
    """More of a field history was read."""
    renaming = pyqtSignal(object)
    """A mark is to be renamed: the name is typed in place."""
    color_requested = pyqtSignal(str, str)
    """A state is to have another colour; its usual one if that is empty."""
    colors_changed = pyqtSignal()
    """The colours of states have changed: all panels must be repainted."""
    _notified = pyqtSignal()

    def __init__(self, store: ViewerStore) -> None:
        super().__init__(store)
        self.store = store
        self.pins = PinnedFields()
        self.sources = SourceLines({})
        """The game's source; the window says which folders of this machine it is in."""
        self._histories: OrderedDict[int, tuple[FieldHistory, FieldHistoryScan]] = OrderedDict()
        self._notified.connect(self._take)

    @classmethod
    def of(cls, store: ViewerStore) -> "PanelContext":
        """The context of a store, created on first use."""
        return next((one for one in store.children() if isinstance(one, cls)), None) or cls(store)

    # --- pins -----------------------------------------------------------------------------------

    def star(self, type: str, name: str) -> None:
        """Show a field on top for all objects of a type, or no more."""
        self.pins.star(type, name)
        self.pins_changed.emit()

    def lane(self, field: ObjectField) -> None:
        """Give a field a lane in the timeline, or take it away."""
        self.pins.lane(field)
        self.pins_changed.emit()

    def plot(self, field: ObjectField) -> None:
        """Plot a field with any selection, or no more."""
        self.pins.plot(field)
        self.pins_changed.emit()

    def clear_plots(self) -> None:
        """Plot what the selected object has."""
        self.pins.clear_plots()
        self.pins_changed.emit()

    def set_plots(self, groups: tuple[Group, ...]) -> None:
        """Plot these with any selection."""
        self.pins.plot_groups = groups
        self.pins_changed.emit()

    def style_plot(self, group: Group, style: PlotStyle) -> None:
        """Change a plot's style."""
        self.pins.style_plot(group, style)
        self.pins_changed.emit()

    def pin(self, object: int) -> None:
        """Keep an object's lanes on top, or no more."""
        self.pins.pin(object)
        self.pins_changed.emit()

    def colors_for(self, state: str) -> ColorChoice:
        """The offer to give a state another colour."""
        return ColorChoice(
            state, palette.chosen_color(state), lambda hue: self.color_requested.emit(state, hue)
        )

    # --- field histories ------------------------------------------------------------------------

    def field_history(self, object: int) -> FieldHistory:
        """What has been read of an object's fields so far; reading starts on first use."""
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
        """Keep the memory of a long live session bounded."""
        span = self.store.history.span
        if span is not None:
            frame_count = span.newest - span.oldest + 1
            if len(history) > 2 * frame_count + 1000:
                history.drop_before(span.oldest - frame_count // 2)

    # --- the reader -----------------------------------------------------------------------------

    def annotate(self, request: AnnotationRequest) -> None:
        """Set or change a mark, or save a clip; a message reports the outcome."""
        self._reader.annotate(request)

    def ask(self, query: BackgroundQuery) -> None:
        """Run a background query whenever nothing is more urgent."""
        self._reader.ask(query)

    @property
    def _reader(self) -> ReaderThread:
        return self.store.reader
