// Forces as arrows, contact points as dots, impacts as flashes.
import { CanvasTexture, Group, Mesh, MeshBasicMaterial, Sprite, SpriteMaterial, Vector3 } from "three";
import { axisOf, pointOf } from "./motion.js";
import { ball, cone, cylinder } from "./solids.js";
import { add, mul, norm, scale, unit } from "./vec.js";

const Z = new Vector3(0, 0, 1);
const LONGEST = 0.75; // of the span: longer arrows are cut
const FLASH = 0.22; // s on the wall that a flash lasts
const MOST_FLASHES = 24;

export class Arrows {
  constructor(scene, motion, stage, layer) {
    Object.assign(this, { scene, motion, layer });
    this.thick = Math.max(scene.unit, 0.011 * scene.span); // arrows of long chains stay visible
    this.paints = {};
    for (const key of ["force", "contact", "load"]) this.paints[key] = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.92 });
    this.group = new Group();
    this.flashGroup = new Group();
    stage.add(this.group, this.flashGroup);
    this.pool = [];
    this.used = 0;
    this.show = { forces: !scene.still, contacts: !scene.still };
    this.factor = 1;
    this.base = this.scaleOf();
    this.flashes = this.makeFlashes();
    this.cut = false;
  }

  // Length of arrows per N: the 90 % quantile of the larger forces takes an eighth of the span.
  scaleOf() {
    const peaks = [];
    for (const [name, block] of Object.entries(this.motion.blocks)) {
      if (!/^(force|load)\./.test(name)) continue;
      const sizes = [];
      for (let f = 0; f < block.frames; f += Math.max(1, block.frames >> 8)) sizes.push(norm([0, 1, 2].map((c) => block.get(c, f))));
      sizes.sort((a, b) => a - b);
      peaks.push(sizes[Math.floor(0.9 * (sizes.length - 1))]);
    }
    const typical = Math.max(0, ...peaks);
    return typical > 0 ? (0.16 * this.scene.span) / typical : 0;
  }

  get perNewton() {
    return this.base * this.factor;
  }

  recolour(colours) {
    for (const [key, paint] of Object.entries(this.paints)) paint.color.set(colours[key]);
  }

  arrow() {
    if (this.used === this.pool.length) {
      const u = this.thick;
      const shaft = new Mesh(cylinder(0.1 * u, 1).translate(0, 0, 0.5)), head = new Mesh(cone(0.33 * u, 1.2 * u).translate(0, 0, 0.6 * u));
      const dot = new Mesh(ball(0.24 * u));
      const group = new Group().add(shaft, head, dot);
      [shaft, head, dot].forEach((part) => (part.renderOrder = 10));
      this.pool.push({ group, shaft, head, dot });
      this.group.add(group);
    }
    const item = this.pool[this.used++];
    item.group.visible = true;
    return item;
  }

  put(at, force, kind, dotted) {
    const size = norm(force);
    if (!(size > 0)) return;
    const whole = size * this.perNewton, most = LONGEST * this.scene.span;
    if (whole > most) this.cut = true;
    const length = Math.min(whole, most), u = this.thick;
    if (length < 0.25 * u && !dotted) return;
    const { group, shaft, head, dot } = this.arrow();
    [shaft, head, dot].forEach((part) => (part.material = this.paints[kind]));
    group.position.set(...at);
    group.quaternion.setFromUnitVectors(Z, new Vector3(...scale(1 / size, force)));
    const tip = Math.min(1.2 * u, 0.6 * length);
    shaft.scale.set(1, 1, Math.max(length - tip, 1e-6));
    head.position.z = length - tip;
    head.scale.setScalar(tip / (1.2 * u));
    dot.visible = dotted;
  }

  update(poses, motion, k, wallSpeed) {
    this.used = 0;
    this.cut = false;
    const { scene } = this;
    if (this.perNewton > 0) {
      scene.joints.forEach((joint, j) => {
        const lift = this.layer(joint.second.body);
        if (joint.play && motion.blocks[`normal.${j}`]) {
          if (this.show.contacts) for (const one of contactForces(joint, j, poses, motion, k)) this.put(raise(one.at, lift), one.force, "contact", true);
        } else if (this.show.forces && motion.blocks[`force.${j}`]) {
          this.put(raise(pointOf(joint.second, poses), lift), motion.values(`force.${j}`), "force", false);
        }
      });
      if (this.show.forces) {
        for (const load of scene.loads) {
          const pose = poses[load.body];
          this.put(raise(add(pose.r, mul(pose.A, load.point)), this.layer(load.body)), motion.values(load.block), "load", false);
        }
      }
    }
    for (let n = this.used; n < this.pool.length; n++) this.pool[n].group.visible = false;
    this.flash(poses, motion, k, wallSpeed);
  }

  makeFlashes() {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 128;
    const g = canvas.getContext("2d");
    const glow = g.createRadialGradient(64, 64, 4, 64, 64, 62);
    glow.addColorStop(0, "rgba(255,214,110,1)");
    glow.addColorStop(0.3, "rgba(255,150,40,0.75)");
    glow.addColorStop(1, "rgba(255,120,20,0)");
    g.fillStyle = glow;
    g.fillRect(0, 0, 128, 128);
    const map = new CanvasTexture(canvas);
    return Array.from({ length: MOST_FLASHES }, () => {
      const sprite = new Sprite(new SpriteMaterial({ map, transparent: true, depthTest: false }));
      sprite.visible = false;
      sprite.renderOrder = 9;
      this.flashGroup.add(sprite);
      return sprite;
    });
  }

  // Impacts of the last moments glow, the harder the larger.
  flash(poses, motion, k, wallSpeed) {
    const { impacts } = this.scene, u = this.thick, window = FLASH * wallSpeed;
    this.hardest ??= Math.max(1e-300, ...impacts.map((one) => one[3]));
    let n = 0;
    if (this.show.contacts) {
      for (let i = lastBefore(impacts, motion.now); i >= 0 && n < MOST_FLASHES; i--) {
        const [time, j, name, impulse] = impacts[i], age = (motion.now - time) / window;
        if (age > 1) break;
        const sprite = this.flashes[n++], joint = this.scene.joints[j];
        sprite.position.set(...raise(impactPoint(joint, name, poses, motion, j, k), this.layer(joint.second.body) + 2 * u));
        sprite.scale.setScalar(u * (3 + 5 * Math.sqrt(impulse / this.hardest)) * (0.7 + 0.6 * age));
        sprite.material.opacity = 1 - age;
        sprite.visible = true;
      }
    }
    this.flashing = n;
    for (; n < MOST_FLASHES; n++) this.flashes[n].visible = false;
  }
}

const raise = (p, z) => [p[0], p[1], p[2] + z];

function lastBefore(impacts, t) {
  let low = -1, high = impacts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (impacts[middle][0] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Way from the first to the second centre at a place along the axis, in joint axes, true size.
export function offsetAt(joint, values, z) {
  const d = [0, 0, 0], slope = [0, 0];
  let twist = 0;
  joint.rows.forEach((row, n) => {
    if (row.group in { angle: 1, displacement: 1 } || !values) return;
    if (row.type === "sep") d[row.a] = values[n];
    else if (row.type === "ali" && row.b === 2) slope[row.a] = values[n];
    else if (row.type === "ali" && row.a === 0 && row.b === 1) twist = -values[n];
  });
  return { way: [d[0] + z * slope[0], d[1] + z * slope[1], d[2]], twist, slope };
}

// Where a contact is in the drawn picture, and its direction (force on the second body).
export function contactPlace(joint, contact, poses, values) {
  const { first, second } = contact;
  if (!contact.round) {
    const n = axisOf(first, 0, poses);
    return { at: pointOf(second, poses), along: contact.swapped ? scale(-1, n) : n };
  }
  const { way } = offsetAt(joint, values, contact.at[2]);
  const flat = joint.kind === "revolute" || joint.kind === "cylindrical";
  const e = unit(flat ? [way[0], way[1], 0] : way, [0, 0, 0]);
  const world = add(add(scale(e[0], axisOf(joint.first, 0, poses)), scale(e[1], axisOf(joint.first, 1, poses))), scale(e[2], axisOf(joint.first, 2, poses)));
  const inner = joint.play.inner === "first" ? joint.first : joint.second;
  const along = scale(contact.at[2], axisOf(inner, 2, poses));
  const R = joint.drawnRadius || joint.radius || 0;
  const centre = flat ? add(pointOf(inner, poses), along) : pointOf(inner, poses);
  return { at: add(centre, scale(joint.play.inner === "first" ? -R : R, world)), along: scale(-1, world) };
}

export function contactForces(joint, j, poses, motion) {
  const sizes = motion.values(`normal.${j}`), values = motion.values(`play.${j}`), out = [];
  joint.contacts.forEach((contact, n) => {
    if (!(sizes[n] > 1e-9 * Math.abs(motion.blocks[`normal.${j}`].step[n] * 65535)) || !(sizes[n] > 0)) return;
    const { at, along } = contactPlace(joint, contact, poses, values);
    out.push({ at, force: scale(sizes[n], along), n });
  });
  return out;
}

function impactPoint(joint, name, poses, motion, j) {
  const found = /^[^.]*\.(\w+)\[(\d+)\]$/.exec(name);
  if (found && joint.play) {
    const own = joint.contacts.filter((one) => one.group === found[1]);
    if (own[+found[2]]) return contactPlace(joint, own[+found[2]], poses, motion.values(`play.${j}`)).at;
  }
  return pointOf(joint.second, poses);
}
