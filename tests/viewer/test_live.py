"""The window in front of a running game."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.bus.client.client import Client
from playhead.playback.playback_state import Mode
from playhead.viewer.backends.playback_backend import LinkState
from playhead.viewer.panels.timeline.timeline_rows import reading
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.qt import Qt


@pytest.fixture
def game(live):
    return live()


@pytest.fixture
def following(game, window, until):  # the window is closed before the game is gone
    one = window(game.endpoint, ready=False)
    until(lambda: one.store.snapshot is not None and one.store.frame > 20)
    return one


def test_it_follows_the_newest_frame(following, until):
    assert following.transport.mode.text() == "LIVE"
    assert following.store.backend_state.link is LinkState.CONNECTED
    before = following.store.frame
    until(lambda: following.store.frame > before + 20)
    until(lambda: len(following.store.history) > 40)


def test_what_was_recorded_before_it_came_is_read_too(live, window, until):
    game = live()
    until(lambda: game.world.seconds > 1.5)
    one = window(game.endpoint, ready=False)
    until(lambda: one.store.history.changes.get((1, "guard")))
    until(lambda: [change.frame for change in one.store.history.changes[1, "guard"]][:2] == [1, 64])


def test_grabbing_the_timeline_pauses_the_game_and_end_lets_it_run_on(following, game, until):
    timeline = following.timeline
    until(lambda: timeline.scale.end > 0.5)
    middle = timeline.rect().center()
    QTest.mousePress(timeline, Qt.MouseButton.LeftButton, pos=middle)
    until(lambda: following.store.playback.mode is Mode.PAUSED)
    until(lambda: not game.live)
    QTest.mouseRelease(timeline, Qt.MouseButton.LeftButton, pos=middle)
    assert following.transport.mode.text() == "PAUSED"
    # End goes to the newest frame that the window has heard of: one may have come meanwhile.
    with Client(game.endpoint) as tool:
        newest = tool.snapshot().span.newest
    until(lambda: following.store.playback.span.newest == newest)
    # Where one grabbed may have been the newest frame; there, End would follow at once.
    QTest.keyClick(following, Qt.Key.Key_Home)
    until(lambda: following.store.frame == following.store.playback.span.oldest)
    QTest.keyClick(following, Qt.Key.Key_End)
    until(lambda: following.store.frame == following.store.playback.span.newest)
    QTest.keyClick(following, Qt.Key.Key_End)
    until(lambda: following.store.playback.mode is Mode.LIVE)
    until(lambda: game.live)


def test_space_pauses_the_game(following, game, until):
    QTest.keyClick(following, Qt.Key.Key_Space)
    until(lambda: following.store.playback.mode is Mode.PAUSED and not game.live)


def test_when_another_tool_pauses_the_game_it_stands_there_too(following, game, until):
    with Client(game.endpoint) as tool:
        tool.seek(frame=5)
        until(lambda: following.store.frame == 5 and following.store.playback.mode is Mode.PAUSED)
        until(lambda: following.store.backend_state.tools == 2)


def test_a_lost_game_keeps_its_data_and_is_found_again(live, window, until):
    first = live()
    one = window(first.endpoint, ready=False)
    # What it has read of the game by then is what it keeps.
    until(lambda: one.store.frame > 30 and len(one.store.history) > 10)
    first.close()
    until(lambda: one.store.backend_state.link is LinkState.LOST)
    assert one.transport.mode.text() == "LOST"
    assert one.store.snapshot is not None
    assert len(one.store.history) > 10
    assert one.timeline.isVisible()
    old = one.store.history
    live(first.endpoint)
    until(lambda: one.store.backend_state.link is LinkState.CONNECTED)
    # Another run of the game is another recording.
    until(lambda: one.store.history is not old and one.store.snapshot is not None)
    assert one.transport.mode.text() == "LIVE"


def test_live_the_playhead_is_in_sight_and_the_rows_say_what_holds(following, until):
    following.store.select(1)
    timeline = following.timeline

    def all_is_said() -> bool:
        rows = {row.title: row for row in timeline.rows()}
        cursor = following.store.cursor
        inside = timeline.scale.start <= cursor <= timeline.scale.end
        return inside and reading(rows["guard"], cursor, following.store.history)[0] != ""

    until(lambda: following.store.history.changes)
    for _ in range(10):
        before = following.store.frame
        until(lambda: following.store.frame > before)  # noqa: B023
        assert all_is_said()


def test_it_counts_the_tools_that_are_connected(following, until):
    assert following.store.backend_state.tools == 1


def test_while_a_game_is_lost_what_was_read_can_be_scrubbed_and_the_wait_is_shown(
    live, window, until
):
    game = live()
    one = window(game.endpoint, ready=False)
    until(lambda: one.store.frame > 40)
    game.close()
    until(lambda: one.store.backend_state.link is LinkState.LOST)
    assert one.transport.mode.color == palette.WARNING
    assert one.transport.retry.isVisible()
    newest = one.store.frame
    QTest.keyClick(one, Qt.Key.Key_Left)
    until(lambda: one.store.frame < newest)
    assert one.store.snapshot.objects
    QTest.keyClick(one, Qt.Key.Key_Home)
    until(lambda: one.store.frame < newest - 5)
    until(lambda: "again in" in one.transport.link.text())
    QTest.keyClick(one, Qt.Key.Key_End)
    until(lambda: one.store.frame >= newest)
    QTest.keyClick(one, Qt.Key.Key_End)
    until(lambda: "is gone" in one.status.left.text())


def test_one_need_not_wait_for_the_next_look(live, window, until):
    game = live()
    one = window(game.endpoint, ready=False)
    until(lambda: one.store.frame > 20)
    game.close()
    until(lambda: one.store.backend_state.retry_at > 0)
    live(game.endpoint)
    one.transport.retry.click()
    until(lambda: one.store.backend_state.link is LinkState.CONNECTED)
    until(lambda: one.transport.mode.text() == "LIVE")
    assert not one.transport.retry.isVisible()


def test_a_game_that_has_recorded_nothing_yet_has_a_card_until_its_first_frame(
    live, window, until, app
):
    game = live(waits=True)
    one = window(game.endpoint, ready=False)
    until(lambda: one.store.backend_state.link is LinkState.CONNECTED)
    app.processEvents()
    assert one.stack.currentWidget() is one.card
    assert one.card.waiting.text() == f"● Connected to {game.endpoint}, waiting for the first frame"
    assert one.transport.link.text().startswith("● connected")
    # Whatever one presses meanwhile: there is nothing, and nothing breaks.
    for key in (Qt.Key.Key_Space, Qt.Key.Key_Left, Qt.Key.Key_N, Qt.Key.Key_M, Qt.Key.Key_End):
        QTest.keyClick(one, key)
        app.processEvents()
    assert one.stack.currentWidget() is one.card
    game.begin_now()
    until(lambda: one.store.snapshot is not None)
    until(lambda: one.stack.currentWidget() is one.world)
    until(lambda: one.timeline.isVisible())


def test_the_line_at_the_bottom_tells_how_to_begin_until_there_is_something_to_see(
    live, window, until
):
    game = live(waits=True)
    one = window(game.endpoint, ready=False)
    assert one.status.left.text().startswith("Ctrl+O opens a recording")
    game.begin_now()
    until(lambda: one.store.snapshot is not None)
    assert one.status.left.text().startswith("Drag the timeline to scrub")


def test_a_runs_the_game_for_one_step_where_it_pauses_at_its_newest_frame(following, game, until):
    calls = []
    following.store.message.connect(calls.append)
    QTest.keyClick(following, Qt.Key.Key_A)
    assert calls == ["The game runs: Space pauses it"]
    QTest.keyClick(following, Qt.Key.Key_Space)

    def stands_at(frame: int) -> bool:
        shown = following.store.playback
        return shown.mode is Mode.PAUSED and shown.frame == frame

    until(lambda: not game.live)
    # The span is looked at now and then: it may be older than the frame where the game stands.
    until(lambda: (span := following.store.playback.span) and stands_at(span.newest))
    stood = following.store.playback.frame
    QTest.keyClick(following, Qt.Key.Key_A)
    until(lambda: stands_at(stood + 1) or calls[1:])
    assert calls[1:] == []
    until(lambda: following.store.playback.span.newest == stood + 1)
    QTest.keyClick(following, Qt.Key.Key_Left)
    until(lambda: stands_at(stood))
    QTest.keyClick(following, Qt.Key.Key_A)
    assert calls[-1] == "The game runs on from its newest frame only: End goes there"
