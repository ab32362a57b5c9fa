"""The handler of first-person view models: the player's own body and weapon on screen."""

from typing import Any

from .skeletal_pose_handler import SkeletalPoseHandler


class ViewModelHandler(SkeletalPoseHandler):
    """Like an animated model, but its joints are in the space of the camera that it hangs on."""

    def __init__(self, example: Any, **options: Any) -> None:
        options.setdefault("space", "view")
        super().__init__(example, **options)
