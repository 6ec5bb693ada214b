// Close-up of a joint with play. Where the inner part is in its play is to scale (e/c); the play itself is drawn large.
import { offsetAt } from "./arrows.js";
import { digits, quantity } from "./format.js";
import { outset } from "./joints.js";
import { Paper } from "./paper.js";

const TRAIL = 260; // samples of the orbit behind the present instant
const SHADES = 12; // in which it fades
const PART = 0.07; // of the run that they cover

export class Inset {
  constructor(canvas, scene, motion) {
    this.paper = new Paper(canvas);
    this.scene = scene;
    this.motion = motion;
    this.clear = scene.joints.map((joint, j) => (joint.play ? j : -1)).filter((j) => j >= 0);
    this.chosen = this.clear[0] ?? -1;
    this.peaks = {};
  }

  get joint() {
    return this.scene.joints[this.chosen];
  }

  // Sections to show, side by side: a place along the axis and two axes of the picture.
  sections() {
    const { joint } = this, { planar } = this.scene;
    if (joint.play.group === "axial") return [];
    if (joint.kind === "prismatic") return planar ? [] : this.bothEnds("section");
    if (joint.kind === "spherical" || joint.kind === "universal") {
      const front = { z: 0, axes: [0, 1], label: planar ? "" : "along b" };
      return planar ? [front] : [front, { z: 0, axes: [0, 2], label: "along t" }];
    }
    return joint.length && !planar ? this.bothEnds("end") : [{ z: 0, axes: [0, 1], label: "" }];
  }

  bothEnds(word) {
    const half = this.joint.length / 2;
    return [-half, half].map((z, k) => ({ z, axes: [0, 1], label: `${word} ${k + 1}` }));
  }

  draw(colours) {
    const { paper } = this;
    if (!this.joint || !paper.begin()) return;
    this.colours = colours;
    const joint = this.joint, values = this.motion.values(`play.${this.chosen}`);
    const axial = joint.play.axial ?? (joint.play.group === "axial" ? joint.play.gap : null);
    const room = paper.h - 22 - (axial !== null ? 34 : 0);
    const sections = this.sections();
    this.caption = [];
    sections.forEach((section, k) => {
      const width = paper.w / sections.length, x = width * (k + 0.5), y = room / 2 + 4, size = Math.min(width, room) / 2 - 10;
      if (joint.kind === "prismatic") this.prism(section, values, x, y, size);
      else this.round(section, values, x, y, size);
      if (section.label) paper.text(section.label, width * k + 8, 14, colours.soft);
    });
    if (!sections.length && joint.kind === "prismatic") this.slider(values, room);
    if (axial !== null) this.axial(values, axial, paper.h - 40);
    this.words();
  }

  // Length of an arrow from 0 to 1: the root of the force, relative to its 95 % quantile in the run. Single spikes
  // must not make all else invisible.
  long(size) {
    const { motion, chosen } = this, block = motion.blocks[`normal.${chosen}`];
    if (!(chosen in this.peaks)) {
      const sums = [];
      for (let f = 0; f < block.frames; f++) {
        let most = 0;
        for (let c = 0; c < block.columns; c++) most = Math.max(most, block.get(c, f));
        if (most > 0) sums.push(most);
      }
      sums.sort((a, b) => a - b);
      this.peaks[chosen] = sums[Math.floor(0.95 * (sums.length - 1))] || 1;
    }
    return Math.min(1.1, Math.sqrt(size / this.peaks[chosen]));
  }

  // Pin in its hole, ball in its socket.
  round({ z, axes }, values, x, y, size) {
    const { paper, joint, colours, motion, chosen } = this, { gap, inner } = joint.play;
    const s = inner === "second" ? 1 : -1;
    const outer = size * 0.92, play = 0.36 * outer, pin = outer - play;
    const at = (numbers) => {
      const { way } = offsetAt(joint, numbers, z);
      return [(s * way[axes[0]]) / gap, (s * way[axes[1]]) / gap, Math.hypot(...way) / gap];
    };
    const [ex, ey] = at(values);
    paper.circle(x, y, outer + 7, colours.ground);
    paper.circle(x, y, outer, colours.bore, colours.edge, 1);
    const [cx, cy] = [x + play * ex, y - play * ey];
    paper.circle(cx, cy, pin, colours.journal, colours.text, 1);
    paper.circle(x, y, play, null, colours.soft, 1, [3, 3]);
    this.trail(at, x, y, play);
    paper.line([[cx - 5, cy], [cx + 5, cy]], colours.text, 1.2);
    paper.line([[cx, cy - 5], [cx, cy + 5]], colours.text, 1.2);
    const flat = joint.kind === "revolute" || joint.kind === "cylindrical";
    const e = flat || axes.length < 3 ? Math.hypot(ex, ey) : 0;
    const pressed = this.pressed(z);
    if (pressed > 0 && e > 0.2) {
      const [ux, uy] = [ex / e, -ey / e], length = this.long(pressed) * pin * 0.95;
      paper.circle(cx + ux * pin, cy + uy * pin, 4.5, colours.contact);
      paper.arrow(cx + ux * pin, cy + uy * pin, -ux * length, -uy * length, colours.contact);
    }
    const full = at(values)[2];
    this.caption.push(`e/c ${(flat ? Math.hypot(ex, ey) : full).toFixed(3)}`);
  }

  trail(at, x, y, play) {
    const { paper, motion, colours } = this, block = motion.blocks[`play.${this.chosen}`];
    if (motion.time.length < 3) return;
    const begin = motion.find(motion.now - PART * (motion.end - motion.start)), step = Math.max(1, Math.ceil((motion.frame - begin) / TRAIL));
    const points = [];
    for (let f = begin; f <= motion.frame; f += step) {
      const numbers = Array.from({ length: block.columns }, (_, c) => block.get(c, f));
      const [ex, ey] = at(numbers);
      points.push([x + play * ex, y - play * ey]);
    }
    const { g } = paper;
    const piece = Math.max(1, Math.ceil(points.length / SHADES));
    for (let k = 0; k + 1 < points.length; k += piece) {
      g.globalAlpha = 0.15 + (0.85 * (k + piece)) / (points.length + piece);
      paper.line(points.slice(k, k + piece + 1), colours.force, 1.4);
    }
    g.globalAlpha = 1;
  }

  // Normal force of the contacts at a place along the axis.
  pressed(z) {
    const { joint, motion, chosen } = this, sizes = motion.values(`normal.${chosen}`);
    if (!sizes) return 0;
    const half = joint.length ? 0.5 * joint.length : Infinity;
    return joint.contacts.reduce((sum, contact, n) => sum + (contact.round && (z === 0 || contact.at[2] * z >= 0) && Math.abs(contact.at[2]) <= half * 1.01 ? sizes[n] : 0), 0);
  }

  closed(n) {
    const sizes = this.motion.values(`normal.${this.chosen}`);
    return sizes ? sizes[n] : 0;
  }

  // A planar slider between its walls, along the guide from left to right.
  slider(values, room) {
    const { paper, joint, colours } = this, { gap } = joint.play;
    const axes = joint.first.axes, normal = [axes[2], axes[5], axes[8]]; // z of the plane in joint axes
    const up = [normal[1], -normal[0], 0]; // normal x b
    const { way, slope } = offsetAt(joint, values, 0);
    const s = joint.play.inner === "first" ? -1 : 1;
    const shift = (s * (way[0] * up[0] + way[1] * up[1])) / gap, tilt = (s * (slope[0] * up[0] + slope[1] * up[1])) / gap;
    const half = joint.length / 2, wide = paper.w * 0.36, x = paper.w / 2, y = room / 2 + 4;
    const play = room * 0.13, high = room * 0.22;
    const lift = (z) => shift + z * tilt;
    for (const side of [-1, 1]) {
      const wall = y - side * (high + play);
      paper.polygon([[10, wall], [paper.w - 10, wall], [paper.w - 10, wall - side * 12], [10, wall - side * 12]], colours.ground);
      paper.line([[10, wall], [paper.w - 10, wall]], colours.edge, 1);
    }
    const corner = (z, side) => [x + (z / half) * wide, y - side * high - play * lift(z)];
    paper.polygon([corner(-half, -1), corner(half, -1), corner(half, 1), corner(-half, 1)], colours.journal, colours.text, 1);
    joint.contacts.forEach((contact, n) => {
      const size = this.closed(n);
      if (!(size > 0)) return;
      const side = contact.at[0] * up[0] + contact.at[1] * up[1] || (n < joint.contacts.length / 2 ? 1 : -1);
      const [px, py] = corner(Math.sign(contact.at[2]) * half, Math.sign(side));
      paper.circle(px, py, 4.5, colours.contact);
      paper.arrow(px, py, 0, Math.sign(side) * this.long(size) * high * 1.5, colours.contact);
    });
    this.caption.push(`offset/c ${shift.toFixed(3)}`);
    if (Math.abs(tilt * half) > 5e-4) this.caption.push(`tilt ${digits(tilt * gap * 1e3, 2)} mrad`);
  }

  // Cross-section of a polygon in its guide.
  prism({ z }, values, x, y, size) {
    const { paper, joint, colours } = this, { gap } = joint.play;
    const s = joint.play.inner === "first" ? -1 : 1;
    const far = Math.max(...joint.section.map(([a, b]) => Math.hypot(a, b)));
    const play = 0.16 * size, scale = (size * 0.92 - 2 * play) / far;
    const { way, twist } = offsetAt(joint, values, z);
    const place = ([a, b]) => [x + scale * a + ((s * (way[0] - twist * b)) / gap) * play, y - scale * b - ((s * (way[1] + twist * a)) / gap) * play];
    const flat = ([a, b]) => [x + scale * a, y - scale * b];
    paper.polygon(outset(joint.section, (play * 1.9) / scale).map(flat), colours.ground);
    paper.polygon(outset(joint.section, play / scale).map(flat), colours.bore, colours.edge, 1);
    paper.polygon(joint.section.map(place), colours.journal, colours.text, 1);
    joint.contacts.forEach((contact, n) => {
      if (contact.at[2] * z < 0 || !(this.closed(n) > 0)) return;
      paper.circle(...place(contact.at), 4.5, colours.contact);
    });
    this.caption.push(`${quantity(Math.hypot(way[0], way[1]), "m")} off`);
  }

  // Where the part is between its flanges.
  axial(values, gap, y) {
    const { paper, joint, colours } = this;
    const row = joint.rows.findIndex((one) => one.group === "axial" && one.type === "sep");
    const part = row >= 0 ? Math.max(-1.1, Math.min(1.1, values[row] / gap)) : 0;
    const left = 70, right = paper.w - 16, middle = (left + right) / 2, half = (right - left) / 2, thick = half * 0.55;
    paper.text("axial", 8, y + 9, colours.soft, "left", "middle");
    paper.polygon([[left - 6, y - 2], [left, y - 2], [left, y + 20], [left - 6, y + 20]], colours.ground);
    paper.polygon([[right + 6, y - 2], [right, y - 2], [right, y + 20], [right + 6, y + 20]], colours.ground);
    const x = middle + part * (half - thick);
    paper.polygon([[x - thick, y], [x + thick, y], [x + thick, y + 18], [x - thick, y + 18]], colours.journal, colours.text, 1);
  }

  words() {
    const { paper, joint, colours, motion, chosen } = this;
    const sizes = motion.values(`normal.${chosen}`);
    const sum = sizes ? sizes.reduce((a, b) => a + b, 0) : 0;
    const touching = sizes && sum > 0;
    this.said = [`c ${quantity(joint.play.gap, "m")}`, ...new Set(this.caption), touching ? `contact ${quantity(sum, "N")}` : sizes ? "no contact" : ""].filter(Boolean).join("  ·  ");
    paper.text(this.said, paper.w / 2, paper.h - 7, colours.text, "center");
  }
}
