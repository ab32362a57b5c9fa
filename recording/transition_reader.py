"""Reads the transitions of state machines with their reasons, and the state at an instant."""

from collections.abc import Mapping
from operator import attrgetter

import msgspec

from ..errors import CommandError, DamagedError, EvictedError
from ..recorder.packets.packet_types import Kind
from ..recorder.packets.trace_types import StateTransition
from ..recorder.reading.frame_source import FrameSource
from ..recorder.statements.instrumentation_interface import Belief, Rejected, Scalar
from .recording_damage import DamageLog

_MOST = 1 << 20
"""Transitions of a machine that are asked for at once."""


class RecordedTransition(msgspec.Struct, frozen=True):
    """A state machine of an agent went from one state to another, and why."""

    frame: int
    """The frame that it belongs to."""
    time: float | None
    """Timeline time, seconds; None if its frame was evicted: what it led to is known all the
    same as long as it lasts."""
    agent: int
    machine: str
    source: str
    target: str
    won: str
    """The condition that decided."""
    also_true: tuple[str, ...]
    """Conditions that were true as well, but came later in the order."""
    rejected: tuple[Rejected, ...]
    """The alternatives that lost, each with its reason."""
    values: Mapping[str, Scalar]
    """What the conditions looked at."""
    beliefs: tuple[Belief, ...]
    """What the agent held true about others."""
    file: str
    line: int

    @classmethod
    def of(cls, frame: int, time: float | None, agent: int, trace: StateTransition) -> (
        "RecordedTransition"
    ):  # fmt: skip
        """The transition of a trace."""
        return cls(
            frame, time, agent, trace.machine, trace.source, trace.target, trace.won,
            trace.also_true, trace.rejected, trace.values, trace.beliefs, trace.file, trace.line,
        )  # fmt: skip


def transitions_of(
    source: FrameSource, agent: int | None, machine: str | None, first: int, last: int,
    damage: DamageLog,
) -> list[RecordedTransition]:  # fmt: skip
    """The transitions that belong to the frames from `first` to `last`, oldest first.

    Raises:
        CommandError: none of these agents has a machine of that name.

    From the oldest frame on, those that led to the states at that frame are among them, although
    their own frames were evicted.
    """
    span = source.span
    oldest = first if span is None else span.oldest
    found: list[RecordedTransition] = []
    for each, its_machine in machines_of(source, agent, machine, last):
        try:
            rows = source.transitions(last, each, its_machine, _MOST)
        except DamagedError as error:
            damage.add(last, error)
            continue
        for at, _, trace in reversed(rows):
            if at >= first or (first <= oldest and at < oldest):
                time = None if at < oldest else _time(source, at)
                found.append(RecordedTransition.of(at, time, each, trace))
    return sorted(found, key=attrgetter("frame"))


def machines_of(
    source: FrameSource, agent: int | None, machine: str | None, frame: int
) -> list[tuple[int, str]]:
    """The agents and machines that are meant, also those that are gone at a frame.

    Raises:
        CommandError: there is no machine of that name.
    """
    machines = [(each, name) for each, name in source.all_machines() if agent in (None, each)]
    found = [(each, name) for each, name in machines if machine in (None, name)]
    if machine is None or found:
        return found
    if agent is not None and source.latched(frame, agent, Kind.STATE, machine) is not None:
        return [(agent, machine)]
    names = list(dict.fromkeys(name for _, name in machines))
    raise CommandError(f"machine {machine!r}: {_machines(agent, names)}")


def state_at(source: FrameSource, agent: int, machine: str | None, frame: int) -> str | None:
    """The state of an agent's machine at a frame; None if it is in none.

    Raises:
        CommandError: the agent has no such machine, or several where none was named.
    """
    if machine is None:
        machine = _only_machine(source, agent, frame)
    trace: StateTransition | None = source.latched(frame, agent, Kind.STATE, machine)
    if trace is not None:
        return trace.target
    machines = [name for each, name in source.all_machines() if each == agent]
    if machine not in machines:
        raise CommandError(f"machine {machine!r}: {_machines(agent, machines)}")
    return None


def _only_machine(source: FrameSource, agent: int, frame: int) -> str:
    machines = [name for each, name in source.machines(frame) if each == agent]
    if not machines:
        machines = [name for each, name in source.all_machines() if each == agent]
    if not machines:
        raise CommandError(_machines(agent, machines))
    if len(machines) != 1:
        raise CommandError(f"machine=None: {_machines(agent, machines)}: name one of them")
    return machines[0]


def _machines(agent: int | None, machines: list[str]) -> str:
    subject = "this recording" if agent is None else f"object {agent}"
    if not machines:
        return f"{subject} has no state machine in what is held of this recording"
    return f"{subject} has the state machines {', '.join(map(repr, machines))}"


def _time(source: FrameSource, frame: int) -> float | None:
    try:
        return source.time(frame)
    except (EvictedError, DamagedError):
        return None
