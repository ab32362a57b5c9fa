"""Finds out what kept a state, a rule or a branch of a tree from coming."""

from collections.abc import Iterator

from ...errors import CommandError
from ...recorder.text.name_hint import name_hint
from ..frame_lookup import stretches_in
from ..transition_reader import transitions_of
from ..trees.tree_snapshot import trees_at
from .decision_question_scope import AgentRange
from .decision_reexecution import Questioner
from .recorded_decisions import DecisionScan
from .why_not_answer import NearestMiss, ObstacleCounter, WhyNot
from .why_not_tree_node import branch_of, why_not_branch

STATE = "state"
"""The input that says in which state the agent of a state machine's table is."""
TRIGGER = "trigger"
"""The input that says what triggered a machine's decision."""


def why_not(
    stretch: AgentRange, state: str, decider: str | None, maker: str | None, seconds: float | None
) -> WhyNot:
    """What kept a state, a rule or a branch from coming.

    Args:
        maker: As of a `Questioner`.

    Raises:
        CommandError: none of the agent's deciders knows such a thing, or several do.
    """
    found: dict[str, str] = {}
    """Each decider that knows it, and how: `tree`, `table` or `machine`."""
    known: list[str] = []
    source, agent = stretch.source, stretch.agent
    for each, tree in trees_at(source, stretch.last):
        if each == agent and decider in (None, tree):
            names = [node.name for node in source.tree(stretch.last, agent, tree)]
            known += names
            if branch_of(state, source.tree(stretch.last, agent, tree)) is not None:
                found[tree] = "tree"
    tables, notes = _tables(stretch, decider, maker, seconds)
    for name, targets in tables.items():
        known += targets
        if state in targets:
            found[name] = "table"
    for machine, states in _machines(stretch, decider).items():
        known += states
        if state in states:
            found.setdefault(machine, "machine")
    if not found:
        about = repr(stretch.name) if stretch.name else f"object {agent}"
        hint = name_hint(state, known) if known else "nothing is recorded of what it decides"
        raise CommandError(f"{about} has no state, rule or node {state!r}: {hint}")
    no_trees = {name: kind for name, kind in found.items() if kind != "tree"}
    found = no_trees or found  # who names a state does not mean a node that is called the same
    if len(found) > 1:
        listed = ", ".join(f"{name!r} ({kind})" for name, kind in found.items())
        raise CommandError(f"{state!r} is in several deciders: {listed}: name one as decider")
    name, kind = next(iter(found.items()))
    if kind == "tree":
        return why_not_branch(stretch, name, state, maker, seconds)
    if kind == "machine":
        return _why_not_traced(stretch, name, state, notes.get(name))
    return _why_not_in_table(stretch, name, state, maker, seconds)


def _tables(
    stretch: AgentRange, decider: str | None, maker: str | None, seconds: float | None
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """What each decider with recorded inputs may decide for, as its first decisions tell; and of
    each machine that can't be asked why that is so."""
    found: dict[str, list[str]] = {}
    failed: dict[str, str] = {}
    scan = DecisionScan(stretch.source, stretch.agent, decider, stretch.damage)
    tried: dict[str, set[object]] = {}
    for one in scan.decisions(stretch.first, stretch.last):
        if one.tick is not None or one.choice.nodes or one.decider in failed:
            continue
        if one.inputs.keys() >= {STATE, TRIGGER}:
            if one.decider not in found:
                try:
                    questioner = _questioner(stretch, one.decider, maker, seconds)
                    found[one.decider] = [
                        state for _, *ends in questioner.transition_names(one)
                        for state in ends if state
                    ]  # fmt: skip
                except CommandError as error:  # the recording has its reasons all the same
                    failed[one.decider] = str(error)
            continue
        targets = found.setdefault(one.decider, [])
        states = tried.setdefault(one.decider, set())
        now = one.inputs.get(STATE)
        if one.choice.target and one.choice.target not in targets:
            targets.append(one.choice.target)
        if now in states:
            continue
        states.add(now)
        if now is not None and str(now) not in targets:
            targets.append(str(now))
        asked = _questioner(stretch, one.decider, maker, seconds)
        for condition in asked.decide(one).conditions:
            if condition.target and condition.target not in targets:
                targets.append(condition.target)
        if now is not None:  # the states that it leads to lead on
            for target in list(targets):
                if target not in states:
                    states.add(target)
                    for condition in asked.decide_with(one, {STATE: target}).conditions:
                        if condition.target not in targets:
                            targets.append(condition.target)
    return found, failed


def _machines(stretch: AgentRange, decider: str | None) -> dict[str, list[str]]:
    """The states of each machine that are recorded anywhere."""
    states: dict[str, list[str]] = {}
    for one in _transitions(stretch, None):
        if decider in (None, one[0]):
            known = states.setdefault(one[0], [])
            known += [each for each in one[1] if each and each not in known]
    return states


def _transitions(stretch: AgentRange, machine: str | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    span = stretch.source.span
    first = stretch.first if span is None else span.oldest
    last = stretch.last if span is None else span.newest
    rows = transitions_of(stretch.source, stretch.agent, machine, first, last, stretch.damage)
    for one in rows:
        named = [each.condition.partition(" → ")[2] for each in one.rejected]
        yield one.machine, (one.source, one.target, *named)
    for _, name, _, failed in _no_transitions(stretch):
        yield name, tuple(each.partition(" → ")[2].partition(":")[0] for each in failed)


def _questioner(
    stretch: AgentRange, decider: str, maker: str | None, seconds: float | None
) -> Questioner:
    return Questioner(
        stretch.source, stretch.agent, decider, edit=None, maker=maker, seconds=seconds,
        damage=stretch.damage,
    )  # fmt: skip


def _why_not_in_table(
    stretch: AgentRange, decider: str, state: str, maker: str | None, seconds: float | None
) -> WhyNot:
    """The answer from the conditions, which are evaluated again in each decision."""
    counter, asked = ObstacleCounter(), _questioner(stretch, decider, maker, seconds)
    decisions = came = 0
    came_first: int | None = None
    sources: dict[str, bool] = {}
    """Whether each state that the agent was in leads there."""
    scan = DecisionScan(stretch.source, stretch.agent, decider, stretch.damage)
    for one in scan.decisions(stretch.first, stretch.last):
        now = one.inputs.get(STATE)
        if now == state:
            continue  # it is in it
        decisions += 1
        if one.choice.target == state:
            came += 1
            came_first = one.frame if came_first is None else came_first
            continue
        choice = asked.decide(one)
        leading = [each for each in choice.conditions if each.target == state]
        time = stretch.source.time(one.frame)
        if now is not None:
            sources[str(now)] = sources.get(str(now), False) or bool(leading)
        for each in leading:
            miss = NearestMiss(one.frame, time, each.reason, each.lacks, one.inputs)
            if each.holds:
                text = f"{choice.won} came before {each.name}"
                counter.add(text, "order", NearestMiss(one.frame, time, text, None, one.inputs))
            else:
                counter.add(each.name, "condition", miss)
        if not leading:
            leads = f"{one.inputs[TRIGGER]} does not lead" if TRIGGER in one.inputs else (
                "nothing leads"
            )  # fmt: skip
            text = f"{leads} from {now} to {state}" if now is not None else "no condition"
            counter.add(text, "state", NearestMiss(one.frame, time, text, None, one.inputs))
    comes_from = tuple(_sources(stretch, asked, decider, state)) if sources else ()
    notes = () if not comes_from or sources.keys() & {*comes_from} else (
        f"it was never in {' or '.join(comes_from)}: ask what kept that from coming",
    )  # fmt: skip
    return WhyNot(
        stretch.agent, stretch.name, decider, state, stretch.first, stretch.last, decisions, came,
        came_first, counter.obstacles, comes_from, notes,
    )  # fmt: skip


def _sources(stretch: AgentRange, asked: Questioner, decider: str, state: str) -> Iterator[str]:
    """The states from which something leads to a state, whether the agent was ever in them."""
    scan = DecisionScan(stretch.source, stretch.agent, decider, stretch.damage)
    first = next(iter(scan.decisions(stretch.first, stretch.last)), None)
    if first is None:
        return
    names = asked.transition_names(first)
    if names:
        yield from dict.fromkeys(source for _, source, target in names if target == state)
        return
    known = [str(first.inputs.get(STATE)), state]
    for each in known:  # it grows meanwhile
        conditions = asked.decide_with(first, {STATE: each}).conditions
        led = dict.fromkeys(one.target for one in conditions if one.target)
        known += [target for target in led if target not in known]
        if any(one.target == state for one in conditions):
            yield each


def _why_not_traced(
    stretch: AgentRange, machine: str, state: str, failed: str | None
) -> WhyNot:  # fmt: skip
    """The answer from the recording: conditions that were rejected, each with its reason.

    Args:
        failed: Why its decisions can't be made again, if they were recorded with inputs.
    """
    source = stretch.source
    counter = ObstacleCounter()
    decisions = came = 0
    came_first: int | None = None
    rows = list(transitions_of(source, stretch.agent, machine, 1, stretch.last, stretch.damage))
    winners = {one.won for one in rows if one.target == state}
    for one in rows:
        if one.frame < stretch.first or one.time is None:
            continue
        decisions += 1
        if one.target == state:
            came += 1
            came_first = one.frame if came_first is None else came_first
            continue
        for each in one.rejected:
            if each.condition in winners or each.condition.endswith(f"→ {state}"):
                miss = NearestMiss(one.frame, one.time, each.reason, None, one.values)
                counter.add(each.condition, "condition", miss)
    for frame, name, now, lines in _no_transitions(stretch):
        if name == machine and now != state:
            decisions += 1
            for line in lines:
                condition, _, reason = line.partition(": ")
                if condition.endswith(f"→ {state}"):
                    miss = NearestMiss(frame, source.time(frame), reason, None, {STATE: now})
                    counter.add(condition, "condition", miss)
    notes: tuple[str, ...] = () if failed is None else (f"by the recorded reasons: {failed}",)
    if not counter.obstacles and not came:
        notes += (
            "the recording has no condition that leads there: record decisions with what they are"
            " made from, by trace.decide",
        )  # fmt: skip
    return WhyNot(
        stretch.agent, stretch.name, machine, state, stretch.first, stretch.last, decisions, came,
        came_first, counter.obstacles, notes=notes,
    )  # fmt: skip


def _no_transitions(stretch: AgentRange) -> Iterator[tuple[int, str, str, list[str]]]:
    """Triggers of a machine that changed no state: frame, machine, state, what failed."""
    source = stretch.source
    for low, high in stretches_in(source, stretch.first, stretch.last):
        for frame in range(low, high + 1):
            with stretch.damage.skipping(frame):
                for object, name, value in source.events(frame):
                    machine, _, kind = name.rpartition(": ")
                    is_one = object == stretch.agent and kind == "no transition"
                    if is_one and isinstance(value, dict):
                        yield frame, machine, str(value.get(STATE)), list(value.get("failed", ()))
