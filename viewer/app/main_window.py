"""The main window: the panels of one recording, and its reactions to keys, links and checks."""

from ...errors import PlayheadError
from ...hooks.hook_definition import HookHit
from ...playback.commands import Command, SeekFrame
from ...playback.playback_state import Mode
from ...recording.decisions.decision_location import FieldLocation, NodeLocation
from ..backends.open_target import ViewTarget, is_same, target_of
from ..backends.playback_backend import ReportedCheck
from ..input.game_input_interface import GameInput
from ..panels.animation.animation_panel import AnimationPanel
from ..panels.arena.arena_placer import ArenaPlacer
from ..panels.arena.arena_tools_panel import ArenaPanel
from ..panels.behaviour_tree.behaviour_tree_views import BehaviourTreeViews
from ..panels.decisions.decision_questions_panel import DecisionsPanel
from ..panels.find.find_panel import FindPanel
from ..panels.hooks.hooks_panel import HooksPanel
from ..panels.inspector.inspector_stack import InspectorViews
from ..panels.log.log_panel import LogPanel
from ..panels.marks.marks_panel import MarksPanel
from ..panels.objects.objects_panel import ObjectsPanel
from ..panels.picture.picture_panel import PicturePanel
from ..panels.plan.plan_editor import PlanEditor
from ..panels.plan.plan_panel import PlanPanel, may_forget_plan
from ..panels.plan.plan_world_markers import PlanMarkers
from ..panels.plots.plots_panel import PlotsPanel
from ..panels.replay.replay_panel import ReplayPanel
from ..panels.state_machine.state_machine_panel import StateMachinePanel
from ..panels.statistics.range_statistics_panel import StatisticsPanel
from ..panels.steering.steering_panel import SteeringPanel
from ..panels.timeline.timeline_panel import TimelinePanel
from ..panels.tree_maker.tree_maker_panel import TreeMakerPanel
from ..panels.world.world_panel import WorldPanel
from ..scene.display_layers import Layers
from ..state.decision_question_menu import DecisionController
from ..state.expression_hits import ExpressionHits
from ..state.game_preferences import SavedPreferences
from ..state.recorded_pictures import RecordedPictures
from ..state.settings import ViewerSettings
from ..state.shared_pins_and_histories import PanelContext
from ..state.source_lines import SourceLines
from ..state.viewer_store import ViewerStore
from ..toolkit import palette
from ..toolkit.qt import (
    QApplication,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QMessageBox,
    QStackedWidget,
    pyqtSignal,
)
from ..toolkit.theme import apply_theme, text_scale
from ..toolkit.time_format_choice import TimeFormat
from ..toolkit.time_text import TimeUnit
from ..widgets.failed_check_banner import FailureBanner
from ..widgets.search_popup import SearchPopup
from ..widgets.shortcut_overlay import ShortcutOverlay
from ..widgets.status_bar import StatusBar
from ..widgets.transport_bar import TransportBar
from ..widgets.welcome_card import WelcomeCard
from .action_handlers import ActionHandlers
from .dock_manager import DockManager
from .empty_panels import EmptyPanels
from .gc_tuning import GcTuning
from .keyboard_router import KeyboardRouter
from .layout_manager import LayoutManager
from .main_window_base import ViewerWindow
from .mark_and_clip_controller import AnnotationController
from .open_controller import OpenController
from .per_game_preferences import PreferenceSync
from .search_entries import search_entries
from .source_editor import SourceEditor
from .state_color_controller import StateColorController

_PLAN_HEIGHT = 0.5
"""The share of the window's height for the panel of a plan, which has many rows."""


class MainWindow(ViewerWindow):
    """Everything on one target. Opening another one makes the panels again.

    Args:
        target: What is viewed.
        focus: The object to be selected, by id or name; 0 for the likeliest.
        commands: Where to go first.
        remember: Whether the panels are arranged as the last window left them, and the next as this
            one's, in the theme and the text size of the settings; pictures don't want that.
        theme: One of the palette's `THEMES` instead.

    Signals:
        closed: The window was closed; it is not sent where somebody chose to stay.
    """

    closed = pyqtSignal()

    def __init__(
        self, target: ViewTarget, *, focus: int | str = 0, commands: tuple[Command, ...] = (),
        remember: bool = True, theme: str = "",
    ) -> None:  # fmt: skip
        super().__init__()
        self.setAcceptDrops(True)
        self.settings = ViewerSettings()
        self._dress(theme or (self.settings.theme if remember else ""), remember)
        self.editor = SourceEditor(self.settings)
        self.action_handlers = ActionHandlers(self)
        self.keyboard = KeyboardRouter(self, self.action_handlers, self.settings)
        self.open_controller = OpenController(self, lambda: self.store, self.view)
        self.layouts = LayoutManager(
            self.settings, lambda: self.docks, lambda text: self.status.show_message(text),
            remember=remember,
        )  # fmt: skip
        self._preferences = SavedPreferences(self.settings.path.parent) if remember else None
        self._placed = False
        self.plan_editing = PlanEditor(self)
        self.plan_editing.clip_made.connect(lambda clip: self.view(clip))
        self._open(target, focus, commands)
        self.search_popup = SearchPopup(
            self,
            lambda: search_entries(self, self.keyboard, self.action_handlers),
            self.action_handlers.typed,
            self.action_handlers.typed_expression,
        )
        self.shortcuts = ShortcutOverlay(
            self, lambda: self.keyboard.bindings, self.keyboard.bind,
            lambda: [] if self.player is None else self.player.rows,
        )  # fmt: skip
        setting_errors = [
            *self.settings.errors, *self.keyboard.bindings.errors, self.layouts.saved.error_text
        ]  # fmt: skip
        if any(setting_errors):
            self.status.show_message("   ·   ".join(filter(None, setting_errors)))

    def _open(
        self, target: ViewTarget, focus: int | str = 0, commands: tuple[Command, ...] = ()
    ) -> None:
        self.store = ViewerStore(target, focus=focus)
        PreferenceSync(self.store, self._preferences)
        PanelContext.of(self.store).sources = SourceLines(self.settings.paths)
        self.hits = ExpressionHits.of(self.store)
        self.hits.started.connect(lambda: self.docks.open("Find"))
        self.layers = Layers()
        self.time_format = TimeFormat(self.store, self._format())
        self.transport = TransportBar(self.store, self.time_format)
        self.transport.wants_find.connect(self.action_handlers.find)
        self.transport.wants_format.connect(self.action_handlers.next_format)
        self.transport.set_layouts_menu(self.action_handlers.offer_layouts)
        self.transport.owner.attach(self.player)
        self.world = WorldPanel(self.store, self.layers)
        self.card = WelcomeCard(self.store)
        self.card.wants_file.connect(self.open_controller.open_file)
        self.card.wants_service.connect(self.open_controller.connect_to)
        self.card.wants_demo.connect(self.open_controller.start_demo)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.card)
        self.stack.addWidget(self.world)
        self.stack.setFocusProxy(self.world)
        self.world.notice = self.banner = FailureBanner(self.store, self.world)
        self.status = StatusBar(self.store)
        self.setStatusBar(self.status)
        GcTuning(self.store, self.status)
        self.setMenuWidget(self.transport)
        self.setCentralWidget(self.stack)
        self._make_panels()
        for signal in (self.store.moved, self.store.status_changed):
            signal.connect(self._entitle)
        self.store.moved.connect(self._moved)
        self.store.check_failed.connect(self._asserted)
        self.store.source_requested.connect(self.open_source)
        self._entitle()
        self.store.start(*commands)

    def _make_panels(self) -> None:
        self.objects = ObjectsPanel(self.store, self.layers)
        inspector_views = InspectorViews(self.store)
        self.inspector = inspector_views.inspector
        self.tree = BehaviourTreeViews(self.store)
        self.log = LogPanel(self.store)
        self.machine = StateMachinePanel(self.store)
        self.timeline = TimelinePanel(self.store)
        self.plots = PlotsPanel(self.store, self.timeline.scale)
        self.picture = PicturePanel(self.store)
        self.statistics = StatisticsPanel(self.store)
        self.marks = MarksPanel(self.store)
        self.find_panel = FindPanel(self.store)
        self.find_panel.wants_expression.connect(lambda text: self.search_popup.open(text))
        self.animation = AnimationPanel(self.store)
        self.steering = SteeringPanel(self.store)
        self.arena = ArenaPanel(self.store)
        self.world.placer = ArenaPlacer(self.world, self.arena.orders)
        self.arena.orders.appeared.connect(
            lambda here: self.docks.open("Arena") if here else self.docks.shut("Arena")
        )
        self.replay = ReplayPanel(self.store)
        self.replay.controller.appeared.connect(lambda: self.docks.open("Replay"))
        self.plan = PlanPanel(self.store, self.plan_editing)
        self.world.markers = PlanMarkers(self.world, self.plan.controller)
        self.plan.controller.appeared.connect(lambda: self.docks.open("Plan", _PLAN_HEIGHT))
        self.tree_maker = TreeMakerPanel(self.store)
        self.decisions = DecisionsPanel(self.store)
        DecisionController.of(self.store).asked.connect(lambda _: self.docks.open("Decisions"))
        self.hooks = HooksPanel(self.store)
        self.hooks.controller.acted.connect(self._hook_acted)
        self.docks = DockManager(self, {
            "Objects": self.objects, "Inspector": inspector_views, "Plots": self.plots,
            "Behaviour tree": self.tree, "Log": self.log, "State machine": self.machine,
            "Timeline": self.timeline, "Picture": self.picture, "Range": self.statistics,
            "Marks": self.marks, "Find": self.find_panel, "Animation": self.animation,
            "Steering": self.steering, "Arena": self.arena,
            "Replay": self.replay, "Plan": self.plan, "Tree maker": self.tree_maker,
            "Decisions": self.decisions,
            "Hooks": self.hooks,
        })  # fmt: skip
        self.empty_panels = EmptyPanels(self.store, self.docks, lambda: self.layouts.is_preset)
        RecordedPictures.of(self.store).changed.connect(self._pictured)
        self.annotations = AnnotationController(self.store, self)
        self.state_colors = StateColorController(self.store, self.settings, self.repaint_panels)

    def _dress(self, theme: str, remembers: bool) -> None:
        """Use a theme, and the text size that was used last if that is to be remembered."""
        app = QApplication.instance()
        looks = theme or "dark", self.settings.text_size if remembers else 1.0
        if isinstance(app, QApplication) and looks != (palette.theme(), text_scale()):
            apply_theme(app, *looks)

    def _moved(self) -> None:
        """Without a recording only the welcome card is shown; panels come with the first frame."""
        if self.store.snapshot is not None and not self._placed:
            self._placed = True
            self.stack.setCurrentWidget(self.world)
            # Without any tree its panel would be the largest empty area.
            self.layouts.begin("" if self.store.snapshot.trees else "Log")

    def _pictured(self) -> None:
        """The first pictures are found: where no trees are to be seen, they are in front."""
        pictures, snapshot = RecordedPictures.of(self.store), self.store.snapshot
        if not pictures.names or not self._placed or snapshot is None:
            return
        pictures.changed.disconnect(self._pictured)
        if self.layouts.is_preset and not snapshot.trees and self.docks.is_open("Picture"):
            self.docks.open("Picture")

    def _entitle(self) -> None:
        """The title names the frame while paused; it does not change while frames pass."""
        title = self.store.backend_state.title
        if self.store.snapshot is not None and self.store.playback.mode is Mode.PAUSED:
            title += f" · frame {self.store.frame}"
        title += " — playhead"
        if title != self.windowTitle():
            self.setWindowTitle(title)

    # --- settings and the game's input ----------------------------------------------------------

    @property
    def player(self) -> GameInput | None:
        """The input of a game that is played here: while it is live, keys go there first."""
        return self.keyboard.player

    @player.setter
    def player(self, player: GameInput | None) -> None:
        self.keyboard.player = player
        self.transport.owner.attach(player)

    def _format(self) -> TimeUnit:
        try:
            return TimeUnit(self.settings.time)
        except ValueError:
            known = ", ".join(one.value for one in TimeUnit)
            self.settings.errors.append(f"time = {self.settings.time!r}: there are {known}")
            return TimeUnit.CLOCK

    # --- checks, sources, mistakes --------------------------------------------------------------

    def _asserted(self, asserted: ReportedCheck) -> None:
        """A check has just failed. If the game paused, the view goes there; a game that runs on is
        not interrupted."""
        self.banner.show_check(asserted)
        violation = asserted.violation
        if asserted.is_paused:
            if violation.frame and self.store.frame != violation.frame:
                self.store.send(SeekFrame(violation.frame))
            if violation.object:
                self.store.select(violation.object)
        self.come_up()

    def _hook_acted(self, hit: HookHit) -> None:
        """A break has paused the game: look at whom it is about, and at its decision."""
        if hit.object:
            self.store.select(hit.object)
        if isinstance(hit.location, NodeLocation):
            self.docks.open("Behaviour tree")
        elif not isinstance(hit.location, FieldLocation):
            self.docks.open("State machine")
        where = ", in the middle of a step" if hit.in_step else ""
        self.store.message.emit(f"Hook {hit.id} paused the game{where}: {hit.text}")
        self.come_up()

    # --- what is open ---------------------------------------------------------------------------

    def view(self, text: str, *, commands: tuple[Command, ...] = (), focus: int = 0) -> None:
        """View something else instead: a file, an address, or nothing for this machine's game."""
        try:
            target = target_of(text)
        except PlayheadError as error:
            self.store.message.emit(str(error))
            return
        if not self._may_forget_marks():
            return
        if self._placed:
            self.empty_panels.finish()
            self.layouts.leave()
        paused_game = self.open_controller.paused_game()
        old, self._placed = self.store, False
        self.docks.close()
        self.plots.background.close()
        self.arena.orders.close()
        self.replay.controller.close()
        self.tree_maker.controller.close()
        old.close()
        self._open(target, focus, commands)
        old.deleteLater()
        self.search_popup.raise_()
        if paused_game and not is_same(paused_game, target.location):
            self.store.message.emit(
                f"The game at {paused_game} is still paused; End lets it run on, once it is"
                " open here again"
            )

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:  # noqa: N802
        assert event is not None
        if self.open_controller.takes(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent | None) -> None:  # noqa: N802
        assert event is not None
        self.open_controller.drop(event)

    def closeEvent(self, event: QCloseEvent | None) -> None:  # noqa: N802
        if event is not None and self.isVisible() and not (
            may_forget_plan(self, self.plan_editing) and self._may_forget_marks()
        ):  # fmt: skip
            event.ignore()
            return
        self.keyboard.close()
        if self._placed:
            self.empty_panels.finish()
            self.layouts.leave()
        self.layouts.close()
        self.open_controller.close()
        self.plots.background.close()
        self.arena.orders.close()
        self.replay.controller.close()
        self.plan_editing.close()
        self.tree_maker.controller.close()
        self.store.close()
        super().closeEvent(event)
        self.closed.emit()

    def _may_forget_marks(self) -> bool:
        """Ask before marks are lost that no file holds; False to stay."""
        count = self.store.reader.unsaved
        if not count:
            return True
        button = QMessageBox.StandardButton
        chosen = QMessageBox.question(
            self, "Marks are in no file",
            f"{count} {'mark is' if count == 1 else 'marks are'} kept in this window only."
            " Save a clip to keep them.",
            button.Save | button.Discard | button.Cancel, button.Save,
        )  # fmt: skip
        if chosen == button.Save:
            self.annotations.save()
        return chosen == button.Discard
