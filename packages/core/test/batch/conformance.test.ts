/**
 * The generated WGSL, on Chromium's software GPU, against the same sweeps in double precision, stage by stage. A browser without
 * WebGPU fails these tests; nothing is skipped.
 */
import { build } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from '../../../studio/test/browser.ts';
import { add, type Quaternion, subtract, type Vector } from '../../src/batch/algebra.ts';
import { findContacts } from '../../src/batch/contactSearch.ts';
import { pressedStage } from '../../src/batch/contactSweeps.ts';
import { meetStrands, stepCoupled } from '../../src/batch/coupled.ts';
import { compose, conjugate, exponential, rotate, tangentOf } from '../../src/batch/formulas.ts';
import { describeStrand as describeBatch, describeRod } from '../../src/batch/gpu/describe.ts';
import type { GpuBatchOptions, HeadPose } from '../../src/batch/gpu/headBatch.ts';
import type { StrandDescription } from '../../src/batch/gpu/pack.ts';
import type { Stage } from '../../src/batch/layout.ts';
import {
  boxObstacle,
  fieldObstacle,
  meetObstacles,
  planeObstacle,
  solveContacts,
  sphereObstacle,
} from '../../src/batch/merged.ts';
import { addMissedContacts, changeToEuler } from '../../src/batch/missedSweep.ts';
import type { Obstacle } from '../../src/batch/obstacles.ts';
import { visitFrames } from '../../src/batch/pose.ts';
import { type BatchRod, createBatchRod, stateSizes } from '../../src/batch/rod.ts';
import { bdf2Stage, eulerStage, TR_PART, trBdf2Stages } from '../../src/batch/schemes.ts';
import { adoptState } from '../../src/batch/step.ts';
import { beginStage, finishStep, iterateStage } from '../../src/batch/sweeps.ts';
import { tabulateShape } from '../../src/contact/shapes/distanceTable.ts';
import { createTorus } from '../../src/contact/shapes/shape.ts';
import { compileScene, createWorld, type RodSpec } from '../../src/index.ts';
import type { PageResult, PageRun } from './page.ts';
import { DT, material, sceneOf } from './scenes.ts';

const GRAVITY: Vector = [0, 0, -9.81];
const NODES = 10;
const ITERATIONS = 4;
const LENGTH = 0.3;
const curly: Partial<RodSpec> = {
  shape: { type: 'helix', radius: 0.012, pitch: 0.04, turns: 3 },
  edges: NODES - 1,
  natural: 'initial',
  section: { type: 'circle', radius: 60e-6 },
};
const straight: Partial<RodSpec> = {
  shape: { type: 'straight', from: [0.02, 0.05, 0.01], to: [0.02 + LENGTH, 0.05, 0.01] },
  edges: NODES - 1,
  natural: { curvature: [3, 2, 1] },
  section: { type: 'circle', radius: 60e-6 },
};
const tapered: Partial<RodSpec> = {
  ...straight,
  section: { type: 'ellipse', a: 60e-6, b: { formula: '60e-6 * (1 - 0.5 * u)' } },
};

let browser: Browser;
let page: Page;

beforeAll(async () => {
  const bundle = await build({
    entryPoints: ['packages/core/test/batch/page.ts'],
    bundle: true,
    write: false,
    format: 'iife',
    logLevel: 'error',
  });
  browser = await chromium.launch({
    executablePath: findChromium(),
    timeout: 120_000,
    args: ['--no-sandbox', '--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'],
  });
  page = await browser.newPage();
  page.setDefaultTimeout(240_000);
  // WebGPU needs a secure context
  await page.route('https://tendril.test/', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
  );
  await page.goto('https://tendril.test/');
  await page.addScriptTag({ content: bundle.outputFiles[0].text });
});

afterAll(() => browser?.close());

function runOnPage(run: PageRun): Promise<PageResult> {
  return page.evaluate((argument) => {
    const { runBatch } = globalThis as unknown as { runBatch(one: PageRun): Promise<PageResult> };
    return runBatch(argument);
  }, run);
}

/** Strands as plain arrays, since typed arrays do not pass to the page. */
function describeStrand(rod: Partial<RodSpec>): StrandDescription {
  const { rods, drives } = compileScene(sceneOf({}, rod));
  const one = describeRod(rods[0], drives[0], { rod: 0, pin: 0 });
  const plain = (list: ArrayLike<number>): number[] => Array.from(list);
  return {
    frame: one.frame,
    place: one.place,
    edgeLength: plain(one.edgeLength),
    nodeMass: plain(one.nodeMass),
    jointStiffness: plain(one.jointStiffness),
    jointStrainRest: plain(one.jointStrainRest),
    relative: plain(one.relative),
  };
}

/** The head turns and moves. */
const headAt = (t: number): HeadPose => ({
  rotation: exponential([0, 0, 2 * t]),
  position: [0.1 * t, 0, 0.05 * Math.sin(9 * t)],
});

/** The same strand in double precision, driven as the GPU driver does. */
class Reference {
  readonly batch: BatchRod;
  private readonly frame: Quaternion;
  private readonly place: Vector;
  private head = headAt(0);

  constructor(rod: Partial<RodSpec>, force: Vector) {
    const { rods, drives } = compileScene(sceneOf({}, rod));
    const sizes = stateSizes(rods[0]);
    const [q, v, memory] = [sizes.q, sizes.v, sizes.memory].map((size) => new Float64Array(size));
    this.batch = createBatchRod(rods[0], drives[0], { q, v, memory });
    const { frame, origin, strand } = this.batch;
    this.frame = [frame[0], frame[1], frame[2], frame[3]];
    this.place = [origin[0], origin[1], origin[2]];
    strand.nodeMass.forEach((mass, i) => {
      strand.nodeForce.set(
        GRAVITY.map((g, k) => mass * g + force[k]),
        3 * i,
      );
    });
  }

  stage(stage: Stage, now: HeadPose, last: HeadPose, finishes: boolean): Quaternion {
    const { strand } = this.batch;
    const root = (pose: HeadPose): Vector => {
      const x = rotate(pose.rotation, this.place);
      return [x[0] + pose.position[0], x[1] + pose.position[1], x[2] + pose.position[2]];
    };
    const [from, to] = [root(this.head), root(now)];
    strand.root.frame = compose(now.rotation, this.frame);
    strand.root.frameBefore = compose(last.rotation, this.frame);
    strand.root.displacement = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
    let tip = beginStage(strand, stage);
    for (let k = 0; k < ITERATIONS; k++) tip = iterateStage(strand, stage, tip).tip;
    if (!finishes) return tip;
    finishStep(strand, stage);
    this.head = now;
    return tip;
  }

  /** With obstacles: as the program does, in the order in which it does it. */
  contactStep(stage: Stage, now: HeadPose, last: HeadPose, obstacles: readonly Obstacle[]): boolean {
    const { strand } = this.batch;
    const { merged } = strand;
    if (!merged) throw new Error('no obstacles');
    merged.obstacles = obstacles;
    const x = rotate(last.rotation, this.place);
    merged.origin = [x[0] + last.position[0], x[1] + last.position[1], x[2] + last.position[2]];
    strand.root.frameBefore = compose(last.rotation, this.frame);
    strand.root.kind = 'clamped';
    const pressed = pressedStage(DT);
    const isFree = !findContacts(strand, DT).presses;
    let tip: Quaternion;
    if (isFree) {
      strand.merged = undefined;
      tip = this.stage(stage, now, last, false);
      strand.merged = merged;
    } else {
      const y = rotate(now.rotation, this.place);
      strand.root.frame = compose(now.rotation, this.frame);
      strand.root.displacement = subtract(add(y, now.position), merged.origin);
      tip = beginStage(strand, pressed);
    }
    this.head = now;
    if (isFree && !addMissedContacts(strand, true)) {
      finishStep(strand, stage);
      return false;
    }
    if (isFree) changeToEuler(strand, DT);
    solveContacts(strand, pressed, tip, ITERATIONS);
    finishStep(strand, pressed);
    return true;
  }

  positions(): number[] {
    const { batch, head, place } = this;
    const x = rotate(head.rotation, place).map((one, k) => one + head.position[k]);
    visitFrames(batch, (j, q) => {
      const t = tangentOf(q);
      for (let k = 0; k < 3; k++) x.push(x[3 * j + k] + batch.rod.edgeLengthRest[j] * t[k]);
    });
    return x;
  }
}

type Scheme = 'implicit-euler' | 'bdf2' | 'tr-bdf2';

interface Variant {
  readonly name: string;
  readonly rods: readonly Partial<RodSpec>[];
  readonly scheme: Scheme;
  readonly options: Partial<GpuBatchOptions>;
  readonly force?: Vector;
}

const damping = { mass: 2, stiffness: 0.004 };
const variants: readonly Variant[] = [
  { name: 'implicit Euler', rods: [straight, curly], scheme: 'implicit-euler', options: { gains: 'f32' } },
  { name: 'BDF2, gains in half precision', rods: [straight, curly], scheme: 'bdf2', options: { gains: 'f16' } },
  { name: 'TR-BDF2', rods: [straight, curly], scheme: 'tr-bdf2', options: { gains: 'f32' } },
  {
    name: 'taper, ellipse and forces',
    rods: [tapered, curly],
    scheme: 'bdf2',
    options: { gains: 'f32', forces: true },
    force: [1e-7, -2e-7, 1e-7],
  },
  {
    name: 'damping',
    rods: [straight, curly].map((rod) => ({ ...rod, material: { ...material, damping } })),
    scheme: 'tr-bdf2',
    options: { gains: 'f16', massDamping: damping.mass, stiffnessDamping: damping.stiffness },
  },
];

describe('WGSL step by step', () => {
  const steps = 12;
  test.each(variants)('$name', async ({ rods, scheme, options, force = [0, 0, 0] }) => {
    // as many strands as make a second, partly filled block
    const strands = Array.from({ length: 37 }, (_, s) => describeStrand(rods[s % rods.length]));
    const poses = Array.from({ length: steps }, (_, k) => ({
      middle: headAt((k + TR_PART) * DT),
      end: headAt((k + 1) * DT),
    }));
    const { positions, adapter } = await runOnPage({
      options: { nodes: NODES, strands, gravity: GRAVITY, workgroup: 32, ...options },
      ...(options.forces && { forces: Array.from({ length: strands.length * NODES }, () => [...force]).flat() }),
      steps: poses.map((pose) => ({ dt: DT, scheme, iterations: ITERATIONS, tolerance: 0, ...pose })),
    });
    expect(adapter).toMatch(/\w/);
    const references = rods.map((rod) => new Reference(rod, force));
    const starts = references.map((one) => one.positions());
    poses.forEach(({ middle, end }, k) => {
      const last = headAt(k * DT);
      for (const [s, reference] of references.entries()) {
        if (scheme === 'tr-bdf2' && k > 0) {
          const [first, second] = trBdf2Stages(DT);
          reference.stage(first, middle, last, false);
          reference.stage(second, end, middle, true);
        } else if (scheme === 'bdf2' && k > 0) reference.stage(bdf2Stage(DT), end, last, true);
        else reference.stage(eulerStage(DT, scheme === 'tr-bdf2' ? 2 : 1), end, last, true);
        const expected = reference.positions();
        for (let strand = s; strand < strands.length; strand += rods.length) {
          const found = positions[k].slice(3 * NODES * strand, 3 * NODES * (strand + 1));
          const error = Math.max(...expected.map((x, i) => Math.abs(x - found[i])));
          expect(error).toBeLessThan(3e-6 * LENGTH);
        }
        if (k === steps - 1)
          expect(Math.max(...expected.map((x, i) => Math.abs(x - starts[s][i])))).toBeGreaterThan(2e-3);
      }
    });
  });
});

test.each([
  ['alike', [straight, { ...straight, section: { type: 'circle', radius: 2e-3 } as const }]],
  ['tapered', [tapered]],
])('WGSL finds the equilibria of `der`, joints %s', async (_, rods) => {
  const attractions = Array.from({ length: 160 }, (_one, k) => Math.max(4 * 240 ** 2 * 0.6 ** (k / 2), 1e-7));
  const { positions } = await runOnPage({
    options: { nodes: NODES, strands: rods.map(describeStrand), gravity: GRAVITY },
    steps: [],
    attractions,
  });
  rods.forEach((rod, s) => {
    const world = createWorld(sceneOf({}, rod));
    expect(world.equilibrate()[0].converged).toBe(true);
    const expected = world.samples[0].nodePosition;
    const found = positions[0].slice(3 * NODES * s, 3 * NODES * (s + 1));
    expect(Math.max(...found.map((x, i) => Math.abs(x - expected[i])))).toBeLessThan(2e-6 * LENGTH);
    expect(Math.max(...found.map((x, i) => Math.abs(x - world.rods[0].nodePosition[i])))).toBeGreaterThan(1e-5);
  });
});

describe('WGSL with obstacles', () => {
  const RADIUS = 2.5e-4;
  const steps = 30;
  /** A ring. */
  const table = tabulateShape(createTorus(0.06, 0.012), 0.02, 1e-5);
  /** A ball that turns and moves with the head, a floor, a box and a distance field. */
  const obstaclesAt = (k: number): Obstacle[] => {
    const [from, to] = [headAt(k * DT), headAt((k + 1) * DT)];
    const shift: Vector = [
      to.position[0] - from.position[0],
      to.position[1] - from.position[1],
      to.position[2] - from.position[2],
    ];
    const turn = compose(to.rotation, conjugate(from.rotation));
    const place = (x: Vector): Vector => {
      const y = rotate(from.rotation, x);
      return [y[0] + from.position[0], y[1] + from.position[1], y[2] + from.position[2]];
    };
    return [
      sphereObstacle(0.04, { position: place([0.08, 0.05, -0.05]), frame: from.rotation, turn, shift, friction: 0.4 }),
      planeObstacle({ position: [0, 0, -0.1], friction: 0.3 }),
      boxObstacle([0.02, 0.1, 0.02], 0.005, { position: [0.22, 0.05, -0.03], friction: 0.2 }),
      fieldObstacle(
        { ...table, start: 0 },
        { position: [0.15, 0.05, -0.01], frame: exponential([0.2, 0.1, 0.3]), friction: 0.3 },
      ),
    ];
  };
  // the turning ball shifts by its position's way; the head's own rotation moves the position, too
  const movesOf = (k: number): Obstacle[] =>
    obstaclesAt(k).map((one, i) => {
      if (i > 0) return one;
      const next = obstaclesAt(k + 1)[0].position;
      const [x, y, z] = one.position;
      return { ...one, shift: [next[0] - x, next[1] - y, next[2] - z] };
    });

  // io/test/gpu.test.ts always compares the same shader by what it does to a world; software compiles it for half a minute
  test.runIf(process.env.TENDRIL_LONG)('follows the reference step by step', async () => {
    const rods = [straight, curly];
    const strands = Array.from({ length: 37 }, (_, s) => describeStrand(rods[s % rods.length]));
    const { positions } = await runOnPage({
      options: {
        nodes: NODES,
        strands,
        gravity: GRAVITY,
        gains: 'f32',
        obstacles: 4,
        contactRadius: RADIUS,
        fields: Array.from(table.rows),
      },
      steps: Array.from({ length: steps }, (_, k) => ({
        dt: DT,
        scheme: 'bdf2',
        iterations: ITERATIONS,
        tolerance: 0,
        middle: headAt(k * DT),
        end: headAt((k + 1) * DT),
        obstacles: movesOf(k),
      })),
    });
    const references = rods.map((rod) => new Reference(rod, [0, 0, 0]));
    for (const { batch } of references)
      meetObstacles(batch, { radius: RADIUS, obstacles: movesOf(0), fields: table.rows });
    let [pressed, onField] = [0, 0];
    const errors: number[] = [];
    for (let k = 0; k < steps; k++) {
      const stage = k > 0 ? bdf2Stage(DT) : eulerStage(DT);
      for (const [s, reference] of references.entries()) {
        if (reference.contactStep(stage, headAt((k + 1) * DT), headAt(k * DT), movesOf(k))) pressed++;
        const { contacts = [] } = reference.batch.strand.merged ?? {};
        if (
          contacts.some(
            (list) => list[6].active + list[7].active > 0 && list[6].force.concat(list[7].force).some((f) => f !== 0),
          )
        )
          onField++;
        const expected = reference.positions();
        for (let strand = s; strand < strands.length; strand += rods.length) {
          const found = positions[k].slice(3 * NODES * strand, 3 * NODES * (strand + 1));
          errors.push(Math.max(...expected.map((x, i) => Math.abs(x - found[i]))));
        }
      }
    }
    expect(pressed).toBeGreaterThan(steps / 2);
    expect(onField).toBeGreaterThan(3);
    expect(Math.max(...errors)).toBeLessThan(1e-5 * LENGTH);
    // equal strands in other threads and blocks have equal bits
    const strand = (s: number): number[] => positions[steps - 1].slice(3 * NODES * s, 3 * NODES * (s + 1));
    for (let s = 2; s < strands.length; s++) expect(strand(s)).toEqual(strand(s % 2));
  });
});

describe('WGSL with contact between strands', () => {
  const RADIUS = 3e-4;
  const COUNT = 12;
  const steps = 14;
  const friction = 0.3;
  /** A few strands that stick out to both sides across the others, and all fall. */
  const rods = Array.from({ length: COUNT }, (_, s): RodSpec => {
    const [x, y] = [0.004 * (s % 6), 0.0015 * Math.floor(s / 6)];
    const isAcross = s % 2 === 1;
    return {
      ...sceneOf().rods[0],
      ...straight,
      id: `strand ${s}`,
      shape: isAcross
        ? { type: 'straight', from: [0.05 + x, -0.1, -0.003 - y], to: [0.05 + x, 0.15, -0.003 - y] }
        : { type: 'straight', from: [0, 0.004 * (s % 8), y], to: [0.25, 0.004 * (s % 8), y] },
      edges: NODES - 1,
      natural: 'initial',
      section: { type: 'circle', radius: RADIUS },
      material: isAcross ? { E: 1e10, G: 4e9, density: 1300 } : { E: 1e8, G: 4e7, density: 1300 },
    } as RodSpec;
  });

  test('follows the reference step by step', async () => {
    const scene = sceneOf({ rods, pins: rods.map(({ id }) => ({ rod: id, at: 'start' as const })) });
    const compiled = compileScene(scene);
    const strands = compiled.rods.map((rod, k) => {
      const sizes = stateSizes(rod);
      const [q, v, memory] = [sizes.q, sizes.v, sizes.memory].map((size) => new Float64Array(size));
      const batch = createBatchRod(rod, compiled.drives[k], { q, v, memory });
      adoptState(batch, 0);
      meetObstacles(batch, { radius: RADIUS, obstacles: [] });
      return batch;
    });
    meetStrands(strands, { friction, self: true, radiusOf: (k) => compiled.rods[k].edgeRadius });
    const still: HeadPose = { rotation: [0, 0, 0, 1], position: [0, 0, 0] };
    const job: PageRun = {
      options: {
        nodes: NODES,
        strands: strands.map(describeBatch),
        gravity: GRAVITY,
        gains: 'f32',
        pairs: { friction, self: true },
      },
      steps: Array.from({ length: steps }, () => ({
        dt: DT,
        scheme: 'bdf2',
        iterations: 6,
        middle: still,
        end: still,
      })),
    };
    const { positions, pairs } = await runOnPage(job);
    const { pairs: _, ...noPairs } = job.options;
    // contacts are found in every second step, and look ahead to the next
    const look = { searchEvery: 4, searchReach: 2e-3, cell: 5e-3 };
    const realTime = { ...noPairs, pairs: { friction, self: true, realTime: true, ...look } };
    const soon = await runOnPage({ ...job, options: realTime });
    const alone = await runOnPage({ ...job, options: noPairs });
    const farthest = (other: PageResult): number =>
      Math.max(...other.positions[steps - 1].map((x, i) => Math.abs(x - positions[steps - 1][i])));
    expect(pairs).toEqual(Array.from({ length: steps }, () => ({ passed: 0, overflow: 0, crowded: 0 })));
    const errors: number[] = [];
    let contacts = 0;
    for (let k = 0; k < steps; k++) {
      const report = stepCoupled(
        strands,
        { t: k * DT, dt: DT, iterations: 4 },
        { scheme: 'bdf2', tolerance: 1e-9, iterations: 50 },
        { self: true },
        { isPlain: true },
      );
      expect(report.ok).toBe(true);
      contacts = Math.max(
        contacts,
        report.reports.reduce((sum, { loaded }) => sum + loaded, 0),
      );
      errors.push(
        Math.max(
          ...strands.flatMap(({ samples }, s) =>
            Array.from(samples.nodePosition, (x, i) => Math.abs(x - positions[k][3 * NODES * s + i])),
          ),
        ),
      );
    }
    expect(contacts).toBeGreaterThan(6);
    expect(Math.max(...errors)).toBeLessThan(1e-6 * LENGTH);
    // at a fixed cost contacts lag behind; without contact strands are elsewhere
    expect(farthest(soon)).toBeLessThan(RADIUS);
    expect(farthest(alone)).toBeGreaterThan(2 * RADIUS);
  });
});

test('rejects numbers that are none', async () => {
  const good = describeStrand(straight);
  const still: HeadPose = { rotation: [0, 0, 0, 1], position: [0, 0, 0] };
  const job = (strand: StrandDescription, forces?: readonly number[]): PageRun => ({
    options: { nodes: NODES, strands: [good, strand], gravity: GRAVITY, forces: forces !== undefined },
    ...(forces && { forces }),
    steps: [{ dt: DT, scheme: 'bdf2', middle: still, end: still }],
  });
  await expect(runOnPage(job({ ...good, place: [0, Number.NaN, 0] }))).rejects.toThrow('strand 1: place[1] is NaN');
  const masses = Array.from(good.nodeMass, (mass, k) => (k === 2 ? 0 : mass));
  await expect(runOnPage(job({ ...good, nodeMass: masses }))).rejects.toThrow('strand 1: nodeMass[2] is 0');
  const forces = Array.from({ length: 6 * NODES }, (_, k) => (k === 3 * NODES + 4 ? Number.NaN : 0));
  await expect(runOnPage(job(good, forces))).rejects.toThrow('node 1 of strand 1 is NaN');
});

test('the same bits in two runs, and in parts where a binding is too small', async () => {
  const strands = Array.from({ length: 70 }, (_, s) => describeStrand(s % 3 ? curly : straight));
  const run = (changes: Partial<PageRun> = {}, count = strands.length): Promise<PageResult> =>
    runOnPage({
      options: {
        nodes: NODES,
        strands: count > strands.length ? strands.slice(0, 2) : strands,
        count,
        gravity: GRAVITY,
      },
      steps: Array.from({ length: 3 }, () => ({ dt: DT, middle: headAt(0), end: headAt(0) })),
      ...changes,
    });
  const whole = await run();
  expect(whole.parts).toBe(1);
  expect(await run()).toEqual(whole);
  // a block of 32 strands takes 5 slots of 16 bytes per node
  const oneBlock = 32 * NODES * 5 * 16;
  const split = await run({ maxBytes: oneBlock });
  expect(split.parts).toBe(3);
  expect(split.positions).toEqual(whole.positions);
  // strands that repeat begin every part anew
  const repeated = await run({ maxBytes: 2 * oneBlock }, 150);
  expect(repeated.parts).toBe(3);
  const strand = (s: number): number[] => repeated.positions[2].slice(3 * NODES * s, 3 * NODES * (s + 1));
  for (let s = 2; s < 150; s++) expect(strand(s)).toEqual(strand(s % 2));
  expect(strand(0)).not.toEqual(strand(1));
});
