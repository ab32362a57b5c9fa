"""What receiving alone costs: a WebSocket server that copies each message into memory, no more.

It is laid out as the gateway is: one thread reads, another one takes what was read, and reading
waits when too much is to be taken. A text is answered when everything before it was copied.
"""

import asyncio
import queue
import threading
from typing import NamedTuple

from websockets.asyncio.server import ServerConnection, serve

MEMORY = 64 << 20
MOST = 50
"""Messages that may wait to be copied: as many as the gateway lets, of this size."""


class Message(NamedTuple):
    """Something that was read, and from where."""

    data: str | bytes
    socket: ServerConnection
    room: asyncio.Event
    """Set when more may be read."""


def main() -> None:
    read: queue.SimpleQueue[Message] = queue.SimpleQueue()
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_until_complete, args=(_listen(read),), daemon=True).start()
    block, at = bytearray(MEMORY), 0
    while True:
        data, socket, room = read.get()
        if isinstance(data, str):
            asyncio.run_coroutine_threadsafe(socket.send(data), loop)
            continue
        if at + len(data) > MEMORY:
            at = 0
        block[at : at + len(data)] = data
        at += len(data)
        if not room.is_set() and read.qsize() <= MOST // 2:
            loop.call_soon_threadsafe(room.set)


async def _listen(read: "queue.SimpleQueue[Message]") -> None:
    async def receive(socket: ServerConnection) -> None:
        room = asyncio.Event()
        async for data in socket:
            room.clear()
            read.put(Message(data, socket, room))
            if read.qsize() < MOST:
                room.set()
            await room.wait()

    async with serve(
        receive, "127.0.0.1", 0, compression=None, max_size=MEMORY, max_queue=4
    ) as server:
        print(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/", flush=True)
        await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    main()
