"""Chooses the rule that fires in this step, and detects one that fires again and again."""

from typing import NamedTuple

from ...decision_rules import Decision, decide, hooks_on
from ...games.plan_game_interface import PlanGame
from ...games.plan_target_actor import Actor
from ...games.playable_interface import Vector
from ...recorder.statements.instrumentation_interface import NULL_INSTRUMENTATION, Instrumentation
from .plan import Plan, Rule
from .rule_conditions import PlanFacts, decision_rules, target_of

REPEATS = 10
"""How often a rule may be carried out on one target while the nodes get nowhere."""
IN_A_ROW = 50
"""The same, whatever its targets: others may come as fast as it is done with them."""
ON_THE_WAY = 1.0
"""Seconds that the nodes must be followed for in one go to have got somewhere."""
BARRED = 2.0
"""Seconds for which a rule leaves an actor alone that it found no way to."""

RuleDecision = Decision[PlanFacts, Rule | None]


class RuleChoice(NamedTuple):
    """A decision, and what it was made from."""

    rule: Rule | None
    """None to go on with the nodes."""
    decision: RuleDecision
    facts: PlanFacts

    @property
    def actor(self) -> Actor | None:
        """The actor that the rule is about; None for none."""
        return None if self.rule is None else target_of(self.rule, self.facts)


class RuleChooser:
    """Chooses by the rules of a plan, and remembers what they were carried out on.

    Args:
        instruments: Where hooks on the rules are asked for.
    """

    def __init__(
        self, plan: Plan, game: PlanGame, instruments: Instrumentation = NULL_INSTRUMENTATION
    ) -> None:
        self._game, self._instruments = game, instruments
        self._rules = decision_rules(plan.rules)
        self.fired: dict[str, int] = {}
        """How often each rule fired, by its title."""
        self._barred: dict[tuple[str, int], tuple[float, str]] = {}
        self._frames: dict[str, list[tuple[int, int]]] = {}
        """The frames in which each rule fired since the nodes got on, and on whom."""
        self._followed = 0.0

    def choose(self, position: Vector, actors: tuple[Actor, ...], now: float) -> RuleChoice:
        """The rule of the highest priority whose preconditions all hold."""
        self._barred = {key: one for key, one in self._barred.items() if one[0] > now}
        barred = {key: why for key, (_, why) in self._barred.items()}
        facts = PlanFacts(position, self._game.plan_state(), actors, barred)
        hooks = hooks_on(self._instruments, self._game.player, "plan")
        decision = decide(self._rules, facts, hooks=hooks)
        assert decision is not None, "the last rule of the table always holds"
        return RuleChoice(decision.target, decision, facts)

    def fire(self, rule: Rule, actor: Actor | None, frame: int) -> str:
        """A rule begins; what is wrong if it does so again and again, else empty."""
        self._followed = 0.0
        frames = self._frames.setdefault(rule.title, [])
        frames.append((frame, 0 if actor is None else actor.id))
        same = [at for at, id in frames if id == frames[-1][1]]
        if len(same) <= REPEATS and len(frames) <= IN_A_ROW:
            self.fired[rule.title] = self.fired.get(rule.title, 0) + 1
            return ""
        fired_at, on = [at for at, _ in frames], ""
        if len(same) > REPEATS:
            fired_at, on = same, f" on {actor.name!r}" if actor is not None else ""
        return (
            f"rule {rule.title!r} fired {len(fired_at)} times in a row{on} (frames {fired_at[0]} to"
            f" {fired_at[-1]}) and no node was gone on with: its preconditions hold again each time"
        )

    def bar(self, rule: Rule, actor: Actor | None, now: float, why: str) -> None:
        """Leave this actor alone for a while: there is no way to it."""
        self._barred[rule.title, 0 if actor is None else actor.id] = now + BARRED, why

    def follow(self, dt: float) -> None:
        """The node is followed for another step."""
        self._followed += dt
        if self._followed >= ON_THE_WAY:
            self._frames.clear()

    def node_done(self) -> None:
        """The nodes got on."""
        self._frames.clear()
