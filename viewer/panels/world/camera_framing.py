"""Where the camera is put without being asked to: so that everything there is can be seen."""

from typing import NamedTuple

from ...scene.scene_model import SceneModel
from ...scene.view_camera import ViewCamera

_AROUND = 4.0
"""How far is seen at least around a single body, in sizes of a body."""
_NEAR_SELECTED = 62
"""How far away a selected body is at most at first, in sizes of a body."""


class ViewArea(NamedTuple):
    """The area in which the world is seen."""

    aspect: float
    """Its width by its height."""
    covered: float
    """The share of the height that a notice lies over."""


class CameraFraming:
    """Brings everything in sight at first, and below a notice, unless a user has moved the
    camera meanwhile."""

    def __init__(self, camera: ViewCamera) -> None:
        self._camera = camera
        self.fitted = False
        """Whether an area with objects was brought in sight."""
        self.flat = False
        """Whether the game is played in a plane: that is seen as a map."""
        self._covered = 0.0
        """How much of the height the notice lay over when everything was last brought in sight."""
        self._pose: tuple[float, ...] | None = None
        """Where this put the camera last; None before that."""

    def reset(self) -> None:
        """Bring everything in sight once more, as at first."""
        self.fitted, self._pose, self._covered = False, None, 0.0

    def fit(self, scene: SceneModel, area: ViewArea) -> None:
        """Bring everything in sight."""
        self._covered = area.covered
        self._camera.fit(scene.points, _AROUND * scene.radius, *area)
        self._pose = self._current_pose()

    def make_room(self, scene: SceneModel, area: ViewArea) -> None:
        """See everything below a notice that has come since."""
        is_unmoved = self._pose == self._current_pose()
        if self.fitted and is_unmoved and area.covered > self._covered:
            self.fit(scene, area)

    def see_first(self, scene: SceneModel, selected: int, area: ViewArea) -> bool:
        """See an area without objects, and then those who come; returns whether the camera
        was moved."""
        camera, inhabited = self._camera, len(scene.ids) > 0
        if not inhabited and (self._pose is not None or not len(scene.points)):
            return False
        self.fitted = inhabited
        is_unmoved = self._pose is None or self._pose == self._current_pose()
        if is_unmoved:
            if self.flat:
                # A game in a plane is a map: x to the right, and y as it points in the game.
                camera.top, camera.azimuth = True, 0.0
            self.fit(scene, area)
            if not self.flat and scene.row(selected) is not None:
                camera.distance = min(camera.distance, scene.radius * _NEAR_SELECTED)
        self._pose = self._current_pose()
        return is_unmoved

    def _current_pose(self) -> tuple[float, ...]:
        return (*self._camera.centre, self._camera.distance)
