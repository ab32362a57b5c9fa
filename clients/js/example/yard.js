/**
 * The example's simulation: balls bounce about in a yard, a guard flees from them. It knows nothing
 * of pages; `game.js` draws it, `headless.js` runs it without a window.
 *
 * What it does it says as lines of JSON, a hash of its state among it, so that anybody can see that
 * a run which was paused and scrubbed ends as one that never was.
 */

import { BUTTONS } from "../pad.js";
import { Playhead } from "../playhead.js";

const YARD = 5;
const REACH = 2;
const GUARD = 1;
const STATES = ["patrol", "flee", "down"];
const [PATROL, FLEE, DOWN] = [0, 1, 2];
const SEED = 7;
const MOST_BALLS = 12;
const VECTOR = { format: "<f8", shape: [3] };
export const STEP = 1 / 60;

// A picture of one pixel: a game with a window would send its screen.
const PIXEL = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="),
  (letter) => letter.charCodeAt(0),
);

export class Yard {
  steps = 0;
  #seed = SEED;
  #nextId = 2n ** 53n + 1n; // ids that no number can hold
  /** By id: `{ type, values, hidden }`. */
  objects = new Map();
  standIns = new Map();
  lookedAt = 0;

  /** @param {string} url the gateway's; `say` is given each report. */
  constructor(url, say = () => {}) {
    this.say = say;
    this.playhead = new Playhead(url, {
      name: "balls",
      about: { client: "JavaScript", build: "1.0" },
      pads: 2,
      on: {
        recording: () => {
          this.playhead.name(GUARD, "Guard");
          this.report("recording");
        },
        paused: () => this.report("paused"),
        apply: ({ id, values }) => Object.assign(this.objects.get(id)?.values ?? {}, values),
        hide: (id) => this.#hide(id, true),
        unhide: (id) => this.#hide(id, false),
        standIn: (row) => this.standIns.set(row.id, row),
        removeStandIn: (id) => this.standIns.delete(id),
        shown: (frame, time) => this.report("shown", { frame, time }),
        lookAt: (id) => { this.lookedAt = id; },
        resumed: () => this.report("resumed"),
      },
    });
    this.ball = this.playhead.type(32, "ball", {
      position: { ...VECTOR, unit: "m", role: "position" },
      velocity: { ...VECTOR, unit: "m/s", role: "velocity" },
      bounces: "<u4",
      color: "<u4",
    });
    this.guard = this.playhead.type(33, "guard", {
      position: { ...VECTOR, unit: "m", role: "position" },
      timer: { format: "<f8", unit: "s" },
      health: { format: "<f4", role: "health" },
      state: { format: "<i4", role: "state" },
    }, { channels: ["ai"] });
    const values = { position: [0, 0, 0], timer: 0, health: 100, state: PATROL };
    this.objects.set(GUARD, { type: this.guard, values, hidden: false });
    this.playhead.serve("guard.heal", (given) => this.#heal(given));
  }

  #heal(given) {
    const health = given?.health;
    if (typeof health !== "number" || !(health >= 0 && health <= 100)) {
      throw Object.assign(new Error("give a health from 0 to 100"), { refused: true });
    }
    const { values } = this.objects.get(GUARD);
    if (values.state === DOWN) throw new Error("the guard is down");
    const before = values.health;
    values.health = health;
    return before;
  }

  #hide(id, hidden) {
    const object = this.objects.get(id);
    if (object) object.hidden = hidden;
  }

  // --- the game ---

  #chance() {
    this.#seed = (this.#seed + 0x6d2b79f5) >>> 0;
    let x = this.#seed;
    x = Math.imul(x ^ (x >>> 15), x | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  }

  #balls() {
    return [...this.objects].filter(([, object]) => object.type === this.ball);
  }

  /** One step of `STEP` seconds, and its frame. */
  step() {
    this.steps++;
    const pads = [this.playhead.pad(0), this.playhead.pad(1)];
    if (this.steps === 1) {
      this.playhead.input("seed", SEED);
      this.playhead.phase("warm-up");
    }
    if (this.steps === 31) this.playhead.phase("match");
    if (this.steps === 1 || this.steps % 60 === 0) {
      this.playhead.picture(PIXEL, { format: "png", width: 1, height: 1 });
    }
    this.objects.get(GUARD).values.position[0] += pads[0].left[0] * 2 * STEP;
    const called = pads.filter((pad) => pad.buttons & BUTTONS.A).length;
    for (let i = 0; i < called + (this.steps % 40 === 1); i++) {
      if (this.#balls().length < MOST_BALLS) this.#spawn();
    }
    if (this.steps % 90 === 0 && this.#balls().length) {
      const [[oldest, { values }]] = this.#balls();
      this.playhead.event("ball gone", values.bounces, oldest);
      this.playhead.despawn(oldest);
      this.objects.delete(oldest);
    }
    for (const [, { values }] of this.#balls()) this.#move(values);
    this.#think(this.objects.get(GUARD).values);
    this.#record();
    this.playhead.publish("yard", { step: this.steps, balls: this.#balls().length });
  }

  #spawn() {
    const id = this.#nextId++;
    const place = () => (this.#chance() - 0.5) * YARD;
    const speed = () => (this.#chance() - 0.5) * 12;
    this.objects.set(id, {
      type: this.ball,
      hidden: false,
      values: {
        position: [place(), place(), 2 + this.#chance() * 3],
        velocity: [speed(), speed(), 0],
        bounces: 0,
        color: Math.floor(this.#chance() * 0xffffff),
      },
    });
    this.playhead.log("a ball comes in", { object: id });
  }

  #move(ball) {
    ball.velocity[2] -= 9.81 * STEP;
    for (let i = 0; i < 3; i++) {
      const [low, high] = i < 2 ? [-YARD, YARD] : [0, 20];
      ball.position[i] += ball.velocity[i] * STEP;
      if (ball.position[i] < low || ball.position[i] > high) {
        ball.position[i] = ball.position[i] < low ? low : high;
        ball.velocity[i] *= -0.98;
        ball.bounces++;
      }
    }
  }

  #go(me, state, won, distance) {
    this.playhead.traceState(GUARD, {
      machine: "guard", source: STATES[me.state], target: STATES[state], won,
      rejected: [{ condition: "tired", reason: "it has rested enough" }],
      values: { distance, health: me.health },
    });
    me.state = state;
    me.timer = 0;
  }

  #think(me) {
    let nearest = null;
    let best = 1e9;
    for (const [, { values: { position: [x, y, z] } }] of this.#balls()) {
      const [dx, dy] = [x - me.position[0], y - me.position[1]];
      const square = dx * dx + dy * dy + z * z;
      if (square < best) [best, nearest] = [square, [x, y, z]];
    }
    me.timer += STEP;
    if (me.state === DOWN) {
      if (me.timer < 2) return;
      me.health = 100;
      this.#go(me, PATROL, "rested", best);
    }
    if (best < REACH * REACH) {
      me.health -= 20;
      if (me.health <= 0) {
        const up = this.playhead.check(me.health > 0, "the guard is up", { object: GUARD });
        if (!up) this.report("check");
        this.#go(me, DOWN, "hit", best);
        return;
      }
    }
    if (me.state === PATROL && best < 9) this.#go(me, FLEE, "a ball is near", best);
    if (me.state === FLEE && best > 16) this.#go(me, PATROL, "nothing near", best);
    for (let i = 0; i < 2; i++) {
      const post = i ? 0 : (Math.floor(this.steps / 240) % 2 ? -1 : 1);
      const way = me.state === FLEE ? me.position[i] - nearest[i] : post - me.position[i] * 0.1;
      me.position[i] += Math.max(-1, Math.min(1, way)) * 2 * STEP;
      me.position[i] = Math.max(-YARD, Math.min(YARD, me.position[i]));
    }
    if (nearest) {
      const from = [me.position[0], me.position[1], 1];
      this.playhead.line(from, nearest, { color: [255, 0, 0], object: GUARD, channel: "ai" });
    }
    this.playhead.watch("distance²", best, GUARD);
  }

  #record() {
    if (!this.playhead.begin(this.steps * STEP, STEP)) return;
    for (const [id, { type, values }] of this.objects) {
      this.playhead.add(type, id, { position: values.position }, values);
    }
    this.playhead.end();
  }

  // --- what it says ---

  report(event, more = {}) {
    const objects = {};
    let state = mixed(2166136261, encoded([this.steps, this.#seed]));
    for (const [id, { type, values, hidden }] of this.objects) {
      const bytes = type.bytes(values);
      state = mixed(mixed(state, encoded([String(id)])), bytes);
      if (!hidden) objects[id] = mixed(2166136261, bytes);
    }
    const standIns = `[${[...this.standIns.keys()].join(", ")}]`; // too large for JSON's own hand
    const told = JSON.stringify({ event, step: this.steps, state, objects, ...more });
    this.say(`${told.slice(0, -1)}, "stand_ins": ${standIns}}`);
  }
}

function encoded(values) {
  return new TextEncoder().encode(JSON.stringify(values));
}

function mixed(hash, bytes) { // FNV-1a
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 16777619) >>> 0;
  return hash;
}
