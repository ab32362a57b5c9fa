"""Who holds what: the newest pad of each player, from other threads to the game's."""

import threading

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from playhead.errors import CommandError
from playhead.playback.pads.latest_pads import SILENT_FOR, LatestPads
from playhead.playback.pads.pad import NEUTRAL, PLAYERS, Button, Pad

A, B = Pad(held=Button.A), Pad(held=Button.B)
AHEAD = Pad(left=(0.0, 1.0))


class Game:
    """Counts frames; time passes when it is told to."""

    def __init__(self) -> None:
        self.frame, self.now = 1, 100.0
        self.recorded: list[object] = []
        self.pads = LatestPads(
            lambda: self.frame,
            clock=lambda: self.now,
            record=lambda name, value: self.recorded.append((self.frame, name, value)),
        )

    def step(self, player: int = 0) -> Pad | None:
        """What is held in the next step."""
        self.frame += 1
        return self.pads.get(player)


@pytest.fixture
def game() -> Game:
    game = Game()
    game.pads.get()
    return game


def test_nobody_holds_a_pad_until_somebody_does(game):
    assert game.step() is None
    game.pads.hold(AHEAD)
    assert game.step() == AHEAD
    assert game.step() == AHEAD


def test_what_is_held_is_recorded_once_a_step_from_when_somebody_holds_something(game):
    game.step()
    game.pads.hold(Pad((0.0, 1.0), right_trigger=0.5, held=Button.A | Button.START))
    game.step()
    game.pads.get()
    game.pads.hold(NEUTRAL)
    game.step()
    held = {"left y": 1.0, "right trigger": 0.5, "A": True, "START": True}
    assert game.recorded == [(3, "pad", held), (4, "pad", {})]


def test_each_player_has_an_input_of_its_own(game):
    game.pads.take(2)
    game.pads.hold(A, player=2)
    game.step(2)
    assert game.recorded == [(2, "pad 2", {"A": True})]


def test_the_newest_wins(game):
    game.pads.hold(A, origin="one#1")
    game.pads.hold(AHEAD, origin="other#2")
    assert game.step() == Pad((0.0, 1.0), held=Button.A)  # pressed in between, for one step
    assert game.step() == AHEAD


def test_within_a_step_what_is_held_does_not_change(game):
    game.frame += 1
    assert game.pads.get() is None
    game.pads.hold(AHEAD)
    assert game.pads.get() is None
    assert game.step() == AHEAD


def test_a_button_that_is_pressed_and_let_go_between_two_steps_is_down_in_the_next_one(game):
    game.pads.hold(A)
    game.pads.hold(NEUTRAL)
    assert game.step() == A
    assert game.step() == NEUTRAL


def test_a_button_that_was_seen_and_let_go_is_up(game):
    game.pads.hold(A)
    assert game.step() == A
    game.pads.hold(B)
    assert game.step() == B


def test_each_player_has_a_pad(game):
    assert game.pads.get(3) is None
    game.pads.hold(A, 3)
    assert game.step(3) == A
    assert game.pads.get(0) is None


def test_a_pad_that_nobody_takes_is_refused_saying_whose_are_taken():
    game = Game()
    with pytest.raises(CommandError, match="player 0: the game here, if any, takes no pads"):
        game.pads.hold(A)
    game.pads.get(1)
    with pytest.raises(
        CommandError, match="player 0: the game here, if any, takes only those of players 1"
    ):
        game.pads.hold(A)


@pytest.mark.parametrize("player", [-1, PLAYERS])
def test_players_that_can_not_be_are_refused(game, player):
    with pytest.raises(CommandError, match=f"player {player}"):
        game.pads.hold(A, player)
    with pytest.raises(CommandError, match=f"player {player}"):
        game.pads.get(player)


@pytest.mark.parametrize(
    ("pad", "message"),
    [
        (Pad(left=(1.5, 0.0)), "left is 1.5;"),
        (Pad(right=(0.0, float("nan"))), "right is nan;"),
        (Pad(left_trigger=-0.5), "left_trigger is -0.5;"),
        (Pad(right_trigger=float("inf")), "right_trigger is inf;"),
        (Pad(held=-1), "held is -1;"),
        (Pad(held=1 << 20), "held is 1048576;"),
    ],
)
def test_a_pad_that_nobody_could_hold_is_refused_and_the_old_one_is_kept(game, pad, message):
    game.pads.hold(AHEAD)
    with pytest.raises(CommandError, match=message):
        game.pads.hold(pad)
    assert game.step() == AHEAD


def test_when_playback_begins_all_is_let_go_and_refused_until_it_ends(game):
    game.pads.hold(A)
    game.pads.set_suspended(True)
    assert game.pads.get() == NEUTRAL
    with pytest.raises(CommandError, match="pads are ignored while playback is on; `leave`"):
        game.pads.hold(AHEAD)
    game.pads.set_suspended(False)
    assert game.step() == NEUTRAL
    game.pads.hold(AHEAD)
    assert game.step() == AHEAD


def test_who_asks_for_a_pad_in_playback_records_nothing(game):
    game.pads.hold(A)
    game.pads.set_suspended(True)
    assert game.step() == NEUTRAL
    assert game.recorded == []
    game.pads.set_suspended(False)
    game.step()
    assert game.recorded == [(3, "pad", {})]


def test_a_tap_before_playback_is_not_made_up_for_after_it(game):
    game.pads.hold(A)
    game.pads.hold(NEUTRAL)
    game.pads.set_suspended(True)
    game.pads.set_suspended(False)
    assert game.step() == NEUTRAL


@pytest.mark.parametrize("trigger", ["left_trigger", "right_trigger"])
def test_a_trigger_that_is_pulled_and_let_go_between_two_steps_is_pulled_in_the_next(game, trigger):
    game.pads.hold(Pad(**{trigger: 0.9}))
    game.pads.hold(Pad(**{trigger: 0.2}, left=(1.0, 0.0)))
    assert game.step() == Pad(**{trigger: 0.9}, left=(1.0, 0.0))
    assert game.step() == Pad(**{trigger: 0.2}, left=(1.0, 0.0))


def test_a_trigger_that_is_only_touched_is_no_tap(game):
    game.pads.hold(Pad(left_trigger=0.4))
    game.pads.hold(NEUTRAL)
    assert game.step() == NEUTRAL


def test_what_somebody_held_who_is_gone_is_let_go(game):
    game.pads.get(1)
    game.pads.hold(A, 0, origin="gone#1")
    game.pads.hold(B, 1, origin="here#2")
    game.pads.release_others(["here#2"])
    assert game.step(0) == NEUTRAL
    assert game.pads.get(1) == B


def test_what_the_game_itself_holds_stays_whoever_goes(game):
    game.pads.hold(A)
    game.pads.release_others([])
    assert game.step() == A


def test_what_is_not_repeated_is_let_go_and_what_is_stays(game):
    game.pads.hold(AHEAD)
    game.now += SILENT_FOR
    assert game.step() == AHEAD
    game.pads.hold(AHEAD)
    game.now += SILENT_FOR
    assert game.step() == AHEAD
    game.now += 0.01
    assert game.step() == NEUTRAL


def test_a_pad_says_whose_it_is_and_which(game):
    game.pads.hold(AHEAD, origin="agent#4", sequence=17, time=2.5)
    game.frame += 1
    held = game.pads.state()
    assert (held.origin, held.sequence, held.time) == ("agent#4", 17, 2.5)


def test_threads_that_hold_pads_at_once_lose_no_press(game):
    buttons = list(Button)[:8]

    def tap(button: Button) -> None:
        for _ in range(200):
            game.pads.hold(Pad(held=button))
            game.pads.hold(NEUTRAL)

    threads = [threading.Thread(target=tap, args=(button,)) for button in buttons]
    for thread in threads:
        thread.start()
    seen = 0
    while any(thread.is_alive() for thread in threads):
        seen |= game.step().held if game.pads.get() is not None else 0
    for thread in threads:
        thread.join()
    seen |= game.step().held
    assert seen == sum(buttons)


def test_a_lock_that_another_thread_held_at_a_fork_does_not_block_the_child(game):
    game.pads._lock.acquire()  # as by a thread that the child does not have
    game.pads.forked()
    game.pads.hold(A)
    assert game.step() == A


class PadsModel(RuleBasedStateMachine):
    """Pads against a plain account of what a person would expect."""

    def __init__(self) -> None:
        super().__init__()
        self.game = Game()
        self.game.pads.get()
        self.newest: Pad | None = None
        self.origin = ""
        self.tapped = 0
        self.pulled = 0.0
        self.heard = self.game.now
        self.resting = False

    @rule(
        held=st.integers(0, 15), x=st.sampled_from((-1.0, 0.0, 0.5)), origin=st.sampled_from("ab"),
        pull=st.sampled_from((0.0, 0.3, 0.7, 1.0)),
    )  # fmt: skip
    def hold(self, held, x, origin, pull):
        pad = Pad(left=(x, 0.0), held=held, left_trigger=pull)
        if self.resting:
            with pytest.raises(CommandError):
                self.game.pads.hold(pad, origin=origin)
            return
        self.game.pads.hold(pad, origin=origin)
        self.tapped |= held & ~(self.newest.held if self.newest else 0)
        if pull > 0.5 and (self.newest is None or self.newest.left_trigger <= 0.5):
            self.pulled = max(self.pulled, pull)
        self.newest, self.origin, self.heard = pad, origin, self.game.now

    @precondition(lambda self: not self.resting)
    @rule()
    def step(self):
        if self.newest not in (None, NEUTRAL) and self.game.now - self.heard > SILENT_FOR:
            self.newest = NEUTRAL
        got = self.game.step()
        if self.newest is None:
            assert got is None
            return
        assert got.left == self.newest.left
        assert got.held == self.newest.held | self.tapped
        pull = self.newest.left_trigger
        assert got.left_trigger == (pull if pull > 0.5 else self.pulled or pull)
        self.tapped, self.pulled = 0, 0.0

    @rule(seconds=st.sampled_from((0.25, 2.0)))
    def wait(self, seconds):
        self.game.now += seconds

    @rule()
    def pause_or_resume(self):
        self.resting = not self.resting
        self.game.pads.set_suspended(self.resting)
        self._let_go()

    @rule(who=st.sampled_from("ab"))
    def only_one_stays(self, who):
        self.game.pads.release_others([who])
        if self.newest is not None and self.origin != who:
            self._let_go()

    def _let_go(self):
        self.tapped, self.pulled = 0, 0.0
        self.newest = None if self.newest is None else NEUTRAL

    @invariant()
    def in_playback_nothing_is_held(self):
        if self.resting:
            assert self.game.pads.get() in (None, NEUTRAL)


PadsModel.TestCase.settings = settings(max_examples=60, stateful_step_count=30)
test_pads_in_any_order = PadsModel.TestCase
