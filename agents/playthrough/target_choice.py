"""Which enemies, bosses and items the agent goes for, and which it has given up."""

from .agent_memory import BattleTarget
from .engine_axes import EngineGeometry, PlanPoint, plan_distance
from .observation_view import EntityOnPlan, ObservationView
from .playthrough_settings import AgentSettings
from .replay_report import ReplayReport
from .trace_writer import TraceWriter


class Tries:
    """How often the agent failed to fetch each item. An item is known by its label and position."""

    def __init__(self, retries: int, radius: float) -> None:
        self._retries = retries
        self._radius = radius
        self._failed: list[tuple[str, PlanPoint, int]] = []
        self.ignored: list[tuple[str, PlanPoint]] = []
        """Items that it does not try any more."""

    def try_again(self, label: str, point: PlanPoint) -> bool:
        """Count a failure; False if it was one too many, and the item is ignored from now on."""
        count = 1
        for at, (known, there, failed) in enumerate(self._failed):
            if known == label and plan_distance(there, point) <= self._radius:
                count += failed
                del self._failed[at]
                break
        if count > self._retries:
            self.ignored.append((label, point))
            return False
        self._failed.append((label, point, count))
        return True

    def is_ignored(self, label: str, point: PlanPoint) -> bool:
        """Whether it was given up."""
        return any(
            known == label and plan_distance(there, point) <= self._radius
            for known, there in self.ignored
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
        self._pardoned: list[tuple[str, PlanPoint, int]] = []
        self._fallen: list[tuple[str, PlanPoint]] = []
        """Enemies that were defeated and may still lie there."""
        self.item_tries = Tries(settings.items.retries, settings.items.same)

    def enemies(self, view: ObservationView) -> list[EntityOnPlan]:
        """Enemies to fight, the nearest first."""
        if not view.seen.enemies:
            return []
        rules, now = self._settings.enemies, self._report.frames
        self._pardoned = [pardon for pardon in self._pardoned if pardon[2] > now]
        return [
            found
            for found in view.within(view.seen.enemies, rules.range, rules.height)
            if not any(
                label == found.thing.label and plan_distance(point, found.point) <= rules.same
                for label, point, _ in self._pardoned
            )
            and not (found.thing.hp <= 0 and self._lies_there(found))
        ]

    def bosses(self, view: ObservationView) -> list[EntityOnPlan]:
        """Bosses to fight where the player is, the nearest first."""
        seen, rules = view.seen, self._settings.bosses
        if not seen.bosses:
            return []
        fight = rules.fight
        if seen.field and (not rules.fields or seen.field in rules.fields):
            return view.within(seen.bosses, fight.range, fight.height)
        for region in rules.regions:
            inside = (
                plan_distance(self._geometry.plan_point(region.at), view.point) <= region.radius
            )
            fits = any(region.boss in ("", boss.label) for boss in seen.bosses)
            if inside and fits:
                return view.within(seen.bosses, fight.range, fight.height)
        return []

    def items(self, view: ObservationView) -> list[EntityOnPlan]:
        """Items to fetch, the nearest first."""
        if not view.seen.items:
            return []
        rules, healing = self._settings.items, self._settings.items.healing
        health = view.seen.extras.get(healing.column)
        wounded = isinstance(health, (int, float)) and health < healing.below
        return [
            found
            for found in view.within(
                view.seen.items, max(rules.range, healing.range if wounded else 0.0), rules.height
            )
            if (found.away <= rules.range or found.thing.label in healing.labels)
            and not self.item_tries.is_ignored(found.thing.label, found.point)
        ]

    def defeated(self, target: BattleTarget) -> None:
        """An enemy has fallen: if the game still shows it there, it is no enemy any more."""
        if target.hp > 0:  # else the game says of no enemy how much it can bear
            self._fallen.append((target.label, target.point))

    def _lies_there(self, found: EntityOnPlan) -> bool:
        same = self._settings.enemies.same
        return any(
            label == found.thing.label and plan_distance(point, found.point) <= same
            for label, point in self._fallen
        )

    def pardon(self, found: EntityOnPlan, why: str) -> None:
        """Leave an enemy alone for a while."""
        until = self._report.frames + self._settings.enemies.pardon
        self._pardoned.append((found.thing.label, found.point, until))
        self._report.pardoned.append(f"{found.thing.label}: {why}")
        self._trace.log(f"gave up on enemy {found.thing.label!r}: {why}")

    def give_up_item(self, found: EntityOnPlan) -> None:
        """Report that an item is left where it is."""
        x, y, z = found.thing.position
        item = f"{found.thing.label} at ({x:g}, {y:g}, {z:g})"
        self._report.ignored_items.append(item)
        self._trace.log(f"gave up on item {item}")
