// Where everything is at an instant: frames are interpolated, positions linearly, rotations along the chord.
import { add, matrix, mul } from "./vec.js";

export class Motion {
  constructor(scene, blocks) {
    this.scene = scene;
    this.blocks = blocks;
    this.time = blocks.time;
    this.start = this.time[0];
    this.end = this.time[this.time.length - 1];
    this.frame = 0;
    this.part = 0;
    this.poses = scene.bodies.map(() => ({ r: [0, 0, 0], p: [1, 0, 0, 0], A: matrix([1, 0, 0, 0]) }));
    this.seek(this.start);
  }

  // The last frame at or before t.
  find(t) {
    let low = 0, high = this.time.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  seek(t) {
    this.now = Math.min(Math.max(t, this.start), this.end);
    const frame = (this.frame = this.find(this.now));
    const next = this.time[frame + 1];
    this.part = next > this.time[frame] ? (this.now - this.time[frame]) / (next - this.time[frame]) : 0;
    const { position, orientation } = this.blocks;
    this.poses.forEach((pose, b) => {
      for (let k = 0; k < 3; k++) pose.r[k] = position.between(3 * b + k, frame, this.part);
      let sum = 0;
      for (let k = 0; k < 4; k++) {
        const x = (pose.p[k] = orientation.between(4 * b + k, frame, this.part));
        sum += x * x;
      }
      const length = Math.sqrt(sum) || 1;
      for (let k = 0; k < 4; k++) pose.p[k] /= length;
      pose.A = matrix(pose.p);
    });
  }

  // Columns of a block at the present instant.
  values(name) {
    const block = this.blocks[name];
    if (!block) return null;
    const out = new Array(block.columns);
    for (let c = 0; c < block.columns; c++) out[c] = block.between(c, this.frame, this.part);
    return out;
  }
}

export const pointOf = (marker, poses) => add(poses[marker.body].r, mul(poses[marker.body].A, marker.point));
export const axisOf = (marker, k, poses) => mul(poses[marker.body].A, marker.axes.slice(3 * k, 3 * k + 3));
