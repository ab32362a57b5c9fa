"""A game, its host and a tool, each taking its next step whenever it likes."""

from collections import Counter, deque
from typing import Any, cast

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from playhead.bus.gateway.messages_from_game import GameConnected, GameFrame, GameMessage
from playhead.bus.messages.gateway_messages import (
    DefineType,
    GamePaused,
    GameResumed,
    LookAt,
    PauseGame,
    RegisterGame,
    ResumeGame,
    ShowFrame,
)
from playhead.bus.messages.message_types import Order, Request, ResponseBody
from playhead.bus.messages.requests import ReportFailedCheck
from playhead.bus.server.service import Service
from playhead.games.remote.remote_recorder import RemoteRecorder
from playhead.games.remote.remote_world import RemoteWorld
from playhead.playback.commands import (
    Command,
    Enter,
    Leave,
    Pause,
    Play,
    SeekFrame,
    SeekMark,
    Step,
)
from playhead.playback.pending_command import PendingCommand as Sent
from playhead.session import Session

from .game import GUARD, NAMES, ROCK, hps, image

COMMANDS = st.one_of(
    st.builds(Enter), st.builds(Leave), st.builds(Pause),
    st.builds(Play, st.sampled_from([-2.0, 1.0])),
    st.builds(Step, st.sampled_from([-3, -1, 1, 2])), st.builds(SeekFrame, st.integers(1, 30)),
    st.just(SeekMark("nowhere")),
)  # fmt: skip


class ModelGame:
    """What docs/protocol.md asks of a game, with a visual pose beside the simulated one."""

    def __init__(self, host: RemoteRecorder) -> None:
        self.host = host
        self.unread: deque[tuple[Order, bytes | None]] = deque()
        self.clock = 0
        self.running = True
        self.own: dict[int, tuple[int, float]] = {1: (GUARD, 0.0)}
        self.seen: dict[int, float] = {1: 0.0}
        self.hidden: set[int] = set()
        self.stand_ins: dict[int, float] = {}
        self.sent = 0
        self.complaints: list[ResponseBody] = []
        assert host.link.attach(GameConnected(self, RegisterGame("model"), 0, "model#1"))
        for number, name in NAMES.items():
            self.say(DefineType(number, name, fields=(("hp", "<f4", ()),)))

    # Its end of the line.

    @property
    def unsent(self) -> int:
        return len(self.unread)

    def order(self, order: Order, image: bytes | None = None) -> None:
        assert not isinstance(order, ShowFrame) or order.image == (image is not None)
        self.unread.append((msgspec.json.decode(msgspec.json.encode(order), type=Order), image))

    def answer(self, sequence: int, result: ResponseBody) -> None:
        self.complaints.append(result)

    def read_on(self) -> None: ...

    # What it does.

    def say(self, ask: Any) -> None:
        self.host.link.put(GameMessage(Request(origin="model#1", sequence=0, body=ask), 10))

    def step(self, born: int, killed: int) -> None:
        self.clock += 1
        self.own = {id: (type, hp + 1.0) for id, (type, hp) in self.own.items() if id != killed}
        if born not in self.own:
            self.own[born] = (GUARD if born % 2 else ROCK, 100.0 * born)
        self.seen = {id: hp for id, (_, hp) in self.own.items()}
        self.host.link.put(GameFrame(image(self.own, self.clock / 10)))
        self.sent += 1

    def fail(self) -> None:
        self.say(ReportFailedCheck("it must not", object=1))
        self.step(1, 0)
        self.running = False
        self.say(GamePaused())

    def read(self) -> None:
        order, image = self.unread.popleft()
        match order:
            case PauseGame():
                self.running = False
                self.say(GamePaused())
            case ResumeGame():
                assert not self.hidden
                assert not self.stand_ins
                assert self.seen == {id: hp for id, (_, hp) in self.own.items()}
                self.running = True
                self.say(GameResumed())
            case ShowFrame():
                assert not self.running, "a running game is shown nothing"
                self._show(order, {} if image is None else hps(image))
            case LookAt():
                pass

    def _show(self, order: ShowFrame, packets: dict[int, float]) -> None:
        assert set(order.unhide) <= self.hidden
        self.hidden -= set(order.unhide)
        assert not packets.keys() & self.hidden, "a hidden object was put somewhere"
        assert packets.keys() <= self.own.keys()
        self.seen |= packets
        assert set(order.hide) <= self.own.keys()
        assert not set(order.hide) & self.hidden
        self.hidden |= set(order.hide)
        for id in order.remove_stand_ins:
            del self.stand_ins[id]
        self.stand_ins |= {row.id: row.position[0] for row in order.stand_ins}


class Bus:
    """Counts what is refused."""

    def __init__(self) -> None:
        self.refused: Counter[str] = Counter()


class AnyOrder(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.now = 0.0
        self.world = RemoteWorld(clock=lambda: self.now, patience=1.0)
        self.session = Session(self.world, "2 MiB", handlers=self.world.handlers)
        self.bus = Bus()
        self.host = RemoteRecorder(self.session, self.world, cast(Service, self.bus))
        self.game: ModelGame | None = ModelGame(self.host)
        self.answers = self.asked = 0

    def teardown(self) -> None:
        if hasattr(self, "session"):
            self.settle()
            if not self.session.live:
                self.command(Leave())
                self.settle()
            assert self.answers == self.asked
            assert self.game is None or self.game.running
            self.session.close()

    # --- each takes its step --------------------------------------------------------------------

    @precondition(lambda self: self.game is not None and self.game.running)
    @rule(born=st.integers(1, 6), killed=st.integers(0, 6))
    def game_steps(self, born: int, killed: int) -> None:
        assert self.game is not None
        self.game.step(born, killed)

    @precondition(lambda self: self.game is not None and self.game.unread)
    @rule()
    def game_reads(self) -> None:
        assert self.game is not None
        self.game.read()

    @precondition(lambda self: self.game is not None and self.game.running)
    @rule()
    def check_fails(self) -> None:
        assert self.game is not None
        self.game.fail()

    @rule()
    def host_turns(self) -> None:
        self.host.turn()

    @rule(command=COMMANDS)
    def command(self, command: Command) -> None:
        self.asked += 1
        self.session.take(Sent(command, "tool", self.answered))

    def answered(self, outcome: Any) -> None:
        self.answers += 1

    @rule()
    def patience_ends(self) -> None:
        self.now += 2.0

    @precondition(lambda self: self.game is not None)
    @rule()
    def game_dies(self) -> None:
        assert self.game is not None
        self.host.link.detach(self.game)
        self.game = None

    @precondition(lambda self: self.game is None)
    @rule()
    def game_comes(self) -> None:
        self.game = ModelGame(self.host)

    # --- what holds -----------------------------------------------------------------------------

    @invariant()
    def nothing_is_refused(self) -> None:
        if hasattr(self, "game") and self.game is not None:
            assert not self.game.complaints
            assert not self.bus.refused["frames"]

    @rule()
    def settle(self) -> None:
        """Nobody does anything new: then all stand together."""
        self.host.turn()
        while self.game is not None and self.game.unread:
            self.game.read()
            self.host.turn()
        self.host.turn()
        session, game = self.session, self.game
        if game is None or self.host.link.waiting:
            return
        assert game.running is session.live
        frame = session.playhead.frame
        if session.live or frame is None:
            return
        self.looks_like(game, frame)

    def looks_like(self, game: ModelGame, frame: int) -> None:
        packets = {packet.id: packet for packet in self.session.source.objects(frame)}
        types = self.session.source.recorded_types(frame)
        known = game.own if game.sent else {}  # nobody knows what it has not sent
        for id, (number, own) in known.items():
            type, packet = NAMES[number], packets.get(id)
            if packet is not None and packet.type == type:
                assert id not in game.hidden
                assert game.seen[id] == packet.position[0]
            elif packet is not None or type in types:
                assert id in game.hidden
            else:
                assert game.seen[id] == own
        gone = {
            id: packet.position[0]
            for id, packet in packets.items()
            if id not in known or NAMES[known[id][0]] != packet.type
        }
        assert game.stand_ins == gone


AnyOrder.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestAnyOrder = AnyOrder.TestCase
