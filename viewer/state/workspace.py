"""The desk: what the docks of one recording share beside time and selection.

What a person has picked out, the courses of objects that somebody looks at, and the ways to the
reader for marks and clips.
"""

from collections import OrderedDict

from ..backends.annotation_store import Wish
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

    picked = pyqtSignal()
    """Something was picked out, or dropped."""
    read = pyqtSignal()
    """More of an object's course is known."""
    renaming = pyqtSignal(object)
    """A mark is to be called something else: asked for in place."""
    color_wanted = pyqtSignal(str, str)
    """A state is to have another colour; its usual one if that is empty."""
    colored = pyqtSignal()
    """States have other colours now: all that shows them is to be drawn anew."""
    _rung = pyqtSignal()

    def __init__(self, clock: ViewerStore) -> None:
        super().__init__(clock)
        self.clock = clock
        self.picks = PinnedFields()
        self._courses: OrderedDict[int, tuple[FieldHistory, FieldHistoryScan]] = OrderedDict()
        self._rung.connect(self._take)

    @classmethod
    def of(cls, clock: ViewerStore) -> "Workspace":
        """The clock's own, made when it is first asked for."""
        return next((one for one in clock.children() if isinstance(one, cls)), None) or cls(clock)

    # --- picks ----------------------------------------------------------------------------------

    def star(self, type: str, name: str) -> None:
        """Show a field on top for all objects of a type, or no more."""
        self.picks.star(type, name)
        self.picked.emit()

    def lane(self, field: Field) -> None:
        """Give a field a lane in the timeline, or take it away."""
        self.picks.lane(field)
        self.picked.emit()

    def plot(self, field: Field) -> None:
        """Plot a field whoever is selected, or no more."""
        self.picks.plot(field)
        self.picked.emit()

    def clear_plots(self) -> None:
        """Plot what the selected object has."""
        self.picks.clear_plots()
        self.picked.emit()

    def set_plots(self, groups: tuple[Group, ...]) -> None:
        """Plot these, whoever is selected."""
        self.picks.plot_groups = groups
        self.picked.emit()

    def style_plot(self, group: Group, style: PlotStyle) -> None:
        """Have a plot look like this."""
        self.picks.style_plot(group, style)
        self.picked.emit()

    def pin(self, object: int) -> None:
        """Keep an object's lanes on top, or no more."""
        self.picks.pin(object)
        self.picked.emit()

    def colors_for(self, state: str) -> Colors:
        """The offer to give a state another colour."""
        return Colors(
            state, palette.chosen_color(state), lambda hue: self.color_wanted.emit(state, hue)
        )

    # --- courses --------------------------------------------------------------------------------

    def course(self, object: int) -> FieldHistory:
        """What has been read of an object so far; from now on it is read."""
        known = self._courses.get(object)
        if known is None:
            scan = FieldHistoryScan(object, self._rung.emit)
            known = self._courses[object] = (FieldHistory(object), scan)
            self._reader.ask(scan)
            while len(self._courses) > _MOST:
                _, (_, dropped) = self._courses.popitem(last=False)
                self._reader.drop(dropped)
        self._courses.move_to_end(object)
        return known[0]

    def _take(self) -> None:
        for object, (course, scan) in self._courses.items():
            batches, progress, restarted = scan.take()
            if restarted:
                course = FieldHistory(object)
                self._courses[object] = (course, scan)
            for batch in batches:
                course.put(batch)
            course.progress = progress
            self._forget(course)
        self.read.emit()

    def _forget(self, course: FieldHistory) -> None:
        """Let a long live session not grow for ever."""
        span = self.clock.history.span
        if span is not None:
            held = span.newest - span.oldest + 1
            if len(course) > 2 * held + 1000:
                course.drop_before(span.oldest - held // 2)

    # --- the reader -----------------------------------------------------------------------------

    def keep(self, wish: Wish) -> None:
        """Have a mark set or changed, or a clip saved; what came of it is said."""
        self._reader.keep(wish)

    def ask(self, inquiry: BackgroundQuery) -> None:
        """Have something looked into whenever nothing is more urgent."""
        self._reader.ask(inquiry)

    @property
    def _reader(self) -> ReaderThread:
        return self.clock.reader
