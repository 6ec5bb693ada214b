// Bodies as drawn parts: a group per body, its shapes inside; all parts of one kind share a material.
import { EdgesGeometry, Group, LineBasicMaterial, LineSegments, Mesh, MeshLambertMaterial, Quaternion } from "three";
import * as solid from "./solids.js";
import { BODIES } from "./theme.js";

export class Workshop {
  constructor(scene, blocks) {
    this.scene = scene;
    this.blocks = blocks;
    this.paints = new Map();
    this.lines = new LineBasicMaterial({ transparent: true, opacity: 0.55 });
    this.depth = 0.9 * scene.unit;
  }

  // A material by role ("ground", "steel", ...) or colour; roles follow the theme.
  paint(key, { opacity = 1 } = {}) {
    const name = `${key}/${opacity}`;
    if (!this.paints.has(name)) {
      const clear = opacity < 1;
      const material = new MeshLambertMaterial({ transparent: clear, opacity, depthWrite: !clear });
      this.paints.set(name, { key, material });
    }
    return this.paints.get(name).material;
  }

  recolour(colours) {
    for (const { key, material } of this.paints.values()) material.color.set(colours[key] || key);
    this.lines.color.set(colours.edge);
    this.lines.opacity = colours.outline;
  }

  part(geometry, paint, { edges = true, shadow = true } = {}) {
    const mesh = new Mesh(geometry, paint);
    mesh.castShadow = mesh.receiveShadow = shadow;
    if (edges) {
      const lines = new LineSegments(new EdgesGeometry(geometry, 32), this.lines);
      lines.raycast = () => {};
      mesh.add(lines);
    }
    return mesh;
  }

  // Height of a planar body's layer.
  layer(body) {
    return this.scene.planar ? 1.15 * this.depth * this.scene.bodies[body].layer : 0;
  }

  body(facts, number) {
    const group = new Group();
    group.name = facts.name;
    const colour = BODIES[(number - 1 + BODIES.length) % BODIES.length];
    const own = facts.shapes.some((shape) => shape.own);
    facts.shapes.forEach((shape) => {
      const part = this.part(this.geometry(shape), this.paint(shape.colour || colour));
      if (shape.p) part.quaternion.copy(quaternion(shape.p));
      if (shape.at) part.position.set(...shape.at);
      if (!own) part.position.z += this.layer(number);
      part.userData.body = number;
      group.add(part);
    });
    return group;
  }

  geometry(shape) {
    const { planar, unit } = this.scene, { depth } = this;
    switch (shape.type) {
      case "box": return solid.box(...shape.size.map((x) => x || depth));
      case "cylinder": return solid.cylinder(shape.radius, shape.length);
      case "sphere": return solid.ball(shape.radius);
      case "capsule": return solid.capsule(shape.radius, shape.length);
      case "disc": return solid.roundedHull([[0, 0]], shape.radius, depth);
      case "plate": return solid.roundedHull(shape.points, unit, depth);
      case "prism": return solid.prism(shape.section, shape.length);
      case "mesh": return solid.mesh(this.blocks[`${shape.block}.vertices`], this.blocks[`${shape.block}.faces`]);
      default: return planar ? solid.roundedHull([shape.a, shape.b], shape.radius, depth) : solid.rod(shape.a, shape.b, 0.62 * shape.radius);
    }
  }
}

export const quaternion = ([w, x, y, z]) => new Quaternion(x, y, z, w);
