/**
 * Coordinates in which `deti` works: rings in the basis of mean, axes and warp, where the mass matrix is diagonal even with the
 * inertia of the section; then scaled by √m, so that the stiffness is A = M^(−1/2) K M^(−1/2), symmetric (M⁻¹K is not where end
 * rings have half the mass); then, with `eigenbasis`, turned to its eigenvectors.
 *
 * All this in the frame of the natural shape, which lies in the world as the first held ring does (the first ring if none is held).
 * Rods that are alike in that frame share one basis: a brush has one.
 */

import { clearBlocks, createBlocks } from '../../linalg/blockTridiagonal.ts';
import { eigenDense } from '../../linalg/eigen.ts';
import { hypotOf } from '../../math/rounded/index.ts';
import { addElements, createElements } from './elements.ts';
import type { FiberRod } from './rod.ts';

export interface ModalBasis {
  /** Free coordinates: 12·ring + (3·mode + axis). */
  readonly free: Int32Array;
  readonly count: number;
  /** 1/√m of each. */
  readonly inverseRoot: Float64Array;
  /** Orthonormal basis of each ring, rows, 144 per ring. */
  readonly rings: Float64Array;
  /** A as rows of at most 36 entries: columns (−1: none) and values. */
  readonly column: Int32Array;
  readonly value: Float64Array;
  /** With an eigenbasis: λ, and eigenvectors as columns. */
  readonly eigenvalues: Float64Array;
  readonly vectors: Float64Array | undefined;
}

const SIGN = [
  [1, 1, 1, 1],
  [-1, 1, 1, -1],
  [-1, -1, 1, 1],
  [1, -1, 1, -1],
];

/** Ring axes (d1, d2, d3 as rows) of ring i at x. */
function ringAxes(x: Float64Array, i: number): number[] {
  const sum = (m: number): number[] =>
    [0, 1, 2].map((k) => SIGN[m].reduce((s, sign, c) => s + sign * x[12 * i + 3 * c + k], 0));
  const unit = (a: number[]): number[] => a.map((value) => value / hypotOf(a));
  const d1 = unit(sum(1));
  const raw = sum(2);
  const along = d1[0] * raw[0] + d1[1] * raw[1] + d1[2] * raw[2];
  const d2 = unit(raw.map((value, k) => value - along * d1[k]));
  const d3 = [0, 1, 2].map((k) => d1[(k + 1) % 3] * d2[(k + 2) % 3] - d1[(k + 2) % 3] * d2[(k + 1) % 3]);
  return [...d1, ...d2, ...d3];
}

export interface Placement {
  /** Rotation from the frame of the natural shape to the world, row-major. */
  readonly rotation: Float64Array;
  /** The natural shape in the world, 12 per ring. */
  readonly reference: Float64Array;
}

export function placeNatural(fiber: FiberRod): Placement {
  const anchor = fiber.held.find((ring) => ring.active)?.ring ?? 0;
  const here = ringAxes(fiber.q, anchor);
  const there = ringAxes(fiber.rest.position, anchor);
  const rotation = new Float64Array(9);
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++) for (let k = 0; k < 3; k++) rotation[3 * i + j] += here[3 * k + i] * there[3 * k + j];
  const mean = (x: Float64Array, k: number): number =>
    0.25 * (x[12 * anchor + k] + x[12 * anchor + 3 + k] + x[12 * anchor + 6 + k] + x[12 * anchor + 9 + k]);
  const reference = new Float64Array(fiber.size);
  for (let d = 0; d < fiber.size; d += 3) {
    for (let i = 0; i < 3; i++) {
      let sum = mean(fiber.q, i);
      for (let j = 0; j < 3; j++)
        sum += rotation[3 * i + j] * (fiber.rest.position[d + j] - mean(fiber.rest.position, j));
      reference[d + i] = sum;
    }
  }
  return { rotation, reference };
}

/** Bases of the rings in the frame of the natural shape: that of the pin if it holds part of a ring, otherwise plain axes. */
function ringBases(fiber: FiberRod, rotation: Float64Array): Float64Array {
  const out = new Float64Array(144 * fiber.ringCount);
  for (let i = 0; i < fiber.ringCount; i++) {
    const held = fiber.held.find((ring) => ring.ring === i && ring.active && !ring.full);
    for (let m = 0; m < 12; m++) {
      for (let c = 0; c < 4; c++) {
        for (let k = 0; k < 3; k++) {
          const at = 144 * i + 12 * m + 3 * c + k;
          if (!held) out[at] = m % 3 === k ? 0.5 * SIGN[(m / 3) | 0][c] : 0;
          else for (let j = 0; j < 3; j++) out[at] += held.basis[12 * m + 3 * c + j] * rotation[3 * j + k];
        }
      }
    }
  }
  return out;
}

/** Key of a basis: rods with the same key share it. */
export function basisKey(fiber: FiberRod, rotation: Float64Array, functions: string): string {
  const parts = [
    fiber.longRest,
    fiber.shearRest,
    fiber.longBase,
    fiber.shearBase,
    fiber.ringBase,
    fiber.particleMass,
    fiber.ringMass,
  ];
  const held = fiber.held.map((ring) => `${ring.ring}:${[...ring.fixed]}:${ring.full ? '' : [...ring.basis]}`);
  const turned = fiber.held.every((ring) => ring.full) ? '' : [...rotation].join();
  return [functions, fiber.width1, fiber.width2, ...parts.map((part) => part.join()), ...held, turned].join('|');
}

export function createModalBasis(
  fiber: FiberRod,
  rotation: Float64Array,
  functions: 'eigenbasis' | 'krylov',
): ModalBasis {
  const { ringCount, particleMass, ringMass } = fiber;
  const rings = ringBases(fiber, rotation);
  const matrix = createBlocks(ringCount);
  clearBlocks(matrix);
  addElements(
    fiber,
    createElements(fiber),
    { force: new Float64Array(fiber.size), matrix: matrix },
    { x0: fiber.rest.position, y: fiber.rest.position },
    'exact',
  );
  const free: number[] = [];
  for (let i = 0; i < ringCount; i++) {
    const held = fiber.held.find((ring) => ring.ring === i && ring.active);
    for (let k = 0; k < 12; k++) if (!held?.fixed[k]) free.push(12 * i + k);
  }
  const count = free.length;
  const place = new Int32Array(fiber.size).fill(-1);
  free.forEach((d, k) => {
    place[d] = k;
  });
  const inverseRoot = Float64Array.from(free, (d) => {
    const ring = (d / 12) | 0;
    return 1 / Math.sqrt(d % 12 < 3 ? ringMass[ring] / 4 : particleMass[ring]);
  });
  const column = new Int32Array(36 * count).fill(-1);
  const value = new Float64Array(36 * count);
  for (let i = 0; i < ringCount; i++) {
    for (let j = Math.max(0, i - 1); j <= Math.min(ringCount - 1, i + 1); j++) {
      const from = i === j ? matrix.diagonal : j > i ? matrix.upper : matrix.lower;
      const block = turnBlock(from, 144 * Math.min(i, j === i ? i : j), rings, i, j);
      for (let a = 0; a < 12; a++) {
        const row = place[12 * i + a];
        if (row < 0) continue;
        for (let b = 0; b < 12; b++) {
          const col = place[12 * j + b];
          if (col < 0) continue;
          const at = 36 * row + 12 * (j - i + 1) + b;
          column[at] = col;
          // the kernel gives half the Hessian
          value[at] = 2 * block[12 * a + b] * inverseRoot[row] * inverseRoot[col];
        }
      }
    }
  }
  const base = { free: Int32Array.from(free), count, inverseRoot, rings, column, value };
  if (functions === 'krylov') return { ...base, eigenvalues: new Float64Array(0), vectors: undefined };
  const dense = new Float64Array(count * count);
  for (let k = 0; k < 36 * count; k++) if (column[k] >= 0) dense[((k / 36) | 0) * count + column[k]] = value[k];
  const { values, vectors } = eigenDense(dense, count);
  return { ...base, eigenvalues: values, vectors };
}

/** Q_i B Q_jᵀ */
function turnBlock(from: Float64Array, o: number, rings: Float64Array, i: number, j: number): Float64Array {
  const half = new Float64Array(144);
  const out = new Float64Array(144);
  for (let a = 0; a < 12; a++)
    for (let b = 0; b < 12; b++)
      for (let k = 0; k < 12; k++) half[12 * a + b] += rings[144 * i + 12 * a + k] * from[o + 12 * k + b];
  for (let a = 0; a < 12; a++)
    for (let b = 0; b < 12; b++)
      for (let k = 0; k < 12; k++) out[12 * a + b] += half[12 * a + k] * rings[144 * j + 12 * b + k];
  return out;
}

/** y = A x in scaled coordinates. */
export function multiplyScaled(y: Float64Array, { count, column, value }: ModalBasis, x: Float64Array): void {
  for (let i = 0; i < count; i++) {
    let sum = 0;
    for (let k = 36 * i; k < 36 * i + 36; k++) if (column[k] >= 0) sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

/**
 * World vector → scaled coordinates: `power` 1 for displacements and velocities (√m), −1 for forces (1/√m); turned to
 * eigenvectors if there are some. `work` holds `count` numbers.
 */
export function toModal(
  out: Float64Array,
  basis: ModalBasis,
  rotation: Float64Array,
  x: Float64Array,
  power: 1 | -1,
  work: Float64Array,
): void {
  const { free, count, inverseRoot, rings, vectors } = basis;
  const target = vectors ? work : out;
  for (let k = 0; k < count; k++) {
    const ring = (free[k] / 12) | 0;
    const at = 144 * ring + 12 * (free[k] % 12);
    let sum = 0;
    for (let c = 0; c < 12; c += 3) {
      const o = 12 * ring + c;
      for (let j = 0; j < 3; j++) {
        if (rings[at + c + j] === 0) continue;
        sum += rings[at + c + j] * (rotation[j] * x[o] + rotation[3 + j] * x[o + 1] + rotation[6 + j] * x[o + 2]);
      }
    }
    target[k] = power === 1 ? sum / inverseRoot[k] : sum * inverseRoot[k];
  }
  if (!vectors) return;
  out.fill(0);
  for (let k = 0; k < count; k++) {
    const f = work[k];
    for (let j = 0; j < count; j++) out[j] += vectors[k * count + j] * f;
  }
}

/** Scaled coordinates → displacement or velocity in the world, 0 if held. */
export function fromModal(
  out: Float64Array,
  basis: ModalBasis,
  rotation: Float64Array,
  modal: Float64Array,
  work: Float64Array,
): void {
  const { free, count, inverseRoot, rings, vectors } = basis;
  out.fill(0);
  for (let k = 0; k < count; k++) {
    let scaled = modal[k];
    if (vectors) {
      scaled = 0;
      for (let j = 0; j < count; j++) scaled += vectors[k * count + j] * modal[j];
    }
    work[k] = scaled * inverseRoot[k];
  }
  for (let k = 0; k < count; k++) {
    const ring = (free[k] / 12) | 0;
    const at = 144 * ring + 12 * (free[k] % 12);
    for (let c = 0; c < 12; c += 3) {
      const o = 12 * ring + c;
      for (let j = 0; j < 3; j++) {
        const f = rings[at + c + j] * work[k];
        if (f === 0) continue;
        out[o] += rotation[j] * f;
        out[o + 1] += rotation[3 + j] * f;
        out[o + 2] += rotation[6 + j] * f;
      }
    }
  }
}
