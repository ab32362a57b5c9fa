"""Splits sentences into words, and brings each word to its plain form."""

import re
from functools import lru_cache

_NUMBERING = re.compile(
    r"^\s*(?:[-*•–]+\s+|#\s+|\d{1,3}\s+(?-i:(?=[A-Z]))|[a-z]\.\s+|\(?\d{1,4}[.):](?!\d)\s*"
    r"|\(?[a-z]\)\s+|\d{1,3}\s*[-–]\s+|[a-z]{1,5}[-_ ]?\d{1,4}\s*[:.)]\s*"
    r"|(?:test[ -])?step\s+\d{1,4}\s*[.:)\-–]*\s*|>+\s*)+",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+(?:-[^\W\d_]+)*|'s\b|[,;:()]|[^\w\s]")
_END = re.compile(r"(?<=[.!?])\s+(?=\S)")

_IRREGULAR = """
be is are was were been being am | have has had having | do does did done doing | go goes went gone
slay slew slain slays | steal stole stolen | take took taken | break broke broken | shoot shot
throw threw thrown | drive drove driven | hide hid hidden | feed fed | sell sold | buy bought
build built | give gave given | get got gotten getting | catch caught | fight fought | find found
hit hit hitting | beat beaten | see saw seen | come came coming | run ran running | swim swam swum
ride rode ridden riding | overtake overtook overtaken | light lit lighted | put put putting
set set setting | cut cut cutting | shut shut shutting | let let letting | eat ate eaten
drink drank drunk | sleep slept | leave left leaving | meet met | speak spoke spoken | tell told
read read | ring rang rung | spin spun | draw drew drawn | fly flew flown flies | bring brought
hold held | strike struck | stand stood | sit sat sitting | win won | dig dug digging | say said
sow sown | mow mown | saw sawn | wear wore worn | lie lay lying | lose lost | make made making
freeze froze frozen | bind bound | hang hung | sink sank sunk | swing swung | lay laid | pay paid
leap leapt leaped | kneel knelt | tear tore torn | bite bit bitten biting | blow blew blown
choose chose chosen choosing | send sent | spend spent | teach taught | wake woke woken waking
burn burnt burned | spill spilt | know knew known | grow grew grown | begin began begun
reach reaches reached reaching | free freed freeing | die died dying dies | tie tied tying ties
enemy enemies | wolf wolves | man men | woman women | child children | mouse mice | foot feet
person people | knife knives | leaf leaves | shelf shelves | thief thieves | goose geese
fish fishes | ox oxen | sheep | tooth teeth | elf elves | dwarf dwarves | half halves | life lives
undead | debris | glass glasses | boss bosses | lens lenses | bus buses | gas gases | cactus cacti
key keys | switch switches | box boxes | potato potatoes | tomato tomatoes | hero heroes
axe axes | pickaxe pickaxes | horse horses | house houses | vase vases | statue statues | tree trees
shrine shrines | crate crates | engine engines | machine machines | mine mines mined mining
ice icy | place placed placing places | use used using uses | force forced | hedge hedges
hop hopped hopping | stomp | step stepped stepping | stop stopped stopping | scan scanned scanning
dodge dodged | examine examined | photograph | craft | pass passed passes passing | press pressed
kiss kissed | cross crossed crosses crossing | toss tossed | guess guessed | dress dressed
harness | compass | chess | mattress | fortress | access | address addressed | process
"""
IRREGULAR = {
    form: group.split()[0] for group in _IRREGULAR.replace("\n", " | ").split("|") if group.split()
    for form in group.split()
}  # fmt: skip
_VOWELS = "aeiou"
_PARTICIPLES = frozenset((
    "hit", "put", "set", "cut", "shut", "let", "beat", "shot", "got", "sold", "bought", "built",
    "caught", "fought", "found", "lit", "fed", "left", "met", "told", "read", "brought", "held",
    "struck", "won", "dug", "said", "made", "bound", "hung", "swung", "paid", "leapt", "sent",
    "taught", "burnt", "spilt", "freed", "gone", "done", "seen", "run", "spun", "rung", "sunk",
    "torn", "worn", "sown", "mown", "shorn", "slain", "thrown", "drawn", "lost", "kept", "led",
    "laid",
))  # fmt: skip


def without_numbering(line: str) -> str:
    """A line without `3.`, `-` or `Step 4:` before it."""
    return _NUMBERING.sub("", line, count=1).strip()


def sentences(line: str) -> list[str]:
    """The sentences of a line."""
    return [part for part in _END.split(line) if part.strip()]


def tokens(sentence: str) -> list[str]:
    """Words, numbers and signs, in small letters."""
    plain = (
        sentence.replace("\u2019", "'")
        .replace("“", '"')
        .replace("”", '"')
        .replace("_", " ")
        .lower()
    )
    plain = re.sub(r"\b(you|they|we)'re\b", r"\1 are", plain)
    plain = re.sub(r"\b(you|they|we|i|he|she)'(?:ve|ll|m|d)\b", r"\1", plain)
    plain = re.sub(r"\b(can)'t\b", r"\1 not", plain)
    plain = re.sub(r"n't\b", " not", plain)
    plain = re.sub(r"\b(\d+(?:\.\d+)?)(m|s)\b", r"\1 \2", plain)
    return [token for token in _TOKEN.findall(plain) if token not in "\"'`*.!?"]


def words_of(name: str) -> tuple[str, ...]:
    """The words of a valid value: `pick_up`, `EscapePod` and `lava pit` have two each."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_\-./:]+", " ", name)
    return tuple(parted.lower().split())


@lru_cache(maxsize=100_000)
def plain_forms(word: str) -> tuple[str, ...]:
    """What a word may be a form of, the word itself first: `stopped` of `stop`."""
    found = [word]
    if word in IRREGULAR:
        found.append(IRREGULAR[word])
    for ending, instead in (
        ("ies", "y"), ("ied", "y"), ("sses", "ss"), ("es", "e"), ("es", ""), ("s", ""), ("ed", "e"),
        ("ed", ""), ("ing", "e"), ("ing", ""), ("ves", "f"), ("ise", "ize"), ("ised", "ize"),
        ("yse", "yze"), ("ising", "ize"), ("lled", "l"), ("lling", "l"),
    ):  # fmt: skip
        if word.endswith(ending) and not word.endswith("ss") and len(word) - len(ending) >= 2:
            stem = word[: len(word) - len(ending)]
            found.append(stem + instead)
            doubled = len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in _VOWELS
            if not instead and doubled:
                found.append(stem[:-1])
    return tuple(dict.fromkeys(found))


def is_participle(word: str) -> bool:
    """Whether a verb has the form that something is done to a thing: `taken`, `pulled`, `cut`."""
    if word in _PARTICIPLES or (word.endswith("ed") and len(word) > 3):
        return True
    return word.endswith(("en", "wn", "ung", "unk")) and IRREGULAR.get(word, word) != word


def edits(one: str, other: str, most: int) -> int:
    """How many letters are missing, too many, wrong or swapped; over `most` it stops counting."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    above = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            least = min(above[j] + 1, row[-1] + 1, above[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                least = min(least, before[j - 2] + 1)
            row.append(least)
        if min(row) > most:
            return most + 1
        before, above = above, row
    return above[-1]
