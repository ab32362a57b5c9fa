"""Parses a sentence: puts its clauses together to steps and rules."""

import re
from collections.abc import Mapping, Sequence

from .actor_finder import ActorFinder, Context
from .clause_splitter import Clause, ClauseSplitter
from .filler_phrases import introduction
from .non_step_clauses import appears, come_to, done, is_by_player, is_over, is_remark
from .parsed_step_or_rule import StepOrRule, merged, unknown
from .rule_parser import RuleParser
from .step_details import Details, parted_by_waits
from .step_parser import NOWHERE, StepParser
from .unsupported_text import sentence_problem
from .verb_and_object_parser import ClauseParser, NounPhrase
from .words.english_words import (
    BE,
    IDLE,
    PREPOSITIONS,
    QUESTIONS,
    SEEN,
)
from .words.game_vocabulary_matcher import GameWords
from .words.tokenizer_and_lemmatizer import tokens
from .words.unused_words import UnusedWords

MOST_WORDS = 60
_ONLY_WHEN = "it says when, and not what to do"
_POLITE = re.compile(
    r"(?:you|we) (?:like|want|wish|please|prefer|must|feel like it|want to|would like|care"
    r"|fancy it?)(?: to)?"
    r"|(?:you|we) (?:are|have|get) (?:done|ready|finished|there)(?: with (?:that|it))?"
    r"|ready|done|finished|all (?:is|this is) (?:said and )?done|you are (?:at it|there)"
    r"|you (?:have|get) (?:the )?time|that is done"
)
"""Conditions that only are polite."""


class SentenceParser:
    """Reads sentences about one game.

    Args:
        game: What the game has.
        values: The names of the game's values that rules may look at.
        reaches: From how far each of its actions can be done.
    """

    def __init__(
        self, game: GameWords, values: Sequence[str] = (),
        reaches: Mapping[str, float] | None = None,
    ) -> None:  # fmt: skip
        self._game = game
        self._splitter = ClauseSplitter(game)
        self._parser = ClauseParser(game)
        self._actors = ActorFinder(game, self._parser, values)
        self._rules = RuleParser(game, self._actors, reaches or {})
        self._steps = StepParser(game, self._parser, self._actors, self._rules)
        self._coverage = UnusedWords(game, self._parser, self._actors)

    def read(self, sentence: str, before: StepOrRule | None = None) -> list[StepOrRule]:
        """All that a sentence says, in its order; one that is unknown if nothing was understood.

        Args:
            before: The last thing that the sentence before it says: whom `it` may mean.
        """
        found: list[StepOrRule] = []
        for text, wait in parted_by_waits(sentence):
            known = found[-1] if found else before
            if wait and found and found[-1].kind == "rule":
                found.append(unknown("a rule has no wait"))
            elif wait and found and found[-1].action:
                found[-1] = found[-1].with_details(Details(wait_after=wait))
                wait = 0.0
            if not text and not wait:
                continue
            first, *rest = self._read(text, known) if text else [StepOrRule("node", confidence=1.0)]
            found += [first.with_details(Details(wait)), *rest]
        return merged(found, self._steps.can) or [unknown("there are no words in it")]

    def _read(self, sentence: str, before: StepOrRule | None) -> list[StepOrRule]:
        """The same for a part of it without waits."""
        words = self._game.with_names(self._game.spelling.words(_as_meant(tokens(sentence))))
        words, remarks = _bracketed([word for word in words if word])
        if not words:
            return [unknown("there are no words in it")]
        if len(words) > MOST_WORDS:
            problem = f"it has {len(words)} words; write at most {MOST_WORDS}, one step a sentence"
            return [unknown(problem)]
        if sentence.rstrip().endswith("?") and _asks(words):
            return [unknown("it asks something; a plan says what to do")]
        problem = sentence_problem(words)
        if problem:
            return [unknown(problem)]
        clauses = self._splitter.clauses(words)
        if remarks:
            clauses.append(Clause(remarks, "aside", "("))
        found = _Sentence(
            clauses, before, self._steps, self._actors, self._rules, self._parser, self._coverage
        ).read()
        if all(one.kind == "unknown" for one in found):
            found = found[:1]
        return found or [unknown(f"no action was found in {sentence.strip()!r:.80}")]


class _Sentence:
    """The clauses of one sentence, as they are put together."""

    def __init__(
        self, clauses: Sequence[Clause], before: StepOrRule | None, steps: StepParser,
        actors: ActorFinder, rules: RuleParser, parser: ClauseParser, coverage: UnusedWords,
    ) -> None:  # fmt: skip
        self._coverage = coverage
        self._clauses = clauses
        self._steps = steps
        self._actors = actors
        self._rules = rules
        self._parser = parser
        self._before = [before] if before else []
        self._found: list[StepOrRule] = []
        self._read_from: list[int] = []
        """The clause that each of the statements was read from."""
        self._remarks: set[int] = set()
        """Clauses that say in words of their own why or how well: nothing is done by them."""
        self._step: list[int] = []
        """Where the statements of the last step are among those that were found."""
        self._condition: Clause | None = None
        """What the next step depends on."""
        self._topic: tuple[NounPhrase, ...] = ()
        self._mentioned: StepOrRule | None = None
        """Whom a clause has named since then that is no step."""
        self._details = Details()
        """A part by itself that belongs to the next step: `in 30 seconds, use it`."""

    def read(self) -> list[StepOrRule]:
        for number, clause in enumerate(self._clauses):
            later = any(one.sort == "step" for one in self._clauses[number + 1 :])
            if clause.sort == "step":
                if not self._add_step(clause, later) and is_remark(clause):
                    self._remarks.add(number)
            elif clause.sort == "purpose":
                self._add_purpose(clause)
            elif self._is_polite(clause):
                self._remarks.add(number)
            else:
                self._add_condition(clause, later)
            self._read_from += [number] * (len(self._found) - len(self._read_from))
        if self._condition is not None and not self._found:
            self._found.append(unknown(_ONLY_WHEN))
            self._read_from.append(len(self._clauses) - 1)
        return [self._with_actor(one) for one in merged(self._covered(), self._steps.can)]

    def _covered(self) -> list[StepOrRule]:
        """What was found; where it leaves out words of a clause, that is not understood."""
        found = list(self._found)
        for number, clause in enumerate(self._clauses):
            own = [place for place, of in enumerate(self._read_from) if of == number]
            made = [self._found[place] for place in own]
            problem = (
                self._coverage.remark_problem(clause)
                if number in self._remarks
                else self._coverage.problem(clause, self._found, made)
            )
            if not problem:
                continue
            rules = [place for place, one in enumerate(self._found) if one.kind == "rule"]
            for place in own or rules or range(len(found)):
                if found[place].kind != "unknown" and not found[place].problem:
                    found[place] = unknown(problem)
        return found

    def _with_actor(self, one: StepOrRule) -> StepOrRule:
        """The same; not understood if it does not say whom its action is done to."""
        if one.kind == "unknown" or not one.action or one.actor or one.missing:
            return one
        if self._steps.somewhere(one.action):
            return one
        return unknown(f"{one.action!r} is done to an actor: say to whom")

    def _context(self, condition: Clause | None = None) -> Context:
        mentioned = [self._mentioned] if self._mentioned else []
        return Context([*self._before, *self._found, *mentioned], condition, self._topic)

    # --- steps ----------------------------------------------------------------------------------

    def _add_step(self, clause: Clause, later: bool) -> bool:
        """Whether a clause says anything about what to do; then it is kept."""
        words = clause.words
        if later and (words[0] == "without" or self._steps.is_purpose(words, 0)):
            return False
        made = self._steps.read(words, self._context(self._condition))
        if self._only_details(made, later) or self._says_nothing(clause, made, later):
            return False
        placed = words[0] in PREPOSITIONS and self._parser.parse(words).head < 0
        if later and placed and self._condition is None:
            return True
        goes_on = made[-1].action is None and made[-1].actor and later
        if not goes_on:
            self._condition = None
        made[0] = made[0].with_details(self._details)
        self._details, self._topic, self._mentioned = Details(), (), None
        self._step = list(range(len(self._found), len(self._found) + len(made)))
        self._found += made
        return True

    def _only_details(self, made: Sequence[StepOrRule], later: bool) -> bool:
        """Whether a clause says only how long or how near: of the step before, or the next."""
        (first, *_) = made
        if first.kind != "node" or first.action or first.actor or first.details == Details():
            return False
        if self._step:
            place = self._step[0]
            self._found[place] = self._found[place].with_details(first.details)
        elif later:
            self._details = first.details
        return bool(self._step) or later

    def _says_nothing(self, clause: Clause, made: Sequence[StepOrRule], later: bool) -> bool:
        """Whether a clause is no step, and need not be one."""
        if any(one.kind != "unknown" for one in made):
            return False
        if later and self._is_topic(clause):
            self._topic = self._parser.noun_phrases(clause.words)
            return True
        if later and made[-1].problem == NOWHERE:
            return True
        words = self._parser.parse(clause.words).words
        idle = words[0] in IDLE and len(words) <= 2
        return (idle and (later or bool(self._found))) or (bool(self._found) and is_remark(clause))

    def _is_topic(self, clause: Clause) -> bool:
        """Whether it only names something that the next part is about."""
        things = self._parser.noun_phrases(clause.words)
        if not things or len(clause.words) > 6:
            return False
        return self._actors.named(things[0]).actor is not None

    def _add_purpose(self, clause: Clause) -> None:
        made = self._steps.read(clause.words, self._context())
        goes = bool(self._step) and self._found[self._step[-1]].action is None
        if goes and made[0].kind != "unknown":
            self._found.append(made[0])

    # --- conditions -----------------------------------------------------------------------------

    def _is_polite(self, clause: Clause) -> bool:
        if clause.marker == "as soon as" and clause.words == ["possible"]:
            return True
        return clause.sort != "done" and bool(_POLITE.fullmatch(" ".join(clause.words)))

    def _add_condition(self, clause: Clause, later: bool) -> None:
        arrived = self._arrived(clause) if clause.sort in ("rule", "done") else None
        if arrived is not None:
            self._found.append(arrived)
        elif clause.sort == "rule" and is_over(clause):
            self._add_effect(clause)
        elif is_by_player(clause):
            self._add_done(clause._replace(sort="done"), later)
        elif (clause.sort == "done" and not appears(clause)) or clause.marker == "before":
            self._add_done(clause, later)
        elif clause.sort in ("rule", "done") or self._is_rule(clause):
            if self._step and not (later and clause.joined):
                for place in self._step:
                    self._found[place] = self._rules.with_condition(self._found[place], clause)
            else:
                self._condition = clause

    def _mention(self, clause: Clause) -> None:
        """Keep whom `it` may mean after this clause."""
        named = self._actors.in_condition(clause.words)
        if named is not None and named.actor is not None:
            self._mentioned = StepOrRule("node", actor=named.actor, confidence=named.score)

    def _arrived(self, clause: Clause) -> StepOrRule | None:
        """`when you reach the door`: to go there."""
        words = come_to(clause)
        things = self._parser.noun_phrases(words) if words else ()
        if not things or things[0].quantifier or things[0].article in ("a", "an"):
            return None
        target = self._actors.named(things[0])
        if target.actor is None:
            return None
        return StepOrRule("node", None, target.actor, round(target.score, 3))

    def _add_done(self, clause: Clause, later: bool) -> None:
        """`after pulling the switch`, `before you read the sign`: a step by itself."""
        words = done(clause)
        made = self._steps.read(words, self._context()) if words else []
        known = bool(made) and all(self._steps.possible(one) for one in made)
        if known and (clause.sort == "done" or self._step):
            last = self._last_done()
            repeats = last is not None and [last] == [(one.action, one.actor) for one in made]
            if not repeats:
                self._found += made
            return
        if clause.sort == "done" and not known and not later and not self._step:
            self._found.append(unknown(_ONLY_WHEN))
        elif clause.sort == "done":
            self._add_effect(clause)
        else:
            self._mention(clause)

    def _last_done(self) -> tuple[str | None, str | None] | None:
        """Action and actor of the last step."""
        last = next(reversed([*self._before, *self._found]), None)
        return None if last is None else (last.action, last.actor)

    def _add_effect(self, clause: Clause) -> None:
        """`once the door is open`: what a step before has brought about, and so no step."""
        self._mention(clause)
        about = self._mentioned
        if (
            about is None
            or clause.words[0] in PREPOSITIONS
            or not self._steps.acted_on(about.actor or "")
        ):
            return
        last = self._last_done()
        if last is None or not self._steps.same(last[1] or "", about.actor or ""):
            text = f"{clause.marker} {' '.join(clause.words)}"
            self._found.append(unknown(f"{text!r} was not understood: no step before does that"))

    def _is_rule(self, clause: Clause) -> bool:
        """Whether `as …`, `where …` or `while …` says when a rule holds."""
        words = clause.words
        meets = any(word in BE | SEEN | {"go", "walk"} for word in words)
        if clause.marker in ("as", "where"):
            return meets and words[0] in ("you", "we", "they", "i", "it")
        if clause.marker != "while":
            return False
        named = self._actors.in_condition(words)
        return meets and named is not None and named.actor is not None


def _asks(words: list[str]) -> bool:
    if words[0] in ("can", "could", "will", "would") and "please" not in words:
        return True
    lead = introduction(words)
    rest = words[lead.length :]
    return not lead.verb and bool(rest) and rest[0] in QUESTIONS


def _as_meant(words: Sequence[str]) -> list[str]:
    """The words without what a speaker takes back or says twice: `talk, I mean read`."""
    words_kept: list[str] = []
    for at, word in enumerate(words):
        if words_kept and word == words_kept[-1] and word.isalpha():
            continue
        if word == "i" and list(words[at + 1 : at + 2]) == ["mean"] and len(words_kept) <= 4:
            words_kept = []
        words_kept.append(word)
    return words_kept


def _bracketed(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words outside of brackets, and those inside."""
    outside: list[str] = []
    inside: list[str] = []
    depth = 0
    for word in words:
        depth += word == "("
        if word not in ("(", ")"):
            (inside if depth > 0 else outside).append(word)
        depth -= word == ")" and depth > 0
    return outside, inside
