"""Finds the words of a sentence that its reading leaves out: they are reported, not guessed."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ..actor_finder import SURE, ActorFinder
from ..clause_splitter import Clause
from ..filler_phrases import introduction
from ..parsed_step_or_rule import StepOrRule
from ..step_details import NUMBERS, step_details
from ..unsupported_text import DISTINGUISHING, clause_problem
from ..verb_and_object_parser import ClauseParser, NounPhrase
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
    NOT,
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
    VAGUE_NOUNS,
)
from .game_vocabulary_matcher import THRESHOLD, GameWords
from .tokenizer_and_lemmatizer import is_participle, plain_forms, words_of
from .verb_phrase_matcher import MOTION

_DATA = Path(__file__).parents[1] / "data" / "fillers.txt"
_COUNTS = (frozenset(NUMBERS) - {"a", "an"}) | frozenset((
    "dozen", "half", "couple", "several", "few", "pair", "many", "most", "double",
))  # fmt: skip
_ORDINALS = frozenset((
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "last", "next", "final", "previous",
))  # fmt: skip
_SIDES = frozenset(("left", "right"))
_COMPASS = frozenset(("north", "south", "east", "west"))
_STRUCTURE = (
    ARTICLES | ANYTHING | PREPOSITIONS | PRONOUNS | PLAYERS | RELATIVES | BE | HAVE | GET | MODALS
    | NEED | JOINS | ADVERBS | QUANTIFIERS | PARTICLES
    | {"(", ")", ":", "'s", "please", "okay", "both"}
) - _COUNTS - _ORDINALS - _SIDES - {
    "instead", "together", "without", "twice", "against", "among", "amid", "per", "all", "but",
}  # fmt: skip
"""Words that say nothing without others."""
_PLACED = frozenset((
    "by", "near", "beside", "besides", "behind", "next", "at", "in", "inside", "on", "around",
    "under", "underneath", "beneath", "between", "past", "along", "above", "below", "before",
    "after", "from", "through", "off", "across", "over", "within", "of", "about", "up", "down",
    "outside", "beyond", "for", "via",
))  # fmt: skip
"""After these comes where something is, not what is done."""
_BESIDE = frozenset(("next", "close", "closest", "nearest", "adjacent", "way", "path", "opposite"))
"""Before `to` and a thing they say where something is."""
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
_CROSSED = frozenset(("over", "across", "onto", "on", "past", "through"))
_REASONS = frozenset((
    "because", "since", "although", "though", "even though", "even if", "whereas", "so that",
    "so you can", "so we can", "so the player can",
))  # fmt: skip
"""What these begin says why: nothing is done by it."""
_EFFECTS = frozenset((
    "get", "end", "finish", "complete", "win", "reach", "be", "make", "see", "open", "unlock",
    "enter", "exit", "leave", "access", "cross", "pass", "proceed", "continue", "advance", "start",
    "trigger", "activate", "let", "allow", "progress", "lower", "raise", "find", "heal", "survive",
    "free", "clear", "gain", "obtain", "reveal", "lift", "turn", "escape", "move", "go", "have",
))  # fmt: skip
"""What a step may be done for, as something that comes of it by itself."""
_TRYING = frozenset(("happen", "decide", "try", "start", "begin", "manage", "get", "go", "come"))
"""Before `to` and a verb they do not say what for."""
_CONTINUING = frozenset(("continue", "proceed", "go", "move", "leave", "else", "do", "anything"))


class _ClauseMeaning(NamedTuple):
    """What a clause was read as, as far as its words are compared with it."""

    actors: frozenset[str]
    """Names and types of all actors that its sentence is about."""
    names: frozenset[str]
    """The words of their names."""
    several: bool
    """Whether it chooses one of several actors of a type."""
    actions: frozenset[str]
    words: frozenset[str]
    """The words that say an action, or a value that a rule looks at."""
    numbers: frozenset[float]
    """Numbers in the conditions of rules."""
    values: bool
    """Whether a rule looks at a value."""
    rule: bool
    nowhere: bool
    """Whether something is done, and to no actor."""
    goes: bool
    """Whether the clause only says where to go."""


class UnusedWords:
    """Compares sentences about one game with what they were read as."""

    def __init__(self, game: GameWords, parser: ClauseParser, actors: ActorFinder) -> None:
        self._game = game
        self._parser = parser
        self._actors = actors

    def problem(
        self, clause: Clause, found: Sequence[StepOrRule], own: Sequence[StepOrRule]
    ) -> str:  # fmt: skip
        """What of a clause no statement says that was found; empty if all of it was understood.

        Args:
            found: All that its sentence was read as.
            own: What of that comes from this clause.
        """
        words = self._without_introduction(clause)
        problem = clause_problem(clause, self._parser.noun_phrases(words), found, own, self._game)
        if problem or clause.marker in _REASONS:
            return problem
        if clause.sort == "step":
            words = step_details(words)[0]
        if not words:
            return ""
        meaning = self._meaning(found, own)
        begin = 0 if words[0] == "to" and not own else 2
        end = next((at for at in range(begin, len(words) - 1) if self._is_purpose(words, at)), None)
        left = [
            *self._left_out(clause, words[:end], meaning),
            *self._unknown_aim(words[end + 1 :] if end is not None else (), meaning),
        ]
        if left and clause.marker == "(":
            return f"'({' '.join(clause.words)})' was not understood"
        if left and clause.sort == "aside":
            return f"'{clause.marker} {' '.join(clause.words)}' was not understood"
        were = "was" if len(left) == 1 else "were"
        return f"{', '.join(map(repr, left[:4]))} {were} not understood" if left else ""

    @staticmethod
    def remark_problem(clause: Clause) -> str:
        """What a clause that is no step tells apart; empty if it tells nothing apart."""
        if clause.words[0] in ("wait", "pause"):
            return f"{clause.words[0]!r} was not understood: write how many seconds to wait"
        if not step_details(clause.words)[0]:
            return ""
        if clause.words[0] in NOT:
            return f"'{' '.join(clause.words)}' says what not to do"
        apart = DISTINGUISHING | _SIDES | (_COUNTS - {"one"}) | (_ORDINALS - {"first", "next"})
        word = next((word for word in clause.words if word in apart or word[0].isdigit()), "")
        return f"{word!r} was not understood" if word else ""

    def _meaning(self, found: Sequence[StepOrRule], own: Sequence[StepOrRule]) -> _ClauseMeaning:
        conditions = [of for one in found for of in one.conditions]
        named = {one.actor for one in found if one.actor} | {of.actor for of in conditions}
        named |= {other for one in found for other in one.also}
        named |= {self._game.type_of(actor) for actor in named}
        numbers = {of.within for of in conditions if of.actor}
        numbers |= {n for of in conditions for n in (of.above, of.below) if n is not None}
        values = {word for of in conditions for word in of.value.split()}
        nodes = [one for one in own if one.kind == "node"]
        return _ClauseMeaning(
            actors=frozenset(named - {""}),
            names=frozenset(word for one in own if one.actor for word in words_of(one.actor)),
            several=any(one.also for one in own),
            actions=frozenset(one.action for one in found if one.action),
            words=frozenset(word for one in found for word in one.words) | values,
            numbers=frozenset(numbers),
            values=bool(values),
            rule=any(one.kind == "rule" for one in own or found),
            nowhere=any(one.action and not one.actor for one in nodes),
            goes=bool(nodes) and all(one.action is None for one in nodes),
        )

    # --- the words that are compared ------------------------------------------------------------

    @staticmethod
    def _without_introduction(clause: Clause) -> list[str]:
        begin = introduction(clause.words).length if clause.sort == "step" else 0
        return clause.words[begin if begin < len(clause.words) else 0 :]

    def _is_purpose(self, words: Sequence[str], at: int) -> bool:
        """Whether what a step is done for begins there: `to open the door`."""
        if words[at] != "to":
            return False
        noun = words[at + 1] in NO_NOUNS or self._game.word_scores(words[at + 1])[1] >= 0.9
        helped = words[at - 1] in MODALS | NEED | HAVE | BE or not _TRYING.isdisjoint(
            plain_forms(words[at - 1])
        )
        if helped:
            return False
        verb = self._game.is_verb(words[at + 1], plain=True)
        return words[at + 1] in _EFFECTS or (verb and not noun)

    def _unknown_aim(self, words: Sequence[str], meaning: _ClauseMeaning) -> Iterator[str]:
        """What of a purpose is no effect of the step, and was read as no step either."""
        if not words:
            return
        yield from (word for word in words if word[0].isdigit() or word in _COUNTS)
        acts = self._acts(words[0], meaning.actions)
        if words[0] not in _EFFECTS | MOTION and not acts:
            yield " ".join(("to", *words))
        elif meaning.goes or acts:
            # Nothing comes of going there: so what is named here must be known.
            for thing in self._parser.noun_phrases(words):
                rest = [word for word in thing.words if word not in _EFFECTS | meaning.words]
                known = self._actors.named(thing).score >= SURE or _words("anywhere").issuperset(
                    rest
                )
                if not known and not self._acts(thing.words[0], meaning.actions):
                    yield " ".join(thing.words)

    # --- what is left over ----------------------------------------------------------------------

    def _left_out(
        self, clause: Clause, words: Sequence[str], meaning: _ClauseMeaning
    ) -> list[str]:  # fmt: skip
        """The words that say something and that nothing which was found came from."""
        understood = {
            at for at in range(len(words)) if self._says_nothing(clause, words, at, meaning)
        }
        reported: list[str] = []
        subject = ""
        for thing in self._parser.noun_phrases(words):
            text = " ".join(thing.words)
            inside = range(thing.at, thing.end)
            target = self._actors.named(thing)
            known = self._known_in(thing, target.actor or "", clause, meaning)
            if self._is_placed(words, thing) and meaning.names.issuperset(thing.words):
                understood |= set(inside)  # it is called by its place: `the coin in the cell`
                continue
            vague = (_words("anywhere") | _words("places")).issuperset(thing.words)
            if vague and not meaning.names & set(thing.words):
                understood -= set(inside) if target.actor in meaning.actors else set()
                continue  # `the end of the corridor`
            meant = self._is_meant(thing, meaning) and not self._is_means(thing, words, meaning)
            placed = self._is_placed(words, thing)
            elsewhere = placed and subject and subject != target.actor and clause.sort == "rule"
            if meant and not elsewhere:
                understood |= known
                subject = subject or target.actor or ""
            elif target.actor and target.score >= SURE and not set(inside) <= understood:
                on_the_way = words[max(0, thing.at - 4) : thing.at].count("way") > 0
                aside = clause.marker in ("until", "till", "while", "(")
                where = placed and not meaning.rule
                where = where and not (meaning.nowhere and thing.before in _CROSSED)
                if where or on_the_way or clause.sort == "done" or aside:
                    understood |= known
                else:
                    understood |= set(inside)
                    reported.append(text)
        left = [*reported, *(word for at, word in enumerate(words) if at not in understood)]
        return list(dict.fromkeys(left))

    def _is_means(self, thing: NounPhrase, words: Sequence[str], meaning: _ClauseMeaning) -> bool:
        """Whether something else than it is done to is done with a thing: `with a stick`."""
        if thing.before not in ("with", "using") or thing.before in meaning.words:
            return False
        return any(
            one.at < thing.at and self._is_meant(one, meaning)
            for one in self._parser.noun_phrases(words)
        )

    def _is_meant(self, thing: NounPhrase, meaning: _ClauseMeaning) -> bool:
        """Whether a thing is one of those that the clause is about."""
        target = self._actors.named(thing)
        if target.actor is None:
            return False
        type = self._game.type_of(target.actor)
        if target.actor in self._game.names and target.score == 1.0 and not target.also:
            # Called by its own name, it is no other of its type.
            return not meaning.actors.isdisjoint((target.actor, type)) and (
                target.actor in meaning.actors or type in self._types_named_as_such(meaning)
            )
        return not meaning.actors.isdisjoint((target.actor, type))

    def _types_named_as_such(self, meaning: _ClauseMeaning) -> frozenset[str]:
        """Types that are meant as such, and not because an actor of theirs is."""
        named = {self._game.type_of(one) for one in meaning.actors if one in self._game.names}
        return meaning.actors - named

    def _known_in(
        self, thing: NounPhrase, actor: str, clause: Clause, meaning: _ClauseMeaning
    ) -> set[int]:  # fmt: skip
        """Where the words of a thing stand that name an actor or only describe it."""
        names = self._game.naming_words(thing.words, actor) if actor else frozenset()
        known = {thing.at + at for at in names}
        tells_apart = meaning.rule or clause.sort == "rule" or meaning.several
        describing = frozenset() if tells_apart else _words("descriptions")
        describing |= VAGUE_NOUNS | AMOUNTS if names else frozenset()
        return known | {
            at for at, word in enumerate(thing.words, thing.at)
            if not describing.isdisjoint(plain_forms(word))
        }  # fmt: skip

    @staticmethod
    def _is_placed(words: Sequence[str], thing: NounPhrase) -> bool:
        """Whether a thing only says where another one is, or which."""
        if thing.relative or thing.before in _PLACED:
            return True
        before = [word for word in words[max(0, thing.at - 4) : thing.at] if word not in ARTICLES]
        if before[-1:] == ["to"] and before[-2:-1] and before[-2] in _BESIDE:
            return True
        # `the monster guarding the door`
        return before[-1:] != [] and before[-1].endswith("ing") and before[-2:-1] != ["by"]

    def _says_nothing(
        self, clause: Clause, words: Sequence[str], at: int, meaning: _ClauseMeaning
    ) -> bool:  # fmt: skip
        """Whether a word that names no actor was understood, or says nothing by itself."""
        word = words[at]
        before = words[at - 1] if at else ""
        after = words[at + 1] if at + 1 < len(words) else ""
        if word in meaning.words or (word == "hp" and "health" in meaning.words):
            return True
        if word[0].isdigit() or word in _COUNTS:
            return self._is_counted(words, at, meaning)
        if self._meets(clause, words, at, meaning):
            return True
        if word in UNITS and word not in ("times", "steps"):
            return bool(before) and (before[0].isdigit() or before in _COUNTS)
        if word in _ORDINALS:
            apart = before in ARTICLES or (after and after not in NO_NOUNS)
            return word in ("first", "next") and (not apart or before in JOINS)
        if word in ("a", "an") and (not after or after in JOINS):
            return False
        if word in _SIDES:
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
        if word in _words("anywhere"):
            return True
        if not MOTION.isdisjoint(forms):
            if word in ("wait", "stop"):
                return at == 0
            return clause.sort != "rule" or not _NEAR_PLAYER.isdisjoint(words)
        if word in _words("places"):
            return not meaning.rule
        if word in _words("means"):
            return not meaning.rule or before in ("your", "his", "her", "bare")
        noun = before in PREPOSITIONS and not (before == "by" and word.endswith("ing"))
        verbal = not noun and (at == 0 or not after or after in NO_NOUNS)
        if verbal and self._acts(word, meaning.actions):
            return True
        if at == 0 and word in _EFFECTS and "by" in words:
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

    def _meets(
        self, clause: Clause, words: Sequence[str], at: int, meaning: _ClauseMeaning
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
        return word in SEEN | _HERE or not _TRYING.isdisjoint(plain_forms(word))

    def _is_counted(self, words: Sequence[str], at: int, meaning: _ClauseMeaning) -> bool:
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

    def _is_usual_end(self, clause: Clause, word: str, meaning: _ClauseMeaning) -> bool:
        """Whether a word says in `until …`, `before …` only what comes of the step anyway."""
        if clause.marker == "(":
            return (
                word in KEYS | PRESSING | STATES | ENDINGS or word in _words("anywhere")
                or not _EFFECTS.isdisjoint(plain_forms(word))
            )  # fmt: skip
        if clause.marker in ("until", "till"):
            ends = STATES | ENDINGS
            return word in ends or is_participle(word) or self._acts(word, meaning.actions)
        if clause.marker == "before":
            return not _CONTINUING.isdisjoint(plain_forms(word))
        return clause.marker in ("as", "where", "while") and (
            word in SEEN | _HERE or not MOTION.isdisjoint(plain_forms(word))
        )

    def _acts(self, word: str, actions: frozenset[str]) -> bool:
        forms = plain_forms(word)
        return any(self._game.score(form, one) >= THRESHOLD for form in forms for one in actions)


def _as_number(word: str) -> float | None:
    return float(word) if word.replace(".", "", 1).isdigit() else None


@cache
def _words(section: str) -> frozenset[str]:
    """Words that change nothing about what is done, by where they may stand."""
    found: dict[str, set[str]] = {}
    name = ""
    for line in _DATA.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            name = line.strip("[]")
        elif name and not line.startswith("#"):
            found.setdefault(name, set()).update(line.split())
    return frozenset(found[section])
