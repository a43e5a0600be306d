/**
 * Energies and strains.
 *
 * The split is by what a spring's elongation means for the rod: the mean of a cuboid's four longitudinal elongations is
 * stretching, the rest of them bending; the mean of its four shears is twisting. What is left of the shears (shear of the
 * section across the rod) and the deformation of rings are counted as stretching: parts that an unshearable rod does not have.
 */
import { atan2, hypot, hypotOf } from '../../math/rounded/index.ts';
import { applyMass, type FiberRod, RING_FROM, RING_TO } from './rod.ts';

export function between(x: Float64Array, i: number, j: number): number {
  const a = x[j] - x[i];
  const b = x[j + 1] - x[i + 1];
  const c = x[j + 2] - x[i + 2];
  return Math.sqrt(a * a + b * b + c * c);
}

export interface ElasticEnergy {
  bending: number;
  twisting: number;
  stretching: number;
}

/** Elastic energy [J] at x in its parts. */
export function measureElastic(fiber: FiberRod, x: Float64Array): ElasticEnergy {
  const { edgeCount, ringCount, longRest, shearRest, longStiffness, shearStiffness, ringStiffness } = fiber;
  const { width1, width2, rod } = fiber;
  const out = { bending: 0, twisting: 0, stretching: 0 };
  for (let b = 0; b < edgeCount; b++) {
    const k = longStiffness[b];
    const l = rod.edgeLengthRest[b];
    let mean = 0;
    let square = 0;
    let twist = 0;
    let shear = 0;
    let turn = 0;
    for (let c = 0; c < 4; c++) {
      const i = 12 * b + 3 * c;
      const m = 12 * b + 3 * ((c + 1) & 3);
      const d = between(x, i, i + 12) - longRest[4 * b + c];
      mean += 0.25 * d;
      square += d * d;
      const s = between(x, i, m + 12) - between(x, m, i + 12) - shearRest[4 * b + c];
      const width = (c & 1) === 0 ? width1 : width2;
      const kc = shearStiffness[2 * b + (c & 1)];
      // shears of faces of different width are alike when multiplied by the length of their diagonals
      const y = s * Math.sqrt(l * l + width * width);
      turn = kc / (l * l + width * width);
      twist += 0.25 * y;
      shear += 0.5 * kc * s * s;
    }
    out.stretching += 2 * k * mean * mean;
    out.bending += 0.5 * k * (square - 4 * mean * mean);
    out.twisting += 2 * turn * twist * twist;
    out.stretching += shear - 2 * turn * twist * twist;
  }
  const diagonal = Math.sqrt(width1 * width1 + width2 * width2);
  for (let r = 0; r < ringCount; r++) {
    for (let m = 0; m < 6; m++) {
      const rest = m > 3 ? diagonal : (m & 1) === 0 ? width1 : width2;
      const d = between(x, 12 * r + 3 * RING_FROM[m], 12 * r + 3 * RING_TO[m]) - rest;
      out.stretching += 0.5 * ringStiffness[r] * d * d;
    }
  }
  return out;
}

export function kineticEnergy(fiber: FiberRod, v: Float64Array, work: Float64Array): number {
  applyMass(work, fiber, v);
  let sum = 0;
  for (let d = 0; d < fiber.size; d++) sum += v[d] * work[d];
  return 0.5 * sum;
}

/** Bending about d1 and d2 and twist of each cuboid [1/m], 3 per edge, from how the axes of its rings turn. */
export function measureStrain(fiber: FiberRod): Float64Array {
  const { q, edgeCount, ringCount, rod } = fiber;
  const axes = new Float64Array(9 * ringCount);
  for (let i = 0; i < ringCount; i++) {
    const axis = (second: boolean): number[] => {
      const s = second ? -1 : 1;
      const a = [0, 1, 2].map((k) => {
        const o = 12 * i + k;
        return -q[o] + s * q[o + 3] + q[o + 6] - s * q[o + 9];
      });
      const size = hypotOf(a);
      return a.map((value) => value / size);
    };
    const d1 = axis(false);
    const d2 = axis(true);
    const d3 = [0, 1, 2].map((k) => d1[(k + 1) % 3] * d2[(k + 2) % 3] - d1[(k + 2) % 3] * d2[(k + 1) % 3]);
    axes.set([...d1, ...d2, ...d3], 9 * i);
  }
  const out = new Float64Array(3 * edgeCount);
  const dot = (i: number, a: number, j: number, b: number): number => {
    let sum = 0;
    for (let k = 0; k < 3; k++) sum += axes[9 * i + 3 * a + k] * axes[9 * j + 3 * b + k];
    return sum;
  };
  for (let j = 0; j < edgeCount; j++) {
    const n = j + 1;
    // the rotation from ring to ring: axis from the skew part, angle from both
    const w = [
      0.5 * (dot(j, 2, n, 1) - dot(j, 1, n, 2)),
      0.5 * (dot(j, 0, n, 2) - dot(j, 2, n, 0)),
      0.5 * (dot(j, 1, n, 0) - dot(j, 0, n, 1)),
    ];
    const sine = hypotOf(w);
    const cosine = 0.5 * (dot(j, 0, n, 0) + dot(j, 1, n, 1) + dot(j, 2, n, 2) - 1);
    const scale = sine < 1e-9 ? 1 : atan2(sine, cosine) / sine;
    for (let k = 0; k < 3; k++) out[3 * j + k] = (scale * w[k]) / rod.edgeLengthRest[j];
  }
  return out;
}

/** Sum over the cuboids of how far they are turned [rad] and stretched beyond their natural shape. */
export function measureDeformation(fiber: FiberRod): number {
  const { q, rod, longRest, edgeCount } = fiber;
  const { edgeLengthRest, halfStrainRest: h } = rod;
  const strain = measureStrain(fiber);
  let sum = 0;
  for (let j = 0; j < edgeCount; j++) {
    for (let c = 0; c < 4; c++)
      sum += 0.25 * Math.abs(between(q, 12 * j + 3 * c, 12 * j + 3 * c + 12) / longRest[4 * j + c] - 1);
    const turn = (k: number): number => strain[3 * j + k] * edgeLengthRest[j] - h[6 * j + k] - h[6 * j + 3 + k];
    sum += hypot(turn(0), turn(1), turn(2));
  }
  return sum;
}
