"""Tests of clients/godot: real projects in the real engine, headless, with a real service.

`godot_probe.gd` is put into each project: through it a test sees from outside where nodes really
are, and gets a hash of the world after each step.
"""

import base64
import json
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from playhead.bus.client.client import Client
from playhead.bus.messages import requests, responses
from playhead.bus.messages.response_rows import ObjectRow
from playhead.errors import CommandError, GameError
from playhead.playback.commands import Advance
from playhead.playback.pads.pad import NEUTRAL, Button, Pad
from playhead.playback.playback_state import Mode, PlaybackState

from ..support.process import Process
from ..support.waits import LIMIT, until
from .conftest import PLAYHEAD
from .support.cutting import Cutting
from .support.godot_game import GODOT, Game
from .support.promises import newest, stamps

HERE = Path(__file__).parent
CLIENT = HERE.parents[1] / "clients" / "godot"

pytestmark = pytest.mark.skipif(GODOT is None, reason="godot3-server is not installed")


class Served(Protocol):
    url: str

    def client(self, name: str = "test") -> Client: ...


Start = Callable[..., Game]


def project_of(source: Path, folder: Path) -> Path:
    """A copy of a project with client and probe in it, as somebody would add them."""
    shutil.copytree(source, folder)
    shutil.copytree(CLIENT / "playhead", folder / "playhead", dirs_exist_ok=True)
    shutil.copy(HERE / "godot_probe.gd", folder / "probe.gd")
    settings = folder / "project.godot"
    text = settings.read_text().replace("Probe=", ";")
    settings.write_text(text + '\nProbe="*res://probe.gd"\n')
    return folder


@pytest.fixture(scope="module")
def yard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example: rigid bodies, a skeleton, a guard, things that come and go."""
    return project_of(CLIENT, tmp_path_factory.mktemp("godot") / "yard")


@pytest.fixture(scope="module")
def flat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A platformer that changes scenes, pauses itself, waits for timers, frees what leaves."""
    return project_of(HERE / "godot_flat", tmp_path_factory.mktemp("godot") / "flat")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    games: list[Game] = []
    home = tmp_path / "home"
    # The engine complains when it has to make its folders itself.
    for folder in ("playhead example", "flat"):
        (home / ".local/share/godot/app_userdata" / folder).mkdir(parents=True)

    def start(project: Path, *arguments: str, url: str = "", paced: bool = False) -> Game:
        games.append(Game(project, home, *arguments, url=url, paced=paced))
        return games[-1]

    yield start
    for game in games:
        game.close()


@pytest.fixture
def client(service: Served) -> Iterator[Client]:
    with service.client() as client:
        yield client


def numbers(encoded: str) -> Any:
    """The floats of a Godot value that the probe has sent."""
    return np.frombuffer(base64.b64decode(encoded)[4:], "<f4")


def by_name(client: Client, frame: int) -> dict[str, ObjectRow]:
    return {row.name: row for row in client.objects(frame)}


def place(row: ObjectRow) -> Any:
    """Where an object was recorded, in the order of the probe's floats."""
    parts = ("basis", "origin") if "basis" in row.values else ("axes", "origin")
    return np.concatenate([np.ravel(row.values[part]) for part in parts])


def joints(row: ObjectRow) -> Any:
    matrices = np.asarray(row.values["joints"])
    return np.concatenate([matrices[:, :, :3].reshape(-1, 9), matrices[:, :, 3]], axis=1)


def enter(client: Client, game: Game, frame: int) -> dict[str, Any]:
    """Pause a game that has recorded so many frames; where everything stands then."""
    until(lambda: newest(client) >= frame)
    client.enter()
    until(lambda: game.ask()["paused"])
    return game.ask()


def looks_like(where: Mapping[str, Any], client: Client, frame: int, alive: Sequence[str]) -> bool:
    """Whether the nodes stand where a frame says, those that did not exist then are hidden, and
    there is a stand-in for each that is gone."""
    recorded = by_name(client, frame)
    for name in alive:
        node = where["nodes"][name]
        if name not in recorded:
            if node["visible"]:
                return False
            continue
        row = recorded[name]
        if not np.allclose(numbers(node["global"]), place(row), atol=1e-5):
            return False
        if "bones" in node and not np.allclose(
            [numbers(bone) for bone in node["bones"]], joints(row), atol=1e-5
        ):
            return False
        if "state" in row.values and node["state"] != row.values["state"]:
            return False
    return bool(where["stand_ins"] == len(recorded.keys() - set(alive)))


@pytest.mark.slow
def test_what_happens_is_recorded(
    service: Served, client: Client, start: Start, yard: Path
) -> None:
    game = start(yard, "--steps=600", url=service.url)
    game.end()
    until(lambda: newest(client) >= 599)
    rows = stamps(client)
    assert [at for _, at, *_ in rows] == pytest.approx([n / 60 for n in range(1, len(rows) + 1)])
    assert {epoch for *_, epoch, _ in rows} == {0}

    before, now = by_name(client, 1), by_name(client, 599)
    kinds = {row.type for row in now.values()}
    assert kinds == {"Camera", "guard", "Area", "intruder", "Skeleton", "RigidBody"}
    falls = before["Yard/Crates/Crate11"].position[1] - now["Yard/Crates/Crate11"].position[1]
    assert falls > 10
    assert now["Yard/Guard"].values["health"] == 100
    assert now["Yard/Guard"].position == pytest.approx(now["Yard/Guard"].values["origin"])
    assert now["Yard/Camera"].values["fov"] == pytest.approx(np.radians(60))
    assert now["Yard/Camera"].angles == pytest.approx([0, np.radians(-35), 0], abs=1e-4)
    with service.client() as newcomer:
        assert newcomer.welcome.conventions.up == "y"

    # Sparks come and go; none has an id that another one had.
    sparks: dict[int, str] = {}
    for frame in range(1, 599, 20):
        for row in client.objects(frame):
            assert sparks.setdefault(row.id, row.name) == row.name
    names = [name for name in sparks.values() if "Spark" in name]
    assert len(names) == len(set(names)) > 10

    walker = now["Yard/Walker/Skeleton"]
    matrices = np.asarray(walker.values["joints"])
    assert matrices.shape == (11, 3, 4)
    assert matrices[1, :, 3] == pytest.approx([0, 1.3, 0])  # the spine, 0.3 above the hips
    left, right = matrices[7, :, :3], matrices[9, :, :3]  # legs swing against each other
    assert left == pytest.approx(right.T, abs=1e-5)
    assert not np.allclose(left, np.eye(3))


@pytest.mark.slow
def test_the_guards_decisions_are_where_they_were_made(
    service: Served, client: Client, start: Start, yard: Path
) -> None:
    game = start(yard, "--steps=700", url=service.url)
    game.end()
    until(lambda: newest(client) >= 699)
    state, met = "patrol", set()
    for frame in range(1, newest(client) + 1):
        statements = client.statements(frame)
        for row in statements.traces:
            assert row.state is not None
            assert row.state.source == state
            assert {"distance", "unseen", "alert"} == row.state.values.keys()
            assert row.state.rejected[0].reason
            assert row.state.beliefs[0].object == by_name(client, frame)["Yard/Intruder"].id
            assert row.state.file == "res://example/guard.gd"
            state = row.state.target
            met.add(row.state.won)
        guard = by_name(client, frame)["Yard/Guard"]
        assert guard.values["state"] == state
        assert (guard.id, "alert") in [(object, name) for object, name, _ in statements.watches]
    assert met == {"sees the intruder", "lost sight", "tired of searching"}


@pytest.mark.slow
def test_the_game_is_paused_and_looks_like_any_frame(
    service: Served, client: Client, start: Start, yard: Path
) -> None:
    game = start(yard, url=service.url)
    stood = enter(client, game, 400)
    frame = newest(client)
    assert stood["steps"] == frame  # no step beyond the newest frame
    assert not stood["input"]
    alive = list(by_name(client, frame))
    for wanted in (frame - 1, 10, 200, 10, frame - 60, frame):
        client.seek(frame=wanted)
        until(lambda wanted=wanted: looks_like(game.ask(), client, wanted, alive))
        assert game.ask()["steps"] == frame


def scrub(client: Client, game: Game, frame: int) -> int:
    """Pause there, look at several frames, and let the game run on; the frame it was paused in."""
    stood = enter(client, game, frame)
    at = newest(client)
    for wanted in (at - 50, at - 20, at - 1, at - 70):
        client.seek(frame=wanted)
        until(lambda: game.ask()["world"] != stood["world"])
    client.leave()
    until(lambda: not game.ask()["paused"] or game.ask()["steps"] > stood["steps"])
    return at


@pytest.mark.slow  # C's client keeps this promise in each run of the tests
@pytest.mark.parametrize("project", ["yard", "flat"])
def test_a_run_that_was_paused_and_scrubbed_is_the_one_that_nobody_recorded(
    project: str, service: Served, client: Client, start: Start, request: pytest.FixtureRequest
) -> None:
    folder: Path = request.getfixturevalue(project)
    alone = start(folder, "--steps=700").end()
    assert len(set(alone)) > 600
    assert start(folder, "--steps=700", url=service.url).end() == alone
    until(lambda: newest(client) > 500)
    before = newest(client)

    game = start(folder, "--steps=700", url=service.url)
    stood = [scrub(client, game, before + frame) - before for frame in (80, 300, 450)]
    assert game.end() == alone
    until(lambda: newest(client) == 2 * before)
    for frame in (*range(1, before, 10), *stood, *(frame + 1 for frame in stood)):
        # The recording is the same, too, also of the frames in which it was paused.
        assert said_of(client, frame) == said_of(client, before + frame)


def said_of(client: Client, frame: int) -> str:
    """All that is recorded of a frame's objects, but for their ids."""
    return repr(sorted((row.name, row.position, row.values) for row in client.objects(frame)))


@pytest.mark.slow
def test_what_a_project_does_to_its_nodes_is_recorded(
    service: Served, client: Client, start: Start, flat: Path
) -> None:
    game = start(flat, "--steps=700", url=service.url)
    game.end()
    until(lambda: newest(client) > 500)
    assert client.status().bus.frames_refused == 0
    rows = stamps(client)
    # While the game pauses itself, nothing happens and nothing is recorded.
    assert len(rows) < 700 - 3 * 20
    types = {row.name: row for row in client.types(newest(client)).types}
    assert {field[0] for field in types["score"].fields} == {"points"}
    assert {"hp", "mood", "velocity", "turns"} <= {field[0] for field in types["player"].fields}
    assert "shield" not in {field[0] for field in types["player"].fields}  # it has a getter
    names = {row.name for row in client.objects(newest(client))}
    assert {"Level/Player", "Level/Others/Player", "Level/Player/Camera"} <= names
    guests = ["Level/Guest" in by_name(client, frame) for frame in range(100, 400)]
    assert {False, True} == set(guests)
    assert (
        len(
            {
                row.id
                for frame in range(100, 380)
                for row in client.objects(frame)
                if row.name == "Level/Guest"
            }
        )
        == 1
    )  # it is the same node, whenever it comes
    marks = [mark for mark in client.marks() if mark.name == "turn"]
    assert marks[0].note == ' "quoted"\n tab\t é'
    # A value that was none at first, and a place that begins to move.
    seen = {row.type: row for frame in range(1, newest(client), 7) for row in client.objects(frame)}
    assert "target" in seen["shot"].values
    assert "StaticBody2D Level/Lift/Body" in seen
    with service.client() as newcomer:
        assert newcomer.welcome.conventions.unit == "px"


def test_a_failed_check_stops_the_game_in_its_step(
    service: Served, client: Client, start: Start, yard: Path
) -> None:
    game = start(yard, url=service.url)
    until(lambda: newest(client) >= 50)
    game.ask("move Yard/Guard 0 -5 0")
    until(lambda: client.snapshot().time.mode == "paused")
    until(lambda: game.ask()["paused"])
    (mark,) = [mark for mark in client.marks() if mark.kind == "check"]
    assert mark.frame == newest(client) == game.ask()["steps"]
    guard = by_name(client, mark.frame)["Yard/Guard"]
    assert (guard.id, guard.position[1] < -1) == (mark.object, True)

    def looks_at_guard() -> bool:
        camera = numbers(game.ask()["nodes"]["Yard/Camera"]["global"])
        way = np.asarray(guard.position) - camera[9:]
        return bool(np.allclose(-camera[2:9:3], way / np.linalg.norm(way), atol=1e-3))

    until(looks_at_guard)
    client.leave()
    until(lambda: not game.ask()["paused"])
    assert not looks_at_guard()
    until(lambda: newest(client) > mark.frame + 30)  # it fails still, which is no new failure
    assert len([mark for mark in client.marks() if mark.kind == "check"]) == 1


@pytest.mark.slow
def test_a_service_that_is_killed_and_comes_back_harms_nothing(
    start: Start, yard: Path, start_process: Callable[..., Process]
) -> None:
    alone = start(yard, "--steps=500").end()

    def serve(*options: str) -> tuple[Process, dict[str, str]]:
        service = start_process(
            PLAYHEAD, "serve", "--json", "--bind", "tcp://127.0.0.1:*", *options
        )
        return service, json.loads(service.line())

    first, result = serve("--gateway", "127.0.0.1:0")
    url = urlsplit(result["gateway"])
    with Client(result["endpoint"]) as client:
        game = start(yard, "--steps=500", url=result["gateway"], paced=True)
        stood = enter(client, game, 100)
        client.seek(frame=5)
        until(lambda: game.ask()["world"] != stood["world"])
    game.allow("the service at")
    first.kill()
    until(lambda: not game.ask()["paused"])
    token = parse_qs(url.query)["token"][0]
    second, result = serve("--gateway", f"127.0.0.1:{url.port}", "--token", token)
    with Client(result["endpoint"]) as client:
        until(lambda: newest(client) > 60)
        assert "Yard/Guard" in by_name(client, 1)
    assert game.end() == alone
    assert second.interrupt().returncode == 0


@pytest.mark.slow
def test_a_game_killed_in_mid_frame_loses_that_frame_only(
    service: Served, client: Client, start: Start, yard: Path
) -> None:
    with Cutting(service.url, after=50) as cutting:
        game = start(yard, url=cutting.url)
        cutting.wait()
        game.close()
    until(lambda: newest(client) == 50)
    assert "Yard/Guard" in by_name(client, 50)
    start(yard, "--steps=30", url=service.url).end()
    until(lambda: newest(client) >= 79)
    assert {epoch for *_, epoch, _ in stamps(client)} == {0, 1}
    # The new run's objects are others, and so are their ids.
    assert not {row.id for row in client.objects(50)} & {row.id for row in client.objects(79)}


@pytest.mark.slow
def test_a_game_that_finds_no_service_runs_on(start: Start, yard: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nobody = f"ws://127.0.0.1:{taken.getsockname()[1]}/?token=0123456789abcdef"
    alone = start(yard, "--steps=200").end()
    began = time.monotonic()
    assert start(yard, "--steps=200", url=nobody, paced=True).end() == alone
    assert time.monotonic() - began < LIMIT


# --- what tools can do with it ------------------------------------------------------------------


@pytest.mark.slow
def test_it_advances_by_so_many_steps_as_if_it_had_never_been_paused(
    client: Client, service: Served, start: Start, yard: Path
) -> None:
    alone = start(yard, "--steps=400").end()
    game = start(yard, "--steps=400", url=service.url)
    enter(client, game, 100)
    at = newest(client)
    for steps in (1, 3, 60):
        client.seek(frame=at - 20)
        client.seek(frame=at)
        state = client.apply(Advance(steps))
        at += steps
        assert (state.frame, state.clamped, state.mode) == (at, False, Mode.PAUSED)
        assert (newest(client), game.ask()["steps"], game.ask()["paused"]) == (at, at, True)
    client.leave()
    assert game.end() == alone


@pytest.mark.slow
def test_an_advance_ends_early_where_a_game_pauses_itself(
    client: Client, service: Served, start: Start, flat: Path
) -> None:
    alone = start(flat, "--steps=400").end()
    game = start(flat, "--steps=400", url=service.url)
    enter(client, game, 60)
    states = [client.apply(Advance(20)) for _ in range(9)]
    assert {state.mode for state in states} == {Mode.PAUSED}
    assert {state.clamped for state in states} == {False, True}
    client.leave()
    assert game.end() == alone


@pytest.mark.slow
def test_a_pause_ends_an_advance(client: Client, service: Served, start: Start, yard: Path) -> None:
    game = start(yard, url=service.url, paced=True)
    enter(client, game, 10)
    at = newest(client)
    states: list[PlaybackState] = []
    with service.client("other") as other:
        thread = threading.Thread(target=lambda: states.append(other.apply(Advance(100_000))))
        thread.start()
        until(lambda: newest(client) > at + 10)
        client.pause()
        thread.join()
    (state,) = states
    assert (state.mode, state.clamped, state.frame) == (Mode.PAUSED, True, newest(client))
    assert game.ask()["steps"] >= newest(client) > at + 10  # some came before the service
    client.leave()
    until(lambda: not game.ask()["paused"])


@pytest.mark.slow
def test_tools_play_it(client: Client, service: Served, start: Start, yard: Path) -> None:
    game = start(yard, url=service.url)
    until(lambda: newest(client) >= 5)
    assert ("pad" in inputs(client, 5)) is False  # nobody has ever held it
    first = hold(client, Pad(left=(0.5, -0.25)), {"left x": 0.5, "left y": -0.25})
    until(lambda: newest(client) > first + 5)

    def place_at(frame: int) -> Any:
        return np.asarray(by_name(client, frame)["Yard/Intruder"].position)

    for frame in (first, first + 4):  # in the step that took it
        assert place_at(frame) - place_at(frame - 1) == pytest.approx(
            [0.5 * 4.5 / 60, 0, 0.25 * 4.5 / 60], abs=1e-4
        )
    client.pad(Pad(held=Button.A | Button.LS))
    last = hold(client, NEUTRAL, {})
    pressed = [frame for frame in range(first, last) if inputs(client, frame)["pad"].get("A")]
    assert pressed
    assert inputs(client, pressed[0])["pad"] == {"A": True, "LS": True}
    client.enter()
    until(lambda: game.ask()["paused"])
    client.leave()


def inputs(client: Client, frame: int) -> dict[str, Any]:
    return {name: value for _, name, value in client.statements(frame).inputs}


def hold(client: Client, pad: Pad, value: Mapping[str, Any]) -> int:
    """Hold a pad; the first frame in which the game has taken it."""
    frame = newest(client)
    client.pad(pad)
    client.flush()

    def taken() -> bool:
        nonlocal frame
        while frame < newest(client) and inputs(client, frame).get("pad") != value:
            frame += 1
        return inputs(client, frame).get("pad") == value

    until(taken)
    return frame


@pytest.mark.slow
def test_tools_call_it_also_while_it_is_paused(
    client: Client, service: Served, start: Start, yard: Path
) -> None:
    game = start(yard, url=service.url)
    until(lambda: newest(client) >= 20)
    assert client.call("guard.heal", {"health": 50}) == 100
    until(lambda: by_name(client, newest(client))["Yard/Guard"].values["health"] == 50)
    for argument in (None, {}, {"health": "much"}, [1]):
        with pytest.raises(CommandError, match="health"):
            client.call("guard.heal", argument)
    enter(client, game, 30)
    client.seek(frame=10)
    for value in (None, True, 2.5, -7, 'é "\\\n', [], {"a": [1, {"b": None}], "": 0.1}):
        assert client.call("probe", value) == value
    with pytest.raises(CommandError, match="it was told to"):
        client.call("probe", "refuse")
    with pytest.raises(GameError, match="it can't help it"):
        client.call("probe", "fail")
    with pytest.raises(GameError, match="has to return"):
        client.call("probe", "yield")
    with pytest.raises(GameError, match="too long"):
        client.call("probe", '"' * 600_000)
    with pytest.raises(CommandError, match=r"probe, guard\.heal"):
        client.call("nobody")


@pytest.mark.slow
def test_phases_and_what_it_publishes_are_reported(
    client: Client, service: Served, start: Start, yard: Path
) -> None:
    start(yard, "--steps=700", url=service.url).end()
    until(lambda: newest(client) >= 699)
    phases = {client.statements(frame).phase for frame in range(1, 699)}
    assert phases == {"", "alarm", "calm"}
    published = client.published("guard")
    assert published is not None
    assert published.body["state"] in ("patrol", "chase", "search")


@pytest.mark.slow
def test_events_and_pictures_are_recorded(
    client: Client, service: Served, start: Start, yard: Path
) -> None:
    game = start(yard, url=service.url)
    until(lambda: newest(client) >= 20)
    game.ask("picture 32")

    def picture() -> Any:
        asked = requests.GetPicture(newest(client), "probe")
        return client.asked(asked, responses.FoundPicture)

    until(lambda: picture().frame)
    found = picture()
    assert (found.width, found.height) == (32, 16)
    assert found.format in ("jpeg", "png")
    assert found.data[:4] in (b"\x89PNG", b"\xff\xd8\xff\xe0")
    events: list[Any] = []
    frame = 1
    while not events:
        until(lambda frame=frame: newest(client) >= frame)
        events, frame = client.statements(frame).events, frame + 1
    ((guard, name, value),) = events
    assert guard == by_name(client, frame - 1)["Yard/Guard"].id
    assert (name, value["from"]) == ("guard changes its mind", "patrol")
