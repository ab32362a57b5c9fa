/**
 * One frame by itself, as it is sent: written object by object into bytes that are used again.
 *
 * @module
 */

import { FRAME, NONE, PACKET, RUN, bytesOf } from "./packets.js";

const MAX_ID = 0x7fffffffffffffffn;

export class FrameWriter {
  #view = new DataView(new ArrayBuffer(1 << 16));
  #limit;
  #run = 0; // where the newest run begins
  #last = 0; // where the newest packet begins

  /** Bytes of the open frame, or at rest of the newest; 0 before the first. */
  size = 0;

  /** @param {number} limit bytes of the largest frame */
  constructor(limit) {
    this.#limit = limit;
  }

  /** The frame's bytes; they are the writer's own, and valid until the next `begin`. */
  get bytes() {
    return bytesOf(this.#view, 0, this.size);
  }

  /** The same, to be read. */
  get view() {
    return new DataView(this.#view.buffer, 0, this.size);
  }

  /** Seconds since the frame before. */
  get delta() {
    return this.#view.getFloat64(32, true);
  }

  /** Begin another frame. */
  begin(time, delta) {
    const view = this.#view;
    bytesOf(view, 0, FRAME).fill(0);
    view.setBigUint64(0, 1n, true);
    for (const at of [8, 16, 40, 48, 56]) view.setBigUint64(at, NONE, true);
    view.setFloat64(24, time, true);
    view.setFloat64(32, delta, true);
    this.size = FRAME;
    this.#run = this.#last = 0;
  }

  /** Write an object; false if the frame would be too large: then it says that it lacks one. */
  add(type, id, header, values) {
    const { position = [0, 0, 0], angles = [0, 0, 0], hidden = false, targetable = true } = header;
    const wide = BigInt(id);
    if (wide < 1n || wide > MAX_ID) throw new RangeError(`id ${id}: ids are from 1 to 2^63 - 1`);
    const tail = type.tailOf(values);
    const size = type.size + tail.length;
    const stride = (PACKET + size + 7) & ~7;
    let view = this.#view;
    const joins = this.#run && view.getUint16(this.#run + 20, true) === type.number
      && view.getUint32(this.#run + 12, true) === size;
    let at = this.size;
    const end = at + stride + (joins ? 0 : RUN);
    if (end > this.#limit) {
      view.setUint32(84, 4, true); // a packet was dropped
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
    this.size = end;
    return true;
  }

  /** The frame is whole. */
  end() {
    this.#view.setBigUint64(64, BigInt(this.size), true);
    this.#view.setBigUint64(72, BigInt(this.size), true);
  }

  #grown(size) {
    let room = this.#view.byteLength;
    if (size <= room) return this.#view;
    while (room < size) room *= 2;
    const bytes = new Uint8Array(room);
    bytes.set(bytesOf(this.#view, 0, this.size));
    this.#view = new DataView(bytes.buffer);
    return this.#view;
  }
}
