/**
 * Rods that break (`break` of the scene).
 *
 * Tensions belong to edges, moments to joints, and a rod is cut by removing an edge: of the two edges at an overloaded joint, the one whose other end is
 * more loaded. Flags and the energy of removed edges are part of the rod's memory, so a restored run continues with the same bits. The world finds the
 * time at which the load reaches the strength (world/breaking.ts) and calls `findWeakest` and `breakEdge` there.
 */
import { SceneError } from '../../errors.ts';
import { hypot } from '../../math/rounded/index.ts';
import type { Coupling, Drive } from '../../model.ts';
import type { Rod, RodStrength } from '../../scene/compiled.ts';
import type { Scene } from '../../scene/types.ts';
import { evaluateJoint, strainIn, strainOut } from './joint.ts';
import { addRodEnergy } from './readouts.ts';
import { type DerRod, memorySize } from './rod.ts';
import type { EdgeLoad, RodBreaking } from './rodBreaking.ts';
import { GRADIENT } from './strain.ts';

/** The part of the model that knows rods that break. */
export interface BreakingPart {
  /** Numbers that a rod's memory needs in addition, after its own. */
  memorySize(rod: DerRod['rod']): number;
  attach(der: DerRod): void;
}

/** Loads this close to each other, relative to their strengths, count as equal: the first edge breaks, whatever rounding says. */
const EQUAL = 1e-6;

/**
 * Bending moment at joint i [N m]: ∂E/∂φ of the angle φ between its frames, from that by the curvature binormal w = 2 tan(φ/2). Infinite where the rod
 * is folded.
 */
function measureMoment(der: DerRod, i: number): number {
  if (!evaluateJoint(der, i)) return Infinity;
  const [w1, w2] = strainIn;
  return hypot(strainOut[GRADIENT], strainOut[GRADIENT + 1]) * (1 + 0.25 * (w1 * w1 + w2 * w2));
}

/** For each edge, the largest moment over strength at its two ends, and the sum of both; and the largest moment. */
interface EdgeMoments {
  readonly ratio: Float64Array;
  readonly sum: Float64Array;
  readonly moment: Float64Array;
}

function writeMoments(out: EdgeMoments, der: DerRod, { nodeMoment }: RodStrength): void {
  const { joints, jointActive } = der;
  out.ratio.fill(0);
  out.sum.fill(0);
  out.moment.fill(0);
  for (let i = 0; i < joints.count; i++) {
    if (!jointActive[i]) continue;
    const moment = measureMoment(der, i);
    const ratio = moment / nodeMoment[joints.node[i]];
    for (const edge of [joints.before[i], joints.after[i]]) {
      if (edge < 0) continue;
      out.sum[edge] += ratio;
      if (ratio <= out.ratio[edge]) continue;
      out.ratio[edge] = ratio;
      out.moment[edge] = moment;
    }
  }
}

/** Energy of broken edges, and time of the last break. */
const HEAD = 2;

/** Twice the time that a wave of stretch takes along the rod [s]; 0 for an inextensible rod. */
function measureUnloading({ rod: { nodeMass, edgeLengthRest, edgeEA } }: DerRod): number {
  let mass = 0;
  let compliance = 0;
  for (let i = 0; i < nodeMass.length; i++) mass += nodeMass[i];
  for (let j = 0; j < edgeEA.length; j++) compliance += edgeLengthRest[j] / edgeEA[j];
  return 2 * Math.sqrt(mass * compliance);
}

/** Marks joints beside broken edges as inactive, and fixes angles of edges about their axes that nothing determines. */
function createRelease(der: DerRod, broken: Float64Array, parts: RodBreaking['parts']): () => void {
  const { joints, jointActive, fixed, edgeCount, mass } = der;
  const isJoined = new Uint8Array(edgeCount);
  return () => {
    isJoined.fill(0);
    for (let i = 0; i < joints.count; i++) {
      if (parts(i)) jointActive[i] = 0;
      else if (joints.mode[i] === 0) jointActive[i] = 1;
      if (!jointActive[i]) continue;
      if (joints.before[i] >= 0) isJoined[joints.before[i]] = 1;
      if (joints.after[i] >= 0) isJoined[joints.after[i]] = 1;
    }
    // nothing turns a single edge: without inertia its angle would be undetermined
    for (let j = 0; j < edgeCount; j++)
      if (broken[j] === 1 || (!isJoined[j] && mass[4 * j + 3] === 0)) fixed[4 * j + 3] = 1;
  };
}

/** Returns a function that finds the most loaded edge that is not broken. */
function createSearch(der: DerRod, strength: RodStrength, broken: Float64Array): () => EdgeLoad {
  const { edgeCount, edgeTension } = der;
  const bends = strength.nodeMoment.some((limit) => limit < Infinity);
  const make = (): Float64Array => new Float64Array(edgeCount);
  const moments: EdgeMoments = { ratio: make(), sum: make(), moment: make() };
  return () => {
    if (bends) writeMoments(moments, der, strength);
    let [edge, ratio, sum] = [0, 0, 0];
    for (let j = 0; j < edgeCount; j++) {
      if (broken[j] === 1) continue;
      const own = Math.max(edgeTension[j] / strength.edgeTension[j], moments.ratio[j]);
      const isMore = own > ratio * (1 + EQUAL);
      const isNearer = own > ratio * (1 - EQUAL) && moments.sum[j] > sum * (1 + EQUAL);
      if (!isMore && !isNearer) continue;
      edge = j;
      ratio = Math.max(ratio, own);
      sum = moments.sum[j];
    }
    return { ratio, edge, tension: edgeTension[edge], ...(bends && { moment: moments.moment[edge] }) };
  };
}

function measureEnergy(der: DerRod): number {
  const energy = { kinetic: 0, elastic: 0 };
  addRodEnergy(energy, der);
  return energy.kinetic + energy.elastic;
}

function createRodBreaking(der: DerRod, strength: RodStrength, memory: Float64Array): RodBreaking {
  const { joints, edgeCount } = der;
  const broken = memory.subarray(0, edgeCount);
  const heat = memory.subarray(edgeCount);
  const unloading = measureUnloading(der);
  const isBroken = (edge: number): boolean => edge >= 0 && broken[edge] === 1;
  const parts = (i: number): boolean => isBroken(joints.before[i]) || isBroken(joints.after[i]);
  const release = createRelease(der, broken, parts);
  return {
    broken,
    heat,
    parts,
    release,
    isSpared: (t) => broken.includes(1) && t < heat[1] + unloading,
    findWeakest: createSearch(der, strength, broken),
    breakEdge(edge, t) {
      der.material?.advance();
      const before = measureEnergy(der);
      broken[edge] = 1;
      der.edgeTension[edge] = 0;
      der.edgeLength[edge] = der.rod.edgeLengthRest[edge];
      for (const frame of [der.edgeReference, der.edgeTangent, der.edgeM1, der.edgeM2])
        frame.fill(0, 3 * edge, 3 * edge + 3);
      for (const rates of [der.v, der.acceleration, der.vBefore]) rates[4 * edge + 3] = 0;
      release();
      const energy = before - measureEnergy(der);
      heat[0] += energy;
      heat[1] = t;
      return energy;
    },
  };
}

/** Rods of a bundle, with their pins and welds. */
export interface BreakingInput {
  readonly rods: readonly Rod[];
  readonly drives: readonly Drive[];
  readonly coupling: Pick<Coupling, 'welds'>;
}

/** Rods that break, for the rods of a scene. Throws SceneError for options that do not support them. */
export function createBreaking(scene: Scene, { rods, drives, coupling }: BreakingInput): BreakingPart {
  rods.forEach((rod, k) => {
    if (rod.strength)
      refuse(
        scene,
        rod.id,
        drives[k],
        coupling.welds.some((weld) => weld.rod === k),
      );
  });
  return {
    memorySize: (rod) => (rod.strength ? rod.edgeCount + HEAD : 0),
    attach(der) {
      const { strength, edgeCount } = der.rod;
      if (!strength) return;
      const from = memorySize(der.rod, der.joints.count);
      der.breaking = createRodBreaking(der, strength, der.memory.subarray(from, from + edgeCount + HEAD));
    },
  };
}

function refuse({ solver, rods }: Scene, id: string, { pins }: Drive, carries: boolean): void {
  const scheme = solver?.der?.integrator;
  if (scheme === 'shake' || scheme === 'fast-projection' || scheme === 'midpoint')
    throw new SceneError(
      ['solver', 'der', 'integrator'],
      `${scheme} has no rods that break, and rod '${id}' has 'break'; use tr-bdf2`,
    );
  const path = ['rods', rods.findIndex((rod) => rod.id === id), 'break'];
  if (carries)
    throw new SceneError(path, `rod '${id}' carries a body, and such rods do not break; remove 'break' or the weld`);
  if (pins.some(({ orientation }) => orientation === 'hinge'))
    throw new SceneError(
      path,
      `rod '${id}' has a hinge, and such rods do not break; use hold: position or clamp in place of hinge`,
    );
}
