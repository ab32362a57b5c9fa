"""Events: pages in order, questions, answers, scenes; whatever is pressed they come to an end."""

from hypothesis import given
from hypothesis import strategies as st

from playhead.games.arena.adventure.world.dialogue import REST, Dialogue
from playhead.games.arena.adventure.world.level import Effects, LevelEvent, Option
from playhead.games.arena.entity import STEP
from playhead.playback.pads.pad import Button

ASKING = LevelEvent(
    "ask", pages=("one", "two"), question="well?",
    options=(Option("no", ("pity",)), Option("yes", (), Effects(sets=("said yes",)))),
)  # fmt: skip
WAIT = round(REST / STEP) + 1


def pressing(talk: Dialogue, button: int) -> None:
    """Wait until a press is heard, then press."""
    for _ in range(WAIT):
        talk.step(0)
    talk.step(button)


def test_pages_come_one_after_the_other_and_then_the_question():
    talk = Dialogue(ASKING)
    received = []
    while talk.menu is None:
        received.append(talk.text)
        pressing(talk, Button.A)
    assert received == ["one", "two"]
    assert talk.text == "well?"
    pressing(talk, Button.A)
    assert talk.text == "pity"
    assert not talk.over
    pressing(talk, Button.A)
    assert talk.over
    assert not talk.window
    assert talk.answer.label == "no"


def test_an_answer_without_pages_ends_it():
    talk = Dialogue(ASKING)
    pressing(talk, Button.A)
    pressing(talk, Button.A)
    pressing(talk, Button.DOWN)
    pressing(talk, Button.A)
    assert talk.over
    assert talk.answer.effects.sets == ("said yes",)


def test_a_page_is_shown_for_a_moment_however_fast_one_presses():
    talk = Dialogue(ASKING)
    steps = 0
    while talk.text == "one":
        talk.step(Button.A)
        steps += 1
    assert steps * STEP >= REST


def test_a_scene_has_no_window_and_ends_by_itself():
    talk = Dialogue(LevelEvent("film", movie=1.0, pages=("so",)))
    steps = 0
    while not talk.window:
        assert talk.text == ""
        talk.step(0)
        steps += 1
    assert abs(steps * STEP - 1.0) <= 2 * STEP
    assert talk.text == "so"


def test_a_scene_is_skipped_by_a_press_but_not_in_its_first_moment():
    talk = Dialogue(LevelEvent("film", movie=5.0))
    talk.step(Button.A)
    assert not talk.over
    pressing(talk, Button.A)
    assert talk.over


def test_a_forced_end_answers_with_what_changes_something():
    talk = Dialogue(ASKING)
    talk.end()
    assert talk.over
    assert talk.answer.label == "yes"


TEXTS = st.lists(st.text(min_size=1, max_size=5), max_size=4).map(tuple)
EVENTS = st.builds(
    LevelEvent, st.just("e"), movie=st.sampled_from([0.0, 0.5]),
    pages=st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=4).map(tuple),
    question=st.just("?"),
    options=st.one_of(
        st.just(()),
        TEXTS.map(lambda pages: (Option("a", pages), Option("b"), Option("c", ("x", *pages)))),
    ),
)  # fmt: skip


@given(EVENTS, st.lists(st.sampled_from([0, Button.A, Button.B, Button.UP, Button.DOWN])))
def test_whatever_was_pressed_pressing_a_comes_to_the_end(event, presses):
    talk = Dialogue(event)
    for pressed in presses:
        talk.step(int(pressed))
        assert talk.window == (talk.movie <= 0.0 and not talk.over)
        assert bool(talk.text) == talk.window
    for _ in range(20):
        pressing(talk, Button.A)
    assert talk.over
    assert (talk.answer is not None) == bool(event.options)
