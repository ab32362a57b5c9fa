"""What a tool may say to a service without waiting: traces, log, marks, facts, pads."""

from abc import ABC, abstractmethod
from typing import Any

from ..errors import RecordingError
from ..playback.pad import Pad
from ..recorder.checks import caller, expression_at
from ..recorder.logs import LogLine
from ..recorder.traces import AnimationTrace, AnyTrace, StateTrace, TreeNode, TreeTrace
from .asks import HoldPad
from .protocol import Ask, Result, Statement
from .sayings import (
    SayAnimation,
    SayFact,
    SayLog,
    SayMark,
    SayName,
    SayNodes,
    SayState,
    SayTree,
    SayViolation,
    SayWatch,
)


class Speaking(ABC):
    """Whoever can tell a service something; all but `check` wait for no answer."""

    @abstractmethod
    def say(self, statement: Statement | HoldPad) -> int:
        """Say anything of the protocol that waits for no answer; returns its sequence number.

        Raises:
            BusError: the service is not there.
        """

    @abstractmethod
    def ask(self, ask: Ask) -> Result:
        """Ask anything of the protocol, and wait for its answer."""

    def trace(
        self, agent: int, trace: AnyTrace, *,
        time: float | None = None, game_time: float | None = None,
    ) -> None:  # fmt: skip
        """A decision of an agent, at an instant: timeline seconds, or the game's own clock.

        Statements wait for no answer; what was refused is in `refusals`, after `flush` for sure.
        """
        match trace:
            case StateTrace():
                self.say(SayState(agent, trace, time=time, game_time=game_time))
            case TreeTrace():
                self.say(SayTree(agent, trace, time=time, game_time=game_time))
            case AnimationTrace():
                self.say(SayAnimation(agent, trace, time=time, game_time=game_time))
            case _:
                raise RecordingError(f"{trace!r} is no StateTrace, TreeTrace or AnimationTrace")

    def log(
        self, text: str, *, level: str = "info", object: int = 0, channel: str | None = None,
        time: float | None = None, game_time: float | None = None,
    ) -> None:  # fmt: skip
        """A line of the log."""
        code = caller(1)
        line = LogLine(text, level, code.f_code.co_filename, code.f_lineno, object)
        self.say(SayLog(line, channel, time=time, game_time=game_time))

    def mark(
        self, name: str, note: str = "", *, object: int = 0,
        time: float | None = None, game_time: float | None = None,
    ) -> None:  # fmt: skip
        """Name an instant."""
        self.say(SayMark(name, note, object, time=time, game_time=game_time))

    def check(
        self, condition: bool, message: str, *, focus: int = 0,
        time: float | None = None, game_time: float | None = None,
    ) -> bool:  # fmt: skip
        """The recorder assert, from outside: if it fails, the game pauses at that instant.

        Returns the condition. Waits until the game knows.
        """
        if not condition:
            code = caller(1)
            self.ask(SayViolation(
                message, focus, expression_at(code), code.f_code.co_filename, code.f_lineno,
                time=time, game_time=game_time,
            ))  # fmt: skip
        return condition

    def watch(self, name: str, value: float, object: int = 0) -> None:
        """A named number of an object, in the frame being recorded."""
        self.say(SayWatch(name, value, object))

    def name(self, object: int, name: str) -> None:
        """What people call an object."""
        self.say(SayName(object, name))

    def fact(self, object: int, key: str, value: Any) -> None:
        """Anything plain that stays true of an object until said again."""
        self.say(SayFact(object, key, value))

    def define_tree(self, agent: int, tree: str, nodes: "tuple[TreeNode, ...]") -> None:
        """Which nodes an agent's behaviour tree has."""
        self.say(SayNodes(agent, tree, nodes))

    def pad(self, pad: Pad, *, player: int = 0, time: float | None = None) -> int:
        """Hold a pad from the game's next step on, until the next call; leaving lets it go.

        While something is held, say so again at least twice a second: a pad whose holder has been
        silent for a second is let go. Pads wait for no answer; one that was not taken, because
        playback is on or the game takes none, is in `refusals`.

        Args:
            time: Timeline seconds of the instant that it was decided on.

        Returns the sequence number by which the game knows this pad.

        Raises:
            BusError: the service is not there.
        """
        held = HoldPad(
            pad.left, pad.right, pad.left_trigger, pad.right_trigger, pad.held, player, time
        )
        return self.say(held)
