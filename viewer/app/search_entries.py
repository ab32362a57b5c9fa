"""The entries of the search popup: commands, panels, layouts, and the recording's content."""

from functools import partial

from ...playback.commands import Show
from ..input.action_table import ACTIONS
from ..scene.display_layers import LAYERS
from ..search import recording_content_entries as recorded
from ..search.expression_entries import named_entries, vocabulary_of
from ..search.fuzzy_search import SearchItem
from .action_handlers import ActionHandlers
from .keyboard_router import KeyboardRouter
from .main_window_base import ViewerWindow

_UNASKED = frozenset(("escape", "find"))
"""Actions that are useless while a command is typed."""


def search_entries(
    window: ViewerWindow, keyboard: KeyboardRouter, action_handlers: ActionHandlers
) -> list[SearchItem]:
    """All entries that can be chosen now."""
    store = window.store
    snapshot = store.snapshot

    return [
        *_commands(keyboard, action_handlers),
        *recorded.objects(snapshot, store.select),
        *named_entries(vocabulary_of(snapshot, store.history), window.hits.start),
        *recorded.snapshots(store.history, store.name_of, store.jump),
        *_panels(window),
        *_layouts(window),
        *_categories(window, keyboard),
    ]


def _commands(keyboard: KeyboardRouter, action_handlers: ActionHandlers) -> list[SearchItem]:
    made = [
        SearchItem(
            "command", _capital(action.help), action.help,
            partial(keyboard.carry_out, action),
            keys=keyboard.bindings.key_of(action.id),
        )
        for action in ACTIONS
        if action.id not in _UNASKED and not action.id.startswith("switch_")
    ]  # fmt: skip
    made.append(SearchItem("command", "Save this layout as …", "keep this arrangement of panels",
                       action_handlers.save_layout))  # fmt: skip
    return made


def _panels(window: ViewerWindow) -> list[SearchItem]:
    docks = window.docks
    return [
        SearchItem("panel", name, f"show the panel {name}", partial(docks.focus, name),
               "" if docks.is_open(name) else "panel  ·  closed")
        for name in docks.names
    ]  # fmt: skip


def _layouts(window: ViewerWindow) -> list[SearchItem]:
    layouts = window.layouts
    return [
        SearchItem("layout", f"Layout {name}", f"arrange the panels: {name}",
               partial(layouts.arrange, name), "saved" if name in layouts.saved.names else "")
        for name in layouts.names
    ]  # fmt: skip


def _categories(window: ViewerWindow, keyboard: KeyboardRouter) -> list[SearchItem]:
    store, layers = window.store, window.layers
    numbers = {name: keyboard.bindings.key_of(f"switch_{at}")
               for at, name in enumerate(window.objects.chips, 1) if at <= 6}  # fmt: skip

    def on_off(on: bool) -> str:
        return "on" if on else "off"

    made = []
    for name, layer in LAYERS.items():
        on = layers.is_on(name)
        made.append(SearchItem(
            "category", f"Draw {layer.title.lower()}", f"switch it {on_off(not on)}",
            partial(layers.switch, name, not on), on_off(on), numbers.get(name, ""),
        ))  # fmt: skip
    channels = store.snapshot.channels.values() if store.snapshot is not None else ()
    for name in channels:
        on = name not in store.playback.hidden
        made.append(SearchItem(
            "category", f"Draw channel {name}", f"switch it {on_off(not on)} for everybody",
            partial(store.send, Show(name, not on)), on_off(on),
            numbers.get(f"#{name}", ""),
        ))  # fmt: skip
    return made


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
