"""The start screen: what it says, what can be ordered there, and that the game then begins."""

import pytest

from playhead.bus.client.client import Client
from playhead.errors import GameError, PlayheadError
from playhead.games.arena.fps.match.hall_game import AimGame
from playhead.games.arena.fps.match.hall_world_adapter import AimWorld
from playhead.games.arena.fps.match.match_bus_service import NAME, match_state
from playhead.games.arena.fps.match.mode_selection_screen import StartScreen
from playhead.games.arena.fps.match.start_screen import StartLobby
from playhead.games.arena.fps.match.training_match import fresh_odds
from playhead.games.arena.fps.simulation.hall_level_loader import load_hall
from playhead.games.arena.fps.simulation.round_targets_and_modes import ArenaMode, Target
from playhead.playback.commands import Enter, SeekFrame
from playhead.session import Session

from ..on_the_bus import Hub, OnTheBus

STEP = 0.05


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


class Screen:
    """A start screen at a clock that stands until it is moved."""

    def __init__(self):
        self.clock, self.hub, self.world = Clock(), Hub(), AimWorld()
        self.start, self.odds = StartScreen(clock=self.clock), fresh_odds()
        self.lobby = StartLobby(self.start, self.odds, load_hall(), self.world)
        self.lobby.attach(self.hub)
        self.ask = self.hub.served[NAME]

    @property
    def published_bodies(self):
        """All that was said so far, as it was published."""
        assert self.hub.facts == [(0, NAME, body) for _, body in self.hub.published]
        return [body for name, body in self.hub.published if name == NAME]


@pytest.fixture
def screen():
    return Screen()


def test_it_says_what_can_be_chosen_and_the_seconds_that_are_left_once_each(screen):
    for _ in range(3):
        screen.lobby.step(STEP)
    screen.clock.now += 0.4
    screen.lobby.step(STEP)
    screen.clock.now += 6.4
    screen.lobby.step(STEP)
    assert [body["seconds_left"] for body in screen.published_bodies] == [45, 39]
    first = screen.published_bodies[0]
    assert first["choices"] == ["train-free", "train-goto", "train-attack", "train-mix", "test"]
    assert (first["mode"], first["target"], first["by_hand"]) == ("", "", False)
    assert (first["enemies"], first["blocks"]) == (0, 0)
    assert first["drawn"] == ["goto", "attack"]
    assert first["odds"]["goto"] == {"values": [0.2] * 5, "locked": [False] * 5}


def test_it_says_all_that_a_match_says():
    game = AimGame(mode=ArenaMode.TRAIN_MIX)
    match = match_state(game.match)
    screen = Screen()
    assert screen.lobby.state().keys() - match.keys() == {"choices", "seconds_left"}
    same = ("presets", "hall", "block", "enemy", "odds", "drawn")
    assert all(screen.lobby.state()[name] == match[name] for name in same)


@pytest.mark.parametrize("mode", list(ArenaMode))
def test_a_tool_chooses_once_and_is_sent_its_state(screen, mode):
    answer = screen.ask({"order": "choose", "mode": mode.value})
    assert screen.start.mode is mode
    assert (answer["mode"], answer["by_hand"]) == (mode.value, mode is ArenaMode.TEST)
    assert (answer["choices"], answer["seconds_left"]) == ([], 0)
    assert answer["drawn"] == [t.word for t in mode.targets if t.has_block]
    with pytest.raises(GameError, match=f"{mode} was chosen and can't be changed"):
        screen.ask({"order": "choose", "mode": "test"})


def test_odds_are_set_and_locked_there_and_that_is_reported(screen):
    screen.lobby.step(STEP)
    screen.ask({"order": "lock_odds", "target": "goto", "difficulty": 1})
    result = screen.ask({"order": "set_odds", "target": "goto", "difficulty": 5, "value": 0.5})
    assert result["odds"]["goto"]["values"] == pytest.approx([0.2, 0.1, 0.1, 0.1, 0.5])
    screen.lobby.step(STEP)
    assert screen.published_bodies[-1]["odds"] == result["odds"]
    assert len(screen.published_bodies) == 2
    assert screen.odds[Target.GOTO].locked == (True, False, False, False, False)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"order": "spawn_enemy", "x": 3.0, "y": 3.0}, "SpawnEnemy: choose a mode first: it is one"
         " of train-free, train-goto, train-attack, train-mix, test"),
        ({"order": "clear"}, "ClearGame: choose a mode first"),
        ({"order": "command"}, "AskCommand: choose a mode first"),
        ({"order": "preview", "of": {"order": "spawn_enemy", "x": 3.0, "y": 3.0}},
         "AskPreview: choose a mode first"),
        ({"order": "choose", "mode": "fly"}, "mode 'fly': choose one of train-free"),
        ({"order": "choose"}, "mode"),
        ({"order": "fly"}, "fly"),
        (None, "order None"),
        ({"order": "set_odds", "target": "goto", "difficulty": 1, "value": 2.0}, "give 0 to 1"),
        ({"order": "lock_odds", "target": "stay", "difficulty": 1}, "blocks are for goto and"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_before_a_round_is_refused_and_nothing_is_done(screen, body, says):
    before = screen.lobby.state()
    with pytest.raises(GameError, match=says):
        screen.ask(body)
    assert screen.lobby.state() == before


def test_while_the_game_is_in_playback_nothing_is_chosen(screen):
    screen.world.pause()
    with pytest.raises(GameError, match="is paused in playback"):
        screen.ask({"order": "choose", "mode": "test"})
    assert screen.start.mode is None


def test_when_the_time_is_over_nothing_can_be_chosen(screen):
    screen.clock.now += 45.0
    with pytest.raises(GameError, match="no mode was chosen within 45 s of the start"):
        screen.ask({"order": "choose", "mode": "test"})


# --- the game around it --------------------------------------------------------------------------


@pytest.mark.parametrize("mode", list(ArenaMode))
def test_what_was_chosen_goes_on_as_if_it_had_been_given(mode):
    given, chosen = AimGame(seed=5, mode=mode), AimGame(seed=5, mode=None)
    waits = chosen.state_hash()
    for _ in range(4):
        chosen.step()
    assert chosen.state_hash() == waits
    chosen.choose(mode)
    for _ in range(150):
        given.step()
        chosen.step()
        assert given.state_hash() == chosen.state_hash()
    assert (given.about["mode"], chosen.about["mode"]) == (mode.value, "ask")


def test_the_first_block_is_drawn_by_the_odds_that_were_set_before():
    game = AimGame(mode="ask")
    game.odds[Target.ATTACK].set(4, 1.0)
    game.choose("train-attack")
    game.step()
    (block,) = game.match.arenas.blocks[0]
    assert block.preset.difficulty == 4


def test_before_the_choice_there_is_no_match_and_a_wrong_mode_names_all_there_are():
    game = AimGame(mode=None)
    game.step()
    with pytest.raises(GameError, match="choose a mode, then step"):
        _ = game.match
    with pytest.raises(GameError, match=r"choose one of train-free, .*, test, or ask to have it"):
        AimGame(mode="fly")


def test_when_the_time_is_over_the_game_ends_by_itself_and_says_so():
    clock = Clock()
    game, heard = AimGame(mode=None, clock=clock), []
    game.side.on_message(lambda result: heard.append(result.text))
    clock.now += 44.9
    game.step()
    clock.now += 0.1
    with pytest.raises(GameError, match="no mode was chosen within 45 s of the start"):
        game.step()
    assert heard == [
        "Error|Start|no mode was chosen within 45 s of the start: the environment has closed"
    ]


def test_while_it_stands_in_playback_the_time_does_not_end_it_but_the_next_step_does():
    clock = Clock()
    game = AimGame(mode=None, clock=clock)
    with Session(game.world, "16 MiB", handlers=game.handlers) as session:
        game.attach(session)
        game.step()
        session.update(game.dt)
        session.apply(Enter(), now=True)
        clock.now += 50.0
        game.step()
        session.leave()
        with pytest.raises(GameError, match="no mode was chosen"):
            game.step()


def test_the_start_screen_is_recorded_with_the_hall_and_time_goes_on_behind_it():
    plain, game = AimGame(seed=2, mode="train-goto"), AimGame(seed=2, mode=None)
    with Session(game.world, "16 MiB", handlers=game.handlers, about=game.about) as session:
        game.attach(session)
        for step in range(60):
            if step == 20:
                game.choose("train-goto")
            if step >= 20:
                plain.step()
            game.step()
            session.update(game.dt)
            if step == 40:
                session.apply(Enter(), now=True)
                session.apply(SeekFrame(5))
                session.leave()
        assert game.state_hash() == plain.state_hash()
        source = session.source
        frames = range(source.span.oldest, source.span.newest + 1)
        times = [source.stamp(frame).time for frame in frames]
        assert times == pytest.approx([(n + 1) * game.dt for n in range(60)])
        assert [len(source.objects(frame)) > 0 for frame in frames] == [False] * 20 + [True] * 40
        for frame, mode in ((1, ""), (20, ""), (21, "train-goto"), (60, "train-goto")):
            facts = {(on, key): value for (on, _, key), value in source.facts(frame).items()}
            assert facts[0, NAME]["mode"] == mode
            assert ("choices" in facts[0, NAME]) is (mode == "")


def test_over_the_bus_a_tool_sets_the_odds_chooses_and_then_gives_orders():
    with OnTheBus(mode=None, start_limit=600.0) as game, Client(game.endpoint) as tool:
        with pytest.raises(PlayheadError, match="choose a mode first"):
            tool.call(NAME, {"order": "clear"})
        tool.call(NAME, {"order": "set_odds", "target": "goto", "difficulty": 2, "value": 1})
        assert tool.published(NAME).body["choices"]
        assert tool.call(NAME, {"order": "choose", "mode": "test"})["mode"] == "test"
        while tool.published(NAME).body["target"] != "stay":
            tool.dispatch(0.05)
        result = tool.call(NAME, {"order": "spawn_enemy", "x": 9.0, "y": 9.0})
        assert result["enemies"] == 1
        assert result["odds"]["goto"]["values"][1] == 1.0
        with pytest.raises(PlayheadError, match="test was chosen and can't be changed"):
            tool.call(NAME, {"order": "choose", "mode": "train-free"})
