/**
 * A game that the playthrough tester plays: what it says of itself, and what its player sees.
 *
 *     import { Playable } from "./playable.js";
 *     const playable = new Playable(playhead, { player: 1, restart: (seed) => begin(seed) });
 *     // each step, behind playhead.end():
 *     playable.observe(time, { position, facing, event, finished, extras: { coins } }, pad);
 *
 * What is observed is in docs/protocol.md, "A game that is tested".
 *
 * @module
 */

/** Serves `replay.game` and what belongs to it, and publishes `observation`. */
export class Playable {
  #playhead; #interval; #due = -Infinity; #time = -Infinity; #pressed = 0; #before = 0;

  /**
   * @param {Playhead} playhead the game's end of the gateway; its option `pads` is 1
   * @param {object} options `name`; `player`, the id of the object that is played; `interval`, seconds
   *   of game time between two observations (1/30); `columns`, the game's own columns in demos
   *   (`{ coins: "float" }`; also "bool" and "str"); `outcomes` (`{ coins: "equal" }`; also "includes"
   *   and "noted"); `levels`; `sticks` ("world", "player" or "camera"); `settings`, the agent's, as
   *   YAML; `restart(seed)`, which begins the game again; `load(path)` and `save(path)`;
   *   `findPath(start, goal, near)`, which returns positions that lead on foot to within `near` of the
   *   goal, as a navigation mesh finds them, or none; `debug`, functions by name that the agent's rules
   *   may call, each with one plain argument. A function may return a promise; what it throws is told
   *   to the caller.
   */
  constructor(playhead, {
    name = "game", player, interval = 1 / 30, columns = {}, outcomes = {}, levels = [],
    sticks = "world", settings = "", restart, load, save, findPath, debug = {},
  }) {
    this.#playhead = playhead;
    this.#interval = interval;
    const facts = {
      name, interval, player, columns, outcomes, levels, sticks, settings,
      loads: Boolean(load), saves: Boolean(save), restarts: Boolean(restart),
      paths: Boolean(findPath), debug: Object.keys(debug),
    };
    playhead.serve("replay.game", () => facts);
    if (restart) playhead.serve("replay.restart", (asked) => this.#restartWith(() => restart(asked?.seed ?? null)));
    if (load) playhead.serve("replay.load", ({ path }) => this.#restartWith(() => load(path)));
    if (save) playhead.serve("replay.save", ({ path }) => save(path));
    if (findPath) playhead.serve("replay.path", async ({ start, goal, near }) => (await findPath(start, goal, near)) ?? []);
    playhead.serve("replay.debug", ({ name: called, argument }) => {
      if (Object.hasOwn(debug, called)) return debug[called](argument);
      throw Object.assign(new Error(`no debug function ${called}`), { refused: true });
    });
  }

  async #restartWith(begin) {
    await begin();
    this.#due = this.#time = -Infinity;
    this.#pressed = 0;
  }

  /**
   * A step was made: publish what its player sees, once in each interval. Call it behind the
   * step's frame.
   *
   * @param {number} time the game's clock, seconds
   * @param {object} seen `position`, and as far as there is something: `facing`, `camera`, `message`,
   *   `in_air`, `can_jump`, `level`, `event`, `screen`, `field`, `dead`, `finished`, `enemies`, `bosses`,
   *   `items`, `people`, and `extras` with a value for each of the columns
   * @param {object} pad what the step was played with: that of `playhead.pad()`, or the game's own
   * @returns {boolean} whether it was published
   */
  observe(time, seen, { left, right, leftTrigger = 0, rightTrigger = 0, buttons = 0 } = {}) {
    this.#pressed |= buttons & ~this.#before;
    this.#before = buttons;
    if (time < this.#time) this.#due = -Infinity; // the clock began again
    this.#time = time;
    if (time < this.#due - 1e-9) return false;
    this.#due = (this.#due < time - this.#interval ? time : this.#due) + this.#interval;
    const pad = {
      left: left ?? [0, 0], right: right ?? [0, 0], left_trigger: leftTrigger,
      right_trigger: rightTrigger, buttons: buttons | this.#pressed,
    };
    this.#pressed = 0;
    return this.#playhead.publish("observation", { game_time: time, seen, pad });
  }
}
