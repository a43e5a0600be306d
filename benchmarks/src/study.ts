/**
 * Long runs that no test has time for: `npm run study -- <name> [size] [seconds] [--threads n] [--settle s] [--damping d] [--above m]`. Shows how far it is, then what it took
 * and what was found. With `seconds` only so much of the motion is run, and the rest is estimated from it. Without `--threads` there is
 * one.
 */
import { freemem } from 'node:os';
import { parseArgs } from 'node:util';
import { createOverlapMeter, hairBallScene, idolScene } from '@tendril-sim/cases';
import { createWorld, type World } from '@tendril-sim/core';
import { loadDer, loadThreadedDer } from '@tendril-sim/core/kernels';
import { type SceneInput, sceneFromObject } from '@tendril-sim/io';
import { startThreads } from '@tendril-sim/io/node';

interface Choices {
  /** Time before the motion begins, where there is any [s]. */
  readonly settle: number;
  /** Rate at which motion dies out, where it can be chosen [1/s]. */
  readonly damping: number;
  /** How far above what it falls on a thing begins, where it falls [m]. */
  readonly above: number;
}

interface Study {
  readonly about: string;
  /** Default size. */
  readonly size: number;
  /** What a unit of size takes at its busiest [MiB], measured: with less than that free it is not begun. */
  readonly memory?: number;
  scene(size: number, choices: Choices): SceneInput;
  /** Without kernels: links have no use for them, and they for much memory. */
  readonly plain?: boolean;
  /** What to say of the state, for people. */
  describe(world: World): string;
}

function largestStrain(world: World): number {
  let strain = 0;
  world.rods.forEach(({ edgeLengthRest, edgeCount }, r) => {
    const x = world.samples[r].nodePosition;
    for (let e = 0; e < edgeCount; e++) {
      const o = 3 * e;
      const length = Math.hypot(x[o + 3] - x[o], x[o + 4] - x[o + 1], x[o + 5] - x[o + 2]);
      strain = Math.max(strain, Math.abs(length / edgeLengthRest[e] - 1));
    }
  });
  return strain;
}

const studies: Readonly<Record<string, Study>> = {
  'hair-ball': {
    about: 'hairs of 50 elements on a ball, the motion of [Michels2015] § 4.3; wanted: 500 in 6 minutes',
    size: 500,
    memory: 0.5,
    // 1 s to settle, shaken along x, rest, along y, rest: 3 s
    scene: (hairs, { settle }) => {
      const scene = hairBallScene(hairs, 50, [0, 1], true, settle, 0.5);
      // hairs that whip past each other come several radii in 1/240 s, and such steps are solved over and over
      return {
        ...scene,
        contact: { ...scene.contact, tolerance: 1e-2, iterations: 150 },
        time: { duration: 2 + settle, ...scene.time, step: 1 / 480 },
      };
    },
    describe: (world) => `largest strain ${largestStrain(world).toExponential(1)}`,
  },
  'woven-fabric': {
    about:
      'cloth of n × n hairs over a statue of triangles, without contact of hairs; above 100 one edge per crossing, velocities to 1 % of what gravity adds in a step; 1250: 17 GB',
    size: 25,
    plain: true,
    // crossings are then 2 mm apart and less, and hair bends over centimetres
    scene: (fibers, { damping, above }) => {
      const scene = idolScene(fibers, damping, 1.5, { edges: fibers > 100 ? 1 : 3, above, selfContact: false });
      return fibers > 100 ? { ...scene, contact: { ...scene.contact, tolerance: 1e-2 } } : scene;
    },
    describe: (world) => {
      const { kinetic } = world.energies();
      return `height ${world.momentum().center[2].toFixed(5)} m, kinetic energy ${kinetic.toExponential(1)} J`;
    },
  },
};

/** How deep rods lie in each other and in obstacles now, of their radii. */
function describeOverlaps(world: World): string {
  const meter = createOverlapMeter(world);
  meter.look();
  const [rods, obstacles] = [meter.rods, meter.obstacles].map((depth) => `${(100 * depth).toFixed(2)} %`);
  const where = meter.deepest > 0 ? `; deepest: ${meter.where}` : '';
  const touch = (world.scene.contact?.between ?? 'pairs') === 'pairs';
  return `at the end rods lie ${touch ? `in each other by ${rods} of their radii, ` : ''}in obstacles by ${obstacles}${touch ? '' : ' of their radii'}${where}`;
}

/** Steps that went amiss so far. */
const amiss = { missed: 0, error: 0, cut: 0 };
const describeAmiss = (): string => {
  const worst = amiss.missed > 0 ? ` (error up to ${amiss.error.toExponential(1)} m/s)` : '';
  return `${amiss.missed} not converged${worst}, ${amiss.cut} cut`;
};

const resident = (): string => `${(process.memoryUsage().rss / 2 ** 30).toFixed(1)} GiB`;

const { values, positionals } = parseArgs({
  options: {
    threads: { type: 'string' },
    settle: { type: 'string', default: '1' },
    damping: { type: 'string', default: '10' },
    above: { type: 'string', default: '0.003' },
  },
  allowPositionals: true,
});
const [name, size, seconds] = positionals;
const threadCount = Number(values.threads ?? 1);
const study = studies[name];
const choices: Choices = {
  settle: Number(values.settle),
  damping: Number(values.damping),
  above: Number(values.above),
};
const numbers = [size ?? 0, seconds ?? 0, ...Object.values(choices)].map(Number);
// the path rounds the corners of the acceleration by 0.05 s
if (
  !study ||
  !numbers.every((value) => value >= 0) ||
  choices.settle < 0.06 ||
  !(threadCount >= 1 && Number.isInteger(threadCount))
) {
  console.error(
    'usage: npm run study -- <name> [size] [seconds of the motion] [--threads n] [--settle seconds, at least 0.06] [--damping 1/s] [--above m]\n',
  );
  for (const [key, { about, size: usual }] of Object.entries(studies)) console.error(`  ${key} [${usual}]  ${about}`);
  process.exit(2);
}
// threads have their share of the rods once more
const needed = (threadCount > 1 ? 1.6 : 1) * (study.memory ?? 0) * Number(size ?? study.size);
if (needed > freemem() / 2 ** 20) {
  const [wanted, free] = [needed / 1024, freemem() / 2 ** 30].map((gigabytes) => gigabytes.toFixed(1));
  console.error(
    `${name} ${size}: takes ${wanted} GiB of memory, and ${free} GiB are free; run fewer, or on a larger machine`,
  );
  process.exit(1);
}
if (needed > 1024) console.log('making the world: a minute for 25,000 hairs');
const built = performance.now();
const scene = sceneFromObject(study.scene(Number(size ?? study.size), choices), name);
const whole = scene.time?.duration ?? 0;
const step = scene.time?.step ?? 1;
const until = Math.min(whole, Number(seconds ?? whole));
const threads = threadCount > 1 ? startThreads(threadCount) : undefined;
const kernels = !study.plain;
const models = threads ? [await loadThreadedDer(threads.ports, { kernels })] : kernels ? [await loadDer()] : [];
const world = createWorld(scene, { models });
const edges = world.rods.reduce((sum, { edgeCount }) => sum + edgeCount, 0);
console.log(
  `${world.rods.length} rods, ${edges} edges, ${Math.round(until / step)} of ${Math.round(whole / step)} steps; ${world.scene.links ? `${world.scene.links.length} links; ` : ''}made in ${((performance.now() - built) / 1000).toFixed(1)} s, ${resident()} of memory`,
);

const begin = performance.now();
let [iterations, contacts, most, substeps, said] = [0, 0, 0, 0, 0];
const steps = Math.round(until / step);
for (let k = 1; k <= steps; k++) {
  const { substeps: pieces } = world.step();
  substeps += pieces;
  if (pieces > 1) amiss.cut++;
  const report = world.contactReport;
  iterations += report?.iterations ?? 0;
  contacts += report?.contacts ?? 0;
  most = Math.max(most, report?.contacts ?? 0);
  if (report && !report.converged) {
    amiss.missed++;
    amiss.error = Math.max(amiss.error, report.error);
  }
  const elapsed = (performance.now() - begin) / 1000;
  if (elapsed - said < (process.stdout.isTTY ? 0.5 : 20) && k < steps) continue;
  said = elapsed;
  const left = (elapsed / k) * (steps - k);
  const line = `${((100 * k) / steps).toFixed(0).padStart(3)} %  t = ${world.time.toFixed(3)} s  ${elapsed.toFixed(0)} s gone, ${left.toFixed(0)} s left  ${report?.contacts ?? 0} contacts, ${report?.iterations ?? 0} iterations; steps ${describeAmiss()}; ${resident()}`;
  process.stdout.write(process.stdout.isTTY ? `\r${line.padEnd(120)}` : `${line}\n`);
}
const total = (performance.now() - begin) / 1000;
if (process.stdout.isTTY) process.stdout.write('\n');
console.log(
  `${total.toFixed(1)} s for ${until} s of motion in ${threadCount === 1 ? 'one thread' : `${threadCount} threads`}: ${((1000 * total) / steps).toFixed(1)} ms per step; ${resident()}`,
);
if (until < whole) console.log(`at that rate ${((total * whole) / until / 60).toFixed(1)} minutes for all ${whole} s`);
console.log(
  `a step: ${(iterations / steps).toFixed(1)} iterations, ${(contacts / steps).toFixed(0)} contacts (${most} at most), ${(substeps / steps).toFixed(2)} sub-steps; of ${steps} steps ${describeAmiss()}`,
);
console.log(study.describe(world));
console.log(describeOverlaps(world));
threads?.close();
