/**
 * Energy audit: after every step, compares the change of kinetic plus elastic energy with the work of loads, pins and moving obstacles.
 *
 * A step may lose energy (damping, friction, the scheme) but not gain energy without work. Loads are known at both ends of a step: their work is the
 * mean of both, and half of the difference is the uncertainty. The work of pins follows from the change of momentum. Unexplained changes add up
 * (energyBalance.ts), and are reported if they matter beside the largest energy so far. For rods without pins and contacts, momentum is audited as well.
 *
 * The audit changes nothing and is not part of the state: after `restore` it starts again. Its limits: docs/step.md#energy-audit.
 */
import type { ContactReport } from '../contact/report.ts';
import { SceneError } from '../errors.ts';
import { square } from '../math/rounded/index.ts';
import { createLoads, type Loads } from '../port.ts';
import type { Scene } from '../scene/types.ts';
import type { AuditedRod, Work } from './auditedRod.ts';
import { readBack, type WorldParts } from './build.ts';
import type { AnimationAudit } from './energyAuditAnimation.ts';
import { createAuditedBodies } from './energyAuditBodies.ts';
import { addFreeMomentum, clearFreeMomentum } from './energyAuditMomentum.ts';
import { createAuditedRod, movePins, notePins, noteRod, workOfRod } from './energyAuditRod.ts';
import { createEnergyBalance } from './energyBalance.ts';
import { measureMotionAndStrain } from './read.ts';
import type { StepSpan } from './spans.ts';
import type { MomentumGain, StepReport } from './types.ts';

/**
 * Rods that rest on something rise and fall by up to this many times the contact tolerance times the distance that their loads would move them in a
 * step: the solver accepts ten times its tolerance from the linear response, and a few steps add up.
 */
const RESTLESS = 30;
const CONTACT_TOLERANCE = 1e-4;

/** Fraction of the largest momentum, summed over node magnitudes, that a free rod may gain: schemes conserve it to their solver's tolerance. */
const MOMENTUM_TOLERANCE = 1e-3;

/**
 * With more than MANY_NODES nodes, several steps are audited together: the audit of every step costs an eighth of it. Kernels and threads move many rods
 * faster than one thread computes their energy.
 */
const MANY_NODES = 2000;
const MANY_INTERVAL = 4;
const MANY_INTERVAL_FAST = 25;

/** Findings of a step; empty if everything is in balance. */
export type Findings = Pick<StepReport, 'energyGain' | 'energyLoss' | 'momentumGain'>;

/** Findings of a step without any. */
export const inBalance: Findings = {};

export interface Auditor {
  /** Starts a step. */
  begin(span: StepSpan): void;
  /** Call after rods have moved to t over a time dt, before the engine of bodies acts. Returns the findings of the step. */
  check(t: number, dt: number): Findings;
  /** Call if anything other than a step has changed the state: the audit starts again. */
  forget(): void;
}

export function createAuditor(world: WorldParts): Auditor {
  const { scene, rods, options, bundles } = world;
  const isDriven = rods.some(({ law }) => law?.type === 'growth');
  const isAudited = !isDriven && scene.solver?.strand?.direct === undefined;
  if (!isAudited) return { begin: () => {}, check: () => inBalance, forget: () => {} };
  const nodes = rods.reduce((sum, { nodeCount }) => sum + nodeCount, 0);
  const isFast = options.models?.some((model) => model.isFast) ?? false;
  const least = Math.max(1, ...bundles.map(({ stepsPerAudit = 1 }) => stepsPerAudit));
  const many = isFast ? MANY_INTERVAL_FAST : MANY_INTERVAL;
  const interval = nodes > MANY_NODES ? Math.max(many, least) : least;
  const ledger = createLedger(world);
  let isKnown = false;
  let elapsed = 0;
  let steps = 0;
  let touched: 'touched' | 'apart' = 'apart';
  return {
    begin({ t, dt, isAfterJump }) {
      // a property that has jumped has changed the energy
      if (isAfterJump && world.isAnimated) isKnown = false;
      if (!isKnown) {
        readBack(world);
        isKnown = ignoreErrors(() => ledger.note(t)) !== undefined;
        elapsed = 0;
        steps = 0;
      }
      if (world.isAnimated && isKnown && steps === 0)
        isKnown = ignoreErrors(() => ledger.lookAhead(t, t + interval * dt)) !== undefined;
    },
    check(t, dt) {
      elapsed += dt;
      steps++;
      ledger.noteContact();
      if (world.contact && isTouching(world.contact.report)) touched = 'touched';
      if (!isKnown || (steps < interval && !isOver(scene, t + 0.5 * dt))) return inBalance;
      readBack(world);
      const found = ignoreErrors(() => ledger.close(t, elapsed, steps, touched));
      elapsed = 0;
      steps = 0;
      touched = 'apart';
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
function ignoreErrors<T>(action: () => T): T | undefined {
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
  /** Only for rods with animated properties: the next audit is expected at `to`. */
  lookAhead(from: number, to: number): true;
  /** Records whether the last step had contacts. */
  noteContact(): void;
  /** Compares the state at t, `steps` steps and a time dt after the last one, with the work since. `touched`: something was in contact in one of them. */
  close(t: number, dt: number, steps: number, touched: 'touched' | 'apart'): Findings;
  clear(): void;
}

/** True for each rod on which only its loads and pins act: no contacts, links, bodies, parent or branches. */
function findRodsApart({ contact, bodies, rods }: WorldParts): boolean[] {
  const joined = new Set(rods.flatMap(({ parent }, r) => (parent ? [r, parent.rod] : [])));
  return rods.map((_, r) => !contact && bodies.length === 0 && !joined.has(r));
}

function auditAnimation(world: WorldParts, audited: readonly AuditedRod[]): AnimationAudit | undefined {
  if (!world.isAnimated) return undefined;
  return world.options.animation?.createAnimationAudit(world, audited, (t) => measureEnergy(world, t));
}

function createLedger(world: WorldParts): Ledger {
  const audited = world.rods.map((rod, r) => createAuditedRod(world, rod, r));
  const loads = world.rods.map((rod) => createLoads(rod));
  const bodies = createAuditedBodies(world);
  const isApart = findRodsApart(world);
  const animation = auditAnimation(world, audited);
  const balance = createEnergyBalance(world);
  let [energy, scale] = [0, 0];
  const isLinked = world.contact !== undefined && world.contact.links.every.rods.length > 0;
  let hasTouched = isLinked;

  return {
    note(t) {
      energy = measureEnergy(world, t);
      audited.forEach((one, r) => {
        noteRod(one, readLoads(loads[r], world, r, t));
        notePins(one, t);
      });
      scale = Math.max(scale, energy, floorOf(audited, world.contact !== undefined));
      bodies.note(t);
      return true;
    },
    noteContact() {
      if (world.contact && isTouching(world.contact.report)) hasTouched = true;
    },
    lookAhead: (from, to) => animation?.begin(from, to, energy) ?? true,
    clear() {
      balance.clear();
      scale = 0;
      hasTouched = isLinked;
      for (const one of audited) clearFreeMomentum(one);
    },
    close(t, dt, steps, touched) {
      const work: Work = { done: 0, doubt: 0, damped: 0, isKnown: true };
      let momentumGain: MomentumGain | undefined;
      let noise = 0;
      const isExpected = animation?.addWork(work, t) ?? true;
      work.isKnown = isExpected;
      movePins(audited, world, t);
      for (let r = 0; r < audited.length; r++) {
        const now = readLoads(loads[r], world, r, t);
        workOfRod(work, audited[r], now, dt);
        if (isExpected && isApart[r] && !momentumGain) momentumGain = findImpulse(audited[r], now, dt);
        noteRod(audited[r], now);
        if (hasTouched) noise += restlessness(audited[r], world, dt / steps);
      }
      bodies.addWork(work, t, dt);
      workOfObstacles(work, world, t, dt);
      bodies.note(t);
      const before = energy;
      energy = measureEnergy(world, t);
      // the parts of a step in which something breaks are short, and their noise is that of the loads of now
      scale = Math.max(scale, energy, world.breakables.length > 0 ? floorOf(audited, world.contact !== undefined) : 0);
      const change = energy - before - work.done;
      work.isKnown &&= Number.isFinite(change);
      const found = balance.add({ ...work, change, touched, scale, noise, isLast: isOver(world.scene, t + 0.5 * dt) });
      return { ...found, ...(momentumGain && { momentumGain }) };
    },
  };
}

/** True after the time that the scene lasts. */
const isOver = ({ time }: Scene, t: number): boolean => time !== undefined && t > time.duration;

const isTouching = ({ contacts, iterations, swept }: ContactReport): boolean => contacts + iterations + swept > 0;

/** Loads on rod r at time t. */
function readLoads(out: Loads, { drives, samples }: WorldParts, r: number, t: number): Loads {
  out.nodeForce.fill(0);
  out.edgeTorque.fill(0);
  out.nodeDrag.fill(0);
  for (const source of drives[r].sources) source.addLoads(out, samples[r], t);
  return out;
}

/** Kinetic and elastic energy of everything [J]. */
function measureEnergy(world: WorldParts, t: number): number {
  const { kinetic, stored } = measureMotionAndStrain(world, t);
  return kinetic + stored;
}

/** Momentum of a free rod that no load explains, if it is too large. */
function findImpulse(one: AuditedRod, loads: Loads, dt: number): MomentumGain | undefined {
  const impulse = addFreeMomentum(one, loads, dt);
  const { scale } = one.free;
  return impulse > MOMENTUM_TOLERANCE * scale + one.momentumFloor ? { rod: one.rod.id, impulse, scale } : undefined;
}

/**
 * Energies below this are noise: one part in 100,000 of the loads' work over the length of a rod. Where rods touch, one in 10,000: the solver's tolerance lets a
 * rod at rest rise and fall by a millionth of its length.
 */
function floorOf(audited: readonly AuditedRod[], touches: boolean): number {
  const share = touches ? 1e-4 : 1e-5;
  let sum = 0;
  for (const { rod, force } of audited) {
    sum += share * sumOfLoads(force) * rod.length + (1e-9 * (rod.halfEI1[0] + rod.halfEI2[0])) / rod.length;
  }
  return sum;
}

/** Energy by which a rod in contact may rise without having gained any [J]. */
function restlessness({ force, mass }: AuditedRod, { scene }: WorldParts, dt: number): number {
  const load = sumOfLoads(force);
  return (RESTLESS * (scene.contact?.tolerance ?? CONTACT_TOLERANCE) * square(load * dt)) / mass;
}

function sumOfLoads(force: Float64Array): number {
  let load = 0;
  for (let k = 0; k < force.length; k++) load += Math.abs(force[k]);
  return load;
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
