// Joints drawn as what they are. A builder gets the joint's facts and two groups that sit in its frames (z is the axis)
// on the first and the second body; what depends on the magnified play is rebuilt by regap(k).
import { Group, LineSegments, Matrix4, BufferGeometry, Float32BufferAttribute, LineBasicMaterial } from "three";
import * as solid from "./solids.js";
import { dot, unit as direction, scale } from "./vec.js";

// A group in a marker's frame, inside the group of its body.
export function framed(marker, groups, shop) {
  const { axes, point, body } = marker;
  const group = new Group();
  const basis = new Matrix4();
  // the rows h, t, b of the frame are its axes: columns of the matrix
  basis.set(axes[0], axes[3], axes[6], point[0], axes[1], axes[4], axes[7], point[1], axes[2], axes[5], axes[8], point[2], 0, 0, 0, 1);
  group.applyMatrix4(basis);
  // planar parts lie in layers; the frame lies in that of its body
  group.position.z += shop.layer(body);
  group.updateMatrix();
  groups[body].add(group);
  group.userData = { level: shop.layer(body), sign: axes[8] < 0 ? -1 : 1 };
  return group;
}

const STEEL = "steel", GROUND = "ground", STOP = "stop";

export class Joints {
  constructor(scene, groups, shop) {
    this.scene = scene;
    this.shop = shop;
    this.unit = scene.unit;
    this.hatchLines = new LineBasicMaterial();
    this.gapped = []; // [parent, make(k), what stands there now]
    scene.joints.forEach((joint) => {
      const ends = [framed(joint.first, groups, shop), framed(joint.second, groups, shop)];
      const build = this[joint.kind];
      if (build) build.call(this, joint, ends);
      joint.stops.forEach((stop) => this.stop(joint, stop, ends));
      if (joint.springs.some((name) => name.startsWith("angle"))) this.spiral(ends);
    });
    this.regap(1);
  }

  regap(k) {
    for (const entry of this.gapped) {
      if (entry[2]) entry[0].remove(entry[2]);
      entry[2]?.traverse((part) => part.geometry?.dispose());
      entry[0].add((entry[2] = entry[1](k)));
    }
  }

  recolour(colours) {
    this.hatchLines.color.set(colours.hatch);
  }

  whenGap(parent, make) {
    this.gapped.push([parent, make, null]);
  }

  colourOf(marker) {
    return marker.body === 0 ? GROUND : "dark";
  }

  // Radius of a pin: as given, or what suits the links.
  radius(joint, usual = 0.42) {
    return joint.radius || usual * this.unit;
  }

  // Ends of a pin: which frame carries the pin, which the hole.
  sides(joint, ends) {
    const second = joint.play?.inner === "second";
    const markers = [joint.first, joint.second];
    return second ? { pin: ends[1], hole: ends[0], holder: markers[0], carrier: markers[1] } : { pin: ends[0], hole: ends[1], holder: markers[1], carrier: markers[0] };
  }

  revolute(joint, ends) {
    if (this.scene.planar) return this.flatPin(joint, ends);
    const { shop, unit } = this, R = this.radius(joint);
    const { pin, hole, holder, carrier } = this.sides(joint, ends);
    const gap = joint.play?.round ? joint.play.gap : 0;
    const long = joint.length && joint.length > 8 * unit;
    const length = joint.length || 3.2 * unit;
    const collar = Math.max(0.5 * unit, 0.6 * R);
    const places = long ? [-length / 2, length / 2] : [0];
    const each = long ? Math.max(2 * unit, 4 * R) : 0.62 * length;
    pin.add(shop.part(solid.cylinder(R, long ? length + 1.6 * each : length * 1.05), shop.paint(STEEL)));
    this.whenGap(hole, (k) => {
      const group = new Group();
      for (const z of places) {
        const ring = shop.part(solid.tube(R + k * gap, R + k * gap + collar, each), shop.paint(this.colourOf(holder), { opacity: gap ? 0.6 : 1 }));
        ring.position.z = z;
        group.add(ring);
      }
      return group;
    });
    if (carrier.body === 0) places.forEach((z) => this.foot(pin, R, z));
    else if (holder.body === 0) places.forEach((z) => this.foot(hole, R + collar, z));
  }

  // Planar: a pin through the layers of both bodies; with play, in a bore whose edge shows.
  flatPin(joint, ends) {
    const { shop, unit } = this, R = this.radius(joint);
    const { pin, hole, holder, carrier } = this.sides(joint, ends);
    const levels = ends.map((end) => end.userData.level);
    const low = Math.min(...levels), high = Math.max(...levels), d = shop.depth;
    const local = (end, z) => end.userData.sign * (z - end.userData.level);
    const body = shop.part(solid.cylinder(R, high - low + 1.45 * d), shop.paint(STEEL));
    body.position.z = local(pin, (low + high) / 2 + 0.12 * d);
    pin.add(body);
    if (joint.play) {
      this.whenGap(hole, (k) => {
        const group = new Group(), inner = R + k * joint.play.gap;
        const ring = shop.part(solid.tube(inner, inner + 0.5 * unit, 0.5 * d), shop.paint(this.colourOf(holder)));
        ring.position.z = local(hole, high + 0.6 * d);
        const bore = shop.part(solid.cylinder(inner, 0.05 * d), shop.paint("bore"), { edges: false });
        bore.position.z = local(hole, high + 0.52 * d);
        group.add(ring, bore);
        return group;
      });
    }
    if (joint.first.body === 0) this.support(ends[0], R);
    else if (joint.second.body === 0) this.support(ends[1], R);
  }

  spherical(joint, ends) {
    const { shop, unit } = this, R = this.radius(joint, this.scene.planar ? 0.55 : 0.85);
    const { pin, hole, holder } = this.sides(joint, ends);
    pin.add(shop.part(solid.ball(R), shop.paint(STEEL), { edges: false }));
    const gap = joint.play ? joint.play.gap : 0;
    const facing = this.inward(holder);
    this.whenGap(hole, (k) => {
      const inner = R + k * gap + (gap ? 0 : 0.02 * R);
      const cup = shop.part(solid.bowl(inner, inner + 0.28 * unit, 0.47 * Math.PI), shop.paint(this.colourOf(holder), { opacity: 0.55 }));
      aim(cup, scale(-1, facing));
      return cup;
    });
    if (joint.first.body === 0) this.foot(ends[0], R, 0);
    else if (joint.second.body === 0) this.foot(ends[1], R, 0);
  }

  universal(joint, ends) {
    const { shop, unit } = this;
    ends.forEach((end, k) => {
      end.add(shop.part(solid.cylinder(0.26 * unit, 3 * unit), shop.paint(STEEL)));
      for (const s of [-1, 1]) {
        const eye = shop.part(solid.cylinder(0.5 * unit, 0.35 * unit), shop.paint(this.colourOf([joint.first, joint.second][k])));
        eye.position.z = 1.4 * s * unit;
        end.add(eye);
      }
    });
    ends[0].add(shop.part(solid.ball(0.42 * unit), shop.paint(STEEL), { edges: false }));
  }

  // The guide is on one body, the slider (drawn with its body) on the other.
  prismatic(joint, ends) {
    const { shop, unit } = this;
    const onSecond = joint.second.body === 0 || joint.play?.inner === "first";
    const guide = ends[onSecond ? 1 : 0], marker = onSecond ? joint.second : joint.first;
    const [low, high] = onSecond ? joint.range.map((x) => -x).reverse() : joint.range;
    const length = joint.length || 5 * unit, width = joint.width || (joint.length ? 0.5 * length : 3.2 * unit);
    const run = high - low + length + 3 * unit, middle = (low + high) / 2;
    const gap = joint.play ? joint.play.gap : 0;
    const paint = shop.paint(this.colourOf(marker), { opacity: this.scene.planar ? 1 : 0.5 });
    if (joint.section) {
      this.whenGap(guide, (k) => {
        const inner = outset(joint.section, k * gap), outer = outset(joint.section, k * gap + 0.6 * unit);
        const walls = shop.part(solid.prism(outer, run, inner), shop.paint(this.colourOf(marker), { opacity: 0.28 }));
        walls.position.z = middle;
        return walls;
      });
      return;
    }
    if (this.scene.planar) {
      const up = Math.abs(marker.axes[2]) > 0.5 ? 1 : 0; // index of the in-plane normal: h or t
      const level = (shop.layer((onSecond ? joint.first : joint.second).body) - shop.layer(marker.body)) * Math.sign(marker.axes[3 * (1 - up) + 2]);
      this.whenGap(guide, (k) => {
        const group = new Group();
        for (const s of [-1, 1]) {
          const size = [0, 0, run];
          size[up] = 0.55 * unit;
          size[1 - up] = shop.depth;
          const rail = shop.part(solid.box(...size), paint);
          const place = s * (width / 2 + k * gap + 0.275 * unit);
          rail.position.setComponent(up, place);
          rail.position.z = middle;
          group.position.setComponent(1 - up, level);
          group.add(rail);
          if (marker.body === 0) group.add(this.ticks(up, place + 0.275 * s * unit, s, middle, run));
        }
        return group;
      });
      return;
    }
    const side = 0.34 * width;
    const rail = shop.part(solid.box(side, side, run + 2 * unit), shop.paint(this.colourOf(marker)));
    rail.position.z = middle;
    guide.add(rail);
  }

  cylindrical(joint, ends) {
    const { shop, unit } = this, R = this.radius(joint, 0.5);
    const { pin, hole, holder, carrier } = this.sides(joint, ends);
    const flip = pin === ends[1];
    const [low, high] = flip ? joint.range.map((x) => -x).reverse() : joint.range;
    const length = joint.length || 4 * unit, gap = joint.play ? joint.play.gap : 0;
    const stops = joint.stops.filter((stop) => stop.coordinate === "displacement");
    const reach = [Math.min(low, ...stops.map((s) => s.lower ?? low)), Math.max(high, ...stops.map((s) => s.upper ?? high))];
    const rodPart = shop.part(solid.cylinder(R, reach[1] - reach[0] + length + 3 * unit), shop.paint(STEEL));
    rodPart.position.z = (reach[0] + reach[1]) / 2;
    pin.add(rodPart);
    this.whenGap(hole, (k) => {
      const inner = R + k * gap;
      return shop.part(solid.tube(inner, inner + Math.max(0.55 * unit, 0.5 * R), length), shop.paint(this.sleeve(holder), { opacity: gap ? 0.62 : 1 }));
    });
    if (carrier.body === 0) for (const s of [0, 1]) this.foot(pin, R, reach[s] + (s ? 1 : -1) * (length / 2 + unit));
  }

  // A sleeve that is all there is of a body takes its colour.
  sleeve(marker) {
    const body = this.scene.bodies[marker.body];
    return marker.body && !body.shapes.length ? "#5b8db8" : this.colourOf(marker);
  }

  fixed(joint, ends) {
    const u = 0.9 * this.unit;
    ends[0].add(this.shop.part(solid.box(u, u, u), this.shop.paint(this.colourOf(joint.first))));
  }

  // Anchors of rods and strings on the ground.
  distance(joint, ends) {
    ends.forEach((end) => {
      end.add(this.shop.part(solid.ball(0.18 * this.unit), this.shop.paint(STEEL), { edges: false }));
    });
  }

  revolute_spherical(joint, ends) {
    ends[0].add(this.shop.part(solid.cylinder(0.3 * this.unit, 2.4 * this.unit), this.shop.paint(STEEL)));
    ends[1].add(this.shop.part(solid.ball(0.6 * this.unit), this.shop.paint(STEEL), { edges: false }));
  }

  // Walls at the ends of a range.
  stop(joint, stop, ends) {
    const { shop, unit, scene } = this;
    for (const [value, s] of [[stop.lower, -1], [stop.upper, 1]]) {
      if (value === null || value === undefined) continue;
      if (stop.coordinate === "displacement") {
        const half = this.half(joint), wide = Math.max(2.4 * unit, this.wide(joint));
        const plate = shop.part(solid.box(scene.planar ? wide : wide, wide, 0.4 * unit), shop.paint(STOP));
        if (scene.planar) plate.scale.setComponent(Math.abs(joint.first.axes[2]) > 0.5 ? 0 : 1, shop.depth / wide);
        plate.position.z = value + s * (half + 0.2 * unit);
        ends[0].add(plate);
      } else if (stop.coordinate === "angle") {
        const { radius, angle } = this.flank(joint);
        const turn = angle + value + s * Math.asin(Math.min(0.8, (1.35 * unit) / radius));
        const post = shop.part(solid.cylinder(0.35 * unit, scene.planar ? 1.6 * shop.depth : 1.8 * unit), shop.paint(STOP));
        post.position.set(radius * Math.cos(turn), radius * Math.sin(turn), scene.planar ? ends[0].userData.sign * (ends[1].userData.level - ends[0].userData.level) : 0);
        ends[0].add(post);
      }
    }
  }

  // Half the length, and the width, of what meets a stop along the axis.
  half(joint) {
    const shape = this.scene.bodies[joint.second.body].shapes[0];
    if (joint.length) return joint.length / 2;
    if (shape?.slider) return shape.size[2] / 2;
    return shape?.type === "sphere" ? shape.radius : 2 * this.unit;
  }

  wide(joint) {
    const shape = this.scene.bodies[joint.second.body].shapes[0];
    return shape?.type === "sphere" ? 1.6 * shape.radius : shape?.slider ? Math.max(shape.size[0], shape.size[1]) : joint.width || 0;
  }

  // Where the flank of the second body is, seen from the joint, as drawn.
  flank(joint) {
    const marker = joint.second, away = scale(-1, marker.point);
    const [x, y] = [0, 1].map((k) => dot(away, marker.axes.slice(3 * k, 3 * k + 3)));
    const far = Math.hypot(x, y);
    return { radius: Math.max(3 * this.unit, Math.min(0.5 * far, 6 * this.unit)), angle: far > 0 ? Math.atan2(y, x) : 0 };
  }

  spiral(ends) {
    const { unit, shop } = this, points = [];
    for (let k = 0; k < 160; k++) {
      for (const s of [k, k + 1]) {
        const angle = (s / 160) * 6 * Math.PI, r = unit * (0.7 + (1.3 * s) / 160);
        points.push(r * Math.cos(angle), r * Math.sin(angle), this.scene.planar ? 3 * shop.depth : 1.2 * unit);
      }
    }
    ends[0].add(this.lines(points));
  }

  lines(points) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(points, 3));
    const out = new LineSegments(geometry, this.hatchLines);
    out.raycast = () => {};
    return out;
  }

  // Hatch along a rail.
  ticks(up, place, s, middle, run) {
    const { unit } = this, count = Math.min(80, Math.max(4, Math.round(run / (0.9 * unit)))), points = [];
    for (let k = 0; k < count; k++) {
      const z = middle - run / 2 + ((k + 0.5) / count) * run;
      const from = [0, 0, z + 0.25 * unit], to = [0, 0, z - 0.25 * unit];
      from[up] = place;
      to[up] = place + 0.55 * s * unit;
      points.push(...from, ...to);
    }
    return this.lines(points);
  }

  // Planar: a pedestal with hatch, towards gravity.
  support(end, R) {
    const { unit, shop, scene } = this;
    const group = new Group();
    const size = Math.max(1.6 * unit, 1.7 * R);
    const plate = shop.part(solid.roundedHull([[0, 0], [-0.9 * size, -1.5 * size], [0.9 * size, -1.5 * size]], 0.35 * size, 0.6 * shop.depth), shop.paint(GROUND));
    const base = -1.9 * size, points = [-1.8 * size, base, 0, 1.8 * size, base, 0];
    for (let k = 0; k < 8; k++) {
      const x = -1.55 * size + (k * 3.1 * size) / 7;
      points.push(x + 0.15 * size, base, 0, x - 0.25 * size, base - 0.45 * size, 0);
    }
    const hatch = this.lines(points);
    group.add(plate, hatch);
    // the joint frame may be turned: stand upright in the plane
    const g = scene.gravity, down = Math.hypot(g[0], g[1]) > 0 ? Math.atan2(-g[0], g[1]) + Math.PI : 0;
    const e = end.matrix.elements, spin = Math.atan2(e[1], e[0]);
    group.rotation.z = down - spin;
    if (Math.abs(e[10]) > 0.5) end.add(group);
  }

  // In space: a foot under a bearing, towards gravity.
  foot(end, R, z) {
    const { unit, shop, scene } = this;
    const height = Math.max(2.2 * unit, 2 * R), wide = Math.max(1.4 * unit, 1.6 * R);
    const group = new Group();
    const post = shop.part(solid.box(0.7 * wide, 0.7 * wide, height), shop.paint(GROUND));
    post.position.z = -R - height / 2;
    const plate = shop.part(solid.box(1.9 * wide, 1.9 * wide, 0.25 * wide), shop.paint(GROUND));
    plate.position.z = -R - height;
    group.add(post, plate);
    const down = direction(scene.gravity, [0, 0, -1]);
    const e = end.matrix.elements;
    const local = [0, 1, 2].map((k) => dot(down, [e[4 * k], e[4 * k + 1], e[4 * k + 2]]));
    aim(group, scale(-1, local));
    group.position.z += z;
    end.add(group);
  }

  // From the joint point into the body, in the joint frame; on the ground, along gravity.
  inward(marker) {
    const way = marker.body === 0 ? direction(this.scene.gravity, [0, 0, -1]) : direction(scale(-1, marker.point), [0, 0, 1]);
    return [0, 1, 2].map((k) => dot(way, marker.axes.slice(3 * k, 3 * k + 3)));
  }
}

// Turns a part so that its z axis points along "way".
function aim(part, way) {
  const z = direction(way), x = direction(Math.abs(z[0]) < 0.9 ? [1 - z[0] * z[0], -z[0] * z[1], -z[0] * z[2]] : [-z[1] * z[0], 1 - z[1] * z[1], -z[1] * z[2]]);
  const y = [z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]];
  part.quaternion.setFromRotationMatrix(new Matrix4().set(x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, 0, 0, 0, 1));
}

// A convex polygon (counter-clockwise) with its sides moved outward.
export function outset(corners, by) {
  const n = corners.length;
  const sides = corners.map((p, k) => {
    const q = corners[(k + 1) % n], l = Math.hypot(q[0] - p[0], q[1] - p[1]);
    return [(q[1] - p[1]) / l, (p[0] - q[0]) / l];
  });
  return corners.map((p, k) => {
    const a = sides[(k + n - 1) % n], b = sides[k];
    const s = by / (1 + a[0] * b[0] + a[1] * b[1]);
    return [p[0] + s * (a[0] + b[0]), p[1] + s * (a[1] + b[1])];
  });
}
