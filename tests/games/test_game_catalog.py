"""Games by name: the built-in families, somebody's own, and what is said of wrong names."""

import sys

import pytest

from playhead.errors import CapacityError, GameError
from playhead.games.arena.yard_game import ArenaGame
from playhead.games.game_catalog import NEEDED, open_game
from playhead.installation import install_line

from ..support.process import run_process

OWN = """
from playhead.errors import CapacityError
from playhead.handlers.handler_registry import HandlerRegistry


class Own:
    name, dt, world, handlers, about = "own", 0.1, None, HandlerRegistry(), {}

    def __init__(self, seed=5, **rest):
        self.seed, self.rest = seed, rest

    def attach(self, instruments): ...
    def step(self): ...
    def state_hash(self): return "0"
    def close(self): ...
    def __enter__(self): return self
    def __exit__(self, *_): ...


class Half:
    name, dt = "half", 0.1


def needs_much(*, map): ...
def breaks(): return 1 / 0
def refuses(): raise CapacityError("no room for the level")

number = 7
nothing = None
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A module of somebody's own that can be imported, and another that can't."""
    package = tmp_path / "their"
    package.mkdir()
    (package / "own_game.py").write_text(OWN)
    (package / "broken_game.py").write_text("this is no Python")
    (package / "half_installed.py").write_text("import a_library_that_nobody_has")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in [name for name in sys.modules if name.split(".")[0] == "their"]:
        del sys.modules[name]


def test_the_arena_is_opened_by_its_level_and_seeded():
    with open_game("arena:yard", seed=3, guards=2) as game:
        assert isinstance(game, ArenaGame)
        assert game.name == "arena:yard"
        assert game.about == {"game": "arena:yard", "seed": 3, "guards": 2}
        hashes = [game.state_hash()]
        for _ in range(60):
            game.step()
        hashes.append(game.state_hash())
    with (
        open_game("arena:yard", seed=3, guards=2) as same,
        open_game("arena:yard", seed=4) as other,
    ):
        assert same.state_hash() == hashes[0] != other.state_hash()
        for _ in range(60):
            same.step()
        assert same.state_hash() == hashes[1] != hashes[0]


def test_doom_is_opened_by_its_scenario():
    pytest.importorskip("vizdoom")
    with open_game("doom:map01", seed=3) as game:
        assert game.name == "doom:map01"
        assert game.about == {"game": "doom:map01", "seed": 3, "skill": 3}
        before = game.state_hash()
        for _ in range(20):
            game.step()
        assert game.state_hash() != before
    game.close()


@pytest.mark.parametrize("name", ["arena:yard", "their.own_game:Own"])
def test_what_is_opened_has_all_that_a_game_needs(name, own):
    with open_game(name) as game:
        assert all(hasattr(game, member) for member in NEEDED)


def test_a_game_of_ones_own_is_opened_by_module_and_factory(own):
    game = open_game("their.own_game:Own")
    assert (game.seed, game.rest) == (5, {})
    game = open_game("their.own_game:Own", seed=9, level="cave")
    assert (game.seed, game.rest) == (9, {"level": "cave"})


@pytest.mark.parametrize("name", ["", "arena", "arena:", ":yard", "yard"])
def test_a_name_without_family_and_level_is_reported_what_to_write(name):
    with pytest.raises(GameError, match=r"package\.module:factory"):
        open_game(name)


def test_an_unknown_level_names_those_there_are():
    with pytest.raises(GameError, match=r"arena:cave is unknown.* yard"):
        open_game("arena:cave")


def test_an_unknown_scenario_names_those_there_are():
    pytest.importorskip("vizdoom")
    with pytest.raises(GameError, match=r"'e9m9'.*doom:deathmatch"):
        open_game("doom:e9m9")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("their.no_such:Own", "No module named 'their.no_such'"),
        ("nobody.here:Own", "No module named 'nobody'"),
        (".relative:Own", "can't be loaded"),
        ("their.broken_game:Own", "can't be loaded: SyntaxError"),
        ("their.half_installed:Own", "a_library_that_nobody_has"),
        ("their.own_game:Owm", "has no Owm"),
        ("their.own_game:number", "number is of type int, not a factory"),
        ("their.own_game:nothing", "nothing is of type NoneType, not a factory"),
        ("their.own_game:needs_much", "can't be made with {}.*'map'"),
        ("their.own_game:breaks", "can't be made with {}: ZeroDivisionError"),
        ("their.own_game:Half", "no Game, it has no world, handlers,"),
    ],
)
def test_what_is_wrong_with_a_game_of_ones_own_is_reported(own, name, message):
    with pytest.raises(GameError, match=message):
        open_game(name)


def test_an_error_of_playhead_passes_through_as_it_is(own):
    with pytest.raises(CapacityError, match="no room"):
        open_game("their.own_game:refuses")


def test_a_setting_that_a_game_does_not_know_is_refused():
    with pytest.raises(GameError, match="'lava'"):
        open_game("arena:yard", lava=True)


@pytest.mark.parametrize(("guards", "flaw"), [(-1, False), (0, True)])
def test_a_number_of_guards_that_makes_no_sense_is_refused(guards, flaw):
    with pytest.raises(GameError, match="guards"):
        open_game("arena:yard", guards=guards, flaw=flaw)


@pytest.mark.parametrize(
    ("family", "library", "extra"),
    [("arena:yard", "pymunk", "agents"), ("doom:map01", "vizdoom", "doom")],
)
def test_without_its_library_a_family_names_the_extra_to_install(family, library, extra):
    code = (
        "import sys\n"
        f"sys.modules[{library!r}] = None\n"
        "from playhead.errors import GameError\n"
        "from playhead.games.game_catalog import open_game\n"
        "try:\n"
        f"    open_game({family!r})\n"
        "except GameError as error:\n"
        "    print(error)\n"
    )
    done = run_process(sys.executable, "-c", code)
    assert done.returncode == 0, done.stderr
    assert f"{library}, which is not installed: {install_line(extra)}" in done.stdout


def test_the_catalog_loads_no_game_before_it_is_asked_for():
    code = (
        "import sys, playhead.games.game_catalog\n"
        "assert not {'pymunk', 'vizdoom', 'playhead.games.arena'} & set(sys.modules)\n"
    )
    done = run_process(sys.executable, "-c", code)
    assert done.returncode == 0, done.stderr
