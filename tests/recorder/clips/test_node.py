"""A reader in another language, written from the documents alone, reads every packet of a clip.

It uses no library, and fails where a byte is left over.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import playhead as ph
from playhead.agents.playthrough.playthrough_settings import settings_for
from playhead.agents.replay.agent_factory import playthrough
from playhead.agents.replay.demos.demo_files import read_demos, shipped
from playhead.agents.replay.local_replay_game import LocalGame
from playhead.agents.replay.replay_batch import BatchSettings, ReplayBatch
from playhead.games.arena.adventure.adventure_game import COLUMNS, AdventureGame
from playhead.native.ring_type_aliases import DAMAGED, RUN_LATCHED
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.frame_serialization import ENDED, VERSION
from playhead.recorder.clips.save_clip import save
from playhead.recorder.handler_interface import HandlerSpec
from playhead.recorder.packets.draw_primitives import PLACED
from playhead.recorder.packets.layouts.layout import Layout
from playhead.recorder.packets.layouts.packet_layouts import FACTS, PACKETS
from playhead.recorder.packets.layouts.plain_value_codec import decode
from playhead.recorder.packets.log_lines import LogLine
from playhead.recorder.packets.mark import Mark
from playhead.recorder.packets.packet_types import FIRST_OBJECT, Kind, PacketType
from playhead.recorder.packets.reexecutable_decisions import DecisionState, DecisionTrace
from playhead.recorder.packets.trace_types import (
    AnimationFrame,
    BlackboardAccess,
    StateTransition,
    TreeNode,
    TreeTick,
)
from playhead.recorder.packets.tree_tick_packets import TreeChange, TreeState
from playhead.recorder.reading.raw_frames import VERSION_BYTES
from playhead.recorder.recorder import Recorder
from playhead.recorder.statements.statement_messages import Picture

from ...support.answers import plain
from ...support.pictures import picture_bytes
from ...support.process import PLAYHEAD, run_process
from .stories import recorded

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

READER = Path(__file__).parent / "node" / "tell.mjs"
FIXTURES = Path(__file__).parents[2] / "fixtures"
NEWER = (
    PacketType.INPUT, PacketType.PHASE, PacketType.EVENT, PacketType.PICTURE,
    PacketType.TREE_STATE, PacketType.TREE_CHANGE, PacketType.LATE_PICTURE, PacketType.DECISION,
    PacketType.DECISION_STATE,
)  # fmt: skip
"""Packet types that came after format 1.0."""
MESSAGES = {
    PacketType.LOG: LogLine, PacketType.STATE: StateTransition, PacketType.TREE: TreeTick,
    PacketType.TREE_STATE: TreeState, PacketType.TREE_CHANGE: TreeChange,
    PacketType.ANIMATION: AnimationFrame, PacketType.MARK: Mark,
    PacketType.DECISION: DecisionTrace, PacketType.DECISION_STATE: DecisionState,
}  # fmt: skip


def read_by_node(clip: Path, *args: object) -> list[Any]:
    """What the reader prints of a clip."""
    done = run_process("node", READER, clip, *args)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


# --- what playhead's own reader says, in the same shape -------------------------------------------


def values_of(
    source: ClipSource, frame: int, type: int, payload: bytes, kind: int | None
) -> dict[str, Any]:
    """The name, the values and the texts of a payload."""
    name, layout = source.type_of(frame, type)
    values: dict[str, Any] = {}
    if kind == Kind.DRAWN:
        *placed, channels = PLACED.unpack_from(payload)
        values = {"position": placed[:3], "angles": placed[3:], "channels": channels}
        payload = payload[PLACED.size :]
    if type in MESSAGES:
        values[layout.tail_name] = decode(payload, MESSAGES[PacketType(type)])
    elif type == PacketType.FACT:
        assert kind is not None
        values[layout.tail_name] = decode(payload, FACTS[Kind(kind)])
    else:
        values |= layout.decode(payload)
    texts = {
        field: source.text(frame, int(values[field]))
        for field, note in layout.notes.items()
        if note.role == "text"
    }
    return {"name": name, "values": plain(values), "texts": texts}


def packet_of(source: ClipSource, frame: int, row: tuple[Any, ...]) -> dict[str, Any]:
    id, type, targetable, flags, position, angles, channels, run_flags, payload = row
    latched, kind, ended = None, None, False
    if run_flags & RUN_LATCHED:
        began, _, _, ordinal, key, _, kind, marks = VERSION.unpack_from(payload)
        ended = bool(marks & ENDED)
        latched = {"frame": began, "ordinal": ordinal, "key": key, "kind": kind, "ended": ended}
        payload = payload[VERSION_BYTES:]
    if ended or flags & DAMAGED:
        read = {"name": source.type_of(frame, type)[0], "values": None}
    else:
        read = values_of(source, frame, type, payload, kind)
    return {
        "id": id, "type": type, "targetable": targetable, "flags": flags,
        "position": plain(position), "angles": plain(angles), "channels": channels,
        "latched": latched, **read,
    }  # fmt: skip


def keyframe_of(source: ClipSource, frame: int) -> list[Any]:
    """What held before a chunk's first frame."""
    clip = source.clip
    index = next(at for at, row in enumerate(clip._rows) if row.first == frame)
    return [
        {"object": object, "kind": kind, "key": key, "frame": began,
         **values_of(source, frame, type, payload, kind)}
        for (object, kind, key), (began, type, payload) in clip._frame_chunk(index).latched.items()
    ]  # fmt: skip


def compare(path: Path) -> set[tuple[int, int | None]]:
    """See that both readers say the same of each packet; returns the types and kinds there are."""
    file, *result, end = read_by_node(path)
    seen: set[tuple[int, int | None]] = set()
    assert end == {"unknown": {}}
    with ph.open(path) as recording:
        source = recording._source
        assert isinstance(source, ClipSource)
        frames = [frame for a, b in source.stretches for frame in range(a, b + 1)]
        assert [one["id"] for one in result] == frames
        assert file["metadata"] == source.clip.metadata
        assert file["chunks"] == [
            {"first": row.first, "count": row.count, "start": row.start, "end": row.end,
             "offset": row.offset}
            for row in source.clip._rows
        ]  # fmt: skip
        for one in result:
            frame, stamp = one["id"], source.stamp(one["id"])
            assert [one[name] for name in ("time", "delta", "flags", "epoch")] == [
                stamp.time, stamp.delta, stamp.flags, stamp.epoch,
            ]  # fmt: skip
            rows = source.clip.packets(frame)
            assert len(one["packets"]) == len(rows) == stamp.packets
            for packet, row in zip(one["packets"], rows, strict=True):
                assert packet == packet_of(source, frame, row)
                seen.add((row[1], packet["latched"] and packet["latched"]["kind"]))
            if one["keyframe"] is not None:
                assert one["keyframe"] == keyframe_of(source, frame)
    return seen


# --- clips of many kinds --------------------------------------------------------------------------


def arena(path: Path) -> None:
    run_game("arena:yard", path)


def village(path: Path) -> None:
    run_game("arena:village", path)


def doom(path: Path) -> None:
    pytest.importorskip("vizdoom")
    run_game("doom:map01", path)


def run_game(game: str, path: Path) -> None:
    done = run_process(PLAYHEAD, "run", game, "--headless", "--seconds", "2", "--clip", path)
    assert done.returncode == 0, done.stderr


def demo_playthrough(path: Path) -> None:
    settings = settings_for("arena:village")
    files = read_demos(shipped("arena:village")[:1], COLUMNS)
    with AdventureGame("village", seed=3) as game, ph.Session(
        game.world, "4 MiB", handlers=game.handlers, on_check=UNATTENDED
    ) as session:  # fmt: skip
        game.attach(session)
        batch = ReplayBatch(files, playthrough(settings), BatchSettings(orders=settings.orders))
        batch.queue.start()
        batch.queue.begin_lap()
        batch.lap(LocalGame(game, session), 3)
        save(path, session.recorder.ring)


def pygame_sprites(path: Path) -> None:
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    pygame = pytest.importorskip("pygame")

    class Enemy(pygame.sprite.Sprite):  # type: ignore[misc,name-defined]
        def __init__(self, *groups: Any) -> None:
            super().__init__(*groups)
            self.image = pygame.Surface((20, 10))
            self.rect = self.image.get_rect()
            self.velocity = pygame.Vector2(2, 0.5)
            self.mood, self.target, self.angry = "calm", None, False

        def update(self) -> None:
            self.rect.x += 2
            self.angry = self.rect.x > 5

    group = pygame.sprite.Group()
    with ph.record(group, dt=1 / 60) as session:
        for n in range(8):
            with session.frame():
                if n < 3:
                    Enemy(group)
                group.update()
        save(path, session.recorder.ring)


class Failing:
    """A handler that fails now and then."""

    layout = Layout((("n", "<i4", ()),))

    def size(self, thing: SimpleNamespace) -> int:
        return 4

    def record(self, thing: SimpleNamespace, packet: Any) -> None:
        if thing.n % 3 == 0:
            raise ValueError("a mistake of the game's")
        packet.payload[:] = thing.n.to_bytes(4, "little")


def all_that_is_said(path: Path) -> None:
    """Drawings of each kind, also latched ones, trees, late things, damaged packets and gaps."""
    story = recorded(120, seed=3)
    draw = story.recorder.draw
    for latch in (None, "stays"):
        draw.line((1, 2, 3), (4, 5, 6), color=(1, 2, 3, 4), object=1, channel="ai", latch=latch)
        draw.lines([[(0, 0, 0), (1, 0, 0)], [(0, 0, 0), (0, 1, 0)]], latch=latch)
        draw.sphere((0, 0, float("nan")), 1.0, latch=latch and "ball")
        draw.box((0, 0, 0), (1, 2, 3), angles=(0.5, 0, 0), latch=latch and "box")
        draw.polygon([(0, 0, 0), (1, 0, 0), (0, 1, 0)], latch=latch and "flat")
        draw.text((0, 0, 0), "Höhe", latch=latch and "word")
    story.recorder.input("pad", {"jump": True, "stick": [0.5, -1.0]}, object=1)
    story.recorder.phase("boss fight")
    story.recorder.event("hit", {"damage": 7}, object=1)
    story.recorder.picture(picture_bytes("webp"), format="webp", width=640, height=360)
    story.recorder.accept(Picture(picture_bytes(), time=story.recorder.source.time(7)), 100)
    tree = story.recorder.tree_writer(1, "guard")
    story.recorder.trace.define_tree(1, "guard", [TreeNode("root"), TreeNode("leaf", parent=0)])
    for codes, board in ((b"\x01\x07", {"hp": 7}), (b"\x03\x03", {"hp": [1, None]})):
        used = BlackboardAccess("hp", "write", 1, "", None, board["hp"])
        assert tree.write(
            codes, {1: "näher"}, board, [1], ("hp",), (used,), {0: "interrupted"}, is_full=False
        )
    for hp in (7, 8):
        story.recorder.trace.decision(
            1, "brain", {"hp": hp, "way": [1.5, None]}, "Flee", won="hurt"
        )
    story.frame([])
    story.frame(["line"], jump=True)
    failing = Recorder("2 MiB", strict=False)
    failing.add_handler(HandlerSpec("thing", Failing(), None))
    for n in range(12):
        failing.update([(1, "thing", SimpleNamespace(n=n))], 0.25)
    save(path, story.recorder.ring, chunk_bytes=4000)
    save(path.with_name("failing.mcap"), failing.ring)
    story.close()
    failing.close()
    compare(path.with_name("failing.mcap"))


def every_format(path: Path) -> None:
    formats = ("|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8",
               "<c8", "<c16", "|S5", "<U3", "|V4", "<M8[ns]", "<M8", "<m8[25s]")  # fmt: skip
    fields = tuple((f"{n} {shape}", fmt, shape) for n, fmt in enumerate(formats)
                   for shape in ((), (3,), (2, 0), (2, 2)))  # fmt: skip
    whole = Layout(fields, tail="<f2", tail_shape=(2,))
    recorder, random = Recorder("2 MiB", strict=True), np.random.default_rng(1)

    class Anything:
        layout = whole

        def size(self, thing: np.ndarray) -> int:
            return len(thing.tobytes())

        def record(self, thing: np.ndarray, packet: Any) -> None:
            packet.payload[:] = thing.tobytes()

    recorder.add_handler(HandlerSpec("any", Anything(), None))
    for n in range(20):
        record = np.frombuffer(random.bytes(whole.dtype.itemsize), whole.dtype).copy()
        for name, fmt, _ in fields:
            if fmt == "<U3":
                record[name] = "hö\N{GRINNING FACE}"[: n % 4]
            elif fmt == "|b1":
                record[name] = n % 2
        bytes_ = np.frombuffer(record.tobytes() + random.bytes(4 * (n % 3)), "u1")
        recorder.update([(1, "any", bytes_)], 0.25)
    save(path, recorder.ring)
    recorder.close()


CLIPS = [
    pytest.param(demo_playthrough, marks=pytest.mark.slow),
    pytest.param(arena, marks=pytest.mark.slow),
    pytest.param(village, marks=pytest.mark.slow),
    pytest.param(doom, marks=pytest.mark.slow),
    pygame_sprites, all_that_is_said, every_format,
]  # fmt: skip


@pytest.mark.parametrize("make", CLIPS)
def test_every_packet_is_read_as_playhead_reads_it(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    make(tmp_path / "a.mcap")
    seen = compare(tmp_path / "a.mcap")
    assert any(type >= FIRST_OBJECT for type, _ in seen)
    if make is all_that_is_said:
        drawings = set(range(PacketType.LINE, PacketType.TEXT + 1))
        assert {type for type, _ in seen} >= set(PACKETS)
        assert {type for type, kind in seen if kind == Kind.DRAWN} >= drawings


def test_a_clip_of_format_1_0_is_read_to_the_last_byte():
    *result, end = read_by_node(FIXTURES / "format-1.0" / "recording.mcap")
    assert end == {"unknown": {}}
    names = {packet["name"] for frame in result[1:] for packet in frame["packets"]}
    newer = {PACKETS[type].name for type in NEWER}
    assert names >= {packet.name for packet in PACKETS.values()} - newer | {"guard"}


@pytest.mark.parametrize("frame", [1, 17, 40])
def test_one_frame_is_found_by_its_number(frame, small_clip):
    (result,) = read_by_node(small_clip, frame)
    with ClipSource.open(small_clip) as clip:
        names = {
            str(agent): found[2].hex()
            for agent in (1, 2, 2**62 + 1)
            if (found := clip.clip.latched(frame, agent, Kind.NAME, 0)) is not None
        }
    assert result["names"] == names


def test_attachments_are_found_by_name(small_clip):
    file = read_by_node(small_clip)[0]
    assert bytes.fromhex(file["shot"]) == b"not really a picture"
    assert file["attachments"] == [
        "shot.png", "playhead/chunks", "playhead/keys", "playhead/objects",
    ]  # fmt: skip


def test_a_frame_that_is_not_recorded_is_refused(small_clip):
    done: subprocess.CompletedProcess[str] = run_process("node", READER, small_clip, 10**9)
    assert done.returncode != 0
    assert "frame 1000000000 is not held" in done.stderr


def test_a_clip_that_is_cut_off_or_damaged_is_refused(small_clip, tmp_path):
    whole = small_clip.read_bytes()
    for name, data in {
        "cut": whole[:-20],
        "flipped": whole[:900] + b"\0\0\0\0" + whole[904:],
    }.items():
        (tmp_path / name).write_bytes(data)
        done = run_process("node", READER, tmp_path / name)
        assert done.returncode != 0, name
        assert "cut off" in done.stderr or "damaged" in done.stderr or "LZ4" in done.stderr
