/**
 * Energy audit: after every step, compares the change of kinetic plus elastic energy with the work of loads, pins and moving obstacles.
 *
 * A step may lose energy (damping, friction, the scheme) but not gain energy without work. Loads are known at both ends of a step: their work is the
 * mean of both, and half of the difference is the uncertainty. The work of pins follows from the change of momentum. Gains accumulate while they
 * persist, r ← max(0, r + gain − uncertainty); a step is reported if r exceeds TOLERANCE of the largest energy so far. For rods without pins and
 * contacts, momentum is audited as well.
 *
 * The audit changes nothing and is not part of the state: after `restore` it starts again. What it does not judge: docs/step.md#energy-audit.
 */
import { SceneError } from '../errors.ts';
import type { Energies } from '../model.ts';
import { createLoads, type Loads } from '../port.ts';
import { readBack, type WorldParts } from './build.ts';
import {
  type AuditedRod,
  addFreeMomentum,
  createAuditedRod,
  movePins,
  notePins,
  noteRod,
  type Work,
  workOfRod,
} from './energyAuditRod.ts';
import type { EnergyGain, MomentumGain, StepReport } from './types.ts';

/** Fraction of the largest energy that may be gained without work. */
const TOLERANCE = 0.05;

/** Fraction of the largest momentum, summed over node magnitudes, that a free rod may gain: schemes conserve it to their solver's tolerance. */
const MOMENTUM_TOLERANCE = 1e-3;

/**
 * Kernels and threads move many rods faster than one thread computes their energy. With more than MANY_NODES nodes, only every MANY_INTERVAL-th step
 * is audited, together with those since the last audit.
 */
const MANY_NODES = 2000;
const MANY_INTERVAL = 25;

/** Findings of a step; empty if everything is in balance. */
export type Findings = Pick<StepReport, 'energyGain' | 'momentumGain'>;

/** Findings of a step without any. */
export const inBalance: Findings = {};

export interface Auditor {
  /** Starts a step at t. */
  begin(t: number): void;
  /** Rods have moved to t, in a time dt; call before the engine of bodies acts. Returns the gain of the step, if it is too large. */
  check(t: number, dt: number): Findings;
  /** Something other than a step has changed the state. */
  forget(): void;
}

export function createAuditor(world: WorldParts): Auditor {
  const { scene, rods, options, bundles } = world;
  const isAudited = rods.every(({ moduli }) => moduli === undefined) && scene.solver?.strand?.direct === undefined;
  if (!isAudited) return { begin: () => {}, check: () => inBalance, forget: () => {} };
  const nodes = rods.reduce((sum, { nodeCount }) => sum + nodeCount, 0);
  const isFast = options.models?.some((model) => model.isFast) ?? false;
  const least = Math.max(1, ...bundles.map(({ stepsPerAudit = 1 }) => stepsPerAudit));
  const interval = isFast && nodes > MANY_NODES ? Math.max(MANY_INTERVAL, least) : least;
  const ledger = createLedger(world);
  let isKnown = false;
  let elapsed = 0;
  let steps = 0;
  return {
    begin(t) {
      if (isKnown) return;
      readBack(world);
      isKnown = attempt(() => ledger.note(t)) !== undefined;
      elapsed = 0;
      steps = 0;
    },
    check(t, dt) {
      elapsed += dt;
      steps++;
      if (!isKnown || steps < interval) return inBalance;
      readBack(world);
      const found = attempt(() => ledger.close(t, elapsed));
      elapsed = 0;
      steps = 0;
      // the engine changes the recorded values
      if (world.engine || !found) isKnown = false;
      return found ?? inBalance;
    },
    forget() {
      isKnown = false;
      ledger.clear();
    },
  };
}

/**
 * A load may throw at the end of a step, where the step itself did not evaluate it (a formula that becomes NaN). The next step reports that, and this
 * one is not audited.
 */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (error instanceof SceneError) return undefined;
    throw error;
  }
}

interface Ledger {
  /** Records the current state, at t, as the reference of the next audit. */
  note(t: number): true;
  close(t: number, dt: number): Findings;
  clear(): void;
}

/** True for each rod that nothing pushes but its loads and pins: not contacts, links, bodies, or rods that it grows from or that grow from it. */
function findRodsApart({ contact, bodies, rods }: WorldParts): boolean[] {
  const joined = new Set(rods.flatMap(({ parent }, r) => (parent ? [r, parent.rod] : [])));
  return rods.map((_, r) => !contact && bodies.length === 0 && !joined.has(r));
}

function createLedger(world: WorldParts): Ledger {
  const audited = world.rods.map((rod, r) => createAuditedRod(world, rod, r));
  const loads = world.rods.map((rod) => createLoads(rod));
  const bodies = createAuditedBodies(world);
  const isApart = findRodsApart(world);
  let energy = 0;
  let gained = 0;
  let scale = 0;

  return {
    note(t) {
      energy = measureEnergy(world, t);
      audited.forEach((one, r) => {
        noteRod(one, readLoads(loads[r], world, r, t));
        notePins(one, t);
      });
      scale = Math.max(scale, energy, floorOf(audited));
      bodies.note();
      return true;
    },
    clear() {
      gained = 0;
      scale = 0;
      for (const { free } of audited) {
        free.impulse.fill(0);
        free.doubt = 0;
        free.scale = 0;
      }
    },
    close(t, dt) {
      const work: Work = { done: 0, doubt: 0, isKnown: true };
      let momentumGain: MomentumGain | undefined;
      movePins(audited, world, t);
      for (let r = 0; r < audited.length; r++) {
        const now = readLoads(loads[r], world, r, t);
        workOfRod(work, audited[r], now, dt);
        if (isApart[r] && !momentumGain) momentumGain = findImpulse(audited[r], now, dt);
        noteRod(audited[r], now);
      }
      bodies.addWork(work, t);
      workOfObstacles(work, world, t, dt);
      bodies.note();
      const before = energy;
      energy = measureEnergy(world, t);
      scale = Math.max(scale, energy);
      const step = energy - before - work.done;
      const isKnown = work.isKnown && Number.isFinite(step);
      gained = isKnown ? Math.max(0, gained + step - work.doubt - 1e-9 * scale) : 0;
      const energyGain: EnergyGain | undefined = gained > TOLERANCE * scale ? { gain: gained, scale, step } : undefined;
      if (!energyGain && !momentumGain) return inBalance;
      return { ...(energyGain && { energyGain }), ...(momentumGain && { momentumGain }) };
    },
  };
}

/** Loads on rod r at time t. */
function readLoads(out: Loads, { drives, samples }: WorldParts, r: number, t: number): Loads {
  out.nodeForce.fill(0);
  out.edgeTorque.fill(0);
  out.nodeDrag.fill(0);
  for (const source of drives[r].sources) source.addLoads(out, samples[r], t);
  return out;
}

/** Kinetic and elastic energy of everything [J]. */
function measureEnergy({ bundles, contact }: WorldParts, t: number): number {
  const energies: Energies = { kinetic: 0, bending: 0, twisting: 0, stretching: 0, potential: 0, total: 0 };
  for (const bundle of bundles) bundle.addEnergies(energies, t);
  const { kinetic, bending, twisting, stretching } = energies;
  return kinetic + bending + twisting + stretching + (contact?.energy() ?? 0);
}

/** Bodies that forces move, with their positions at the last audit. */
interface AuditedBodies {
  /** Records the positions. */
  note(): void;
  /** Adds the work of loads since. */
  addWork(work: Work, t: number): void;
}

function createAuditedBodies(world: WorldParts): AuditedBodies {
  const bodies = world.bodies.filter(({ path }) => !path);
  const positions = bodies.map(({ pose }) => pose.position.slice());
  const load = new Float64Array(6);
  return {
    note() {
      for (let b = 0; b < bodies.length; b++) positions[b].set(bodies[b].pose.position);
    },
    addWork(work, t) {
      for (let b = 0; b < bodies.length; b++) {
        bodies[b].body.load(load, t);
        for (let k = 0; k < 3; k++) work.done += load[k] * (bodies[b].pose.position[k] - positions[b][k]);
      }
    },
  };
}

/** Momentum of a free rod that no load explains, if it is too large. */
function findImpulse(one: AuditedRod, loads: Loads, dt: number): MomentumGain | undefined {
  const impulse = addFreeMomentum(one, loads, dt);
  const { scale } = one.free;
  return impulse > MOMENTUM_TOLERANCE * scale + one.momentumFloor ? { rod: one.rod.id, impulse, scale } : undefined;
}

/** Energies below this are noise: one part in 100,000 of the loads' work over the length of a rod. */
function floorOf(audited: readonly AuditedRod[]): number {
  let sum = 0;
  for (const { rod, force } of audited) {
    let load = 0;
    for (let k = 0; k < force.length; k++) load += Math.abs(force[k]);
    sum += 1e-5 * load * rod.length + (1e-9 * (rod.halfEI1[0] + rod.halfEI2[0])) / rod.length;
  }
  return sum;
}

const displacement = new Float64Array(3);
const point = new Float64Array(3);

/** Possible work of obstacles on paths: their forces times the displacements of their surfaces. */
function workOfObstacles(work: Work, { contact, colliders, rods, samples }: WorldParts, t: number, dt: number): void {
  if (!contact || !colliders.some(({ moves, body }) => moves && body < 0)) return;
  const indexOf = new Map(rods.map(({ id }, r) => [id, r]));
  for (const { other, kind, rod, edge, weight, force } of contact.forces(t)) {
    const collider = kind === 'collider' ? colliders.find(({ id }) => id === other) : undefined;
    if (!collider?.moves || collider.body >= 0) continue;
    const { nodePosition: x } = samples[indexOf.get(rod) ?? 0];
    for (let k = 0; k < 3; k++) point[k] = (1 - weight) * x[3 * edge + k] + weight * x[3 * edge + 3 + k];
    collider.measureDisplacement(displacement, point, t, dt);
    const sum = force[0] * displacement[0] + force[1] * displacement[1] + force[2] * displacement[2];
    work.done += sum;
    work.doubt += 0.5 * Math.abs(sum);
  }
}
