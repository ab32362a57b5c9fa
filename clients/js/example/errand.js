/**
 * A room that the playthrough tester plays, without a window or in a page (errand.html):
 *
 *     node --experimental-websocket errand.js --url ws://…
 *     playhead demo-record --connect 5670 errand.csv --script person.py
 *     playhead replay --connect 5670 errand.csv --seeds 1..10
 *
 * The player pulls a lever, reads what it says, and goes through the door that opens to the exit.
 * Chance decides where a coin lies and whether the day is lucky; the exit opens on lucky days only,
 * and what tests need for that is the debug function `luck`. z is up, lengths are metres.
 */

import { BUTTONS } from "../pad.js";
import { Playable } from "../playable.js";
import { Playhead } from "../playhead.js";

export const STEP = 1 / 60;
const SPEED = 3;
const [PLAYER, LEVER, COIN] = [1, 2, 3];
const ROOM = [12, 8]; // metres
const WALL = 6; // x of the wall with the door
const DOOR = [3, 5]; // y of its ends
const PAGES = 2;
const SETTINGS = "debug: [{call: luck, on: differs, column: lucky}]";

export class Errand {
  constructor(url, { log = () => {} } = {}) {
    this.playhead = new Playhead(url, {
      name: "errand", about: { client: "JavaScript" }, pads: 1, canRestore: false,
      on: { recording: () => this.#names(), error: log },
    });
    this.thing = this.playhead.type(32, "thing", { state: "<i4" });
    this.playable = new Playable(this.playhead, {
      name: "errand", player: PLAYER, settings: SETTINGS,
      columns: { door: "bool", coins: "float", lucky: "bool" },
      outcomes: { door: "equal", coins: "equal" },
      restart: (seed) => this.begin(seed ?? 0),
      findPath: (start, goal) => this.findPath(start, goal),
      debug: { luck: (lucky) => { this.lucky = Boolean(lucky); } },
    });
    this.begin(0);
  }

  /** Everything is as at the beginning; the seed decides what is left to chance. */
  begin(seed) {
    let random = (seed * 2654435761 + 12345) >>> 0;
    const chance = () => (random = (random * 1664525 + 1013904223) >>> 0) / 2 ** 32;
    this.time = 0;
    this.position = [1, 1, 0];
    this.facing = 0;
    this.page = -1; // of what the lever says; -1 while nothing is read
    this.open = this.finished = false;
    this.coins = this.before = 0;
    for (let i = 0; i < 4; i++) chance();
    this.lucky = seed === 0 || chance() < 0.5;
    this.coin = [2.5 + chance(), 3 + chance(), 0];
  }

  #names() {
    this.playhead.name(PLAYER, "player");
    this.playhead.name(LEVER, "lever");
    this.playhead.name(COIN, "coin");
  }

  #away([x, y]) {
    return Math.hypot(x - this.position[0], y - this.position[1]);
  }

  #isFree(x, y) {
    if (x < 0.3 || y < 0.3 || x > ROOM[0] - 0.3 || y > ROOM[1] - 0.3) return false;
    return Math.abs(x - WALL) > 0.4 || (this.open && y > DOOR[0] && y < DOOR[1]);
  }

  /** The way on foot: through the door, if the wall is between. */
  findPath(start, goal) {
    return start[0] < WALL === goal[0] < WALL ? [goal] : [[WALL, (DOOR[0] + DOOR[1]) / 2, 0], goal];
  }

  /** One step with a pad; without one it asks for the one that a tool holds. */
  step(own) {
    const pad = own ?? this.playhead.pad(0);
    const pressed = pad.buttons & ~this.before;
    this.before = pad.buttons;
    this.time += STEP;
    if (this.page >= 0) {
      if (pressed & BUTTONS.A && ++this.page === PAGES) {
        this.page = -1;
        this.open = true;
      }
    } else {
      this.#walk(pad.left);
      if (pressed & BUTTONS.A && !this.open && this.#away([3, 6]) < 1) this.page = 0;
    }
    if (this.coin && this.#away(this.coin) < 0.5) {
      this.coin = null;
      this.coins++;
    }
    this.finished ||= this.lucky && this.#away([11, 4]) < 0.6;
    this.#record(pad);
  }

  #walk([x, y]) {
    const [dx, dy] = [x * SPEED * STEP, y * SPEED * STEP];
    if (this.#isFree(this.position[0] + dx, this.position[1])) this.position[0] += dx;
    if (this.#isFree(this.position[0], this.position[1] + dy)) this.position[1] += dy;
    if (Math.hypot(x, y) > 0.1) this.facing = Math.atan2(y, x);
  }

  #record(pad) {
    const { playhead, thing } = this;
    playhead.begin(this.time, STEP);
    playhead.add(thing, PLAYER, { position: this.position }, { state: this.page });
    playhead.add(thing, LEVER, { position: [3, 6, 0] }, { state: Number(this.open) });
    if (this.coin) playhead.add(thing, COIN, { position: this.coin }, { state: 0 });
    playhead.end();
    this.playable.observe(this.time, {
      position: this.position, facing: this.facing, level: "room", message: this.page >= 0,
      event: this.page >= 0 ? "lever" : "", finished: this.finished,
      items: this.coin ? [{ label: "coin", position: this.coin, object: COIN }] : [],
      extras: { door: this.open, coins: this.coins, lucky: this.lucky },
    }, pad);
  }
}

/** Runs it in real time, in a page or under node. */
export function run(url, options) {
  const game = new Errand(url, options);
  const timer = setInterval(() => {
    if (game.playhead.live && game.playhead.recording) game.step();
  }, 1000 * STEP / (options?.speed ?? 1));
  return () => {
    clearInterval(timer);
    game.playhead.close();
  };
}

if (typeof process !== "undefined" && process.argv[1]?.endsWith("errand.js")) {
  const given = (name, otherwise) => {
    const at = process.argv.indexOf(`--${name}`);
    return at < 0 ? otherwise : process.argv[at + 1];
  };
  const end = run(given("url", "ws://127.0.0.1:5671/"), {
    log: console.error, speed: Number(given("speed", 1)),
  });
  setTimeout(end, 1000 * Number(given("seconds", 3600)));
}
