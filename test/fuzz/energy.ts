/**
 * Energy from outside: after each step, what a user reads (`energies()`, `reactions()`, positions) must not show more energy than the loads, pins and
 * the scene's start explain. The audit in the core is not asked; it only excuses a gain that it reported.
 *
 * Loads: the potential of gravity and dead forces is computed here from the samples. Pins: reactions times displacements, with the larger of the forces at the two
 * ends of the step. Fields of formulas and pins that move are left out.
 */
import type { StepReport, World } from '@tendril-sim/core';
import type { Json, SceneJson } from './scenes.ts';

/**
 * Fraction of the energy at hand that may appear without work: schemes of second order swing about the true energy. The audit reports from 5 %, and
 * this counts the work of pins differently.
 */
const tolerance = 0.1;

/** The same in the first eight steps from rest, in which the audit, too, reports only gains of most of the energy. */
const startSteps = 8;
const startTolerance = 0.9;

type Triple = readonly [number, number, number];

export interface EnergyWatch {
  /** Call after each step. Returns what is wrong. */
  check(report: StepReport): string | undefined;
}

/** True if the step itself says that it may be wrong. */
export function isWarning({ energyGain, momentumGain, contact, remarks }: StepReport): boolean {
  return (
    energyGain !== undefined || momentumGain !== undefined || contact?.converged === false || remarks !== undefined
  );
}

/** Undefined where the work cannot be told from outside. */
export function watchEnergy(json: SceneJson, world: World): EnergyWatch | undefined {
  if (!isJudged(json)) return undefined;
  let before = measure(json, world);
  let scale = before.own;
  let gained = 0;
  let steps = 0;
  // their energy swings from step to step, and the audit reports every fourth
  const every = /"(shake|fast-projection)"/.test(JSON.stringify(json.solver ?? {})) ? 4 : 1;
  return {
    check(report) {
      if (++steps % every !== 0) return undefined;
      const now = measure(json, world);
      const work = workOfPins(before, now);
      scale = Math.max(scale, now.own, Math.abs(now.own + now.potential - before.own - before.potential));
      gained = Math.max(0, gained + now.own + now.potential - before.own - before.potential - work);
      before = now;
      // pushing out what overlapped at the start does work
      if (
        isWarning(report) ||
        (report.contact?.overlap ?? 0) > 0.05 * Math.min(...world.rods.map(({ edgeRadius }) => edgeRadius[0]))
      )
        gained = 0;
      const isStart = steps <= startSteps && world.time + 0.5 * report.dt < (world.scene.time?.duration ?? 0);
      if (gained <= (isStart ? startTolerance : tolerance) * scale + floorOf(world)) return undefined;
      return `${gained.toExponential(2)} J appear by t = ${world.time}, of ${scale.toExponential(2)} J; ${JSON.stringify(report.contact ?? {})}`;
    },
  };
}

/** Whether the scene has only such loads, pins and obstacles as this file can compute the work of. */
export function isJudged(json: SceneJson): boolean {
  const known = ['tendril', 'title', 'gravity', 'rods', 'pins', 'loads', 'colliders', 'contact', 'time', 'solver'];
  if (!Object.keys(json).every((key) => known.includes(key))) return false;
  if (json.gravity !== undefined && !isTriple(json.gravity)) return false;
  const isForce = (load: Json): boolean => {
    const { type, at, force, rod: _, ...others } = load as SceneJson;
    return type === 'force' && (at === 'start' || at === 'end') && isTriple(force) && Object.keys(others).length === 0;
  };
  const isPlain = (one: Json): boolean =>
    (one as SceneJson).type === 'plane' && (one as SceneJson).restitution === undefined;
  // properties that change do work of their own
  if (/"(animate|parent)":/.test(JSON.stringify(json.rods ?? []))) return false;
  // reactions in the first steps of a pin that moves are not those that do its work, nor are those at the end of a step in which it lets go
  const moves = /"(path|release)":/.test(JSON.stringify(json.pins ?? []));
  return !moves && listOf(json.loads).every(isForce) && listOf(json.colliders).every(isPlain);
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const isTriple = (value: Json | undefined): value is Triple =>
  Array.isArray(value) && value.length === 3 && value.every((one) => typeof one === 'number');

interface Reading {
  /** Kinetic and elastic energy [J]. */
  readonly own: number;
  /** Of gravity and dead forces [J]. */
  readonly potential: number;
  /** Pins: where they hold and with what force. */
  readonly pins: readonly { readonly at: Triple; readonly force: Triple }[];
}

function measure(json: SceneJson, world: World): Reading {
  const { kinetic, bending, twisting, stretching } = world.energies();
  const pins = world.reactions().map(({ rod, node, force }) => {
    const x = world.samples[world.rods.findIndex(({ id }) => id === rod)].nodePosition;
    return {
      at: [x[3 * node], x[3 * node + 1], x[3 * node + 2]] as const,
      force: [force[0], force[1], force[2]] as const,
    };
  });
  return { own: kinetic + bending + twisting + stretching, potential: potentialOf(json, world), pins };
}

/** Potential of gravity and dead forces [J]. */
export function potentialOf(json: SceneJson, world: World): number {
  const g = isTriple(json.gravity) ? json.gravity : [0, 0, 0];
  let sum = 0;
  world.rods.forEach(({ nodeMass }, r) => {
    const x = world.samples[r].nodePosition;
    nodeMass.forEach((m, i) => {
      for (let k = 0; k < 3; k++) sum -= m * g[k] * x[3 * i + k];
    });
  });
  for (const load of listOf(json.loads) as readonly SceneJson[]) {
    const r = world.rods.findIndex(({ id }) => id === load.rod);
    const x = world.samples[r].nodePosition;
    const o = load.at === 'start' || world.rods[r].closed ? 0 : x.length - 3;
    (load.force as Triple).forEach((f, k) => {
      sum -= f * x[o + k];
    });
  }
  return sum;
}

/** The most that pins can have done: with the force at the start or at the end of the step, whichever gave more. */
function workOfPins(before: Reading, now: Reading): number {
  let sum = 0;
  now.pins.forEach(({ at, force }, p) => {
    const old = before.pins[p];
    if (!old) return;
    let [first, last] = [0, 0];
    for (let k = 0; k < 3; k++) {
      first += old.force[k] * (at[k] - old.at[k]);
      last += force[k] * (at[k] - old.at[k]);
    }
    sum += Math.max(first, last);
  });
  return sum;
}

/** Energy below this is rounding: a part in 1e9 of the energy of a rod bent to a circle. */
function floorOf({ rods }: World): number {
  return rods.reduce((sum, { halfEI1, halfEI2, length }) => sum + (40e-9 * (halfEI1[0] + halfEI2[0])) / length, 0);
}
