"""Waking the bus's thread: a pair of sockets, since it sleeps on file handles."""

import socket
import threading


class ThreadWaker:
    """One byte on a pair of sockets says that there is something to do."""

    def __init__(self) -> None:
        self._here, self._there = socket.socketpair()
        self._here.setblocking(False)
        self._there.setblocking(False)
        self._lock = threading.Lock()
        self._rung = False

    def fileno(self) -> int:
        """Becomes readable when somebody rang."""
        return self._here.fileno()

    def ring(self) -> None:
        """Wake the sleeper; from any thread, as often as you like."""
        with self._lock:
            if self._rung:
                return
            self._rung = True
            try:
                self._there.send(b"!")
            except OSError:  # it is closed: nobody sleeps any more
                return

    def clear(self) -> None:
        """Called by the sleeper before it looks for what there is to do."""
        with self._lock:
            if not self._rung:
                return
            self._rung = False
            try:
                self._here.recv(64)
            except BlockingIOError:
                return

    def close(self) -> None:
        self._here.close()
        self._there.close()
