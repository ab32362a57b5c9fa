"""States of one's own: added, replaced, put in order; and what is wrong with them is said."""

import pytest

from playhead.agents.playthrough import custom_state_failures
from playhead.agents.playthrough.custom_state_loader import load_states
from playhead.agents.playthrough.ordered_agent_states import PlaythroughAgentStates
from playhead.agents.playthrough.states.agent_state import PlaythroughAgentState
from playhead.agents.playthrough.states.enemy_battle import EnemyBattleState
from playhead.errors import AgentError
from playhead.playback.pads.pad import Button
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session

from ...support.fake_world import FakeWorld
from .field import DT, PLAYER, Area, Field, record, replay

WALK = (("go", 6, 0), ("go", 6, 3), ("wait", 5))


class Dance(PlaythroughAgentState):
    """Presses Y ten times beside the way."""

    name = "dance"

    def step(self, context, view):
        self.frames += 1
        context.hold("Y")
        if self.frames >= 10:
            context.leave(view, won="danced")
            return True
        return False


def once(context, view):
    return view.point[0] > 3 and "dance" not in context.report.transitions


@pytest.fixture
def demo(tmp_path):
    return record(Field([Area("lawn")]), WALK, tmp_path / "walk.csv")


def with_dance(state=Dance, **where) -> PlaythroughAgentStates:
    states = PlaythroughAgentStates()
    states.add(state, when=once, why_not="it has danced", **where)
    return states


def test_a_state_of_ones_own_is_entered_by_its_condition_and_is_in_the_trace(demo):
    held = []
    with Session(FakeWorld(tick=DT), "4 MiB", on_check=UNATTENDED) as session:

        def frame(agent, field):
            held.append((agent.step_state, field.before))
            session.update(DT)

        agent = replay(
            Field([Area("lawn")]), demo, states=with_dance(), instruments=session, on_frame=frame
        )
        span = session.source.span
        traces = [
            trace
            for frame in range(span.oldest, span.newest + 1)
            for who, trace in session.source.traces(frame)
            if who == PLAYER
        ]
    assert agent.failure is None
    assert agent.report.transitions["dance"] == 1
    assert sum(state == "dance" and bool(down & Button.Y) for state, down in held) >= 9
    begun, ended = traces[1:3]
    assert (begun.source, begun.target, begun.won) == ("move_checkpoint", "dance", "dance")
    assert (ended.source, ended.target, ended.won) == ("dance", "move_checkpoint", "danced")


def test_conditions_are_asked_in_the_given_order():
    usual = PlaythroughAgentStates().order
    assert with_dance().order == (*usual, "dance")
    assert with_dance(before="enemy_battle").order[1] == "dance"
    assert with_dance(after="enemy_battle").order[2] == "dance"
    states = with_dance()
    states.move("dance", before="boss_battle")
    assert states.order[0] == "dance"
    assert states.names[-1] == "dance"


def test_messages_and_screens_interrupt_a_state_of_ones_own_and_others_if_it_says_so():
    def sources(states: PlaythroughAgentStates, name: str) -> frozenset[str]:
        return next(rule.sources for rule in states.table if rule.target == name)

    states = with_dance()
    assert "dance" in sources(states, "message_skip") & sources(states, "unlimited_pad_replay")
    assert "dance" not in sources(states, "enemy_battle")
    assert "dance" in sources(with_dance(yields_to=["enemy_battle"]), "enemy_battle")


def test_a_replaced_state_keeps_its_place_and_its_condition():
    class Calm(EnemyBattleState):
        pass

    states = PlaythroughAgentStates()
    states.replace(Calm)
    assert states.of("enemy_battle") is Calm
    assert states.order == PlaythroughAgentStates().order
    assert states.are_own
    assert not PlaythroughAgentStates().are_own


def _nameless() -> object:
    class Nameless(PlaythroughAgentState):
        def step(self, context, view):
            return False

    return with_dance(Nameless)


def _unfinished() -> object:
    class Unfinished(PlaythroughAgentState):
        name = "half"

    return with_dance(Unfinished)


def _twice() -> object:
    states = with_dance()
    states.add(Dance, when=once)
    return states


def _unknown_replaced() -> object:
    states = PlaythroughAgentStates()
    states.replace(Dance)
    return states


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (_twice, "there is a state 'dance' already"),
        (lambda: with_dance(before="enemy_batle"), "did you mean 'enemy_battle'"),
        (lambda: with_dance(before="move_checkpoint"), "move_checkpoint has no condition"),
        (lambda: with_dance(before="boss_battle", after="collect_item"), "not both"),
        (lambda: with_dance(yields_to=["enemys"]).table, "yields_to 'enemys': there is no such"),
        (lambda: with_dance(during=["walk"]).table, "during 'walk': there is no such"),
        (_nameless, "a state needs a name"),
        (_unfinished, "state 'half' has no step"),
        (_unknown_replaced, "no state 'dance' to replace"),
        (
            lambda: with_dance("dance"),
            "is no state: give a class derived from ph.PlaythroughAgentState",
        ),
        (lambda: PlaythroughAgentStates().add(Dance, when=True), "give a function"),
    ],
)
def test_mistakes_are_reported_before_anything_is_played(make, told):
    with pytest.raises(AgentError, match=told):
        make()


def test_a_state_that_raises_fails_the_replay_with_its_place_and_traceback(demo):
    class Broken(Dance):
        def step(self, context, view):
            return 1 / 0

    agent = replay(Field([Area("lawn")]), demo, states=with_dance(Broken))
    assert agent.failure.kind == "raised"
    assert "in dance: raised ZeroDivisionError" in agent.failure.message
    assert "at test_ordered_agent_states.py:" in agent.failure.message
    assert "return 1 / 0" in agent.failure.traceback


def test_a_condition_that_raises_does_so_too(demo):
    states = PlaythroughAgentStates()
    states.add(Dance, when=lambda context, view: view.seen.extras["depth"] > 1)
    agent = replay(Field([Area("lawn")]), demo, states=states)
    assert "raised KeyError('depth')" in agent.failure.message


def test_a_state_that_leads_to_one_that_there_is_not_is_told_which_there_are(demo):
    class Lost(Dance):
        def step(self, context, view):
            context.change("move_checkpont", view, won="danced")
            return True

    agent = replay(Field([Area("lawn")]), demo, states=with_dance(Lost))
    assert "did you mean 'move_checkpoint'?" in agent.failure.message


def test_a_state_that_never_returns_fails_the_replay(demo, monkeypatch):
    monkeypatch.setattr(custom_state_failures.StateGuard.__init__, "__defaults__", (0.2,))

    class Endless(Dance):
        def step(self, context, view):
            while True:
                try:
                    sum(range(1000))
                except Exception:
                    continue

    agent = replay(Field([Area("lawn")]), demo, states=with_dance(Endless))
    assert agent.failure.kind == "hangs"
    assert "in dance: has not returned after 0.2 s" in agent.failure.message


def test_a_state_that_is_never_left_is_named_when_time_is_up(demo):
    class Forever(Dance):
        def step(self, context, view):
            return False

    agent = replay(Field([Area("lawn")]), demo, states=with_dance(Forever))
    assert agent.failure.kind == "time-out"
    assert "in dance" in agent.failure.message


def test_states_come_from_a_module_or_a_file(tmp_path, monkeypatch):
    (tmp_path / "mine_of_states.py").write_text(
        "import playhead as ph\n"
        "def agent():\n    return ph.PlaythroughAgentStates()\n"
        "def wrong():\n    return 5\n"
        "def broken():\n    return 1 / 0\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / "mine_of_states.py"
    assert isinstance(load_states(str(path)), PlaythroughAgentStates)
    assert isinstance(load_states(f"{path}:agent"), PlaythroughAgentStates)
    assert isinstance(load_states("mine_of_states:agent"), PlaythroughAgentStates)
    assert load_states("") is None
    for name, told in (
        (f"{path}:agnet", "did you mean 'agent'"),
        ("mine_of_states:wrong", "has to return a ph.PlaythroughAgentStates"),
        ("mine_of_states:broken", "raised ZeroDivisionError"),
        ("no_such_module:agent", "No module named"),
        (str(tmp_path / "none.py"), "there is no file"),
    ):
        with pytest.raises(AgentError, match=told):
            load_states(name)
