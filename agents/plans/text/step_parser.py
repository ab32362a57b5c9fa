"""Parses what a clause says to do: an action, whom it is done to, and to whom else."""

from collections.abc import Iterator, Sequence

import msgspec

from .actor_finder import SURE, ActorFinder, Context, StepTarget, candidates
from .filler_phrases import introduction
from .parsed_step_or_rule import StepOrRule, unknown
from .rule_parser import RuleParser
from .step_details import Details, movement_of, step_details
from .verb_and_object_parser import ClauseParser, ParsedClause
from .words.action_matcher import ActionMatch, ActionMatcher
from .words.english_words import (
    ARTICLES,
    AVOIDING,
    BE,
    COMING,
    GET,
    HAVE,
    IDLE,
    JOINS,
    KEYS,
    LISTED,
    MODALS,
    NEED,
    NO_NOUNS,
    NOT,
    OBSERVING,
    PRESSING,
)
from .words.game_vocabulary_matcher import GO, THRESHOLD, GameWords
from .words.tokenizer_and_lemmatizer import is_participle, plain_forms

NOWHERE = "it does not say where to go"
_CLEAR = 0.86
"""How alike a verb must be to an action that can't be done to its target, to be taken for it."""
_LIKELY = 0.75
"""The same where that is what is done to such things, as doors are opened."""
_NOT_TO_DO = "it says what not to do; a plan says what to do"
_TO_SEE = "it says what should be seen; a plan says what to do"
_NO_PURPOSE = MODALS | NEED | HAVE | BE | {"ought", "going", "up", "back", "over"}
"""Before `to` and a verb, these do not say what for."""


class StepParser:
    """Reads the clauses of sentences about one game that are steps."""

    def __init__(
        self, game: GameWords, parser: ClauseParser, actors: ActorFinder, rules: RuleParser
    ) -> None:
        self._game = game
        self._action_matcher = ActionMatcher(game)
        self._parser = parser
        self._actors = actors
        self._rules = rules

    def read(self, clause: Sequence[str], context: Context) -> list[StepOrRule]:
        """What a clause says; a list of things makes several steps."""
        words, details = step_details(clause)
        if not words:
            return [StepOrRule("node", confidence=1.0, details=details)]
        refused = self._refused(words)
        if refused is not None:
            return [refused]
        found = self._with_purpose(self._observed(words), context)
        return [found[0].with_details(details), *found[1:]]

    def somewhere(self, action: str) -> bool:
        """Whether an action needs no actor."""
        return bool(self._game.actions.get(action, False))

    def possible(self, one: StepOrRule) -> bool:
        """Whether a statement was understood, and its action can be done to its actor."""
        return one.kind != "unknown" and not self._forbidden(one)

    def acted_on(self, actor: str) -> bool:
        """Whether anything can be done to an actor."""
        return bool(self._game.allowed.get(self._game.type_of(actor)))

    def same(self, one: str, other: str) -> bool:
        """Whether two actors are the same, or one is the type of the other."""
        return other in (one, self._game.type_of(one)) or one == self._game.type_of(other)

    def can(self, action: str, actor: str) -> bool:
        """Whether to go to an actor and to do an action is one step: not if the action is done
        without an actor, and not to that one."""
        can = self._game.allowed.get(self._game.type_of(actor))
        return can is None or action in can or not self.somewhere(action)

    def is_purpose(self, words: Sequence[str], at: int) -> bool:
        """Whether `to` is there, with a verb after it."""
        if at + 1 >= len(words) or words[at] != "to":
            return False
        word = words[at + 1]
        noun = word in NO_NOUNS or self._game.word_scores(word)[1] >= 0.9
        return not noun and self._game.is_verb(word, plain=True)

    # --- what is no step ------------------------------------------------------------------------

    def _refused(self, words: Sequence[str]) -> StepOrRule | None:
        """What a clause comes to that says what not to do, or what should be seen."""
        rest = words[introduction(words).length :]
        if not rest:
            return None
        first, pair = rest[0], list(rest[:2])
        stops = first == "stop" and len(rest) > 1 and rest[1].endswith("ing")
        avoids = first in AVOIDING and pair not in (["skip", "over"], ["skip", "across"])
        avoids = avoids or stops or first == "without" or rest[-1] == "alone"
        avoids = avoids or pair in (["stay", "away"], ["keep", "away"], ["instead", "of"])
        if avoids or not NOT.isdisjoint(rest):
            return unknown(_NOT_TO_DO)
        seen = self._seen(words)
        return unknown(_TO_SEE) if seen and not self._is_ensured(words, seen) else None

    def _observed(self, words: Sequence[str]) -> Sequence[str]:
        """A clause; of `make sure that the gate is locked` what shall be done."""
        return self._seen(words) or words

    def _seen(self, words: Sequence[str]) -> Sequence[str]:
        """The part after `verify that` and the like; nothing without such words."""
        rest = words[introduction(words).length :]
        sees = words if words[0] in OBSERVING else rest
        if not sees or sees[0] not in OBSERVING or len(sees) < 2:
            return ()
        says = not (BE | MODALS | HAVE | GET).isdisjoint(sees[1:])
        if sees[1] not in ("that", "if", "whether", "how") and not says:
            return ()
        at = 2 if sees[1] in ("sure", "certain") else 1
        at += list(sees[at : at + 1]) == ["that"]
        return sees[at:] or ("",)

    def _is_ensured(self, words: Sequence[str], seen: Sequence[str]) -> bool:
        """Whether something shall be brought about: `make sure that all coins are taken`."""
        rest = words[introduction(words).length :]
        first = words[0] if words[0] in OBSERVING else rest[0]
        passive = is_participle(seen[-1]) or self._parser.parse(seen).voice == "passive"
        return first in ("make", "ensure", "see", "remember") and passive

    # --- a step and what it is for --------------------------------------------------------------

    def _with_purpose(self, words: Sequence[str], context: Context) -> list[StepOrRule]:
        """A step; `press E to jump` is what it is for, `go there to pray` both."""
        clause = self._parser.parse(words)
        cut = self._purpose(clause) if clause.head == 0 and clause.voice == "active" else None
        if cut is None:
            return list(self._with_others(clause, context))
        words, by = clause.words, clause.words[cut] == "by"
        parsed = self._parser.parse(words[:cut])
        main = list(self._with_others(parsed, context))
        rest = words[cut + 1 :]
        if by and len(rest) == 1:
            rest = [*rest, *words[1:cut]]
        known = context._replace(before=[*context.before, *main])
        aim = self._statement(self._parser.parse(rest), known)
        first = main[0]
        if aim.kind == "unknown":
            return main
        if first.kind == "unknown" or self._presses_key(parsed):
            return [aim]
        if by:
            manner = first.action is None and aim.action and aim.actor == first.actor
            instead = self._forbidden(first) and not self._forbidden(aim)
            return [aim] if manner or instead else main
        return [*main, aim] if first.action is None else main

    def _purpose(self, parsed: ParsedClause) -> int | None:
        """Where it begins what a step is done for, or by what."""
        words = parsed.words
        verb = self._action_matcher.match(words, parsed.head)
        for at in range(parsed.head + 1, len(words) - 1):
            if self.is_purpose(words, at) and at not in verb.words:
                if words[at - 1] not in _NO_PURPOSE:
                    return at
                continue
            by = words[at] == "by" and words[at + 1].endswith("ing")
            if by and self._game.is_verb(words[at + 1]):
                return at
        return None

    def _presses_key(self, parsed: ParsedClause) -> bool:
        if parsed.head < 0 or parsed.words[parsed.head] not in PRESSING:
            return False
        first = next((thing for thing in parsed.noun_phrases if thing.at > parsed.head), None)
        keys = (KEYS - {"button", "key"}) | set(self._game.actions) | {"action"}
        return first is not None and not keys.isdisjoint(first.words)

    def _forbidden(self, one: StepOrRule) -> bool:
        can = self._game.allowed.get(self._game.type_of(one.actor or ""))
        return can is not None and bool(one.action) and one.action not in can

    def _with_others(self, parsed: ParsedClause, context: Context) -> Iterator[StepOrRule]:
        """A step, and the same for whom else it is done to: `take the coin and the apple`."""
        one = self._statement(parsed, context)
        yield one
        if one.kind == "unknown" or one.actor is None:
            return
        named = (
            thing for thing in parsed.noun_phrases if self._actors.named(thing).actor == one.actor
        )
        last = next(named, None)
        if last is None:
            return
        for thing in parsed.noun_phrases[parsed.noun_phrases.index(last) + 1 :]:
            gap = set(parsed.words[last.end : thing.at])
            if gap.isdisjoint(JOINS) or not gap <= JOINS | LISTED:
                return
            other = self._actors.named(thing)
            if other.score < SURE and thing.article not in ARTICLES:
                return
            last = thing
            if other.actor is None:
                yield unknown(other.problem)
            elif other.actor != one.actor:
                conditions = tuple(
                    of._replace(actor=other.actor) if of.actor == one.actor else of
                    for of in one.conditions
                )
                yield msgspec.structs.replace(
                    one, actor=other.actor, conditions=conditions, also=other.also
                )

    def _statement(self, parsed: ParsedClause, context: Context) -> StepOrRule:
        words, head = parsed.words, parsed.head
        if head < 0 or _is_remark(parsed):
            target = self._actors.place(parsed) if head < 0 else None
            if target is None or target.actor is None:
                return unknown(f"no action was found in {' '.join(words)!r:.80}")
            made = StepOrRule("node", self._repeated(words, context), target.actor, target.score)
            return self._as_rule(made, parsed, context, target)
        found = self._action_matcher.match(words, head)
        target = self._actors.target(parsed, found, context)
        target = self._actors.chosen(target, parsed)
        type = self._game.type_of(target.actor or "")
        if target.actor is not None:
            found = self._action_matcher.match(words, head, type)
            found = self._action_matcher.only_use(words[head], type, found, words)
        problem = self._not_understood(words, found, target) or self._says_another(
            words[head], found, target
        )
        if problem:
            return unknown(problem)
        action, sure = found.matches[0]
        somewhere = self.somewhere(action)
        if target.actor is None and not target.text and context.condition and not somewhere:
            target = self._actors.in_condition(context.condition.words) or target
        if target.problem and not somewhere:
            return unknown(target.problem)
        if action == GO and target.actor is None:
            return unknown(target.problem or NOWHERE)
        if target.actor is not None:
            sure = min(sure, target.score)
        missing = target.text if target.problem else ""
        how = Details(movement=movement_of(words, action == GO))
        used = frozenset(words[at] for at in found.words)
        made = StepOrRule(
            "node", action or None, target.actor, round(sure, 3), (), missing, "", how,
            target.also, used,
        )  # fmt: skip
        return self._as_rule(made, parsed, context, target)

    def _repeated(self, words: Sequence[str], context: Context) -> str | None:
        """The action of the step before, if this one leaves it out: `…, then to the guard`."""
        last = next(reversed(context.before), None)
        if last is None or last.kind != "node" or not last.action or words[0] not in last.words:
            return None
        return last.action

    def _not_understood(self, words: Sequence[str], found: ActionMatch, target: StepTarget) -> str:
        """Why no action was understood; empty if one was."""
        if words[0] in IDLE | COMING and len(words) == 2 and target.actor is None:
            return NOWHERE
        phrase = " ".join(words[at] for at in sorted(found.words))
        if not found.matches or found.matches[0].score < THRESHOLD:
            near = candidates(found.matches, self._game.actions)
            return f"the action {phrase!r} was not understood{near}"
        tied = self._game.tied(found.matches)
        if tied:
            return f"{phrase!r} may mean {tied}: say which"
        action, sure = found.matches[0]
        if len(words) == 1 and target.actor is None and not self._game.actions.get(action, False):
            named = self._game.actor(words)
            if named and named[0].score >= SURE:
                return f"it names {words[0]!r}, and not what to do"
        type = self._game.type_of(target.actor or "")
        can_be = action in self._game.allowed.get(type, (action,)) or not action
        fits = can_be or self._action_matcher.fits(action, type)
        if not can_be and sure < (_LIKELY if fits else _CLEAR):
            can = sorted(self._game.allowed[type])
            problem = (
                f"what can be done to it is {', '.join(can)}"
                if can
                else "nothing can be done to it"
            )
            return f"the action {phrase!r} was not understood for {target.actor!r}; {problem}"
        return ""

    def _says_another(self, verb: str, found: ActionMatch, target: StepTarget) -> str:
        """Why an action is not meant though it can be done: another one is called by its name."""
        named = next((one for one in plain_forms(verb) if one in self._game.actions), "")
        if not named or len(found.words) > 1 or found.matches[0].value in ("", named):
            return ""
        return f"{named!r} can't be done to {target.actor!r}" if target.actor else ""

    def _as_rule(
        self, made: StepOrRule, parsed: ParsedClause, context: Context, target: StepTarget
    ) -> StepOrRule:  # fmt: skip
        if context.condition is not None:
            return self._rules.with_condition(made, context.condition, parsed.words)
        return self._rules.step_or_rule(made, parsed, target)


def _is_remark(parsed: ParsedClause) -> bool:
    """Whether it is a remark without an action: `you are finished`."""
    has_object_before = any(thing.at < parsed.head for thing in parsed.noun_phrases)
    caused = parsed.words[0] in ("have", "get")
    return parsed.voice == "passive" and not (parsed.pronouns or has_object_before or caused)
