// Colours, light and dark. Body colours are apart for all common kinds of colour vision, and calm.
export const BODIES = ["#5b8db8", "#d9a441", "#5aa58d", "#b5739d", "#8d8bc4", "#c9805a", "#7aa6a1", "#a3a15b"];
export const CURVES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a6a00", "#56b4e9", "#6f4aa0", "#555555"];

const LIGHT = {
  back: "#f4f6f8", ground: "#8a949e", steel: "#c3cad1", dark: "#6b7783", edge: "#26303a", text: "#1f2830", soft: "#66727d",
  line: "#d5dbe1", panel: "#ffffff", force: "#d1495b", contact: "#c2258c", load: "#1b7f5c", stop: "#e08e0b", spring: "#4a5560",
  bore: "#fbfcfd", journal: "#aebccb", shadow: 0.12, outline: 0.6, hatch: "#6a747e",
};
const DARK = {
  back: "#15191e", ground: "#77818b", steel: "#aab4be", dark: "#8e99a4", edge: "#c3ccd5", text: "#e4e9ee", soft: "#98a3ae",
  line: "#2e363f", panel: "#1c2127", force: "#ff7a85", contact: "#f06bc0", load: "#4cc79a", stop: "#f2b134", spring: "#b9c2cb",
  bore: "#0f1317", journal: "#5d7084", shadow: 0.45, outline: 0.3, hatch: "#8b95a0",
};

export const palette = (dark) => (dark ? DARK : LIGHT);

// Colours of curves are lighter on a dark page.
export function curveColour(k, dark) {
  const colour = CURVES[k % CURVES.length];
  if (!dark) return colour;
  const parts = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return `rgb(${parts.map((x) => Math.round(x + (255 - x) * 0.38)).join(",")})`;
}
