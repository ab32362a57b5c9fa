"""Kills writers in the midst of it, and reads what they leave.

A warm process forks a writer for each kill, and after it a reader that looks at every frame.
Prints one line of JSON: kills, frames looked at, what was wrong.
"""

import argparse
import json
import os
import random
import time
from pathlib import Path

from playhead.errors import PlayheadError

from .contents import Contents, read_only
from .writer import in_a_child, kill_writer, start_writer


def look(path: Path, contents: Contents) -> tuple[int, list[str]]:
    """How many frames a ring's file holds, and what is wrong with them."""
    ring = read_only(str(path))
    newest, oldest = ring.newest, ring.oldest
    if newest is None or oldest is None:
        return 0, []
    wrong = [] if ring.finished is False else ["it says that its writer left in good order"]
    for frame in range(oldest[0], newest[0] + 1):
        try:
            if not ring.verify(frame):
                wrong.append(f"frame {frame}: its check is wrong")
            wrong += contents.wrong_packets(ring, frame)
            wrong += contents.wrong_facts(ring, frame)
            wrong += contents.wrong_stamp(ring, frame)
        except PlayheadError as error:
            wrong.append(f"frame {frame} of {oldest[0]}-{newest[0]}: {error}")
    return newest[0] - oldest[0] + 1, wrong


def kill_once(path: Path, memory: int, contents: Contents, delay: float) -> tuple[int, list[str]]:
    writer = start_writer(path, memory, contents)
    time.sleep(delay)
    kill_writer(writer)
    reading, writing = os.pipe()

    def tell() -> None:
        frames, wrong = look(path, contents)
        os.write(writing, json.dumps((frames, [what[:300] for what in wrong[:20]])).encode())

    reader = in_a_child(tell)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        output = pipe.read()
    _, status = os.waitpid(reader, 0)
    path.unlink()
    if status:
        return 0, [f"the reader ended with {os.waitstatus_to_exitcode(status)}"]
    frames, wrong = json.loads(output)
    return frames, wrong


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kills", type=int, required=True)
    parser.add_argument("--until-wrong", action="store_true")
    given = parser.parse_args()
    chance = random.Random(given.kills)
    # (memory, bytes of a large frame, small frames between): few large frames, many small
    shapes = [
        (1 << 18, 100_000, 60),
        (1 << 17, 30_000, 3),
        (1 << 16, 2_000, 200),
        (1 << 20, 4e5, 9),
    ]
    kills = frames = writers_with_frames = 0
    wrong: list[str] = []
    while kills < given.kills and not (given.until_wrong and wrong):
        memory, large, small = shapes[kills % len(shapes)]
        delay = chance.uniform(0.001, 0.06)
        held, found = kill_once(given.folder / "ring", memory, Contents(int(large), small), delay)
        kills += 1
        frames += held
        writers_with_frames += held > 0
        wrong += [f"kill {kills} after {delay * 1e3:.1f} ms: {what}" for what in found[:5]]
    facts = {"kills": kills, "frames": frames, "recorded": writers_with_frames}
    print(json.dumps(facts | {"wrong": wrong[:20]}))


if __name__ == "__main__":
    main()
