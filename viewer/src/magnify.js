// Play drawn k times larger. Wanted: poses of all bodies in which
//
//     every ideal direction          keeps its value                         always
//     driven coordinates             keep their value                        always
//     every direction with play      e_a . d = k times its true value        as far as these allow (weight PLAY)
//     all bodies                     are near to where they truly are        (weight NEAR)
//
// Least squares by Gauss-Newton; what always holds has the weight HOLD, which leaves it open by (PLAY/HOLD)^2 = 1e-6 of
// what the play falls short. To first order k times a true motion is a possible motion for every k; how far that goes
// is a matter of lengths, which limit() finds by trying.
import { add, cross, dot, matrix, mul, norm, scale, sub, turned, unit } from "./vec.js";
import { axisOf, pointOf } from "./motion.js";

const HOLD = 300, PLAY = 0.3, NEAR = 1e-3, MOST = 30, LONGEST = 0.3, STEEPEST = 0.85;
const TORN = 1e-3; // of the span, or rad: ideal joints are never drawn further apart, about a pixel
const SHORT = 0.02; // of what was asked for: play drawn smaller than that does not show k times the truth
export const LARGEST = 1000;

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

  // Drawn poses; "truth" are the true ones and "values(j)" the exact rows of joint number j. Where ideal joints cannot
  // follow, the play is drawn smaller than asked for.
  solve(truth, k, values) {
    for (let drawn = k; drawn > 1.01; drawn /= 1.5) {
      const { poses, torn } = this.attempt(truth, drawn, values);
      if (torn <= TORN) return poses;
    }
    return copy(truth);
  }

  // The largest k up to LARGEST that all of the given instants can show; "instants" calls back for each of them.
  limit(instants) {
    let most = LARGEST;
    if (!this.some || !this.size) return most;
    instants((truth, values) => {
      const fits = (k) => {
        const { torn, short } = this.attempt(truth, k, values);
        return torn <= TORN && short <= SHORT;
      };
      if (fits(most)) return;
      let low = 1;
      while (most / low > 1.02) {
        const middle = Math.sqrt(low * most);
        if (fits(middle)) low = middle;
        else most = middle;
      }
      most = low;
    });
    return most;
  }

  // Poses, how far ideal joints are apart in them (of the span, or rad), and by which part play is smaller than k times.
  attempt(truth, k, values) {
    const poses = copy(truth);
    if (k === 1 || !this.some || !this.size) return { poses, torn: 0, short: 0 };
    const { scene } = this, L = scene.span;
    const targets = scene.joints.map((joint, j) => {
      const exact = joint.play ? values(j) : null;
      return joint.rows.map((row, n) => (row.play ? k * exact[n] : rowValue(joint, row, truth)));
    });
    const moved = new Float64Array(this.size); // from the truth: what NEAR keeps small
    for (let step = 0; step < MOST; step++) {
      this.assemble(poses, targets, moved, L);
      if (!cholesky(this.H, this.g, this.size)) break;
      if (this.advance(poses, moved, L) < 1e-9) break;
    }
    return { poses, ...this.misfit(poses, targets, L) };
  }

  misfit(poses, targets, L) {
    let torn = 0, short = 0;
    this.scene.joints.forEach((joint, j) => {
      let wanted = 0, missed = 0;
      joint.rows.forEach((row, n) => {
        const rest = Math.abs(targets[j][n] - rowValue(joint, row, poses)) / (row.type === "ali" ? 1 : L);
        if (!row.play) torn = Math.max(torn, rest);
        else {
          missed = Math.max(missed, rest);
          wanted = Math.max(wanted, Math.abs(targets[j][n]) / (row.type === "ali" ? 1 : L));
        }
      });
      if (missed > TORN) short = Math.max(short, missed / wanted);
    });
    return { torn: Number.isFinite(torn) ? torn : Infinity, short };
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
        const tilt = row.type === "ali";
        const w = (row.play ? PLAY : HOLD) / (tilt ? 1 : L);
        // a sine that no tilt has is asked for as a steep one
        const target = row.play && tilt ? Math.max(-STEEPEST, Math.min(STEEPEST, targets[j][n])) : targets[j][n];
        const rest = target - rowValue(joint, row, poses);
        const [one, other] = gradient(joint, row, poses);
        this.spread(joint.first.body, one, joint.second.body, other, w, w * rest, L);
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
    const worst = g.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    const share = Math.min(1, LONGEST / (worst || 1)); // of a step that would leave the neighbourhood
    for (let b = 1; b <= this.bodies; b++) {
      const u = [0, 0, 0, 0, 0, 0];
      for (let n = 0; n < m; n++) {
        const x = share * g[(b - 1) * m + n];
        moved[(b - 1) * m + n] += x;
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

const copy = (poses) => poses.map(({ r, p, A }) => ({ r: r.slice(), p: p.slice(), A }));

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
