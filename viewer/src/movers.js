// What stretches between bodies: springs along lines, springs of sliding joints, rods and strings.
import { Group, Vector3 } from "three";
import { axisOf, pointOf } from "./motion.js";
import * as solid from "./solids.js";
import { add, scale } from "./vec.js";

const Z = new Vector3(0, 0, 1);

export class Movers {
  constructor(scene, shop, stage) {
    this.scene = scene;
    this.items = [];
    const u = scene.unit;
    const put = (part, ends) => {
      stage.add(part);
      this.items.push({ part, ends });
    };
    const layer = (marker) => shop.layer(marker.body);
    const between = (first, second) => (poses) => [lift(pointOf(first, poses), layer(first)), lift(pointOf(second, poses), layer(second))];
    const coil = () => shop.part(solid.coil(0.8 * u, 0.12 * u, 8, 0.012), shop.paint("spring"), { edges: false });
    for (const spring of scene.springs) put(coil(), between(spring.first, spring.second));
    for (const joint of scene.joints) {
      if (joint.kind === "distance" || joint.kind === "revolute_spherical") {
        const bar = new Group().add(shop.part(solid.cylinder(0.08 * u, 1).translate(0, 0, 0.5), shop.paint("dark"), { edges: false }));
        put(bar, between(joint.first, joint.second));
      }
      if (joint.springs.some((name) => name.startsWith("displacement")) && joint.kind !== "planar") this.alongAxis(joint, shop, put, coil, u);
    }
  }

  // From a wall behind the lowest place to the near face of the slider.
  alongAxis(joint, shop, put, coil, u) {
    const half = joint.length ? joint.length / 2 : 2.5 * u, foot = joint.range[0] - half - 8 * u;
    const anchor = (poses) => add(pointOf(joint.first, poses), scale(foot, axisOf(joint.first, 2, poses)));
    put(coil(), (poses) => [anchor(poses), add(pointOf(joint.second, poses), scale(-half, axisOf(joint.first, 2, poses)))]);
    const wall = shop.part(solid.box(4 * u, 4 * u, 0.4 * u).translate(0, 0, -0.2 * u), shop.paint("ground"));
    put(new Group().add(wall), (poses) => {
      const at = anchor(poses);
      return [at, add(at, scale(1, axisOf(joint.first, 2, poses)))];
    });
    this.items[this.items.length - 1].rigid = true;
  }

  update(poses) {
    for (const { part, ends, rigid } of this.items) {
      const [a, b] = ends(poses);
      const way = new Vector3(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
      const length = way.length() || 1e-9;
      part.position.set(...a);
      part.quaternion.setFromUnitVectors(Z, way.divideScalar(length));
      part.scale.set(1, 1, rigid ? 1 : length);
    }
  }
}

const lift = (p, z) => [p[0], p[1], p[2] + z];
