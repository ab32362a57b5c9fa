"""All numbers of the playthrough agent, in one tree that YAML files fill.

`settings/defaults.yaml` states every default with its reason; a game's own file says only what is
otherwise there. Lengths are metres, angles radians, and a frame is one communication frame.
"""

import functools
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
import yaml
from msgspec import Meta

from ...games.arena.yaml_nodes import NodeReader, text_of
from .engine_axes import EngineConventions

FOLDER = Path(__file__).parent / "settings"
DEFAULTS = FOLDER / "defaults.yaml"

Length = Annotated[float, Meta(ge=0)]
Positive = Annotated[float, Meta(gt=0)]
Share = Annotated[float, Meta(ge=0, le=1)]
Angle = Annotated[float, Meta(ge=0, le=3.1416)]
Frames = Annotated[int, Meta(ge=1)]
Count = Annotated[int, Meta(ge=0)]
Key = Literal[
    "", "A", "B", "X", "Y", "LB", "RB", "START", "BACK", "UP", "LEFT", "DOWN", "RIGHT", "LS", "RS",
    "LT",
]  # fmt: skip
"""A button by name; LT is the left trigger, pulled; empty for none."""


class Keys(msgspec.Struct, frozen=True):
    """Which button does what."""

    attack: Key
    confirm: Key
    """Talks to people, opens, buys."""
    skip: Key
    """Advances messages."""
    cancel: Key
    """Leaves a shop or a menu."""
    take: Key
    """Takes an item within reach; none where touching it is enough."""
    run: Key
    """Pressed while walking, to run."""


class Turning(msgspec.Struct, frozen=True):
    """How the player is turned."""

    gain: Positive
    """Deflection of the right stick for each radian of turn that is left."""
    nudge: Share
    """Deflection of the left stick that turns the player, in games where walking turns it."""
    still: Angle
    """The largest angle at which it counts as facing the goal."""
    pitch: Length
    """Right stick for each radian by which the camera's height above the horizon differs from the
    demo's; 0 leaves it alone."""
    sidle: Angle
    """At a larger angle to the way it turns before it walks."""


class Moving(msgspec.Struct, frozen=True):
    """Walking along the demo's route."""

    interval: Frames
    """Rows between two way points."""
    idle: Length
    """In a row that is no farther than this from the last one kept the player did not move."""
    rise: Length
    """As `idle`, for height."""
    arrival: Positive
    """The distance at which a way point counts as reached."""
    exact: Positive
    """The same where something has to be done at that very place."""
    height: Positive
    """The same above or below a way point."""
    slow: Positive
    """The distance from which it slows down where it must stop exactly."""
    slowest: Share
    """The least deflection of the stick while it slows down."""
    cautious: Share
    """The least deflection of the stick where the demo was slow, or its route turns sharply."""
    warp: Positive
    """A longer step between two rows is a teleport."""


class Recovery(msgspec.Struct, frozen=True):
    """Getting on when the way is blocked."""

    stuck: Frames
    """After so long without progress it is stuck."""
    progress: Positive
    """What counts as progress towards the target."""
    period: Frames
    """How often the present row becomes a point of return."""
    length: Frames
    """The most points of return; the oldest are forgotten."""
    wiggle: Count
    """How long the second and later recoveries at one place first walk at random."""
    crumb: Positive
    """The distance between two places of its own trail."""
    trail: Frames
    """The most places of its own trail; the oldest are forgotten."""
    detour: Count
    """How long it looks for a way around an obstacle, and the next time at that place four times as
    long; 0 never."""
    bump: Frames
    """On a way round: after so long without progress it has met an obstacle."""
    attempts: Frames
    """The replay fails after so many recoveries without reaching a new row."""


class StartSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A moment of the demo at which the pad is to be replayed as it was."""

    name: str
    pressed: tuple[Key, ...] = ()
    """One of these is pressed in the row."""
    column: str = ""
    """And this column changes in the row, or within `within` rows after it …"""
    becomes: bool | float | str | None = None
    """… to this; None for whatever it becomes."""
    within: Count = 3
    where: str = ""
    """And this column is true, or not empty, in the row."""
    ready: tuple[str, ...] = ()
    """The game's own columns that must be as they were before the row; it waits for that."""
    outcome: bool = False
    """And one of the outcomes that must be equal changes within `within` rows: then it has to
    change in the replay, too, or that is tried anew."""
    face: bool = False
    """Whether the player has to face just where it did."""
    switches: str = ""
    """The game's own column that the press switches: where it is already as the demo's row says,
    nothing is pressed; where it stays otherwise, by a blow for instance, it is pressed again."""
    lead: Count | None = None
    """Replaces the `lead` of `PadReplaySettings`."""


class PadReplaySettings(msgspec.Struct, frozen=True):
    """Replaying the pad row by row."""

    frames: Frames
    """The value of `pad_replay_numb` when it begins."""
    lead: Count | None
    """Rows before the moment at which the replay begins already, to come in running; None for the
    demo's own run-up before a jump, and else none."""
    wait: Frames
    """How long it waits for the game to be as it was when the replay began."""
    airborne: bool
    """Whether it goes on for as long as the demo's row is in the air."""
    fights: Count | None
    """So many rows after the moment that it was begun for it is left for an enemy; null never."""
    correction: Length
    """Stick for each metre that the player is off the row's place; 0 replays the stick as it is."""
    drift: Positive
    """A player that is farther than this from the row's place at the end repeats it."""
    verify: tuple[str, ...]
    """The game's own columns that must be as in the demo at its end, or it is tried again."""
    starts: tuple[StartSettings, ...]

    def __post_init__(self) -> None:
        for name, lead in (("lead", self.lead), *((one.name, one.lead) for one in self.starts)):
            if lead is not None and lead >= self.frames:
                raise ValueError(
                    f"a lead of {lead} rows ({name}) ends before the moment itself: frames is"
                    f" {self.frames}; give fewer rows of lead, or more frames"
                )


class Talking(msgspec.Struct, frozen=True):
    """Preparing for a conversation."""

    column: str
    """The demo's column that says who is talked to, or what is used, by name, if the game has one:
    then whoever and whatever has moved is looked for."""
    reach: Positive
    """How near it comes to a partner that has moved."""
    search: Length
    """A partner that is farther than this from its place in the demo is not looked for."""
    lookahead: Frames
    """Rows before an event in which a press of the confirm button belongs to it."""
    distance: Positive
    angle: Angle
    period: Frames
    """From one press to the next."""
    patience: Frames
    """How long it tries before it goes back and approaches again."""


class Events(msgspec.Struct, frozen=True):
    """Events and messages."""

    period: Frames
    """From one press of the skip button to the next."""
    settle: Frames
    """An event not seen for so long is over. Must exceed the age of the oldest observation."""
    near: Positive
    """An event that ends within this distance of its end in the demo goes on at that row."""
    patience: Frames
    """The longest that an event may last beyond its length in the demo."""
    expected: Frames
    """How long it waits, at the row in which an event began, for that event."""
    ordered: bool
    """Whether events must come in the demo's order."""
    ignored: tuple[str, ...]
    """Events that may come at any time, or not at all."""
    playable: tuple[str, ...]
    """Events during which the player walks freely: nothing is skipped in them."""
    replayed: tuple[str, ...]
    """Events in which the demo's buttons are replayed although there is no sign of a choice."""


class Screens(msgspec.Struct, frozen=True):
    """Screens that take the whole pad, such as a shop."""

    column: str
    """The demo's column that says which one is shown, if the game has one."""
    cursor: str
    """The demo's column that says what the cursor is on, by name or number; where there is none,
    it is empty or negative."""
    patience: Frames
    """So long after the demo's rows of it have ended it may stay open before it is cancelled, and
    then again so long before that is a failure."""
    restarts: tuple[str, ...]
    """Screens which mean, in mid-demo, that the game has restarted."""


class Healing(msgspec.Struct, frozen=True):
    """Items that a wounded player goes farther for."""

    labels: tuple[str, ...]
    column: str
    """The game's own column with the player's health …"""
    below: float
    """… and below how much of it the player is wounded."""
    range: Length
    """The largest distance of one that is noticed then."""


class Items(msgspec.Struct, frozen=True):
    """Fetching items."""

    range: Length
    """The largest distance of one that is noticed; 0 ignores them all."""
    height: Length
    reach: Positive
    period: Frames
    patience: Frames
    retries: Count
    """After so many more tries an item is ignored and reported."""
    same: Positive
    """An item within this distance of a known one's place is the same."""
    healing: Healing


class Fighting(msgspec.Struct, frozen=True):
    """Enemies, and in `bosses` the same for them."""

    range: Length
    """The largest distance of one that is noticed; 0 ignores them all."""
    height: Length
    attack: Positive
    """The distance from which it attacks."""
    close: Length
    """It comes no closer than this."""
    aim: Angle
    """The largest angle to the target at which it attacks."""
    period: Frames
    """From one press of the attack button to the next; 1 holds it."""
    patience: Frames
    """The longest fight with one of them."""
    fruitless: Frames
    """It gives a target up after so long without hurting it or coming nearer."""
    pardon: Frames
    """How long a target that was given up is left alone."""
    turns: Share
    """It turns to another one that is nearer than this share of the way to the target; 0 never."""
    leash: Positive
    """The farthest from the route that it follows one."""
    same: Positive
    """A target within this distance of its last place is the same one."""
    danger: Length
    """Who fights so near to what may harm it goes back first, the way that it came; 0 never."""
    dodge: Length
    """Seconds before something that flies would hit the player in which it steps aside; 0 never."""


class Region(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a boss appears that has no field of its own. In the game's own coordinates."""

    name: str
    at: tuple[float, float, float]
    radius: Positive
    boss: str = ""
    """Its label; any boss if empty."""


class Bosses(msgspec.Struct, frozen=True):
    """Bosses and their followers."""

    fields: tuple[str, ...]
    """Fields in which one fights; any field if none is named."""
    regions: tuple[Region, ...]
    exit: Literal["move_checkpoint", "back_to_demoroute"]
    fight: Fighting


class Limits(msgspec.Struct, frozen=True):
    """When a replay has failed."""

    factor: Positive
    """It may take so many times the demo's frames …"""
    slack: Count
    """… and so many frames more."""
    level: Frames
    """How long it may be in a level in which it should not be."""
    deaths: Count
    """The most deaths, where the game revives the player."""


class OrderRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to press while a screen is shown."""

    screen: str
    press: tuple[Key, ...]
    """Pressed one after the other, and again from the first for as long as the screen is shown."""
    popup: bool = False
    """Whether it may pop up at any time and is closed during the playback too."""


class Orders(msgspec.Struct, frozen=True):
    """Driving what comes before and after the playback, and what pops up."""

    period: Frames
    """From one press to the next."""
    patience: Frames
    """The longest that screens may be shown on end."""
    rules: tuple[OrderRule, ...]


class DebugRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When to call a debug function of the game."""

    call: str
    """The function's name, as the game declares it."""
    on: Literal["start", "differs", "stuck"]
    """When the demo begins; when `column` has not been as in the demo's row for `after` frames; or
    when the agent would fail because it can't get on."""
    column: str = ""
    """The game's own column whose value in the demo's row is the argument."""
    argument: bool | float | str | None = None
    """The argument where there is no column."""
    after: Count = 30
    times: Frames = 1
    """It is called at most so often in a replay."""


class Showing(msgspec.Struct, frozen=True):
    """What is drawn and recorded of the replay."""

    segments: Frames
    """The most lines of the demo's route; a longer one is drawn with every nth way point."""


class AgentSettings(msgspec.Struct, frozen=True):
    """The whole tree."""

    engine: EngineConventions
    keys: Keys
    turning: Turning
    moving: Moving
    recovery: Recovery
    pad_replay: PadReplaySettings
    talking: Talking
    events: Events
    screens: Screens
    items: Items
    enemies: Fighting
    bosses: Bosses
    route: Positive
    """How near to `last_checkpoint` is back on the route."""
    limits: Limits
    orders: Orders
    debug: tuple[DebugRule, ...]
    """What the game's debug functions are called for."""
    showing: Showing


def load_settings(path: str | Path | None = None) -> AgentSettings:
    """The defaults, and what a game's file says otherwise.

    Raises:
        GameError: the file can't be read, or says what makes no sense; names file and line.
    """
    if path is None:
        return _defaults()
    return parse_settings(text_of(path, "file of settings"), str(path))


def settings_for(game: str) -> AgentSettings:
    """The settings that come along for a game, such as `arena:village`; else the defaults."""
    path = FOLDER / f"{game.replace(':', '-')}.yaml"
    return load_settings(path if path.exists() else None)


def chosen_settings(game: str, text: str = "", path: Path | None = None) -> AgentSettings:
    """The settings to play a game with: of a file, else those that the game brings along, else the
    ones that come along for it.

    Raises:
        GameError: they can't be read, or say what makes no sense; names file and line.
    """
    if path is not None:
        return load_settings(path)
    return parse_settings(text, f"<settings of {game}>") if text.strip() else settings_for(game)


def parse_settings(text: str, file: str = "<settings>") -> AgentSettings:
    """The defaults, and what this YAML text says otherwise; `file` is what errors call it.

    Raises:
        GameError: it says what makes no sense; names the line.
    """
    if not text.strip():
        return _defaults()
    return _read(text, file, _defaults())


@functools.cache
def _defaults() -> AgentSettings:
    return _read(text_of(DEFAULTS, "file of settings"), str(DEFAULTS), None)


def _read(text: str, file: str, base: AgentSettings | None) -> AgentSettings:
    reader = _SettingsReader(file)
    root = reader.root(text, "the settings are empty")
    settings = reader.tree(root, AgentSettings, base, "")
    assert isinstance(settings, AgentSettings)
    return settings


class _SettingsReader(NodeReader):
    """Turns YAML nodes into the tree, by the types of its fields."""

    def tree(self, node: yaml.Node, kind: Any, base: Any, where: str) -> Any:
        """The value of a node; what a mapping leaves out is taken from `base`."""
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            return self.struct(node, kind, base, where)
        if get_origin(kind) is tuple and isinstance(node, yaml.SequenceNode):
            inner = get_args(kind)[0]
            if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
                return tuple(
                    self.tree(item, inner, None, f"{where}[{at}]")
                    for at, item in enumerate(node.value)
                )
        try:
            value = yaml.SafeLoader("").construct_document(node)
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            self.fail(node, f"{where}: {error}")
        except yaml.YAMLError as error:
            self.fail(node, f"{where}: {error}")

    def struct(self, node: yaml.Node, kind: type, base: Any, where: str) -> Any:
        fields = {field.name: field for field in msgspec.structs.fields(kind)}
        needed = tuple(name for name, field in fields.items() if base is None and field.required)
        others = tuple(name for name in fields if name not in needed)
        parts = self.mapping(node, where or "the settings", needed, others)
        values = {} if base is None else msgspec.structs.asdict(base)
        for name, part in parts.items():
            inner = values.get(name)
            values[name] = self.tree(
                part, fields[name].type, inner, f"{where}.{name}" if where else name
            )
        try:
            return kind(**values)
        except ValueError as error:
            self.fail(node, f"{where}: {error}")
