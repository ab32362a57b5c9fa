"""The numbers that the recorder writes into the ring: packet types and kinds of latched state."""

from enum import IntEnum, unique


@unique
class PacketType(IntEnum):
    """Packets that are no game object's. A game's own types count up from `FIRST_OBJECT`."""

    LINE = 1
    LINES = 2
    SPHERE = 3
    BOX = 4
    POLYGON = 5
    TEXT = 6
    WATCH = 7
    """A named number of an object in this frame."""
    LOG = 8
    STATE = 9
    """A transition of a state machine; latched as the machine's present state."""
    TREE = 10
    """One tick of a behaviour tree."""
    ANIMATION = 11
    """The animation tree as it was blended in this frame."""
    MARK = 12
    FACT = 13
    """A latched fact: a name, a skeleton, a tree's definition, a type's layout, …"""
    TOMBSTONE = 14
    """The end of all that was latched for an object."""
    INPUT = 15
    """What came from outside in this frame, by name."""
    PHASE = 16
    """A phase of the run begins; latched."""
    EVENT = 17
    """Something happened in the game in this frame."""
    PICTURE = 18
    """A compressed picture of the screen in this frame, by name."""
    TREE_STATE = 19
    """A behaviour tree's statuses after a tick; latched, so that later ticks can refer to them."""
    TREE_CHANGE = 20
    """One tick of a behaviour tree, as what differs from a `TREE_STATE`."""
    LATE_PICTURE = 21
    """A compressed picture of the screen in an older frame, by name."""
    DECISION = 22
    """A decision with its inputs, as what differs from a `DECISION_STATE`."""
    DECISION_STATE = 23
    """All inputs of a decision; latched, so that later ones can refer to it."""


FIRST_OBJECT = 32


@unique
class Kind(IntEnum):
    """What a latched fact is about. With its object and its key it names one fact."""

    TYPE = 1
    """For the world, key = type number: its name and payload layout."""
    STRING = 2
    """For the world, key = number: a text that packets refer to by that number."""
    CHANNEL = 3
    """For the world, key = bit: the channel's name."""
    RECORDED = 4
    """For the world: which object types are being recorded."""
    WORLD = 5
    """For the world: its conventions, and what else describes the recording."""
    EPOCH = 6
    """For the world: the present epoch and its offset from game time."""
    MARK = 7
    """For the world: each mark is one version, so that all that are held form a chain."""
    NAME = 8
    STATE = 9
    """Key = machine: the transition that belongs to the newest frame."""
    TREE = 10
    """Key = tree: its nodes."""
    SKELETON = 11
    """Key = skeleton: the names and parents of its joints."""
    DRAWN = 12
    """Key = name: a primitive that stays until it is drawn again."""
    FACT = 13
    """Key = name: a fact of the game that stays true."""
    LATE = 14
    """For the world: a version in each frame that holds traces or lines which belong to older ones,
    distinguished by their `belongs_to`: how far back they belong (see `Late`)."""
    LOSS = 15
    """For the world, key = number: what the recording lacks for one cause (see `Loss`)."""
    PHASE = 16
    """For the world: the phase that the run is in; each is one version."""
    TREE_STATE = 17
    """Key = tree: its statuses when they were recorded last."""
    PICTURE = 18
    """For the world: a version for each picture, so that they are found without reading frames."""
    DECISION_STATE = 19
    """Key = decider: all of its inputs, when they were last recorded completely."""
    DECISION_MAKER = 20
    """Key = decider: which function makes its decisions."""
