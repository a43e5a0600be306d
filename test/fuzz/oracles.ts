/**
 * What must hold for every scene, whatever it is: it is refused with a reason or runs, without a crash and without numbers
 * that are none; reading changes nothing; a saved state goes on bit for bit; kernels and the plain code agree; threads change no bit; the
 * same scene elsewhere or in other units moves in the same way; an equilibrium stays where it is, also in motion; and no energy appears without work.
 */
import { createWorld, type Model, type World } from '@tendril-sim/core';
import { loadDer, loadFiber, loadThreadedDer, type ThreadPort } from '@tendril-sim/core/kernels';
import { sceneFromObject } from '@tendril-sim/io';
import { isWarning } from './energy.ts';
import { findImbalance } from './equilibrium.ts';
import { movePoint, moveScene } from './motion.ts';
import { createRunner, type Finding, type Open, type Ran, type Runner, refusedBy, type Verdict } from './runScene.ts';
import { scaleScene, units } from './scaling.ts';
import type { SceneJson } from './scenes.ts';

/** Twins agree to this part of the scene's size after a few steps; contact and projections are solved to a tolerance. */
const tolerance = { kernels: 1e-4, motion: 1e-7, motionBySolver: 1e-5, scaling: 1e-7, statics: 1e-5 };

export interface CheckOptions {
  /** Other threads; without them, threads are not checked. */
  readonly ports?: readonly ThreadPort[];
  /** Builds worlds in place of the core. */
  readonly open?: Open;
}

/** What the oracles say of a scene. */
export async function checkScene(
  scene: SceneJson,
  { ports = [], open = createWorld }: CheckOptions = {},
): Promise<Verdict> {
  const runner = createRunner(open);
  let outcome: Verdict['outcome'] = 'refused';
  try {
    const plain = runner.run(scene, { energy: true });
    outcome = plain.outcome;
    const finding =
      plain.finding ?? (plain.world && ((await checkTwins(runner, scene, plain, ports)) ?? checkRest(runner, scene)));
    const { reason } = plain;
    return { outcome, ...(reason !== undefined && { reason }), ...(finding && { finding }) };
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { outcome, finding: { oracle: 'crash', detail } };
  }
}

/** Other ways to the same end. */
async function checkTwins(
  runner: Runner,
  scene: SceneJson,
  plain: Ran,
  ports: readonly ThreadPort[],
): Promise<Finding | undefined> {
  const { run } = runner;
  const { world } = plain;
  if (!world) return undefined;
  const reading = run(scene, { read: true });
  if (reading.world?.hash() !== world.hash()) return differ('reading', world, reading.world);
  const resumed = run(scene, { resume: true });
  if (resumed.world?.hash() !== world.hash()) return differ('resume', world, resumed.world);
  const isWarned = plain.outcome === 'warned';
  const models = await kernelsFor(world);
  if (models.length > 0) {
    const other = run(scene, { models });
    const finding = other.finding ?? (other.world && compare('kernels', world, other.world));
    if (finding && !isWarned && !isSensitive(runner, scene, world)) return finding;
    const isDer = other.world?.rods.every(({ model }) => model === 'der');
    if (other.world && isDer && ports.length > 0) {
      const threaded = run(scene, { models: [await loadThreadedDer(ports, { leastParts: 2 })] });
      if (threaded.world?.hash() !== other.world.hash()) return differ('threads', other.world, threaded.world);
    }
  }
  // positions that are reported as wrong need not be the same
  return isWarned ? undefined : (checkMoved(runner, scene, plain) ?? checkScaled(runner, scene, plain));
}

function checkMoved(runner: Runner, scene: SceneJson, plain: Ran): Finding | undefined {
  const { world } = plain;
  const finding = compareMoved(runner, scene, plain);
  if (!finding || !world || isSensitive(runner, scene, world)) return undefined;
  // what is solved to a tolerance agrees better where it is solved more exactly
  for (const exact of [solveTightly(scene), solveExactly(scene)])
    if (!compareMoved(runner, exact, runner.run(exact))) return undefined;
  const twin = runner.run(moveScene(scene) as SceneJson).world;
  if (
    twin &&
    distance(world, twin, movePoint) <= errorOfSteps(runner, scene, world) &&
    agreesInTightContact(runner, scene, compareMoved)
  )
    return undefined;
  return finding;
}

/** Whether twins agree if contact is solved to rounding, at the same steps: then what differs is the tolerance of contact. */
function agreesInTightContact(
  runner: Runner,
  scene: SceneJson,
  compareTwin: (runner: Runner, scene: SceneJson, ran: Ran) => Finding | undefined,
): boolean {
  if (scene.contact === undefined && scene.links === undefined && scene.colliders === undefined) return false;
  const contact = (scene.contact ?? { between: 'none' }) as SceneJson;
  const tight = { ...scene, contact: { ...contact, tolerance: 1e-9 } };
  return !compareTwin(runner, tight, runner.run(tight));
}

/** The scene with Newton's method of strands, whose tolerance is an angle, solved to rounding: long levers and many steps amplify what it leaves. */
function solveTightly(scene: SceneJson): SceneJson {
  const solver = (scene.solver ?? {}) as SceneJson;
  return { ...scene, solver: { ...solver, strand: { ...(solver.strand as SceneJson | undefined), tolerance: 1e-13 } } };
}

function compareMoved(runner: Runner, scene: SceneJson, { world, pieces }: Ran): Finding | undefined {
  const moved = moveScene(scene);
  const twin = moved && runner.run(moved);
  if (!world || !twin?.world) return undefined;
  const finding = compare('motion', world, twin.world, movePoint);
  // rounding may decide which steps are halved: then the twins differ by a part of the error of such a step
  const isHalvedAlike = pieces === twin.pieces;
  return finding && (isHalvedAlike || distance(world, twin.world, movePoint) > errorOfSteps(runner, scene, world))
    ? finding
    : undefined;
}

/** How far the scene ends from where twice as many steps end [m]. */
function errorOfSteps({ run }: Runner, scene: SceneJson, world: World): number {
  const time = scene.time as { readonly step: number };
  const finer = run({ ...scene, time: { ...time, step: time.step / 2 } }).world;
  return finer ? distance(world, finer) : Number.POSITIVE_INFINITY;
}

function checkScaled(runner: Runner, scene: SceneJson, plain: Ran): Finding | undefined {
  const { world } = plain;
  const finding = compareScaled(runner, scene, plain);
  if (!finding || !world || isSensitive(runner, scene, world)) return undefined;
  const twin = runner.run(scaleScene(scene) as SceneJson).world;
  // rounding differs where a number has a unit, and may decide on the last iterations of contact
  if (
    twin &&
    distance(world, twin, scalePoint) <= errorOfSteps(runner, scene, world) &&
    agreesInTightContact(runner, scene, compareScaled)
  )
    return undefined;
  return finding;
}

const scalePoint: Move = (point) => point.map((value) => units.length * value) as unknown as typeof point;

function compareScaled(runner: Runner, scene: SceneJson, { world }: Ran): Finding | undefined {
  const scaled = scaleScene(scene);
  if (!scaled || !world) return undefined;
  const { world: twin, reason } = runner.run(scaled);
  return twin
    ? compare('scaling', world, twin, scalePoint)
    : { oracle: 'scaling', detail: `only the scaled scene ends early: ${reason}` };
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

/** False also for scenes whose equilibria are refused. */
function findsRest(world: World): boolean {
  try {
    return world.equilibrate(0).every(({ converged, stable }) => converged && stable);
  } catch (error) {
    refusedBy(error);
    return false;
  }
}

/** An equilibrium that was found does not move when time goes on. Not with what statics leaves out or what changes in time. */
function checkRest({ open }: Runner, scene: SceneJson): Finding | undefined {
  if (scene.fields !== undefined || scene.colliders !== undefined || scene.contact !== undefined) return undefined;
  // loads are explicit in semi-implicit steps, which makes strong ones unstable; explicit schemes of der do not stretch, and equilibria do
  if (/"path"|"semi-implicit"|"shake"|"fast-projection"/.test(JSON.stringify([scene.pins ?? [], scene.solver ?? {}])))
    return undefined;
  // what changes in time leaves the equilibrium
  if (/"(formula|release|law)":/.test(JSON.stringify(scene))) return undefined;
  const world = open(sceneFromObject(scene));
  if (!findsRest(world)) return undefined;
  const imbalance = findImbalance(scene, world, open);
  if (imbalance) return { oracle: 'balance', detail: imbalance };
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
function isSensitive({ run }: Runner, scene: SceneJson, world: World): boolean {
  const text = JSON.stringify(scene).replace(
    /"(density)":([\d.e+-]+)/g,
    (_, key, value) => `"${key}":${value * (1 + 1e-9)}`,
  );
  const other = run(JSON.parse(text) as SceneJson).world;
  return other === undefined || distance(world, other) > 1e-6 * sizeOf(world);
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

/** True for schemes that restore the lengths of edges by iterations. */
const isProjected = ({ scene }: World): boolean => /shake|fast-projection/.test(scene.solver?.der?.integrator ?? '');

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
  const isSolved = world.contactReport !== undefined || isProjected(world);
  if (worst <= tolerance[oracle === 'motion' && isSolved ? 'motionBySolver' : oracle] * size) return undefined;
  return { oracle, detail: `positions differ by ${worst.toExponential(2)} m on rods of ${size} m` };
}
