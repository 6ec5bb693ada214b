// The mechanism in the picture: poses at an instant, drawn with the play as large as asked for.
import { Arrows } from "./arrows.js";
import { floored } from "./format.js";
import { Joints } from "./joints.js";
import { LARGEST, Magnifier, rowValue } from "./magnify.js";
import { Motion, pointOf } from "./motion.js";
import { Movers } from "./movers.js";
import { Workshop } from "./parts.js";
import { Box3, Stage, Vector3 } from "./stage.js";

const LARGE = 90; // coordinates

export class Player {
  constructor(canvas, scene, blocks) {
    this.scene = scene;
    this.motion = new Motion(scene, blocks);
    this.stage = new Stage(canvas, scene);
    this.shop = new Workshop(scene, blocks);
    const { world } = this.stage;
    this.groups = scene.bodies.map((body, b) => this.shop.body(body, b));
    world.add(...this.groups);
    for (const joint of scene.joints) joint.drawnRadius = joint.radius || this.usualRadius(joint);
    this.joints = new Joints(scene, this.groups, this.shop);
    this.movers = new Movers(scene, this.shop, world);
    this.arrows = new Arrows(scene, this.motion, world, (body) => this.shop.layer(body));
    this.magnifier = new Magnifier(scene);
    this.magnification = 1;
    this.limit = this.largestMagnification();
    this.wallSpeed = 1;
    this.follow = 0;
    this.update();
    this.furnish();
  }

  usualRadius(joint) {
    const factor = joint.kind === "spherical" ? (this.scene.planar ? 0.55 : 0.85) : joint.kind === "cylindrical" ? 0.5 : 0.42;
    return factor * this.scene.unit;
  }

  // Goes to a few instants of the run, evenly spread, and comes back.
  visit(most, act) {
    const { motion } = this, now = motion.now, count = Math.min(most, motion.time.length);
    for (let k = 0; k < count; k++) {
      motion.seek(motion.time[Math.floor((k * (motion.time.length - 1)) / Math.max(1, count - 1))]);
      act();
    }
    motion.seek(now);
  }

  // How much larger play can be drawn with all ideal joints closed, in round numbers. Models too large to try that in
  // the time of opening a page have no limit; where they cannot follow, their play is drawn smaller.
  largestMagnification() {
    const { motion, magnifier } = this;
    if (magnifier.size > LARGE) return LARGEST;
    const values = (j) => motion.values(`play.${j}`);
    const found = magnifier.limit((judge) => this.visit(24, () => judge(motion.poses, values)));
    return found >= LARGEST ? LARGEST : Math.max(1, floored(found));
  }

  // The room that the whole motion takes: the parts as drawn, at a few instants.
  furnish() {
    const { stage } = this, box = new Box3(), solids = new Box3();
    this.visit(24, () => {
      this.pose(this.motion.poses);
      stage.world.updateMatrixWorld(true);
      for (const group of this.groups) box.union(solids.setFromObject(group));
      for (const { part } of this.movers.items) box.union(solids.setFromObject(part));
    });
    const centre = box.getCenter(new Vector3()), size = box.getSize(new Vector3());
    const up = this.scene.planar ? new Vector3(0, 0, 1) : stage.up;
    const reach = 0.5 * (Math.abs(size.x * up.x) + Math.abs(size.y * up.y) + Math.abs(size.z * up.z));
    const low = centre.dot(up) - reach - (this.scene.planar ? 0.8 * this.scene.unit : 0);
    stage.furnish(box.expandByScalar(0.5 * this.scene.unit), low);
    this.update();
  }

  pose(poses) {
    poses.forEach(({ r, p }, b) => {
      this.groups[b].position.set(...r);
      this.groups[b].quaternion.set(p[1], p[2], p[3], p[0]);
    });
    this.movers.update(poses);
  }

  seek(t) {
    this.motion.seek(t);
    this.update();
  }

  // All that changes with time; drawing is another matter.
  update() {
    const { motion } = this;
    this.poses = this.magnifier.solve(motion.poses, this.magnification, (j) => motion.values(`play.${j}`));
    this.pose(this.poses);
    this.arrows.update(this.poses, motion, this.magnification, this.wallSpeed);
    if (this.follow) {
      const at = new Vector3(...this.poses[this.follow].r);
      if (this.followed) this.stage.shift(at.clone().sub(this.followed));
      this.followed = at;
    }
    this.stage.dirty = true;
  }

  setFollow(body) {
    this.follow = body;
    this.followed = null;
    if (body) {
      const { controls } = this.stage;
      this.stage.shift(new Vector3(...this.poses[body].r).sub(controls.target));
    }
    this.update();
  }

  magnify(k) {
    this.magnification = Math.min(this.limit, Math.max(1, k));
    this.joints.regap(this.magnification);
    this.update();
  }

  recolour(colours) {
    this.shop.recolour(colours);
    this.joints.recolour(colours);
    this.arrows.recolour(colours);
    this.stage.recolour(colours);
  }

  // For tests and the curious.
  describe() {
    const bodies = {}, joints = {};
    this.scene.bodies.forEach(({ name }, b) => {
      if (b) bodies[name] = { position: this.motion.poses[b].r.slice(), drawn: this.poses[b].r.slice(), orientation: this.motion.poses[b].p.slice() };
    });
    this.scene.joints.forEach((joint) => {
      const rows = joint.rows.map((row) => ({ group: row.group, type: row.type, play: row.play, drawn: rowValue(joint, row, this.poses) }));
      joints[joint.name] = { at: pointOf(joint.second, this.poses), rows };
    });
    return { bodies, joints, arrows: this.arrows.used, flashes: this.arrows.flashing };
  }
}
