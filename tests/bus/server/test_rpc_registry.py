"""What a game serves: found by name, replaced, bounded; errors are told to who asked."""

import pytest

from playhead.bus.messages.plain_values import MOST_NAMES
from playhead.bus.server.rpc_registry import MOST_HANDED, PendingResult, RpcCall, RpcRegistry
from playhead.errors import (
    CapacityError,
    CommandError,
    HandlerError,
    PlayheadError,
    RecordingError,
)
from playhead.playback.pending_command import PendingCommand
from playhead.playback.playback_state import Mode, PlaybackState
from playhead.recorder.fault_counts import FaultCounts


@pytest.fixture
def served():
    return RpcRegistry()


def answer(served, name, argument=None):
    call, outcomes = RpcCall(name, argument), []
    served.obey(
        PendingCommand(call, "", outcomes.append), call, FaultCounts(), began=lambda: None,
        outcome=lambda: PlaybackState(Mode.LIVE),
    )  # fmt: skip
    [outcome] = outcomes
    if isinstance(outcome, PlayheadError):
        raise outcome
    return call.result


def test_the_handler_of_that_name_is_called_with_the_body(served):
    served.serve("double", lambda body: [*body, *body])
    served.serve("nothing", lambda body: None)
    assert answer(served, "double", [1, "a"]) == [1, "a", 1, "a"]
    assert answer(served, "nothing", {"x": 1}) is None


def test_who_serves_a_name_again_replaces_the_one_before(served):
    served.serve("a", lambda body: 1)
    served.serve("a", lambda body: 2)
    assert answer(served, "a") == 2


def test_an_unknown_name_is_given_with_those_that_there_are(served):
    with pytest.raises(CommandError, match="'panel': .*: there are none"):
        answer(served, "panel")
    served.serve("difficulty", lambda body: body)
    served.serve("level", lambda body: body)
    with pytest.raises(CommandError, match="there are difficulty, level$"):
        answer(served, "panel")


def test_an_answer_is_copied_so_that_the_game_can_go_on_with_it(served):
    lives = {"lives": [3]}
    served.serve("lives", lambda body: lives)
    result = answer(served, "lives")
    lives["lives"].append(2)
    assert result == {"lives": [3]}


def test_an_answer_that_is_not_plain_or_too_large_is_an_error(served):
    served.serve("odd", lambda body: object())
    served.serve("large", lambda body: "x" * MOST_HANDED)
    with pytest.raises(RecordingError, match="call 'odd': the game's answer: this is not pl"):
        answer(served, "odd")
    with pytest.raises(CapacityError, match=f"'large': the game's answer.*{MOST_HANDED} is the m"):
        answer(served, "large")


@pytest.mark.parametrize("name", ["", "x" * 65, "a\nb", 7])
def test_a_name_that_is_none_is_refused(served, name):
    with pytest.raises(HandlerError, match="^serve .*a name is text"):
        served.serve(name, lambda body: body)


def test_what_can_not_be_called_is_refused_and_the_one_before_stays(served):
    served.serve("a", lambda body: 1)
    with pytest.raises(HandlerError, match="serve 'a': 3 can't be called"):
        served.serve("a", 3)
    assert answer(served, "a") == 1


def test_there_are_so_many_names_and_no_more(served):
    for number in range(MOST_NAMES):
        served.serve(f"n{number}", lambda body: body)
    with pytest.raises(CapacityError, match=f"serve 'more': {MOST_NAMES} names"):
        served.serve("more", lambda body: body)
    served.serve("n0", lambda body: "again")
    assert answer(served, "n0") == "again"


@pytest.mark.parametrize("ending", [SystemExit(3), KeyboardInterrupt()])
def test_what_ends_the_game_in_a_call_ends_it_and_the_caller_is_answered(served, ending):
    def end(argument):
        raise ending

    served.serve("end", end)
    call, outcomes = RpcCall("end", None), []
    with pytest.raises(type(ending)):
        served.obey(
            PendingCommand(call, "", outcomes.append), call, FaultCounts(), began=lambda: None,
            outcome=lambda: PlaybackState(Mode.LIVE),
        )  # fmt: skip
    [outcome] = outcomes
    assert str(outcome).startswith(f"call 'end': {type(ending).__name__}")


@pytest.mark.parametrize("is_early", [True, False])
def test_a_result_that_comes_later_is_answered_then_and_one_that_is_there_at_once(served, is_early):
    pending, outcomes = PendingResult(), []

    def later(argument):
        if is_early:
            pending.finish([argument, "done"])
        return pending

    served.serve("later", later)
    call = RpcCall("later", 7)
    served.obey(
        PendingCommand(call, "", outcomes.append), call, FaultCounts(), began=lambda: None,
        outcome=lambda: PlaybackState(Mode.LIVE),
    )  # fmt: skip
    assert bool(outcomes) is is_early
    if not is_early:
        pending.finish([7, "done"])
    assert (outcomes, call.result) == ([PlaybackState(Mode.LIVE)], [7, "done"])


def test_a_result_that_failed_before_it_was_returned_is_the_callers_error(served):
    def later(argument):
        pending = PendingResult()
        pending.fail(CommandError("not now"))
        return pending

    served.serve("later", later)
    with pytest.raises(CommandError, match="not now"):
        answer(served, "later")
