// Curves over time with a common cursor. The curves are drawn once, the cursor on a canvas above.
import { digits, scaleFor, ticks } from "./format.js";
import { Paper } from "./paper.js";
import { curveColour } from "./theme.js";

const LEFT = 54, RIGHT = 10, TOP = 6, BOTTOM = 18;

export class Plot {
  constructor(holder, motion, scene, chosen, onSeek) {
    Object.assign(this, { motion, scene, chosen, onSeek });
    this.back = new Paper(holder.querySelector(".curve"));
    this.front = new Paper(holder.querySelector(".cursor"));
    this.value = holder.querySelector(".value");
    this.menu = holder.querySelector("select");
    scene.curves.forEach((curve, k) => this.menu.add(new Option(curve.name, k, false, k === chosen)));
    this.menu.addEventListener("change", () => {
      this.chosen = +this.menu.value;
      this.draw(this.colours, this.dark);
    });
    const canvas = this.front.canvas;
    const seek = (event) => onSeek(this.timeAt(event.clientX - canvas.getBoundingClientRect().left));
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    canvas.addEventListener("pointermove", (event) => event.buttons && seek(event));
  }

  get curve() {
    return this.scene.curves[this.chosen];
  }

  timeAt(x) {
    const { start, end } = this.motion;
    return start + ((x - LEFT) / (this.front.canvas.clientWidth - LEFT - RIGHT)) * (end - start);
  }

  x(t) {
    const { start, end } = this.motion;
    return LEFT + ((t - start) / (end - start || 1)) * (this.back.w - LEFT - RIGHT);
  }

  draw(colours, dark) {
    [this.colours, this.dark] = [colours, dark];
    const { back: paper, motion, curve } = this;
    if (!paper.begin() || !curve) return;
    const block = motion.blocks[`curve.${this.chosen}`];
    const low = motion.blocks[`curve.${this.chosen}.low`] || block, high = motion.blocks[`curve.${this.chosen}.high`] || block;
    let bottom = Math.min(...low.low), top = Math.max(...high.step.map((s, c) => high.low[c] + 65535 * s));
    if (bottom > 0 && bottom < 0.35 * top) bottom = 0;
    if (!(top > bottom)) [bottom, top] = [bottom - (Math.abs(bottom) * 0.1 || 1), top + (Math.abs(top) * 0.1 || 1)];
    const margin = 0.06 * (top - bottom);
    [bottom, top] = [bottom === 0 ? 0 : bottom - margin, top + margin];
    const [factor, unit] = scaleFor(Math.max(Math.abs(bottom), Math.abs(top)), curve.unit);
    this.factor = factor;
    this.size = Math.max(Math.abs(bottom), Math.abs(top));
    const y = (v) => paper.h - BOTTOM - ((v - bottom) / (top - bottom)) * (paper.h - TOP - BOTTOM);
    for (const tick of ticks(bottom / factor, top / factor, 4)) {
      paper.line([[LEFT, y(tick * factor)], [paper.w - RIGHT, y(tick * factor)]], colours.line, 1);
      paper.text(digits(tick, 3).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, ""), LEFT - 6, y(tick * factor), colours.soft, "right", "middle");
    }
    paper.g.save();
    paper.g.translate(10, (paper.h - BOTTOM) / 2);
    paper.g.rotate(-Math.PI / 2);
    paper.text(unit || "–", 0, 0, colours.soft, "center", "middle");
    paper.g.restore();
    const [part, second] = scaleFor(motion.end - motion.start, "s");
    const marks = ticks(motion.start / part, motion.end / part, Math.max(2, Math.floor(paper.w / 80)));
    marks.forEach((tick, k) => {
      const words = digits(tick, 3).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
      paper.text(k === marks.length - 1 ? `${words} ${second}` : words, this.x(tick * part) > paper.w - 34 ? paper.w : this.x(tick * part), paper.h - 4, colours.soft, this.x(tick * part) > paper.w - 34 ? "right" : "center");
      paper.line([[this.x(tick * part), paper.h - BOTTOM], [this.x(tick * part), paper.h - BOTTOM + 3]], colours.soft, 1);
    });
    for (const [time] of this.scene.impacts) paper.line([[this.x(time), paper.h - BOTTOM], [this.x(time), paper.h - BOTTOM - 4]], colours.stop, 1);
    paper.g.save();
    paper.g.beginPath();
    paper.g.rect(LEFT, 0, paper.w - LEFT - RIGHT, paper.h - BOTTOM + 1);
    paper.g.clip();
    for (let c = 0; c < block.columns; c++) {
      const colour = curveColour(c, dark), points = [];
      for (let f = 0; f < block.frames; f++) {
        const x = this.x(motion.time[f]);
        if (low === block) points.push([x, y(block.get(c, f))]);
        else points.push([x, y(low.get(c, f))], [x, y(high.get(c, f))]);
      }
      paper.line(points, colour, 1.3);
    }
    paper.g.restore();
    this.cursor();
  }

  cursor() {
    const { front: paper, back, motion, curve, colours } = this;
    if (!paper.begin() || !colours) return;
    const x = LEFT + ((motion.now - motion.start) / (motion.end - motion.start || 1)) * (paper.w - LEFT - RIGHT);
    paper.line([[x, TOP], [x, back.h - BOTTOM]], colours.text, 1);
    const values = motion.values(`curve.${this.chosen}`);
    const [factor, unit] = [this.factor, scaleFor(this.factor, curve.unit)[1]];
    const few = values.length > 1;
    const short = (v) => (Math.abs(v) < 1e-4 * this.size ? "0" : digits(v / factor, few ? 2 : 4));
    if (values.length > 3) {
      this.value.textContent = `${short(Math.min(...values))} to ${short(Math.max(...values))} ${unit}`;
      return;
    }
    const shown = values.map((v, k) => (few && curve.labels[k] ? `${curve.labels[k]}: ` : "") + short(v)).join("  ");
    this.value.textContent = `${shown} ${unit}`;
  }
}
