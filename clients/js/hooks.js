/**
 * Hooks on decisions and fields, and edits of a paused game, with the words of Python's
 * `client.hooks` and `client.edits`. See docs/hooks.md for what each does.
 *
 * Both work with whatever has `ask(request)`: the clients here, and the one for Node.
 *
 * @module
 */

import { errorOf } from "./control.js";

const ARMED = { owner: "", state: "armed", note: "", hits: 0, first: 0, last: 0, text: "" };
/** A hook and an edit as the service says them, with what it leaves out. */
const whole = (hook) => ({ ...ARMED, ...hook });
const wholeEdit = (edit) => ({ is_key: false, is_undone: false, ...edit });

/**
 * Hooks of the game. A hook is `{ id, hook, state, note, hits, first, last, text, … }`; it goes when
 * this client does, unless it is set with `keep: true`.
 *
 * Each call takes an object's id or name, and where the hook is: one of `node` (a name, or its
 * index; with `tree`), `transition` ("Patrol -> Chase"; an empty side is any state), `rule` (both
 * with `machine`) and `field`. It rejects with an Error that has the service's `kind` and `message`.
 */
export class HookManager {
  #tool;

  constructor(tool) {
    this.#tool = tool;
  }

  /** Pause the game where this is decided; `leave()` lets it go on. */
  breakAt(object, { at = "before", when = "", times = 0, keep = false, ...where } = {}) {
    return this.#set(object, where, { kind: "break", at, when, times, keep });
  }

  /** Write a line into the log each time. */
  trace(object, { when = "", times = 0, keep = false, ...where } = {}) {
    return this.#set(object, where, { kind: "trace", when, times, keep });
  }

  /** Give another result than the game's own. */
  replace(object, {
    result = null, when = "", times = 0, delay = 0, keys = {}, keep = false, ...where
  } = {}) {
    return this.#set(object, where, { kind: "replace", result, when, times, delay, keys, keep });
  }

  /** Answer with one result of a list each time. */
  mock(object, { results, repeat = false, when = "", keys = {}, keep = false, ...where } = {}) {
    return this.#set(object, where, { kind: "mock", results, repeat, when, keys, keep });
  }

  /** All hooks that are set, and what each has done. */
  async list() {
    return (await this.#tool.ask({ do: "hooks" })).hooks.map(whole);
  }

  /** Take a hook away: what set it returned, or its number. */
  remove(hook) {
    return this.#change(hook, "remove");
  }

  /** Let a hook act again; it counts from 0. */
  enable(hook) {
    return this.#change(hook, "enable");
  }

  /** Keep a hook, without letting it act. */
  disable(hook) {
    return this.#change(hook, "disable");
  }

  /** Remove all hooks, whoever set them. */
  async clear() {
    for (const { id } of await this.list()) await this.remove(id);
  }

  async #set(object, where, hook) {
    const location = locationOf(where);
    const spec = { ...hook, location, object: await idOn(this.#tool, object) };
    const { id, hooks } = await this.#tool.ask({ do: "set_hook", hook: spec });
    return whole(hooks.find((one) => one.id === id));
  }

  async #change(hook, change) {
    await this.#tool.ask({ do: "change_hook", id: hook?.id ?? hook, change });
  }
}

/**
 * Edits of the paused game at its newest frame. An edit is `{ object, name, before, after, is_key,
 * is_undone }`.
 */
export class EditManager {
  #tool;

  constructor(tool) {
    this.#tool = tool;
  }

  /** Set a field of an object, by its id or name. */
  async set(object, field, value) {
    await this.#tool.ask({ do: "edit_field", object: await idOn(this.#tool, object), field, value });
  }

  /** Set a key of the blackboard, such as "/guard/goal". */
  async setKey(key, value) {
    await this.#tool.ask({ do: "edit_key", key, value });
  }

  /** Take the newest edit back; resolves with all of them. */
  async undo() {
    return (await this.#tool.ask({ do: "undo_edit" })).edits.map(wholeEdit);
  }

  /** Make the edit again that was undone last; resolves with all of them. */
  async redo() {
    return (await this.#tool.ask({ do: "redo_edit" })).edits.map(wholeEdit);
  }

  /** The edits since the game was paused. */
  async list() {
    return (await this.#tool.ask({ do: "hooks" })).edits.map(wholeEdit);
  }
}

function locationOf(where) {
  const { node, tree, transition, rule, machine, field, ...rest } = where;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw errorOf("command", `hook: there is no option ${unknown}`);
  const given = Object.entries({ node, transition, rule, field })
    .filter(([, value]) => value !== undefined);
  if (given.length !== 1) {
    throw errorOf("command", "name one location: give one of node, transition, rule and field, not "
      + (given.map(([name]) => name).join(" and ") || "none of them"));
  }
  if (tree !== undefined && node === undefined) {
    throw errorOf("command", "tree is for nodes; a transition or a rule has machine");
  }
  if (machine !== undefined && transition === undefined && rule === undefined) {
    throw errorOf("command", "machine is for transitions and rules; a node has tree");
  }
  if (node !== undefined) {
    const which = typeof node === "number" ? { index: node } : { name: node };
    return { on: "node", ...which, tree: tree ?? "" };
  }
  if (rule !== undefined) return { on: "rule", name: rule, machine: machine ?? "" };
  if (field !== undefined) return { on: "field", field };
  const [source, target, ...more] = String(transition).split(/->|→/);
  if (target === undefined || more.length) {
    throw errorOf("command", `transition '${transition}': write 'Patrol -> Chase'; leave a side empty`
      + " for any state");
  }
  return { on: "transition", source: source.trim(), target: target.trim(), machine: machine ?? "" };
}

/** The id of an object that is given by its id or its name. */
async function idOn(tool, object) {
  if (typeof object !== "string") return object;
  const { span } = await tool.ask({ do: "snapshot" });
  const frame = Number(span?.[1] ?? 0); // [oldest, newest, start, end]
  const { objects } = frame ? await tool.ask({ do: "objects", frame }) : { objects: [] };
  const found = objects.find(({ name }) => name === object);
  if (found) return found.id;
  const names = objects.map(({ name }) => name).filter(Boolean).slice(0, 8).join(", ");
  throw errorOf("command", `object '${object}': no object has this name`
    + (names && `; there are ${names}`));
}
