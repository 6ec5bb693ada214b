// Geometry of parts. Planar parts are flat with a depth along z.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, ExtrudeGeometry, LatheGeometry, Path,
  Quaternion, Shape, SphereGeometry, Vector2, Vector3,
} from "three";

const Z = new Vector3(0, 0, 1), Y = new Vector3(0, 1, 0);
export const SEGMENTS = 48;

// Three's cylinders and capsules stand along y; ours along z.
const upright = (geometry) => geometry.rotateX(Math.PI / 2);

export const cylinder = (radius, length) => upright(new CylinderGeometry(radius, radius, length, SEGMENTS));
export const ball = (radius) => new SphereGeometry(radius, SEGMENTS, 32);
export const box = (x, y, z) => new BoxGeometry(x, y, z);
export const capsule = (radius, length) => upright(new CapsuleGeometry(radius, length, 12, SEGMENTS));
export const cone = (radius, length) => upright(new CylinderGeometry(0, radius, length, 24));

export function tube(inner, outer, length) {
  const h = length / 2;
  const profile = [[inner, -h], [outer, -h], [outer, h], [inner, h], [inner, -h]].map(([x, y]) => new Vector2(x, y));
  return upright(new LatheGeometry(profile, SEGMENTS));
}

// A bowl around -z of a sphere with this radius, open from the polar angle on.
export function bowl(inner, outer, opening) {
  const profile = [];
  for (let k = 0; k <= 24; k++) profile.push(at(inner, Math.PI + ((opening - Math.PI) * k) / 24));
  for (let k = 24; k >= 0; k--) profile.push(at(outer, Math.PI + ((opening - Math.PI) * k) / 24));
  function at(r, angle) {
    return new Vector2(Math.max(r * Math.sin(angle), 1e-9), r * Math.cos(angle));
  }
  return upright(new LatheGeometry(profile, SEGMENTS));
}

function extruded(shape, depth, bevel) {
  const round = Math.min(bevel, 0.2 * depth);
  const geometry = new ExtrudeGeometry(shape, {
    depth: depth - 2 * round, bevelEnabled: round > 0, bevelThickness: round, bevelSize: round, bevelOffset: -round,
    bevelSegments: 1, curveSegments: 24,
  });
  return geometry.translate(0, 0, -depth / 2 + round);
}

// Corners in order, each rounded by the radius around it (the hull of circles).
export function roundedHull(points, radius, depth) {
  const hull = convex(points);
  const shape = new Shape();
  if (hull.length === 1) {
    shape.absarc(hull[0][0], hull[0][1], radius, 0, 2 * Math.PI, false);
    return extruded(shape, depth, 0.1 * radius);
  }
  const sides = hull.map((p, k) => {
    const q = hull[(k + 1) % hull.length];
    return Math.atan2(q[1] - p[1], q[0] - p[0]) - Math.PI / 2; // outward normal of the side that leaves p
  });
  hull.forEach((p, k) => {
    const from = sides[(k + hull.length - 1) % hull.length];
    let to = sides[k];
    while (to < from) to += 2 * Math.PI;
    shape.absarc(p[0], p[1], radius, from, to, false);
  });
  return extruded(shape, depth, 0.1 * radius);
}

function convex(points) {
  const sorted = points.map((p) => [p[0], p[1]]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list) => {
    const out = [];
    for (const p of list) {
      while (out.length > 1 && turn(out[out.length - 2], out[out.length - 1], p) <= 0) out.pop();
      out.push(p);
    }
    return out.slice(0, -1);
  };
  const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  const hull = [...half(sorted), ...half(sorted.slice().reverse())];
  return hull.length ? hull : sorted.slice(0, 1);
}

export function prism(corners, length, hole = null) {
  const shape = new Shape(corners.map(([x, y]) => new Vector2(x, y)));
  if (hole) shape.holes.push(new Path(hole.map(([x, y]) => new Vector2(x, y)).reverse()));
  return new ExtrudeGeometry(shape, { depth: length, bevelEnabled: false }).translate(0, 0, -length / 2);
}

// A rod between two points, with round ends.
export function rod(a, b, radius) {
  const from = new Vector3(...a), to = new Vector3(...b);
  const way = to.clone().sub(from);
  const geometry = capsule(radius, way.length());
  geometry.applyQuaternion(new Quaternion().setFromUnitVectors(Z, way.lengthSq() ? way.clone().normalize() : Y));
  return geometry.translate(...from.add(to).multiplyScalar(0.5).toArray());
}

// A coil from z = 0 to z = 1 with straight ends; stretched along z afterwards.
export function coil(radius, wire, turns, thickness) {
  const steps = turns * 24, around = 8, vertices = [], faces = [];
  const lead = 0.12;
  for (let k = 0; k <= steps; k++) {
    const s = k / steps, angle = 2 * Math.PI * turns * s;
    const grow = Math.min(1, Math.min(s, 1 - s) / 0.04);
    const centre = [radius * grow * Math.cos(angle), radius * grow * Math.sin(angle), lead + (1 - 2 * lead) * s];
    for (let n = 0; n < around; n++) {
      const turn = (2 * Math.PI * n) / around;
      const out = wire * Math.cos(turn);
      vertices.push(centre[0] + out * Math.cos(angle), centre[1] + out * Math.sin(angle), centre[2] + thickness * Math.sin(turn));
    }
  }
  for (let k = 0; k < steps; k++) {
    for (let n = 0; n < around; n++) {
      const a = k * around + n, b = k * around + ((n + 1) % around);
      faces.push(a, b, a + around, b, b + around, a + around);
    }
  }
  return indexed(new Float32Array(vertices), faces);
}

export function indexed(vertices, faces) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(vertices, 3));
  geometry.setIndex(Array.from(faces));
  geometry.computeVertexNormals();
  return geometry;
}

// Flat faces and round edges of a mesh from CAD: normals by face.
export function mesh(block, faces) {
  const vertices = new Float32Array(block.frames * 3);
  for (let k = 0; k < block.frames; k++) for (let c = 0; c < 3; c++) vertices[3 * k + c] = block.get(c, k);
  return indexed(vertices, faces).toNonIndexed();
}
