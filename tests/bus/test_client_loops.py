"""A tool in the loops of other libraries: asyncio and Qt."""

import asyncio
import threading
import time
from typing import Any

import pytest

from playhead.bus.messages.message import PlayheadTime
from playhead.playback.commands import SeekFrame


def test_an_asyncio_loop_hears_at_once(game, tool):
    one = game()
    one.run(10)
    client, mover = tool(one), tool(one)

    async def follow() -> list[tuple[int, float]]:
        result: list[tuple[int, float]] = []
        fresh = asyncio.Event()

        def hear(time_: PlayheadTime) -> None:
            result.append((time_.frame, time.monotonic()))
            fresh.set()

        client.on_time(hear)
        detach = client.attach()
        await asyncio.wait_for(fresh.wait(), 20)
        for frame in (3, 7, 5, 2, 8, 1, 9):
            fresh.clear()
            await asyncio.to_thread(mover.apply, SeekFrame(frame))
            sent = time.monotonic()
            await asyncio.wait_for(fresh.wait(), 20)
            assert result[-1][0] == frame
            result[-1] = (frame, result[-1][1] - sent)
        detach()
        return result

    result = asyncio.run(follow())
    assert [frame for frame, _ in result] == [10, 3, 7, 5, 2, 8, 1, 9]
    waited = sorted(seconds for _, seconds in result[1:])
    assert waited[len(waited) // 2] < 0.05, "it waits for the timer, not for the sockets"


def test_asyncio_goes_on_after_a_restart_and_ends_when_the_client_does(game, tool):
    first = game()
    first.run(10)
    client = tool(first)

    async def follow() -> None:
        changes: asyncio.Queue[Any] = asyncio.Queue()
        client.on_connection(changes.put_nowait)
        client.attach()
        client.on_time(lambda time: changes.put_nowait(time.frame))
        assert await asyncio.wait_for(changes.get(), 20) == 10
        await asyncio.to_thread(first.close)
        assert await asyncio.wait_for(changes.get(), 20) is False
        second = await asyncio.to_thread(game, bus=first.endpoint)
        await asyncio.to_thread(second.run, 3)
        assert await asyncio.wait_for(changes.get(), 20) is True
        while await asyncio.wait_for(changes.get(), 20) != 3:
            pass
        client.close()
        await asyncio.sleep(0.25)

    asyncio.run(follow())


def test_a_qt_loop_hears_by_socket_notifiers(game, tool, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    core = pytest.importorskip("PyQt6.QtCore", exc_type=ImportError)
    pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)
    from playhead.viewer.app.viewer_main import application

    one = game()
    one.run(10)
    client, mover = tool(one), tool(one)
    app = application()  # the one that the viewer's tests share: Qt can't bear two in a process
    received: list[int] = []
    frames = [3, 7, 5, 2, 8]

    def hear(time: PlayheadTime) -> None:
        received.append(time.frame)
        if time.frame == 8:
            app.quit()

    client.on_time(hear)

    def turn() -> None:
        while client.dispatch():
            pass

    notifiers = []
    for handle in client.handles:
        notifiers.append(core.QSocketNotifier(handle, core.QSocketNotifier.Type.Read))
        notifiers[-1].activated.connect(turn)
    timer = core.QTimer()
    timer.timeout.connect(turn)
    timer.start(100)
    give_up = core.QTimer()
    give_up.setSingleShot(True)
    give_up.timeout.connect(app.quit)
    give_up.start(20_000)
    turn()

    def move() -> None:
        for frame in frames:
            before = len(received)
            mover.seek(frame=frame)
            end = time.monotonic() + 5
            while len(received) == before and time.monotonic() < end:
                threading.Event().wait(0.002)

    thread = threading.Thread(target=move)
    thread.start()
    app.exec()
    thread.join()
    for notifier in notifiers:
        notifier.setEnabled(False)
    timer.stop()
    assert received == [10, *frames]
