"""English function words, grouped by what they do in a sentence."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ARTICLES = _words("the a an this that these those your my our his her its their some another such")
QUANTIFIERS = _words("any every each all whatever whichever whoever")
"""Before a noun they make a rule of a step."""
ANYTHING = _words("anything anyone anybody everything everyone everybody something someone")
NUMBERS = _words("one two three four five six seven eight nine ten both several few couple")
PREPOSITIONS = _words(
    "to toward towards into onto at by near past through thru across behind around beside "
    "besides for next under underneath between inside within along over beyond in on off of "
    "from with without using against before after above below via upon during until till "
    "outside against up down out about beneath amid among opposite than like as per away"
)
GOALS = _words(
    "to toward towards into onto at by near through thru across behind around beside for next "
    "over inside in on past under beyond until till up down"
)
"""Those that a destination follows."""
PRONOUNS = _words("it them him her they he she one ones that this these those itself")
"""Those that mean an actor that was named before."""
PLAYERS = _words("you u we i me us ya myself yourself he she they someone somebody anyone")
RELATIVES = _words("that which who whom whose where")
BE = _words("is are be was were been being 's re am")
HAVE = _words("has have had having")
GET = _words("get gets got getting gotten")
NEED = _words("need needs requires require wants want")
MODALS = _words("must should shall will would can could may might ought do does did")
NOT = _words("not never nobody nothing dont no cannot")
JOINS = _words(
    ", and then & + - – — > = / | → but or also plus afterwards afterward next finally ;"
)
"""What may stand between two steps, or between two things."""
PARTICLES = _words("on off up down in out over open shut away back apart across through")
ADVERBS = _words(
    "again back now then just simply only also too very really quickly slowly carefully "
    "quietly immediately first last finally once twice there here everywhere nearby around "
    "always never soon together straight ahead forward instead already still please right "
    "left well down up away off out even all meanwhile nicely hard fast asap rq properly "
    "already directly"
)
CONTENTS_NOT = ARTICLES | QUANTIFIERS | ANYTHING | NUMBERS | PREPOSITIONS | PRONOUNS | PLAYERS
NO_NOUNS = (
    CONTENTS_NOT | RELATIVES | BE | HAVE | GET | MODALS | NOT | JOINS | ADVERBS
    | _words("( ) : if when whenever once while there 's")
)  # fmt: skip
"""What is in no name of an actor, unless the game itself has such a name."""
UNITS = _words(
    "meters metres meter metre m units unit steps tiles blocks seconds secs s minutes times"
)
LENGTHS = _words("meters metres meter metre m units unit steps tiles blocks")
"""What counts a distance in the game's units."""
SEEN = _words(
    "see sees saw seen meet meets met encounter encounters encountered spot spots spotted "
    "find finds found notice notices noticed discover discovers come comes came appear "
    "appears spawn spawns show shows attack attacks get gets approach approaches run walk "
    "pass reach face block blocks pop pops happen happens bother bothers cross crosses "
    "collide enter enters bump stumble be exist exists turn turns move moves stand stands "
    "draw draws jump jumps catch lie lies lying threaten threatens"
)
"""Verbs that say that an actor is near."""
STATES = _words(
    "open closed dead gone done down off on opened activated defeated empty finished safe "
    "yours ready over clear cleared unlocked locked up out shut complete completed alive "
    "beaten active"
)
"""What something is after an earlier step."""
ARRIVALS = _words(
    "reach reached reaching arrive arrived arriving are at get got getting be come is "
    "standing stand been arrival"
)
KEYS = _words(
    "e f space spacebar key button enter x a b y return shift ctrl mouse trigger left right"
)
"""Keys that a person presses to do something."""
EMPTY_NOUNS = _words(
    "attention move way look turn jump hit go try interaction use attack action lid stuff "
    "thing run food water head power"
)
"""Objects of a verb that are not what it is done to."""
KNOWN = (
    NO_NOUNS | SEEN | STATES | KEYS | NEED | UNITS | ARRIVALS
    | _words(
    "tester testers player players hero character avatar user agent bot okay gonna wanna "
    "gotta please goes whenever wherever meanwhile immediately afterwards otherwise lying "
    "nearby step task"
)
)  # fmt: skip
"""Words that are no slips of the pen, whatever the game has."""
AMOUNTS = _words(
    "pool lake river sea stretch piece bit pair group bunch set stack pile pack couple number "
    "lot heap stream pit puddle row line horde swarm gang"
)
"""They say how much of something is meant: a pool of lava."""
PLACES = _words(
    "level stage area dungeon building map place room cave maze mission hall village town "
    "house castle zone world forest premises scene"
)
"""To leave them is to leave by the exit."""
MEETING = _words(
    "seeing encountering meeting spotting finding noticing discovering approaching sighting"
)
"""After `on` or `upon` they say when a rule holds."""
BELOW = _words("below under less beneath lower fewer drops falls")
ABOVE = _words("above over more exceeds higher greater")
COMPARING = _words(
    "low high than drop fall sinks at least most goes gets runs equal equals reaches hits"
)
"""One of them, or of those above, is in a condition about a value."""
NEARNESS = _words("player hero health close visible way sight range view closer nearer distance")
"""Nouns and the like that say in a condition where an actor is."""
VAGUE_NOUNS = _words(
    "thing things stuff object objects thingy guy guys dude area location spot actor "
    "character entity position somewhere ones"
)
"""After the name of an actor they say nothing."""
LISTED = ARTICLES | QUANTIFIERS | _words("to on at over of with")
"""What comes before a thing of a list."""
WITH_SOMETHING = _words(
    "use using put insert apply press hit have give make do perform place set push"
)
"""Verbs whose object may be a means: what they are done to follows a preposition."""
PRESSING = _words("use press hit hold tap push using pressing mash click")
AVOIDING = _words("avoid skip ignore refrain evade abstain spare")
OBSERVING = _words(
    "observe verify confirm expect assert notice note ensure validate see check watch make "
    "test prove assume remember imagine hope"
)
"""Verbs before what should be seen, or be so."""
QUESTIONS = _words(
    "is are was were does did do what why how who which where has have should when whose can "
    "could will"
)
IDLE = _words("wait stop pause stay stand turn look relax listen")
"""Verbs of clauses that say to do nothing."""
COMING = _words("go come head walk run return move")
REMARKS = PRONOUNS | _words("there which shall so you we i no not")
"""What a remark begins with."""
ENDINGS = _words("opens dies falls closes breaks ends")
"""What a thing does when a step has had its effect."""
