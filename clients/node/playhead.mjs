// A tool on playhead's bus: it asks, moves, leaves traces, and follows the playhead.
// Written from docs/protocol.md.
import { decode, encode } from "@msgpack/msgpack";
import { Dealer, Subscriber } from "zeromq";

const INTS = { useBigInt64: true }; // ids may be larger than a double can count
const MOST_WAITING = 10_000; // instants, for who is slow

export class Playhead {
  #requests = new Dealer({ linger: 100 });
  #waiting = new Map();
  #sent = Promise.resolve();
  #sequence = 0;
  #times;

  // With conflate, who is slow hears of every discrete move (a step, a seek) and of the newest
  // instant only of those that pass while the game runs or playback plays; without, of every one.
  async connect(endpoint = "tcp://127.0.0.1:5670", name = "node", conflate = true) {
    const hello = { do: "hello", name, protocol: [2, 0] };
    this.#requests.connect(endpoint);
    this.#receive();
    this.welcome = await this.ask(hello);
    this.conflate = conflate;
    this.#times = new Subscriber();
    this.#times.connect(endpoint.replace(/:\d+$/, `:${this.welcome.times}`));
    this.#times.subscribe();
    this.beat = setInterval(() => this.ask(hello), 10_000); // who is silent for 30 s is gone
    return this;
  }

  // Resolves with the answer; rejects with what the service says is wrong.
  ask(ask) {
    const sequence = ++this.#sequence;
    const request = encode({ origin: this.welcome?.origin ?? "", sequence, ask }, INTS);
    this.#sent = this.#sent.then(() => this.#requests.send(request)); // one at a time
    return new Promise((resolve, reject) => this.#waiting.set(sequence, { resolve, reject }));
  }

  async #receive() {
    for await (const [data] of this.#requests) {
      const { sequence, answer } = decode(data, INTS);
      const { resolve, reject } = this.#waiting.get(sequence) ?? {};
      this.#waiting.delete(sequence);
      if (answer.is === "error") reject?.(Object.assign(new Error(answer.message), answer));
      else resolve?.(answer);
    }
  }

  // Time, by the same words as in Python; each resolves with where everybody stands then.
  async apply(command) {
    return (await this.ask(command)).state;
  }

  enter(time = null) { return this.apply({ do: "enter", time }); }
  leave() { return this.apply({ do: "leave" }); }
  play(rate = 1, { restart = false } = {}) { return this.apply({ do: "play", rate, restart }); }
  pause() { return this.apply({ do: "pause" }); }
  step(n = 1) { return this.apply({ do: "step", frames: n }); }
  advance(n = 1) { return this.apply({ do: "advance", steps: n }); }
  focus(object) { return this.apply({ do: "focus", object }); }
  show(channel, on = true) { return this.apply({ do: "show", channel, on }); }

  // To a time in seconds, or to { frame } or { mark }.
  seek(where) {
    const { frame, mark, time } = typeof where === "object" ? where : { time: where };
    if (frame !== undefined) return this.apply({ do: "seek_frame", frame });
    return this.apply(mark === undefined ? { do: "seek_time", time } : { do: "seek_mark", name: mark });
  }

  // Round and round between two times; loop(null) ends it.
  loop(start, end) {
    return this.apply(start === null ? { do: "loop_off" } : { do: "loop", start, end });
  }

  // What the game serves under a name; resolves with what it returns.
  async call(name, argument = null) {
    return (await this.ask({ do: "call", name, argument })).result;
  }

  // The newest that the game has published under a name, or null.
  async published(name) {
    return (await this.ask({ do: "published", name })).published?.body ?? null;
  }

  // Hold a pad from the game's next step on: { left: [0, 1], buttons: 1 }. Say it twice a second.
  pad(pad) { return this.ask({ do: "pad", ...pad }); }

  // Each new instant; repetitions are left out.
  async *times() {
    const waiting = [];
    let wake = () => {};
    let ended = false;
    const take = async () => {
      let known = -1;
      for await (const [data] of this.#times) {
        const time = decode(data, INTS);
        if (time.sequence <= known) continue;
        known = time.sequence;
        if (this.conflate && waiting.length && !waiting.at(-1).discrete) waiting.pop();
        waiting.push(time);
        if (waiting.length > MOST_WAITING) waiting.shift();
        wake();
      }
    };
    take().catch(() => {}).finally(() => {
      ended = true;
      wake();
    });
    for (;;) {
      while (waiting.length) yield waiting.shift();
      if (ended) return;
      await new Promise((resolve) => (wake = resolve));
    }
  }

  async close() {
    clearInterval(this.beat);
    await this.ask({ do: "bye" });
    this.#requests.close();
    this.#times.close();
  }
}
