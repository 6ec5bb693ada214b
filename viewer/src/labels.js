// Names over the picture: all of them on demand, or the one body that was clicked.
import { pointOf } from "./motion.js";

export class Labels {
  constructor(holder, scene) {
    this.holder = holder;
    this.scene = scene;
    this.on = false;
    this.single = 0;
    this.items = [
      ...scene.bodies.map((body, b) => ({ name: body.name, body: b, at: (poses) => poses[b].r })).slice(1),
      ...scene.joints.map((joint) => ({ name: joint.name, joint: true, at: (poses) => pointOf(joint.second, poses) })),
    ];
    for (const item of this.items) {
      item.node = document.createElement("span");
      item.node.textContent = item.name;
      if (item.joint) item.node.className = "joint";
      holder.appendChild(item.node);
    }
  }

  update({ stage, poses }) {
    this.holder.hidden = !(this.on || this.single);
    if (this.holder.hidden) return;
    for (const item of this.items) {
      const shown = this.on || item.body === this.single;
      item.node.hidden = !shown;
      if (!shown) continue;
      const [x, y, before] = stage.project(item.at(poses));
      item.node.hidden = !before;
      item.place = [Math.round(x + 8), Math.round(y + (item.joint ? 6 : -22))];
      item.node.style.transform = `translate(${item.place[0]}px, ${item.place[1]}px)`;
    }
  }

  // Those that are seen.
  get seen() {
    return this.holder.hidden ? [] : this.items.filter((item) => !item.node.hidden);
  }
}
