"""Finds the stop words of a clause: those that say nothing by themselves about what is done."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ..clause_splitter import Clause
from ..step_details import NUMBERS
from .clause_meaning import ClauseMeaning
from .english_words import (
    ABOVE,
    ADVERBS,
    AMOUNTS,
    ANYTHING,
    ARRIVALS,
    ARTICLES,
    BE,
    BELOW,
    COMING,
    COMPARING,
    EMPTY_NOUNS,
    ENDINGS,
    GET,
    HAVE,
    IDLE,
    JOINS,
    KEYS,
    LENGTHS,
    MEETING,
    MODALS,
    NEARNESS,
    NEED,
    NO_NOUNS,
    OBSERVING,
    PARTICLES,
    PLACES,
    PLAYERS,
    PREPOSITIONS,
    PRESSING,
    PRONOUNS,
    QUANTIFIERS,
    RELATIVES,
    SEEN,
    STATES,
    UNITS,
)
from .game_vocabulary_matcher import THRESHOLD, GameWords
from .tokenizer_and_lemmatizer import is_participle, plain_forms
from .verb_phrase_matcher import MOTION

_DATA = Path(__file__).parents[1] / "data" / "fillers.txt"
COUNTS = (frozenset(NUMBERS) - {"a", "an"}) | frozenset((
    "dozen", "half", "couple", "several", "few", "pair", "many", "most", "double",
))  # fmt: skip
ORDINALS = frozenset((
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "last", "next", "final", "previous",
))  # fmt: skip
SIDES = frozenset(("left", "right"))
EFFECTS = frozenset((
    "get", "end", "finish", "complete", "win", "reach", "be", "make", "see", "open", "unlock",
    "enter", "exit", "leave", "access", "cross", "pass", "proceed", "continue", "advance", "start",
    "trigger", "activate", "let", "allow", "progress", "lower", "raise", "find", "heal", "survive",
    "free", "clear", "gain", "obtain", "reveal", "lift", "turn", "escape", "move", "go", "have",
))  # fmt: skip
"""What a step may be done for, as something that comes of it by itself."""
TRYING = frozenset(("happen", "decide", "try", "start", "begin", "manage", "get", "go", "come"))
"""Before `to` and a verb they do not say what for."""
_COMPASS = frozenset(("north", "south", "east", "west"))
_STRUCTURE = (
    ARTICLES | ANYTHING | PREPOSITIONS | PRONOUNS | PLAYERS | RELATIVES | BE | HAVE | GET | MODALS
    | NEED | JOINS | ADVERBS | QUANTIFIERS | PARTICLES
    | {"(", ")", ":", "'s", "please", "okay", "both"}
) - COUNTS - ORDINALS - SIDES - {
    "instead", "together", "without", "twice", "against", "among", "amid", "per", "all", "but",
}  # fmt: skip
"""Words that say nothing without others."""
_HERE = NEARNESS | {"path", "route", "range", "reach", "vicinity", "screen", "surroundings"}
"""Where an actor is that a rule calls near."""
_LOOSE = frozenset(("above", "below", "back", "behind", "inside", "outside", "everywhere"))
_MOVING = frozenset((
    "run", "walk", "pass", "face", "turn", "turns", "move", "moves", "stand", "stands", "jump",
    "jumps", "lie", "lies", "lying", "draw", "draws", "show", "shows", "pop", "pops", "enter",
    "catch", "be",
))  # fmt: skip
"""Verbs that say that an actor is near only together with where it goes."""
_NEAR_PLAYER = PLAYERS | _HERE | {"near", "nearby", "up", "your", "my", "our", "itself"}
_CONTINUING = frozenset(("continue", "proceed", "go", "move", "leave", "else", "do", "anything"))


class StopWordFinder:
    """Finds the stop words of clauses about one game.

    A word may be one in one place and not in another: `right` of `right next to`.
    """

    def __init__(self, game: GameWords) -> None:
        self._game = game

    def is_stop_word(
        self, clause: Clause, words: Sequence[str], at: int, meaning: ClauseMeaning
    ) -> bool:  # fmt: skip
        """Whether a word that names no actor was understood, or says nothing by itself."""
        word = words[at]
        before = words[at - 1] if at else ""
        after = words[at + 1] if at + 1 < len(words) else ""
        if word in meaning.words or (word == "hp" and "health" in meaning.words):
            return True
        if word[0].isdigit() or word in COUNTS:
            return self._is_counted(words, at, meaning)
        if self._meets(clause, words, at, meaning):
            return True
        if word in UNITS and word not in ("times", "steps"):
            return bool(before) and (before[0].isdigit() or before in COUNTS)
        if word in ORDINALS:
            apart = before in ARTICLES or (after and after not in NO_NOUNS)
            return word in ("first", "next") and (not apart or before in JOINS)
        if word in ("a", "an") and (not after or after in JOINS):
            return False
        if word in SIDES:
            return self._is_no_side(word, before, after)
        if word in _COMPASS:
            return before in MOTION | {"back", "further"}
        if word == "all":
            return meaning.rule or after in ("the", "over", "along") or before == "at"
        if word in _LOOSE:
            # `from above`, `in the back`: these words stand for a place here.
            joined = before in JOINS and (not after or after in JOINS)
            return not joined and before not in PREPOSITIONS | ARTICLES
        if word in ADVERBS - {"only", "very"} and before in ARTICLES:
            return False  # `the well`
        if word == "other":
            return after in ("side", "end", "position")
        if word in _STRUCTURE or not word[0].isalnum():
            return True
        if word in KEYS and not PRESSING.isdisjoint(words[:at]):
            return True
        if len(word) == 1:
            return False
        forms = plain_forms(word)
        if clause.sort == "aside":
            return self._is_usual_end(clause, word, meaning)
        if word in filler_words("anywhere"):
            return True
        if not MOTION.isdisjoint(forms):
            if word in ("wait", "stop"):
                return at == 0
            return clause.sort != "rule" or not _NEAR_PLAYER.isdisjoint(words)
        if word in filler_words("places"):
            return not meaning.rule
        if word in filler_words("means"):
            return not meaning.rule or before in ("your", "his", "her", "bare")
        noun = before in PREPOSITIONS and not (before == "by" and word.endswith("ing"))
        verbal = not noun and (at == 0 or not after or after in NO_NOUNS)
        if verbal and self.says_action(word, meaning.actions):
            return True
        if at == 0 and word in EFFECTS and "by" in words:
            return True
        if word == "more" and before == "once":
            return True
        if at == 0 and word in IDLE | COMING:
            return True
        if word in PRESSING | OBSERVING and (at == 0 or (at == 1 and before == "go")):
            return True
        if word in AMOUNTS and after == "of":
            return True
        if word in EMPTY_NOUNS and clause.sort == "step":
            said = next((one for one in reversed(words[:at]) if one not in ARTICLES), "")
            return said not in PREPOSITIONS and (not after or after in NO_NOUNS)
        if word in PLACES:
            return any(self._game.means(action, "leave") for action in meaning.actions)
        if meaning.rule and word in COMPARING | ABOVE | BELOW:
            return True
        return clause.sort != "step" and word in STATES | ENDINGS | ARRIVALS | MEETING

    def says_action(self, word: str, actions: frozenset[str]) -> bool:
        """Whether a word is another one for one of these actions."""
        forms = plain_forms(word)
        return any(self._game.score(form, one) >= THRESHOLD for form in forms for one in actions)

    def _meets(
        self, clause: Clause, words: Sequence[str], at: int, meaning: ClauseMeaning
    ) -> bool:  # fmt: skip
        """Whether a word says that an actor comes near, as `moves` in `moves towards you`."""
        word = words[at]
        around = frozenset(words[:at]) | frozenset(words[at + 1 :])
        if words[max(0, at - 1) : at] and words[at - 1] in ARTICLES - {"that", "this", "it"}:
            return word in _HERE
        if not meaning.rule and clause.sort == "step" and RELATIVES.isdisjoint(words[:at]):
            return False
        if word in _MOVING:
            return not around.isdisjoint(_NEAR_PLAYER)
        return word in SEEN | _HERE or not TRYING.isdisjoint(plain_forms(word))

    def _is_counted(self, words: Sequence[str], at: int, meaning: ClauseMeaning) -> bool:
        """Whether a number is one that a rule has, or `one` stands for a thing."""
        word = words[at]
        after = words[at + 1] if at + 1 < len(words) else ""
        if word == "one":
            return not at or after == "of" or words[at - 1] in NO_NOUNS | SEEN | meaning.words
        if word in ("several", "many", "few") and meaning.rule:
            return False
        number = NUMBERS.get(word) if word in NUMBERS else _as_number(word)
        bare = words[max(0, at - 1) : at] == ["within"] and (not after or after in NO_NOUNS)
        within = after in LENGTHS or bare
        return number in meaning.numbers and (within or meaning.values)

    @staticmethod
    def _is_no_side(word: str, before: str, after: str) -> bool:
        """Whether `right` is `right next to`, and `left` `what is left`."""
        if word == "left":
            return before in BE and not after
        return after in PREPOSITIONS | {"away", "now", "there", "here"} and (
            before not in ARTICLES | {"to", "from", "on"} and after != "of"
        )

    def _is_usual_end(self, clause: Clause, word: str, meaning: ClauseMeaning) -> bool:
        """Whether a word says in `until …`, `before …` only what comes of the step anyway."""
        if clause.marker == "(":
            return (
                word in KEYS | PRESSING | STATES | ENDINGS or word in filler_words("anywhere")
                or not EFFECTS.isdisjoint(plain_forms(word))
            )  # fmt: skip
        if clause.marker in ("until", "till"):
            ends = STATES | ENDINGS
            return word in ends or is_participle(word) or self.says_action(word, meaning.actions)
        if clause.marker == "before":
            return not _CONTINUING.isdisjoint(plain_forms(word))
        return clause.marker in ("as", "where", "while") and (
            word in SEEN | _HERE or not MOTION.isdisjoint(plain_forms(word))
        )


def _as_number(word: str) -> float | None:
    return float(word) if word.replace(".", "", 1).isdigit() else None


@cache
def filler_words(section: str) -> frozenset[str]:
    """Words that change nothing about what is done, by where they may stand."""
    found: dict[str, set[str]] = {}
    name = ""
    for line in _DATA.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            name = line.strip("[]")
        elif name and not line.startswith("#"):
            found.setdefault(name, set()).update(line.split())
    return frozenset(found[section])
