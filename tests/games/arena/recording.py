"""A fake recorder: counts calls, keeps traces and failed checks."""

from collections import Counter


class Recording:
    """Takes every call of `Instruments`; also stands in for its `draw` and `trace`."""

    def __init__(self):
        self.calls = Counter()
        self.latched = []
        self.transitions = []
        self.failed = []
        self.watched = Counter()
        self.yard = None
        self.draw = self.trace = self

    def _drawn(self, kind, latch):
        self.calls[kind] += 1
        if latch:
            self.latched.append((kind, latch))

    def line(self, start, end, *, latch=None, **_):
        self._drawn("line", latch)

    def lines(self, segments, *, latch=None, **_):
        assert segments.shape[1:] == (2, 3)
        self._drawn("lines", latch)

    def sphere(self, center, radius, *, latch=None, **_):
        self._drawn("sphere", latch)

    def box(self, center, size, *, latch=None, **_):
        self._drawn("box", latch)

    def polygon(self, points, *, latch=None, **_):
        self._drawn("polygon", latch)

    def text(self, position, text, *, latch=None, **_):
        self._drawn("text", latch)

    def state(self, agent, machine, source, target, **rest):
        self.calls["state"] += 1
        tick = self.yard.tick if self.yard else 0
        self.transitions.append((tick, agent, source, target, rest))

    def watch(self, name, value, object=0):
        self.calls["watch"] += 1
        self.watched[name] += 1

    def log(self, text, **_):
        self.calls["log"] += 1

    def mark(self, name, note="", **_):
        self.calls["mark"] += 1

    def check(self, condition, message, *, focus=0):
        self.calls["check"] += 1
        if not condition:
            self.failed.append((self.yard.tick, message, focus))
        return condition
