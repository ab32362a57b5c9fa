"""The handler of the player's camera: the recorded view."""

from typing import Any

from ..errors import HandlerError
from .field_handler import FieldHandler


class CameraHandler(FieldHandler):
    """Records a camera's position, direction (`angles`) and field of view (`fov`, radians)."""

    def __init__(self, example: Any, **options: Any) -> None:
        super().__init__(example, **options)
        missing = {"position", "angles", "fov"}.difference(self.fields.names)
        if missing:
            raise HandlerError(f"a camera needs the fields {', '.join(sorted(missing))} as well")
