"""Which handler serves which type, and who may say so."""

import pytest

from playhead.errors import HandlerError
from playhead.handlers.handler_registry import HandlerRegistry, registry_of
from playhead.recorder.packets.layouts.layout import Layout


class Recording:
    layout = Layout()

    def size(self, obj):
        return 0

    def record(self, obj, packet):
        pass


class Playing:
    def play(self, obj, packet):
        pass


class Both(Recording, Playing):
    pass


def test_one_object_may_serve_both_halves_or_one_each():
    registry = HandlerRegistry()
    both, recording, playing = Both(), Recording(), Playing()
    registry.register("a", both, channels=("ai",))
    registry.register("b", record=recording, play=playing)
    registry.register("c", recording)
    registry.register("d", playing)
    assert (registry["a"].record, registry["a"].play) == (both, both)
    assert (registry["b"].record, registry["b"].play) == (recording, playing)
    assert (registry["c"].record, registry["c"].play) == (recording, None)
    assert (registry["d"].record, registry["d"].play) == (None, playing)
    assert set(registry.players) == {"a", "b", "d"}
    assert [spec.type for spec in registry] == ["a", "b", "c", "d"]
    assert "a" in registry
    assert "z" not in registry


def test_two_handlers_for_a_type_are_refused_and_the_first_stays():
    registry = HandlerRegistry()
    first = Both()
    registry.register("guard", first)
    with pytest.raises(HandlerError, match="'guard' has a handler already"):
        registry.register("guard", Both())
    assert registry["guard"].record is first


@pytest.mark.parametrize("type", ["", ".line"])
def test_a_type_needs_a_name_of_its_own(type):
    with pytest.raises(HandlerError, match="name"):
        HandlerRegistry().register(type, Both())


def test_what_neither_records_nor_plays_is_no_handler():
    with pytest.raises(HandlerError, match="neither"):
        HandlerRegistry().register("guard", object())


def test_an_unknown_type_is_answered_with_the_nearest():
    registry = HandlerRegistry()
    registry.register("guard", Both())
    with pytest.raises(HandlerError, match="did you mean 'guard'"):
        registry["gard"]


def test_a_listener_hears_of_all_and_may_refuse():
    registry, heard = HandlerRegistry(), []
    registry.register("a", Both())
    registry.on_register(lambda spec: heard.append(spec.type))
    registry.register("b", Both())
    assert heard == ["a", "b"]

    def refuse(spec):
        if spec.type == "c":
            raise HandlerError("not now")

    registry.on_register(refuse)
    with pytest.raises(HandlerError, match="not now"):
        registry.register("c", Both())
    assert "c" not in registry


def test_types_are_ignored_all_or_none_and_each_but_once():
    registry, heard = HandlerRegistry(), []
    registry.ignore("tree")
    registry.on_register(heard.append)
    registry.register("guard", Both())
    registry.ignore("decor", "tree", "smoke")
    assert registry.ignored == {"tree", "decor", "smoke"}
    assert [spec.type for spec in heard] == ["tree", "guard", "decor", "smoke"]
    with pytest.raises(HandlerError, match="'guard' has a handler"):
        registry.ignore("sky", "guard")
    with pytest.raises(HandlerError, match="has a name"):
        registry.ignore("")
    with pytest.raises(HandlerError, match="'decor' is ignored"):
        registry.register("decor", Both())
    assert registry.ignored == {"tree", "decor", "smoke"}
    assert "decor" not in registry


class NoLayout:
    def size(self, obj):
        return 0

    def record(self, obj, packet):
        pass

    def play(self, obj, packet):
        pass


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"handler": NoLayout()}, "lacks layout: what records has"),
        ({"record": NoLayout()}, "lacks layout: what records has"),
        ({"record": Playing()}, r"lacks layout and size\(\) and record\(\)"),
        ({"play": Recording()}, r"has no play\(\)"),
        ({"handler": Recording(), "play": object()}, r"has no play\(\)"),
        ({"handler": Both(), "channels": "ai"}, r"write \('ai',\)"),
    ],
)
def test_half_a_half_is_refused_instead_of_being_left_out(given, words):
    registry = HandlerRegistry()
    with pytest.raises(HandlerError, match=words):
        registry.register("guard", **given)
    assert "guard" not in registry


def test_the_players_are_always_those_of_now():
    registry = HandlerRegistry()
    players = registry.players
    playing = Playing()
    registry.register("guard", playing)
    assert players == {"guard": playing}


def test_what_is_no_name_is_no_type():
    for type in (None, 5, ("guard",)):
        with pytest.raises(HandlerError, match="name"):
            HandlerRegistry().register(type, Both())


# --- a mapping ----------------------------------------------------------------------------------


def test_a_mapping_registers_each_type_and_ignores_those_without_a_handler():
    both = Both()
    registry = registry_of({"guard": both, "player": Playing(), "smoke": None})
    assert [spec.type for spec in registry] == ["guard", "player"]
    assert registry["guard"].record is both
    assert registry.ignored == {"smoke"}


def test_a_registry_is_used_itself_and_nothing_is_an_empty_one():
    registry = HandlerRegistry({"guard": Both()})
    assert registry_of(registry) is registry
    assert list(registry_of(None)) == []


@pytest.mark.parametrize(
    ("handlers", "message"),
    [
        ({"guard": object()}, "type 'guard': <object .* has neither .*FieldHandler"),
        ({"guard": Both}, r"type 'guard': the class Both is no handler: give an instance, Both\("),
        ({7: Both()}, "type 7: a type has a name"),
        ({"": Both()}, "type '': a type has a name"),
        ({Both: Both()}, "type <class .*Both'>: a type has a name"),
        ({"guard": (Both(), ("ai",))}, r"type 'guard': \(.* has neither"),
        ([Both()], "handlers .*give a mapping from types to handlers"),
        ("guard", "handlers 'guard': give a mapping"),
    ],
)
def test_what_is_wrong_in_a_mapping_is_named(handlers, message):
    with pytest.raises(HandlerError, match=message):
        registry_of(handlers)
