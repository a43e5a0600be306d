/**
 * Batches of strands on a GPU through Dawn (npm package `webgpu`): equilibria and motion against `der` in double precision, then
 * milliseconds per substep. How to run it: docs/notes/batch-engine.md.
 *     node gpu.mjs [--counts 10000,100000,1000000] [--frames 200] [--append results.csv] [--only-checks] [--only-free] [--only-contact [--passes]] [--only-ball [--real-time] [--rate 480] [--out folder]] [--only-pairs [--real-time] [--without-bits] [--passes | --halve] [--scene groomed|falling] [--settle 160]]
 */
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compileScene, createWorld, type RodSpec, type Scene } from '@tendril-sim/core';
import {
  capsuleObstacle,
  createField,
  createGpuBatch,
  type Device,
  describeRod,
  type GpuBatch,
  type Obstacle,
  type StrandDescription,
  sphereObstacle,
} from '@tendril-sim/core/batch';
import { type HairRun, measureHair, measureHalving, profileHair } from './gpuHair.ts';
import { measureHairBall } from './gpuHairBall.ts';
import { HEAD } from './gpuHead.ts';
import { appendRows, type MeasuredRow, SUBSTEPS, timeFrames } from './gpuMeasure.ts';
import { timePasses } from './gpuPasses.ts';

const NODES = 32;
const DT = 1 / 240;

interface Kind {
  readonly name: string;
  readonly length: number;
  readonly radius: number;
  readonly E: number;
  readonly G: number;
  readonly density: number;
  /** Curvature and torsion of a helix that it starts as, at rest [1/m]; straight where there is none. */
  readonly curl?: readonly [number, number];
  /** Radius at the tip, of that at the root. */
  readonly taper?: number;
}

const hair = { radius: 40e-6, E: 3.58e9, G: 1.07e9, density: 1300 } as const;
const kinds: readonly Kind[] = [
  { ...hair, name: 'hair 0.3 m', length: 0.3 },
  { ...hair, name: 'hair 0.3 m, curly', length: 0.3, curl: [100, 20] },
  { ...hair, name: 'hair 3 cm', length: 0.03 },
  {
    ...hair,
    name: 'rope 1 m, 5 mm, 10 MPa',
    length: 1,
    radius: 5e-3,
    E: 1e7,
    G: 3.33e6,
    density: 1000,
  },
  { ...hair, name: 'rod 0.3 m, 5 mm, 3.58 GPa', length: 0.3, radius: 5e-3 },
];

function shapeOf({ length, curl }: Kind): RodSpec['shape'] {
  if (!curl) return { type: 'straight', from: [0, 0, 0], to: [length, 0, 0] };
  const [curvature, torsion] = curl;
  const sum = curvature ** 2 + torsion ** 2;
  return {
    type: 'helix',
    axis: [1, 0, 0.3],
    radius: curvature / sum,
    pitch: (2 * Math.PI * torsion) / sum,
    turns: (length * Math.sqrt(sum)) / (2 * Math.PI),
  };
}

function sceneOf(kind: Kind): Scene {
  const { radius, E, G, density, taper = 1 } = kind;
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'strand',
        shape: shapeOf(kind),
        edges: NODES - 1,
        inextensible: true,
        section: {
          type: 'circle',
          radius: {
            along: [
              [0, radius],
              [1, taper * radius],
            ],
          },
        },
        material: { E, G, density },
      },
    ],
    pins: [{ rod: 'strand', at: 'start' }],
    time: { step: DT, duration: 1 },
    solver: { der: { integrator: 'bdf2', twist: 'quasistatic' } },
  };
}

function describe(kind: Kind): StrandDescription {
  const { rods, drives } = compileScene(sceneOf(kind));
  return describeRod(rods[0], drives[0], { rod: 0, pin: 0 });
}

interface Adapter {
  readonly info?: { readonly vendor?: string; readonly architecture?: string; readonly description?: string };
  readonly limits: Device['limits'];
  readonly features: { has(name: string): boolean };
  requestDevice(descriptor: object): Promise<Device & { readonly lost: Promise<{ readonly message: string }> }>;
}

/** `instance`: Dawn crashes once it is collected, so it is kept as long as the device. */
async function openDevice(): Promise<{ readonly device: Device; readonly name: string; readonly instance: object }> {
  const dawn = createRequire(process.env.DAWN_NODE ? 'file:///' : import.meta.url)(
    process.env.DAWN_NODE ?? 'webgpu',
  ) as {
    create(flags: readonly string[]): { requestAdapter(options: object): Promise<Adapter | null> };
  };
  const instance = dawn.create(process.env.DAWN_FLAGS?.split(' ') ?? ['backend=vulkan']);
  const adapter = await instance.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new Error('no WebGPU adapter: set VK_ICD_FILENAMES to a Vulkan driver');
  const { maxStorageBufferBindingSize, maxBufferSize, maxStorageBuffersPerShaderStage } = adapter.limits;
  const device = await adapter.requestDevice({
    requiredFeatures: ['timestamp-query'].filter((name) => adapter.features.has(name)),
    requiredLimits: { maxStorageBufferBindingSize, maxBufferSize, maxStorageBuffersPerShaderStage },
  });
  const { vendor = '', architecture = '', description = '' } = adapter.info ?? {};
  return { device, name: `${vendor} ${architecture} ${description}`, instance };
}

/** Distance of the node farthest off, in lengths of the strand. */
function farthest(kind: Kind, expected: Float64Array, found: Float32Array, strand: number): number {
  let most = 0;
  for (let i = 0; i < NODES; i++) {
    const d = [0, 1, 2].map((k) => expected[3 * i + k] - found[3 * (strand * NODES + i) + k]);
    most = Math.max(most, Math.hypot(...d));
  }
  return most / kind.length;
}

async function checkEquilibria(device: Device, gains: 'f16' | 'f32', list: readonly Kind[]): Promise<void> {
  const batch = await createGpuBatch(device, {
    nodes: NODES,
    strands: list.map(describe),
    gravity: [0, 0, -9.81],
    gains,
  });
  let attraction = 4 * 240 ** 2;
  for (let k = 0; k < 400; k++) {
    batch.relax(attraction);
    if (k % 2) attraction = Math.max(0.6 * attraction, 1e-7);
  }
  const { positions } = await batch.readPositions();
  list.forEach((kind, s) => {
    const world = createWorld(sceneOf(kind));
    const [report] = world.equilibrate();
    const error = farthest(kind, world.samples[0].nodePosition, positions, s);
    console.log(
      `equilibrium, gains ${gains}, ${kind.name.padEnd(26)} ${error.toExponential(1)} L from der${report.converged ? '' : ' (der did not converge)'}`,
    );
  });
  batch.destroy();
}

async function checkMotion(device: Device, gains: 'f16' | 'f32', list: readonly Kind[]): Promise<void> {
  const batch = await createGpuBatch(device, {
    nodes: NODES,
    strands: list.map(describe),
    gravity: [0, 0, -9.81],
    gains,
  });
  const steps = 60;
  for (let k = 0; k < steps; k++) batch.step({ dt: DT, scheme: 'bdf2', iterations: 4, tolerance: 0 });
  const { positions } = await batch.readPositions();
  list.forEach((kind, s) => {
    const world = createWorld(sceneOf(kind));
    for (let k = 0; k < steps; k++) world.step();
    const error = farthest(kind, world.samples[0].nodePosition, positions, s);
    console.log(
      `let go, ${(steps * DT).toFixed(2)} s, 4 iterations, gains ${gains}, ${kind.name.padEnd(26)} ${error.toExponential(1)} L from der`,
    );
  });
  batch.destroy();
}

/** vec4f that a node's thread reads and writes in a step. */
function trafficPerNode(iterations: number, gains: 'f16' | 'f32'): number {
  const gain = gains === 'f16' ? 3 : 6;
  return 8 + iterations * (8 + 2 * gain) + 7;
}

/** Floating-point operations per node and Newton iteration, counted in the notes. */
const FLOPS = 850;

/** Median of frames of four substeps, per substep [ms]. */
async function timeSteps(device: Device, batch: GpuBatch, iterations: number, frames: number): Promise<number> {
  batch.step({ dt: DT, scheme: 'bdf2', iterations });
  batch.prepareSteady({ dt: DT, iterations, tolerance: 0 });
  const ms = await timeFrames(device, frames, () => {
    const encoder = device.createCommandEncoder();
    batch.encodeSteady(encoder, SUBSTEPS);
    device.queue.submit([encoder.finish()]);
  });
  return ms / SUBSTEPS;
}

async function measure(device: Device, count: number, frames: number): Promise<void> {
  const strands = kinds.map(describe);
  for (const gains of ['f16', 'f32'] as const) {
    for (const iterations of [1, 2, 3]) {
      if (gains === 'f32' && iterations !== 2) continue;
      const batch = await createGpuBatch(device, { nodes: NODES, strands, count, gravity: [0, 0, -9.81], gains });
      const ms = await timeSteps(device, batch, iterations, frames);
      const nodes = count * NODES;
      const rate = (16 * trafficPerNode(iterations, gains) * nodes) / ms / 1e6;
      const flops = (FLOPS * iterations * nodes) / ms / 1e6;
      rows.push({ name: `free-${gains}-${iterations}`, strands: count, ms, rate, frames });
      console.log(
        `${String(count).padStart(8)} strands × ${NODES}, gains ${gains}, ${iterations} Newton: ${ms.toFixed(3)} ms per substep, ` +
          `${((1e6 * ms) / nodes).toFixed(3)} ns per node, ${rate.toFixed(0)} GB/s, ${flops.toFixed(0)} GFLOP/s, ` +
          `${(batch.bytes / 2 ** 30).toFixed(2)} GiB in ${batch.parts} part${batch.parts > 1 ? 's' : ''}`,
      );
      batch.destroy();
    }
  }
}

/** Hair of 30 cm that grows out of the upper half of a head, so many kinds of roots. */
function headHair(roots: number): StrandDescription[] {
  const [base] = kinds;
  return Array.from({ length: roots }, (_, k) => {
    // golden angle
    const [z, angle] = [(k + 0.5) / roots, k * Math.PI * (3 - Math.sqrt(5))];
    const r = Math.sqrt(1 - z * z);
    const n = [r * Math.cos(angle), r * Math.sin(angle), z] as const;
    const at = (s: number): [number, number, number] => [s * n[0], s * n[1], s * n[2]];
    const scene = sceneOf(base);
    const [rod] = scene.rods;
    const shape = { type: 'straight' as const, from: at(HEAD), to: at(HEAD + base.length) };
    const { rods, drives } = compileScene({ ...scene, rods: [{ ...rod, shape }] });
    return describeRod(rods[0], drives[0], { rod: 0, pin: 0 });
  });
}

/** A batch of hair on a head and shoulders, and the obstacles that its steps take. */
async function openContact(
  device: Device,
  count: number,
  { isField }: { readonly isField: boolean },
): Promise<{ readonly batch: GpuBatch; readonly obstacles: readonly Obstacle[]; readonly roots: number }> {
  const field = createField({ type: 'sphere', radius: HEAD }, kinds[0].length / (NODES - 1), 0.1 * kinds[0].radius);
  const obstacles = [
    isField ? field.place({ friction: 0.3 }) : sphereObstacle(HEAD, { friction: 0.3 }),
    capsuleObstacle(0.12, 0.06, { position: [0, 0, -0.25], frame: [0, Math.SQRT1_2, 0, Math.SQRT1_2], friction: 0.3 }),
  ];
  const strands = headHair(256);
  const batch = await createGpuBatch(device, {
    nodes: NODES,
    strands,
    count,
    gravity: [0, 0, -9.81],
    massDamping: 2,
    gains: 'f32',
    obstacles: obstacles.length,
    fields: field.rows,
    contactRadius: kinds[0].radius,
  });
  return { batch, obstacles, roots: strands.length };
}

/** Hair falls on a head and shoulders; then steps are timed, and what they leave is read. */
async function measureContact(
  device: Device,
  count: number,
  { frames, most, isField }: { readonly frames: number; readonly most: number; readonly isField: boolean },
): Promise<void> {
  const { batch, obstacles, roots } = await openContact(device, count, { isField });
  const step = (): void => batch.step({ dt: DT, scheme: 'bdf2', obstacles, mostContactIterations: most });
  for (let k = 0; k < 240; k++) step();
  const ms =
    (await timeFrames(device, frames, () => {
      for (let k = 0; k < SUBSTEPS; k++) step();
    })) / SUBSTEPS;
  // at least: the search, two Newton iterations of every strand
  const rate = (16 * (2 + trafficPerNode(2, 'f32')) * count * NODES) / ms / 1e6;
  rows.push({ name: `obstacles-${isField ? 'field' : 'sphere'}-${most}`, strands: count, ms, rate, frames });
  const { positions, overlap, unsettled } = await batch.readPositions(roots);
  let lowest = 0;
  for (let i = 2; i < positions.length; i += 3) lowest = Math.min(lowest, positions[i]);
  const deepest = Math.max(...overlap) / kinds[0].radius;
  const share = unsettled.reduce((sum, one) => sum + one, 0) / unsettled.length;
  console.log(
    `${String(count).padStart(8)} strands × ${NODES} on head${isField ? ' (a distance field)' : ''} and shoulders, ${most} iterations at most: ${ms.toFixed(3)} ms per substep, ${((1e6 * ms) / count / NODES).toFixed(3)} ns per node, ${rate.toFixed(0)} GB/s at least; ` +
      `deepest overlap ${deepest.toFixed(2)} radii, ${(100 * share).toFixed(1)} % not settled, lowest tip ${lowest.toFixed(2)} m`,
  );
  batch.destroy();
}

/** GPU time of each dispatch of a substep of the same hair: `advance`, then the rounds of `press`. */
async function profileContact(raw: Device, count: number, most: number): Promise<void> {
  const { device, read } = timePasses(raw, (name, k) => `${name} ${k}`);
  const { batch, obstacles } = await openContact(device, count, { isField: false });
  const step = (): void => batch.step({ dt: DT, scheme: 'bdf2', obstacles, mostContactIterations: most });
  for (let k = 0; k < 240; k++) step();
  await read();
  const total = new Map<string, number>();
  const substeps = 50;
  for (let k = 0; k < substeps; k++) {
    step();
    for (const [name, ms] of await read()) total.set(name, (total.get(name) ?? 0) + ms / substeps);
  }
  const parts = [...total].map(([name, ms]) => `${name} ${ms.toFixed(3)}`).join(', ');
  console.log(`${count} strands, ${most} iterations at most, ms of GPU time: ${parts}`);
  batch.destroy();
}

/** For pictures: writes positions [20 µm] of every second node, 30 times per second of 2,500 hairs and at some moments of all. */
function recordHairs(folder: string): (t: number, batch: GpuBatch) => Promise<void> {
  return async (t, batch) => {
    const { positions } = await batch.readPositions();
    const nodes = positions.length / 3 / batch.count;
    const write = (file: string, every: number): void => {
      const rows: number[] = [];
      for (let s = 0; s < batch.count; s += every)
        for (let i = 0; i < nodes; i += 2)
          for (let k = 0; k < 3; k++) rows.push(positions[3 * (s * nodes + i) + k] / 2e-5);
      appendFileSync(join(folder, file), new Uint8Array(Int16Array.from(rows, Math.round).buffer));
    };
    write(`hairs-${Math.ceil(t - 1e-6)}.i16`, Math.ceil(batch.count / 2500));
    if ([30, 34, 39, 75].includes(Math.round(30 * t))) write('all.i16', 1);
  };
}

const rows: MeasuredRow[] = [];
const { values } = parseArgs({
  options: {
    counts: { type: 'string', default: '10000,100000,1000000' },
    frames: { type: 'string', default: '200' },
    append: { type: 'string' },
    'only-checks': { type: 'boolean', default: false },
    'only-free': { type: 'boolean', default: false },
    'only-contact': { type: 'boolean', default: false },
    'only-pairs': { type: 'boolean', default: false },
    cell: { type: 'string' },
    'search-every': { type: 'string' },
    'real-time': { type: 'boolean', default: false },
    'search-reach': { type: 'string' },
    passes: { type: 'boolean', default: false },
    'without-bits': { type: 'boolean', default: false },
    'only-ball': { type: 'boolean', default: false },
    rate: { type: 'string', default: '240' },
    patience: { type: 'string', default: '60' },
    out: { type: 'string' },
    halve: { type: 'boolean', default: false },
    stretches: { type: 'string', default: '20,40,60' },
    most: { type: 'string', default: '4,8,16' },
    scene: { type: 'string', default: 'groomed' },
    settle: { type: 'string', default: '0' },
  },
});
const opened = await openDevice();
const { device, name } = opened;
console.log(`adapter: ${name}, binding limit ${(device.limits.maxStorageBufferBindingSize / 2 ** 30).toFixed(2)} GiB`);
const tapered = [{ ...kinds[0], name: 'hair 0.3 m, tapered to 0.4', taper: 0.4 }];
for (const gains of values['only-contact'] || values['only-pairs'] || values['only-ball']
  ? []
  : (['f32', 'f16'] as const)) {
  await checkEquilibria(device, gains, kinds);
  await checkEquilibria(device, gains, tapered);
  await checkMotion(device, gains, kinds);
}
if (values['only-ball'])
  for (const hairs of values.counts.split(',').map(Number))
    for (const most of values.most.split(',').map(Number))
      await measureHairBall(device, {
        ...{ hairs, most, realTime: values['real-time'], rate: Number(values.rate), patience: Number(values.patience) },
        cell: Number(values.cell ?? 0.004),
        ...(values.out && { record: recordHairs(values.out) }),
      });
else if (values['only-pairs'])
  for (const count of values.counts.split(',').map(Number)) {
    const [base, cell] = [describe(kinds[0]), values.cell && { cell: Number(values.cell) }];
    const kind = values.scene === 'falling' ? 'falling' : 'groomed';
    const runs = values.most.split(',').map(
      (most): HairRun => ({
        ...{ base, count, kind, dt: DT, settle: Number(values.settle), most: Number(most), ...cell },
        realTime: values['real-time'],
        ...(values['search-every'] !== undefined && { searchEvery: Number(values['search-every']) }),
        ...(values['search-reach'] !== undefined && { searchReach: Number(values['search-reach']) }),
      }),
    );
    for (const run of runs) {
      if (values.halve) await measureHalving(device, run, Number(values.frames));
      else if (values.passes) await profileHair(device, run, values.stretches.split(',').map(Number));
      else {
        const { rows: measured } = await measureHair(device, run, Number(values.frames));
        rows.push(...measured);
      }
    }
    if (values.halve || values.passes || values['without-bits']) continue;
    const [one, two] = [await measureHair(device, runs[0], 10), await measureHair(device, runs[0], 10)];
    console.log(`the same bits in two runs: ${one.positions.every((x, k) => x === two.positions[k])}`);
  }
else if (!values['only-checks'])
  for (const count of values.counts.split(',').map(Number)) {
    if (values['only-contact'] && values.passes) {
      await profileContact(device, count, 32);
      continue;
    }
    if (!values['only-contact']) await measure(device, count, Number(values.frames));
    for (const isField of values['only-free'] ? [] : [false, true])
      for (const most of values.most.split(',').map(Number))
        await measureContact(device, count, { frames: Number(values.frames), most, isField });
  }
if (values.append) appendRows(values.append, rows);
// Dawn keeps the process alive
process.exit(0);
