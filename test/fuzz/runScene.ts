/** A scene from its start to its end, or to the reason why it does not get there. */
import { type createWorld, type Model, SceneError, SimulationError, type World } from '@tendril-sim/core';
import { decodeState, encodeState, InputError, sceneFromObject } from '@tendril-sim/io';
import { type EnergyWatch, isWarning, watchEnergy } from './energy.ts';
import type { SceneJson } from './scenes.ts';

/** Builds the world of a scene; the tests of the oracles pass one that breaks its physics. */
export type Open = typeof createWorld;

export interface Finding {
  readonly oracle:
    | 'crash'
    | 'not finite'
    | 'reading'
    | 'resume'
    | 'kernels'
    | 'threads'
    | 'motion'
    | 'scaling'
    | 'statics'
    | 'balance'
    | 'energy'
    | 'hang';
  readonly detail: string;
}

export interface Verdict {
  /** How far the scene came; `warned`: to the end, but its steps reported created energy or contact that is not solved. */
  readonly outcome: 'refused' | 'failed' | 'warned' | 'ran';
  /** Why it was refused or failed. */
  readonly reason?: string;
  readonly finding?: Finding;
}

export interface RunOptions {
  /** Reads everything between steps. */
  readonly read?: boolean;
  /** Goes on in a new world, from a saved state, half-way. */
  readonly resume?: boolean;
  readonly models?: readonly Model[];
  /** Compares energies with the work that was done. */
  readonly energy?: boolean;
}

export interface Ran extends Verdict {
  /** Absent where it did not come to its end. */
  readonly world?: World;
  /** Into how many pieces each step was cut. */
  readonly pieces?: string;
}

/** Runs a scene with the worlds that `open` builds. */
export interface Runner {
  readonly open: Open;
  run(json: SceneJson, options?: RunOptions): Ran;
}

export function createRunner(open: Open): Runner {
  return { open, run: (json, options = {}) => runScene(open, json, options) };
}

/** Errors with a reason are outcomes; all others are thrown. */
function runScene(open: Open, json: SceneJson, options: RunOptions): Ran {
  const { read, resume, models = [], energy = false } = options;
  let world: World;
  try {
    world = open(sceneFromObject(json), { models });
  } catch (error) {
    return refusedBy(error);
  }
  const { time } = world.scene;
  if (!time) return { outcome: 'refused' };
  const steps = Math.min(64, Math.round(time.duration / time.step));
  let outcome: Verdict['outcome'] = 'ran';
  let pieces = '';
  const watch: EnergyWatch | undefined = energy ? watchEnergy(json, world) : undefined;
  for (let k = 0; k < steps; k++) {
    if (read) readAll(world);
    if (resume && k === Math.ceil(steps / 2)) {
      const state = encodeState(world.save(), { scene: world.scene, version: 'fuzz' });
      world = open(sceneFromObject(json), { models });
      world.restore(decodeState(state, 'state', world.scene).state);
    }
    let created: string | undefined;
    try {
      const report = world.step();
      if (isWarning(report)) outcome = 'warned';
      pieces += ` ${report.substeps}`;
      created = watch?.check(report);
    } catch (error) {
      return refusedBy(error);
    }
    const finding = findBroken(world) ?? (created && ({ oracle: 'energy', detail: created } as const));
    if (finding) return { outcome, finding };
  }
  return { outcome, world, pieces };
}

export function refusedBy(error: unknown): Ran {
  if (error instanceof SimulationError) return { outcome: 'failed', reason: error.message };
  if (error instanceof InputError || error instanceof SceneError) return { outcome: 'refused', reason: error.message };
  throw error;
}

function readAll(world: World): void {
  world.energies();
  world.momentum();
  world.reactions();
  world.contactForces();
  world.linkForces();
  world.hash();
  world.save();
  world.rods.forEach((_, k) => {
    for (const channel of ['curvature', 'twist', 'tension'] as const) world.channel(k, channel);
  });
}

function findBroken(world: World): Finding | undefined {
  const bad = world.samples.findIndex(
    ({ nodePosition, nodeVelocity, edgeDirector }) =>
      ![nodePosition, nodeVelocity, edgeDirector].every((values) => values.every(Number.isFinite)),
  );
  if (bad >= 0) return { oracle: 'not finite', detail: `samples of rod '${world.rods[bad].id}' at t = ${world.time}` };
  const energy = Object.entries(world.energies()).find(([, value]) => !Number.isFinite(value));
  return energy && { oracle: 'not finite', detail: `${energy[0]} energy is ${energy[1]} at t = ${world.time}` };
}
