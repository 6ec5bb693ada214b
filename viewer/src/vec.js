// Small vectors (arrays of three) and rotations (nine numbers by rows); quaternions scalar first.
export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (s, a) => [s * a[0], s * a[1], s * a[2]];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const norm = (a) => Math.sqrt(dot(a, a));
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

export function unit(a, otherwise = [0, 0, 1]) {
  const length = norm(a);
  return length > 0 ? scale(1 / length, a) : otherwise;
}

export function matrix(p) {
  const [w, x, y, z] = p;
  return [
    1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
    2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
    2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
  ];
}

export const mul = (A, v) => [
  A[0] * v[0] + A[1] * v[1] + A[2] * v[2],
  A[3] * v[0] + A[4] * v[1] + A[5] * v[2],
  A[6] * v[0] + A[7] * v[1] + A[8] * v[2],
];
export const tmul = (A, v) => [
  A[0] * v[0] + A[3] * v[1] + A[6] * v[2],
  A[1] * v[0] + A[4] * v[1] + A[7] * v[2],
  A[2] * v[0] + A[5] * v[1] + A[8] * v[2],
];

// The quaternion of a turn by the vector w (radians), times p.
export function turned(p, w) {
  const angle = norm(w);
  const s = angle > 1e-9 ? Math.sin(angle / 2) / angle : 0.5;
  const a = Math.cos(angle / 2), [b, c, d] = scale(s, w);
  const [e, f, g, h] = p;
  return [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e];
}
