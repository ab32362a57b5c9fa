"""What a session records of an environment that models are trained on."""

from typing import Any
from weakref import WeakKeyDictionary

from .vector_record import VectorRecord


class TrainedEnvironment:
    """An environment of a model, however often it is trained, and by whatever callback.

    Args:
        vector: Records its steps; None if it does so itself.
    """

    def __init__(self, vector: VectorRecord | None) -> None:
        self.vector = vector
        self.recorder: Any = None
        """The callback that records: of several in one training, the last."""
        self.last_observations: Any = None
        """What was recorded last, so that it is seen whether an episode begins."""


TrainedEnvironments = WeakKeyDictionary[Any, TrainedEnvironment]
