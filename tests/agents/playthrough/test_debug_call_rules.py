"""Debug functions of the game, called where chance decides or the agent can't get on."""

import pytest

from playhead.agents.playthrough.debug_call_rules import check_debug_rules
from playhead.agents.playthrough.playthrough_agent import PlaythroughAgent
from playhead.agents.playthrough.playthrough_settings import AgentSettings, parse_settings
from playhead.errors import AgentError, CommandError

from .field import SETTINGS, Area, Field, record, replay
from .rows import demo_of, seen, walk


def settings_with(*rules: str) -> AgentSettings:
    """The field's settings with these rules, as a file has them; it looks for no way round."""
    return parse_settings(f"{SETTINGS}\nrecovery: {{detour: 0}}\ndebug: [{', '.join(rules)}]")


OPENS = settings_with("{call: open_gate, on: stuck}")


@pytest.fixture
def demo(tmp_path):
    return record(Field([Area("a")]), [("go", 14, 0)], tmp_path / "walk.csv")


def gated() -> Field:
    return Field([Area("a", locks=[("open", (6.0, -60.0, 6.5, 60.0))])])


def test_a_gate_that_only_the_game_can_open_is_opened_instead_of_giving_up(demo):
    field = gated()
    agent = replay(field, demo, OPENS, debug=lambda name, argument: field.flags.add("open"))
    assert agent.report.finished, agent.failure
    (call,) = agent.report.debug_calls
    assert call.startswith("open_gate() at row ")
    assert "no way to row" in call


def test_without_such_a_rule_it_gives_up(demo):
    agent = replay(gated(), demo, settings_with())
    assert agent.failure is not None
    assert agent.report.debug_calls == []


def test_a_function_that_refuses_helps_nothing_and_is_reported(demo):
    def refuse(name, argument):
        raise CommandError("the gate is rusty")

    agent = replay(gated(), demo, OPENS, debug=refuse)
    assert agent.failure is not None
    (call,) = agent.report.debug_calls
    assert call.endswith("failed: the gate is rusty")


def test_luck_that_differs_for_a_while_is_set_as_in_the_demo():
    called = []
    rules = (
        "{call: begin, on: start, column: luck}",
        "{call: set_luck, on: differs, column: luck, after: 5, times: 2}",
    )
    agent = PlaythroughAgent(
        demo_of(walk(60), luck=[3.0] * 60), settings_with(*rules),
        debug=lambda name, argument: called.append((frame, name, argument)),
    )  # fmt: skip
    for frame in range(40):
        agent.step(seen(0.0, extras={"luck": 3.0 if frame < 10 else 1.0}))
    # So late, and no more often than it may.
    assert called == [(0, "begin", 3.0), (15, "set_luck", 3.0), (21, "set_luck", 3.0)]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("{call: open_gait, on: stuck}", "no debug function 'open_gait'.*open_gate"),
        ("{call: open_gate, on: differs, column: luk}", "no column 'luk'.*luck"),
        ("{call: open_gate, on: differs}", "on: differs needs a column"),
    ],
)
def test_a_rule_that_the_game_can_not_carry_out_is_refused(rule, message):
    with pytest.raises(AgentError, match=message):
        check_debug_rules(settings_with(rule).debug, ["open_gate"], ["luck"])
