/**
 * Moving the one playhead, with the words and defaults of Python's `PlaybackControl`.
 *
 * @module
 */

export function errorOf(kind, message) {
  return Object.assign(new Error(message), { kind });
}

export function refused(message, kind = "command") {
  return Promise.reject(errorOf(kind, message));
}

/** What a `Time` says, as the answer to a command says it. */
export function stateOf({ mode, frame = 0, time = 0, rate = 1, loop = null, focus = 0, hidden = [] }, span) {
  const shows = mode !== "live" && frame > 0;
  return {
    mode, frame: shows ? frame : null, time: shows ? time : null, rate, clamped: false, loop,
    focus, hidden, span, pending: [],
  };
}

/**
 * What moves the playhead, in whatever has `ask(command)`.
 *
 * Each act resolves with where everybody stands then: `{ mode, frame, time, rate, clamped, loop,
 * focus, hidden, span, pending }`. It rejects with an Error that has the service's `kind` and
 * `message`.
 */
export class PlaybackControl {
  /** Enter playback: pause the game at its newest frame, or at a time in seconds. */
  enter(time = null) {
    return this.apply({ do: "enter", time });
  }

  /** Leave playback: every object is as it was, and the game runs on. */
  leave() {
    return this.apply({ do: "leave" });
  }

  /** Play recorded frames at that many times their speed; in reverse if it is negative. */
  play(rate = 1, { restart = false } = {}) {
    return this.apply({ do: "play", rate, restart });
  }

  pause() {
    return this.apply({ do: "pause" });
  }

  /** Move by `n` recorded frames, to older ones if it is negative. */
  step(n = 1) {
    return this.apply({ do: "step", frames: n });
  }

  /** Go to a time in seconds, or to `{ time }`, `{ frame }` or `{ mark }`: exactly one of them. */
  seek(where) {
    const given = where !== null && typeof where === "object" ? where : { time: where };
    const names = ["time", "frame", "mark"].filter((name) => (given[name] ?? null) !== null);
    if (names.length !== 1) {
      return refused("seek: give one of a time in seconds, frame= and mark=, not "
        + (names.join(" and ") || "none of them"));
    }
    if (names[0] === "frame") return this.apply({ do: "seek_frame", frame: given.frame });
    if (names[0] === "mark") return this.apply({ do: "seek_mark", name: given.mark });
    return this.apply({ do: "seek_time", time: given.time });
  }

  /** Play round and round between two times; `loop(null)` plays to the ends again. */
  loop(start, end = null) {
    if (start === null && end === null) return this.apply({ do: "loop_off" });
    if (start === null || end === null) {
      return refused("loop: give a start and an end, seconds; loop(None) ends it");
    }
    return this.apply({ do: "loop", start, end });
  }

  /** Run the paused game for `n` steps at its newest frame, and stand still again. */
  advance(n = 1) {
    return this.apply({ do: "advance", steps: n });
  }

  /** Show only this object's debug drawings; 0 for everybody's. */
  focus(object) {
    return this.apply({ do: "focus", object });
  }

  /** Show a channel's debug drawings, or hide them. */
  show(channel, on = true) {
    return this.apply({ do: "show", channel, on });
  }

  /** Any command of the protocol. */
  async apply(command) {
    return (await this.ask(command)).state;
  }
}
