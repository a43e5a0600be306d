/**
 * Particles ↔ samples and loads.
 *
 * A node is the mean of its ring. The tangent of an edge points from one mean to the next. Its axis d1 bisects two directions across
 * the edge: the mean first axis of both rings, and their mean second axis turned back by 90°, so that neither axis of a ring is
 * preferred. Loads are distributed to the particles by the transpose of this map, so their power is equal on both sides.
 */
import type { FiberRod } from './rod.ts';

/** The initial state of the compiled rod, rings across the curve's own tangent at each node. */
export function initializeState(fiber: FiberRod): void {
  const { rod, q, v, ringCount, edgeCount, width1, width2 } = fiber;
  const { nodeTangent: t, nodeDirector: d, nodePosition: x, nodeVelocity, edgeSpin } = rod;
  const spin = new Float64Array(3);
  for (let i = 0; i < ringCount; i++) {
    const o = 3 * i;
    const e = [
      t[o + 1] * d[o + 2] - t[o + 2] * d[o + 1],
      t[o + 2] * d[o] - t[o] * d[o + 2],
      t[o] * d[o + 1] - t[o + 1] * d[o],
    ];
    // angular velocity of a ring: the mean of its edges'; the part across an edge follows from the velocities of its ends, the part along it is its spin
    spin.fill(0);
    const edges = [i - 1, i].filter((j) => j >= 0 && j < edgeCount);
    for (const j of edges) addEdgeRotation(spin, x, nodeVelocity, j, edgeSpin[j], 1 / edges.length);
    for (let c = 0; c < 4; c++) {
      const a = 0.5 * width1 * (c === 1 || c === 2 ? 1 : -1);
      const b = 0.5 * width2 * (c > 1 ? 1 : -1);
      const arm = [0, 1, 2].map((k) => a * d[o + k] + b * e[k]);
      for (let k = 0; k < 3; k++) {
        const [m, n] = [(k + 1) % 3, (k + 2) % 3];
        q[12 * i + 3 * c + k] = x[o + k] + arm[k];
        v[12 * i + 3 * c + k] = nodeVelocity[o + k] + spin[m] * arm[n] - spin[n] * arm[m];
      }
    }
  }
}

function addEdgeRotation(
  out: Float64Array,
  x: Float64Array,
  v: Float64Array,
  j: number,
  spin: number,
  share: number,
): void {
  const d = [0, 1, 2].map((k) => x[3 * j + 3 + k] - x[3 * j + k]);
  const w = [0, 1, 2].map((k) => v[3 * j + 3 + k] - v[3 * j + k]);
  const square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  for (let k = 0; k < 3; k++) {
    const [m, n] = [(k + 1) % 3, (k + 2) % 3];
    out[k] += share * ((d[m] * w[n] - d[n] * w[m]) / square + (spin * d[k]) / Math.sqrt(square));
  }
}

/** Sum over the corners of both rings of an edge with the signs of an axis, 3 numbers: 2 widths × the mean axis. */
function sumAxis(out: Float64Array, o: number, x: Float64Array, j: number, axis: 'second' | 'first'): void {
  const a = 12 * j;
  const s1 = axis === 'second' ? -1 : 1;
  for (let k = 0; k < 3; k++) {
    let sum = 0;
    for (let r = a + k; r < a + 24; r += 12) sum += -x[r] + s1 * x[r + 3] + x[r + 6] - s1 * x[r + 9];
    out[o + k] = sum;
  }
}

/**
 * Frame of edge j from particles x: e (3), length, then for both axes w (3), unit direction across (3), length across and part
 * along. What `spread` and `spin` need.
 */
interface EdgeFrame {
  readonly tangent: Float64Array;
  length: number;
  readonly axis: Float64Array;
  readonly across: Float64Array;
  readonly size: Float64Array;
  readonly along: Float64Array;
  readonly director: Float64Array;
}
const frame: EdgeFrame = {
  tangent: new Float64Array(3),
  length: 0,
  axis: new Float64Array(6),
  across: new Float64Array(6),
  size: new Float64Array(2),
  along: new Float64Array(2),
  director: new Float64Array(3),
};

function meanAt(x: Float64Array, i: number, k: number): number {
  const o = 12 * i + k;
  return 0.25 * (x[o] + x[o + 3] + x[o + 6] + x[o + 9]);
}

function measureFrame(x: Float64Array, j: number): void {
  const { tangent: t, axis, across, size, along, director } = frame;
  for (let k = 0; k < 3; k++) t[k] = meanAt(x, j + 1, k) - meanAt(x, j, k);
  frame.length = Math.sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
  for (let k = 0; k < 3; k++) t[k] /= frame.length;
  sumAxis(axis, 0, x, j, 'first');
  sumAxis(axis, 3, x, j, 'second');
  for (let a = 0; a < 2; a++) {
    const o = 3 * a;
    along[a] = axis[o] * t[0] + axis[o + 1] * t[1] + axis[o + 2] * t[2];
    for (let k = 0; k < 3; k++) across[o + k] = axis[o + k] - along[a] * t[k];
    size[a] = Math.sqrt(across[o] * across[o] + across[o + 1] * across[o + 1] + across[o + 2] * across[o + 2]);
    for (let k = 0; k < 3; k++) across[o + k] /= size[a];
  }
  // d1, and d2 rotated back about t
  director[0] = across[0] + across[4] * t[2] - across[5] * t[1];
  director[1] = across[1] + across[5] * t[0] - across[3] * t[2];
  director[2] = across[2] + across[3] * t[1] - across[4] * t[0];
  const norm = Math.sqrt(director[0] * director[0] + director[1] * director[1] + director[2] * director[2]);
  for (let k = 0; k < 3; k++) director[k] /= norm;
}

const rates = new Float64Array(9);

/** Component k of tangent × across axis a. */
function turnedAxis(a: number, k: number): number {
  const { tangent: t, across } = frame;
  const m = (k + 1) % 3;
  const n = (k + 2) % 3;
  return t[m] * across[3 * a + n] - t[n] * across[3 * a + m];
}

/** Spin of the material of edge j about its tangent: the mean over both axes; call after `measureFrame`. */
function measureSpin(v: Float64Array, j: number): number {
  const { length, along, size } = frame;
  sumAxis(rates, 0, v, j, 'first');
  sumAxis(rates, 3, v, j, 'second');
  for (let k = 0; k < 3; k++) rates[6 + k] = (meanAt(v, j + 1, k) - meanAt(v, j, k)) / length;
  let spin = 0;
  for (let a = 0; a < 2; a++)
    for (let k = 0; k < 3; k++)
      spin += (0.5 * turnedAxis(a, k) * (rates[3 * a + k] - along[a] * rates[6 + k])) / size[a];
  return spin;
}

/** ∂spin/∂v of edge j: 24 numbers, rings j and j + 1. */
export function writeSpinGradient(out: Float64Array, x: Float64Array, j: number): void {
  measureFrame(x, j);
  const { length, along, size } = frame;
  for (let k = 0; k < 3; k++) {
    let couple = 0;
    for (let a = 0; a < 2; a++) couple -= (0.5 * turnedAxis(a, k) * along[a]) / (size[a] * length);
    for (let c = 0; c < 4; c++) {
      const first = (0.5 * turnedAxis(0, k) * (c === 1 || c === 2 ? 1 : -1)) / size[0];
      const second = (0.5 * turnedAxis(1, k) * (c > 1 ? 1 : -1)) / size[1];
      out[3 * c + k] = first + second - 0.25 * couple;
      out[12 + 3 * c + k] = first + second + 0.25 * couple;
    }
  }
}

/** State → samples. [port] */
export function poseSamples(fiber: FiberRod, x: Float64Array, v: Float64Array): void {
  const { samples, ringCount, edgeCount } = fiber;
  for (let i = 0; i < ringCount; i++) {
    for (let k = 0; k < 3; k++) {
      samples.nodePosition[3 * i + k] = meanAt(x, i, k);
      samples.nodeVelocity[3 * i + k] = meanAt(v, i, k);
    }
  }
  for (let j = 0; j < edgeCount; j++) {
    measureFrame(x, j);
    for (let k = 0; k < 3; k++) {
      samples.edgeTangent[3 * j + k] = frame.tangent[k];
      samples.edgeDirector[3 * j + k] = frame.director[k];
    }
    samples.edgeSpin[j] = measureSpin(v, j);
  }
}

/** Loads → forces on particles at x, added: forces in equal parts, torques so that their power is T·(t × ṫ + spin t). [port] */
export function addLoadForce(force: Float64Array, fiber: FiberRod, x: Float64Array): void {
  const { loads, ringCount, edgeCount, loadFactor } = fiber;
  const { nodeForce, edgeTorque: T } = loads;
  for (let i = 0; i < ringCount; i++) {
    for (let k = 0; k < 3; k++) {
      const f = 0.25 * loadFactor * nodeForce[3 * i + k];
      for (let c = 0; c < 4; c++) force[12 * i + 3 * c + k] += f;
    }
  }
  for (let j = 0; j < edgeCount; j++) {
    const o = 3 * j;
    if (T[o] === 0 && T[o + 1] === 0 && T[o + 2] === 0) continue;
    measureFrame(x, j);
    const { tangent: t, length, along, size } = frame;
    const axial = loadFactor * (T[o] * t[0] + T[o + 1] * t[1] + T[o + 2] * t[2]);
    for (let k = 0; k < 3; k++) {
      const m = (k + 1) % 3;
      const n = (k + 2) % 3;
      // across: a couple at the ends; the twist of a frame that is not normal to the edge also contributes to the ends
      let couple = (loadFactor * (T[o + m] * t[n] - T[o + n] * t[m])) / length;
      for (let a = 0; a < 2; a++) couple -= (0.5 * axial * turnedAxis(a, k) * along[a]) / (size[a] * length);
      for (let c = 0; c < 4; c++) {
        force[12 * j + 3 * c + k] -= 0.25 * couple;
        force[12 * j + 12 + 3 * c + k] += 0.25 * couple;
        const first = (0.5 * axial * turnedAxis(0, k) * (c === 1 || c === 2 ? 1 : -1)) / size[0];
        const second = (0.5 * axial * turnedAxis(1, k) * (c > 1 ? 1 : -1)) / size[1];
        force[12 * j + 3 * c + k] += first + second;
        force[12 * j + 12 + 3 * c + k] += first + second;
      }
    }
  }
}

/** Evaluates all load sources at the current samples. */
export function gatherLoads(fiber: FiberRod, t: number): void {
  const { loads, drive, samples } = fiber;
  loads.nodeForce.fill(0);
  loads.edgeTorque.fill(0);
  loads.nodeDrag.fill(0);
  for (let k = 0; k < drive.sources.length; k++) drive.sources[k].addLoads(loads, samples, t);
}
