/**
 * What must hold for every scene, whatever it is: it is refused with a reason or runs, without a crash and without numbers
 * that are none; reading changes nothing; a saved state goes on bit for bit; kernels and the plain code agree; threads change no bit; the
 * same scene elsewhere or in other units moves in the same way; an equilibrium stays where it is, also in motion; and no energy appears without work.
 */
import { createWorld, type Model, SceneError, SimulationError, type World } from '@tendril-sim/core';
import { loadDer, loadFiber, loadThreadedDer, type ThreadPort } from '@tendril-sim/core/kernels';
import { decodeState, encodeState, InputError, sceneFromObject } from '@tendril-sim/io';
import { type EnergyWatch, isWarning, watchEnergy } from './energy.ts';
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

/** Twins agree to this part of the scene's size after a few steps; contact is solved to a tolerance, and its order depends on the axes. */
const tolerance = { kernels: 1e-4, motion: 1e-7, motionInContact: 1e-5, scaling: 1e-7, statics: 1e-5 };

/** `ports`: other threads; without them, threads are not checked. */
export async function checkScene(scene: SceneJson, ports: readonly ThreadPort[] = []): Promise<Verdict> {
  let outcome: Verdict['outcome'] = 'refused';
  try {
    const plain = run(scene, { energy: true });
    outcome = plain.outcome;
    const finding =
      plain.finding ?? (plain.world && ((await checkTwins(scene, plain, plain.world, ports)) ?? checkRest(scene)));
    const { reason } = plain;
    return { outcome, ...(reason !== undefined && { reason }), ...(finding && { finding }) };
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { outcome, finding: { oracle: 'crash', detail } };
  }
}

/** Other ways to the same end. */
async function checkTwins(
  scene: SceneJson,
  plain: Ran,
  world: World,
  ports: readonly ThreadPort[],
): Promise<Finding | undefined> {
  const reading = run(scene, { read: true });
  if (reading.world?.hash() !== world.hash()) return differ('reading', world, reading.world);
  const resumed = run(scene, { resume: true });
  if (resumed.world?.hash() !== world.hash()) return differ('resume', world, resumed.world);
  const isWarned = plain.outcome === 'warned';
  const models = await kernelsFor(world);
  if (models.length > 0) {
    const other = run(scene, { models });
    const finding = other.finding ?? (other.world && compare('kernels', world, other.world));
    if (finding && !isWarned && !isSensitive(scene, world)) return finding;
    const isDer = other.world?.rods.every(({ model }) => model === 'der');
    if (other.world && isDer && ports.length > 0) {
      const threaded = run(scene, { models: [await loadThreadedDer(ports, { leastParts: 2 })] });
      if (threaded.world?.hash() !== other.world.hash()) return differ('threads', other.world, threaded.world);
    }
  }
  // positions that are reported as wrong need not be the same
  return isWarned ? undefined : (checkMoved(scene, plain, world) ?? checkScaled(scene, world));
}

function checkMoved(scene: SceneJson, plain: Ran, world: World): Finding | undefined {
  const finding = compareMoved(scene, plain);
  if (!finding || isSensitive(scene, world)) return undefined;
  // what is solved to a tolerance agrees better where it is solved more exactly
  for (const exact of [solveTightly(scene), solveExactly(scene)])
    if (!compareMoved(exact, run(exact, {}))) return undefined;
  return finding;
}

/** The scene with Newton's method of strands, whose tolerance is an angle, solved to rounding: long levers and many steps amplify what it leaves. */
function solveTightly(scene: SceneJson): SceneJson {
  const solver = (scene.solver ?? {}) as SceneJson;
  return { ...scene, solver: { ...solver, strand: { ...(solver.strand as SceneJson | undefined), tolerance: 1e-13 } } };
}

function compareMoved(scene: SceneJson, { world, pieces }: Ran): Finding | undefined {
  const moved = moveScene(scene);
  const twin = moved && run(moved, {});
  if (!world || !twin?.world) return undefined;
  const finding = compare('motion', world, twin.world, movePoint);
  // rounding may decide which steps are halved: then the twins differ by a part of the error of such a step
  const isHalvedAlike = pieces === twin.pieces;
  return finding && (isHalvedAlike || distance(world, twin.world, movePoint) > errorOfSteps(scene, world))
    ? finding
    : undefined;
}

/** How far the scene ends from where twice as many steps end [m]. */
function errorOfSteps(scene: SceneJson, world: World): number {
  const time = scene.time as { readonly step: number };
  const finer = run({ ...scene, time: { ...time, step: time.step / 2 } }, {}).world;
  return finer ? distance(world, finer) : Number.POSITIVE_INFINITY;
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

/** The scene in eight times as many steps, with contact solved to rounding as far as that goes. */
function solveExactly(scene: SceneJson): SceneJson {
  const time = scene.time as { readonly step: number };
  const contact = scene.contact as SceneJson | undefined;
  return {
    ...scene,
    ...(contact && { contact: { ...contact, tolerance: 1e-9 } }),
    time: { ...time, step: time.step / 8 },
  };
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
    for (let k = 0; k < 4; k++) if (isWarning(world.step())) return undefined;
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
  /** Compares energies with the work that was done. */
  readonly energy?: boolean;
}

interface Ran extends Verdict {
  /** Absent where it did not come to its end. */
  readonly world?: World;
  /** Into how many pieces each step was cut. */
  readonly pieces?: string;
}

/** Errors with a reason are outcomes; all others are thrown. */
function run(json: SceneJson, { read, resume, models = [], energy = false }: RunOptions): Ran {
  let world: World;
  try {
    world = createWorld(sceneFromObject(json), { models });
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
      world = createWorld(world.scene, { models });
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
