"""Hooks and edits of clients: a game that stands in the middle of a step, and clients that die."""

import sys
import threading

import pytest

py_trees = pytest.importorskip("py_trees")

from py_trees.behaviour import Behaviour  # noqa: E402
from py_trees.common import Status  # noqa: E402

from playhead.bus.client.client import Client  # noqa: E402
from playhead.bus.messages.events import HookActed, HooksChanged  # noqa: E402
from playhead.bus.server.bus_settings import BusSettings  # noqa: E402
from playhead.errors import CapacityError, CommandError  # noqa: E402
from playhead.hooks.hook_definition import MOST_HOOKS  # noqa: E402
from playhead.playback.playback_state import Mode  # noqa: E402
from playhead.recording_session import record  # noqa: E402

from ..support.waits import LIMIT, until  # noqa: E402

DT = 1 / 64


class Guard:
    def __init__(self) -> None:
        self.hp, self.name, self.steps = 100.0, "guard", 0


class Patrol(Behaviour):
    def __init__(self, guard: Guard) -> None:
        super().__init__("patrol")
        self.guard, self.ticks = guard, 0

    def update(self) -> Status:
        self.ticks += 1
        self.guard.hp -= 1
        return Status.RUNNING


class Game:
    """A guard with a tree, in a thread of its own, running all the while."""

    def __init__(self) -> None:
        self.guard = Guard()
        self.tree = Patrol(self.guard)
        self.ended = threading.Event()
        self.is_up = threading.Event()
        self.thread = threading.Thread(target=self._run, name="the game")
        self.thread.start()
        assert self.is_up.wait(LIMIT)

    def _run(self) -> None:
        bus = BusSettings("tcp://127.0.0.1:*", patience=LIMIT)
        with record([self.guard], dt=DT, bus=bus, strict=True) as rec:
            self.rec = rec
            rec.add(self.tree, agent=self.guard, name="mind")
            rec.serve("halve", lambda argument: setattr(self.guard, "hp", self.guard.hp / 2))
            self.is_up.set()
            while not self.ended.wait(0.002):
                with rec.frame():
                    self.guard.steps += 1
                    self.tree.tick_once()

    def close(self) -> None:
        with Client(self.rec.bus.endpoint, timeout=LIMIT) as client:
            client.hooks.clear()
            client.leave()
        self.ended.set()
        self.thread.join(LIMIT)
        assert not self.thread.is_alive()


@pytest.fixture
def game():
    made = Game()
    yield made
    made.close()


@pytest.fixture
def tool(game):
    with Client(game.rec.bus.endpoint, timeout=LIMIT) as client:
        assert until(lambda: client.snapshot().span)
        yield client


def stands(tool: Client) -> bool:
    return tool.snapshot().time.mode == "paused"


def test_a_break_holds_the_step_before_the_node_is_ticked_and_lets_it_go_on(game, tool):
    hits = []
    for topic in ("hooks", "hook_acted"):
        tool.on(topic, lambda event: hits.append(event.event))
    other = tool.hooks.trace("guard", node="patrol")  # until the subscription has arrived
    assert until(lambda: tool.hooks.disable(other) or (tool.dispatch(0.05) and hits), tool)
    tool.hooks.remove(other)
    hook = tool.hooks.break_at("guard", node="patrol", times=1)
    assert until(lambda: stands(tool))
    assert game.tree.ticks == game.guard.steps - 1, "the step is begun, the node not ticked"
    ticks, hp = game.tree.ticks, game.guard.hp
    at = tool.snapshot().time.frame
    assert at == tool.snapshot().span.newest == game.guard.steps - 1
    tool.step(-2)
    tool.seek(frame=1)
    assert (game.tree.ticks, game.guard.hp) == (ticks, hp), "the objects are left alone"
    assert tool.recording.object("guard", frame=1).fields["hp"] > hp
    tool.leave()
    assert until(lambda: game.tree.ticks > ticks + 3)
    assert until(lambda: any(isinstance(one, HookActed) for one in hits), tool)
    [acted] = [one for one in hits if isinstance(one, HookActed)]
    assert acted.hit.id == hook.id
    assert acted.hit.in_step
    assert acted.hit.frame == at + 1
    assert any(isinstance(one, HooksChanged) for one in hits)


def test_from_a_break_the_game_is_advanced_to_the_end_of_its_step(game, tool):
    tool.hooks.break_at("guard", node="patrol", times=1)
    assert until(lambda: stands(tool))
    ticks, at = game.tree.ticks, tool.snapshot().time.frame
    state = tool.advance(1)
    assert (state.mode, state.frame, game.tree.ticks) == (Mode.PAUSED, at + 1, ticks + 1)
    tool.edits.set("guard", "hp", 500)
    tool.leave()
    assert until(lambda: 400 < game.guard.hp < 500)


def test_at_a_break_fields_are_edited_and_calls_of_the_game_are_refused(game, tool):
    tool.hooks.break_at("guard", node="patrol", times=1)
    assert until(lambda: stands(tool))
    with pytest.raises(CommandError, match="in the middle of a step"):
        tool.call("halve")
    tool.edits.set("guard", "hp", 1000)
    assert game.guard.hp == 1000.0
    tool.edits.undo()
    tool.edits.redo()
    tool.leave()
    assert until(lambda: 900 < game.guard.hp < 1000)
    assert until(lambda: any(mark.name == "edited hp" for mark in tool.recording.marks))


def test_a_break_after_a_node_knows_its_result(game, tool):
    tool.hooks.break_at("guard", node="patrol", at="after", times=1)
    assert until(lambda: stands(tool))
    assert game.tree.ticks == game.guard.steps
    [report] = tool.hooks.list()
    assert report.text == "node 'patrol' -> running"
    tool.leave()


def test_removing_the_hook_lets_the_game_run_on(game, tool):
    hook = tool.hooks.break_at("guard", node="patrol")
    assert until(lambda: stands(tool))
    ticks = game.tree.ticks
    tool.hooks.remove(hook)
    assert until(lambda: game.tree.ticks > ticks + 2)


def test_a_client_that_leaves_takes_its_hooks_with_it_but_those_that_it_keeps(game, tool):
    with Client(game.rec.bus.endpoint, timeout=LIMIT) as other:
        other.hooks.trace("guard", node="patrol")
        other.hooks.trace("guard", field="hp", keep=True)
        mine = tool.hooks.trace("guard", node="patrol")
        assert len(tool.hooks.list()) == 3
    assert until(lambda: len(tool.hooks.list()) == 2)
    assert [one.owner for one in tool.hooks.list()] == ["", mine.owner]
    assert mine.owner == tool.origin


def test_a_client_that_is_killed_while_the_game_is_paused_in_its_break_lets_it_go(
    game, tool, monkeypatch, start_process
):
    from playhead.bus.server import request_dispatcher

    monkeypatch.setattr(request_dispatcher, "SILENT_FOR", 1.0)
    program = (
        "import sys, time, playhead as ph\n"
        "client = ph.connect(sys.argv[1])\n"
        "client.hooks.break_at('guard', node='patrol')\n"
        "print('set', flush=True)\n"
        "time.sleep(1000)\n"
    )
    process = start_process(sys.executable, "-c", program, game.rec.bus.endpoint)
    assert until(lambda: stands(tool))
    ticks = game.tree.ticks
    process.kill()
    assert until(lambda: tool.snapshot() and game.tree.ticks > ticks + 3)
    assert tool.hooks.list() == []


@pytest.mark.slow
def test_a_flood_of_hooks_is_refused_by_name_and_the_bus_answers_on(game, tool):
    set = 0
    with pytest.raises(CapacityError, match=f"{MOST_HOOKS} hooks are set already"):
        for _ in range(MOST_HOOKS + 1):
            tool.hooks.trace("guard", node="patrol", when="hp < 0")
            set += 1
    assert set == MOST_HOOKS == len(tool.hooks.list())
    tool.hooks.clear()
    assert tool.hooks.list() == []


def test_nonsense_is_refused_by_the_service_too(game, tool):
    for call, why in (
        (lambda: tool.hooks.trace("guard", node="patrl"), "did you mean 'patrol'"),
        (lambda: tool.hooks.trace("gard", node="patrol"), "did you mean 'guard'"),
        (lambda: tool.hooks.remove(99), "hook 99"),
        (lambda: tool.edits.set("guard", "hp", 1), "the game runs"),
        (lambda: tool.edits.undo(), "the game runs"),
    ):
        with pytest.raises(CommandError, match=why):
            call()


def test_the_session_itself_is_for_the_games_own_thread(game, tool):
    with pytest.raises(CommandError, match="for the game's thread"):
        game.rec.hooks.trace("guard", node="patrol")
