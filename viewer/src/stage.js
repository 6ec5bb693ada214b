// Renderer, lights, floor and camera.
import {
  AmbientLight, Box3, Color, DirectionalLight, GridHelper, HemisphereLight, Mesh, OrthographicCamera, PCFShadowMap, PerspectiveCamera,
  PlaneGeometry, Quaternion, Raycaster, Scene, ShadowMaterial, Sphere, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

const Z = new Vector3(0, 0, 1);
const FIELD = 30; // degrees, of the perspective camera: long lenses keep parallels nearly parallel

export class Stage {
  constructor(canvas, scene) {
    this.facts = scene;
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.world = new Scene();
    const g = new Vector3(...scene.gravity);
    this.up = scene.planar ? new Vector3(0, 1, 0) : g.lengthSq() > 0 ? g.clone().normalize().negate() : new Vector3(0, 0, 1);
    this.flat = scene.planar;
    this.cameras = [new PerspectiveCamera(FIELD, 1, 0.01, 100), new OrthographicCamera(-1, 1, 1, -1, -100, 100)];
    this.cameras.forEach((camera) => camera.up.copy(this.up));
    this.camera = this.cameras[this.flat ? 1 : 0];
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.screenSpacePanning = true;
    this.controls.addEventListener("change", () => (this.dirty = true));
    this.lights();
    this.centre = new Vector3();
    this.radius = scene.span;
    this.dirty = true;
  }

  lights() {
    this.sky = new HemisphereLight(0xffffff, 0xb8bec6, 1.5);
    this.sky.position.copy(this.up);
    this.ambient = new AmbientLight(0xffffff, 0.35);
    this.sun = new DirectionalLight(0xffffff, 1.7);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 6;
    this.world.add(this.sky, this.ambient, this.sun, this.sun.target);
  }

  // Once all parts stand: floor, light and camera by the room that the motion takes.
  furnish(room, low) {
    const { min, max } = room, centre = room.getCenter(this.centre);
    const radius = (this.radius = 0.5 * min.distanceTo(max) || this.facts.span);
    this.corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z));
    const away = this.flat ? new Vector3(-0.3, 0.55, 1.3) : this.up.clone().multiplyScalar(1.4).add(this.side(0).multiplyScalar(0.9)).add(this.side(1).multiplyScalar(0.5));
    this.sun.position.copy(centre).addScaledVector(away.normalize(), 4 * radius);
    this.sun.target.position.copy(centre);
    const box = this.sun.shadow.camera;
    Object.assign(box, { left: -1.4 * radius, right: 1.4 * radius, top: 1.4 * radius, bottom: -1.4 * radius, near: 0.1 * radius, far: 9 * radius });
    box.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * radius;
    this.sun.shadow.bias = -0.0005;
    const normal = this.flat ? Z : this.up;
    this.floor = new Mesh(new PlaneGeometry(60 * radius, 60 * radius), new ShadowMaterial({ opacity: 0.15 }));
    this.floor.receiveShadow = true;
    this.floor.quaternion.setFromUnitVectors(Z, normal);
    this.floor.position.copy(centre).addScaledVector(normal, low - centre.dot(normal));
    this.floor.raycast = () => {};
    this.world.add(this.floor);
    if (!this.flat) {
      const step = 10 ** Math.floor(Math.log10(radius));
      const cells = Math.ceil((5 * radius) / step) * 2;
      this.grid = new GridHelper(cells * step, cells);
      this.grid.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), normal);
      this.grid.position.copy(this.floor.position);
      this.grid.material.transparent = true;
      this.world.add(this.grid);
    }
    this.look(this.flat ? "front" : "iso");
  }

  // Two directions across "up".
  side(k) {
    const first = Math.abs(this.up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    first.addScaledVector(this.up, -first.dot(this.up)).normalize();
    return k === 0 ? this.up.clone().cross(first).negate() : first;
  }

  recolour(colours) {
    this.world.background = new Color(colours.back);
    if (this.floor) this.floor.material.opacity = colours.shadow;
    if (this.grid) {
      const material = this.grid.material;
      material.vertexColors = false;
      material.color = new Color(colours.line);
      material.opacity = 0.7;
      material.needsUpdate = true;
    }
    this.dirty = true;
  }

  look(name) {
    const front = this.flat ? Z.clone() : this.side(0), right = this.flat ? new Vector3(1, 0, 0) : this.side(1);
    const ways = {
      front, side: right, top: this.up.clone().addScaledVector(front, 1e-3),
      iso: front.clone().addScaledVector(right, 0.75).addScaledVector(this.up, 0.55),
    };
    this.use(name === "iso" ? 0 : 1);
    this.place(ways[name].normalize());
    this.looking = name;
  }

  use(k) {
    this.camera = this.cameras[k];
    this.controls.object = this.camera;
  }

  // Looks along -way at the room, as near as shows all of it.
  place(way) {
    this.resize(true);
    const back = way.clone().normalize(), right = new Vector3().crossVectors(this.up, back).normalize(), above = new Vector3().crossVectors(back, right);
    const aspect = this.width / this.height || 1, tan = Math.tan((this.cameras[0].fov * Math.PI) / 360);
    let [distance, wide, high] = [0, 0, 0];
    for (const corner of this.corners) {
      const d = corner.clone().sub(this.centre), x = Math.abs(d.dot(right)), y = Math.abs(d.dot(above));
      [wide, high] = [Math.max(wide, x), Math.max(high, y)];
      distance = Math.max(distance, d.dot(back) + Math.max(y, x / aspect) / tan);
    }
    this.need = 1.1 * Math.max(high, wide / aspect, 1e-9);
    this.controls.target.copy(this.centre);
    this.camera.position.copy(this.centre).addScaledVector(back, this.camera.isPerspectiveCamera ? 1.1 * distance : 8 * this.radius);
    this.camera.zoom = 1;
    this.frame();
    this.controls.update();
  }

  // The present direction, everything in sight.
  fit() {
    this.place(this.camera.position.clone().sub(this.controls.target).normalize());
  }

  resize(force = false) {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (!force && w === this.width && h === this.height) return;
    [this.width, this.height] = [w, h];
    if (!w || !h) return;
    this.renderer.setSize(w, h, false);
    this.frame();
  }

  frame() {
    const aspect = this.width / this.height, [lens, plan] = this.cameras, need = this.need || this.radius;
    Object.assign(plan, { left: -need * aspect, right: need * aspect, top: need, bottom: -need, near: -40 * this.radius, far: 80 * this.radius });
    plan.updateProjectionMatrix();
    Object.assign(lens, { aspect, near: 0.02 * this.radius, far: 60 * this.radius });
    lens.updateProjectionMatrix();
    this.dirty = true;
  }

  // Pixels per metre where the camera looks.
  get pixels() {
    if (this.camera.isOrthographicCamera) return (this.height * this.camera.zoom) / (this.camera.top - this.camera.bottom);
    const distance = this.camera.position.distanceTo(this.controls.target);
    return this.height / (2 * distance * Math.tan((this.camera.fov * Math.PI) / 360));
  }

  // Moves target and camera together.
  shift(way) {
    this.camera.position.add(way);
    this.controls.target.add(way);
    this.controls.update();
  }

  project(p) {
    const v = new Vector3(...p).project(this.camera);
    return [((v.x + 1) * this.width) / 2, ((1 - v.y) * this.height) / 2, v.z < 1];
  }

  pick(x, y) {
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2((x / this.width) * 2 - 1, 1 - (y / this.height) * 2), this.camera);
    for (const { object } of ray.intersectObjects(this.world.children, true)) if (object.userData.body) return object.userData.body;
    return 0;
  }

  render() {
    this.renderer.render(this.world, this.camera);
    this.dirty = false;
  }
}

export { Box3, Quaternion, Sphere, Vector3 };
