"""Leads a running viewer to a run's first failure, and tells of tests that were interrupted."""

from typing import TYPE_CHECKING

import pytest

from .plugin_settings import PluginSettings

if TYPE_CHECKING:
    from .recording_fixtures import RecordingFixtures, SavedRecording

LINK = "playhead_link"
"""The property of a report that holds the link to the culprit."""
NOW: "pytest.StashKey[RecordingFixtures]" = pytest.StashKey()
"""Of a test, its recordings; of the configuration, those of the test that runs."""


class ViewerGuide:
    """A plug-in of the process that reports: it hears of all failures, whoever ran the tests."""

    def __init__(self, config: pytest.Config, settings: PluginSettings) -> None:
        self._config = config
        self._leads = settings.viewer
        self._interrupted: tuple[str, list[SavedRecording]] | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        link = dict(report.user_properties).get(LINK)
        if not report.failed or link is None:
            return
        line = self._lead(str(link))
        at = next((at for at, (name, _) in enumerate(report.sections) if _is_ours(name)), None)
        if line and at is not None:
            name, text = report.sections[at]
            report.sections[at] = (name, f"{text}\n{line}")

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        recordings = self._config.stash.get(NOW, None)
        if recordings is not None:
            kept = recordings.keep(excinfo.value)
            self._interrupted = recordings.test, kept
            for one in kept:
                if one.link is not None:
                    one.lines.append(self._lead(str(one.link)))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._interrupted is None:
            return
        from ..recorder.text.terminal_text import terminal_line, terminal_text

        test, kept = self._interrupted
        for one in kept:
            terminalreporter.section(terminal_line(f"{one.title}: {test} was interrupted"))
            for line in one.lines:
                terminalreporter.write_line(terminal_text(line))

    def _lead(self, link: str) -> str:
        """Have a running viewer show a link, unless one was led before; what is to be said of it.

        Nothing that goes wrong here is a reason to end the run.
        """
        if not self._leads:
            return ""
        try:
            from ..bus.single_instance import send_link
            from ..playback.recording_link import RecordingLink

            if not send_link(RecordingLink.of(link)):
                return ""
        except Exception as error:
            self._leads = False
            return f"  no viewer could be led there: {error}"
        self._leads = False
        return "  a running viewer stands there now"


def _is_ours(section: str) -> bool:
    return section == "playhead" or section.startswith("playhead, session ")
