/**
 * Rejects second-order steps that create energy.
 *
 * The trapezoidal stage of TR-BDF2 starts from the rod's previous accelerations, and so does the history of BDF2. If an edge turns far in one step, its
 * tension has turned meanwhile, and the step gains energy: of 100 free rods that were pushed for 2 ms some gained half of their energy in one step. No
 * step gained more than 1 % in which no edge turned by more than 0.1 rad. So only steps that turn an edge far are measured, and one that gains is
 * repeated with implicit Euler, whose force is that of the end.
 *
 * The measure is kinetic plus elastic energy minus the work of the loads, in the frame of the pins: see balance.ts, which does the same for samples.
 */
import { hypotOf, square as squareOf } from '../../math/rounded/index.ts';
import type { System } from './coupling.ts';
import { addBodyEnergies, measureReactions } from './readouts.ts';
import type { DerRod } from './rod.ts';
import type { Snapshot } from './snapshot.ts';
import { evaluateLoads } from './stage.ts';
import { addElasticEnergy } from './strainEnergy.ts';

/** cos² of the largest rotation of an edge in a step that is not measured [0.2 rad]. */
export const NEAR_SQUARE = 0.9605;

/** True if an edge of a rod turns farther than that between two states of its nodes; `step`: stride of the numbers. */
export function turnsFar(from: Float64Array, fromPlace: number, to: Float64Array, toPlace: TurnPlace): boolean {
  const { edges, start, step, closes, broken } = toPlace;
  for (let j = 0; j < edges; j++) {
    if (broken && broken[j] === 1) continue;
    const a = 4 * j;
    const b = closes && j + 1 === edges ? 0 : a + 4;
    let dot = 0;
    let one = 0;
    let other = 0;
    for (let k = 0; k < 3; k++) {
      const x = from[fromPlace + b + k] - from[fromPlace + a + k];
      const y = to[start + step * (b + k)] - to[start + step * (a + k)];
      dot += x * y;
      one += x * x;
      other += y * y;
    }
    if (!(dot > 0 && dot * dot > NEAR_SQUARE * one * other)) return true;
  }
  return false;
}

/** Location of unknowns in an array: offset and stride. */
export interface TurnPlace {
  readonly edges: number;
  readonly start: number;
  readonly step: number;
  /** True if the last edge leads back to the first node. */
  readonly closes: boolean;
  /** 1 for edges that are broken. */
  readonly broken?: Float64Array | undefined;
}

export function turnPlaceOf({ edgeCount, rod, breaking }: DerRod): TurnPlace {
  return { edges: edgeCount, start: 0, step: 1, closes: rod.closed, broken: breaking?.broken };
}

/** True if velocities will turn an edge by more than 0.15 rad in a time h. */
export function willTurn({ v, edgeCount, nodeCount, edgeLength, breaking }: DerRod, h: number): boolean {
  const broken = breaking?.broken;
  for (let j = 0; j < edgeCount; j++) {
    if (broken && broken[j] === 1) continue;
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    const x = v[b] - v[a];
    const y = v[b + 1] - v[a + 1];
    const z = v[b + 2] - v[a + 2];
    if (h * h * (x * x + y * y + z * z) > 0.0225 * edgeLength[j] * edgeLength[j]) return true;
  }
  return false;
}

/** Energy, momentum and loads of a system at one instant. */
export interface Mark {
  readonly energy: number;
  /** Potential energy of weight and dead forces on bodies [J]. */
  readonly potential: number;
  readonly mass: number;
  readonly momentum: Float64Array;
  readonly forces: readonly Float64Array[];
  readonly torques: readonly Float64Array[];
}

/** Records the system at t; its poses must be up to date. */
export function markSystem({ members, bodies }: System, t: number): Mark {
  const out = { kinetic: 0, bending: 0, twisting: 0, stretching: 0, potential: 0, total: 0 };
  const momentum = new Float64Array(3);
  let mass = 0;
  for (const { der } of members) {
    const { v, size, edgeCount, edgeStiffness, edgeLength, rod } = der;
    for (let d = 0; d < size; d++) {
      out.kinetic += 0.5 * der.mass[d] * v[d] * v[d];
      if ((d & 3) === 3) continue;
      momentum[d & 3] += der.mass[d] * v[d];
      if ((d & 3) === 0) mass += der.mass[d];
    }
    addElasticEnergy(out, der);
    for (let j = 0; j < edgeCount; j++)
      if (edgeStiffness[j] < Infinity)
        out.stretching += 0.5 * edgeStiffness[j] * squareOf(edgeLength[j] - rod.edgeLengthRest[j]);
    evaluateLoads(der, t);
  }
  for (const body of bodies) {
    body.actions.syncPose(body);
    addBodyEnergies(out, body, t);
    mass += body.mass;
    for (let k = 0; k < 3; k++) momentum[k] += body.mass * body.velocity[k];
  }
  return {
    energy: out.kinetic + out.bending + out.twisting + out.stretching,
    potential: out.potential,
    mass,
    momentum,
    forces: members.map(({ der }) => der.loads.nodeForce.slice()),
    torques: members.map(({ der }) => der.loads.edgeTorque.slice()),
  };
}

/** Displacement of the frame over the step: of the pins if there are any, else of the centre of mass. */
function writeDisplacement(displacement: Float64Array, { members, bodies }: System, starts: readonly Snapshot[]): void {
  displacement.fill(0);
  if (bodies.length > 0) return;
  for (let k = 0; k < 3; k++) {
    let held = 0;
    let heldDisplacement = 0;
    let mass = 0;
    for (let m = 0; m < members.length; m++) {
      const { der } = members[m];
      for (let d = k; d < der.size; d += 4) {
        const moved = der.q[d] - starts[m].q[d];
        if (der.fixed[d]) {
          held++;
          heldDisplacement += moved;
        }
        mass += der.mass[d];
        displacement[k] += der.mass[d] * moved;
      }
    }
    displacement[k] = held > 0 ? heldDisplacement / held : displacement[k] / mass;
  }
}

const across = new Float64Array(3);

/** Work of node forces and edge torques over the step. */
function workOf(
  der: DerRod,
  start: Snapshot,
  force: Float64Array,
  torque: Float64Array,
  displacement: Float64Array,
): number {
  const { q, nodeCount, edgeCount, edgeTangent } = der;
  let sum = 0;
  for (let i = 0; i < nodeCount; i++)
    for (let k = 0; k < 3; k++) sum += force[3 * i + k] * (q[4 * i + k] - start.q[4 * i + k] - displacement[k]);
  for (let j = 0; j < edgeCount; j++) {
    const o = 3 * j;
    const turned = q[4 * j + 3] - start.q[4 * j + 3];
    for (let k = 0; k < 3; k++) {
      const a = o + ((k + 1) % 3);
      const b = o + ((k + 2) % 3);
      across[k] = start.edgeTangent[a] * edgeTangent[b] - start.edgeTangent[b] * edgeTangent[a];
      sum += torque[o + k] * (across[k] + turned * edgeTangent[o + k]);
    }
  }
  return sum;
}

/** Work of mass damping over a step of length h in the frame, where it may push: see balance.ts. */
function workOfDamping(
  { members }: System,
  starts: readonly Snapshot[],
  displacement: Float64Array,
  h: number,
): number {
  let sum = 0;
  members.forEach(({ der }, m) => {
    for (let d = 0; d < der.size; d++) {
      if ((d & 3) === 3) continue;
      const moved = der.q[d] - starts[m].q[d];
      sum -= ((der.mass[d] * der.massDamping[d]) / h) * moved * (moved - displacement[d & 3]);
    }
  });
  return Math.max(0, sum);
}

/** Upper bound on the work of pins: their reactions are known at the end only, and change over the step. */
function boundPinWork(
  { members, bodies }: System,
  starts: readonly Snapshot[],
  displacement: Float64Array,
  t: number,
): number {
  let sum = 0;
  members.forEach(({ der, work }, m) => {
    const moved = der.pins.map((pin, p) => {
      if (bodies.some(({ welds }) => welds.some((weld) => weld.pin === pin)) || !der.poses[p].active) return [0, 0];
      let square = 0;
      for (let k = 0; k < 3; k++) {
        const d = 4 * pin.node + k;
        if (der.fixed[d]) square += squareOf(der.q[d] - starts[m].q[d] - displacement[k]);
      }
      return [Math.sqrt(square), turnOf(der, starts[m], p)];
    });
    const size = hypotOf(displacement) * 1e-9;
    if (!moved.some(([shift, turn]) => shift > size || turn > 1e-12)) return;
    const active = der.pins.map((_, p) => p).filter((p) => der.poses[p].active);
    measureReactions(der, work, t).forEach(({ force, torque }, k) => {
      const [shift, turn] = moved[active[k]];
      sum += 2 * (hypotOf(force) * shift + hypotOf(torque) * turn);
    });
  });
  return sum;
}

/** Upper bound on the rotation of pin p's frame [rad]. */
function turnOf({ held }: DerRod, start: Snapshot, p: number): number {
  const h = held.pin.indexOf(p);
  if (h < 0) return 0;
  let tangent = 0;
  let director = 0;
  for (let k = 3 * h; k < 3 * h + 3; k++) {
    tangent += squareOf(held.tangent[k] - start.held.tangent[k]);
    director += squareOf(held.director[k] - start.held.director[k]);
  }
  return Math.abs(held.theta[h] - start.held.theta[h]) + Math.sqrt(tangent) + Math.sqrt(director);
}

/** True if the step of length h that ends at t has gained more than this fraction of the initial energy and of the work done. */
export function hasGained(
  system: System,
  { starts, before, t, h }: { starts: readonly Snapshot[]; before: Mark; t: number; h: number },
  part: number,
): boolean {
  const displacement = new Float64Array(3);
  writeDisplacement(displacement, system, starts);
  const after = markSystem(system, t);
  const inFrame = ({ energy, momentum, mass }: Mark): number => {
    let sum = energy;
    for (let k = 0; k < 3; k++) sum += (displacement[k] / h) * (0.5 * mass * (displacement[k] / h) - momentum[k]);
    return sum;
  };
  let first = before.potential - after.potential;
  let last = first;
  system.members.forEach(({ der }, m) => {
    first += workOf(der, starts[m], before.forces[m], before.torques[m], displacement);
    last += workOf(der, starts[m], after.forces[m], after.torques[m], displacement);
  });
  const pinWork = boundPinWork(system, starts, displacement, t) + workOfDamping(system, starts, displacement, h);
  const from = inFrame(before);
  const gain = inFrame(after) - from - Math.max(first, last) - pinWork;
  const scale = from + Math.abs(first) + Math.abs(last) + pinWork;
  return !(gain <= part * scale);
}
