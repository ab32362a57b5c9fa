"""A small game with objects that hold state, and sessions over it that are closed in the end."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from playhead.handlers.field import FieldHandler
from playhead.handlers.registry import HandlerRegistry
from playhead.recorder.world import StandIn, World
from playhead.session import Session

Vector = tuple[float, float, float]
DT = 1 / 64
"""A step without rounding: times are exact."""


@dataclass
class Ball:
    """Rolls, bounces off both ends, and can be hidden."""

    position: Vector = (0.0, 0.0, 0.0)
    velocity: Vector = (1.0, 0.0, 0.0)
    visible: bool = True
    state: str = "rolling"
    targetable: bool = True


@dataclass
class Pulse:
    """Beats; recorded, but nobody knows how to play it."""

    position: Vector = (0.0, 5.0, 0.0)
    visible: bool = True
    beats: int = 0


class PulseRecorder:
    """The recording half alone."""

    def __init__(self) -> None:
        fields = FieldHandler(Pulse())
        self.layout, self.size, self.record = fields.layout, fields.size, fields.record


@dataclass
class Court(World):
    """The game and its adapter in one. Whatever playback asks for is written down in `calls`."""

    balls: dict[int, Any] = field(default_factory=dict)
    seconds: float = 0.0
    steps: int = 0
    locked: bool = False
    paused: bool = False
    stands: dict[int, StandIn] = field(default_factory=dict)
    hid: dict[int, bool] = field(default_factory=dict)
    camera: tuple[int, Vector] | None = None
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    during: Callable[[], object] = lambda: None
    """Called in the middle of each step: after half of the objects have moved."""

    def __post_init__(self) -> None:
        for number in (1, 2, 3):
            self.balls[number] = Ball((float(number), 0.0, 0.0), (float(number), 0.5, 0.0))
        self.balls[9] = Pulse()

    def step(self) -> None:
        assert not self.paused
        self.steps += 1
        self.seconds += DT
        for id, ball in list(self.balls.items()):
            if id == 2:
                self.during()
            if isinstance(ball, Pulse):
                ball.beats += 1
                continue
            x, y, z = (a + v * DT for a, v in zip(ball.position, ball.velocity, strict=True))
            vx, vy, vz = ball.velocity
            ball.velocity = (-vx if abs(x) > 5 else vx, vy, vz)
            ball.position = (x, y, z)
            ball.state = "back" if ball.velocity[0] < 0 else "rolling"

    def spawn(self, id: int, at: Vector = (0.0, 0.0, 0.0), **rest: Any) -> Ball:
        self.balls[id] = Ball(at, **rest)
        return self.balls[id]

    def state_hash(self) -> str:
        """Over everything that could be told apart, also what playback may have left behind."""
        told = (
            self.balls, self.seconds, self.steps, self.locked, self.paused, self.stands, self.hid
        )  # fmt: skip
        return hashlib.sha256(repr(told).encode()).hexdigest()

    def shown(self) -> Any:
        """What a person would see now."""
        return repr((sorted(self.balls.items()), sorted(self.stands.items()), sorted(self.hid)))

    def objects(self) -> list[tuple[int, str, Any]]:
        return [(id, type(obj).__name__.lower(), obj) for id, obj in self.balls.items()]

    def time(self) -> float:
        return self.seconds

    def find(self, object_id: int) -> Any | None:
        return self.balls.get(object_id)

    def pause(self) -> None:
        self.paused = True
        self.calls.append(("pause",))

    def resume(self) -> None:
        self.paused = False
        self.calls.append(("resume",))

    def lock_input(self, locked: bool) -> None:
        self.locked = locked

    def hide(self, object_id: int) -> None:
        assert object_id not in self.hid
        self.hid[object_id] = self.balls[object_id].visible
        self.balls[object_id].visible = False

    def unhide(self, object_id: int) -> None:
        self.balls[object_id].visible = self.hid.pop(object_id)

    def show_stand_in(self, stand_in: StandIn) -> None:
        self.stands[stand_in.id] = stand_in

    def remove_stand_in(self, object_id: int) -> None:
        del self.stands[object_id]

    def look_at(self, object_id: int, position: Vector) -> None:
        self.camera = (object_id, position)
        self.calls.append(("look_at", object_id))


def court_handlers() -> HandlerRegistry:
    """Balls are recorded and played, pulses only recorded."""
    handlers = HandlerRegistry()
    handlers.register("ball", FieldHandler(Ball()))
    handlers.register("pulse", record=PulseRecorder())
    return handlers


class Played:
    """A session over a court of its own, and the loop that a game would run."""

    DT = DT
    handlers = staticmethod(court_handlers)

    def __init__(self, session: Session, court: Court) -> None:
        self.session = session
        self.court = court

    def run(self, frames: int = 1) -> None:
        """Steps and updates, as long as the game is live."""
        for _ in range(frames):
            assert self.session.live
            self.court.step()
            self.session.update(DT)

    @property
    def newest(self) -> int:
        span = self.session.source.span
        assert span is not None
        return span.newest


@pytest.fixture
def play() -> Iterator[Callable[..., Played]]:
    """Make sessions; what is given goes to `Session`."""
    made: list[Session] = []

    def make(memory: int | str = "1 MiB", **rest: Any) -> Played:
        court = Court()
        rest.setdefault("handlers", court_handlers())
        session = Session(court, memory, **rest)
        made.append(session)
        return Played(session, court)

    yield make
    for session in made:
        session.close()
