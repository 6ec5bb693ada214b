// A canvas that knows its size in CSS pixels.
export class Paper {
  constructor(canvas) {
    this.canvas = canvas;
    this.g = canvas.getContext("2d");
  }

  // Clears it; false if there is no room.
  begin() {
    const { canvas, g } = this, ratio = window.devicePixelRatio || 1;
    const w = canvas.clientWidth, h = canvas.clientHeight;
    if (!w || !h) return false;
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(h * ratio);
    }
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, h);
    g.font = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
    g.lineJoin = g.lineCap = "round";
    [this.w, this.h] = [w, h];
    return true;
  }

  line(points, colour, width = 1, dash = []) {
    const { g } = this;
    g.beginPath();
    points.forEach(([x, y], k) => (k ? g.lineTo(x, y) : g.moveTo(x, y)));
    g.strokeStyle = colour;
    g.lineWidth = width;
    g.setLineDash(dash);
    g.stroke();
    g.setLineDash([]);
  }

  polygon(points, fill, stroke = null, width = 1) {
    const { g } = this;
    g.beginPath();
    points.forEach(([x, y], k) => (k ? g.lineTo(x, y) : g.moveTo(x, y)));
    g.closePath();
    if (fill) {
      g.fillStyle = fill;
      g.fill();
    }
    if (stroke) {
      g.strokeStyle = stroke;
      g.lineWidth = width;
      g.stroke();
    }
  }

  circle(x, y, r, fill, stroke = null, width = 1, dash = []) {
    const { g } = this;
    g.beginPath();
    g.arc(x, y, Math.max(r, 0), 0, 2 * Math.PI);
    if (fill) {
      g.fillStyle = fill;
      g.fill();
    }
    if (stroke) {
      g.strokeStyle = stroke;
      g.lineWidth = width;
      g.setLineDash(dash);
      g.stroke();
      g.setLineDash([]);
    }
  }

  arrow(x, y, dx, dy, colour, width = 2.5) {
    const length = Math.hypot(dx, dy);
    if (length < 2) return;
    const [ux, uy] = [dx / length, dy / length], head = Math.min(9, 0.6 * length);
    this.line([[x, y], [x + dx - ux * head * 0.8, y + dy - uy * head * 0.8]], colour, width);
    const [bx, by] = [x + dx - ux * head, y + dy - uy * head];
    this.polygon([[x + dx, y + dy], [bx - uy * head * 0.45, by + ux * head * 0.45], [bx + uy * head * 0.45, by - ux * head * 0.45]], colour);
  }

  text(words, x, y, colour, align = "left", baseline = "alphabetic") {
    const { g } = this;
    g.fillStyle = colour;
    g.textAlign = align;
    g.textBaseline = baseline;
    g.fillText(words, x, y);
  }
}
