"""A match on the bus: orders and previews of tools, what is refused, and what is told."""

import pytest

from playhead.bus.client.client import Client
from playhead.errors import GameError, PlayheadError
from playhead.games.arena.fps.match.hall_game import AimGame
from playhead.games.arena.fps.match.hall_world_adapter import AimWorld
from playhead.games.arena.fps.match.match_bus_service import NAME, MatchServer, match_state
from playhead.games.arena.fps.match.match_control_commands import ClearGame, SpawnBlock
from playhead.games.arena.fps.simulation.round_targets_and_modes import Target
from playhead.session import Session

from ..on_the_bus import Hub, OnTheBus

PLACE = {"order": "spawn_block", "target": "goto", "difficulty": 2, "x": 23.0, "y": 23.0}


@pytest.fixture
def order_executor(stage):
    def made(mode="test"):
        play, hub = stage(mode), Hub()
        world = AimWorld()
        console = MatchServer(play.match, world, hub)
        play.hub, play.world, play.console, play.ask = hub, world, console, hub.served[NAME]
        return play

    return made


def test_an_order_is_carried_out_and_answered_with_its_state_then(order_executor):
    play = order_executor()
    answer = play.ask(PLACE)
    assert play.match.target is Target.GOTO
    assert answer == match_state(play.match)
    assert (answer["target"], answer["blocks"]) == ("goto", 1)
    assert play.ask({"order": "spawn_enemy", "x": 40, "y": 40})["enemies"] == answer["enemies"] + 1
    for order, target in (("free", "free"), ("stay", "stay")):
        assert play.ask({"order": order})["target"] == target
    cleared = play.ask({"order": "clear"})
    assert (cleared["enemies"], cleared["blocks"], cleared["target"]) == (0, 0, "stay")


def test_a_preview_is_plain_and_what_the_order_will_do(order_executor):
    play = order_executor()
    before = play.match.state_hash()
    preview = play.ask({"order": "preview", "of": PLACE})
    assert play.match.state_hash() == before
    assert preview["refused"] == ""
    play.ask(PLACE)
    (block,) = play.arenas.blocks[0]
    assert [tuple(wall) for wall in preview["walls"]] == [tuple(wall) for wall in block.walls]
    assert tuple(preview["firebase"]) == block.firebase
    again = play.ask({"order": "preview", "of": PLACE})
    assert "too close to another block" in again["refused"]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (None, "order None"),
        ({"order": "fly"}, "fly"),
        ({"order": "spawn_enemy", "x": 3.0}, "y"),
        ({"order": "spawn_enemy", "x": "here", "y": 3.0}, "float"),
        ({"order": "preview", "of": {"order": "clear"}}, "clear"),
        ({"order": "spawn_enemy", "x": 0.0, "y": 3.0}, "would not be in the hall"),
        ({**PLACE, "difficulty": 9}, "difficulty 9"),
        ({"order": "set_odds", "target": "goto", "difficulty": 1, "value": 2.0}, "give 0 to 1"),
    ],
)
def test_what_is_no_order_or_can_not_be_is_refused_and_nothing_is_done(order_executor, body, says):
    play = order_executor()
    before = play.match.state_hash()
    with pytest.raises(GameError, match=says):
        play.ask(body)
    assert play.match.state_hash() == before


def test_while_the_game_is_in_playback_nothing_is_ordered(order_executor):
    play = order_executor()
    play.world.pause()
    with pytest.raises(GameError, match="is paused in playback"):
        play.ask(PLACE)
    with pytest.raises(GameError, match="is paused in playback"):
        play.ask({"order": "preview", "of": PLACE})
    play.world.resume()
    assert play.ask(PLACE)["blocks"] == 1


@pytest.mark.parametrize(
    ("mode", "drawn"),
    [
        ("train-free", []), ("train-goto", ["goto"]), ("train-attack", ["attack"]),
        ("train-mix", ["goto", "attack"]),
    ],
)  # fmt: skip
def test_training_modes_refuse_orders_by_hand_and_take_those_to_the_panel(
    order_executor, mode, drawn
):
    play = order_executor(mode)
    result = match_state(play.match)
    assert (result["mode"], result["by_hand"], result["drawn"]) == (mode, False, drawn)
    for order in (PLACE, {"order": "free"}, {"order": "stay"}, {"order": "clear"}):
        with pytest.raises(GameError, match=f"{mode} gives its targets itself"):
            play.ask(order)
    play.ask({"order": "lock_odds", "target": "goto", "difficulty": 1})
    result = play.ask({"order": "set_odds", "target": "goto", "difficulty": 5, "value": 0.5})
    odds = result["odds"]["goto"]
    assert odds["values"] == pytest.approx([0.2, 0.1, 0.1, 0.1, 0.5])
    assert odds["locked"] == [True, False, False, False, False]
    assert sum(odds["values"]) == pytest.approx(1.0)


def test_the_mode_of_a_match_can_not_be_chosen_any_more(order_executor):
    play = order_executor("train-mix")
    for mode in ("test", "train-mix"):
        with pytest.raises(GameError, match="train-mix was chosen and can't be changed"):
            play.ask({"order": "choose", "mode": mode})
    with pytest.raises(GameError, match="choose one of"):
        play.ask({"order": "choose", "mode": "fly"})


def test_its_state_is_reported_when_it_is_news_and_only_then(order_executor):
    play = order_executor()
    play.console.publish_changes()
    play.act()
    play.console.publish_changes()
    assert len(play.hub.published) == 1
    play.ask(PLACE)
    play.console.publish_changes()
    play.ask({"order": "lock_odds", "target": "attack", "difficulty": 3})
    play.console.publish_changes()
    assert [body["target"] for _, body in play.hub.published] == ["stay", "goto", "goto"]
    assert play.hub.published[-1] == (NAME, match_state(play.match))
    assert play.hub.facts == [(0, NAME, body) for _, body in play.hub.published]
    presets = play.hub.published[0][1]["presets"]
    assert presets["goto"][2] == ["horseshoe", "two halves", "crossing"]
    assert [len(names) for names in presets["attack"]] == [3] * 5


def test_over_the_bus_a_tool_gives_orders_hears_its_state_and_is_reported_why_not():
    with OnTheBus(mode="test") as game, Client(game.endpoint) as tool:
        heard = []
        tool.on("published", lambda event: heard.append(event.event.body["target"]))
        assert tool.call(NAME, PLACE)["target"] == "goto"
        assert not tool.call(NAME, {"order": "preview", "of": {**PLACE, "x": 35.0, "y": 35.0}})[
            "refused"
        ]
        with pytest.raises(PlayheadError, match="too close to another block"):
            tool.call(NAME, PLACE)
        while "goto" not in heard:
            assert tool.dispatch(5.0)
        assert tool.published(NAME).body["blocks"] == 1
        tool.enter()
        with pytest.raises(PlayheadError, match="is paused in playback"):
            tool.call(NAME, {"order": "clear"})
        tool.leave()
        assert tool.call(NAME, {"order": "clear"})["target"] == "stay"


def test_its_state_is_recorded_in_every_frame_that_it_holds_for():
    with AimGame(seed=3, mode="test") as game, Session(
        game.world, "16 MiB", handlers=game.handlers
    ) as session:  # fmt: skip
        game.attach(session)
        frames = []
        for order in (None, SpawnBlock("goto", 2, 23.0, 23.0), ClearGame()):
            if order is not None:
                game.match.order(order)
            for _ in range(3):
                game.step()
                session.update(game.dt)
            frames.append(session.source.span.newest)
        blocks = []
        for frame in frames:
            facts = session.source.facts(frame)
            result = {(object, key): value for (object, _, key), value in facts.items()}
            blocks.append(result[0, NAME]["blocks"])
        assert blocks == [0, 1, 0]
