/**
 * The linear response of rods joined by bodies, for contact: the same elimination as in coupling.ts, kept for many right-hand sides. Point masses on a
 * rod are added to its matrix before the welds read it, so that those near a weld affect the body; those on a body are added to its six equations.
 */
import { clearBand } from '../../linalg/bandMatrix.ts';
import { factorDense, solveDense } from '../../linalg/dense.ts';
import type { ContactSides } from '../../port.ts';
import { evaluateBody } from './body.ts';
import { eliminate, reduceRight, substituteBack } from './elimination.ts';
import { writeHeldTorque } from './held.ts';
import { evaluateStage, type Stage, setPenalties } from './stage.ts';
import { assembleMember, lockAxes, startOuter } from './weldedNewton.ts';
import { addOuter, measureLevers, type System, writeSlave } from './welds.ts';

const slave = new Float64Array(18);
const lever = new Float64Array(3);

/** Writes the 3 × 6 map from a body's motion to that of the point of side c. */
function writeBodyMap(system: System, body: number, sides: ContactSides, c: number): void {
  const { start } = system.bodies[body];
  for (let k = 0; k < 3; k++) lever[k] = sides.arm[3 * c + k] - start.position[k];
  writeSlave(slave, lever);
}

/** Point masses at the sides of a system. */
interface SideMasses {
  readonly sides: ContactSides;
  /** The system's sides. */
  readonly list: readonly number[];
  /** Body of a side, −1 if it is on a rod. */
  readonly bodyOf: (side: number) => number;
  /** Factor on the masses; 0: none. */
  readonly scale: number;
  /** Adds the mass at a side to the matrix of its rod. */
  readonly addMass: (side: number) => void;
}

/**
 * Assembles and factors the matrices of all rods and bodies at the current state, with point masses at the sides. `write` includes the right side: that of
 * a Newton step, ready for `finishStep`.
 */
export function factorSystem(
  system: System,
  stage: Stage,
  { sides, list, bodyOf, scale, addMass }: SideMasses,
  write: 'matrix-and-right-side' | 'matrix',
): boolean {
  for (let shift = 0; shift < 1e8; shift = shift === 0 ? 1e-7 : 4 * shift) {
    startOuter(system, stage);
    if (write === 'matrix-and-right-side') {
      system.bodies.forEach((body, b) => {
        evaluateBody(body, stage.t, stage.inertia, stage.rate);
        for (let k = 0; k < 6; k++) system.outerRight[6 * b + k] -= body.residual[k];
      });
    }
    for (const member of system.members) {
      const { der, work } = member;
      setPenalties(der, work, stage.inertia);
      clearBand(work.matrix);
      if (Number.isNaN(evaluateStage(der, work, stage, work.matrix))) return false;
      measureLevers(member, system.bodies);
      writeHeldTorque(member.heldTorque, der, der.v);
    }
    if (scale > 0) for (const side of list) if (bodyOf(side) < 0) addMass(side);
    let positive = true;
    for (const member of system.members) {
      assembleMember(system, member, stage.rate);
      if (write === 'matrix') member.work.step.fill(0);
      positive = positive && eliminate(system, member, shift, 'stop-at-negative');
    }
    if (scale > 0)
      for (const side of list) if (bodyOf(side) >= 0) addBodyMass(system, bodyOf(side), sides, side, scale);
    lockAxes(system);
    const n = 6 * system.bodies.length;
    for (let i = 0; i < n; i++) system.outer[i * n + i] += shift * Math.abs(system.outer[i * n + i]);
    if (positive && factorDense(system.outer, n, 3).positive) return true;
  }
  return false;
}

/** Solves for the Newton step that `factorSystem` prepared: into work.step and outerRight. */
export function finishStep(system: System): void {
  solveDense(system.outer, 6 * system.bodies.length, system.outerRight);
  for (const member of system.members) substituteBack(system, member);
}

function addBodyMass(system: System, body: number, sides: ContactSides, c: number, scale: number): void {
  writeBodyMap(system, body, sides, c);
  const rho = scale * sides.mass[c];
  for (let i = 0; i < 6; i++) {
    for (let j = 0; j < 6; j++) {
      let sum = 0;
      for (let k = 0; k < 3; k++) sum += slave[6 * k + i] * slave[6 * k + j];
      addOuter(system, 6 * body + i, 6 * body + j, rho * sum);
    }
  }
}

/** Clears the right-hand sides. */
export function clearRight(system: System): void {
  system.outerRight.fill(0);
  for (const { work } of system.members) work.step.fill(0);
}

/** Adds Sᵀ g of a side on a body to the right-hand side. */
export function addBodySide(system: System, body: number, g: Float64Array, sides: ContactSides, c: number): void {
  writeBodyMap(system, body, sides, c);
  for (let i = 0; i < 6; i++)
    for (let k = 0; k < 3; k++) system.outerRight[6 * body + i] += slave[6 * k + i] * g[3 * c + k];
}

/** out = scale·S x of a side on a body. */
export function readBodySide(
  out: Float64Array,
  system: System,
  body: number,
  sides: ContactSides,
  c: number,
  scale: number,
): void {
  writeBodyMap(system, body, sides, c);
  for (let k = 0; k < 3; k++) {
    let sum = 0;
    for (let i = 0; i < 6; i++) sum += slave[6 * k + i] * system.outerRight[6 * body + i];
    out[3 * c + k] = scale * sum;
  }
}

/** Solves the factored system; right-hand sides in work.step and outerRight, and so are the solutions. */
export function solveFactored(system: System): void {
  const { outerRight, bodies, members } = system;
  for (const member of members) {
    const { der, work, ties } = member;
    const { step } = work;
    const { size } = der;
    for (const tie of ties) {
      writeSlave(slave, tie.lever);
      for (let k = 0; k < 6; k++)
        for (let i = 0; i < 3; i++) outerRight[6 * tie.body + k] += slave[6 * i + k] * step[4 * tie.node + i];
    }
    for (let d = 0; d < size; d++) if (der.fixed[d]) step[d] = 0;
    reduceRight(system, member);
  }
  bodies.forEach(({ body }, b) => {
    for (let k = 0; k < 6; k++) if (!body.free[k]) outerRight[6 * b + k] = 0;
  });
  finishStep(system);
}
