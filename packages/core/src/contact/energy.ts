/**
 * Energy that a step with contact created in an island: energy of its systems at the end, minus that at the start, minus the work of loads and
 * pins and the work that the contact law allows obstacles. Steps with contact are implicit Euler, so forces count with their values at the end. The
 * result is negative if the step dissipated energy, and must not be positive: docs/notes/contact-energy.md has the proof, and the reasons why the
 * solver can violate it.
 */
import type { Bundle, Drive, SystemEnergy } from '../model.ts';
import { createLoads, type Loads } from '../port.ts';
import { createPinPose } from '../scene/compiled.ts';
import type { BundlePlace } from './bundlePlace.ts';
import type { ContactSet } from './contactSet.ts';
import type { Finder } from './detect/finderData.ts';
import type { Systems } from './solve/islands.ts';

export interface EnergyCheck {
  /** Clears the records at the start of a step. Systems without a record are not checked. */
  clear(): void;
  /** Records the energy of systems that are at the start of the step, at time t. */
  record(systems: readonly number[], t: number): void;
  /** Energy that the step created beyond the tolerance [J], else 0. Systems must be at the end of the step, contacts must have its impulses. */
  measureGain(step: CheckedStep): number;
}

/** A step of an island: its systems, its contacts, its start and its length. */
export interface CheckedStep {
  readonly systems: readonly number[];
  readonly contacts: ContactSet;
  readonly t: number;
  readonly dt: number;
  /** Error of contact velocities that the solver tolerates [m/s]. */
  readonly slack: number;
}

interface EnergyCheckParts {
  readonly finder: Finder;
  readonly bundles: readonly Bundle[];
  readonly placeOfRod: readonly BundlePlace[];
  readonly systems: Systems;
  readonly drives: readonly Drive[];
}

/**
 * Fraction of the kinetic energy, of the work done and of the change of elastic energy that a step may create: the remaining error of Newton's
 * method and of the contact solver. ROUNDING: the same as a fraction of the total elastic energy. STRAIGHT: the same of a rod at rest in its natural
 * shape, as a fraction of the energy that bends it by about 1 rad.
 */
const TOLERANCE = 1e-3;
const ROUNDING = 1e-10;
const STRAIGHT = 1e-15;

const pose = createPinPose();
const poseBefore = createPinPose();
const now: SystemEnergy = { kinetic: 0, elastic: 0 };

export function createEnergyCheck(parts: EnergyCheckParts): EnergyCheck {
  const { systems } = parts;
  const kinetic = new Float64Array(systems.count);
  const elastic = new Float64Array(systems.count);
  const check: Check = { ...parts, kinetic, elastic, loads: new Map() };
  return {
    clear() {
      kinetic.fill(Number.NaN);
    },
    record(list, t) {
      for (const s of list) {
        kinetic[s] = measureSystem(check, s, t) ? now.kinetic : Number.NaN;
        elastic[s] = now.elastic;
      }
    },
    measureGain: (step) => measureGain(check, step),
  };
}

interface Check extends EnergyCheckParts {
  /** Recorded energies of the systems [J]; kinetic is NaN where there is no record. */
  readonly kinetic: Float64Array;
  readonly elastic: Float64Array;
  /** Arrays for loads, by the size of a rod's positions. */
  readonly loads: Map<number, Loads>;
}

/** Energy gained beyond the work that was counted, and how much of it is tolerated [J]. */
interface EnergyGain {
  gain: number;
  tolerated: number;
}

function measureGain(check: Check, step: CheckedStep): number {
  const balance = { gain: 0, tolerated: 0 };
  if (!addSystems(balance, check, step)) return 0;
  subtractContacts(balance, check, step);
  // expensive, and most steps do not need it
  for (let i = 0; i < step.systems.length && balance.gain > balance.tolerated; i++)
    for (const rod of check.systems.rods[step.systems[i]])
      subtractWork(balance, measurePinWork(check, rod, step.t, step.dt));
  return balance.gain > balance.tolerated ? balance.gain : 0;
}

function subtractWork(balance: EnergyGain, work: number): void {
  balance.gain -= work;
  balance.tolerated += TOLERANCE * Math.abs(work);
}

/** Adds the change of energy of the systems, minus the work of their loads; false if a model does not provide its energy. */
function addSystems(balance: EnergyGain, check: Check, { systems: list, t, dt }: CheckedStep): boolean {
  const { kinetic, elastic, systems } = check;
  for (const s of list) {
    if (!measureSystem(check, s, t + dt)) return false;
    balance.gain += now.kinetic - kinetic[s] + now.elastic - elastic[s];
    balance.tolerated +=
      TOLERANCE * (Math.max(now.kinetic, kinetic[s]) + Math.abs(now.elastic - elastic[s])) +
      ROUNDING * (now.elastic + elastic[s]);
    for (const rod of systems.rods[s]) {
      const { halfEI1, halfEI2, length } = check.finder.rods[rod];
      balance.tolerated += (STRAIGHT * (halfEI1[0] + halfEI2[0])) / length;
      subtractWork(balance, measureLoadWork(check, rod, t, dt));
    }
  }
  return true;
}

/** Subtracts the work that the contact law allows: by moving surfaces, rebounds and the correction of overlaps. */
function subtractContacts(balance: EnergyGain, check: Check, { contacts: set, dt, slack }: CheckedStep): void {
  for (let c = 0; c < set.count; c++) {
    const { edgeA, weightA, rodB, edgeB, weightB } = set;
    let work = measureSideWork(check, set, c, { rod: set.rodA[c], edge: edgeA[c], weight: weightA[c] });
    if (rodB[c] >= 0) work -= measureSideWork(check, set, c, { rod: rodB[c], edge: edgeB[c], weight: weightB[c] });
    balance.tolerated += (TOLERANCE * Math.abs(work)) / dt;
    for (let k = 3 * c; k < 3 * c + 3; k++) {
      balance.gain -= set.impulse[k] * (set.surface[k] + set.normal[k] * Math.max(0, -set.bias[c]));
      balance.tolerated += Math.abs(set.impulse[k]) * slack;
    }
  }
}

/** Writes the energy of a system to `now`; false if its model does not provide it. */
function measureSystem({ bundles, systems }: Check, s: number, t: number): boolean {
  now.kinetic = 0;
  now.elastic = 0;
  return bundles[systems.bundleOf[s]].contact?.measureEnergy?.(now, systems.numberOf[s], t) ?? false;
}

/** Displacement over the step of coordinate k of a rod's nodes [m]. */
function displacementOf({ finder }: Check, rod: number, k: number): number {
  return finder.samples[rod].nodePosition[k] - finder.position[3 * finder.nodeOffset[rod] + k];
}

function measureLoadWork(check: Check, rod: number, t: number, dt: number): number {
  const { finder, drives, loads } = check;
  const { sources } = drives[rod];
  if (sources.length === 0) return 0;
  const samples = finder.samples[rod];
  const size = samples.nodePosition.length;
  const own = loads.get(size) ?? createLoads(finder.rods[rod]);
  loads.set(size, own);
  own.nodeForce.fill(0);
  own.edgeTorque.fill(0);
  own.nodeDrag.fill(0);
  for (const source of sources) source.addLoads(own, samples, t + dt);
  let work = 0;
  for (let k = 0; k < size; k++) if (own.nodeForce[k] !== 0) work += own.nodeForce[k] * displacementOf(check, rod, k);
  for (let k = 0; k < samples.edgeTangent.length; k++)
    if (own.edgeTorque[k] !== 0)
      work += own.edgeTorque[k] * dt * samples.edgeSpin[(k / 3) | 0] * samples.edgeTangent[k];
  return work;
}

/** Work of moving pins, with the forces and torques that hold the rod at the end. */
function measurePinWork(check: Check, rod: number, t: number, dt: number): number {
  const { pins } = check.drives[rod];
  if (!pins.some((pin) => isMoving(pin, t, dt))) return 0;
  let work = 0;
  const { bundle, index } = check.placeOfRod[rod];
  for (const { node, force, torque } of check.bundles[bundle].reactions(index, t + dt)) {
    const pin = pins.find((one) => one.node === node);
    if (!pin) continue;
    pin.evaluate(poseBefore, t);
    pin.evaluate(pose, t + dt);
    for (let k = 0; k < 3; k++) work += force[k] * displacementOf(check, rod, 3 * node + k) + torque[k] * turnOf(k);
  }
  return work;
}

function isMoving(pin: Drive['pins'][number], t: number, dt: number): boolean {
  pin.evaluate(poseBefore, t);
  pin.evaluate(pose, t + dt);
  if (pose.twist !== poseBefore.twist) return true;
  for (let k = 0; k < 3; k++) {
    if (pose.position[k] !== poseBefore.position[k] || pose.tangent[k] !== poseBefore.tangent[k]) return true;
    if (pose.director[k] !== poseBefore.director[k]) return true;
  }
  return false;
}

interface Side {
  readonly rod: number;
  readonly edge: number;
  readonly weight: number;
}

/** Work of a contact's impulse per step length at one side. */
function measureSideWork(check: Check, { impulse }: ContactSet, c: number, { rod, edge, weight }: Side): number {
  const a = 3 * edge;
  const b = a + 3 < check.finder.samples[rod].nodePosition.length ? a + 3 : 0;
  let work = 0;
  for (let k = 0; k < 3; k++) {
    const displacement = (1 - weight) * displacementOf(check, rod, a + k) + weight * displacementOf(check, rod, b + k);
    work += impulse[3 * c + k] * displacement;
  }
  return work;
}

/** Component k of the rotation from `poseBefore` to `pose` [rad]: of the frame, to second order, and of the twist within it. */
function turnOf(k: number): number {
  const [a, b] = [(k + 1) % 3, (k + 2) % 3];
  let turn = (pose.twist - poseBefore.twist) * pose.tangent[k];
  const { tangent: t0, director: d0 } = poseBefore;
  const { tangent: t1, director: d1 } = pose;
  const e0 = (i: number): number => t0[(i + 1) % 3] * d0[(i + 2) % 3] - t0[(i + 2) % 3] * d0[(i + 1) % 3];
  const e1 = (i: number): number => t1[(i + 1) % 3] * d1[(i + 2) % 3] - t1[(i + 2) % 3] * d1[(i + 1) % 3];
  turn += 0.5 * (t0[a] * t1[b] - t0[b] * t1[a] + d0[a] * d1[b] - d0[b] * d1[a] + e0(a) * e1(b) - e0(b) * e1(a));
  return turn;
}
