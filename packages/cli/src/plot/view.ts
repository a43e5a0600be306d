/**
 * Chooses the direction of view from the points of a scene.
 *
 * Motion in a plane is drawn in that plane; anything else in a three-quarter view. Up on
 * the page is opposite to gravity, or z if there is none, so two pictures of one scene agree.
 */

export type Vector = readonly [number, number, number];

export interface View {
  /** Unit vectors of the page in world axes: right, up, and towards the reader. */
  readonly right: Vector;
  readonly up: Vector;
  readonly towards: Vector;
  /** Seen square on, so that angles and lengths are true. */
  readonly planar: boolean;
}

const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const scale = (a: Vector, s: number): Vector => [a[0] * s, a[1] * s, a[2] * s];
const add = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const unit = (a: Vector): Vector => {
  const length = Math.hypot(...a);
  return length > 0 ? scale(a, 1 / length) : [0, 0, 1];
};

/** Variance of a cloud of points along its principal axes, largest first. */
export interface Cloud {
  readonly axes: readonly [Vector, Vector, Vector];
  readonly spread: readonly [number, number, number];
}

export function principalAxes(clouds: Iterable<ArrayLike<number>>): Cloud {
  const mean = [0, 0, 0];
  const moment = [0, 0, 0, 0, 0, 0];
  let count = 0;
  const list = [...clouds];
  for (const points of list) {
    for (let i = 0; i + 2 < points.length; i += 3) {
      count++;
      for (let k = 0; k < 3; k++) mean[k] += points[i + k];
    }
  }
  for (let k = 0; k < 3; k++) mean[k] /= count || 1;
  for (const points of list) {
    for (let i = 0; i + 2 < points.length; i += 3) {
      const x = points[i] - mean[0];
      const y = points[i + 1] - mean[1];
      const z = points[i + 2] - mean[2];
      moment[0] += x * x;
      moment[1] += x * y;
      moment[2] += x * z;
      moment[3] += y * y;
      moment[4] += y * z;
      moment[5] += z * z;
    }
  }
  const [values, vectors] = jacobi(moment.map((m) => m / (count || 1)));
  const order = [0, 1, 2].sort((a, b) => values[b] - values[a]);
  const pick = (k: number): Vector => vectors[order[k]];
  const spread = order.map((k) => Math.sqrt(Math.max(0, values[k])));
  return { axes: [pick(0), pick(1), pick(2)], spread: [spread[0], spread[1], spread[2]] };
}

/** Eigenvalues and eigenvectors of a symmetric 3×3 matrix (xx xy xz yy yz zz) by Jacobi rotations. */
function jacobi([xx, xy, xz, yy, yz, zz]: readonly number[]): [number[], Vector[]] {
  const a = [
    [xx, xy, xz],
    [xy, yy, yz],
    [xz, yz, zz],
  ];
  const v = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  for (let sweep = 0; sweep < 30; sweep++) {
    for (const [p, q] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      if (Math.abs(a[p][q]) <= 1e-18 * (Math.abs(a[p][p]) + Math.abs(a[q][q]))) continue;
      const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
      const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.hypot(theta, 1));
      const c = 1 / Math.hypot(t, 1);
      const s = t * c;
      for (let k = 0; k < 3; k++) [a[k][p], a[k][q]] = [c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]];
      for (let k = 0; k < 3; k++) [a[p][k], a[q][k]] = [c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]];
      for (let k = 0; k < 3; k++) [v[k][p], v[k][q]] = [c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]];
    }
  }
  const column = (k: number): Vector => [v[0][k], v[1][k], v[2][k]];
  return [
    [a[0][0], a[1][1], a[2][2]],
    [column(0), column(1), column(2)],
  ];
}

export interface ViewOptions {
  /** Acceleration; its opposite is up on the page. */
  readonly gravity?: Vector;
  /** Never square on: for rings and shapes whose depth matters. */
  readonly oblique?: boolean;
  /** Turn about the upright axis in a three-quarter view [rad]; default 28°. */
  readonly azimuth?: number;
  /** Height of the eye in a three-quarter view [rad]; default 20°, and 38° for flat shapes. */
  readonly elevation?: number;
  /** Obstacles: in a three-quarter view the longest extent is taken over these too. */
  readonly around?: readonly ArrayLike<number>[];
}

export function chooseView(clouds: Iterable<ArrayLike<number>>, options: ViewOptions = {}): View {
  const list = [...clouds];
  const { axes, spread } = principalAxes(list);
  const g = options.gravity;
  const hasGravity = g !== undefined && Math.hypot(...g) > 0;
  const up: Vector = hasGravity ? unit(scale(g, -1)) : [0, 0, 1];
  const flat = spread[2] <= 0.01 * spread[0];
  const isLine = spread[1] <= 0.01 * spread[0];

  if (flat && !options.oblique) {
    // A line lies in many planes: take the upright one, or for an upright line the one that faces along −y.
    const normal = isLine ? (Math.abs(dot(axes[0], up)) > 0.99 ? facing(up) : unit(cross(axes[0], up))) : axes[2];
    const uprightness = Math.abs(dot(normal, up));
    if (uprightness < 0.1) return squareOn(unit(add(normal, scale(up, -dot(normal, up)))), up);
    // Without gravity any plane may be drawn square on; with it, a plane that is not upright must show its slope.
    if (!hasGravity) return squareOn(normal, uprightness > 0.9 ? [0, 1, 0] : up);
  }
  // Three quarters: the longest horizontal extent runs to the right and somewhat into depth.
  const long = [...axes].sort((a, b) => horizontal(b, up) * spreadOf(b) - horizontal(a, up) * spreadOf(a))[0];
  function spreadOf(axis: Vector): number {
    return spread[axes.indexOf(axis)];
  }
  const level = add(long, scale(up, -dot(long, up)));
  const usual = Math.hypot(...level) > 1e-6 ? signed(unit(level)) : cross(up, facing(up));
  const base = options.around?.length ? widest([...list, ...options.around], up, usual) : usual;
  const azimuth = options.azimuth ?? (28 * Math.PI) / 180;
  // flat shapes need to be looked at from higher up
  const isFlat = spread[2] < 0.25 * spread[0] && Math.abs(dot(axes[2], up)) > 0.7;
  const elevation = options.elevation ?? ((isFlat ? 38 : 20) * Math.PI) / 180;
  const side = cross(base, up);
  const right = add(scale(base, Math.cos(azimuth)), scale(side, Math.sin(azimuth)));
  const back = cross(right, up);
  const towards = add(scale(back, Math.cos(elevation)), scale(up, Math.sin(elevation)));
  return { right, up: cross(towards, right), towards, planar: false };
}

/** Of the level directions, a step of 15° apart, the one along which points reach farthest; `usual` unless one is clearly wider. */
function widest(clouds: readonly ArrayLike<number>[], up: Vector, usual: Vector): Vector {
  const side = cross(up, usual);
  let best = usual;
  let most = 0;
  for (let k = 0; k < 12; k++) {
    const turn = (k * Math.PI) / 12;
    const axis = add(scale(usual, Math.cos(turn)), scale(side, Math.sin(turn)));
    let [low, high] = [Infinity, -Infinity];
    for (const points of clouds) {
      for (let i = 0; i + 2 < points.length; i += 3) {
        const along = points[i] * axis[0] + points[i + 1] * axis[1] + points[i + 2] * axis[2];
        low = Math.min(low, along);
        high = Math.max(high, along);
      }
    }
    if (high - low > (k === 0 ? 0 : 1.02 * most)) {
      most = high - low;
      best = k === 0 ? usual : signed(axis);
    }
  }
  return best;
}

function horizontal(axis: Vector, up: Vector): number {
  return Math.sqrt(Math.max(0, 1 - dot(axis, up) ** 2));
}

/** A horizontal direction to look along, for things that have none of their own: −y where that is horizontal. */
function facing(up: Vector): Vector {
  const y: Vector = Math.abs(up[1]) > 0.9 ? [0, 0, 1] : [0, -1, 0];
  return unit(add(y, scale(up, -dot(y, up))));
}

/** Of two opposite directions the one whose largest component is positive, so that x runs to the right. */
function signed(axis: Vector): Vector {
  const largest = axis.reduce((best, c) => (Math.abs(c) > Math.abs(best) + 1e-6 ? c : best), 0);
  return largest < 0 ? scale(axis, -1) : axis;
}

function squareOn(normal: Vector, up: Vector): View {
  const flatUp = unit(add(up, scale(normal, -dot(up, normal))));
  let right = cross(flatUp, normal);
  let towards = normal;
  if (signed(right) !== right) {
    right = scale(right, -1);
    towards = scale(towards, -1);
  }
  return { right, up: flatUp, towards, planar: true };
}

/** World → page (right, up) and depth (towards the reader), 3 per point. */
export function project(view: View, points: ArrayLike<number>): Float64Array {
  const out = new Float64Array(points.length);
  for (let i = 0; i + 2 < points.length; i += 3) {
    const p: Vector = [points[i], points[i + 1], points[i + 2]];
    out[i] = dot(p, view.right);
    out[i + 1] = dot(p, view.up);
    out[i + 2] = dot(p, view.towards);
  }
  return out;
}
