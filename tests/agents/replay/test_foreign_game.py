"""Demos in a game that speaks the protocol and is none of ours, and all that it may do wrong."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from playhead.agents.playthrough.playthrough_settings import load_settings
from playhead.agents.replay.agent_factory import playthrough
from playhead.agents.replay.agent_interface import AgentSpec
from playhead.agents.replay.demos.demo_files import read_demos
from playhead.agents.replay.demos.remote_demo_recorder import record_remote_demo
from playhead.agents.replay.remote_game import RemoteGame
from playhead.agents.replay.replay_batch import BatchSettings, ReplayBatch
from playhead.agents.replay.replay_outcome import RunReport
from playhead.bus.client.client import Client
from playhead.errors import DamagedError, GameError
from playhead.playback.pads.pad import Pad

from ...games.remote.game import Peer, served
from .foreign_game import ForeignGame, record_foreign_demo


@pytest.fixture
def service() -> Iterator:
    with served() as one:
        yield one


@pytest.fixture
def start(service) -> Iterator:
    games: list[ForeignGame] = []

    def start(**facts) -> ForeignGame:
        games.append(ForeignGame(service.url, **facts))
        return games[-1]

    yield start
    for game in games:
        game.close()


@pytest.fixture
def client(service, start) -> Iterator[Client]:
    with service.client() as client:
        yield client


def demo_of(client: Client, folder: Path) -> Path:
    return record_foreign_demo(RemoteGame(client), folder)


def replay(client: Client, paths: list[Path], *, fault=None, patience=1.0, seed=3) -> RunReport:
    """Replay demos; `fault` happens once the first agent has begun."""
    port = RemoteGame(client, patience=patience)
    demos = read_demos(paths, port.facts.demo_columns, port.facts.levels)
    make, begun = playthrough(load_settings()), []

    def with_fault(spec: AgentSpec):
        if fault is not None and not begun:
            fault()
        begun.append(spec)
        return make(spec)

    batch = ReplayBatch(demos, with_fault, BatchSettings(restarts=port.can_restart))
    batch.queue.start()
    assert batch.queue.begin_lap()
    report = batch.lap(port, seed)
    port.close()
    assert report is not None
    return report


def test_a_demo_is_recorded_and_replayed_with_a_seed(start, client, tmp_path):
    game = start()
    demo = demo_of(client, tmp_path)
    (walk,) = read_demos([demo], {"coins": float})
    assert len(walk.demo) > 15
    assert walk.demo.rows[-1].stick_x == 1.0
    report = replay(client, [demo], seed=7)
    assert report.finished, report
    assert game.seeds == [0, 7]


def _set(**values):
    return lambda body: body["seen"].update(values)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda body: body["seen"].pop("position"), "required field `position`"),
        pytest.param(_set(position=[1.0, 2.0]), "length 3", marks=pytest.mark.slow),
        pytest.param(
            _set(position=[None, 0.0, 0.0]), "Expected `float`, got `null`", marks=pytest.mark.slow
        ),
        (_set(position=[1e300, 0.0, 0.0]), "must be finite and below 1e+09"),
        pytest.param(_set(message="yes"), "Expected `bool`, got `str`", marks=pytest.mark.slow),
        pytest.param(_set(extras={}), "extras has no 'coins'", marks=pytest.mark.slow),
        (_set(extras={"coins": "three"}), "extras['coins'] is 'three', and the column is float"),
        pytest.param(_set(items=[{"label": "coin"}]), "`position`", marks=pytest.mark.slow),
        pytest.param(
            lambda body: body.pop("game_time"), "required field `game_time`", marks=pytest.mark.slow
        ),
    ],
)
def test_an_observation_that_can_not_be_read_fails_its_demo_and_the_next_is_played(
    start, client, tmp_path, change, told
):
    game = start()
    first = demo_of(client, tmp_path)
    second = first.with_name("second.csv")
    second.write_bytes(first.read_bytes())

    def spoil() -> None:
        game.change = spoiled

    def spoiled(body) -> None:
        change(body)
        game.change = None  # one is enough

    report = replay(client, [first, second], fault=spoil)
    failed, finished = report.demos
    assert failed.failure is not None
    assert failed.failure.kind == "observation"
    assert told in failed.failure.message
    assert finished.finished


def test_a_game_that_records_nothing_before_the_tester_comes_is_known_by_its_first_frame(
    start, client
):
    game = start(silent=True, conventions={"up": "y"})
    port = RemoteGame(client)
    game.silent = False
    port.next(Pad())
    assert port.conventions.up == "y"


def test_a_game_that_falls_silent_fails(start, client, tmp_path):
    game = start()
    demo = demo_of(client, tmp_path)
    report = replay(client, [demo], fault=lambda: setattr(game, "silent", True), patience=0.5)
    assert report.failure is not None
    assert "has sent nothing for 0.5 s: it hangs" in report.failure.message


def test_a_game_that_disconnects_is_distinguished_from_one_that_hangs(start, client, tmp_path):
    game = start()
    demo = demo_of(client, tmp_path)
    report = replay(client, [demo], fault=lambda: setattr(game, "leaves", True), patience=0.5)
    assert report.failure is not None
    assert "it has disconnected from the service" in report.failure.message


def test_a_game_that_comes_back_fails_the_demo_and_plays_the_next(start, client, tmp_path):
    game = start()
    first = demo_of(client, tmp_path)
    second = first.with_name("second.csv")
    second.write_bytes(first.read_bytes())
    game.returns_after = 0.05
    fault = lambda: setattr(game, "leaves", True)  # noqa: E731
    report = replay(client, [first, second], fault=fault, patience=3.0)
    failed, finished = report.demos
    assert failed.failure is not None
    assert failed.failure.kind == "crash"
    assert "disconnected and connected again" in failed.failure.message
    assert finished.finished, finished


def test_of_two_games_at_once_the_second_is_refused(start, client, service, tmp_path):
    start()
    with Peer(service.url) as second:
        second.hello("second")
        answer = second.ask(do="register_game", name="second", pads=1)
    assert answer["is"] == "error"
    assert replay(client, [demo_of(client, tmp_path)]).finished


def test_a_demo_of_another_game_is_refused_with_line_and_column(start, client, tmp_path):
    start(columns={"coins": "float", "keys": "float"})
    (tmp_path / "other").mkdir()
    text = "player_x\n"
    (tmp_path / "other" / "walk.csv").write_text(text)
    with pytest.raises(DamagedError, match=r"walk.csv"):
        replay(client, [tmp_path / "other" / "walk.csv"])


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"interval": 0}, "interval"),
        ({"columns": {"coins": "number"}}, "a column is float, bool or str"),
        ({"outcomes": {"keys": "equal"}}, "is no column of the game"),
        ({"sticks": "left"}, "there are world, player and camera"),
        ({"player": "hero"}, "Expected `int`, got `str`"),
    ],
)
def test_what_a_game_says_wrongly_of_itself_is_named(start, client, facts, told):
    start(**facts)
    with pytest.raises(GameError, match=told):
        RemoteGame(client)


def test_nothing_is_recorded_of_a_game_that_does_not_say_what_is_held(start, client, tmp_path):
    game = start()
    game.change = lambda body: body.pop("pad")
    with pytest.raises(GameError, match="has no `pad`"):
        record_remote_demo(
            RemoteGame(client), tmp_path / "walk.csv", seconds=1.0, script=None,
            goes_on=lambda: True,
        )  # fmt: skip
