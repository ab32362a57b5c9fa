"""Records a world's step: reads from the world all that a frame holds."""

from ..errors import PlayheadError
from ..recorder.recorder import Recorder
from ..recorder.world_adapter import World, values_from


class WorldStepRecorder:
    """Records the steps of a world. For the game's thread.

    Args:
        world: What is asked for its time and its objects.
        recorder: Where they go.
    """

    def __init__(self, world: World, recorder: Recorder) -> None:
        self._world, self._recorder = world, recorder

    def record(self, dt: float, time: float | None) -> PlayheadError | None:
        """Record the step that has just ended.

        What goes wrong is counted. Strict, it is returned, to be raised when the end of the step is
        through.

        Args:
            dt: The step, seconds.
            time: Game time after it; None for the world's own.
        """
        world, recorder = self._world, self._recorder
        try:
            if time is None:
                try:
                    time = world.time()
                except Exception:
                    with recorder.refusing("time()"):
                        raise
            objects = () if world.columnar else values_from(world.objects)
            recorder.update(
                objects, dt, time, values_from(world.batches), values_from(world.images)
            )
        except PlayheadError as error:
            if recorder.strict:
                return error
            recorder.faults.call_refused("update", error)
        return None
