"""Make agents/plans/text/data/tagger.npz out of templates.txt: a minute on one processor.

Each sentence is about a game of its own, made of words out of meanings.txt and of any others, so
that the classifier learns how sentences are built and not what games have.

    python tools/text_to_plan/train_classifier.py
"""

import random
import re
import sys
from pathlib import Path

import numpy as np

from playhead.agents.plans.text.game_words import FUNCTION_WORDS, GameWords
from playhead.agents.plans.text.token_classifier import _DATA, TAGS, TokenClassifier, history
from playhead.agents.plans.text.word_forms import IRREGULAR
from playhead.agents.plans.text.word_meanings import HOLE, word_meanings

SENTENCES, ROUNDS = 15000, 4
PARTICIPLES = {
    "slay": "slain", "steal": "stolen", "take": "taken", "break": "broken", "shoot": "shot", "get": "gotten",
    "throw": "thrown", "drive": "driven", "hide": "hidden", "feed": "fed", "sell": "sold", "buy": "bought",
    "build": "built", "give": "given", "catch": "caught", "fight": "fought", "find": "found", "beat": "beaten",
    "overtake": "overtaken", "light": "lit", "eat": "eaten", "drink": "drunk", "ride": "ridden", "speak": "spoken",
    "strike": "struck", "dig": "dug", "sow": "sown", "wear": "worn", "freeze": "frozen", "tear": "torn",
    "blow": "blown", "choose": "chosen", "wake": "woken", "draw": "drawn", "bring": "brought", "make": "made",
    "hit": "hit", "put": "put", "set": "set", "cut": "cut", "shut": "shut", "let": "let", "read": "read", "leave": "left",
    "swing": "swung", "tie": "tied", "ring": "rung", "hold": "held", "pay": "paid", "bind": "bound",
}  # fmt: skip
MEANINGS = word_meanings()
ROWS = list(MEANINGS._rows)
TEMPLATES = [
    line for line in (Path(__file__).parent / "templates.txt").read_text().splitlines()
    if line.strip() and not line.startswith("#")
]  # fmt: skip
ADJECTIVES = [
    "old",
    "big",
    "red",
    "blue",
    "rusty",
    "heavy",
    "nearest",
    "next",
    "last",
    "broken",
    "wooden",
    "golden",
    "huge",
    "small",
    "second",
    "first",
    "second",
    "dark",
    "locked",
    "wounded",
    "evil",
    "angry",
    "open",
    "nearby",
    "closest",
    "hungry",
    "shiny",
    "mysterious",
    "left",
    "right",
    "main",
    "rear",
    "upper",
]
GO = next(group for group in MEANINGS.groups if group[0] == ("go",))
VERBS = [
    g for g, s in zip(MEANINGS.groups, MEANINGS.sorts, strict=True) if s == "v" and g is not GO
]
NOUNS = [g for g, s in zip(MEANINGS.groups, MEANINGS.sorts, strict=True) if s == "n"]
Pairs = list[tuple[str, str]]


def participle(verb: str) -> str:
    if verb in PARTICIPLES:
        return PARTICIPLES[verb]
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    if re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprt]", verb) and not verb.endswith("k"):
        return verb + verb[-1] + "ed"
    return verb + "ed"


def plural(noun: str) -> str:
    for form, plain in IRREGULAR.items():
        if (
            plain == noun
            and form != noun
            and form.endswith(("s", "n"))
            and not form.endswith(("ing", "ed"))
        ):
            return form
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    return noun[:-1] + "ies" if noun.endswith("y") and noun[-2] not in "aeiou" else noun + "s"


class Maker:
    """Makes one sentence about one game."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.verbs = dice.sample(VERBS, dice.randint(3, 6))
        self.nouns = dice.sample(NOUNS, dice.randint(4, 8))
        pick = lambda group: " ".join(self.plain(group))  # noqa: E731
        self.game = GameWords({pick(v): False for v in self.verbs}, [pick(n) for n in self.nouns])

    def plain(self, group):
        return self.dice.choice([p for p in group[:3] if HOLE not in p] or [group[0]])

    def noun(self, tag: str, many: bool = False, bare: bool = False) -> Pairs:
        dice = self.dice
        group = dice.choice(self.nouns)
        words = list(dice.choice(group))
        if dice.random() < 0.12:
            words = [dice.choice(ROWS[300:9000])]
        if many:
            words[-1] = plural(words[-1])
        det = [] if (many and dice.random() < 0.7) or bare else dice.choice(
            [["the"]] * 7 + [["a"], ["an"], [], ["this"], ["that"], ["one", "of", "the"], ["your"], ["my"], ["the"]]
        )  # fmt: skip
        adjective = [dice.choice(ADJECTIVES)] if dice.random() < 0.15 else []
        return [(w, "O" if tag == "OBJ" else "CND" if tag == "COB" else tag) for w in det] + [
            (w, tag) for w in adjective + words
        ]

    def verb(self, group=None):
        dice = self.dice
        phrase = dice.choice(group or dice.choice(self.verbs))
        if dice.random() < 0.1 and group is None:
            phrase = (dice.choice(ROWS[300:9000]),)
        return phrase

    def apply(self, phrase, target: Pairs, gerund: bool = False) -> Pairs:
        head = phrase[0]
        if gerund:
            head = (head[:-1] if head.endswith("e") else head) + "ing"
        rest = [(w, "O") for w in phrase[1:]]
        if HOLE in phrase:
            at = phrase.index(HOLE)
            named = (
                self.dice.random() < 0.9
                and phrase[at + 1 : at + 2]
                and phrase[at + 1] in ("attention", "pocket", "pockets", "power")
            )
            inner = target + ([("'s", "O")] if named else [])
            return [
                (head, "ACT"),
                *[(w, "O") for w in phrase[1:at]],
                *inner,
                *[(w, "O") for w in phrase[at + 1 :]],
            ]
        if (
            len(phrase) == 2
            and phrase[1] in ("on", "off", "up", "down", "out", "over")
            and self.dice.random() < 0.35
        ):
            return [(head, "ACT"), *target, *rest]
        return [(head, "ACT"), *rest, *target]

    def slot(self, name: str) -> Pairs:
        dice = self.dice
        kind, _, what = name.partition(" ")
        if kind in ("o", "os"):
            return self.noun("OBJ", kind == "os")
        if kind in ("c", "cs"):
            return self.noun("COB", kind == "cs")
        if kind == "x":
            return self.noun("O")
        if kind == "P":
            phrase = self.verb()
            while HOLE in phrase:
                phrase = self.verb()
            return [(participle(phrase[0]), "ACT"), *[(w, "O") for w in phrase[1:]]]
        if kind == "c1":
            return self.noun("COB", bare=True)
        if kind == "Agerund":
            return [(w, "O") for w, _ in self.apply(self.verb(), self.noun("O"), True)]
        if kind == "Aing" and not what:
            return self.apply(self.verb(), [], True)
        if kind == "As":
            phrase = self.verb()
            head = phrase[0] + ("es" if phrase[0].endswith(("s", "x", "ch", "sh", "o")) else "s")
            return self.apply((head, *phrase[1:]), self.noun("OBJ"))
        if kind == "A" and not what:
            return self.apply(self.verb(), [])
        target = {
            "o": lambda: self.noun("OBJ"), "os": lambda: self.noun("OBJ", True), "x": lambda: self.noun("O"),
            "it": lambda: [(dice.choice(("it", "it", "them", "him", "her", "one")), "O")], "any": self.any,
            "anything": lambda: [(dice.choice(("anything", "anyone", "everyone", "whatever")), "MRK"), *self.noun("OBJ", bare=True)],
        }[what]()  # fmt: skip
        if kind == "G":
            return self.apply(dice.choice(GO), target)
        if kind == "Aing":
            return self.apply(self.verb(), target, True)
        if kind == "G-ing":
            return [(w, "O") for w, _ in self.apply(dice.choice(GO), target, True)]
        return self.apply(self.verb(), target)

    def any(self) -> Pairs:
        dice = self.dice
        mark = dice.choice(
            (
                ["any"],
                ["any"],
                ["any"],
                ["every"],
                ["each"],
                ["all"],
                ["all", "the"],
                ["all", "of", "the"],
                ["any", "of", "the"],
            )
        )
        many = mark[0] == "all" or (mark[0] == "any" and dice.random() < 0.5)
        return [(mark[0], "MRK"), *[(w, "O") for w in mark[1:]], *self.noun("OBJ", many, bare=True)]

    def sentence(self) -> Pairs:
        dice, pairs, condition = self.dice, [], False
        for part in re.findall(
            r"\(\(|\)\)|\{[^}]*\}(?::\w+)?|<[^>]*>|[^\s]+", dice.choice(TEMPLATES)
        ):
            if part in ("((", "))"):
                condition = part == "(("
                continue
            if part.startswith("<"):
                pairs += self.slot(part[1:-1])
                continue
            text, _, tag = part.rpartition(":") if re.search(r":[A-Z]", part) else (part, "", "")
            if text.startswith("{"):
                text = dice.choice(text[1:-1].split("|"))
            words = text.split()
            name = {"M": "MRK", "S": "STEP", "": "CND" if condition else "O"}.get(tag, tag)
            if words == [";"]:
                pairs[-1] = (pairs[-1][0], "STEP")
            elif name == "HEADGO":
                pairs += [
                    (
                        w,
                        "ACT"
                        if w
                        in (
                            "are",
                            "reach",
                            "arrive",
                            "get",
                            "reaching",
                            "arriving",
                            "arrival",
                            "reached",
                        )
                        else "O",
                    )
                    for w in words
                ]
                if words == ["to"]:
                    pairs[0] = (pairs[0][0], "ACT")
            elif name == "ACT":
                pairs += [(w, "ACT") for w in words]
            else:
                pairs += [(w, name) for w in words]
        return pairs

    def misspelled(self, pairs: Pairs) -> Pairs:
        if self.dice.random() > 0.1:
            return pairs
        out = []
        for word, tag in pairs:
            if len(word) > 3 and word.isalpha() and self.dice.random() < 0.3:
                at = self.dice.randrange(1, len(word) - 1)
                word = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
            out.append((self.game.spelled(word), tag))
        return out


def main() -> None:
    dice = random.Random(7)
    literal = set(FUNCTION_WORDS)
    for line in TEMPLATES:
        literal.update(re.findall(r"[a-z']+", re.sub(r"<[^>]*>|:\w+", " ", line)))
    literal.update(
        [
            "it",
            "them",
            "him",
            "her",
            "one",
            "of",
            "this",
            "that",
            "a",
            "an",
            "any",
            "all",
            "every",
            "each",
            "some",
            "to",
            "into",
            "up",
        ]
    )
    literal.update(word for phrase in GO for word in phrase)
    literal.update(w for p in MEANINGS.phrases["v"] for w in p[1:] if len(w) < 6)
    model = TokenClassifier(frozenset(literal), {})
    rows = []
    maker = Maker(dice)
    for number in range(SENTENCES):
        if number % 6 == 0:
            maker = Maker(dice)
        pairs = maker.misspelled([pair for pair in maker.sentence() if pair[0]])
        if not pairs:
            continue
        words = [w for w, _ in pairs]
        fixed = model.features(words, [maker.game.word_scores(w) for w in words])
        rows.append((words, fixed, [tag for _, tag in pairs]))
        if number < 40 and "-v" in sys.argv:
            print(" ".join(f"{w}/{t}" if t != "O" else w for w, t in pairs))
    held, rows = rows[:600], rows[600:]
    weights: dict[str, np.ndarray] = {}
    totals: dict[str, np.ndarray] = {}
    time = 0
    for lap in range(ROUNDS):
        dice.shuffle(rows)
        wrong = count = 0
        for words, fixed, tags in rows:
            # Half of the time it learns from its own history, which has its own mistakes.
            found: list[str] = []
            for here, tag in enumerate(tags):
                time += 1
                names = (*fixed[here], *history(words, found))
                total = sum((weights[n] for n in names if n in weights), np.zeros(len(TAGS)))
                guess = TAGS[int(total.argmax())]
                count += 1
                if guess != tag:
                    wrong += 1
                    right, bad = TAGS.index(tag), TAGS.index(guess)
                    for n in names:
                        if n not in weights:
                            weights[n], totals[n] = np.zeros(len(TAGS)), np.zeros(len(TAGS))
                        weights[n][right] += 1
                        weights[n][bad] -= 1
                        totals[n][right] += time
                        totals[n][bad] -= time
                found.append(guess if lap and dice.random() < 0.5 else tag)
        print(f"round {lap}: {wrong / count:.4f} of {count} words wrong", flush=True)
    averaged = {n: weights[n] - totals[n] / time for n in weights}
    kept = {n: w for n, w in averaged.items() if np.abs(w).max() > 0.25}
    model.weights = {n: w.astype(np.float32) for n, w in kept.items()}
    right = 0
    for words, fixed, tags in held:
        found = []
        for here in range(len(words)):
            total = sum(
                (
                    model.weights[n]
                    for n in (*fixed[here], *history(words, found))
                    if n in model.weights
                ),
                np.zeros(len(TAGS)),
            )
            found.append(TAGS[int(total.argmax())])
        right += found == tags
    print(f"of {len(held)} made sentences that it has not seen {right} are right in every word")
    names = sorted(kept)
    scale = np.float16
    np.savez_compressed(
        _DATA, names=np.frombuffer("\n".join(names).encode(), np.uint8),
        words=np.frombuffer("\n".join(sorted(literal)).encode(), np.uint8),
        weights=np.stack([kept[n] for n in names]).astype(scale),
    )  # fmt: skip
    print(f"{len(names)} features, {_DATA.stat().st_size} bytes")


if __name__ == "__main__":
    main()
