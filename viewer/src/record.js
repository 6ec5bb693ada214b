// Records the picture while it plays, as the browser's own MediaRecorder does it: a canvas takes a copy of every picture
// that is painted, with the scales, the names and the time, which stand beside the picture in the page.
const KINDS = [["video/webm;codecs=vp9", "webm"], ["video/webm;codecs=vp8", "webm"], ["video/webm", "webm"], ["video/mp4", "mp4"]];
const RATE = 30; // pictures per second
const BITS = 12e6; // per second: edges stay sharp

const kind = () => KINDS.find(([name]) => MediaRecorder.isTypeSupported(name));

// Whether this browser can record.
export const able = () =>
  typeof MediaRecorder === "function" && typeof HTMLCanvasElement.prototype.captureStream === "function" && Boolean(kind());

export class Recorder {
  // "changed" hears of every start and end, with a sentence to show.
  constructor(picture, title, changed) {
    Object.assign(this, { picture, changed, on: false, bytes: 0 });
    [this.type, this.ending] = kind();
    this.name = `${title.replace(/[^\p{L}\p{N}]+/gu, "_").replace(/^_+|_+$/g, "") || "mechanism"}.${this.ending}`;
    this.sheet = document.createElement("canvas");
  }

  start() {
    const { picture, sheet } = this, pieces = [];
    [sheet.width, sheet.height] = [picture.width & ~1, picture.height & ~1]; // encoders want even numbers
    this.size = [picture.width, picture.height];
    this.g = sheet.getContext("2d");
    this.media = new MediaRecorder(sheet.captureStream(RATE), { mimeType: this.type, videoBitsPerSecond: BITS });
    this.bytes = 0;
    this.media.ondataavailable = ({ data }) => {
      if (data.size) pieces.push(data);
      this.bytes += data.size;
    };
    this.media.onerror = ({ error }) => (this.failure = error);
    this.media.onstop = () => this.save(pieces);
    this.failure = null;
    this.media.start(1000);
    this.on = true;
    this.changed("Recording; press again to stop and save.");
  }

  stop() {
    if (!this.on) return;
    this.on = false;
    this.changed("Saving the film.");
    this.media.stop();
    this.media.stream.getTracks().forEach((track) => track.stop());
  }

  save(pieces) {
    this.on = false; // it may have ended by itself, in an error
    const film = new Blob(pieces, { type: this.type.split(";")[0] });
    if (!film.size) return this.changed(`Nothing was recorded: ${this.failure?.message ?? "it was too short."}`);
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(film), download: this.name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    this.changed(`Saved as ${this.name}.`);
  }

  // A picture was painted, just now: later its pixels are gone. A film keeps its size, so another one ends it.
  copy({ time, labels, legend, colours }) {
    if (!this.on) return;
    const { g, picture, sheet } = this;
    if (picture.width !== this.size[0] || picture.height !== this.size[1]) return this.stop();
    const ratio = picture.width / picture.clientWidth, [w, h] = [sheet.width / ratio, sheet.height / ratio];
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.drawImage(picture, 0, 0);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.font = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
    this.write(time, w - 14, 22, colours.text, "right");
    for (const { name, place, joint } of labels) {
      g.globalAlpha = 0.82;
      g.fillStyle = colours.panel;
      g.fillRect(place[0], place[1], g.measureText(name).width + 10, 17);
      g.globalAlpha = 1;
      this.write(name, place[0] + 5, place[1] + 13, joint ? colours.soft : colours.text);
    }
    legend.forEach(({ width, text, force }, k) => {
      const y = h - 20 - 22 * (legend.length - 1 - k);
      g.fillStyle = g.strokeStyle = force ? colours.force : colours.text;
      if (force) {
        g.fillRect(14, y - 1.5, width - 8, 3);
        g.beginPath();
        g.moveTo(14 + width, y);
        g.lineTo(14 + width - 9, y - 5.5);
        g.lineTo(14 + width - 9, y + 5.5);
        g.fill();
      } else {
        g.beginPath();
        [[14, y - 3], [14, y + 2], [14 + width, y + 2], [14 + width, y - 3]].forEach((p, n) => (n ? g.lineTo(...p) : g.moveTo(...p)));
        g.stroke();
      }
      this.write(text, 22 + width, y + 4, g.fillStyle);
    });
  }

  write(words, x, y, colour, align = "left") {
    this.g.fillStyle = colour;
    this.g.textAlign = align;
    this.g.fillText(words, x, y);
  }
}
