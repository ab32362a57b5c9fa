"""Finds the words of a sentence that its reading leaves out: they are reported, not guessed."""

from collections.abc import Iterator, Sequence

from ..actor_finder import SURE, ActorFinder
from ..clause_splitter import Clause
from ..filler_phrases import introduction
from ..parsed_step_or_rule import StepOrRule
from ..step_details import step_details
from ..unsupported_text import DISTINGUISHING, clause_problem
from ..verb_and_object_parser import ClauseParser, NounPhrase
from .clause_meaning import ClauseMeaning, meaning_of
from .english_words import AMOUNTS, ARTICLES, BE, HAVE, MODALS, NEED, NO_NOUNS, NOT, VAGUE_NOUNS
from .game_vocabulary_matcher import GameWords
from .stop_word_finder import COUNTS, EFFECTS, ORDINALS, SIDES, TRYING, StopWordFinder, filler_words
from .tokenizer_and_lemmatizer import plain_forms
from .verb_phrase_matcher import MOTION

_PLACED = frozenset((
    "by", "near", "beside", "besides", "behind", "next", "at", "in", "inside", "on", "around",
    "under", "underneath", "beneath", "between", "past", "along", "above", "below", "before",
    "after", "from", "through", "off", "across", "over", "within", "of", "about", "up", "down",
    "outside", "beyond", "for", "via",
))  # fmt: skip
"""After these comes where something is, not what is done."""
_BESIDE = frozenset(("next", "close", "closest", "nearest", "adjacent", "way", "path", "opposite"))
"""Before `to` and a thing they say where something is."""
_CROSSED = frozenset(("over", "across", "onto", "on", "past", "through"))
_REASONS = frozenset((
    "because", "since", "although", "though", "even though", "even if", "whereas", "so that",
    "so you can", "so we can", "so the player can",
))  # fmt: skip
"""What these begin says why: nothing is done by it."""


class UnusedWords:
    """Compares sentences about one game with what they were read as."""

    def __init__(self, game: GameWords, parser: ClauseParser, actors: ActorFinder) -> None:
        self._game = game
        self._parser = parser
        self._actors = actors
        self._stop_words = StopWordFinder(game)

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
        meaning = meaning_of(self._game, found, own)
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
        apart = DISTINGUISHING | SIDES | (COUNTS - {"one"}) | (ORDINALS - {"first", "next"})
        word = next((word for word in clause.words if word in apart or word[0].isdigit()), "")
        return f"{word!r} was not understood" if word else ""

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
        helped = words[at - 1] in MODALS | NEED | HAVE | BE or not TRYING.isdisjoint(
            plain_forms(words[at - 1])
        )
        if helped:
            return False
        verb = self._game.is_verb(words[at + 1], plain=True)
        return words[at + 1] in EFFECTS or (verb and not noun)

    def _unknown_aim(self, words: Sequence[str], meaning: ClauseMeaning) -> Iterator[str]:
        """What of a purpose is no effect of the step, and was read as no step either."""
        if not words:
            return
        yield from (word for word in words if word[0].isdigit() or word in COUNTS)
        acts = self._stop_words.says_action(words[0], meaning.actions)
        if words[0] not in EFFECTS | MOTION and not acts:
            yield " ".join(("to", *words))
        elif meaning.goes or acts:
            # Nothing comes of going there: so what is named here must be known.
            for thing in self._parser.noun_phrases(words):
                rest = [word for word in thing.words if word not in EFFECTS | meaning.words]
                known = self._actors.named(thing).score >= SURE
                known = known or filler_words("anywhere").issuperset(rest)
                if not known and not self._stop_words.says_action(thing.words[0], meaning.actions):
                    yield " ".join(thing.words)

    # --- what is left over ----------------------------------------------------------------------

    def _left_out(
        self, clause: Clause, words: Sequence[str], meaning: ClauseMeaning
    ) -> list[str]:  # fmt: skip
        """The words that say something and that nothing which was found came from."""
        understood = {
            at
            for at in range(len(words))
            if self._stop_words.is_stop_word(clause, words, at, meaning)
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
            vague = (filler_words("anywhere") | filler_words("places")).issuperset(thing.words)
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

    def _is_means(self, thing: NounPhrase, words: Sequence[str], meaning: ClauseMeaning) -> bool:
        """Whether something else than it is done to is done with a thing: `with a stick`."""
        if thing.before not in ("with", "using") or thing.before in meaning.words:
            return False
        return any(
            one.at < thing.at and self._is_meant(one, meaning)
            for one in self._parser.noun_phrases(words)
        )

    def _is_meant(self, thing: NounPhrase, meaning: ClauseMeaning) -> bool:
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

    def _types_named_as_such(self, meaning: ClauseMeaning) -> frozenset[str]:
        """Types that are meant as such, and not because an actor of theirs is."""
        named = {self._game.type_of(one) for one in meaning.actors if one in self._game.names}
        return meaning.actors - named

    def _known_in(
        self, thing: NounPhrase, actor: str, clause: Clause, meaning: ClauseMeaning
    ) -> set[int]:  # fmt: skip
        """Where the words of a thing stand that name an actor or only describe it."""
        names = self._game.naming_words(thing.words, actor) if actor else frozenset()
        known = {thing.at + at for at in names}
        tells_apart = meaning.rule or clause.sort == "rule" or meaning.several
        describing = frozenset() if tells_apart else filler_words("descriptions")
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
