/**
 * A room for plans, without a window: node --experimental-websocket plan_room.js --url ws://…
 *
 * The player walks with pad 0. A switch opens the door in the wall, behind it stands a lamp. What
 * tools ask of it (`plan.game`, `plan.map`, `plan.act`) and what it publishes (`plan.state`) is in
 * docs/protocol.md. With `--bug door` the door stays shut, with `--bug lamp` the lamp lights twice.
 */

import { Playhead } from "../playhead.js";

const STEP = 1 / 60;
const SPEED = 3;
const CELL = 0.5;
const [PLAYER, SWITCH, DOOR, LAMP] = [1, 2, 3, 4];
const WALLS = [
  "###############",
  "#......#......#",
  "#......#......#",
  "#......D......#",
  "#......#......#",
  "#......#......#",
  "###############",
];

const given = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1];
};
const bug = given("bug", "");

class Room {
  time = 0;
  map = 0;
  lit = 0;
  position = [1, 1, 0];
  facing = 0;
  objects = new Map([
    [SWITCH, { type: "switch", name: "switch", position: [2.5, 2.5, 0], state: "off" }],
    [DOOR, { type: "door", name: "door", position: [3.5, 1.5, 0], state: "closed" }],
    [LAMP, { type: "lamp", name: "lamp", position: [6, 1, 0], state: "dark" }],
  ]);

  constructor(url) {
    this.playhead = new Playhead(url, {
      name: "room", about: { client: "JavaScript" }, pads: 1, canRestore: false,
      on: { recording: () => this.#names() },
    });
    const fields = { state: "<i4" };
    this.thing = this.playhead.type(32, "thing", fields);
    this.playhead.serve("plan.game", () => ({
      name: "room", step: STEP, player: PLAYER, sticks: "world",
      types: ["switch", "door", "lamp"], names: ["switch", "door", "lamp"],
      actions: [
        { name: "use", reach: 0.8, event: "used", timeout: 2, expect: { "target.state": "on" } },
        { name: "light", reach: 0.8, event: "lit", timeout: 2, expect: { lit: 1 } },
      ],
    }));
    this.playhead.serve("plan.map", () => ({
      cell: CELL, origin: [0, 0, 0],
      rows: this.#rows().map((row) => row.replace("D", this.#isOpen() ? "." : "#")),
    }));
    this.playhead.serve("plan.act", (asked) => this.#act(asked));
  }

  #names() {
    this.playhead.name(PLAYER, "player");
    for (const [id, { name }] of this.objects) this.playhead.name(id, name);
  }

  #rows() {
    return WALLS;
  }

  #isOpen() {
    return this.objects.get(DOOR).state === "open";
  }

  #act({ actor, action }) {
    const refuse = (why) => { throw Object.assign(new Error(why), { refused: true }); };
    const thing = this.objects.get(actor) ?? refuse(`there is no actor ${actor}`);
    if (this.#away(thing) > 1) refuse(`${thing.name} is out of reach`);
    if (action === "use" && actor === SWITCH) {
      thing.state = "on";
      if (bug !== "door") this.objects.get(DOOR).state = "open";
      this.map++;
      this.playhead.event("used", true, SWITCH);
    } else if (action === "light" && actor === LAMP) {
      thing.state = "lit";
      this.lit += bug === "lamp" ? 2 : 1;
      this.playhead.event("lit", true, LAMP);
    } else {
      refuse(`${action} is not possible with the ${thing.name}`);
    }
  }

  #away({ position: [x, y] }) {
    return Math.hypot(x - this.position[0], y - this.position[1]);
  }

  #isFree(x, y) {
    const letter = WALLS[Math.round(y / CELL)]?.[Math.round(x / CELL)] ?? "#";
    return letter === "." || (letter === "D" && this.#isOpen());
  }

  step() {
    const { left } = this.playhead.pad(0);
    this.time += STEP;
    const [x, y] = this.position;
    const [dx, dy] = left.map((axis) => axis * SPEED * STEP);
    if (this.#isFree(x + dx, y)) this.position[0] = x + dx;
    if (this.#isFree(this.position[0], y + dy)) this.position[1] = y + dy;
    if (dx || dy) this.facing = Math.atan2(dy, dx);
    this.playhead.begin(this.time, STEP);
    this.playhead.add(this.thing, PLAYER, { position: this.position }, { state: 0 });
    for (const [id, { position }] of this.objects) {
      this.playhead.add(this.thing, id, { position }, { state: 0 });
    }
    this.playhead.end();
    this.playhead.publish("plan.state", {
      time: this.time, position: this.position, facing: this.facing, map: this.map,
      values: { lit: this.lit, door: this.objects.get(DOOR).state },
      actors: [...this.objects].map(([id, { type, name, position, state }]) => ({
        id, type, name, position, values: { state },
        actions: { switch: ["use"], lamp: ["light"] }[type] ?? [],
      })),
    });
  }
}

const room = new Room(given("url", "ws://127.0.0.1:5671/"));
const ends = Date.now() + 1000 * Number(given("seconds", 3600));
const timer = setInterval(() => {
  if (room.playhead.live) room.step();
  if (Date.now() < ends) return;
  clearInterval(timer);
  room.playhead.close();
}, 1000 * STEP);
