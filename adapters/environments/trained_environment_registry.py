"""The environment that a model is trained on, as its session records it."""

from typing import Any
from weakref import WeakKeyDictionary

from .vector_environment_recorder import VectorEnvironmentRecorder


class TrainedEnvironment:
    """An environment of a model, however often it is trained, and by whatever callback.

    Args:
        vector: Records its steps; None if it does so itself.
    """

    def __init__(self, vector: VectorEnvironmentRecorder | None) -> None:
        self.vector = vector
        self.recorder: Any = None
        """The callback that records: of several in one training, the last."""
        self.last_observations: Any = None
        """What was recorded last, so that it is seen whether an episode begins."""


TrainedEnvironments = WeakKeyDictionary[Any, TrainedEnvironment]
