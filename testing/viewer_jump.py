"""Shows the first failure of a test run in a running viewer, and reports interrupted tests."""

from typing import TYPE_CHECKING

import pytest

from .plugin_settings import PluginSettings

if TYPE_CHECKING:
    from .recordings_of_tests import RecordingFixtures, SavedRecording

LINK = "playhead_link"
"""The property of a report with the link to the failed check."""
NOW: "pytest.StashKey[RecordingFixtures]" = pytest.StashKey()
"""A test's recordings; in the configuration's stash, those of the test that runs."""


class ViewerGuide:
    """A plug-in of the process that reports; with several processes it gets the failures of all."""

    def __init__(self, config: pytest.Config, settings: PluginSettings) -> None:
        self._config = config
        self._active = settings.viewer
        self._interrupted: tuple[str, list[SavedRecording]] | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        link = dict(report.user_properties).get(LINK)
        if not report.failed or link is None:
            return
        line = self._show_link(str(link))
        at = next((at for at, (name, _) in enumerate(report.sections) if _is_ours(name)), None)
        if line and at is not None:
            name, text = report.sections[at]
            report.sections[at] = (name, f"{text}\n{line}")

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        recordings = self._config.stash.get(NOW, None)
        if recordings is not None:
            saved = recordings.save_unreported(excinfo.value)
            self._interrupted = recordings.test, saved
            for one in saved:
                if one.link is not None:
                    one.lines.append(self._show_link(str(one.link)))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._interrupted is None:
            return
        from ..recorder.text.terminal_text import terminal_line, terminal_text

        test, saved = self._interrupted
        for one in saved:
            terminalreporter.section(terminal_line(f"{one.title}: {test} was interrupted"))
            for line in one.lines:
                terminalreporter.write_line(terminal_text(line))

    def _show_link(self, link: str) -> str:
        """Show a link in a running viewer, once a run; returns a line for the report.

        Errors here do not end the test run.
        """
        if not self._active:
            return ""
        try:
            from ..bus.running_viewer import send_link
            from ..playback.recording_url import RecordingLink

            if not send_link(RecordingLink.of(link)):
                return ""
        except Exception as error:
            self._active = False
            return f"  no viewer could be led there: {error}"
        self._active = False
        return "  a running viewer shows it now"


def _is_ours(section: str) -> bool:
    return section == "playhead" or section.startswith("playhead, session ")
