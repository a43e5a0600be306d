/**
 * What must hold for every scene, whatever it is: it is refused with a reason or runs, without a crash and without numbers
 * that are none; reading changes nothing; a saved state goes on bit for bit; kernels and the plain code agree; threads change no bit; the
 * same scene elsewhere or in other units moves in the same way; and an equilibrium stays where it is, also in motion.
 */
import { createWorld, type Model, SceneError, SimulationError, type World } from '@tendril-sim/core';
import { loadDer, loadFiber, loadThreadedDer, type ThreadPort } from '@tendril-sim/core/kernels';
import { decodeState, encodeState, InputError, sceneFromObject } from '@tendril-sim/io';
import { movePoint, moveScene } from './motion.ts';
import { scaleScene, units } from './scaling.ts';
import type { SceneJson } from './scenes.ts';

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
    | 'hang';
  readonly detail: string;
}

export interface Verdict {
  /** How far the scene came. */
  readonly outcome: 'refused' | 'failed' | 'ran';
  /** Why it was refused or failed. */
  readonly reason?: string;
  readonly finding?: Finding;
}

/** Twins agree to this part of the scene's size after a few steps; contact is solved to a tolerance, and its order depends on the axes. */
const tolerance = { kernels: 1e-4, motion: 1e-7, motionInContact: 1e-5, scaling: 1e-7, statics: 1e-5 };

/** `ports`: other threads; without them, threads are not checked. */
export async function checkScene(scene: SceneJson, ports: readonly ThreadPort[] = []): Promise<Verdict> {
  let outcome: Verdict['outcome'] = 'refused';
  try {
    const plain = run(scene, {});
    outcome = plain.outcome;
    const finding =
      plain.finding ?? (plain.world && ((await checkTwins(scene, plain.world, ports)) ?? checkRest(scene)));
    const { reason } = plain;
    return { outcome, ...(reason !== undefined && { reason }), ...(finding && { finding }) };
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { outcome, finding: { oracle: 'crash', detail } };
  }
}

/** Other ways to the same end. */
async function checkTwins(scene: SceneJson, world: World, ports: readonly ThreadPort[]): Promise<Finding | undefined> {
  const reading = run(scene, { read: true });
  if (reading.world?.hash() !== world.hash()) return differ('reading', world, reading.world);
  const resumed = run(scene, { resume: true });
  if (resumed.world?.hash() !== world.hash()) return differ('resume', world, resumed.world);
  const models = await kernelsFor(world);
  if (models.length > 0) {
    const other = run(scene, { models });
    const finding = other.finding ?? (other.world && compare('kernels', world, other.world));
    if (finding && !isSensitive(scene, world)) return finding;
    const isDer = other.world?.rods.every(({ model }) => model === 'der');
    if (other.world && isDer && ports.length > 0) {
      const threaded = run(scene, { models: [await loadThreadedDer(ports, { leastParts: 2 })] });
      if (threaded.world?.hash() !== other.world.hash()) return differ('threads', other.world, threaded.world);
    }
  }
  return checkMoved(scene, world) ?? checkScaled(scene, world);
}

function checkMoved(scene: SceneJson, world: World): Finding | undefined {
  const moved = moveScene(scene);
  const twin = moved && run(moved, {}).world;
  const finding = twin && compare('motion', world, twin, movePoint);
  return finding && !isSensitive(scene, world) ? finding : undefined;
}

function checkScaled(scene: SceneJson, world: World): Finding | undefined {
  const scaled = scaleScene(scene);
  if (!scaled) return undefined;
  const { world: twin, reason } = run(scaled, {});
  const finding = twin
    ? compare('scaling', world, twin, (point) => point.map((value) => units.length * value) as unknown as typeof point)
    : ({ oracle: 'scaling', detail: `only the scaled scene ends early: ${reason}` } as const);
  return finding && !isSensitive(scene, world) ? finding : undefined;
}

/** An equilibrium that was found does not move when time goes on. Not with what statics leaves out or what changes in time. */
function checkRest(scene: SceneJson): Finding | undefined {
  if (scene.fields !== undefined || scene.colliders !== undefined || scene.contact !== undefined) return undefined;
  // loads are explicit in semi-implicit steps, which makes strong ones unstable; explicit schemes of der do not stretch, and equilibria do
  if (/"path"|"semi-implicit"|"shake"|"fast-projection"/.test(JSON.stringify([scene.pins ?? [], scene.solver ?? {}])))
    return undefined;
  const world = createWorld(sceneFromObject(scene));
  if (world.equilibrate(0).some(({ converged, stable }) => !converged || !stable)) return undefined;
  const { samples, rods } = world;
  const before = samples.map(({ nodePosition }) => nodePosition.slice());
  try {
    for (let k = 0; k < 4; k++) world.step();
  } catch (error) {
    return { oracle: 'statics', detail: `a step from an equilibrium fails: ${refusedBy(error).reason}` };
  }
  for (const [r, { length }] of rods.entries()) {
    const { nodePosition } = world.samples[r];
    const worst = Math.max(...nodePosition.map((x, k) => Math.abs(x - before[r][k])));
    if (!(worst <= tolerance.statics * length))
      return {
        oracle: 'statics',
        detail: `rod ${r} of ${length} m moves by ${worst.toExponential(2)} m from its equilibrium`,
      };
  }
  return undefined;
}

/** Whether rounding alone would take the scene elsewhere, as a rod that buckles: then nothing can be said. */
function isSensitive(scene: SceneJson, world: World): boolean {
  const text = JSON.stringify(scene).replace(
    /"(density)":([^,}]+)/g,
    (_, key, value) => `"${key}":${value * (1 + 1e-9)}`,
  );
  const other = run(JSON.parse(text) as SceneJson, {}).world;
  return other === undefined || distance(world, other) > 1e-6 * sizeOf(world);
}

interface RunOptions {
  /** Reads everything between steps. */
  readonly read?: boolean;
  /** Goes on in a new world, from a saved state, half-way. */
  readonly resume?: boolean;
  readonly models?: readonly Model[];
}

interface Ran extends Verdict {
  /** Absent where it did not come to its end. */
  readonly world?: World;
}

/** Errors with a reason are outcomes; all others are thrown. */
function run(json: SceneJson, { read, resume, models = [] }: RunOptions): Ran {
  let world: World;
  try {
    world = createWorld(sceneFromObject(json), { models });
  } catch (error) {
    return refusedBy(error);
  }
  const { time } = world.scene;
  if (!time) return { outcome: 'refused' };
  const steps = Math.min(8, Math.round(time.duration / time.step));
  for (let k = 0; k < steps; k++) {
    if (read) readAll(world);
    if (resume && k === Math.ceil(steps / 2)) {
      const state = encodeState(world.save(), { scene: world.scene, version: 'fuzz' });
      world = createWorld(world.scene, { models });
      world.restore(decodeState(state, 'state', world.scene).state);
    }
    try {
      world.step();
    } catch (error) {
      return refusedBy(error);
    }
    const finding = findBroken(world);
    if (finding) return { outcome: 'ran', finding };
  }
  return { outcome: 'ran', world };
}

function refusedBy(error: unknown): Ran {
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

async function kernelsFor({ rods }: World): Promise<Model[]> {
  const has = (model: string, count: number): boolean => rods.filter((rod) => rod.model === model).length >= count;
  return [...(has('der', 2) ? [await loadDer()] : []), ...(has('fiber', 1) ? [await loadFiber()] : [])];
}

function differ(oracle: 'reading' | 'resume' | 'threads', world: World, other: World | undefined): Finding {
  return { oracle, detail: `hash ${world.hash()} becomes ${other?.hash() ?? 'an early end'}` };
}

type Move = (point: readonly [number, number, number]) => readonly [number, number, number];

const sizeOf = (world: World): number => Math.max(...world.rods.map(({ length }) => length));

/** Largest distance of nodes in one world from those in the other, where `move` takes them; NaN where there is none [m]. */
function distance(world: World, other: World, move: Move = (point) => point): number {
  let worst = 0;
  world.samples.forEach(({ nodePosition: a }, rod) => {
    const b = other.samples[rod].nodePosition;
    for (let i = 0; i < a.length; i += 3) {
      const p = move([a[i], a[i + 1], a[i + 2]]);
      worst = Math.max(worst, Math.hypot(p[0] - b[i], p[1] - b[i + 1], p[2] - b[i + 2]));
    }
  });
  return worst;
}

function compare(
  oracle: 'kernels' | 'motion' | 'scaling',
  world: World,
  other: World,
  move?: Move,
): Finding | undefined {
  const worst = distance(world, other, move);
  const size = sizeOf(world);
  // not written as `worst > …`, so that NaN counts as different
  const touches = oracle === 'motion' && world.contactReport !== undefined;
  if (worst <= tolerance[touches ? 'motionInContact' : oracle] * size) return undefined;
  return { oracle, detail: `positions differ by ${worst.toExponential(2)} m on rods of ${size} m` };
}
