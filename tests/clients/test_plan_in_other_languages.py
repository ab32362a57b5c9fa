"""A game in JavaScript or C, in a process of its own, is driven by a plan over the gateway."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ..support.process import PLAYHEAD, Process, run_process
from .conftest import RunningService

CLIENTS = Path(__file__).parents[2] / "clients"
PLAN = """game: room
nodes:
- {actor: switch, action: use}
- {actor: lamp, action: light}
"""
Start = Callable[..., None]


@pytest.fixture(scope="session")
def c_room(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The room in C, compiled."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    program = tmp_path_factory.mktemp("c") / "plan_room"
    folder = CLIENTS / "c"
    options = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-I", str(folder)]
    built = run_process(
        os.environ.get("CC", "gcc"), *options, str(folder / "plan_room.c"), "-o", str(program),
        "-lm",
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    return str(program)


@pytest.fixture(params=["javascript", "c"])
def room(service: RunningService, request: pytest.FixtureRequest) -> Iterator[Start]:
    """Starts the game in one of the languages, connected to the service."""
    games: list[Process] = []
    script = str(CLIENTS / "js" / "example" / "plan_room.js")
    if request.param == "c":
        command = [request.getfixturevalue("c_room"), service.url, "120"]
    else:
        node = request.getfixturevalue("node")
        command = [*node, script, "--url", service.url, "--seconds", "120"]

    def start(bug: str = "") -> None:
        options = ["--bug", bug] if request.param == "javascript" else []
        games.append(Process(*command, *options, env={"PLAN_ROOM_BUG": bug}))
        with service.client() as client:
            while client.published("plan.state") is None:
                client.dispatch(0.05)

    yield start
    for game in games:
        game.close()


def run(service: RunningService, path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return run_process(
        PLAYHEAD, "plan", "run", str(path), "--connect", service.address, "--json", *options
    )


@pytest.mark.slow
def test_a_plan_is_carried_out_with_pads_and_actions_and_validated(service, room, tmp_path):
    path = tmp_path / "room.plan.yaml"
    path.write_text(PLAN)
    room()
    done = run(service, path)
    assert done.returncode == 0, done.stdout + done.stderr
    outcome = json.loads(done.stdout)
    assert [node["validation"] for node in outcome["nodes"]] == ["passed", "passed"]
    switch, lamp = outcome["actions"]
    assert (switch["before"]["target.state"], switch["after"]["target.state"]) == ("off", "on")
    assert (lamp["before"]["lit"], lamp["after"]["lit"]) == (0, 1)
    with service.client() as client:
        plan = list(client.recording.transitions(1, "plan"))
        assert plan[-1].target == "done"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bug", "message"),
    [("lamp", "lit grew by 2, not by 1"), ("door", "there is no way from")],
)
def test_a_planted_bug_fails_the_plan_with_a_clip(service, room, tmp_path, bug, message):
    path = tmp_path / "room.plan.yaml"
    path.write_text(PLAN)
    room(bug)
    done = run(service, path, "--clips", str(tmp_path))
    assert done.returncode == 1, done.stdout + done.stderr
    outcome = json.loads(done.stdout)
    assert message in outcome["failure"]["message"]
    assert [node["done"] for node in outcome["nodes"]] == [True, False]
    assert Path(outcome["clip"]).is_file()


@pytest.mark.slow
def test_a_plan_goes_on_with_a_later_node_where_the_running_game_stands(service, room, tmp_path):
    path, first = tmp_path / "room.plan.yaml", tmp_path / "first.plan.yaml"
    path.write_text(PLAN)
    first.write_text(PLAN[: PLAN.index("- {actor: lamp")])
    room()
    # The lamp is behind the door that the switch opens.
    done = run(service, path, "--from", "2")
    failure = json.loads(done.stdout)["failure"]["message"]
    assert "node 1 was skipped, and may be needed first" in failure
    assert run(service, first).returncode == 0
    clip = tmp_path / "later.mcap"
    done = run(service, path, "--from", "2", "--movement", "straight", "--clip", str(clip))
    assert done.returncode == 0, done.stdout + done.stderr
    outcome = json.loads(done.stdout)
    assert [node["skipped"] for node in outcome["nodes"]] == [True, False]
    assert [one["action"] for one in outcome["actions"]] == ["light"]
    assert outcome["clip"] == str(clip)
    assert clip.is_file()


@pytest.mark.slow
def test_what_the_game_has_not_is_reported_with_the_nearest_name(service, room, tmp_path):
    path = tmp_path / "room.plan.yaml"
    path.write_text(PLAN.replace("lamp", "lamb"))
    room()
    done = run(service, path)
    assert done.returncode != 0
    assert "there is no actor 'lamb': did you mean 'lamp'?" in done.stdout


@pytest.mark.slow
def test_validators_of_ones_own_take_the_place_of_the_declared_ones(service, room, tmp_path):
    path = tmp_path / "room.plan.yaml"
    path.write_text(PLAN)
    (tmp_path / "room_validators.py").write_text("""
from playhead.games.action_outcome_validators import ActionValidator, ActionValidators

VALIDATORS = ActionValidators()

@VALIDATORS.validates("light", event="lit", timeout=2)
class Light(ActionValidator):
    def measure(self, scene):
        return {"door": scene.state["door"]}

    def expect(self, before, after):
        return f"the door is {after['door']}"
""")
    room()
    done = run_process(
        PLAYHEAD, "plan", "run", str(path), "--connect", service.address, "--json",
        "--validators", "room_validators:VALIDATORS", cwd=tmp_path,
    )  # fmt: skip
    assert json.loads(done.stdout)["failure"]["message"].endswith("failed: the door is open")


@pytest.mark.slow
def test_a_service_without_such_a_game_and_options_that_contradict_are_reported(service, tmp_path):
    path = tmp_path / "room.plan.yaml"
    path.write_text(PLAN)
    assert "can't be driven by plans" in run(service, path).stdout
    assert "leave it out with --connect" in run(service, path, "--seeds", "1..3").stdout
