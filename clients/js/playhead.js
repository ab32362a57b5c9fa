/**
 * A browser game recorded by playhead, paused, scrubbed back and resumed.
 *
 *     import { Playhead } from "./playhead.js";
 *     const playhead = new Playhead("ws://127.0.0.1:5671/?token=TOKEN", {
 *       name: "my game",
 *       on: { apply: ({ id, values }) => Object.assign(objects.get(id), values) },
 *     });
 *     const guard = playhead.type(32, "guard", { hp: "<f4", hand: { format: "<f4", shape: [3] } });
 *     function step() {
 *       if (!playhead.live) return;
 *       …
 *       playhead.begin(time, delta);
 *       playhead.add(guard, id, { position: [x, y, z] }, { hp, hand });
 *       playhead.end();
 *     }
 *
 * Nothing here waits. Without a service all calls do nothing; every second one is looked for. What
 * a slow service has no room for is dropped and counted. Orders are carried out between the game's
 * own turns, as events are, so the game has to be in good order whenever it gives up its turn.
 *
 * @module
 */

const NONE = 0xffffffffffffffffn;
const MAX_ID = 0x7fffffffffffffffn;
const MAX_TEXT = 1 << 20; // the protocol's, for a request
const FRAME = 96;
const RUN = 24;
const PACKET = 40;
const RETRY = 1000; // milliseconds between attempts to connect
const PATIENCE = 5000; // milliseconds for the service to say welcome
const ROOM = 20; // milliseconds between looks whether there is room again

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** An id as this client gives it: a number while a number holds it exactly, else a BigInt. */
function idOf(value) {
  const id = BigInt(value);
  return id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(id) : id;
}

/** JSON as the gateway reads it: large whole numbers are text, and all text is well-formed. */
function jsonOf(value) {
  return JSON.stringify(value, (_, part) => {
    if (typeof part === "bigint") return idOf(part) === part ? String(part) : Number(part);
    return typeof part === "string" && part.toWellFormed ? part.toWellFormed() : part;
  });
}

/** The file and line that called into this module. */
function site() {
  for (const line of (new Error().stack ?? "").split("\n")) {
    const found = /(?:\(|@|at )(?:async )?([^()@]+):(\d+):\d+\)?$/.exec(line);
    // A page's address may carry the token in its query: what is recorded holds none of that.
    if (found && found[1] !== import.meta.url) {
      return { file: found[1].split(/[?#]/, 1)[0], line: Number(found[2]) };
    }
  }
  return { file: "", line: 0 };
}

function errorOf(kind, message) {
  return Object.assign(new Error(message), { kind });
}

function refused(message, kind = "command") {
  return Promise.reject(errorOf(kind, message));
}

/** What a `Time` says, as the answer to a command says it. */
function stateOf({ mode, frame = 0, time = 0, rate = 1, loop = null, focus = 0, hidden = [] }, span) {
  const shows = mode !== "live" && frame > 0;
  return {
    mode, frame: shows ? frame : null, time: shows ? time : null, rate, clamped: false, loop,
    focus, hidden, span, pending: [],
  };
}

const NUMBERS = {
  f4: [4, "Float32"], f8: [8, "Float64"], i1: [1, "Int8"], i2: [2, "Int16"], i4: [4, "Int32"],
  i8: [8, "BigInt64"], u1: [1, "Uint8"], u2: [2, "Uint16"], u4: [4, "Uint32"],
  u8: [8, "BigUint64"],
};

/** How one value of a numpy format is written and read. */
function codecOf(format) {
  const [, kind, digits] = /^[<|]?([fiubSU])(\d+)$/.exec(format) ?? [];
  const count = Number(digits);
  if (kind === "b" && count === 1) {
    return {
      size: 1,
      write: (view, at, value) => view.setUint8(at, value ? 1 : 0),
      read: (view, at) => view.getUint8(at) !== 0,
    };
  }
  if (kind === "S" && count) {
    return {
      size: count,
      write: (view, at, value) => {
        bytesOf(view, at, count).set(encoder.encode(value).slice(0, count));
      },
      read: (view, at) => decoder.decode(bytesOf(view, at, count)).replace(/\0+$/, ""),
    };
  }
  if (kind === "U" && count) {
    return {
      size: 4 * count,
      write: (view, at, value) => {
        const points = [...value].slice(0, count).map((c) => c.codePointAt(0));
        points.forEach((point, i) => view.setUint32(at + 4 * i, point, true));
      },
      read: (view, at) => {
        const points = Array.from({ length: count }, (_, i) => view.getUint32(at + 4 * i, true));
        return String.fromCodePoint(...points.filter((p) => p > 0 && p <= 0x10ffff));
      },
    };
  }
  const number = NUMBERS[kind + digits];
  if (!number) throw new TypeError(`format ${JSON.stringify(format)} can't be recorded`);
  const [size, name] = number;
  const [get, set] = [`get${name}`, `set${name}`];
  return {
    size,
    write: size === 8 && kind !== "f"
      ? (view, at, value) => view[set](at, BigInt(value), true)
      : (view, at, value) => view[set](at, value, true),
    read: (view, at) => view[get](at, true),
  };
}

function bytesOf(view, at, size) {
  return new Uint8Array(view.buffer, view.byteOffset + at, size);
}

/** What packets of one type hold: made by `Playhead.type`. */
class Type {
  constructor(number, name, fields, { tail, channels = [] } = {}) {
    if (!(number >= 32 && number <= 65535)) throw new RangeError(`type ${number}: begin at 32`);
    this.number = number;
    this.name = name;
    this.size = 0;
    this.fields = Object.entries(fields).map(([key, given]) => {
      const spec = typeof given === "string" ? { format: given } : given;
      const { format, shape = [], unit, role } = spec;
      const codec = codecOf(format);
      const count = shape.reduce((product, n) => product * n, 1);
      const field = { key, format, shape, unit, role, codec, count, at: this.size };
      this.size += codec.size * count;
      return field;
    });
    this.tail = tail && { name: "tail", shape: [], role: undefined, space: undefined, ...tail };
    const textual = tail && (tail.format === "utf8" || tail.format === "msgpack");
    this.tailCodec = tail && !textual ? codecOf(tail.format) : null;
    this.channels = channels;
  }

  /** The declaration, as the protocol has it. */
  get ask() {
    const told = (what) => Object.fromEntries(
      [...this.fields.map((f) => [f.key, f[what]]), [this.tail?.name, this.tail?.[what]]]
        .filter(([, value]) => value !== undefined),
    );
    const { tail } = this;
    return {
      do: "type", number: this.number, name: this.name, channels: this.channels,
      fields: this.fields.map((f) => [f.key, f.format, f.shape]),
      units: told("unit"), roles: told("role"),
      ...(tail && { tail: tail.format, tail_shape: tail.shape, tail_name: tail.name }),
      ...(tail?.space && { space: tail.space }),
    };
  }

  /** The tail's bytes. */
  tailOf(values) {
    const given = this.tail && values[this.tail.name];
    if (given === undefined || given === null) return new Uint8Array(0);
    if (typeof given === "string") return encoder.encode(given);
    if (!this.tailCodec) return given; // MessagePack, ready made
    const { size, write } = this.tailCodec;
    const view = new DataView(new ArrayBuffer(size * given.length));
    for (let i = 0; i < given.length; i++) write(view, i * size, given[i]);
    return new Uint8Array(view.buffer);
  }

  /** Write values where `view` has room for them. */
  write(view, at, values, tail) {
    for (const { key, codec, count, shape, at: offset } of this.fields) {
      const value = values[key];
      if (shape.length === 0) {
        codec.write(view, at + offset, value);
      } else {
        if (value.length !== count) throw new RangeError(`${this.name}.${key}: ${count} values`);
        for (let i = 0; i < count; i++) codec.write(view, at + offset + i * codec.size, value[i]);
      }
    }
    bytesOf(view, at + this.size, tail.length).set(tail);
  }

  /** A payload's values: numbers, or flat arrays of them where a field has a shape. */
  read(view, at, size) {
    const values = {};
    for (const { key, codec, count, shape, at: offset } of this.fields) {
      const read = (_, i) => codec.read(view, at + offset + i * codec.size);
      const all = Array.from({ length: count }, read);
      values[key] = shape.length === 0 ? all[0] : all;
    }
    if (this.tail) {
      const bytes = bytesOf(view, at + this.size, size - this.size).slice();
      const { format, name } = this.tail;
      values[name] = format === "utf8" ? decoder.decode(bytes) : bytes;
      if (this.tailCodec) {
        const codec = this.tailCodec;
        const inside = new DataView(bytes.buffer);
        const count = Math.floor(bytes.length / codec.size);
        values[name] = Array.from({ length: count }, (_, i) => codec.read(inside, i * codec.size));
      }
    }
    return values;
  }

  /** The bytes that these values are recorded as. */
  bytes(values) {
    const tail = this.tailOf(values);
    const view = new DataView(new ArrayBuffer(this.size + tail.length));
    this.write(view, 0, values, tail);
    return new Uint8Array(view.buffer);
  }
}

/**
 * The runs of a frame by itself: `{ type, size, packets: [offset, …] }`.
 *
 * @throws RangeError it is damaged: nothing of it is to be used.
 */
function runsOf(view) {
  const damaged = () =>
    new RangeError("a frame to be shown is damaged: nothing of it was put back");
  const length = view.byteLength;
  if (length < FRAME || view.getBigUint64(64, true) !== BigInt(length)) throw damaged();
  const total = view.getUint32(80, true);
  const begin = view.getBigUint64(48, true);
  if ((begin === NONE) !== (total === 0) || (total && begin > BigInt(length))) throw damaged();
  const runs = [];
  for (let at = Number(begin), seen = 0; seen < total;) {
    if (at < FRAME || at % 8 || at + RUN > length) throw damaged();
    const [next, count, stride, size] = [0, 4, 8, 12].map((i) => view.getUint32(at + i, true));
    const bytes = RUN + count * stride;
    seen += count;
    if (!count || stride % 8 || stride < PACKET + size || at + bytes > length || seen > total
        || next * 8 !== (seen < total ? bytes : 0)) throw damaged();
    const packets = Array.from({ length: count }, (_, i) => at + RUN + i * stride);
    const [type, flags] = [view.getUint16(at + 20, true), view.getUint16(at + 22, true)];
    runs.push({ type, flags, size, packets });
    at += bytes;
  }
  return runs;
}

/**
 * A game's end of the gateway.
 *
 * `on` may have, all optional: `recording()` the service listens: say names again; `paused()` the
 * game stands still, ignore the player; `apply({ type, id, values, position, angles, hidden })` put
 * it back into its object; `hide(id)`, `unhide(id)`; `standIn({ id, type, position, angles,
 * visible })` show or move, `removeStandIn(id)`; `shown(frame, time)` all of it is done: draw;
 * `lookAt(id, position)`; `resumed()` everything is as before the pause, also when the service is
 * gone; `error(message)`.
 */
export class Playhead {
  #url; #hello; #game; #on; #canRestore; #frameLimit; #queueLimit; #WebSocket;
  #types = new Map();
  #skeletons = [];
  #socket = null;
  #state = "off"; // off, connecting, greeting, attaching, on
  #closed = false;
  #timer = null;
  #origin = "";
  #sequence = 0;
  #attach = 0;
  #order = null; // a `show` that waits for its image
  #mode = "live"; // live, pausing, paused
  #stopAtEnd = false;
  #view = new DataView(new ArrayBuffer(1 << 16));
  #size = 0; // of the frame in it: the open one, or at rest the newest
  #open = false;
  #placed = false; // a frame was recorded on this connection
  #unsent = false;
  #touched = false; // playback has moved objects
  #run = 0;
  #last = 0;
  #owed = 0;
  #advance = 0; // steps that are left before the game stands still again
  #asked = new Map(); // what awaits its answer, by sequence number
  #onMoved = new Set();
  #stands = ""; // mode and frame, as heard last
  #hidden = new Set();
  #standIns = new Set();

  /** What was sent and what was dropped. */
  counts = { frames: 0, framesDropped: 0, packetsDropped: 0, statementsDropped: 0, connections: 0 };
  /** What went wrong most recently, or "". */
  error = "";

  /**
   * @param {string} url the gateway's, with its token
   * @param {object} options `name`; `about`, plain facts such as `{ build: "1.2" }`; `conventions`
   *   (`{ up, handedness, unit, angles }`); `canRestore`; `on`; `frameLimit` and `queueLimit`,
   *   bytes of the largest frame (4 MiB) and of what may wait to be sent (16 MiB)
   */
  constructor(url, {
    name = "game", about = {}, conventions = {}, canRestore = true, on = {},
    frameLimit = 4 << 20, queueLimit = 16 << 20, WebSocket = globalThis.WebSocket,
  } = {}) {
    this.#url = url;
    this.#on = on;
    this.#canRestore = canRestore;
    this.#frameLimit = Math.min(frameLimit, 64 << 20);
    this.#queueLimit = Math.max(queueLimit, this.#frameLimit);
    this.#WebSocket = WebSocket;
    this.#hello = { do: "hello", name, protocol: [1, 0] };
    this.#game = { do: "game", name, can_restore: canRestore, conventions, about };
    this.#connect();
  }

  /** Whether the game is to run: false while it stands still for playback. */
  get live() {
    return this.#mode === "live";
  }

  /** Whether frames are recorded now; the calls may be made in any case. */
  get recording() {
    return this.#state === "on" && this.live;
  }

  /** Leave, and look for no service any more. */
  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    if (this.#state === "on") this.#ask({ do: "bye" });
    this.#mode = "live"; // who closes is not given anything back
    this.#drop("");
  }

  // --- what the game declares -----------------------------------------------------------------

  /**
   * Say what packets of a type hold. `fields` maps names to a numpy format ("<f4"), or to
   * `{ format, shape, unit, role }`; `tail` is `{ format, name, shape, role, space }`.
   */
  type(number, name, fields, options) {
    const type = new Type(number, name, fields, options);
    this.#types.set(number, type);
    if (this.#state === "attaching" || this.#state === "on") this.#ask(type.ask);
    return type;
  }

  /** A skeleton for a type with a field `skeleton` ("<i4"); a root's parent is -1. */
  skeleton(type, number, name, joints, parents) {
    const ask = { do: "skeleton", type: type.number, number, name, joints, parents };
    this.#skeletons.push(ask);
    if (this.#state === "attaching" || this.#state === "on") this.#ask(ask);
  }

  // --- frames ---------------------------------------------------------------------------------

  /** A frame: after a step of the game, whose own clock says `time`. False: nobody records. */
  begin(time, delta) {
    if (!this.recording) return false;
    if (!Number.isFinite(time) || !(delta >= 0 && delta < Infinity)) {
      throw new RangeError(`a frame at ${time} after ${delta}: give seconds`);
    }
    const view = this.#view;
    bytesOf(view, 0, FRAME).fill(0);
    view.setBigUint64(0, 1n, true);
    for (const at of [8, 16, 40, 48, 56]) view.setBigUint64(at, NONE, true);
    view.setFloat64(24, time, true);
    view.setFloat64(32, delta + this.#owed, true); // since the newest frame that was sent
    this.#size = FRAME;
    this.#run = this.#last = 0;
    this.#unsent = false;
    this.#open = true;
    return true;
  }

  /**
   * An object of the open frame. `header` is what is said of it beside its fields: `position`,
   * `angles` (radians), `hidden`, `targetable`.
   */
  add(type, id, header, values) {
    if (!this.#open) return false;
    const { position = [0, 0, 0], angles = [0, 0, 0], hidden = false, targetable = true } = header;
    const wide = BigInt(id);
    if (wide < 1n || wide > MAX_ID) throw new RangeError(`id ${id}: ids are from 1 to 2^63 - 1`);
    const tail = type.tailOf(values);
    const size = type.size + tail.length;
    const stride = (PACKET + size + 7) & ~7;
    let view = this.#view;
    const joins = this.#run && view.getUint16(this.#run + 20, true) === type.number
      && view.getUint32(this.#run + 12, true) === size;
    let at = this.#size;
    const end = at + stride + (joins ? 0 : RUN);
    if (end > this.#frameLimit) {
      view.setUint32(84, 4, true); // a packet was dropped
      this.counts.packetsDropped++;
      return false;
    }
    view = this.#grown(end);
    bytesOf(view, at, end - at).fill(0);
    type.write(view, joins ? at + PACKET : at + RUN + PACKET, values, tail);
    if (!joins) {
      if (this.#run) view.setUint32(this.#run, (at - this.#run) / 8, true);
      else view.setBigUint64(48, BigInt(at), true);
      this.#run = at;
      view.setUint32(at + 8, stride, true);
      view.setUint32(at + 12, size, true);
      view.setUint16(at + 20, type.number, true);
      at += RUN;
    }
    view.setUint32(this.#run + 4, view.getUint32(this.#run + 4, true) + 1, true);
    view.setUint32(80, view.getUint32(80, true) + 1, true);
    if (this.#last) view.setUint32(this.#last + 12, (at - this.#last) / 8, true);
    else view.setBigUint64(40, BigInt(at), true);
    this.#last = at;
    view.setBigUint64(at, wide, true);
    view.setUint16(at + 8, type.number, true);
    view.setUint8(at + 10, targetable ? 1 : 0);
    view.setUint8(at + 11, hidden ? 2 : 0);
    for (let i = 0; i < 3; i++) {
      view.setFloat32(at + 16 + 4 * i, position[i], true);
      view.setFloat32(at + 28 + 4 * i, angles[i], true);
    }
    this.#size = end;
    return true;
  }

  /** The frame is whole: send it. False: it was dropped, or nobody records. */
  end() {
    if (!this.#open) return false;
    this.#open = false;
    const view = this.#view;
    view.setBigUint64(64, BigInt(this.#size), true);
    view.setBigUint64(72, BigInt(this.#size), true);
    if (this.#state !== "on") return false; // the connection was lost in mid-frame
    const delta = view.getFloat64(32, true);
    const sent = this.#sendFrame();
    this.#unsent = !sent;
    this.#owed = sent ? 0 : delta;
    this.#placed = true;
    if (!sent) this.counts.framesDropped++;
    if (this.#advance && --this.#advance === 0) this.#stopAtEnd = true;
    if (this.#stopAtEnd) {
      this.#stopAtEnd = false;
      this.#mode = "pausing";
    }
    this.#stand();
    return sent;
  }

  #grown(size) {
    let room = this.#view.byteLength;
    if (size <= room) return this.#view;
    while (room < size) room *= 2;
    const bytes = new Uint8Array(room);
    bytes.set(bytesOf(this.#view, 0, this.#size));
    this.#view = new DataView(bytes.buffer);
    return this.#view;
  }

  #sendFrame() {
    if (!this.#hasRoom(this.#size)) return false;
    this.#socket.send(bytesOf(this.#view, 0, this.#size));
    this.counts.frames++;
    return true;
  }

  // --- what the game says ---------------------------------------------------------------------

  /** A machine of an agent went from one state to another because `won` held. */
  traceState(agent, {
    machine, source, target, won, alsoTrue = [], rejected = [], values = {}, beliefs = [],
  }) {
    if (this.#state !== "on") return false;
    const trace = { machine, source, target, won, also_true: alsoTrue, rejected, values, beliefs };
    return this.say({ do: "trace_state", agent, trace: { ...trace, ...site() } });
  }

  log(text, { level = "info", object = 0, channel } = {}) {
    if (this.#state !== "on") return false;
    return this.say({ do: "log", line: { text, level, object, ...site() }, channel });
  }

  /** A named number of an object, in this frame. */
  watch(name, value, object = 0) {
    return this.say({ do: "watch", name, value, object });
  }

  mark(name, { note = "", object = 0 } = {}) {
    return this.say({ do: "mark", name, note, object });
  }

  /** What people call an object. */
  name(object, name) {
    return this.say({ do: "name", object, name });
  }

  despawn(object) {
    return this.say({ do: "despawn", object });
  }

  /** A debug drawing: "line", "lines", "sphere", "box", "polygon" or "text". */
  draw(shape, points, { size, angles, text, color, object = 0, channel, latch } = {}) {
    const look = { size, angles, text, color };
    return this.say({ do: "draw", shape, points, object, channel, latch, ...look });
  }

  line(start, end, options) {
    return this.draw("line", [start, end], options);
  }

  /**
   * The recorder assert: if it fails, the game pauses at the end of this frame and all tools look
   * at the object. Returns the condition; without a service nothing happens.
   */
  check(condition, message, { object = 0, expression = "" } = {}) {
    if (!condition && this.say({ do: "check_failed", message, object, expression, ...site() })) {
      this.#stopAtEnd = true;
    }
    return Boolean(condition);
  }

  /** Any statement of the protocol: `{ do: "fact", object, key, value }`. False: it was dropped. */
  say(ask) {
    if (this.#state !== "on") return false;
    const finite = typeof ask.value !== "number" || Number.isFinite(ask.value);
    if (finite && this.#request(ask, 0)) return true; // 0: answered only if it fails
    this.counts.statementsDropped++;
    return false;
  }

  // --- time -----------------------------------------------------------------------------------

  // The acts of Python's `PlaybackControl`, with its words and defaults. Each resolves with where
  // everybody stands then: `{ mode, frame, time, rate, clamped, loop, focus, hidden, span,
  // pending }`. It rejects with an Error that has the service's `kind` and `message`.

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
    return (await this.ask(command)).shown;
  }

  /** Where everybody stands now: live, no frame is shown. */
  async state() {
    const { time, span } = await this.ask({ do: "present" });
    return stateOf(time, span);
  }

  /**
   * Have `callback` called whenever another frame is shown, or the mode is another; not for each
   * frame that a running game records. Returns what ends it.
   */
  onMoved(callback) {
    this.#onMoved.add(callback);
    if (this.#state === "on") this.#ask({ do: "listen", topics: [], time: true });
    return () => this.#onMoved.delete(callback);
  }

  /** Ask anything of the protocol; resolves with its answer. */
  ask(ask) {
    if (this.#state !== "on") return refused("the service is not there", "lost");
    return new Promise((resolve, reject) => {
      this.#asked.set(++this.#sequence, { resolve, reject });
      if (this.#request(ask, this.#sequence)) return;
      this.#asked.delete(this.#sequence);
      reject(errorOf("malformed", `${ask.do}: too long to be sent`));
    });
  }

  #timed(time) {
    const stands = `${time.mode} ${time.mode === "live" ? "" : time.frame}`;
    const changed = this.#stands && this.#stands !== stands;
    this.#stands = stands;
    if (!changed) return;
    for (const callback of this.#onMoved) callback(stateOf(time, null));
  }

  // --- the connection -------------------------------------------------------------------------

  #connect() {
    if (this.#closed) return;
    let socket;
    try {
      socket = new this.#WebSocket(this.#url);
    } catch (error) {
      this.#fail(String(error));
      this.#timer = setTimeout(() => this.#connect(), RETRY);
      return;
    }
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    this.#state = "connecting";
    this.#timer = setTimeout(() => this.#drop("the service does not answer"), PATIENCE);
    const mine = (act) => (event) => {
      if (this.#socket === socket) act(event);
    };
    socket.onopen = mine(() => {
      this.#state = "greeting";
      this.#origin = "";
      this.#sequence = 0;
      this.#ask(this.#hello);
    });
    socket.onmessage = mine(({ data }) => {
      try {
        this.#received(data);
      } catch (error) {
        this.#fail(`an order that makes no sense: ${error.message}`);
      }
    });
    socket.onclose = mine(() => {
      this.#drop(this.#state === "connecting" ? "" : "the connection ended");
    });
  }

  #drop(reason) {
    const socket = this.#socket;
    this.#socket = null;
    this.#state = "off";
    this.#order = null;
    this.#stopAtEnd = this.#unsent = this.#placed = false;
    this.#owed = this.#advance = 0;
    this.#stands = "";
    for (const { reject } of this.#asked.values()) {
      reject(errorOf("lost", reason || "the connection ended"));
    }
    this.#asked.clear();
    socket?.close();
    clearTimeout(this.#timer);
    if (reason) this.#fail(reason);
    this.#giveBack();
    if (!this.#closed) this.#timer = setTimeout(() => this.#connect(), RETRY);
  }

  /** The service has gone in mid-playback: the game gets its own state back and runs on. */
  #giveBack() {
    if (this.#mode === "live") return;
    const stood = this.#mode === "paused";
    for (const id of this.#hidden) this.#call("unhide", id);
    for (const id of this.#standIns) this.#call("removeStandIn", id);
    this.#hidden.clear();
    this.#standIns.clear();
    if (this.#touched && this.#size) this.#apply(new DataView(this.#view.buffer, 0, this.#size));
    this.#touched = false;
    this.#mode = "live";
    if (stood) this.#call("resumed");
  }

  #fail(message) {
    this.error = message;
    this.#call("error", message);
  }

  /** A callback that throws costs what it was to do, not the order's rest. */
  #call(name, ...given) {
    try {
      this.#on[name]?.(...given);
    } catch (error) {
      if (name === "error") return;
      this.#fail(`${name}: ${error}`);
    }
  }

  #hasRoom(size) {
    return this.#socket?.readyState === 1 && this.#socket.bufferedAmount + size <= this.#queueLimit;
  }

  #request(ask, sequence) {
    const text = jsonOf({ origin: this.#origin, sequence, ask });
    const size = text.length * 3 < MAX_TEXT ? text.length : encoder.encode(text).length;
    if (size > MAX_TEXT || (sequence === 0 && !this.#hasRoom(size))) return false;
    if (this.#socket?.readyState !== 1) return false;
    this.#socket.send(text);
    return true;
  }

  /** A request that can't be dropped. */
  #ask(ask) {
    this.#sequence++;
    if (!this.#request(ask, this.#sequence)) this.#fail(`${ask.do}: too long to be sent`);
  }

  // --- what the service says ------------------------------------------------------------------

  #received(data) {
    if (typeof data !== "string") {
      const order = this.#order;
      this.#order = null;
      if (order) this.#show(order, new DataView(data));
      else this.#fail("a frame came that no order announced");
      return;
    }
    const told = JSON.parse(data);
    if (told?.mode) this.#timed(told);
    else if (told?.answer) this.#answered(told.answer, told.sequence);
    else if (told?.order && this.#state === "on") this.#ordered(told.order);
  }

  #answered(answer, sequence) {
    const asked = this.#asked.get(sequence);
    this.#asked.delete(sequence);
    if (asked && answer.kind !== "hello") {
      if (answer.is === "error") asked.reject(errorOf(answer.kind, String(answer.message)));
      else asked.resolve(answer);
    } else if (answer.is === "error") {
      if (this.#state !== "on" || answer.kind === "hello") this.#drop(String(answer.message));
      else this.#fail(String(answer.message));
    } else if (this.#state === "greeting" && answer.is === "welcome") {
      this.#origin = String(answer.origin);
      this.#state = "attaching";
      const [major, minor] = answer.protocol ?? [1, 0];
      const canAdvance = major > 1 || minor >= 4; // an older service would refuse the key
      this.#ask(canAdvance ? { ...this.#game, can_advance: true } : this.#game);
      this.#attach = this.#sequence;
      for (const type of this.#types.values()) this.#ask(type.ask);
      for (const skeleton of this.#skeletons) this.#ask(skeleton);
    } else if (this.#state === "attaching" && sequence === this.#attach) {
      clearTimeout(this.#timer);
      this.#state = "on";
      this.counts.connections++;
      this.error = "";
      if (this.#onMoved.size) this.#ask({ do: "listen", topics: [], time: true });
      this.#call("recording");
    }
  }

  #ordered(order) {
    if (order.order === "pause") {
      this.#advance = 0;
      // The game stands at its newest frame, which resuming gives back: so there has to be one.
      if (this.#mode === "paused") this.#ask({ do: "paused" });
      else if (this.#open || !this.#placed) this.#stopAtEnd = true;
      else this.#mode = "pausing";
      this.#stand();
    } else if (order.order === "show") {
      if (this.#mode !== "paused") this.#fail("an order to show came to a game that runs");
      else if (order.image) this.#order = order;
      else this.#show(order, null);
    } else if (order.order === "look_at") {
      this.#call("lookAt", idOf(order.object), order.position);
    } else if (order.order === "resume" || order.order === "advance") {
      this.#advance = order.order === "advance" ? Number(order.steps) : 0;
      const was = this.#mode !== "live";
      this.#mode = "live";
      this.#touched = false;
      this.#hidden.clear();
      this.#standIns.clear();
      if (was) this.#call("resumed");
      this.#ask({ do: "resumed" });
    }
  }

  /** `paused` follows the frame it stands at, so it waits until that frame has found room. */
  #stand() {
    if (this.#mode !== "pausing" || this.#open) return;
    if (this.#unsent) {
      if (!this.#sendFrame()) {
        setTimeout(() => this.#stand(), ROOM);
        return;
      }
      this.#unsent = false;
      this.#owed = 0;
      this.counts.framesDropped--;
    }
    this.#ask({ do: "paused" });
    this.#mode = "paused";
    this.#touched = false;
    this.#call("paused");
  }

  #show({ frame, time, hide = [], unhide = [], stand_ins = [], remove_stand_ins = [] }, image) {
    // Nobody is hidden while a packet is put into it: showing again gives back what was before.
    this.#each(unhide, "unhide", (id) => this.#hidden.delete(id));
    if (image) {
      this.#touched = true;
      this.#apply(image);
    }
    this.#each(hide, "hide", (id) => this.#hidden.add(id));
    this.#each(remove_stand_ins, "removeStandIn", (id) => this.#standIns.delete(id));
    for (const row of stand_ins) {
      const standIn = { ...row, id: idOf(row.id) };
      this.#standIns.add(standIn.id);
      this.#call("standIn", standIn);
    }
    this.#call("shown", frame, time);
  }

  #each(ids, name, keep) {
    for (const given of ids) {
      const id = idOf(given);
      keep(id);
      this.#call(name, id);
    }
  }

  #apply(view) {
    if (!this.#canRestore) return;
    let runs;
    try {
      runs = runsOf(view);
    } catch (error) {
      this.#fail(error.message);
      return;
    }
    for (const { type: number, flags, size, packets } of runs) {
      const type = this.#types.get(number);
      if (!type || flags & 1 || (type.tail ? size < type.size : size !== type.size)) {
        this.#fail("packets of another layout than declared were not put back");
        continue;
      }
      for (const at of packets) {
        const bits = view.getUint8(at + 11);
        if (bits & 1) continue; // damaged: there is only its header
        const vector = (from) => [0, 4, 8].map((i) => view.getFloat32(at + from + i, true));
        this.#call("apply", {
          type, id: idOf(view.getBigUint64(at, true)), values: type.read(view, at + PACKET, size),
          position: vector(16), angles: vector(28), hidden: Boolean(bits & 2),
        });
      }
    }
  }
}
