"""The prompts for a language model: for each step of making a workspace, and to choose an agent."""

BASE = """\
You fill in data files for a behaviour tree that plays a video game. A program checks each answer
and runs it; nobody reads prose. Answer with one JSON object of the given schema and nothing else.
Use only names that you are given or that you made in an earlier step. If a thing can't be done
with what there is, leave it out rather than invent a name.

Conditions and values are short expressions: numbers, 'texts', keys, + - * / %, comparisons,
and or not, and the functions abs min max round sin cos atan2 hypot sqrt turned distance.
Angles are radians. distance(a, b) is that of two places; turned(x) brings an angle to -pi..pi.
These keys are always there: tick, time (seconds), still (seconds it has stood in one place),
way ('none', 'pending', 'found', 'unreachable' or 'lost'), way_bearing, way_heading, way_distance,
goal_distance.
"""

FORMATS = """\
Step 1 of 5, formats. Choose of the game's values those that the wanted behaviour must look at.
Give each a name (letters, digits, _), its source and its type.
The game's values: {values}
Places of the map: {places}
"""

OPERATIONS = """\
Step 2 of 5, key operations. Make the basic operations that the wanted behaviour needs. Each gives
one or more commands, with a number or an expression for each, within their limits. What is to last
longer than a frame is done again in each frame.
The commands: {commands}
The keys: {keys}
"""

SELECTION = """\
Step 3 of 5, selection. Of the leaves that there are name those that fit the wanted behaviour as
they are. It may be none.
Actions: {actions}
Triggers: {triggers}
"""

ITEMS = """\
Step 4 of 5, new leaves. Make the actions and triggers that are still missing. An action executes
key operations in one frame and always succeeds; with a goal (a place, or a key with a place) its
operations wait until the way there is found. It may write keys of its own. A trigger has a
condition in `when`, or in `reachable` a place or a key with one; the other is empty.
Chosen already: {chosen}
Key operations: {operations}
Keys: {keys}
Places: {places}
"""

STRUCTURE = """\
Step 5 of 5, the tree. Build it of the leaves. A selector executes children up to the first that
does not fail, a sequence up to the first that does not succeed, a parallel all of them, and always
succeeds. An inverter and a count have exactly one child; a count ends with its result once its
child has ended `times` times with `status`. There is no memory: each frame begins at the root.
Put what matters most first; the last child of the root is what is done when nothing else is to be
done. Each leaf must be an action or a trigger. `phrases` are sentences by which a person would call
for this agent.
Actions: {actions}
Triggers: {triggers}
"""

REPAIR = """\
That answer can't be used:
{problems}
Answer again, with the whole object, mended.
"""

CHOICE = """\
A person says what they want done. Name the one agent that does it, or leave `agent` empty if none
does. Say why in a few words.
Agents: {agents}
"""
