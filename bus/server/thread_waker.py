"""Wakes the bus's thread through a pair of sockets, because it waits on file handles."""

import socket
import threading


class ThreadWaker:
    """One byte on a pair of sockets signals that there is something to do."""

    def __init__(self) -> None:
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._lock = threading.Lock()
        self._is_rung = False

    def fileno(self) -> int:
        """Becomes readable when another thread calls `ring`."""
        return self._reader.fileno()

    def ring(self) -> None:
        """Wake the sleeper; from any thread, as often as you like."""
        with self._lock:
            if self._is_rung:
                return
            self._is_rung = True
            try:
                self._writer.send(b"!")
            except OSError:  # it is closed: no thread sleeps any more
                return

    def clear(self) -> None:
        """Called by the sleeper before it looks for what there is to do."""
        with self._lock:
            if not self._is_rung:
                return
            self._is_rung = False
            try:
                self._reader.recv(64)
            except BlockingIOError:
                return

    def close(self) -> None:
        self._reader.close()
        self._writer.close()
