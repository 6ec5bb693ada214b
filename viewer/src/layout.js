// The page around the picture: text, buttons and canvases; no behaviour.
const icon = (path) => `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${path}"/></svg>`;
export const PLAY = icon("M4 2.5v11l9-5.5z"), PAUSE = icon("M4 2.5h3v11H4zM9 2.5h3v11H9z");
const FIRST = icon("M3 3h2v10H3zM13 3v10L6 8z"), LAST = icon("M11 3h2v10h-2zM3 3v10l7-5z");
const RECORD = `<svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="5.5"/></svg>`;

const KEYS = [
  ["space", "play, pause"], ["← →", "one frame back, on; with Shift ten"], ["Home End", "start, end"], ["[ ]", "slower, faster"],
  ["1 2 3 4", "front, side, top, oblique view"], ["0", "fit everything"], ["f", "follow the next body"], ["m", "magnify the play, or not"],
  ["v", "forces"], ["c", "contacts and impacts"], ["l", "labels"], ["o", "loop"], ["p", "side panel"], ["t", "light, dark"], ["?", "this list"],
];
const RECORDS = ["r", "record the picture as a film, or stop"];

export function layout(scene, recording) {
  const clear = scene.joints.filter((joint) => joint.play), plotted = scene.curves.slice(0, 3);
  const button = (id, text, label, pressed) => `<button type="button" data-do="${id}" aria-label="${label}" title="${label}"${pressed === undefined ? "" : ` aria-pressed="${pressed}"`}>${text}</button>`;
  return `
<header><h1></h1><span class="about"></span>${button("theme", "◐", "light or dark (t)")}${button("panel", "▤", "side panel (p)")}${button("help", "?", "keys and help (?)")}</header>
<main>
  <canvas id="picture" tabindex="0" role="img"></canvas>
  <div class="labels" hidden></div>
  <div class="tools" role="toolbar" aria-label="view">
    <span class="group">${button("front", "Front", "front view (1)")}${button("side", "Side", "side view (2)")}${button("top", "Top", "top view (3)")}${button("iso", "3D", "oblique view (4)")}${button("fit", "Fit", "fit everything (0)")}</span>
    ${scene.still ? "" : button("forces", "Forces", "forces as arrows (v)", true) + (clear.length || scene.impacts.length ? button("contacts", "Contacts", "contact forces and impacts (c)", true) : "")}
    ${button("labels", "Labels", "names of bodies and joints (l)", false)}
    <select id="follow" aria-label="follow a body"><option value="0">follow: none</option>${scene.bodies.slice(1).map((_, k) => `<option value="${k + 1}"></option>`).join("")}</select>
  </div>
  <div class="caption" hidden><b></b><span><span class="when"></span><span class="rate"></span></span></div>
  <p class="said" id="said" role="status"></p>
  <div class="legend" aria-hidden="true"><div class="f" hidden><i class="force"></i><span></span></div><div class="l"><i></i><span></span></div></div>
</main>
<aside>
  ${clear.length ? `<section class="play">
    <div class="slide"><span>Magnify play</span><input type="range" id="magnify" min="0" max="3" step="0.01" value="0" aria-label="magnification of the play"><span class="number" id="times">×1</span>${button("auto", "auto", "magnify so that it shows (m)")}</div>
    <p class="hint" id="most" hidden></p>
    <h2><span>Close-up</span><select id="joint" aria-label="joint shown in the close-up">${clear.map((_, k) => `<option value="${k}"></option>`).join("")}</select></h2>
    <canvas class="inset" id="inset" role="img" aria-label="close-up of a joint with play"></canvas>
  </section>` : ""}
  ${scene.still ? "" : `<section class="arrows"><div class="slide"><span>Arrow length</span><input type="range" id="arrowscale" min="-1.5" max="1.5" step="0.01" value="0" aria-label="length of force arrows"><span class="number" id="arrowtext">×1</span></div></section>`}
  ${plotted.length ? `<section class="plots">${plotted.map(() => `<div class="one"><h2><select aria-label="quantity plotted"></select><span class="value"></span></h2><div class="plot"><canvas class="curve"></canvas><canvas class="cursor" role="img" aria-label="curve over time; click to go there"></canvas></div></div>`).join("")}<p class="hint">Click or drag in a plot to go there.</p></section>` : ""}
  ${scene.notes.length ? `<section class="notes"></section>` : ""}
</aside>
${scene.still ? "" : `<footer>
  <button type="button" class="icon" data-do="first" aria-label="to the start (Home)" title="to the start (Home)">${FIRST}</button>
  <button type="button" class="icon play" data-do="play" aria-label="play or pause (space)" title="play or pause (space)" aria-pressed="false">${PLAY}</button>
  <button type="button" class="icon" data-do="last" aria-label="to the end (End)" title="to the end (End)">${LAST}</button>
  <input type="range" class="time" id="time" min="0" max="1" step="any" value="0" aria-label="time">
  <output id="clock"></output>
  <label class="speed">speed <input type="range" id="speed" min="-3" max="1" step="0.01" aria-label="speed of the playback"><span class="number" id="speedtext"></span></label>
  ${button("loop", "Loop", "start again at the end (o)", true)}
  ${recording ? button("record", RECORD, "record the picture as a film (r)", false) : ""}
</footer>`}
<dialog id="help" aria-label="keys"><h2>Keys</h2><table>${(recording ? [...KEYS.slice(0, -1), RECORDS, KEYS[KEYS.length - 1]] : KEYS).map(([keys, what]) => `<tr><td>${keys.split(" ").map((key) => `<kbd>${key}</kbd>`).join("")}</td><td>${what}</td></tr>`).join("")}</table>
<p class="hint">Drag to turn, with the right button or two fingers to shift, wheel or pinch to zoom. Click a body for its name.</p>
<p class="hint" id="made"></p><form method="dialog"><button>Close</button></form></dialog>`;
}
