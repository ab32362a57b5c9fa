"""An agent on the bus: the game tells how things stand, the agent answers with pads."""

import queue
import threading
from collections.abc import Callable, Iterator

import pytest

from playhead.agents.replay.demos.demo_files import read_demos
from playhead.agents.replay.observation_server import GameServer
from playhead.agents.replay.remote_game import RemoteGame
from playhead.agents.replay.replay_batch import BatchSettings, ReplayBatch
from playhead.agents.replay.replay_state_publisher import REPLAY
from playhead.bus.client.client import Client
from playhead.bus.server.bus_settings import BusSettings
from playhead.errors import GameError
from playhead.games.plan_game_interface import Waypoint
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.clips.clip_source import ClipSource
from playhead.session import Session

from ...support.waits import LIMIT
from .corridor import PLAYER, Corridor, Follower, record_demo

STEP = 1 / 240
"""Seconds of real time for each step: four times as fast as the game's own time."""


class Running:
    """A corridor on the bus, stepped by a thread of its own until it is told to hang or to end."""

    def __init__(self, address: str = "tcp://127.0.0.1:*", wall: float = 1e9) -> None:
        self.game = Corridor(wall=wall)
        self.ended = threading.Event()
        self.hangs = threading.Event()
        self.endpoint: str = ""
        self.session: Session
        made: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, args=(address, made), name="corridor")
        self._thread.start()
        error = made.get(timeout=LIMIT)
        if error is not None:
            raise error

    def _run(self, address: str, made: "queue.SimpleQueue[BaseException | None]") -> None:
        try:
            session = Session(
                self.game.world, "2 MiB", handlers=self.game.handlers, on_check=UNATTENDED,
                bus=BusSettings(address),
            )  # fmt: skip
        except BaseException as error:
            made.put(error)
            return
        with session:
            self.session = session
            assert session.bus is not None
            self.endpoint = session.bus.endpoint
            self.game.attach(session)
            self.host = GameServer(self.game, session)
            made.put(None)
            while not self.ended.wait(STEP):
                if self.hangs.is_set():
                    continue
                if session.live:
                    self.host.hold()
                    self.game.step()
                session.update(self.game.dt)
                if session.live:
                    self.host.recorded()

    def close(self) -> None:
        self.ended.set()
        self._thread.join(LIMIT)


@pytest.fixture
def running() -> Iterator[Callable[..., Running]]:
    made: list[Running] = []

    def start(*args, **settings) -> Running:
        made.append(Running(*args, **settings))
        return made[-1]

    yield start
    for one in made:
        one.close()


@pytest.fixture
def demos(tmp_path):
    record_demo(tmp_path / "one.csv", 0.0, 1.0)
    record_demo(tmp_path / "two.csv", 1.0, 2.0)
    return read_demos([tmp_path / "one.csv", tmp_path / "two.csv"])


def play(client: Client, demos, make=Follower, *, patience=2.0, **settings):
    game_port = RemoteGame(client, patience=patience)
    batch = ReplayBatch(demos, make, BatchSettings(**settings))
    game_port.on_request = batch.handle_request
    batch.queue.start()
    assert batch.queue.begin_lap()
    report = batch.lap(game_port)
    game_port.close()
    return game_port, batch, report


def test_demos_are_played_and_saved_games_loaded_from_another_process(running, demos):
    game = running()
    with Client(game.endpoint, name="agent") as client:
        game_port, _, report = play(client, demos)
        assert report.finished
        assert game.game.loads == ["one.start.save"]
        assert (game_port.name, game_port.facts.columns) == ("corridor", {})
        published = client.published(REPLAY)
    assert published is not None
    assert [each["standing"] for each in published.body["demos"]] == ["finished", "finished"]
    assert [each["demo"] for each in published.body["outcomes"]] == ["one", "two"]


def test_what_the_agent_says_is_in_the_frame_that_it_had_seen(running, demos):
    game, made = running(), []

    class Teller(Follower):
        def step(self, seen):
            self.instruments.log(f"at {seen.position[0]:.6f}", object=self.agent)
            return super().step(seen)

    def make(part):
        made.append(Teller(part))
        return made[-1]

    with Client(game.endpoint, name="agent") as client:
        _, _, report = play(client, demos[:1], make)
        assert report.finished
        game.session.mark("here")
        source_of = client.objects
        span = client.snapshot().span
        published = [
            (frame, line.text)
            for frame in range(span.oldest, span.newest + 1)
            for line in client.statements(frame).log
            if line.text.startswith("at ")
        ]
        assert len(published) >= 5
        for frame, text in published:
            (packet,) = source_of(frame)
            assert text == f"at {packet.values['position'][0]:.6f}"
        # So is the transition.
        (frame,) = [
            frame
            for frame in range(span.oldest, span.newest + 1)
            if client.statements(frame).traces
        ]
        assert frame == published[0][0]


def test_a_failure_is_a_failed_check_at_its_frame_and_a_clip_is_kept(running, demos, tmp_path):
    game = running(wall=0.5)
    with Client(game.endpoint, name="agent") as client:
        _, _, report = play(client, demos[:1], clips=tmp_path / "clips")
    (outcome,) = report.demos
    assert outcome.status == "failed"
    assert "stuck" in outcome.failure.message
    (violation,) = game.session.failed_checks
    assert (violation.frame, violation.object) == (outcome.failure.frame, PLAYER)
    with ClipSource.open(outcome.clip) as clip:
        assert clip.span.oldest <= violation.frame < clip.span.newest


@pytest.mark.slow
def test_a_game_that_falls_silent_is_a_failure_and_the_rest_is_skipped(running, demos):
    game = running()

    def make(part):
        game.hangs.set()
        return Follower(part)

    with Client(game.endpoint, name="agent") as client:
        game_port, _, report = play(client, demos, make, patience=0.5)
    assert [each.status for each in report.demos] == ["failed", "skipped"]
    message = report.failure.message
    assert message.startswith(f"corridor at {game.endpoint} has sent nothing for 0.5 s")
    assert game_port.silent == message


def test_a_game_that_is_gone_is_reported_as_gone(running, demos):
    game = running()

    def make(part):
        game.close()
        return Follower(part)

    with Client(game.endpoint, name="agent") as client:
        _, _, report = play(client, demos, make, patience=2.0)
    assert "its process is gone, or it can't be reached" in report.failure.message


def test_a_game_that_was_started_anew_is_not_taken_for_the_same(running, demos):
    game = running()

    def make(part):
        game.close()
        running(game.endpoint)
        return Follower(part)

    with Client(game.endpoint, name="agent") as client:
        _, _, report = play(client, demos, make, patience=10.0)
    assert "was restarted" in report.failure.message


def test_while_the_world_is_paused_nobody_takes_it_for_silent(running, demos):
    game = running()
    paused = threading.Event()

    def look() -> None:
        with Client(game.endpoint, name="person") as person:
            person.enter()
            paused.set()
            person.run(1.2)
            person.leave()

    visitor = threading.Thread(target=look, name="person")

    def make(part):
        visitor.start()
        assert paused.wait(LIMIT)
        return Follower(part)

    with Client(game.endpoint, name="agent") as client:
        _, _, report = play(client, demos[:1], make, patience=0.6)
    visitor.join(LIMIT)
    assert report.finished


def test_a_docks_wishes_reach_the_agent(running, demos):
    game = running(wall=0.5)

    def make(part):
        with Client(game.endpoint, name="dock") as dock:
            dock.call(REPLAY, {"do": "fly"})
            dock.call(REPLAY, {"do": "stop"})
        return Follower(part)

    with Client(game.endpoint, name="agent") as client:
        _, _, report = play(client, demos, make)
    assert [each.status for each in report.demos] == ["skipped", "skipped"]


class Straight:
    """A map on which one goes straight to everything but what lies behind."""

    def path(self, start, goal, near):
        return None if goal[0] < start[0] else [Waypoint(goal, jump=goal[2])]


def test_a_game_is_asked_for_a_way_on_foot(running):
    game = running()
    game.game.plan_map = Straight
    with Client(game.endpoint, name="agent") as client:
        port = RemoteGame(client)
        start = (1.0, 0.0, 0.0)
        assert port.find_path(start, (5.0, 1.0, 0.0), 0.5) == [(5.0, 1.0, 0.0)]
        assert list(port.find_path(start, (0.0, 0.0, 0.0), 0.5)) == []
        assert list(port.find_path(start, (5.0, 0.0, 2.0), 0.5)) == []  # one would have to jump


def test_a_game_without_a_map_tells_no_way(running):
    with Client(running().endpoint, name="agent") as client:
        assert list(RemoteGame(client).find_path((0.0, 0.0, 0.0), (5.0, 0.0, 0.0), 0.5)) == []


def test_a_missing_saved_game_and_a_game_without_agents_raise(running, demos):
    game = running()
    with Client(game.endpoint, name="agent") as client:
        game_port = RemoteGame(client)
        with pytest.raises(GameError, match="nowhere.save"):
            game_port.load(demos[0].path.with_name("nowhere.save"))
    corridor = Corridor()
    with Session(
        corridor.world, "1 MiB", handlers=corridor.handlers, bus="tcp://127.0.0.1:*"
    ) as session:
        serving = threading.Event()

        def handle_request() -> None:
            while not serving.is_set():
                session.update(1 / 60)

        assert session.bus is not None
        endpoint = session.bus.endpoint
        asked: queue.SimpleQueue[BaseException] = queue.SimpleQueue()

        def ask() -> None:
            try:
                with Client(endpoint, name="agent") as client:
                    RemoteGame(client)
            except BaseException as error:
                asked.put(error)
            serving.set()

        thread = threading.Thread(target=ask, name="asks")
        thread.start()
        handle_request()
        thread.join(LIMIT)
        error = asked.get_nowait()
        assert isinstance(error, GameError)
        assert "no game that takes agents is there" in str(error)
