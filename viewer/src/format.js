// Numbers for people: three digits, and the prefix that engineers would choose.
const PREFIXED = { m: true, s: true, N: true, "N m": true, J: true, "m/s": true, W: true, "N s": true };
const STEPS = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];

// Factor and unit in which values up to "size" read well.
export function scaleFor(size, unit) {
  if (!(size > 0) || !PREFIXED[unit]) return [1, unit === "1" ? "" : unit];
  const [factor, prefix] = STEPS.find(([limit]) => size >= limit * 0.9995) || STEPS[STEPS.length - 1];
  const lengths = (unit === "m" || unit === "m/s" || unit === "s") && factor > 1;
  return lengths ? [1, unit] : [factor, prefix + unit];
}

export function digits(x, count = 3) {
  if (x === 0 || !Number.isFinite(x)) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-4) return x.toExponential(count - 1).replace("-", "−").replace("e+", "e");
  const places = Math.max(0, Math.min(6, count - 1 - Math.floor(Math.log10(size))));
  return x.toFixed(places).replace("-", "−");
}

export function quantity(x, unit, size = Math.abs(x)) {
  const [factor, name] = scaleFor(size, unit);
  return `${digits(x / factor)} ${name}`.trim();
}

// 1, 2 or 5 times a power of ten, at most x.
export function nice(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const rest = x / power;
  return (rest >= 5 ? 5 : rest >= 2 ? 2 : 1) * power;
}

// At most x, with two digits.
export function floored(x) {
  const step = 10 ** (Math.floor(Math.log10(x)) - 1);
  return Math.floor(x / step + 1e-9) * step;
}

export function ticks(low, high, most) {
  const span = high - low;
  if (!(span > 0)) return [low];
  let step = nice(span / most);
  while (span / step > most) step = nice(step * 2.6);
  const out = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * span; k++) out.push(k * step);
  return out;
}
