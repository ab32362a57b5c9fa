"""The pytest plug-in: sessions as fixtures, and reports with clips when a test fails.

Its options, fixtures and reports are described in `docs/testing.md`. Nothing of playhead is loaded
before a test asks for a session.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from .plugin_settings import FOLDER, MODES, RETAIN, PluginSettings
from .viewer_jump import LINK, NOW, ViewerGuide

if TYPE_CHECKING:
    from ..handlers.handler_registry import HandlerRegistry
    from ..recorder.world_adapter import World
    from .checked_test_session import AssertingRecordingSession, AssertingSession
    from .recordings_of_tests import RecordingFixtures, SavedRecording

_SETTINGS = pytest.StashKey[PluginSettings]()
_WRITTEN = pytest.StashKey[set[Path]]()


class SessionFactory(Protocol):
    """What the fixture `playhead_session` is; see `playhead.session.Session` for the rest."""

    def __call__(
        self, world: "World", memory: int | str = ..., *,
        handlers: "HandlerRegistry | None" = ..., **rest: Any,
    ) -> "AssertingSession": ...  # fmt: skip


class RecordFactory(Protocol):
    """What the fixture `playhead_record` is; see `playhead.record` for the rest."""

    def __call__(
        self, thing: Any = ..., path: "str | PathLike[str] | None" = ..., *,
        dt: float, memory: int | str = ..., **rest: Any,
    ) -> "AssertingRecordingSession": ...  # fmt: skip


# --- options ----------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("playhead", "recordings of games (playhead)")
    group.addoption(
        "--playhead", choices=MODES, default=None,
        help=f"keep clips of tests: of all, or of those that fail (default: {RETAIN})",
    )  # fmt: skip
    group.addoption(
        "--playhead-dir", metavar="DIR", default=None, help=f"where clips go (default: {FOLDER})"
    )
    group.addoption(
        "--playhead-viewer", choices=("on", "off"), default=None,
        help="lead a running viewer to the first failure (default: on)",
    )  # fmt: skip
    parser.addini("playhead", f"as --playhead: {', '.join(MODES)}", default=RETAIN)
    parser.addini("playhead_dir", "as --playhead-dir, seen from the rootdir", default=FOLDER)
    parser.addini("playhead_viewer", "as --playhead-viewer: on, off", default="on")


def pytest_configure(config: pytest.Config) -> None:
    folder = config.getoption("--playhead-dir")
    if folder is not None:
        folder_path = config.invocation_params.dir / folder
    else:
        folder_path = config.rootpath / config.getini("playhead_dir")
    config.stash[_SETTINGS] = PluginSettings(
        _chosen(config, "playhead", MODES),
        folder_path,
        _chosen(config, "playhead_viewer", ("on", "off")) == "on",
        config.rootpath,
    )
    config.stash[_WRITTEN] = set()
    if not hasattr(config, "workerinput"):  # of several processes the one that reports
        config.pluginmanager.register(
            ViewerGuide(config, config.stash[_SETTINGS]), "playhead-guide"
        )


def _chosen(config: pytest.Config, name: str, choices: tuple[str, ...]) -> str:
    option = config.getoption("--" + name.replace("_", "-"))
    value = str(config.getini(name) if option is None else option)
    if value not in choices:
        raise pytest.UsageError(f"{name} = {value!r}: choose one of {', '.join(choices)}")
    return value


# --- fixtures ---------------------------------------------------------------------------------


@contextmanager
def recordings_of(item: pytest.Item) -> "Iterator[RecordingFixtures]":
    """The sessions of a test while it runs, for items of any kind."""
    from .recordings_of_tests import RecordingFixtures

    config = item.config
    recordings = RecordingFixtures(item.nodeid, config.stash[_SETTINGS], config.stash[_WRITTEN])
    item.stash[NOW] = config.stash[NOW] = recordings
    yield recordings
    del config.stash[NOW]
    recordings.close()


@pytest.fixture
def _playhead_recordings(request: pytest.FixtureRequest) -> "Iterator[RecordingFixtures]":
    """The sessions of a test, whichever fixture makes them."""
    with recordings_of(request.node) as recordings:
        yield recordings


@pytest.fixture
def playhead_session(_playhead_recordings: "RecordingFixtures") -> SessionFactory:
    """Makes sessions: `playhead_session(world, memory="16 MiB", handlers=…, …)`.

    They are strict, fail the test when one of their checks fails, and are closed at its end.
    """
    return _playhead_recordings.open


@pytest.fixture
def playhead_record(_playhead_recordings: "RecordingFixtures") -> RecordFactory:
    """Records a program's own objects: `playhead_record(thing, dt=1 / 60, fields=…, …)`.

    Takes what `playhead.record` takes, and needs no path. Such sessions are strict, fail the test
    when one of their checks fails, and are closed at its end.
    """
    return _playhead_recordings.record


@pytest.fixture
def playhead_world() -> "World":
    """The world that `session` records: override it with your own."""
    pytest.fail(
        "the fixture `session` needs a world: define a fixture `playhead_world` that returns your"
        " adapter, and `playhead_handlers` for its handlers; or use `playhead_session(world)`;"
        " `playhead_record(objects, dt=1 / 60)` needs no world",
        pytrace=False,
    )


@pytest.fixture
def playhead_handlers() -> "HandlerRegistry | None":
    """What records and plays the types of `playhead_world`: override it with your own."""
    return None


@pytest.fixture
def session(
    playhead_session: SessionFactory,
    playhead_world: "World",
    playhead_handlers: "HandlerRegistry | None",
) -> Iterator["AssertingSession"]:
    """A strict session on `playhead_world`, recorded with `playhead_handlers`."""
    made = playhead_session(playhead_world, handlers=playhead_handlers)
    yield made
    made.close()  # before its world goes


# --- what happens to tests --------------------------------------------------------------------


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """A check whose frame was never finished fails the test at its end."""
    result = yield
    recordings = item.stash.get(NOW, None)
    if recordings is not None:
        recordings.verify()
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep what the sessions hold while they are open, and report it with the failure."""
    report = yield
    recordings = item.stash.get(NOW, None)
    if recordings is None:
        return report
    if report.failed:
        error = call.excinfo.value if call.excinfo is not None else None
        _add_section(item, report, recordings.save_unreported(error))
    elif report.when == "call":
        recordings.forget()
        if item.config.stash[_SETTINGS].mode == "on":
            _add_section(item, report, recordings.save_unreported(None))
    recordings.settle()
    return report


def _add_section(
    item: pytest.Item, report: pytest.TestReport, saved: "list[SavedRecording]"
) -> None:
    from ..recorder.text.terminal_text import terminal_line, terminal_text

    report.sections += [
        (terminal_line(one.title), terminal_text("\n".join(one.lines))) for one in saved
    ]
    link = next((str(one.link) for one in saved if one.link is not None), None)
    if link is not None:
        for properties in (item.user_properties, report.user_properties):
            properties.append((LINK, link))
