"""Other programs hand links to a window, and ask it where it is, while Qt works."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import msgspec
import pytest
import zmq

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.bus.running_viewer import (
    InstanceInfo,
    InstanceRequest,
    OpenTarget,
    instance_info,
    send_link,
)
from playhead.bus.viewer_discovery import running_instances
from playhead.playback.recording_url import RecordingLink
from playhead.viewer.app.processes.link_listener import LinkListener

LINK = RecordingLink("/clips/run.mcap", frame=480, focus=7)


@pytest.fixture(autouse=True)
def registry_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAYHEAD_VIEWERS", str(tmp_path / "viewers"))
    return tmp_path / "viewers"


@pytest.fixture
def entrance(app) -> Iterator[LinkListener]:
    one = LinkListener(lambda: InstanceInfo("/clips/other.mcap", 12, 3, settled=True))
    one.links = []
    one.asked.connect(one.links.append)
    yield one
    one.close()


@pytest.fixture
def elsewhere(until) -> Callable[[Callable[[], Any]], Any]:
    """Do something in another thread, as another program would, while Qt works here."""

    def run(work: Callable[[], Any]) -> Any:
        done: Future[Any] = Future()

        def job() -> None:
            try:
                done.set_result(work())
            except BaseException as error:
                done.set_exception(error)

        thread = threading.Thread(target=job)
        thread.start()
        until(done.done)
        thread.join()
        return done.result()

    return run


def test_a_link_that_is_handed_over_is_asked_for(entrance, elsewhere, until):
    assert elsewhere(lambda: send_link(LINK, patience=20)) == os.getpid()
    until(lambda: entrance.links == [LINK])


def test_each_of_many_comes_in(entrance, elsewhere, until):
    many = [RecordingLink("/clips/run.mcap", frame=frame) for frame in range(1, 21)]
    elsewhere(lambda: [send_link(link, patience=20) for link in many])
    until(lambda: entrance.links == many)


def test_a_flood_comes_in_completely(entrance, until):
    [(_, plate)] = running_instances()
    many = [RecordingLink("/clips/run.mcap", frame=frame) for frame in range(1, 251)]
    with zmq.Context() as context, context.socket(zmq.DEALER) as guest:
        guest.connect(plate.endpoint)
        for link in many:
            ask = OpenTarget(str(link))
            guest.send(msgspec.msgpack.encode(InstanceRequest(plate.secret, time.time() + 60, ask)))
        until(lambda: entrance.links == many)


def test_what_came_before_it_was_watched_is_not_forgotten(entrance, elsewhere):
    # Taken by nobody yet: the loop has not run since the door was opened.
    assert elsewhere(lambda: instance_info(patience=20))[0].frame == 12


def test_closed_it_can_not_be_found_any_more(entrance):
    assert len(running_instances()) == 1
    entrance.close()
    assert running_instances() == []
    assert send_link(LINK) == 0
    entrance.close()


def test_without_a_place_to_be_found_at_it_says_so_and_the_viewer_goes_on(app, registry_folder):
    registry_folder.write_text("in the way")
    one = LinkListener(lambda: InstanceInfo("", 0, 0, settled=False))
    assert "can't hand anything" in one.error_text
    one.close()
