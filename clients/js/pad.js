/**
 * The pad that a player of the game holds: what the service orders, for the game's next step.
 *
 * @module
 */

/** The buttons' bits, by the names on an Xbox pad. */
export const BUTTONS = {
  A: 1, B: 2, X: 4, Y: 8, LB: 16, RB: 32, START: 64, BACK: 128,
  UP: 256, LEFT: 512, DOWN: 1024, RIGHT: 2048, LS: 4096, RS: 8192,
};

const PULLED = 0.5; // a trigger that is pulled farther counts as pressed
const REST = {
  left: [0, 0], right: [0, 0], left_trigger: 0, right_trigger: 0, buttons: 0, holder: "",
  sequence: 0, time: null,
};

/** What one player holds, and what was pressed since the game last looked. */
export class PlayerPad {
  #newest = REST;
  #buttons = 0;
  #left = 0;
  #right = 0;

  /** Whether anybody has held this pad yet. */
  known = false;

  /** Another pad is held from now on. */
  hold(order) {
    const before = this.#newest;
    this.known = true;
    this.#newest = { ...REST, ...order };
    this.#buttons |= this.#newest.buttons & ~before.buttons;
    const pressed = (name) => before[name] <= PULLED && this.#newest[name] > PULLED;
    if (pressed("left_trigger")) this.#left = Math.max(this.#left, this.#newest.left_trigger);
    if (pressed("right_trigger")) this.#right = Math.max(this.#right, this.#newest.right_trigger);
  }

  /** Nothing is touched. */
  release() {
    this.#newest = REST;
    this.#buttons = this.#left = this.#right = 0;
  }

  /** It is not held and was not before. */
  forget() {
    this.release();
    this.known = false;
  }

  /** The pad of this step: what is held, and what was pressed and let go since the last one. */
  take() {
    const { left, right, left_trigger, right_trigger, buttons, holder, sequence, time } = this.#newest;
    const pad = {
      left, right, buttons: buttons | this.#buttons, holder, sequence, time,
      leftTrigger: left_trigger > PULLED ? left_trigger : this.#left || left_trigger,
      rightTrigger: right_trigger > PULLED ? right_trigger : this.#right || right_trigger,
    };
    this.#buttons = this.#left = this.#right = 0;
    return pad;
  }
}

/** A pad as the input that is recorded: axes and buttons by name, without those at rest. */
export function inputOf({ left, right, leftTrigger, rightTrigger, buttons }) {
  const axes = {
    "left x": left[0], "left y": left[1], "right x": right[0], "right y": right[1],
    "left trigger": leftTrigger, "right trigger": rightTrigger,
  };
  const moved = Object.entries(axes).filter(([, value]) => value);
  const held = Object.entries(BUTTONS).filter(([, bit]) => buttons & bit);
  return Object.fromEntries([...moved, ...held.map(([name]) => [name, true])]);
}
