/**
 * The natural shape for which the initial one is in equilibrium (`natural: equilibrium`), exactly on the discrete level.
 *
 * Statics gives the internal forces from the loads and the shape alone, by a sweep from the free end: the derivative of the energy with respect to edge
 * vector e_j is the sum of the loads beyond it,
 *     D_fᵀ s_j + D_eᵀ s_{j+1} + λ_j t_j = Σ_{i>j} f_i,    s_j = ∂E_j/∂p of the joint at its start,
 * and that with respect to θ_j the torque about the edge: four equations for s_j and the tension λ_j. Then, joint by joint, s_j is linear in the natural
 * strain, and λ_j gives the natural length of an edge that stretches. A clamp within the rod carries what is beyond it.
 */
import { SceneError } from '../../errors.ts';
import type { Coupling, Drive } from '../../model.ts';
import type { Rod } from '../../scene/compiled.ts';
import { D, evaluateJoint, strainOut } from './joint.ts';
import { planJoints } from './jointPlan.ts';
import { evaluatePins, initializeState, placePinned, poseSamples, rebuildFrames } from './kinematics.ts';
import type { DerOptions } from './options.ts';
import { createDerRod, type DerRod, memorySize, unknownCount } from './rod.ts';
import { createWorkspace, evaluateLoads, subtractLoads } from './stage.ts';
import { judgeStability } from './statics.ts';
import { GRADIENT, JOINT_STRIDE } from './strain.ts';

/** Inputs of a bundle that natural shapes depend on. */
interface DesignInput {
  readonly rods: readonly Rod[];
  readonly drives: readonly Drive[];
  readonly coupling: Coupling;
}

/** Rods with their natural shapes. */
interface DesignedRods {
  readonly rods: readonly Rod[];
  readonly warnings: readonly string[];
}

/** A rod with its natural shape, and whether its initial shape is a stable equilibrium. */
interface DesignedRod {
  readonly rod: Rod;
  readonly isStable: boolean;
}

/** Finds the natural shapes of the rods with `natural: equilibrium`. Warns of unstable ones; throws SceneError for rods that have none. */
export function designRods({ rods, drives, coupling }: DesignInput, options: DerOptions): DesignedRods {
  const unstable: string[] = [];
  const designed = rods.map((rod, k) => {
    if (!rod.naturalFromEquilibrium) return rod;
    if (coupling.welds.some((weld) => weld.rod === k))
      throw new SceneError(
        ['rods'],
        `rod '${rod.id}' is welded to a body: natural: equilibrium is for rods that pins hold`,
      );
    const found = designRod(rod, drives[k], options);
    if (!found.isStable) unstable.push(rod.id);
    return found.rod;
  });
  if (unstable.length === 0) return { rods: designed, warnings: [] };
  const others = unstable.length > 1 ? ` and those of ${unstable.length - 1} others` : '';
  const warning = `the initial shape of rod '${unstable[0]}'${others} is an equilibrium, but an unstable one: the rod will leave it; make it stiffer`;
  return { rods: designed, warnings: [warning] };
}

/** Finds natural strain and rest lengths such that the initial shape is in equilibrium with the loads at t = 0. Throws SceneError if there are none. */
function designRod(rod: Rod, drive: Drive, options: DerOptions): DesignedRod {
  const der = createTrial(rod, drive, options);
  const joints = findJoints(der);
  refuseUnsupported(der, joints, options);
  const { stress, tension } = sweepFromTip(der, joints);
  const edgeLengthRest = rod.edgeLengthRest.map((_, j) => der.edgeLength[j] / (1 + tension[j] / rod.edgeEA[j]));
  const shortest = edgeLengthRest.findIndex((length) => !(length > 0 && length < Infinity));
  if (shortest >= 0) throw impossible(rod, `edge ${shortest} would be crushed by a force beyond its stiffness`);
  // joints of the new lengths have another stiffness
  const stretched = { ...rod, edgeLengthRest };
  const halfStrainRest = solveNatural(createTrial(stretched, drive, options), joints, stress);
  const designed = { ...stretched, halfStrainRest };
  const trial = createTrial(designed, drive, options);
  trial.edgeTension.set(tension);
  return { rod: designed, isStable: judgeStability(trial, createWorkspace(trial), 0).negativeModes <= 0 };
}

function impossible({ id }: Rod, reason: string): SceneError {
  return new SceneError(['rods'], `rod '${id}' has no natural shape that holds its initial one: ${reason}`);
}

/** A rod in its initial shape, apart from any bundle. */
function createTrial(rod: Rod, drive: Drive, options: DerOptions): DerRod {
  const plan = planJoints(rod, drive.pins);
  const size = unknownCount(rod);
  const memory = new Float64Array(memorySize(rod, plan.count));
  const der = createDerRod({
    rod,
    drive,
    options,
    plan,
    q: new Float64Array(size),
    v: new Float64Array(size),
    memory,
  });
  const work = new Float64Array(3 * rod.edgeCount);
  evaluatePins(der, 0);
  initializeState(der, work);
  placePinned(der, der.q, der.v);
  rebuildFrames(der, work);
  poseSamples(der);
  return der;
}

/** The active joints at the start and the end of each edge, −1 if there is none. */
interface EdgeJoints {
  readonly start: Int32Array;
  readonly end: Int32Array;
}

function findJoints({ joints, jointActive, edgeCount }: DerRod): EdgeJoints {
  const found = { start: new Int32Array(edgeCount).fill(-1), end: new Int32Array(edgeCount).fill(-1) };
  for (let i = 0; i < joints.count; i++) {
    if (!jointActive[i]) continue;
    if (joints.after[i] >= 0) found.start[joints.after[i]] = i;
    if (joints.before[i] >= 0) found.end[joints.before[i]] = i;
  }
  return found;
}

function refuseUnsupported({ rod, joints, held, fixed }: DerRod, { start }: EdgeJoints, options: DerOptions): void {
  if (rod.closed) throw impossible(rod, 'it is closed');
  if ((options.strain ?? 'rotation') !== 'rotation') throw impossible(rod, 'strain: bergou2008 is not supported');
  if (start[0] < 0 || !(fixed[0] && fixed[1] && fixed[2]) || joints.freeSpin[start[0]])
    throw impossible(rod, 'nothing carries its bending moment; clamp its start (hold: clamp)');
  if (held.hinged.includes(1) || joints.freeSpin.includes(1))
    throw impossible(rod, 'a pin holds it by a hinge or by its tangent only; use hold: clamp or hold: position');
}

/** ∂E/∂p of every joint, 3 numbers each, and the tension of every edge [N]. */
function sweepFromTip(
  der: DerRod,
  { start, end }: EdgeJoints,
): { readonly stress: Float64Array; readonly tension: Float64Array } {
  const { edgeCount, size, fixed, joints, edgeTangent, rod } = der;
  const stress = new Float64Array(3 * joints.count);
  const tension = new Float64Array(edgeCount);
  const load = new Float64Array(size);
  evaluateLoads(der, 0);
  subtractLoads(der, load);
  const beyond = [0, 0, 0];
  const right = [0, 0, 0, 0];
  for (let j = edgeCount - 1; j >= 0; j--) {
    const o = 4 * (j + 1);
    const isClamp = end[j] >= 0 && joints.after[end[j]] < 0 && fixed[o] && fixed[o + 1] && fixed[o + 2];
    for (let k = 0; k < 3; k++) beyond[k] = isClamp ? 0 : beyond[k] - load[o + k];
    for (let k = 0; k < 3; k++) right[k] = beyond[k];
    right[3] = -load[4 * j + 3];
    subtractEnd(right, der, end[j], stress);
    for (let k = 0; k < 3; k++) tension[j] += right[k] * edgeTangent[3 * j + k];
    if (!evaluateJoint(der, start[j])) throw impossible(rod, `two of its edges point against each other at edge ${j}`);
    for (let k = 0; k < 3; k++) right[k] -= tension[j] * edgeTangent[3 * j + k];
    if (!solveStart(stress.subarray(3 * start[j], 3 * start[j] + 3), right))
      throw impossible(rod, `edge ${j} cannot carry a moment`);
  }
  return { stress, tension };
}

/** Subtracts the part of the joint at the end of an edge. */
function subtractEnd(right: number[], der: DerRod, joint: number, stress: Float64Array): void {
  if (joint < 0 || !evaluateJoint(der, joint)) return;
  for (let a = 0; a < 4; a++) for (let p = 0; p < 3; p++) right[a] -= D[8 * p + a] * stress[3 * joint + p];
}

/** Solves Σ_p D[p, 4…7] s_p = right for the current joint: four equations of rank three, by least squares of the normal equations. */
function solveStart(out: Float64Array, right: readonly number[]): boolean {
  // forces per length and torques are of different size: equations are scaled by the length of the edge
  const lever =
    1 / Math.max(Math.abs(D[4]), Math.abs(D[5]), Math.abs(D[6]), Math.abs(D[12]), Math.abs(D[13]), Math.abs(D[14]));
  const weight = [lever * lever, lever * lever, lever * lever, 1];
  const a = new Float64Array(9);
  const b = new Float64Array(3);
  for (let p = 0; p < 3; p++) {
    for (let m = 0; m < 4; m++) {
      b[p] += weight[m] * D[8 * p + 4 + m] * right[m];
      for (let q = 0; q < 3; q++) a[3 * p + q] += weight[m] * D[8 * p + 4 + m] * D[8 * q + 4 + m];
    }
  }
  return solve3(out, a, b);
}

/** Cramer's rule; false if the matrix is singular. */
function solve3(out: Float64Array, a: Float64Array, b: ArrayLike<number>): boolean {
  const minor = (r: number, c: number): number => {
    const [r1, r2] = [(r + 1) % 3, (r + 2) % 3];
    const [c1, c2] = [(c + 1) % 3, (c + 2) % 3];
    return a[3 * r1 + c1] * a[3 * r2 + c2] - a[3 * r1 + c2] * a[3 * r2 + c1];
  };
  const determinant = a[0] * minor(0, 0) + a[1] * minor(0, 1) + a[2] * minor(0, 2);
  const largest = Math.max(...a.map(Math.abs));
  if (!(Math.abs(determinant) > 1e-14 * largest * largest * largest)) return false;
  for (let c = 0; c < 3; c++) out[c] = (minor(0, c) * b[0] + minor(1, c) * b[1] + minor(2, c) * b[2]) / determinant;
  return true;
}

/** Natural rotation of every half: that of its joint, shared by length. */
function solveNatural(der: DerRod, { start, end }: EdgeJoints, stress: Float64Array): Float64Array {
  const { rod, joints, edgeCount } = der;
  const out = new Float64Array(6 * edgeCount);
  const natural = new Float64Array(3 * joints.count);
  const isUsed = (i: number): boolean => start.includes(i) || end.includes(i);
  for (let i = 0; i < joints.count; i++) if (der.jointActive[i] && isUsed(i)) writeNatural(natural, der, i, stress);
  for (let j = 0; j < edgeCount; j++) {
    for (const [half, i] of [
      [2 * j, start[j]],
      [2 * j + 1, end[j]],
    ]) {
      // the half at a free end belongs to no joint
      if (i < 0) continue;
      const share = (0.5 * rod.edgeLengthRest[j]) / joints.length[i];
      for (let k = 0; k < 3; k++) out[3 * half + k] = share * natural[3 * i + k];
    }
  }
  return out;
}

/** Natural rotation vector of joint i about d1, d2, d3, for which ∂E/∂p is that of `stress`. */
function writeNatural(out: Float64Array, der: DerRod, i: number, stress: Float64Array): void {
  const { constants } = der.joints;
  const at = JOINT_STRIDE * i + 3;
  const read = (): Float64Array => {
    evaluateJoint(der, i);
    return strainOut.slice(GRADIENT, GRADIENT + 3);
  };
  constants.fill(0, at, at + 3);
  const base = read();
  const matrix = new Float64Array(9);
  for (let c = 0; c < 3; c++) {
    constants[at + c] = 1;
    const turned = read();
    constants[at + c] = 0;
    for (let p = 0; p < 3; p++) matrix[3 * p + c] = turned[p] - base[p];
  }
  const wanted = base.map((one, p) => stress[3 * i + p] - one);
  const found = new Float64Array(3);
  if (!solve3(found, matrix, wanted))
    throw impossible(der.rod, `the joint at node ${der.joints.node[i]} has no stiffness`);
  const angle = Math.sqrt(found[0] * found[0] + found[1] * found[1] + found[2] * found[2]);
  if (!(angle < 0.95 * Math.PI))
    throw impossible(
      der.rod,
      `the joint at node ${der.joints.node[i]} would be bent by ${Number(angle.toPrecision(3))} rad in its natural shape, more than half a turn; the rod is too soft for its loads, or has too few edges`,
    );
  // t′·d1 = u2 and t′·d2 = −u1
  out[3 * i] = -found[1];
  out[3 * i + 1] = found[0];
  out[3 * i + 2] = found[2];
}
