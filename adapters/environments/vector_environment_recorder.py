"""Records environments that are stepped together, each as an object."""

from collections.abc import Sequence
from enum import Enum
from typing import Any

from .recorded_environment import EnvironmentHost, StepRecorder, end_text


class Autoreset(Enum):
    """When environments that are stepped together are reset after the end of an episode."""

    NEXT_STEP = "the next step resets it, and its action is ignored"
    SAME_STEP = "the same step resets it, and returns the first observation of the next episode"
    DISABLED = "the caller resets it"


class VectorEnvironmentRecorder:
    """The objects of environments that are stepped together, and the events of their episodes.

    Args:
        type: The type of the objects.
        count: How many environments there are.
        autoreset: When an environment is reset.
        env: The environment of environments.
    """

    def __init__(
        self, host: EnvironmentHost, type: str, count: int, autoreset: Autoreset, env: Any
    ) -> None:  # fmt: skip
        self.steps = StepRecorder(host, env, type)
        self._autoreset = autoreset
        self._records = [host.add_record(type, f"{type} {number}") for number in range(count)]

    def begin(
        self, observations: Sequence[Any], seed: Any = None, mask: Sequence[bool] | None = None
    ) -> None:
        """Environments were reset: all, or those for which the mask is true."""
        for number, (record, _) in enumerate(self._records):
            if mask is None or mask[number]:
                record.begin(observations[number])
        self.steps.mark("reset", "" if seed is None else f"seed {seed!r:.80}")

    def stepped(
        self, actions: Sequence[Any], observations: Sequence[Any], rewards: Sequence[Any],
        terminated: Sequence[Any], truncated: Sequence[Any], final: Sequence[Any] | None = None,
    ) -> None:  # fmt: skip
        """All environments were stepped.

        Args:
            final: The last observation of an episode, where `observations` has the first one of
                the next.
        """
        for number, (record, id) in enumerate(self._records):
            if record.has_ended and self._autoreset is Autoreset.NEXT_STEP:
                record.begin(observations[number])
                continue
            had_ended = record.has_ended
            if had_ended and self._autoreset is Autoreset.SAME_STEP:
                record.begin()
                had_ended = False
            has_ended = bool(terminated[number] or truncated[number])
            last = None if final is None or not has_ended else final[number]
            record.stepped(
                actions[number], observations[number] if last is None else last, rewards[number],
                terminated[number], truncated[number],
            )  # fmt: skip
            if has_ended and not had_ended:
                over = {
                    "episode": record["episode"], "end": end_text(terminated[number]),
                    "steps": record["step"], "reward": record["total_reward"],
                }  # fmt: skip
                self.steps.event("episode ended", over, id)
