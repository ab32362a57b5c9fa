"""The door of a viewer: who knows the secret on its plate is let in, and nobody else."""

import contextlib
import os
import socket
import sys
import threading
import time

import msgspec
import pytest
import zmq

from playhead.bus import running_viewer as door_module
from playhead.bus.running_viewer import (
    InstanceInfo,
    InstanceRequest,
    OpenTarget,
    SingleInstance,
    instance_info,
    send_link,
)
from playhead.bus.viewer_discovery import (
    RunningInstance,
    folder,
    register_instance,
    running_instances,
)
from playhead.errors import BusError
from playhead.playback.recording_url import RecordingLink

from ..support.process import Process

LINK = RecordingLink("/clips/run 1.mcap", frame=480, focus=7)
HERE = InstanceInfo("/clips/other.mcap", 12, 3, settled=True)
SHORT = 0.2
"""Seconds to wait for an answer that does not come."""

posix = pytest.mark.skipif(sys.platform == "win32", reason="other rights, other signals")


@pytest.fixture(autouse=True)
def registry_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAYHEAD_VIEWERS", str(tmp_path / "viewers"))
    return tmp_path / "viewers"


class Viewer:
    """A door that a thread waits behind, as Qt would."""

    def __init__(self, **rest) -> None:
        self.door = SingleInstance(lambda: HERE, **rest)
        self.links: list[RecordingLink] = []
        self.came = threading.Condition()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        poller = zmq.Poller()
        poller.register(self.door.handle, zmq.POLLIN)
        while not self._ended.is_set():
            poller.poll(20)
            while self.door.more:
                links = self.door.take()
                with self.came:
                    self.links += links
                    self.came.notify_all()
        self.door.close()

    def got(self, count: int = 1) -> list[RecordingLink]:
        """Its links, when there are so many: they come behind the answer."""
        with self.came:
            assert self.came.wait_for(lambda: len(self.links) >= count, 20)
        return self.links

    def close(self) -> None:
        self._ended.set()
        self._thread.join()


@pytest.fixture
def viewer():
    """Open doors that are answered."""
    made: list[Viewer] = []

    def open(**rest) -> Viewer:
        made.append(Viewer(**rest))
        return made[-1]

    yield open
    for one in made:
        one.close()


@pytest.fixture
def door():
    """A door behind which nobody is unless the test takes."""
    one = SingleInstance(lambda: HERE)
    yield one
    one.close()


@contextlib.contextmanager
def outsider(plate):
    """Somebody who only knows the port."""
    with zmq.Context() as context, context.socket(zmq.DEALER) as guest:
        guest.linger = 0
        guest.connect(plate.endpoint)
        yield guest


def knock(plate, ask=None, *, secret=None, until=None) -> bytes:
    return msgspec.msgpack.encode(
        InstanceRequest(
            plate.secret if secret is None else secret,
            time.time() + 60 if until is None else until,
            ask or OpenTarget(str(LINK)),
        )
    )


def taken(door) -> list[RecordingLink]:
    """What comes in, when something does."""
    poller = zmq.Poller()
    poller.register(door.handle, zmq.POLLIN)
    end = time.monotonic() + 20
    while not door.more:
        assert time.monotonic() < end, "nobody knocks"
        poller.poll(20)
    return door.take()


def test_a_link_is_handed_to_a_running_viewer(viewer):
    one = viewer()
    assert send_link(LINK) == os.getpid()
    assert one.got() == [LINK]


def test_the_viewer_that_was_opened_last_gets_it(viewer):
    first, second = viewer(), viewer()
    send_link(LINK)
    assert second.got() == [LINK]
    assert first.links == []
    second.close()
    send_link(LINK)
    assert first.got() == [LINK]


def test_a_viewer_that_refuses_a_link_is_passed_by(viewer, caplog):
    first, second = viewer(), viewer(refuses=lambda link: "a game stands still here")
    with caplog.at_level("INFO", "playhead.bus"):
        send_link(LINK)
    assert first.got() == [LINK]
    assert second.links == []
    assert "a game stands still here" in caplog.text
    first.close()
    assert send_link(LINK) == 0
    assert len(instance_info()) == 1, "it is still there"


def test_viewers_say_where_they_are(viewer):
    viewer()
    assert instance_info() == [msgspec.structs.replace(HERE, process=os.getpid())]


def test_without_viewers_nobody_takes_it(registry_folder):
    assert send_link(LINK) == 0
    assert instance_info() == []
    assert not registry_folder.exists()


def test_a_viewer_takes_its_plate_down_when_it_closes(viewer, registry_folder):
    one = viewer()
    assert len(list(registry_folder.iterdir())) == 1
    one.close()
    assert list(registry_folder.iterdir()) == []
    one.door.close()


@posix
def test_the_plate_of_a_dead_process_is_taken_down_without_asking(registry_folder):
    with Process(sys.executable, "-c", "") as dead:
        dead.wait()
    register_instance(RunningInstance("tcp://127.0.0.1:9", "s", dead.pid, 1.0))
    assert send_link(LINK, patience=60.0) == 0
    assert list(registry_folder.iterdir()) == []


def test_a_plate_that_nobody_answers_at_is_taken_down(registry_folder):
    register_instance(RunningInstance("tcp://127.0.0.1:9", "s", os.getpid(), 1.0))
    assert instance_info(patience=SHORT) == []
    assert list(registry_folder.iterdir()) == []


def test_who_was_busy_opens_nothing_late_and_can_be_found_again(door, registry_folder):
    [(_, before)] = running_instances()
    assert send_link(LINK, patience=SHORT) == 0
    assert list(registry_folder.iterdir()) == []
    assert taken(door) == []
    assert [plate for _, plate in running_instances()] == [before]


def test_nothing_is_sent_to_an_address_on_another_machine(registry_folder, monkeypatch):
    register_instance(RunningInstance("tcp://192.0.2.1:80", "s", os.getpid(), 1.0))
    monkeypatch.setattr(door_module, "_request", lambda *_: pytest.fail("it was asked"))
    assert send_link(LINK) == 0


def test_without_the_secret_nothing_is_opened_and_nothing_answered(door):
    [(_, plate)] = running_instances()
    with outsider(plate) as guest:
        guest.send(knock(plate, secret="guessed"))
        guest.send(knock(plate, secret=""))
        guest.send(b"")
        guest.send(b"\xff" * 100)
        guest.send_multipart([b"", knock(plate, secret=plate.secret[:-1])])
        guest.send(msgspec.msgpack.encode({"secret": plate.secret, "until": 0.0, "ask": {}}))
        guest.send(knock(plate))
        links: list[RecordingLink] = []
        while not links:
            links += taken(door)
        assert links == [LINK]
        assert guest.poll(20_000)
        assert b"taken" in guest.recv()
        assert not guest.poll(0), "somebody else was answered too"


def test_a_web_page_opens_nothing(door):
    [(_, plate)] = running_instances()
    port = int(plate.endpoint.rpartition(":")[2])
    body = knock(plate, secret="guessed")
    head = f"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n"
    # The oldest peers greet with a frame's length, as which the first letter of a request passes.
    old = b"\x01\x00" + bytes([len(body) + 1, 0]) + body
    for request in (head.encode() + body, b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n", old):
        with (
            socket.create_connection(("127.0.0.1", port), timeout=20) as page,
            outsider(plate) as guest,
        ):
            page.sendall(request)
            guest.send(knock(plate))
            links: list[RecordingLink] = []
            while not links:
                links += taken(door)
            assert links == [LINK]
            page.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                assert b"taken" not in page.recv(4096)


def test_what_leads_nowhere_is_refused_in_words(door):
    [(_, plate)] = running_instances()
    with outsider(plate) as guest:
        guest.send(knock(plate, OpenTarget("https://example.com")))
        assert taken(door) == []
        assert guest.poll(20_000)
        assert b"is no link" in guest.recv()


def test_a_knock_too_long_ends_its_connection(door):
    [(_, plate)] = running_instances()
    with outsider(plate) as guest:
        guest.send(knock(plate, OpenTarget("playhead:///" + "a" * (1 << 20))))
        assert not guest.poll(200)
    assert door.take() == []


def test_a_flood_is_taken_in_parts(door):
    [(_, plate)] = running_instances()
    with outsider(plate) as guest:
        for _ in range(150):
            guest.send(knock(plate))
        links: list[RecordingLink] = []
        while len(links) < 150:
            some = taken(door)
            assert len(some) <= 100
            links += some


@posix
def test_only_its_user_can_read_a_plate(door, registry_folder):
    assert registry_folder.stat().st_mode & 0o777 == 0o700
    [(file, _)] = running_instances()
    assert file.stat().st_mode & 0o777 == 0o600


@posix
def test_a_folder_that_others_can_write_to_is_refused(registry_folder):
    registry_folder.mkdir()
    registry_folder.chmod(0o777)
    with pytest.raises(BusError, match="can be written by other users"):
        send_link(LINK)
    with pytest.raises(BusError, match="can't hand anything"):
        SingleInstance(lambda: HERE)


@posix
def test_a_folder_that_leads_elsewhere_is_refused(registry_folder, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    registry_folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BusError, match="is no folder"):
        instance_info()


def test_a_folder_that_can_not_be_made_raises(registry_folder):
    registry_folder.write_text("a file")
    with pytest.raises(BusError, match="PLAYHEAD_VIEWERS"):
        SingleInstance(lambda: HERE)
    with pytest.raises(BusError, match="can be looked for there"):
        send_link(LINK)


def test_other_files_in_the_folder_are_left_alone(registry_folder, door):
    (registry_folder / "notes.txt").write_text("mine")
    (registry_folder / f"viewer-{os.getpid()}-00.json").write_text("{damaged")
    (registry_folder / f"viewer-{os.getpid()}-01.json").write_text("x" * 10_000)
    assert len(running_instances()) == 1
    assert len(list(registry_folder.iterdir())) == 4


def test_its_folder_is_the_users_own_unless_another_is_named(monkeypatch, tmp_path):
    assert folder() == tmp_path / "viewers"
    monkeypatch.delenv("PLAYHEAD_VIEWERS")
    if sys.platform != "win32":
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
        assert folder() == tmp_path / "playhead"
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "missing"))
        assert folder().name == f"playhead-{os.getuid()}"


def test_a_viewer_that_answers_nonsense_is_none():
    with zmq.Context() as context, context.socket(zmq.ROUTER) as nonsense:
        nonsense.linger = 0
        port = nonsense.bind_to_random_port("tcp://127.0.0.1")
        register_instance(RunningInstance(f"tcp://127.0.0.1:{port}", "s", os.getpid(), 1.0))

        def answer():
            who, _ = nonsense.recv_multipart()
            nonsense.send_multipart([who, b"nonsense"])

        answering = threading.Thread(target=answer)
        answering.start()
        assert instance_info() == []
        answering.join()
    assert running_instances() == []
