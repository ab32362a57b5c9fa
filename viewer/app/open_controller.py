"""Opens another recording in the window: a file, an address, a link or the demo."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote

from ...errors import CommandError
from ...playback.commands import Command, SeekFrame
from ...playback.playback_state import Mode
from ...playback.recording_url import RecordingLink, is_link
from ..backends.open_target import is_same
from ..backends.playback_backend import LinkState
from ..state.viewer_store import ViewerStore
from ..toolkit.qt import QDropEvent, QFileDialog, QInputDialog, QObject, QWidget
from .processes.showcase_game_process import DemoProcess


class ViewRecording(Protocol):
    """Views something else in the window."""

    def __call__(
        self, text: str, *, commands: tuple[Command, ...] = (), focus: int = 0
    ) -> None: ...


class OpenController(QObject):
    """Asks for what is to be viewed, and takes what is dropped or pasted.

    Args:
        window: The parent of dialogs.
        store_of: Gives the store of what is viewed now.
        view: Views something else.
    """

    def __init__(
        self, window: QWidget, store_of: Callable[[], ViewerStore], view: ViewRecording
    ) -> None:
        super().__init__(window)
        self._window, self._store_of, self._view = window, store_of, view
        self._demo: DemoProcess | None = None

    def open_file(self) -> None:
        """Ask for a clip or a ring, and view it instead."""
        name, _ = QFileDialog.getOpenFileName(
            self._window, "Open a recording", "", "Recordings (*.mcap *.ring);;All files (*)"
        )
        if name:
            self._view(name)

    def connect_to(self) -> None:
        """Ask for an address, and view what is there instead."""
        backend = self._store_of().backend_state
        before = backend.title if backend.link is LinkState.NOTHING else ""
        text, given = QInputDialog.getText(
            self._window, "Connect to a game", "Address, such as 5670 or tcp://10.0.0.5:5670",
            text=before,
        )  # fmt: skip
        if given and text.strip():
            self._view(text)

    # --- links ----------------------------------------------------------------------------------

    def paste(self, text: str) -> None:
        """Open what was in the clipboard: a link, or a file's path."""
        if is_link(text):
            self._follow(text)
            return
        path = _file_of(text)
        if path:
            self._view(path)
        else:
            self._store_of().message.emit("There is no playhead:// link in the clipboard")

    def _follow(self, text: str) -> None:
        try:
            link = RecordingLink.of(text)
        except CommandError as error:
            self._store_of().message.emit(str(error))
            return
        self.open_link(link)

    def open_link(self, link: RecordingLink) -> None:
        """Go to where a link leads, in the recording that is open or in another one."""
        store, command = self._store_of(), link.command
        if not is_same(store.target.location, link.target):
            commands = () if command is None else (command,)
            self._view(link.target, commands=commands, focus=link.focus)
            return
        if isinstance(command, SeekFrame):
            store.jump(command.frame, link.focus)
        else:
            if command is not None:
                store.send(command)
            if link.focus:
                store.select(link.focus)

    def refuses(self, link: RecordingLink) -> str:
        """Why a link from another program would not be followed now; empty if it would.

        A game that is paused because of this window must not be left paused unseen.
        """
        if is_same(self._store_of().target.location, link.target):
            return ""
        game = self.paused_game()
        return f"the game at {game} is paused in this window" if game else ""

    def paused_game(self) -> str:
        """The address of the running game that is paused in this window; empty if there is none."""
        store = self._store_of()
        is_paused = store.playback.mode is not Mode.LIVE and store.playback.span is not None
        return (
            store.backend_state.title
            if is_paused and store.backend_state.link is LinkState.CONNECTED
            else ""
        )

    # --- dropping -------------------------------------------------------------------------------

    def takes(self, event: QDropEvent) -> bool:
        """Whether something dropped here could be viewed."""
        text = _dropped(event)
        return is_link(text) or bool(_file_of(text))

    def drop(self, event: QDropEvent) -> None:
        """View what was dropped."""
        self.paste(_dropped(event))

    # --- the demo -------------------------------------------------------------------------------

    def start_demo(self) -> None:
        """Start the demo's game, or look into it if it runs already."""
        if self._demo is not None and self._demo.endpoint:
            self._view(self._demo.endpoint)
            return
        if self._demo is not None:
            return  # it is just being started
        self._demo = DemoProcess(self)
        self._demo.on_bus.connect(self._on_bus)
        self._demo.ended.connect(self._demo_ended)
        self._demo.failed.connect(self._demo_failed)
        self._store_of().message.emit("Starting the demo's game …")
        self._demo.start()

    def _on_bus(self, endpoint: str) -> None:
        self._view(endpoint)
        self._store_of().message.emit(
            "The demo's game runs: a guard of it has a flaw, and a check will fail in a moment"
        )

    def _demo_ended(self, clip: str) -> None:
        store = self._store_of()
        seen = self._demo is not None and is_same(store.target.location, self._demo.endpoint)
        if seen and clip:
            frame, focus = store.frame, store.selected
            commands = (SeekFrame(frame),) if frame else ()
            self._view(clip, commands=commands, focus=focus)
            self._store_of().message.emit(
                "The demo's game has played to its end; this is the clip of it"
            )
        if self._demo is not None:
            self._demo.endpoint = ""

    def _demo_failed(self, why: str) -> None:
        self._store_of().message.emit(why)
        self.close()

    def close(self) -> None:
        """End what was started here."""
        if self._demo is not None:
            self._demo.close()
            self._demo.deleteLater()
            self._demo = None


def _file_of(text: str) -> str:
    """The file that a path or a `file://` address leads to; empty if to none."""
    typed = text.strip().strip('"')
    if not typed or "\n" in typed or len(typed) > 4096:
        return ""
    if typed.lower().startswith("file://"):
        typed = unquote(typed[len("file://") :])
    try:
        return typed if Path(typed).is_file() else ""
    except (OSError, ValueError):
        return ""


def _dropped(event: QDropEvent) -> str:
    """The path or the link that is dragged; empty if it is neither."""
    data = event.mimeData()
    if data is None:
        return ""
    urls = data.urls()
    if urls and urls[0].isLocalFile():
        return str(urls[0].toLocalFile())
    # A URL loses what its scheme does not know: the text is as it was written.
    return data.text().strip() or (str(urls[0].toString()) if urls else "")
