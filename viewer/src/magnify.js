// Play drawn k times larger. Wanted: poses of all bodies, as near as possible to the true ones, in which
//
//     every direction with play      e_a . d = k times its true value        (weight PLAY)
//     every ideal direction          keeps its value                         (weight 1)
//     driven coordinates             keep their value                        (weight 1)
//
// Least squares by Gauss-Newton, with a small weight NEAR on all displacements. A mechanism whose loops allow it takes
// the pose that it would have with k times the play; where loops do not, ideal joints hold and play gives way.
import { add, cross, dot, matrix, mul, norm, scale, sub, turned, unit } from "./vec.js";
import { axisOf, pointOf } from "./motion.js";

const PLAY = 0.3, NEAR = 1e-3, MOST = 12, STEEPEST = 0.85;

export function rowValue(joint, row, poses) {
  if (row.type === "ali") return dot(axisOf(joint.first, row.a, poses), axisOf(joint.second, row.b, poses));
  const d = sub(pointOf(joint.second, poses), pointOf(joint.first, poses));
  return row.type === "dist" ? norm(d) : dot(axisOf(joint.first, row.a, poses), d);
}

export class Magnifier {
  constructor(scene) {
    this.scene = scene;
    this.bodies = scene.bodies.length - 1;
    this.free = scene.planar ? [0, 1, 5] : [0, 1, 2, 3, 4, 5];
    this.size = this.bodies * this.free.length;
    this.H = new Float64Array(this.size * this.size);
    this.g = new Float64Array(this.size);
    this.some = scene.joints.some((joint) => joint.play);
  }

  // Drawn poses; "truth" are the true ones and "values(j)" the exact rows of joint number j.
  solve(truth, k, values) {
    const poses = truth.map(({ r, p, A }) => ({ r: r.slice(), p: p.slice(), A }));
    if (k === 1 || !this.some || !this.size) return poses;
    const { scene } = this, L = scene.span;
    const targets = scene.joints.map((joint, j) => {
      const exact = joint.play ? values(j) : null;
      return joint.rows.map((row, n) => {
        const kept = rowValue(joint, row, truth);
        if (!row.play) return kept;
        const wanted = k * exact[n];
        return row.type === "ali" ? Math.max(-STEEPEST, Math.min(STEEPEST, wanted)) : wanted;
      });
    });
    const moved = new Float64Array(this.size); // from the truth: what NEAR keeps small
    for (let step = 0; step < MOST; step++) {
      this.assemble(poses, targets, moved, L);
      if (!cholesky(this.H, this.g, this.size)) break;
      if (this.advance(poses, moved, L) < 1e-9) break;
    }
    return poses;
  }

  assemble(poses, targets, moved, L) {
    const { scene, H, g, size } = this;
    H.fill(0);
    g.fill(0);
    for (let n = 0; n < size; n++) {
      H[n * size + n] = NEAR * NEAR;
      g[n] = -NEAR * NEAR * moved[n];
    }
    scene.joints.forEach((joint, j) => {
      joint.rows.forEach((row, n) => {
        const length = row.type !== "ali";
        const w = (row.play ? PLAY : 1) / (length ? L : 1);
        const rest = w * (targets[j][n] - rowValue(joint, row, poses));
        const [one, other] = gradient(joint, row, poses);
        this.spread(joint.first.body, one, joint.second.body, other, w, rest, L);
      });
    });
  }

  // Adds one row: (du, dtheta) of both bodies, lengths in units of L.
  spread(i, one, j, other, w, rest, L) {
    const { free, H, g, size } = this, m = free.length;
    const index = [], value = [];
    for (const [body, row] of [[i, one], [j, other]]) {
      if (body === 0) continue;
      free.forEach((c, n) => {
        index.push((body - 1) * m + n);
        value.push(w * row[c] * (c < 3 ? L : 1));
      });
    }
    for (let a = 0; a < index.length; a++) {
      if (value[a] === 0) continue;
      g[index[a]] += value[a] * rest;
      for (let b = 0; b < index.length; b++) H[index[a] * size + index[b]] += value[a] * value[b];
    }
  }

  advance(poses, moved, L) {
    const { free, g } = this, m = free.length;
    let worst = 0;
    for (let b = 1; b <= this.bodies; b++) {
      const u = [0, 0, 0, 0, 0, 0];
      for (let n = 0; n < m; n++) {
        const x = Math.max(-0.5, Math.min(0.5, g[(b - 1) * m + n]));
        moved[(b - 1) * m + n] += x;
        worst = Math.max(worst, Math.abs(x));
        u[free[n]] = free[n] < 3 ? x * L : x;
      }
      const pose = poses[b];
      pose.r = add(pose.r, u.slice(0, 3));
      pose.p = turned(pose.p, u.slice(3));
      const length = Math.hypot(...pose.p);
      pose.p = pose.p.map((x) => x / length);
      pose.A = matrix(pose.p);
    }
    return worst;
  }
}

// Change of a row with displacement and turn (global axes, about the body's origin) of the first and second body.
function gradient(joint, row, poses) {
  const i = poses[joint.first.body], j = poses[joint.second.body];
  if (row.type === "ali") {
    const turn = cross(axisOf(joint.second, row.b, poses), axisOf(joint.first, row.a, poses));
    return [[0, 0, 0, ...scale(-1, turn)], [0, 0, 0, ...turn]];
  }
  const si = mul(i.A, joint.first.point), sj = mul(j.A, joint.second.point);
  const d = sub(add(j.r, sj), add(i.r, si));
  const e = row.type === "dist" ? unit(d) : axisOf(joint.first, row.a, poses);
  // the axis of "sep" turns with the first body; the direction of "dist" follows the points
  const arm = row.type === "dist" ? si : add(si, d);
  return [[...scale(-1, e), ...scale(-1, cross(arm, e))], [...e, ...cross(sj, e)]];
}

// Solves H x = g in place (x in g); H is symmetric and positive definite.
function cholesky(H, g, n) {
  for (let c = 0; c < n; c++) {
    for (let r = c; r < n; r++) {
      let sum = H[r * n + c];
      for (let k = 0; k < c; k++) sum -= H[r * n + k] * H[c * n + k];
      if (r === c) {
        if (!(sum > 0)) return false;
        H[c * n + c] = Math.sqrt(sum);
      } else H[r * n + c] = sum / H[c * n + c];
    }
  }
  for (let r = 0; r < n; r++) {
    let sum = g[r];
    for (let k = 0; k < r; k++) sum -= H[r * n + k] * g[k];
    g[r] = sum / H[r * n + r];
  }
  for (let r = n - 1; r >= 0; r--) {
    let sum = g[r];
    for (let k = r + 1; k < n; k++) sum -= H[k * n + r] * g[k];
    g[r] = sum / H[r * n + r];
  }
  return true;
}
