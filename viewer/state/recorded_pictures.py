"""The recorded pictures, as the panels of a window paint them: found, decoded, remembered."""

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterable
from typing import NamedTuple

from ..reader.picture_scan import PictureRequest, PictureScan, ScannedPicture
from ..toolkit.qt import QImage, QObject, pyqtSignal
from .shared_pins_and_histories import PanelContext
from .viewer_store import ViewerStore

MOST_BYTES = 96 << 20
"""Bytes of decoded pictures that are cached: full pictures and thumbnails together."""


class _Camera(NamedTuple):
    """The pictures of one name, oldest first."""

    frames: list[int]
    times: list[float]
    pictures: list[ScannedPicture]


class RecordedPictures(QObject):
    """Belongs to a store: `RecordedPictures.of(store)` is the same one for all panels.

    A picture is decoded by the reader's thread when a panel asks for it, and is there a moment
    later, when `changed` is emitted. Of all that panels ask for, what they want now comes first.
    """

    changed = pyqtSignal()
    """Pictures were found or decoded."""
    _notified = pyqtSignal()

    def __init__(self, store: ViewerStore) -> None:
        super().__init__(store)
        self.version = 0
        """Differs after each change."""
        self.is_complete = False
        """Whether all that is recorded was looked through."""
        self._cameras: dict[str, _Camera] = {}
        self._images: OrderedDict[PictureRequest, QImage] = OrderedDict()
        self._bytes = 0
        self._aspects: dict[str, float] = {}
        self._wishes: dict[str, list[PictureRequest]] = {}
        """What each panel wants, and has not got."""
        self._oldest = 0
        self._scan = PictureScan(self._notified.emit)
        self._notified.connect(self._take)
        PanelContext.of(store).ask(self._scan)

    @classmethod
    def of(cls, store: ViewerStore) -> "RecordedPictures":
        """The pictures of a store, created on first use."""
        return next((one for one in store.children() if isinstance(one, cls)), None) or cls(store)

    # --- what there is --------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the pictures, `screen` first."""
        return tuple(sorted(self._cameras, key=lambda name: (name != "screen", name)))

    def at(self, name: str, frame: int) -> ScannedPicture | None:
        """The newest picture of a name at or before a frame."""
        camera = self._cameras.get(name)
        index = 0 if camera is None else bisect_right(camera.frames, frame)
        return camera.pictures[index - 1] if camera is not None and index else None

    def between(self, name: str, start: float, end: float) -> ScannedPicture | None:
        """The first picture of a name from one time on, if it is before another."""
        camera = self._cameras.get(name)
        if camera is None:
            return None
        index = bisect_left(camera.times, start)
        found = camera.pictures[index] if index < len(camera.times) else None
        return found if found is not None and found.time < end else None

    def aspect(self, name: str) -> float:
        """A picture's width by its height, as its newest one was that was decoded."""
        return self._aspects.get(name, 16 / 9)

    # --- decoded --------------------------------------------------------------------------------

    @property
    def is_decoding(self) -> bool:
        """Whether panels want images that are not decoded yet."""
        return any(self._wishes.values())

    def images(self, panel: str, requests: Iterable[PictureRequest]) -> list[QImage | None]:
        """The images that a panel paints now; None for those that are not decoded yet.

        Args:
            panel: The panel's name: what it requested before and no longer does is not decoded.
            requests: In the order of their urgency.
        """
        found: list[QImage | None] = []
        missing = []
        for request in requests:
            image = self._images.get(request)
            found.append(image)
            if image is None:
                missing.append(request)
            else:
                self._images.move_to_end(request)
        if missing != self._wishes.get(panel, []):
            self._wishes[panel] = missing
            self._ask()
        return found

    def _ask(self) -> None:
        # A user looks at full pictures; thumbnails can wait.
        pending = [request for wishes in self._wishes.values() for request in wishes]
        self._scan.want(sorted(pending, key=lambda request: request.height != 0))

    def _take(self) -> None:
        news = self._scan.take()
        if news.restarted:
            self._cameras, self._bytes = {}, 0
            self._images.clear()
            self._wishes.clear()
        for picture in news.found:
            self._put(picture)
        self._drop_before(news.oldest)
        for request, image in news.images:
            self._remember(request, image)
        self.is_complete = news.is_complete
        self.version += 1
        self.changed.emit()

    def _put(self, picture: ScannedPicture) -> None:
        camera = self._cameras.setdefault(picture.name, _Camera([], [], []))
        index = bisect_right(camera.frames, picture.frame)
        if index and camera.frames[index - 1] == picture.frame:
            camera.pictures[index - 1] = picture  # of several in a frame the last counts
            return
        camera.frames.insert(index, picture.frame)
        camera.times.insert(index, picture.time)
        camera.pictures.insert(index, picture)

    def _drop_before(self, oldest: int) -> None:
        """Forget what is not recorded any more: its picture could not be had."""
        if oldest == self._oldest:
            return
        self._oldest = oldest
        for name, camera in list(self._cameras.items()):
            gone = sum(1 for _ in self._gone(camera, oldest))
            if gone:
                for column in camera:
                    del column[:gone]
            if not camera.frames:
                del self._cameras[name]

    @staticmethod
    def _gone(camera: _Camera, oldest: int) -> Iterable[ScannedPicture]:
        for picture in camera.pictures:
            if picture.entry.recorded >= oldest:
                return
            yield picture

    def _remember(self, request: PictureRequest, image: QImage) -> None:
        before = self._images.pop(request, None)
        self._bytes += image.sizeInBytes() - (0 if before is None else before.sizeInBytes())
        self._images[request] = image
        if not image.isNull():
            aspect = image.width() / image.height()
            self._aspects[request.picture.name] = min(max(aspect, 0.4), 4.0)
        for wishes in self._wishes.values():
            if request in wishes:
                wishes.remove(request)
        while self._bytes > MOST_BYTES and len(self._images) > 1:
            _, dropped = self._images.popitem(last=False)
            self._bytes -= dropped.sizeInBytes()
