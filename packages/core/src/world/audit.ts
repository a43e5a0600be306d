/**
 * An independent check of every equilibrium: forces and torques on the whole rod must balance. It sums the forces of pins and welds, loads and links
 * from samples and loads alone, without a model's own residual.
 *
 * The check detects wrong reactions, and searches that accept a shape in which the rod does not carry its load. If a model computes the reaction at the base from
 * the loads, forces balance in any shape; such rods are also checked by virtual work (models/virtualWork.ts).
 */

import type { ContactWorld } from '../contact/contactWorld.ts';
import { hypot, hypotOf } from '../math/rounded/index.ts';
import type { EquilibriumReport, Reaction } from '../model.ts';
import { type ActingRod, createLoads, type LoadSource, type Loads, type Samples } from '../port.ts';
import type { Rod } from '../scene/compiled.ts';
import type { WorldParts } from './build.ts';

/**
 * Admissible imbalance relative to the forces on a rod. Banded and articulated models leave 1e-10 or less; mass–spring chains with very stiff springs
 * leave 3e-4.
 */
export const balanceTolerance = 1e-3;

/** Sum of forces [N] and of torques about `center` [N m], and sum of the magnitudes of each. */
interface ForceSums {
  readonly center: Float64Array;
  readonly force: Float64Array;
  readonly torque: Float64Array;
  forceSize: number;
  torqueSize: number;
}

function createBalance({ nodePosition }: Samples): ForceSums {
  const center = new Float64Array(3);
  for (let o = 0; o < nodePosition.length; o++) center[o % 3] += (3 * nodePosition[o]) / nodePosition.length;
  return { center, force: new Float64Array(3), torque: new Float64Array(3), forceSize: 0, torqueSize: 0 };
}

/** Adds the force f[o…] that acts at x[i…]. */
function addForce(out: ForceSums, f: ArrayLike<number>, o: number, x: ArrayLike<number>, i: number): void {
  const [ax, ay, az] = [x[i] - out.center[0], x[i + 1] - out.center[1], x[i + 2] - out.center[2]];
  const [fx, fy, fz] = [f[o], f[o + 1], f[o + 2]];
  const size = hypot(fx, fy, fz);
  out.force[0] += fx;
  out.force[1] += fy;
  out.force[2] += fz;
  out.torque[0] += ay * fz - az * fy;
  out.torque[1] += az * fx - ax * fz;
  out.torque[2] += ax * fy - ay * fx;
  out.forceSize += size;
  out.torqueSize += size * hypot(ax, ay, az);
}

function addTorque(out: ForceSums, m: ArrayLike<number>, o: number): void {
  for (let k = 0; k < 3; k++) out.torque[k] += m[o + k];
  out.torqueSize += hypot(m[o], m[o + 1], m[o + 2]);
}

interface Acting {
  readonly rod: Rod;
  readonly samples: Samples;
  readonly loads: Loads;
  readonly reactions: readonly Reaction[];
  /** Of loads beside the centreline [N m]. */
  readonly couple: Float64Array;
}

function gatherLoads(rod: Rod, samples: Samples, sources: readonly LoadSource[], t: number): Loads {
  const loads = createLoads(rod);
  for (const source of sources) source.addLoads(loads, samples, t);
  return loads;
}

/** Forces and torques on one rod, without links. */
function sumActing({ rod, samples, loads, reactions, couple }: Acting): ForceSums {
  const out = createBalance(samples);
  addTorque(out, couple, 0);
  for (let o = 0; o < 3 * rod.nodeCount; o += 3) addForce(out, loads.nodeForce, o, samples.nodePosition, o);
  for (let o = 0; o < 3 * rod.edgeCount; o += 3) addTorque(out, loads.edgeTorque, o);
  for (const { node, force, torque } of reactions) {
    addForce(out, force, 0, samples.nodePosition, 3 * node);
    addTorque(out, torque, 0);
  }
  return out;
}

/** Loads and pins by node, for virtual work. */
function joinReactions({ samples, loads, reactions }: Acting): ActingRod {
  const nodeForce = loads.nodeForce.slice();
  for (const { node, force } of reactions) for (let k = 0; k < 3; k++) nodeForce[3 * node + k] += force[k];
  return { samples, nodeForce, edgeTorque: loads.edgeTorque };
}

/** Adds link forces to the rods' balances. Their torques per rod are not known, so linked rods are checked for forces alone. Returns the linked rods. */
function addLinks(balances: readonly ForceSums[], contact: ContactWorld): ReadonlySet<number> {
  const linked = new Set<number>();
  contact.linkForces().forEach(({ force }, k) => {
    const { rodA, rodB } = contact.links.plans[k];
    const ends: [number, number][] =
      rodB >= 0
        ? [
            [rodA, 1],
            [rodB, -1],
          ]
        : [[rodA, 1]];
    for (const [rod, sign] of ends) {
      linked.add(rod);
      const { force: sum } = balances[rod];
      for (let c = 0; c < 3; c++) sum[c] += sign * force[c];
      balances[rod].forceSize += hypotOf(force);
    }
  });
  return linked;
}

/** Adds contact forces to the loads on the rods. Torques of contacts that roll are not known. */
function addContacts(acting: readonly Acting[], { rods, contact, clock }: WorldParts): void {
  if (!contact) return;
  const indexOf = new Map(rods.map(({ id }, r) => [id, r]));
  const add = (id: string, edge: number, weight: number, force: readonly number[], sign: number): void => {
    const { rod, loads } = acting[indexOf.get(id) ?? 0];
    const next = (edge + 1) % rod.nodeCount;
    for (let k = 0; k < 3; k++) {
      loads.nodeForce[3 * edge + k] += sign * (1 - weight) * force[k];
      loads.nodeForce[3 * next + k] += sign * weight * force[k];
    }
  };
  for (const { rod, edge, weight, force, kind, other, otherEdge = 0, otherWeight = 0 } of contact.forces(clock.time)) {
    add(rod, edge, weight, force, 1);
    if (kind === 'rod') add(other, otherEdge, otherWeight, force, -1);
  }
}

/** Rods that grow from others balance together with them: adds their sums to those of the root of the tree. */
function addBranches(balances: readonly ForceSums[], rods: readonly Rod[]): number[] {
  const rootOf = rods.map((_, r) => {
    let root = r;
    for (let { parent } = rods[r]; parent; { parent } = rods[root]) root = parent.rod;
    return root;
  });
  rootOf.forEach((root, r) => {
    if (root === r) return;
    const { center, force, torque, forceSize, torqueSize } = balances[r];
    const whole = balances[root];
    const [ax, ay, az] = [0, 1, 2].map((k) => center[k] - whole.center[k]);
    for (let k = 0; k < 3; k++) {
      whole.force[k] += force[k];
      whole.torque[k] += torque[k];
    }
    whole.torque[0] += ay * force[2] - az * force[1];
    whole.torque[1] += az * force[0] - ax * force[2];
    whole.torque[2] += ax * force[1] - ay * force[0];
    whole.forceSize += forceSize;
    whole.torqueSize += torqueSize + forceSize * hypot(ax, ay, az);
  });
  return rootOf;
}

/** EI/L² [N], the force that bends the whole rod: the reference if nothing acts. */
function bendingForce({ halfEI1, halfEI2, length }: Rod): number {
  let stiffest = 0;
  for (let h = 0; h < halfEI1.length; h++) stiffest = Math.max(stiffest, halfEI1[h], halfEI2[h]);
  return stiffest / (length * length);
}

interface Imbalance {
  /** [N], [N m] */
  readonly force: number;
  readonly torque: number;
  /** The larger of both imbalances, relative to the forces and torques that act. */
  readonly relative: number;
}

function measureImbalance(balance: ForceSums, rod: Rod, loaded: boolean, isLinked: boolean): Imbalance {
  const { forceSize, torqueSize } = balance;
  const idle = loaded ? 0 : bendingForce(rod);
  const force = hypotOf(balance.force);
  const torque = isLinked ? 0 : hypotOf(balance.torque);
  const acting = Math.max(forceSize, torqueSize / rod.length, idle);
  return { force, torque, relative: acting > 0 ? Math.max(force, torque / rod.length) / acting : 0 };
}

/** Rounding error of the moments of a loaded rod, relative to EI/L. */
const MOMENT_NOISE = 1e-11;

/** Error of virtual work of each tree of rods, by its root; 0 for models without virtual displacements, and if `isAudited` is false. */
function measureWork(
  world: WorldParts,
  acting: readonly Acting[],
  rootOf: readonly number[],
  isAudited: (root: number) => boolean,
): Float64Array {
  const out = new Float64Array(acting.length);
  const trees = new Map<number, Acting[]>();
  acting.forEach((one, r) => {
    if (!world.placeOfRod[r].bundle.workError || !isAudited(rootOf[r])) return;
    const tree = trees.get(rootOf[r]);
    if (tree) tree.push(one);
    else trees.set(rootOf[r], [one]);
  });
  for (const [root, tree] of trees) {
    const { rod } = acting[root];
    const { bundle, index } = world.placeOfRod[root];
    const moment = bendingForce(rod) * rod.length * (tree.some(isLoaded) ? MOMENT_NOISE : 1);
    out[root] = bundle.workError?.(index, tree.map(joinReactions), moment) ?? 0;
  }
  return out;
}

const isLoaded = ({ loads: { nodeForce, edgeTorque } }: Acting): boolean =>
  nodeForce.some((f) => f !== 0) || edgeTorque.some((m) => m !== 0);

const notConverged = { converged: false, negativeModes: -1, stable: false, criterion: 'none' } as const;

/** Adds the imbalance to the reports; an equilibrium that does not balance is rejected. */
export function auditEquilibria(world: WorldParts, reports: readonly EquilibriumReport[]): EquilibriumReport[] {
  const { rods, samples, drives, placeOfRod, contact, clock } = world;
  const acting = rods.map((rod, r): Acting => {
    const { bundle, index } = placeOfRod[r];
    const loads = gatherLoads(rod, samples[r], drives[r].sources, clock.time);
    const couple = new Float64Array(3);
    bundle.addLoadCouple?.(couple, index, clock.time);
    return { rod, samples: samples[r], loads, reactions: bundle.reactions(index, clock.time), couple };
  });
  addContacts(acting, world);
  const balances = acting.map(sumActing);
  const linked = new Set(contact && addLinks(balances, contact));
  if (world.scene.contact?.rolling) for (const r of rods.keys()) linked.add(r);
  const rootOf = addBranches(balances, rods);
  const work = measureWork(world, acting, rootOf, (r) => reports[r].converged && !linked.has(r));
  return reports.map((report, r) => {
    const root = rootOf[r];
    const balance = balances[root];
    const { force, torque, relative } = measureImbalance(balance, rods[root], isLoaded(acting[root]), linked.has(r));
    const imbalance = Math.max(relative, work[root]);
    if (!report.converged || imbalance <= balanceTolerance) return { ...report, imbalance };
    const reason =
      relative > balanceTolerance
        ? `the forces on the whole rod do not balance: pins, loads and links leave ${force.toExponential(2)} N and ${torque.toExponential(2)} N m, ${relative.toExponential(1)} of what acts`
        : `the rod does not carry its loads: in a small bend their work and the elastic energy differ by ${work[root].toExponential(1)} of what acts`;
    return { ...report, ...notConverged, imbalance, reason };
  });
}
