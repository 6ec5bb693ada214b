// The page as a film: without controls, with a caption that tells the time, drawn instant by instant and never by a clock.
import { digits } from "./format.js";

export class Film {
  constructor(app, { look, magnify, dark, panel }) {
    this.app = app;
    app.setPlaying(false);
    const { classList } = document.querySelector("#app"), { motion } = app;
    classList.add("film");
    classList.toggle("alone", !panel);
    document.querySelector(".caption").hidden = false;
    document.querySelector(".caption b").textContent = app.scene.title;
    app.setTheme(dark);
    if (look) app.look(look);
    else app.player.stage.fit();
    if (magnify === "auto") app.autoMagnify();
    else app.setMagnification(magnify);
    app.refresh();
    this.facts = { start: motion.start, end: motion.end, magnification: app.player.magnification, limit: app.player.limit };
  }

  // Simulated seconds per second of film. Flashes of impacts last as long as they do in the player.
  pace(speed) {
    this.app.player.wallSpeed = speed;
    const { magnification } = this.app.player;
    const play = magnification > 1 ? ` · play ×${digits(magnification, magnification < 10 ? 2 : 0)}` : "";
    document.querySelector(".caption .rate").textContent = (speed === 1 ? "real time" : `${+speed.toPrecision(3)} × real time`) + play;
  }

  // Draws an instant; resolves when the browser has put all of it on the screen: the next frame but one begins.
  frame(t) {
    this.app.seek(t, true);
    this.app.paint();
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(this.app.motion.now))));
  }
}
