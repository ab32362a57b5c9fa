"""Which enemies, bosses and items the agent goes for, and which it has given up."""

from .engine_axes import EngineGeometry, Place, apart
from .observation_view import ObservationView, SeenThing
from .playthrough_settings import AgentSettings
from .replay_report import ReplayReport
from .trace_writer import TraceWriter


class Tries:
    """How often the fetching of each item has failed: items are told apart by where they lie."""

    def __init__(self, retries: int, radius: float) -> None:
        self._retries = retries
        self._radius = radius
        self._failed: list[tuple[str, Place, int]] = []
        self.ignored: list[tuple[str, Place]] = []
        """Those that are not tried any more."""

    def try_again(self, label: str, place: Place) -> bool:
        """It failed; False if that was once too often, and it is ignored from now on."""
        count = 1
        for at, (known, there, failed) in enumerate(self._failed):
            if known == label and apart(there, place) <= self._radius:
                count += failed
                del self._failed[at]
                break
        if count > self._retries:
            self.ignored.append((label, place))
            return False
        self._failed.append((label, place, count))
        return True

    def is_ignored(self, label: str, place: Place) -> bool:
        """Whether it was given up."""
        return any(
            known == label and apart(there, place) <= self._radius for known, there in self.ignored
        )


class TargetChooser:
    """Answers which things in view are worth leaving the route for."""

    def __init__(
        self, settings: AgentSettings, geometry: EngineGeometry, report: ReplayReport,
        trace: TraceWriter,
    ) -> None:  # fmt: skip
        self._settings = settings
        self._geometry = geometry
        self._report = report
        self._trace = trace
        self._pardoned: list[tuple[str, Place, int]] = []
        self.item_tries = Tries(settings.items.retries, settings.items.same)

    def enemies(self, view: ObservationView) -> list[SeenThing]:
        """Enemies to fight, the nearest first."""
        if not view.seen.enemies:
            return []
        rules, now = self._settings.enemies, self._report.frames
        self._pardoned = [pardon for pardon in self._pardoned if pardon[2] > now]
        return [
            found
            for found in view.within(view.seen.enemies, rules.range, rules.height)
            if not any(
                label == found.thing.label and apart(place, found.place) <= rules.same
                for label, place, _ in self._pardoned
            )
        ]

    def bosses(self, view: ObservationView) -> list[SeenThing]:
        """Bosses to fight where the player is, the nearest first."""
        seen, rules = view.seen, self._settings.bosses
        if not seen.bosses:
            return []
        fight = rules.fight
        if seen.field and (not rules.fields or seen.field in rules.fields):
            return view.within(seen.bosses, fight.range, fight.height)
        for region in rules.regions:
            inside = apart(self._geometry.place(region.at), view.place) <= region.radius
            wanted = [boss for boss in seen.bosses if region.boss in ("", boss.label)]
            if inside and wanted:
                return view.within(seen.bosses, fight.range, fight.height)
        return []

    def items(self, view: ObservationView) -> list[SeenThing]:
        """Items to fetch, the nearest first."""
        if not view.seen.items:
            return []
        rules = self._settings.items
        return [
            found
            for found in view.within(view.seen.items, rules.range, rules.height)
            if not self.item_tries.is_ignored(found.thing.label, found.place)
        ]

    def pardon(self, found: SeenThing, why: str) -> None:
        """Leave an enemy alone for a while."""
        until = self._report.frames + self._settings.enemies.pardon
        self._pardoned.append((found.thing.label, found.place, until))
        self._report.pardoned.append(f"{found.thing.label}: {why}")
        self._trace.log(f"gave up on enemy {found.thing.label!r}: {why}")

    def give_up_item(self, found: SeenThing) -> None:
        """Say that an item is left where it is."""
        x, y, z = found.thing.position
        item = f"{found.thing.label} at ({x:g}, {y:g}, {z:g})"
        self._report.ignored_items.append(item)
        self._trace.log(f"gave up on item {item}")
