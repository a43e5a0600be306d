/**
 * The terms of Newton's matrix of one link and its joint; newton.ts has the idea and the notation. Results are written to module arrays or to the
 * link's block of the sweep.
 */
import type { Departure } from './records.ts';
import { BLOCK, COLUMNS, type Sweep } from './records.ts';
import type { StrandTree } from './rod.ts';
import { applyInertia, multiply3, turnBack } from './spatial.ts';

export function createSweep(links: number): Sweep {
  return {
    columns: COLUMNS,
    placeless: false,
    compact: false,
    turn: new Float64Array(9 * links),
    rate: new Float64Array(9 * links),
    coefficient: 0,
    P: new Float64Array(BLOCK * (links + 1)),
    G: new Float64Array(3 * COLUMNS * links),
    F: new Float64Array(18 * links),
    inverse: new Float64Array(9 * links),
    psiV: new Float64Array(18 * links),
    psiA: new Float64Array(18 * links),
    z: new Float64Array(COLUMNS * (links + 1)),
    p: new Float64Array(6 * (links + 1)),
    baseInverse: new Float64Array(9),
    drift: Number.POSITIVE_INFINITY,
    shift: 0,
    negative: 0,
  };
}

const f = new Float64Array(3);
const m = new Float64Array(3);
const u = new Float64Array(3);
const drag = new Float64Array(9);
const local = new Float64Array(9);
const A = new Float64Array(9);
const isotropic = new Float64Array(9);
const momentum = new Float64Array(6);

/** out = A [v]: rows of A crossed with v. */
export function timesCross(out: Float64Array, M: Float64Array, v: Float64Array): void {
  for (let r = 0; r < 9; r += 3) {
    const x = M[r];
    const y = M[r + 1];
    const z = M[r + 2];
    out[r] = y * v[2] - z * v[1];
    out[r + 1] = z * v[0] - x * v[2];
    out[r + 2] = x * v[1] - y * v[0];
  }
}

/** P of a single link: inertia, gyroscopic terms, and how loads change with its pose and motion. */
export function writeOwn(tree: StrandTree, sweep: Sweep, j: number): void {
  const { P, columns } = sweep;
  const { world, tipForce, linkTorque, tipDrag, length, inertia, motion: vel, trueMotion } = tree;
  const o = BLOCK * j;
  P.fill(0, o, o + BLOCK);
  const R = 9 * j;
  const l = length[j];
  for (let k = 0; k < 3; k++) m[k] = tipForce[3 * j + k] + tree.pull[3 * j + k];
  turnBack(f, 0, world, R, m, 0);
  turnBack(m, 0, world, R, linkTorque, 3 * j);
  const { departure } = tree;
  if (departure) {
    for (let k = 0; k < 3; k++) {
      f[k] -= departure.force[3 * j + k];
      m[k] += departure.torque[3 * j + k];
    }
  }
  // force rows of −∂load/∂ξω: −[f] − D[u]
  writeMinusCross(A, f);
  const d = 6 * j;
  const dragged = columns > 6 && (tipDrag[d] !== 0 || tipDrag[d + 3] !== 0 || tipDrag[d + 5] !== 0);
  if (dragged) {
    expandSymmetric(drag, tipDrag, d);
    toLocal(local, drag, world, R);
    // the tip's velocity as the link turns; the base's drift stays as it is in the world
    u[0] = trueMotion[d + 3] + l * trueMotion[d + 1];
    u[1] = trueMotion[d + 4] - l * trueMotion[d];
    u[2] = trueMotion[d + 5];
    timesCross(drag, local, u);
    for (let k = 0; k < 9; k++) A[k] -= drag[k];
  }
  const spring = tree.tipSpring[j] + (departure ? tree.tipMass[j] / (departure.h * departure.h) : 0);
  if (spring !== 0) {
    // k (δξv − [r] δξω)
    A[1] += spring * l;
    A[3] -= spring * l;
    isotropic.fill(0);
    for (let k = 0; k < 9; k += 4) isotropic[k] = spring;
    placeRows(P, o + 3, isotropic, l);
  }
  if (departure) addMeanTerms(tree, departure, P, j);
  const { pointMasses } = tree;
  if (pointMasses)
    for (let r = 0; r < 6; r++) for (let c = 0; c < 6; c++) P[o + COLUMNS * r + c] += pointMasses[36 * j + 6 * r + c];
  placeRows(P, o, A, l);
  P[o + 1] += m[2];
  P[o + 2] -= m[1];
  P[o + COLUMNS] -= m[2];
  P[o + COLUMNS + 2] += m[0];
  P[o + 2 * COLUMNS] += m[1];
  P[o + 2 * COLUMNS + 1] -= m[0];
  if (columns === 6) return;
  if (dragged) placeDrag(P, o, l);
  P[o + 2 * COLUMNS + 8] += tree.spinDamping[j];
  applyInertia(momentum, 0, inertia, 36 * j, vel, 6 * j);
  addGyroscopic(P, o, inertia, 36 * j, vel, 6 * j, momentum);
}

/** out = −[v]. */
function writeMinusCross(out: Float64Array, v: Float64Array): void {
  out[0] = 0;
  out[1] = v[2];
  out[2] = -v[1];
  out[3] = -v[2];
  out[4] = 0;
  out[5] = v[0];
  out[6] = v[1];
  out[7] = -v[0];
  out[8] = 0;
}

/** −∂load/∂v of the drag in `local`: D on vv, −D[r] on vω. Overwrites A. */
function placeDrag(P: Float64Array, o: number, l: number): void {
  placeRows(P, o + 9, local, l);
  for (let r = 0; r < 3; r++) {
    A[3 * r] = -l * local[3 * r + 1];
    A[3 * r + 1] = l * local[3 * r];
    A[3 * r + 2] = 0;
  }
  placeRows(P, o + 6, A, l);
}

/** Terms of drag and spin if velocities are means over the step; A receives the lever of the drag. */
function addMeanTerms(tree: StrandTree, { h, slope }: Departure, P: Float64Array, j: number): void {
  const { tipDrag, world, length, inertia, spinDamping } = tree;
  const d = 6 * j;
  const o = BLOCK * j;
  if (tipDrag[d] !== 0 || tipDrag[d + 3] !== 0 || tipDrag[d + 5] !== 0) {
    expandSymmetric(drag, tipDrag, d);
    toLocal(local, drag, world, 9 * j);
    for (let k = 0; k < 9; k++) local[k] /= h;
    placeRows(P, o + 3, local, length[j]);
    for (let r = 0; r < 9; r += 3) {
      A[r] -= length[j] * local[r + 1];
      A[r + 1] += length[j] * local[r];
    }
  }
  const polar = inertia[36 * j + 14] / (h * h) + spinDamping[j] / h;
  P[o + 2 * COLUMNS] += polar * slope[2 * j];
  P[o + 2 * COLUMNS + 1] += polar * slope[2 * j + 1];
  P[o + 2 * COLUMNS + 2] += polar;
}

/** Adds a 3 × 3 block of force rows, and its moment about the joint: r × with r = (0, 0, l). */
function placeRows(P: Float64Array, o: number, M: Float64Array, l: number): void {
  for (let k = 0; k < 3; k++) {
    P[o + k] -= l * M[3 + k];
    P[o + COLUMNS + k] += l * M[k];
    P[o + 3 * COLUMNS + k] += M[k];
    P[o + 4 * COLUMNS + k] += M[3 + k];
    P[o + 5 * COLUMNS + k] += M[6 + k];
  }
}

export function expandSymmetric(out: Float64Array, s: Float64Array, i: number): void {
  out[0] = s[i];
  out[1] = s[i + 1];
  out[2] = s[i + 2];
  out[3] = s[i + 1];
  out[4] = s[i + 3];
  out[5] = s[i + 4];
  out[6] = s[i + 2];
  out[7] = s[i + 4];
  out[8] = s[i + 5];
}

const half = new Float64Array(9);
const transposed = new Float64Array(9);

/** out = Rᵀ M R. */
export function toLocal(out: Float64Array, M: Float64Array, R: Float64Array, r: number): void {
  multiply3(half, 0, M, 0, R, r);
  transposed[0] = R[r];
  transposed[1] = R[r + 3];
  transposed[2] = R[r + 6];
  transposed[3] = R[r + 1];
  transposed[4] = R[r + 4];
  transposed[5] = R[r + 7];
  transposed[6] = R[r + 2];
  transposed[7] = R[r + 5];
  transposed[8] = R[r + 8];
  multiply3(out, 0, transposed, 0, half, 0);
}

/** v: crf(v) I + bar(I v); a: I. */
function addGyroscopic(
  P: Float64Array,
  o: number,
  inertia: Float64Array,
  i: number,
  v: Float64Array,
  j: number,
  h: Float64Array,
): void {
  for (let c = 0; c < 6; c++) {
    for (let r = 0; r < 6; r++) P[o + COLUMNS * r + 12 + c] = inertia[i + 6 * r + c];
    const i0 = inertia[i + c];
    const i1 = inertia[i + 6 + c];
    const i2 = inertia[i + 12 + c];
    const i3 = inertia[i + 18 + c];
    const i4 = inertia[i + 24 + c];
    const i5 = inertia[i + 30 + c];
    const w0 = v[j];
    const w1 = v[j + 1];
    const w2 = v[j + 2];
    P[o + 6 + c] += w1 * i2 - w2 * i1 + v[j + 4] * i5 - v[j + 5] * i4;
    P[o + COLUMNS + 6 + c] += w2 * i0 - w0 * i2 + v[j + 5] * i3 - v[j + 3] * i5;
    P[o + 2 * COLUMNS + 6 + c] += w0 * i1 - w1 * i0 + v[j + 3] * i4 - v[j + 4] * i3;
    P[o + 3 * COLUMNS + 6 + c] += w1 * i5 - w2 * i4;
    P[o + 4 * COLUMNS + 6 + c] += w2 * i3 - w0 * i5;
    P[o + 5 * COLUMNS + 6 + c] += w0 * i4 - w1 * i3;
  }
  // bar(h) = −[[n] [f]; [f] 0]
  subtractCross(P, o + 6, h[0], h[1], h[2]);
  subtractCross(P, o + 9, h[3], h[4], h[5]);
  subtractCross(P, o + 3 * COLUMNS + 6, h[3], h[4], h[5]);
}

function subtractCross(P: Float64Array, o: number, x: number, y: number, z: number): void {
  P[o + 1] += z;
  P[o + 2] -= y;
  P[o + COLUMNS] -= z;
  P[o + COLUMNS + 2] += x;
  P[o + 2 * COLUMNS] += y;
  P[o + 2 * COLUMNS + 1] -= x;
}
