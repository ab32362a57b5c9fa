"""Detects whether a sentence is in another language than English."""

from .tokenizer_and_lemmatizer import tokens

_ENGLISH_WORDS = """
the a an and then to it them any if when whenever of with by is are be must should has have get go
you your at from on up every all each first after before there this that into near as soon over next
"""
_OTHER_WORDS = """
der den dem des ein eine einen und zu zum zur auf mit wenn dann mich sich nicht über öffne gehe
greife le la les et une du dans avec puis sur vers quand si ouvre va el los las y con luego
cuando hacia una il lo gli poi quando vai apri uno della del het een naar als dan ga os um uma
ao para na no quando och till sedan när gå og så hvis jeg til i w na do się jeśli potem otwórz
ve sonra eğer git
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_OTHERS = frozenset(_OTHER_WORDS.split()) - _ENGLISH - {"i", "do", "no", "si", "as", "dan"}


def foreign(sentence: str) -> bool:
    """Whether it has letters, or little words, that English has not."""
    letters = [letter for letter in sentence if letter.isalpha()]
    if any(ord(letter) > 0x24F for letter in letters):
        return True
    words = tokens(sentence)
    if any(word in _ENGLISH for word in words):
        return False
    accents = sum(ord(letter) > 0x7F for letter in letters)
    return accents > 1 or sum(word in _OTHERS for word in words) > 0
