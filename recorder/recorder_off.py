"""The recorder of a session that `PLAYHEAD=off` has switched off: it records nothing."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

import msgspec

from ..errors import EvictedError, RecordingError
from ..native.ring import FrameRing
from .channel_switches import Channels
from .checks.failed_check_tracker import FailedCheck
from .fault_counts import FaultCounts, RefusedCall
from .handler_interface import Batch, FrameImage, HandlerSpec, ImageType
from .objects.object_ids import ObjectIds, ObjectOrId
from .packets.layouts.layout import Layout
from .packets.mark import Mark
from .packets.trace_types import Scalar
from .reading.frame_source import FrameSource
from .recording_status import RecordingStatus
from .statements.instrumentation_interface import NullInstrumentation
from .statements.statement_checks import validate
from .statements.statement_messages import Statement
from .statements.statement_queue import StatementQueue
from .world_adapter import Conventions

WHY_NOTHING = "PLAYHEAD=off in the environment: nothing is recorded"


class NoFrames:
    """A store that never has a frame."""

    newest: tuple[int, float] | None = None
    oldest: tuple[int, float] | None = None

    def _refuse(self, *_: Any) -> NoReturn:
        raise EvictedError(WHY_NOTHING)

    find = stamp = packets = latched = latched_all = versions = _refuse


class RecorderOff(NullInstrumentation):
    """Takes every call of a `Recorder`, has no memory, and every question finds nothing.

    Args:
        strict: Whether statements from elsewhere are checked.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.channels = Channels()
        self.ids = ObjectIds()
        self.faults = FaultCounts(raises=strict)
        self.source = FrameSource(NoFrames())
        self.queue = StatementQueue(0)
        self.is_suspended = self.suspended = self.closed = False
        self.next_frame, self.finished = 1, 0
        self.is_frame_open = False
        self.names: Mapping[int, str] = {}

    @property
    def ring(self) -> FrameRing:
        raise RecordingError(f"{WHY_NOTHING}, so there is no ring")

    @property
    def status(self) -> RecordingStatus:
        nothing: dict[Any, Any] = {int: 0, float: 0.0, str: ""}
        fields = (field for field in msgspec.structs.fields(RecordingStatus) if field.required)
        return RecordingStatus(**{field.name: nothing.get(field.type, {}) for field in fields})

    def add_handler(self, spec: HandlerSpec) -> None: ...

    def declare(self, type: str, layout: Layout, channels: tuple[str, ...] = ()) -> ImageType:
        return ImageType(type, 0, 0)

    def describe(self, conventions: Conventions, about: Mapping[str, Scalar]) -> None: ...

    def restart(self) -> None: ...

    def lose(self, frames: int) -> None: ...

    def unmute(self, type: str, object: int | None = None) -> None: ...

    def update(
        self,
        objects: Iterable[tuple[int, str, Any]],
        dt: float = 0.0,
        time: float | None = None,
        batches: Iterable[Batch] = (),
        images: Iterable[FrameImage] = (),
    ) -> int:
        return 0

    def on_late(self, listener: Callable[[list[int]], object]) -> Callable[[], None]:
        return lambda: None

    def accept(self, statement: Statement, size: int = 0) -> None:
        validate(statement)

    def accept_in_step(self, statement: Statement | FailedCheck, size: int = 0) -> None:
        if not isinstance(statement, FailedCheck):
            validate(statement)

    def check_tool(self, statement: Statement) -> None: ...

    def expect_tree(self, statement: Statement) -> None: ...

    def waiting_marks(self, source: FrameSource) -> list[Mark]:
        return []

    def refusing(self, cause: str) -> RefusedCall:
        return RefusedCall(cause, lambda cause, error: self.faults.call_refused(cause, error))

    def known_id(self, cause: str, object: ObjectOrId) -> int:
        return 0

    def forked(self) -> None: ...

    def close(self) -> None: ...
