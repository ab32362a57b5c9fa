"""A demo is recorded once in a game of each language, and replayed with other seeds.

The games count otherwise: z up and metres in JavaScript, y up and centimetres in C,
y up and metres in Godot, the same with left-handed axes in C#.
"""

import re
import shutil
from pathlib import Path

import pytest

from ..support.process import PLAYHEAD, Process, run_process
from .conftest import RunningService, running
from .errand import check, game, recorded, replayed, wait_for_game
from .support.chromium import FLAGS, Pages
from .support.godot_game import GODOT
from .test_c_client import compiled
from .test_csharp import compiled as compile_csharp

CLIENTS = Path(__file__).parents[2] / "clients"
Z_UP = "(position[0], position[1])"
LEFT_HANDED = "(position[0], position[2])"
Y_UP = "(position[0], -position[2])"
Y_UP_CM = "(position[0] / 100, -position[2] / 100)"
CHROMIUM = shutil.which("chromium")


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    to = tmp_path_factory.mktemp("c") / "errand"
    source = CLIENTS / "c" / "errand_game.c"
    return compiled(to, "-std=c99", "-pedantic", "-O1", source=source, libraries=("-lm",))


@pytest.mark.slow
def test_a_demo_of_a_game_in_c_is_replayed_with_another_seed(
    service: RunningService, tmp_path: Path, in_c: Path
) -> None:
    with game(service, in_c, "--url", service.url, "--speed", "1.5"):
        check(replayed(service, recorded(service, tmp_path, Y_UP_CM), "3..3"), 1)
        with service.client() as client:  # what the viewer's panel shows
            while (state := client.published("replay")) is None:
                client.dispatch(0.05)
            assert [one["standing"] for one in state.body["outcomes"]] == ["finished"]


@pytest.mark.slow
def test_a_demo_of_a_game_in_c_is_replayed_from_three_seeds(
    service: RunningService, tmp_path: Path, in_c: Path
) -> None:
    with game(service, in_c, "--url", service.url):
        check(replayed(service, recorded(service, tmp_path, Y_UP_CM), "1..3"), 3)


@pytest.mark.slow
def test_a_demo_of_a_game_in_javascript_is_replayed_from_three_seeds(
    service: RunningService, tmp_path: Path, node: list[str]
) -> None:
    with game(service, *node, CLIENTS / "js" / "example" / "errand.js", "--url", service.url):
        check(replayed(service, recorded(service, tmp_path, Z_UP), "1..3"), 3)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("mcs") is None, reason="mono is not installed")
def test_a_demo_of_a_game_in_csharp_is_replayed_from_three_seeds(
    service: RunningService, tmp_path: Path
) -> None:
    sources = sorted((CLIENTS / "csharp" / "Playhead").glob("*.cs"))
    program = compile_csharp(
        tmp_path / "errand.exe", *sources, CLIENTS / "csharp" / "example" / "Errand.cs"
    )
    with game(service, *program, "--url", service.url):
        check(replayed(service, recorded(service, tmp_path, LEFT_HANDED), "1..3"), 3)


@pytest.mark.slow
@pytest.mark.skipif(GODOT is None, reason="godot3-server is not installed")
def test_a_demo_of_a_game_in_godot_is_replayed_from_three_seeds(
    service: RunningService, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    shutil.copytree(CLIENTS / "godot", project)
    home = tmp_path / "home"
    (home / ".local/share/godot/app_userdata/playhead example").mkdir(parents=True)
    scene = ("--path", project, "res://example/errand.tscn", f"--playhead={service.url}")
    with Process(GODOT, *scene, env={"HOME": str(home), "LANG": "en_US.UTF-8"}) as engine:
        wait_for_game(service)
        check(replayed(service, recorded(service, tmp_path, Y_UP), "1..3"), 3)
        assert "SCRIPT ERROR" not in engine.output


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_a_demo_of_a_game_in_a_page_is_replayed_from_three_seeds(tmp_path: Path) -> None:
    pages = Pages(CLIENTS / "js")
    try:
        with running("--origin", pages.origin) as service:
            page = f"{pages.origin}/example/errand.html?gateway={service.url}"
            with Process(CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", page):
                wait_for_game(service)
                check(replayed(service, recorded(service, tmp_path, Z_UP), "1..3"), 3)
    finally:
        pages.close()


@pytest.mark.slow
def test_the_pages_game_for_node_is_recorded_and_replayed_with_the_pages_script(
    service: RunningService, tmp_path: Path, node: list[str]
) -> None:
    page = (CLIENTS.parent / "docs" / "test-your-own-game.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"^```js\n(.*?)^```$", page, re.M | re.S)
    (script,) = re.findall(r"^```python\n(import math\n.*?)^```$", page, re.M | re.S)
    shutil.copytree(CLIENTS / "js", tmp_path / "js")
    (tmp_path / "orchard.mjs").write_text(source, encoding="utf-8")
    (tmp_path / "picker.py").write_text(script, encoding="utf-8")
    walk = tmp_path / "walk.csv"
    with game(service, *node, tmp_path / "orchard.mjs", service.url):
        done = run_process(
            PLAYHEAD, "demo-record", "--connect", service.address, walk,
            "--script", tmp_path / "picker.py",
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert [run["finished"] for run in replayed(service, walk, "1..2")] == [True, True]
