"""One answer for each request, whatever is asked, by whomever, however long it takes."""

from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
)

from playhead.bus.messages.gateway_messages import Subscribe
from playhead.bus.messages.message import PROTOCOL, PlayheadTime
from playhead.bus.messages.message_types import Request, Response
from playhead.bus.messages.msgpack_codec import Envelope, envelope_of, request_of
from playhead.bus.messages.requests import Bye, FindFrame, GetFrame, Hello, ReportFailedCheck
from playhead.bus.messages.responses import (
    CommandDone,
    Done,
    ErrorResponse,
    FoundFrame,
    Snapshot,
    Welcome,
)
from playhead.bus.server.request_dispatcher import (
    MOST_ORDERS,
    MOST_TOOLS,
    SILENT_FOR,
    RequestDispatcher,
)
from playhead.errors import (
    BusyError,
    CapacityError,
    CommandError,
    DamagedError,
    EvictedError,
    GameError,
    HandlerError,
    RecordingError,
)
from playhead.playback.commands import Enter, Step, validated
from playhead.playback.playback_state import Mode, PlaybackState
from playhead.recorder.statements.statement_messages import WatchedValue

PATIENCE = 1.0


class Host:
    """What a switchboard leads to; the game takes orders up when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0
        self.queue: list[Any] = []
        self.posted: list[Any] = []
        self.recorded_statements: list[Any] = []
        self.fails: BaseException | None = None
        self.time = 0

    def answer(self, question: Any) -> Any:
        if self.fails:
            raise self.fails
        return FoundFrame(7)

    def queue_command(self, pending: Any) -> None:
        if self.fails:
            raise self.fails
        if not isinstance(pending.command, ReportFailedCheck):
            pending.command = validated(pending.command)
        self.queue.append(pending)

    def record(self, statement: Any, size: int) -> None:
        if self.fails:
            raise self.fails
        self.recorded_statements.append(statement)

    def welcome(self, origin: str) -> Welcome:
        time = PlayheadTime(origin="service", sequence=self.time, mode="live")
        return Welcome(origin, PROTOCOL, "service", 1, 2, snapshot=Snapshot(time, None, {}))

    def deliver(self, work: Any) -> None:
        self.posted.append(work)

    def newest_time(self) -> int:
        return self.time

    def carry_out(self, pending: Any) -> bool:
        """What the game's thread does with an order; False if it was given up."""
        if not pending.claim():
            return False
        self.time += 1
        pending.answer(PlaybackState(Mode.PAUSED, self.time, float(self.time)))
        return True

    def post(self) -> None:
        """What the bus's thread does when it is woken."""
        while self.posted:
            self.posted.pop(0)()


class Peers:
    """A switchboard, and what each peer was answered."""

    def __init__(self) -> None:
        self.host = Host()
        self.changes = 0
        self.board = RequestDispatcher(
            self.host, "service", patience=PATIENCE, clock=lambda: self.host.now
        )
        self.board.on_tools = self._changed
        self.answers: dict[Any, list[Response]] = {}

    def _changed(self) -> None:
        self.changes += 1

    def ask(self, peer: Any, ask: Any, sequence: int = 1, origin: str | None = None) -> Any:
        """Ask; returns the answer, or None if it is still to come."""
        result = self.answers.setdefault(peer, [])
        before = len(result)
        if origin is None:
            origin = self.board.origin_of(peer)
        self.board.receive(peer, Request(origin=origin, sequence=sequence, body=ask), result.append)
        assert len(result) <= before + 1
        return result[-1].body if len(result) > before else None

    def hello(self, peer: Any, name: str = "tool") -> str:
        welcome = self.ask(peer, Hello(name, PROTOCOL))
        assert isinstance(welcome, Welcome)
        return welcome.origin


@pytest.fixture
def peers() -> Peers:
    return Peers()


# --- who is there -------------------------------------------------------------------------------


def test_hello_gives_everybody_a_name_of_their_own(peers):
    names = [peers.hello(peer, "viewer") for peer in "abc"]
    assert len(set(names)) == 3
    assert all(name.startswith("viewer") for name in names)
    assert peers.board.tools == tuple(names)
    assert peers.changes == 3


def test_who_says_hello_again_keeps_the_name(peers):
    assert peers.hello("a", "x") == peers.hello("a", "y")
    assert (len(peers.board.tools), peers.changes) == (1, 1)


@pytest.mark.parametrize(
    ("name", "known"), [("", "tool"), ("\n\0", "tool"), ("a\nb\u202e", "ab"), ("x" * 500, "x" * 64)]
)
def test_a_name_is_made_fit_to_be_shown(peers, name, known):
    assert peers.hello("a", name).rpartition("#")[0] == known


@pytest.mark.parametrize(
    "ask", [FindFrame(1.0), Step(1), WatchedValue("n", 1.0), Bye(), Subscribe()]
)
def test_hello_comes_first(peers, ask):
    answer = peers.ask("a", ask)
    assert isinstance(answer, ErrorResponse)
    assert answer.kind == "hello"
    assert not peers.host.queue
    assert not peers.host.recorded_statements


def test_nobody_speaks_in_anothers_name(peers):
    peers.hello("a")
    other = peers.hello("b")
    answer = peers.ask("a", Step(1), origin=other)
    assert answer.kind == "hello"
    assert "a" not in peers.host.queue
    assert other in answer.message
    assert peers.board.origin_of("a") in answer.message


def test_bye_is_answered_and_one_is_gone(peers):
    peers.hello("a")
    assert peers.ask("a", Bye()) == Done()
    assert (peers.board.tools, peers.changes) == ((), 2)
    assert peers.ask("a", FindFrame(1.0), origin="").kind == "hello"


def test_who_is_silent_is_gone_and_who_speaks_stays(peers):
    peers.hello("a")
    kept_client = peers.hello("b")
    peers.host.now += SILENT_FOR - 1
    peers.ask("b", FindFrame(1.0))
    peers.host.now += 2
    peers.board.expire()
    assert peers.board.tools == (kept_client,)
    peers.board.keep_alive(["b", "nobody"])
    peers.host.now += SILENT_FOR - 1
    peers.board.expire()
    assert peers.board.tools == (kept_client,)


def test_of_too_many_the_one_that_was_silent_longest_is_dropped(peers):
    for peer in range(MOST_TOOLS):
        peers.hello(peer)
        peers.host.now += 0.001
    peers.ask(0, FindFrame(1.0))
    peers.hello("one more")
    assert len(peers.board.tools) == MOST_TOOLS
    assert peers.board.origin_of(0)
    assert not peers.board.origin_of(1)


def test_another_major_is_refused_naming_both(peers):
    answer = peers.ask("a", Hello("tool", (PROTOCOL[0] + 1, 3)))
    assert (answer.kind, answer.protocol) == ("version", PROTOCOL)
    assert f"{PROTOCOL[0]}.{PROTOCOL[1]}" in answer.message
    assert f"{PROTOCOL[0] + 1}.3" in answer.message
    assert peers.board.tools == ()


def test_a_newer_minor_is_welcome(peers):
    assert isinstance(peers.ask("a", Hello("tool", (PROTOCOL[0], 9))), Welcome)


# --- what goes wrong ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (CommandError("why"), "command"), (EvictedError("why"), "evicted"),
        (DamagedError("why"), "damaged"), (HandlerError("why"), "damaged"),
        (RecordingError("why"), "recording"), (CapacityError("why"), "capacity"),
        (BusyError("why"), "busy"), (GameError("why"), "failed"),
        (RuntimeError("why"), "internal"), (OverflowError("why"), "internal"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "ask", [FindFrame(1.0), Step(1), ReportFailedCheck("m"), WatchedValue("n", 1.0)]
)
def test_every_error_is_one_answer(peers, error, kind, ask):
    peers.hello("a")
    peers.host.fails = error
    answer = peers.ask("a", ask)
    assert (answer.kind, "why" in answer.message) == (kind, True)
    peers.host.now += 2 * PATIENCE
    peers.board.expire()
    peers.board.close()
    assert len(peers.answers["a"]) == 2, "a second answer came later"


def test_an_answer_that_no_message_can_hold_becomes_an_error(peers):
    peers.hello("a")
    responses: list[Response] = []

    def reply(answer: Response) -> None:
        if not isinstance(answer.body, ErrorResponse):
            raise OverflowError("too large")
        responses.append(answer)

    request = Request(origin=peers.board.origin_of("a"), sequence=5, body=FindFrame(1.0))
    peers.board.receive("a", request, reply)
    assert [(one.sequence, one.body.kind) for one in responses] == [(5, "damaged")]
    assert "too large" in responses[0].body.message


def test_what_is_no_request_is_answered_under_its_number(peers):
    responses: list[Response] = []
    peers.board.refuse("a", Envelope(9), DamagedError("field `x`"), responses.append)
    assert [(one.sequence, one.body.kind) for one in responses] == [(9, "malformed")]
    assert "field `x`" in responses[0].body.message
    assert peers.board.counts["malformed"] == 1


@pytest.mark.parametrize("protocol", [[9, 1], [9, 1, 4], (9, 1)])
def test_a_hello_of_a_later_version_that_has_another_shape_is_answered_so(peers, protocol):
    responses: list[Response] = []
    ask = {"do": "hello", "protocol": protocol, "name": {"first": "my", "last": "tool"}}
    peers.board.refuse("a", Envelope(1, "", ask), DamagedError("no"), responses.append)
    assert responses[0].body.kind == "version"
    assert "9.1" in responses[0].body.message


@pytest.mark.parametrize(
    "ask",
    [None, 3, {"protocol": 3}, {"protocol": [1]}, {"protocol": ["a", 2]}, {"protocol": [2, 0]}],
)
def test_other_things_that_are_no_request_are_malformed(peers, ask):
    responses: list[Response] = []
    peers.board.refuse("a", Envelope(1, "", ask), DamagedError("no"), responses.append)
    assert responses[0].body.kind == "malformed"


def test_what_only_the_gateway_takes_is_refused(peers):
    peers.hello("a")
    answer = peers.ask("a", Subscribe())
    assert answer.kind == "command"
    assert "gateway" in answer.message


# --- commands -----------------------------------------------------------------------------------


def test_a_command_is_answered_with_what_happened_and_the_number_of_its_own_time(peers):
    peers.hello("a")
    for sequence in (1, 2, 3):
        assert peers.ask("a", Step(1), sequence) is None
    for pending in peers.host.queue:  # all before the bus's thread has its turn
        assert pending.origin == peers.board.origin_of("a")
        peers.host.carry_out(pending)
    peers.host.post()
    result = peers.answers["a"][1:]
    assert [(one.sequence, one.body.state.frame, one.body.time) for one in result] == [
        (1, 1, 1), (2, 2, 2), (3, 3, 3),
    ]  # fmt: skip


def test_a_command_that_is_refused_by_the_game_says_why(peers):
    peers.hello("a")
    peers.ask("a", Step(1))
    pending = peers.host.queue[0]
    assert pending.claim()
    pending.answer(CommandError("no such mark"))
    peers.host.post()
    assert peers.answers["a"][1].body == ErrorResponse("command", "no such mark")


def test_a_check_that_failed_is_answered_done(peers):
    peers.hello("a")
    assert peers.ask("a", ReportFailedCheck("m")) is None
    peers.host.carry_out(peers.host.queue[0])
    peers.host.post()
    assert peers.answers["a"][1].body == Done()


def test_a_command_that_is_not_taken_up_is_answered_busy_and_not_carried_out(peers):
    peers.hello("a")
    peers.ask("a", Step(1))
    assert peers.board.expire() == pytest.approx(PATIENCE)
    peers.host.now += PATIENCE / 2
    assert peers.board.expire() == pytest.approx(PATIENCE / 2)
    assert len(peers.answers["a"]) == 1
    peers.host.now += PATIENCE / 2
    assert peers.board.expire() is None
    assert peers.answers["a"][1].body.kind == "busy"
    assert not peers.host.carry_out(peers.host.queue[0])
    peers.host.post()
    assert len(peers.answers["a"]) == 2
    assert peers.board.counts["busy"] == 1


def test_a_command_that_is_being_carried_out_is_waited_for_without_haste(peers):
    peers.hello("a")
    peers.ask("a", Step(1))
    pending = peers.host.queue[0]
    assert pending.claim()
    peers.host.now += 3 * PATIENCE
    assert peers.board.expire() is None, "it would be asked again and again"
    pending.answer(PlaybackState(Mode.PAUSED, 3, 1.0))
    peers.host.post()
    assert isinstance(peers.answers["a"][1].body, CommandDone)
    assert peers.board.counts["busy"] == 0


def test_one_tool_may_not_fill_the_queue_and_others_have_their_turn(peers):
    peers.hello("a")
    peers.hello("b")
    for sequence in range(MOST_ORDERS):
        assert peers.ask("a", Step(1), sequence) is None
    answer = peers.ask("a", Step(1), 999)
    assert answer.kind == "busy"
    assert str(MOST_ORDERS) in answer.message
    assert peers.ask("b", Step(1)) is None
    peers.host.carry_out(peers.host.queue[0])
    peers.host.post()
    assert peers.ask("a", Step(1), 1000) is None
    peers.host.now += 2 * PATIENCE
    peers.board.expire()
    assert peers.ask("a", Step(1), 1001) is None


def test_in_the_end_everybody_who_waits_is_answered(peers):
    peers.hello("a")
    for sequence in (1, 2):
        peers.ask("a", Enter(), sequence)
    taken, other = peers.host.queue
    taken.claim()
    peers.board.close()
    result = {one.sequence: one.body for one in peers.answers["a"][1:]}
    assert [result[n].kind for n in (1, 2)] == ["ended", "ended"]
    assert "not carried out" in result[2].message
    assert "not carried out" not in result[1].message
    assert not other.claim()
    peers.board.close()
    assert len(peers.answers["a"]) == 3


class Anything(RuleBasedStateMachine):
    """Peers that come, ask, and go in any order; a game that is sometimes slow."""

    peer = st.sampled_from("abc")

    def __init__(self) -> None:
        super().__init__()
        self.peers = Peers()
        self.asked: Counter[Any] = Counter()
        self.done: list[Any] = []
        """Orders that the game has carried out."""
        self.number = 0
        self.sent: dict[int, tuple[Any, int]] = {}
        """The peer and the sequence of each order."""
        self.closed = False

    def ask(self, peer: str, ask: Any, sequence: int | None = None, **rest: Any) -> Any:
        if sequence is None:
            self.number += 1
            sequence = self.number
        self.asked[peer, sequence] += 1
        known = len(self.peers.host.queue)
        answer = self.peers.ask(peer, ask, sequence, **rest)
        for pending in self.peers.host.queue[known:]:
            self.sent[id(pending)] = (peer, sequence)
        return answer

    @rule(peer=peer)
    def hello(self, peer):
        assert isinstance(self.ask(peer, Hello("t", PROTOCOL)), Welcome)

    @rule(peer=peer)
    def bye(self, peer):
        known = self.peers.board.origin_of(peer)
        answer = self.ask(peer, Bye())
        assert answer == Done() if known else answer.kind == "hello"

    @rule(peer=peer, frame=st.integers(-3, 3))
    def question(self, peer, frame):
        known = self.peers.board.origin_of(peer)
        answer = self.ask(peer, GetFrame(frame))
        assert answer == FoundFrame(7) if known else answer.kind == "hello"

    @rule(peer=peer, frames=st.integers(-2, 2), again=st.booleans())
    def command(self, peer, frames, again):
        known = self.peers.board.origin_of(peer)
        answer = self.ask(peer, Step(frames), self.number if again else None)
        if not known:
            assert answer.kind == "hello"
        elif frames == 0:
            assert answer.kind == "command"
        else:
            assert answer is None

    @rule(peer=peer, other=peer)
    def impostor(self, peer, other):
        wrong = f"{self.peers.board.origin_of(other)}?"
        assert self.ask(peer, Step(1), origin=wrong).kind == "hello"

    @rule()
    def malformed(self):
        responses: list[Response] = []
        self.peers.board.refuse("x", Envelope(), DamagedError("no"), responses.append)
        assert len(responses) == 1

    @precondition(lambda self: self.peers.host.queue)
    @rule(error=st.sampled_from([None, CommandError("no"), GameError("broken")]))
    def the_game_takes_one_up(self, error):
        pending = self.peers.host.queue.pop(0)
        answered = self.kinds(pending)
        if not pending.claim():
            assert "busy" in answered, "given up, and nobody was told"
            return
        self.done.append(pending)
        self.peers.host.time += 1
        time = self.peers.host.time
        pending.answer(error or PlaybackState(Mode.PAUSED, time, float(time)))

    def kinds(self, pending: Any) -> list[str]:
        peer, sequence = self.sent[id(pending)]
        return [
            answer.body.kind
            for answer in self.peers.answers[peer]
            if answer.sequence == sequence and isinstance(answer.body, ErrorResponse)
        ]

    @rule()
    def the_bus_has_its_turn(self):
        self.peers.host.post()

    @rule(seconds=st.sampled_from([0.1, 0.5, 1.0, 10.0, SILENT_FOR + 1]))
    def time_passes(self, seconds):
        self.peers.host.now += seconds
        pause = self.peers.board.expire()
        assert pause is None or 0 < pause <= PATIENCE

    @invariant()
    def no_request_has_more_than_one_answer(self):
        for peer, answers in self.peers.answers.items():
            received = Counter(answer.sequence for answer in answers)
            for sequence, number in received.items():
                assert number <= self.asked[peer, sequence]

    def teardown(self):
        self.peers.host.post()
        self.peers.board.close()
        received = Counter(
            (peer, answer.sequence)
            for peer, answers in self.peers.answers.items()
            for answer in answers
        )
        assert received == +self.asked, "each request has its answer"
        for pending in self.peers.host.queue:
            assert not pending.claim(), "what was answered can be carried out no more"


TestAnything = Anything.TestCase
TestAnything.settings = settings(max_examples=60, stateful_step_count=40)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        ({"do": "trace-state"}, "there is no request 'trace-state': did you mean 'trace_state'?"),
        ({"do": "zzzz"}, "there is no request 'zzzz': there are "),
        ({"do": "step"}, "frames"),
    ],
)
def test_an_unknown_request_is_answered_with_the_nearest_name(peers, ask, message):
    peers.hello("a")
    answers: list[Any] = []
    data = msgspec.msgpack.encode({"origin": "", "sequence": 3, "ask": ask})
    with pytest.raises(DamagedError) as error:
        request_of(data)
    peers.board.refuse("a", envelope_of(data), error.value, answers.append)
    assert message in answers[0].body.message
