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

import { callSite } from "./call_site.js";
import { compressed } from "./canvas_picture.js";
import { EditManager, HookManager } from "./hooks.js";
import { PlaybackControl, errorOf, refused, stateOf } from "./control.js";
import { FrameWriter } from "./frame_writer.js";
import { base64Of, idOf, jsonOf } from "./json_text.js";
import { PACKET, PacketType, runsOf } from "./packets.js";
import { PlayerPad, inputOf } from "./pad.js";

const MAX_TEXT = 1 << 20; // the protocol's, for a request
const RETRY = 1000; // milliseconds between attempts to connect
const PATIENCE = 5000; // milliseconds for the service to say welcome
const ROOM = 20; // milliseconds between looks whether there is room again

const encoder = new TextEncoder();

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
export class Playhead extends PlaybackControl {
  #url; #hello; #game; #on; #canRestore; #queueLimit; #WebSocket;
  #types = new Map();
  #skeletons = [];
  #pictures = new Map(); // by name: when the last one was taken, and whether it is under way
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
  #frame; // the open one, or at rest the newest
  #open = false;
  #placed = false; // a frame was recorded on this connection
  #unsent = false;
  #touched = false; // playback has moved objects
  #owed = 0;
  #advance = 0; // steps that are left before the game is paused again
  #asked = new Map(); // what awaits its answer, by sequence number
  #onMoved = new Set();
  #stands = ""; // mode and frame, as heard last
  #hidden = new Set();
  #standIns = new Set();
  #pads;
  #served = new Map(); // functions by the names that they are called under

  /** Hooks on decisions and fields: see `HookManager`. */
  hooks = new HookManager(this);
  /** Edits of the paused game: see `EditManager`. */
  edits = new EditManager(this);
  /** What was sent and what was dropped. */
  counts = { frames: 0, framesDropped: 0, packetsDropped: 0, statementsDropped: 0, connections: 0 };
  /** What went wrong most recently, or "". */
  error = "";

  /**
   * @param {string} url the gateway's, with its token
   * @param {object} options `name`; `about`, plain facts such as `{ build: "1.2" }`; `conventions`
   *   (`{ up, handedness, unit, angles }`); `canRestore`; `pads`, how many players it has; `on`;
   *   `frameLimit` and `queueLimit`, bytes of the largest frame (4 MiB) and of what may wait to be
   *   sent (16 MiB); `WebSocket`, the class, if the runtime has none
   * @throws {TypeError} there is no WebSocket
   */
  constructor(url, {
    name = "game", about = {}, conventions = {}, canRestore = true, pads = 0, on = {},
    frameLimit = 4 << 20, queueLimit = 16 << 20, WebSocket = globalThis.WebSocket,
  } = {}) {
    super();
    if (typeof WebSocket !== "function") {
      throw new TypeError("there is no WebSocket: node before 22 needs --experimental-websocket; else give a class as the option WebSocket");
    }
    this.#url = url;
    this.#on = on;
    this.#canRestore = canRestore;
    const most = Math.min(frameLimit, 64 << 20);
    this.#frame = new FrameWriter(most);
    this.#queueLimit = Math.max(queueLimit, most);
    this.#WebSocket = WebSocket;
    this.#hello = { do: "hello", name, protocol: [2, 0] };
    this.#game = {
      do: "register_game", name, can_restore: canRestore, can_advance: true, pads, conventions, about,
    };
    this.#pads = Array.from({ length: pads }, () => new PlayerPad());
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
    const type = new PacketType(number, name, fields, options);
    this.#types.set(number, type);
    if (this.#state === "attaching" || this.#state === "on") this.#ask(type.ask);
    return type;
  }

  /** A skeleton for a type with a field `skeleton` ("<i4"); a root's parent is -1. */
  skeleton(type, number, name, joints, parents) {
    const ask = { do: "define_skeleton", type: type.number, number, name, joints, parents };
    this.#skeletons.push(ask);
    if (this.#state === "attaching" || this.#state === "on") this.#ask(ask);
  }

  // --- frames ---------------------------------------------------------------------------------

  /** A frame: after a step of the game, whose own clock says `time`. False: it is not recorded. */
  begin(time, delta) {
    if (!this.recording) return false;
    if (!Number.isFinite(time) || !(delta >= 0 && delta < Infinity)) {
      throw new RangeError(`a frame at ${time} after ${delta}: give seconds`);
    }
    this.#frame.begin(time, delta + this.#owed); // since the newest frame that was sent
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
    const added = this.#frame.add(type, id, header, values);
    if (!added) this.counts.packetsDropped++;
    return added;
  }

  /** The frame is whole: send it. False: it was dropped, or is not recorded. */
  end() {
    if (!this.#open) return false;
    this.#open = false;
    this.#frame.end();
    if (this.#state !== "on") return false; // the connection was lost in mid-frame
    const sent = this.#sendFrame();
    this.#unsent = !sent;
    this.#owed = sent ? 0 : this.#frame.delta;
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

  #sendFrame() {
    if (!this.#hasRoom(this.#frame.size)) return false;
    this.#socket.send(this.#frame.bytes);
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
    return this.say({ do: "trace_state", agent, trace: { ...trace, ...callSite() } });
  }

  log(text, { level = "info", object = 0, channel } = {}) {
    if (this.#state !== "on") return false;
    return this.say({ do: "log", line: { text, level, object, ...callSite() }, channel });
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

  /** Something happened in the game in this frame; `value` is plain. */
  event(name, value = null, object = 0) {
    return this.say({ do: "event", name, value, object });
  }

  /** What came from outside in this frame: a pad's, a keyboard's, a network's; `value` is plain. */
  input(name, value, object = 0) {
    return this.say({ do: "input", name, value, object });
  }

  /** A stretch of the run begins, and goes on until the next one; "" ends it. */
  phase(name) {
    if (this.#state !== "on") return false;
    return this.say({ do: "phase", name, ...callSite() });
  }

  /**
   * The game's screen in this frame, compressed: bytes of a "jpeg", "png" or "webp" file, such as
   * of `canvas.convertToBlob()`.
   */
  picture(bytes, { format = "jpeg", width = 0, height = 0, name = "screen" } = {}) {
    if (this.#state !== "on") return false;
    const data = base64Of(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes));
    return this.say({ do: "picture", data, format, width, height, name });
  }

  /**
   * The picture of a canvas in this frame, as JPEG, when one is due: call it in every frame, between
   * `begin` and `end`. The browser compresses it meanwhile, and it is stated in a later frame, a few
   * milliseconds after what it shows. Not more than one at a time is under way.
   */
  pictureOf(canvas, { name = "screen", width = 640, quality = 0.75, perSecond = 10 } = {}) {
    if (this.#state !== "on") return false;
    const now = performance.now();
    const taken = this.#pictures.get(name) ?? { at: -Infinity, busy: false };
    if (taken.busy || now - taken.at < 1000 / perSecond) return false;
    this.#pictures.set(name, { at: now, busy: true });
    const done = () => this.#pictures.set(name, { at: now, busy: false });
    compressed(canvas, width, quality)
      .then(async (small) => {
        const bytes = new Uint8Array(await small.blob.arrayBuffer());
        this.picture(bytes, { width: small.width, height: small.height, name });
      })
      .catch((error) => this.#fail(`no picture of ${name}: ${error.message}`))
      .finally(done);
    return true;
  }

  line(start, end, options) {
    return this.draw("line", [start, end], options);
  }

  /**
   * The recorder assert: if it fails, the game pauses at the end of this frame and all tools look
   * at the object. Returns the condition; without a service nothing happens.
   */
  check(condition, message, { object = 0, expression = "" } = {}) {
    if (!condition && this.say({ do: "report_failed_check", message, object, expression, ...callSite() })) {
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

  // --- who plays, and what the game offers ----------------------------------------------------

  /**
   * The pad that a player holds in this step: `{ left, right, leftTrigger, rightTrigger, buttons,
   * holder, sequence, time }`; sticks are [x, y] of -1 … 1, `buttons` bits of `BUTTONS`. Call it
   * once a step, between two frames: once somebody has held it, it is recorded as the step's input.
   */
  pad(player = 0) {
    const held = this.#pads[player];
    if (!held) throw new RangeError(`pad ${player}: this game has ${this.#pads.length} of them`);
    const pad = held.take();
    if (held.known) this.input(player ? `pad ${player}` : "pad", inputOf(pad));
    return pad;
  }

  /**
   * Let tools call `answer(argument)` under a name; it returns a plain value, or a promise of one.
   * What it throws is the caller's error: as a refusal if the error has `refused: true`.
   */
  serve(name, answer) {
    this.#served.set(name, answer);
    if (this.#state === "on") this.#ask({ do: "serve", names: [...this.#served.keys()] });
  }

  /** The newest plain value under a name, for all who want to know; it is not recorded. */
  publish(name, body) {
    return this.say({ do: "publish", name, body });
  }

  async #called({ call, name, argument = null }) {
    let result;
    try {
      const answer = this.#served.get(name);
      if (!answer) throw Object.assign(new Error(`${name} is not served`), { refused: true });
      result = { result: (await answer(argument)) ?? null };
    } catch (error) {
      result = { error: String(error?.message || error) || "failed", refused: Boolean(error?.refused) };
    }
    if (this.#state === "on") this.#ask({ do: "return", call, ...result });
  }

  // --- time: see also `PlaybackControl` ----------------------------------------------------------

  /** Where everybody stands now: live, no frame is shown. */
  async state() {
    const { time, span } = await this.ask({ do: "snapshot" });
    return stateOf(time, span);
  }

  /**
   * Have `callback` called whenever another frame is shown, or the mode is another; not for each
   * frame that a running game records. Returns what ends it.
   */
  onMoved(callback) {
    this.#onMoved.add(callback);
    if (this.#state === "on") this.#ask({ do: "subscribe", topics: [], time: true });
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
    for (const pad of this.#pads) pad.forget();
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
    if (this.#touched && this.#frame.size) this.#apply(this.#frame.view);
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
      this.#ask(this.#game);
      this.#attach = this.#sequence;
      for (const type of this.#types.values()) this.#ask(type.ask);
      for (const skeleton of this.#skeletons) this.#ask(skeleton);
    } else if (this.#state === "attaching" && sequence === this.#attach) {
      clearTimeout(this.#timer);
      this.#state = "on";
      this.counts.connections++;
      this.error = "";
      if (this.#served.size) this.#ask({ do: "serve", names: [...this.#served.keys()] });
      if (this.#onMoved.size) this.#ask({ do: "subscribe", topics: [], time: true });
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
    } else if (order.order === "pad") {
      this.#pads[order.player ?? 0]?.hold(order);
    } else if (order.order === "call") {
      this.#called(order);
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
    for (const pad of this.#pads) pad.release();
    this.#mode = "paused";
    this.#touched = false;
    this.#call("paused");
  }

  #show({ frame, time, hide = [], unhide = [], stand_ins = [], remove_stand_ins = [] }, image) {
    // An object is shown while a packet is restored into it: showing it later would undo that.
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
