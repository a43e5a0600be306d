/**
 * Modes and matrices of rods with bodies, about a state at rest.
 *
 * Unknowns are the free ones of the rods and six per body (displacement, rotation vector); welded nodes follow their body, as in every solve. The whole
 * is one sparse symmetric matrix. Subspace iteration is that of modal.ts, with the bodies' inertia, which is not diagonal, in the mass matrix. Rods
 * joined by bodies have their modes in common.
 */
import { SceneError } from '../../errors.ts';
import { eigenSymmetric } from '../../linalg/jacobi.ts';
import { solveSparse } from '../../linalg/sparse.ts';
import { pow, sin } from '../../math/rounded/index.ts';
import type { Matrices, Modes, SparseSymmetric } from '../../model.ts';
import { dependsOnState, subtractSymmetricPart } from '../loadJacobian.ts';
import { beginStep, cancelStep } from './body.ts';
import { poseSystem } from './coupling.ts';
import { writeHeldTorque } from './held.ts';
import { assembleDamping } from './modal.ts';
import { writeRightSide } from './newton.ts';
import type { Stage } from './stage.ts';
import {
  type Entries,
  factorShifted,
  gather,
  massEntries,
  merge,
  multiply,
  number,
  type Unknowns,
} from './systemMatrix.ts';
import { assembleTangent, stiffEnough } from './tangent.ts';
import { startOuter } from './weldedNewton.ts';
import { assembleTies, type Member, type System } from './welds.ts';

/** Calls `action` with everything at rest, and restores velocities. */
function atRest<T>(system: System, action: () => T): T {
  for (const body of system.bodies) beginStep(body);
  const velocities = system.members.map(({ der }) => der.v.slice());
  try {
    return action();
  } finally {
    for (const body of system.bodies) cancelStep(body);
    system.members.forEach(({ der }, m) => {
      der.v.set(velocities[m]);
    });
  }
}

/** Tangent stiffness of the system at its current state, including that of conservative loads. */
function assembleStiffness(
  system: System,
  t: number,
  loads: 'conservative' | 'any' = 'conservative',
): Entries & { readonly unknowns: Unknowns } {
  const stage: Stage = { t, inertia: 0, rate: 0 };
  poseSystem(system, stage);
  const unknowns = number(system);
  startOuter(system, stage);
  for (const member of system.members) {
    const { der, work } = member;
    assembleTangent(der, work, stage, { multiple: stiffEnough(der), edges: 'inextensible' });
    if (loads === 'conservative' && work.loadJacobian.asymmetry > 1e-4) {
      const remedy = 'use `run`, or remove followers, torques and wind from the scene';
      throw new SceneError(
        ['loads'],
        `rod '${der.rod.id}' has loads without a potential, so it has no natural modes; ${remedy}`,
      );
    }
    if (dependsOnState(der.drive)) subtractSymmetricPart(work.matrix, work.loadJacobian);
    writeHeldTorque(member.heldTorque, der);
    writeRightSide(der, work);
    assembleTies(system, member, { elastic: true, rateScale: 0 });
  }
  return { ...gather(system, unknowns), unknowns };
}

/** A typical ω² of slow bending of the rods with the masses they carry: eigenvalues far below it count as zero. */
function softestRatio({ members, bodies }: System): number {
  let ratio = Infinity;
  let own = 0;
  for (const { der } of members) {
    for (let d = 0; d < der.size; d++) {
      if ((d & 3) === 3 || !(der.mass[d] > 0)) continue;
      own += der.mass[d] / 3;
      ratio = Math.min(ratio, der.stiffnessScale[d] / der.mass[d] / pow(der.edgeCount, 4));
    }
  }
  const carried = bodies.reduce((sum, { mass }) => sum + mass, 0);
  return (1e-2 * ratio * own) / (own + carried);
}

/** M-orthonormal, by modified Gram–Schmidt, twice for safety. */
function orthonormalize(span: Float64Array[], mass: SparseSymmetric): void {
  const image = new Float64Array(span[0].length);
  const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, d) => sum + x * b[d], 0);
  span.forEach((x, i) => {
    for (let pass = 0; pass < 2; pass++) {
      multiply(image, mass, x);
      const overlaps = span.slice(0, i).map((other) => dot(image, other));
      overlaps.forEach((overlap, j) => {
        for (let d = 0; d < x.length; d++) x[d] -= overlap * span[j][d];
      });
    }
    multiply(image, mass, x);
    const norm = Math.sqrt(dot(image, x));
    for (let d = 0; d < x.length; d++) x[d] /= norm;
  });
}

export interface SystemModes {
  readonly omega: Float64Array;
  readonly vectors: readonly Float64Array[];
  readonly unknowns: Unknowns;
}

export function findSystemModes(system: System, t: number, count: number): SystemModes {
  return atRest(system, () => {
    const { unknowns, ...entries } = assembleStiffness(system, t);
    const { size } = unknowns;
    const stiffness = merge(entries, size);
    const mass = merge(massEntries(system, unknowns), size);
    const heavy = new Float64Array(size);
    for (let k = 0; k < mass.value.length; k++) if (mass.row[k] === mass.column[k]) heavy[mass.row[k]] = mass.value[k];
    const dynamic = heavy.reduce((sum, m) => sum + (m > 0 ? 1 : 0), 0);
    const block = Math.min(dynamic, Math.ceil(1.5 * count) + 8);
    const wanted = Math.min(count, block);
    const soft = softestRatio(system);
    const factor = factorShifted(stiffness, mass, size, 1e-3 * soft);
    let seed = 12345;
    const random = (): number => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return seed / 2 ** 32 - 0.5;
    };
    let basis = Array.from({ length: block }, () => heavy.map((m) => (m > 0 ? random() / Math.sqrt(m) : 0)));
    let values = new Float64Array(block);
    let lastChange = Infinity;
    for (let iteration = 0; iteration < 300; iteration++) {
      const next = basis.map((x) => {
        const y = new Float64Array(size);
        multiply(y, mass, x);
        solveSparse(factor, y);
        return y;
      });
      orthonormalize(next, mass);
      const images = next.map((x) => {
        const y = new Float64Array(size);
        multiply(y, stiffness, x);
        return y;
      });
      const reduced = Float64Array.from({ length: block * block }, (_, k) => {
        const image = images[Math.floor(k / block)];
        return next[k % block].reduce((sum, x, d) => sum + x * image[d], 0);
      });
      const found = eigenSymmetric(reduced, block);
      basis = next.map((_, k) => {
        const x = new Float64Array(size);
        for (let i = 0; i < block; i++)
          for (let d = 0; d < size; d++) x[d] += found.vectors[i * block + k] * next[i][d];
        return x;
      });
      let change = 0;
      for (let k = 0; k < wanted; k++)
        change = Math.max(change, Math.abs(found.values[k] - values[k]) / (Math.abs(found.values[k]) + soft));
      values = Float64Array.from(found.values);
      if (change < 1e-9 || (change < 1e-6 && change > 0.3 * lastChange)) break;
      lastChange = change;
    }
    const omega = values.slice(0, wanted).map((value) => Math.sign(value) * Math.sqrt(Math.abs(value)));
    return { omega, vectors: basis.slice(0, wanted), unknowns };
  });
}

/** Share of one rod in the modes of the system; the largest displacement of the whole system is 1. */
export function modesOfRod(system: System, { omega, vectors, unknowns }: SystemModes, rod: number): Modes {
  const whole = vectors.map((x) => system.members.map((member, m) => expand(member, m, unknowns, x)));
  const shapes = whole.map((members, k) => {
    let largest = 0;
    let signed = 1;
    let turn = 0;
    members.forEach((x) => {
      x.forEach((value, d) => {
        if ((d & 3) === 3) turn = Math.abs(value) > Math.abs(turn) ? value : turn;
        else if (Math.abs(value) > largest * (1 + 1e-9)) {
          largest = Math.abs(value);
          signed = Math.sign(value);
        }
      });
    });
    const length = Math.max(...system.members.map(({ der }) => der.rod.length));
    const scale = largest > 1e-6 * Math.abs(turn) * length ? signed / largest : 1 / turn;
    const { der } = system.members[rod];
    const x = members[rod];
    const component = (i: number): number => (unknowns.ofBody[i] < 0 ? 0 : scale * vectors[k][unknowns.ofBody[i]]);
    return {
      nodeDisplacement: Float64Array.from(
        { length: 3 * der.nodeCount },
        (_, i) => scale * x[4 * Math.floor(i / 3) + (i % 3)],
      ),
      edgeTwist: Float64Array.from({ length: der.edgeCount }, (_, j) => scale * x[4 * j + 3]),
      bodies: system.bodies.map(({ body }, b) => ({
        id: body.id,
        displacement: Float64Array.from([0, 1, 2], (i) => component(6 * b + i)),
        rotation: Float64Array.from([3, 4, 5], (i) => component(6 * b + i)),
      })),
    };
  });
  return { rod: system.members[rod].der.rod.id, omega, shapes };
}

/**
 * The direction in which the system is softest, by inverse iteration: moves of every rod's unknowns, and six of each body. The
 * smallest shift that makes the matrix positive lies just above the size of the lowest eigenvalue.
 */
export function findSystemSoftDirection(
  system: System,
  t: number,
): { readonly rods: readonly Float64Array[]; readonly bodies: Float64Array } {
  const { unknowns, ...entries } = assembleStiffness(system, t, 'any');
  const { size } = unknowns;
  const stiffness = merge(entries, size);
  const scale = new Float64Array(size);
  let stiffest = 0;
  let length = 0;
  system.members.forEach(({ der }, m) => {
    length = Math.max(length, der.rod.length / der.edgeCount);
    for (let d = 0; d < der.size; d++) {
      if (unknowns.ofRod[m][d] >= 0) scale[unknowns.ofRod[m][d]] = der.stiffnessScale[d];
      if ((d & 3) !== 3) stiffest = Math.max(stiffest, der.stiffnessScale[d]);
    }
  });
  unknowns.ofBody.forEach((index, i) => {
    if (index >= 0) scale[index] = i % 6 < 3 ? stiffest : stiffest * length * length;
  });
  const metric: SparseSymmetric = {
    row: Int32Array.from({ length: size }, (_, i) => i),
    column: Int32Array.from({ length: size }, (_, i) => i),
    value: scale,
  };
  let shift = 1e-9;
  let factor = factorShifted(stiffness, metric, size, shift);
  while (factor.negative > 0 && shift < 1e6) {
    shift *= 2;
    factor = factorShifted(stiffness, metric, size, shift);
  }
  const x = Float64Array.from({ length: size }, (_, d) => sin(1 + 0.7 * d) + 0.3 * sin(0.1 * d));
  for (let k = 0; k < 60; k++) {
    for (let d = 0; d < size; d++) x[d] *= scale[d];
    solveSparse(factor, x);
    const norm = x.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
    for (let d = 0; d < size; d++) x[d] /= norm;
  }
  return {
    rods: system.members.map((member, m) => expand(member, m, unknowns, x)),
    bodies: Float64Array.from(unknowns.ofBody, (index) => (index < 0 ? 0 : x[index])),
  };
}

/** Moves of all unknowns of a rod, those of welded nodes from their bodies: δx = δr + φ × a. */
function expand({ der, ties }: Member, m: number, unknowns: Unknowns, x: Float64Array): Float64Array {
  const out = Float64Array.from({ length: der.size }, (_, d) =>
    unknowns.ofRod[m][d] < 0 ? 0 : x[unknowns.ofRod[m][d]],
  );
  for (const { body, node, lever: a } of ties) {
    const at = (k: number): number => (unknowns.ofBody[6 * body + k] < 0 ? 0 : x[unknowns.ofBody[6 * body + k]]);
    for (let k = 0; k < 3; k++) {
      const i = (k + 1) % 3;
      const j = (k + 2) % 3;
      out[4 * node + k] = at(k) + at(3 + i) * a[j] - at(3 + j) * a[i];
    }
  }
  return out;
}

export function exportSystemMatrices(system: System, t: number, rod: string): Matrices {
  return atRest(system, () => {
    const { unknowns, ...entries } = assembleStiffness(system, t);
    const { size } = unknowns;
    const stiffness = merge(entries, size);
    const mass = merge(massEntries(system, unknowns), size);
    // damping of welded nodes and held frames acts on their bodies
    system.outer.fill(0);
    system.outerRight.fill(0);
    for (const member of system.members) {
      assembleDamping(member.der, member.work);
      member.work.residual.fill(0);
      assembleTies(system, member, { elastic: false, rateScale: 1 });
    }
    return { rod, size, labels: unknowns.labels, mass, stiffness, damping: merge(gather(system, unknowns), size) };
  });
}
