// Numbers of the page: the inverse of src/jointplay/viewer/pack.py.
import { unzlibSync } from "fflate";

// A block of columns over frames; a value is low + (high - low) q / 65535.
export class Block {
  constructor(q, frames, low, high) {
    this.q = q;
    this.frames = frames;
    this.low = low;
    this.columns = low.length;
    this.step = high.map((top, k) => (top - low[k]) / 65535);
  }

  get(column, frame) {
    return this.low[column] + this.step[column] * this.q[column * this.frames + frame];
  }

  // Between the frame and the next one.
  between(column, frame, part) {
    const k = column * this.frames + frame;
    const here = this.q[k];
    const there = frame + 1 < this.frames ? this.q[k + 1] : here;
    return this.low[column] + this.step[column] * (here + part * (there - here));
  }
}

function bytesOf(text) {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  return unzlibSync(bytes);
}

const EXACT = { f64: [Float64Array, 8], f32: [Float32Array, 4], u32: [Uint32Array, 4], u16: [Uint16Array, 2] };

export function unpack(text, index) {
  const bytes = bytesOf(text);
  const out = {};
  for (const [name, facts] of Object.entries(index)) {
    const { kind, at, frames, columns } = facts;
    if (kind in EXACT) {
      const [type, size] = EXACT[kind];
      out[name] = new type(bytes.slice(at, at + frames * columns * size).buffer);
      continue;
    }
    const q = new Uint16Array(frames * columns);
    for (let c = 0; c < columns; c++) {
      const low = at + 2 * c * frames;
      let sum = 0;
      for (let f = 0; f < frames; f++) {
        sum = (sum + bytes[low + f] + 256 * bytes[low + frames + f]) & 65535;
        q[c * frames + f] = sum;
      }
    }
    out[name] = new Block(q, frames, facts.low, facts.high);
  }
  return out;
}
