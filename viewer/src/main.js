// Starts the page and ties controls, picture, close-up and curves together.
import { Film } from "./film.js";
import { digits, nice, quantity, scaleFor } from "./format.js";
import { Inset } from "./inset.js";
import { layout, PAUSE, PLAY } from "./layout.js";
import { LARGEST } from "./magnify.js";
import { Labels } from "./labels.js";
import { Player } from "./player.js";
import { Plot } from "./plots.js";
import { able, Recorder } from "./record.js";
import { palette } from "./theme.js";
import { unpack } from "./unpack.js";

const $ = (selector) => document.querySelector(selector);
const round = (k) => (k < 10 ? digits(k, 2) : String(Math.round(k)));

// Sets a slider, and says what its place means.
function slide(selector, value, text) {
  $(selector).value = value;
  $(selector).setAttribute("aria-valuetext", text);
}

class App {
  constructor(scene, blocks) {
    this.scene = scene;
    const root = $("#app");
    const recording = able() && !scene.still;
    root.innerHTML = layout(scene, recording);
    $("h1").textContent = scene.title;
    $(".about").textContent = this.about();
    $("#made").textContent = `Made with jointplay ${scene.version}.`;
    $("#picture").setAttribute("aria-label", `picture of ${scene.title}`);
    scene.notes.forEach((note) => ($(".notes").appendChild(Object.assign(document.createElement("p"), { className: "hint", textContent: note }))));
    this.player = new Player($("#picture"), scene, blocks);
    this.motion = this.player.motion;
    this.playing = false;
    this.loop = true;
    this.dark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.labels = new Labels($(".labels"), scene);
    this.recorder = recording ? new Recorder($("#picture"), scene.title, (said) => this.recorded(said)) : null;
    this.inset = $("#inset") ? new Inset($("#inset"), scene, this.motion) : null;
    this.plots = [...document.querySelectorAll(".plots .one")].map((holder, k) => new Plot(holder, this.motion, scene, k, (t) => this.seek(t)));
    this.wide = matchMedia("(max-width: 820px)").matches || this.inset || this.plots.length || scene.notes.length;
    if (!this.wide) root.classList.add("alone");
    this.limitMagnification();
    this.setSpeed(this.usualSpeed(this.motion.end - this.motion.start));
    this.setArrows(1);
    this.wire();
    if (scene.drawn) this.toggleLabels(); // a drawing is looked at to see what is what
    this.setTheme(this.dark);
    this.refresh();
    requestAnimationFrame((now) => this.tick(now));
  }

  about() {
    const { scene } = this;
    const many = (list, word) => `${list.length} ${list.length === 1 ? word : word === "body" ? "bodies" : `${word}s`}`;
    const parts = [scene.planar ? "planar" : "spatial", many(scene.bodies.slice(1), "body"), many(scene.joints, "joint")];
    if (scene.drawn) parts.push("as drawn");
    else parts.push(scene.outcome);
    if (scene.impacts.length) parts.push(many(new Array(new Set(scene.impacts.map((one) => one[0])).size), "impact"));
    return parts.join(" · ");
  }

  // Real time if that takes 3 to 20 s on the wall, else slower or faster; the slider keeps it in its range.
  usualSpeed(length) {
    return !(length > 0) || (length >= 3 && length <= 20) ? 1 : nice(length / (length < 3 ? 5 : 12));
  }

  wire() {
    const doers = {
      front: () => this.look("front"), side: () => this.look("side"), top: () => this.look("top"), iso: () => this.look("iso"), fit: () => this.player.stage.fit(),
      forces: () => this.toggle("forces"), contacts: () => this.toggle("contacts"), labels: () => this.toggleLabels(), theme: () => this.setTheme(!this.dark),
      panel: () => this.togglePanel(), help: () => this.help(), auto: () => this.autoMagnify(), play: () => this.setPlaying(!this.playing),
      first: () => this.seek(this.motion.start), last: () => this.seek(this.motion.end), loop: () => this.setLoop(!this.loop), record: () => this.record(),
    };
    this.doers = doers;
    document.querySelectorAll("[data-do]").forEach((button) => button.addEventListener("click", () => doers[button.dataset.do]()));
    const on = (id, handler) => $(id)?.addEventListener("input", (event) => handler(event.target));
    on("#time", ({ value }) => this.seek(this.motion.start + value * (this.motion.end - this.motion.start)));
    on("#speed", ({ value }) => this.setSpeed(10 ** value));
    on("#magnify", ({ value }) => this.setMagnification(10 ** value));
    on("#arrowscale", ({ value }) => this.setArrows(10 ** value));
    on("#follow", ({ value }) => this.setFollow(+value));
    on("#joint", ({ value }) => {
      this.inset.chosen = this.inset.clear[value];
      this.inset.draw(this.colours);
    });
    document.querySelectorAll("#follow option").forEach((option, k) => k && (option.textContent = `follow: ${this.scene.bodies[k].name}`));
    document.querySelectorAll("#joint option").forEach((option, k) => (option.textContent = `${this.scene.joints[this.inset.clear[k]].name} (${this.scene.joints[this.inset.clear[k]].kind})`));
    document.addEventListener("keydown", (event) => this.key(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => this.setTheme(event.matches));
    new ResizeObserver(() => this.refresh()).observe($("#app"));
    new ResizeObserver(() => this.refresh()).observe($("main"));
    const picture = $("#picture");
    let down = null;
    picture.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    picture.addEventListener("pointerup", (event) => {
      if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
      const box = picture.getBoundingClientRect();
      this.labels.single = this.player.stage.pick(event.clientX - box.left, event.clientY - box.top);
      this.player.stage.dirty = true;
    });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inside = event.target.closest?.("input, select, dialog[open]");
    const { key } = event;
    if (inside && (key.startsWith("Arrow") || key === "Home" || key === "End" || inside.tagName !== "INPUT")) return;
    if (key === " " && event.target.closest?.("button")) return;
    const step = (n) => this.seek(this.motion.time[Math.max(0, Math.min(this.motion.time.length - 1, this.motion.frame + n))], true);
    const much = event.shiftKey ? 10 : 1;
    const acts = {
      " ": () => this.setPlaying(!this.playing), ArrowLeft: () => step(-much), ArrowRight: () => step(much), Home: this.doers.first, End: this.doers.last,
      "[": () => this.setSpeed(this.speed / 10 ** 0.1), "]": () => this.setSpeed(this.speed * 10 ** 0.1), 0: this.doers.fit, 1: this.doers.front, 2: this.doers.side,
      3: this.doers.top, 4: this.doers.iso, f: () => this.setFollow((this.player.follow + 1) % this.scene.bodies.length), m: () => this.autoMagnify(), v: this.doers.forces,
      c: this.doers.contacts, l: this.doers.labels, o: this.doers.loop, p: this.doers.panel, t: this.doers.theme, "?": this.doers.help,
      r: this.doers.record,
    };
    const act = acts[key] || acts[key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }

  press(id, on) {
    document.querySelector(`[data-do="${id}"]`)?.setAttribute("aria-pressed", String(on));
  }

  look(name) {
    this.player.stage.look(name);
  }

  toggle(what) {
    const { show } = this.player.arrows;
    show[what] = !show[what];
    this.press(what, show[what]);
    this.player.update();
  }

  toggleLabels() {
    this.labels.on = !this.labels.on;
    this.press("labels", this.labels.on);
    this.player.stage.dirty = true;
  }

  togglePanel() {
    $("#app").classList.toggle("alone");
    this.refresh();
  }

  help() {
    const dialog = $("#help");
    if (dialog.open) dialog.close();
    else dialog.showModal();
  }

  setTheme(dark) {
    this.dark = dark;
    document.documentElement.classList.toggle("dark", dark);
    this.colours = palette(dark);
    this.player.recolour(this.colours);
    this.refresh();
  }

  setLoop(on) {
    this.loop = on;
    this.press("loop", on);
  }

  setSpeed(speed) {
    this.speed = Math.min(10, Math.max(0.001, speed));
    this.player.wallSpeed = this.speed;
    if (!$("#speed")) return;
    slide("#speed", Math.log10(this.speed), `${digits(this.speed, 2)} times real time`);
    $("#speedtext").textContent = `${digits(this.speed, 2)}×`;
  }

  // The slider ends where ideal joints would come apart.
  limitMagnification() {
    const { limit } = this.player;
    if (!this.inset) return;
    $("#magnify").max = Math.log10(limit);
    slide("#magnify", 0, "true size");
    if (limit >= LARGEST) return;
    $("#most").hidden = false;
    $("#most").textContent = limit > 1
      ? `Up to ×${round(limit)}: with more play than that the parts could not reach each other.`
      : "As it is: with more play than that the parts could not reach each other.";
    $("#magnify").disabled = $('[data-do="auto"]').disabled = limit <= 1;
  }

  setMagnification(k) {
    if (!this.inset) return;
    this.player.magnify(k);
    const now = this.player.magnification;
    $("#times").textContent = `×${round(now)}`;
    slide("#magnify", Math.log10(now), now > 1 ? `${round(now)} times larger` : "true size");
  }

  // So that the largest play takes about one and a half units; or back to the truth.
  autoMagnify() {
    if (!this.inset) return;
    const largest = Math.max(...this.scene.joints.filter((joint) => joint.play).map((joint) => joint.play.gap));
    this.setMagnification(this.player.magnification > 1 ? 1 : Math.max(2, nice((1.6 * this.scene.unit) / (largest || this.scene.unit))));
  }

  setArrows(factor) {
    this.player.arrows.factor = factor;
    if (!$("#arrowscale")) return;
    $("#arrowtext").textContent = `×${digits(factor, 2)}`;
    slide("#arrowscale", Math.log10(factor), `${digits(factor, 2)} times as long`);
    this.player.update();
  }

  setFollow(body) {
    this.player.setFollow(body);
    $("#follow").value = body;
  }

  setPlaying(on) {
    if (this.scene.still) return;
    if (on && this.motion.now >= this.motion.end) this.seek(this.motion.start);
    this.playing = on;
    this.press("play", on);
    $('[data-do="play"]').innerHTML = on ? PAUSE : PLAY;
  }

  // From here to the end of the run, or until asked again.
  record() {
    if (!this.recorder) return;
    if (this.recorder.on) return this.recorder.stop();
    if (this.motion.now >= this.motion.end) this.seek(this.motion.start);
    this.recorder.start();
    this.player.stage.dirty = true;
    this.setPlaying(true);
  }

  recorded(said) {
    this.press("record", this.recorder.on);
    $("#said").textContent = said;
    clearTimeout(this.quiet);
    if (!this.recorder.on) this.quiet = setTimeout(() => ($("#said").textContent = ""), 8000);
  }

  seek(t, pause = false) {
    if (pause) this.setPlaying(false);
    this.player.seek(t);
    this.moved();
  }

  // The time and the end of the run as texts, in one unit.
  clock() {
    const { motion } = this, [factor, unit] = scaleFor(motion.end, "s");
    const places = Math.max(0, 3 - Math.floor(Math.log10(motion.end / factor || 1)));
    return { now: (motion.now / factor).toFixed(places), end: `${digits(motion.end / factor, 4)} ${unit}`, unit };
  }

  // Everything that follows the time.
  moved() {
    const { motion } = this;
    if ($("#time")) {
      const { now, end, unit } = this.clock();
      $("#clock").textContent = `${now} / ${end}`;
      $(".caption .when").textContent = `${now} ${unit}`;
      slide("#time", (motion.now - motion.start) / (motion.end - motion.start || 1), `${now} of ${end}`);
    }
    this.plots.forEach((plot) => plot.cursor());
    this.inset?.draw(this.colours);
  }

  refresh() {
    this.player.stage.resize();
    this.plots.forEach((plot) => plot.draw(this.colours, this.dark));
    this.moved();
    this.player.stage.dirty = true;
  }

  // Scale bars: a length, and a force if arrows are shown.
  legend() {
    const { stage, arrows } = this.player, { pixels } = stage;
    const length = nice(120 / pixels), bars = [];
    $(".legend .l i").style.width = `${length * pixels}px`;
    $(".legend .l span").textContent = quantity(length, "m");
    const shown = arrows.perNewton > 0 && arrows.used > 0;
    $(".legend .f").hidden = !shown;
    if (shown) {
      const force = nice(110 / (arrows.perNewton * pixels)), width = force * arrows.perNewton * pixels;
      const text = quantity(force, "N") + (arrows.cut ? ", longer ones cut" : "");
      $(".legend .f").style.color = this.colours.force;
      $(".legend .f i").style.width = `${width}px`;
      $(".legend .f span").textContent = text;
      bars.push({ width, text, force: true });
    }
    return [...bars, { width: length * pixels, text: quantity(length, "m") }];
  }

  tick(now) {
    const passed = Math.min(0.1, (now - (this.last ?? now)) / 1000);
    this.last = now;
    if (this.playing) {
      let t = this.motion.now + passed * this.speed;
      if (t >= this.motion.end) {
        this.recorder?.stop();
        if (this.loop) t = this.motion.start + ((t - this.motion.start) % (this.motion.end - this.motion.start));
        else this.setPlaying(false);
      }
      this.seek(t);
    }
    this.paint();
    requestAnimationFrame((next) => this.tick(next));
  }

  paint() {
    const { stage } = this.player;
    if (!stage.dirty) return;
    stage.render();
    this.labels.update(this.player);
    const legend = this.legend();
    if (!this.recorder?.on) return;
    const { now, unit } = this.clock();
    this.recorder.copy({ time: `${now} ${unit} · ${digits(this.speed, 2)} × real time`, labels: this.labels.seen, legend, colours: this.colours });
  }

  // Everything drawn frame by frame from now on, for a program that takes the pictures.
  film(options) {
    this.filmed = new Film(this, options);
    return this.filmed.facts;
  }

  state() {
    const { motion, player } = this;
    return {
      time: motion.now, end: motion.end, frames: motion.time.length, playing: this.playing, recording: this.recorder ? this.recorder.on : null, recorded: this.recorder?.bytes ?? 0, speed: this.speed, loop: this.loop, magnification: player.magnification, limit: player.limit,
      theme: this.dark ? "dark" : "light", follow: player.follow ? this.scene.bodies[player.follow].name : null, labels: this.labels.on, show: { ...player.arrows.show },
      closeup: this.inset?.said ?? null, curves: this.plots.map((plot) => ({ name: plot.curve.name, value: plot.value.textContent })), ...player.describe(),
    };
  }

  // Milliseconds per frame: poses and arrows; also close-up, cursors and clock; and with drawing in three dimensions.
  bench(count = 50) {
    const { start, end } = this.motion, times = {};
    const steps = { poses: (t) => this.player.seek(t), update: (t) => this.seek(t), all: (t) => (this.seek(t), this.paint()) };
    for (const [name, step] of Object.entries(steps)) {
      const begin = performance.now();
      for (let k = 0; k < count; k++) step(start + ((k + 0.5) / count) * (end - start));
      times[name] = (performance.now() - begin) / count;
    }
    return times;
  }
}

function failed(error) {
  const box = document.createElement("div");
  box.className = "failure";
  box.textContent = `This browser cannot show the animation: ${error.message}`;
  $("#app").replaceChildren(box);
}

try {
  const scene = JSON.parse($("#scene").textContent);
  const app = new App(scene, unpack($("#numbers").textContent, scene.blocks));
  window.jointplay = {
    state: () => app.state(), seek: (t) => app.seek(t, true), play: () => app.setPlaying(true), pause: () => app.setPlaying(false),
    magnify: (k) => app.setMagnification(k), bench: (count) => app.bench(count), usualSpeed: (length) => app.usualSpeed(length),
    film: (options) => app.film(options), pace: (speed) => app.filmed.pace(speed), frame: (t) => app.filmed.frame(t),
  };
  // A page of its own moves at once; inside another page it waits to be asked.
  if (window.top === window && !matchMedia("(prefers-reduced-motion: reduce)").matches) app.setPlaying(true);
} catch (error) {
  failed(error);
  throw error;
}
