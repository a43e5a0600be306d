/**
 * Tables of the documentation that are generated, from code or from a committed run. A page marks the place by
 * `<!-- table: name -->` … `<!-- end of table -->`. `npm run tables` rewrites the pages; a test compares them.
 */
import { type Case, cases } from '@tendril-sim/cases';
import {
  animatedFields,
  availableModels,
  type Capabilities,
  createWorld,
  hairTypes,
  modelCapabilities,
} from '@tendril-sim/core';
import { type Peer, peers, REFERENCE_SOLVE } from '../benchmarks/src/peers.ts';
import { read } from '../test/files.ts';
import type { ResultRow } from './caseTables.ts';
import { committed, fiberSteps, lines, massspringErrors } from './modelTables.ts';
import { resultFields } from './resultFields.ts';

export interface Table {
  readonly name: string;
  readonly page: string;
  make(): string;
}

export const capabilityWords: Readonly<Record<Exclude<keyof Capabilities, 'animated' | 'needsTurnStops'>, string>> = {
  closed: 'closed rods',
  anisotropic: 'sections with two bending stiffnesses',
  inextensible: 'rods of fixed length',
  shear: 'shear',
  changingRods: '`statics.parameter` that changes rods',
  laws: '`law`: viscous, plastic and other materials',
  breaking: '`break`: rods that break',
  bodies: 'welded bodies',
  hinges: 'hinges',
  branches: 'branches (`parent`)',
  naturalEquilibrium: '`natural: equilibrium`',
  contact: 'contact; links in motion',
  linkedEquilibria: 'equilibria and modes with any links',
  softPins: 'pins beyond reach give way',
};

function capabilities(): string {
  const ids = availableModels();
  const rows = (Object.keys(capabilityWords) as (keyof typeof capabilityWords)[]).map((flag) => [
    capabilityWords[flag],
    ...ids.map((id) => (modelCapabilities[id][flag] ? 'yes' : '')),
  ]);
  return lines([['', ...ids.map((id) => `\`${id}\``)], ...rows]);
}

/** Which model supports which field of `animate`. */
function animated(): string {
  const ids = availableModels();
  const rows = animatedFields.map((field) => [
    `\`${field}\``,
    ...ids.map((id) => (modelCapabilities[id].animated.includes(field) ? 'yes' : '')),
  ]);
  return lines([['', ...ids.map((id) => `\`${id}\``)], ...rows]);
}

/** How many comparisons `tendril check` makes, without making them. */
function comparisons(profile: 'quick' | 'full'): number {
  return cases.reduce((sum, subject) => {
    const ofModel = subject.models.map((model) => {
      const { length } = (subject.resolutions?.[model] ?? subject)[profile];
      const asked = Object.values(subject.expect).filter(({ models }) => !models || models.includes(model));
      return length * asked.length;
    });
    return sum + ofModel.reduce((a, b) => a + b, 0);
  }, 0);
}

function counts(): string {
  return lines([
    ['command', 'cases', 'comparisons'],
    ['`tendril check`', String(cases.length), String(comparisons('quick'))],
    ['`tendril check --full`', String(cases.length), String(comparisons('full'))],
    ['committed runs (`cases/*/results.csv`)', String(cases.length), String(committed().length)],
  ]);
}

function results(): string {
  return lines([
    ['field', 'type', 'what'],
    ...resultFields().map(({ path, type, text }) => [`\`${path}\``, type, text]),
  ]);
}

/** Rows of the README: the case, its quantity, and what the README calls it. */
const highlights: readonly (readonly [id: string, quantity: string, words: string])[] = [
  ['heavy-cantilever', 'tip z, Γ = 20', 'tip height under its own weight, in lengths; elastica'],
  ['michell-ring', 'critical twist, β/α = 1.00', 'twist at which a ring leaves its plane [rad]; 2π√3'],
  ['cantilever-frequencies', 'clamped-free ω1', 'first frequency, ω√(ρAL⁴/EI); 1.8751²'],
  ['capstan', 'three half turns, μ = 0.3', 'rope round a bollard, ratio of tensions; e^(3πμ)'],
  ['cantilever-release', 'tip z at 0.5 s', 'swing, tip height at 0.5 s [m]; PyElastica'],
];

/** Committed runs have seven digits. */
const digits = (value: number): string => String(Number(value.toPrecision(5))).replace('-', '−');
const small = (value: number): string => value.toExponential(1).replace(/^-/, '−');

/** The committed run of what the README shows: model `der`, at the finest resolution that the tests measure again. */
function highlighted(): (ResultRow & { readonly case: string })[] {
  const rows = committed();
  return highlights.map(([id, quantity]) => {
    const subject = cases.find((one) => one.id === id);
    const { quick } = (subject?.resolutions?.der ?? subject) as Pick<Case, 'quick'>;
    const n = Math.max(...quick);
    const found = rows.find(
      (row) => row.case === id && row.model === 'der' && row.quantity === quantity && row.n === n,
    );
    if (!found) throw new Error(`the committed run of ${id} has no '${quantity}' for n = ${n}`);
    return found;
  });
}

function validation(): string {
  return lines([
    ['case', 'quantity; theory', 'n', 'measured', 'expected', 'error'],
    ...highlighted().map(({ case: id, n, measured, expected, error }, k) => [
      `[${id}](cases/${id}/README.md)`,
      highlights[k][2],
      String(n),
      digits(measured),
      digits(expected),
      small(error),
    ]),
  ]);
}

interface Swing {
  readonly model: 'der' | 'helix';
  readonly integrator: string;
  readonly step: number;
}

/** The rubber rod of docs/der.md after one second. */
function swing({ model, integrator, step }: Swing): string[] {
  const explicit = integrator === 'shake' || integrator === 'fast-projection';
  const world = createWorld({
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'rod',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges: 50,
        section: { type: 'circle', radius: 0.005 },
        material: { E: 1e7, nu: 0.5, density: 1000 },
        ...(model === 'helix' && { inextensible: true }),
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    time: { duration: 1, step },
    solver: { [model]: { integrator, ...(explicit && { strain: 'bergou2008' }) } },
  });
  const before = world.energies().total;
  let iterations = 0;
  let steps = 0;
  for (; world.time < 1 - 1e-9; steps++) iterations += world.step().iterations;
  const [x, , z] = world.samples[0].nodePosition.slice(-3);
  const place = (value: number): string => value.toFixed(4).replace('-', '−');
  return [
    `\`${integrator}\``,
    `${step * 1000} ms`,
    (iterations / steps).toFixed(1),
    `${place(x)}, ${place(z)}`,
    small(world.energies().total - before),
  ];
}

function swings(model: 'der' | 'helix', list: readonly (readonly [string, number])[]): string {
  return lines([
    ['`integrator`', 'step', 'iterations per step', 'tip x, z [m]', 'change of total energy [J]'],
    ...list.map(([integrator, step]) => swing({ model, integrator, step })),
  ]);
}

/**
 * Last measurement of each row of the benchmark on one machine; `isQuiet` leaves out those whose repetitions differ by more than a quarter: the machine
 * had other work. Frames of one motion differ by themselves.
 */
function measuredRows(isQuiet: boolean): Map<string, { readonly nodes: number; readonly seconds: number }> {
  const measured = new Map<string, { nodes: number; seconds: number }>();
  for (const line of read('benchmarks/results/amd-epyc-node20.csv').trim().split('\n').slice(1)) {
    const [, row, nodes, seconds, , spread] = line.split(',');
    if (!isQuiet || Number(spread) < 0.25) measured.set(row, { nodes: Number(nodes), seconds: Number(seconds) });
  }
  return measured;
}

function rowOf(name: string, isQuiet = true): { readonly nodes: number; readonly seconds: number } {
  const found = measuredRows(isQuiet).get(name);
  if (!found) throw new Error(`benchmarks/results has no row ${name}`);
  return found;
}

const twoDigits = (value: number): string => String(Number(value.toPrecision(2)));

function benchmark(rows: readonly (readonly [string, string])[]): string {
  return lines([
    ['work', 'row of `npm run bench`', 'µs per step', 'µs per node'],
    ...rows.map(([row, work]) => {
      const { seconds, nodes } = rowOf(row);
      return [work, `\`${row}\``, twoDigits(seconds * 1e6), twoDigits((seconds / nodes) * 1e6)];
    }),
  ]);
}

/** Times of frames [ms], or of whole jobs. */
function durations(unit: string, scale: number, rows: readonly (readonly [string, string])[]): string {
  return lines([
    ['work', 'row of `npm run bench`', unit],
    ...rows.map(([row, work]) => [work, `\`${row}\``, twoDigits(rowOf(row, false).seconds * scale)]),
  ]);
}

/** Ours per step of 3,200 nodes, on the machine of the peers: by the banded solve of both. */
function scaledStep(row: string): number {
  const { seconds, nodes } = rowOf(row);
  const solve = rowOf('band-solve');
  return (seconds / nodes) * 3200 * (REFERENCE_SOLVE / (solve.seconds / solve.nodes));
}

function comparison(): string {
  const step = (method: string, row: string, dt: number, remark: string): string[] =>
    compared('**Tendril**', scaledStep(row), { method, step: dt, remark });
  return lines([
    ['simulator', 'method', 'ms per step', 'step', 'simulated s per s', 'remark'],
    step('`der`, `implicit-euler`', 'implicit-step-100x33', 1e-2, 'plain TypeScript'),
    step('`der`, `implicit-euler`', 'kernel-step-100x33', 1e-2, 'WebAssembly, the default of `tendril run`'),
    step('`der`, `shake`', 'explicit-step-100x33', 4e-4, 'plain TypeScript'),
    ...peers.flatMap(({ name, seconds, table }) => (table ? [compared(name, seconds, table)] : [])),
  ]);
}

function compared(name: string, seconds: number, { method, step, remark }: NonNullable<Peer['table']>): string[] {
  return [
    name,
    method,
    twoDigits(seconds * 1e3),
    step === undefined ? '' : `${step * 1e3} ms`,
    step === undefined ? '' : twoDigits(step / seconds),
    remark,
  ];
}

/** A number of a hair type, marked where it is our estimate. */
function estimated(value: string, source: string): string {
  return source.startsWith('estimate') ? `${value} (estimate)` : value;
}

function hair(): string {
  const round = (value: number): string => String(Number(value.toPrecision(4)));
  const millimetres = (length: unknown): string => `${round(Number(length) * 1e3)} mm`;
  return lines([
    ['type', 'area [µm²]', 'ellipticity', 'curl: radius, pitch'],
    ...Object.entries(hairTypes).map(([name, { area, ellipticity, curl, sources }]) => [
      `\`${name}\``,
      estimated(round(area * 1e12), sources.area),
      estimated(round(ellipticity), sources.ellipticity),
      curl ? estimated(`${millimetres(curl.radius)}, ${millimetres(curl.pitch)}`, sources.curl) : 'none',
    ]),
  ]);
}

export const tables: readonly Table[] = [
  { name: 'capabilities', page: 'docs/README.md', make: capabilities },
  { name: 'animated', page: 'docs/scene.md', make: animated },
  { name: 'counts', page: 'docs/validation.md', make: counts },
  { name: 'result', page: 'docs/result.md', make: results },
  { name: 'validation', page: 'README.md', make: validation },
  { name: 'peers', page: 'README.md', make: comparison },
  { name: 'hair', page: 'docs/helix.md', make: hair },
  { name: 'fiber-steps', page: 'docs/fiber.md', make: fiberSteps },
  { name: 'massspring-errors', page: 'docs/massspring.md', make: massspringErrors },
  {
    name: 'swing',
    page: 'docs/der.md',
    make: () =>
      swings('der', [
        ['tr-bdf2', 5e-3],
        ['bdf2', 5e-3],
        ['midpoint', 5e-3],
        ['implicit-euler', 5e-3],
        ['shake', 5e-3],
        ['fast-projection', 5e-3],
      ]),
  },
  {
    name: 'swing',
    page: 'docs/helix.md',
    make: () =>
      swings('helix', [
        ['implicit-euler', 5e-3],
        ['bdf2', 5e-3],
        ['semi-implicit', 1e-3],
      ]),
  },
  {
    name: 'cost',
    page: 'docs/der.md',
    make: () =>
      benchmark([
        ['tr-bdf2-step-51', '`tr-bdf2`, 51 nodes'],
        ['implicit-step-51', '`implicit-euler`, 51 nodes'],
        ['implicit-step-51-body', 'the same with a body at its end'],
        ['implicit-step-1001', '`implicit-euler`, 1001 nodes'],
        ['implicit-step-100x33', '`implicit-euler`, 100 rods of 33 nodes'],
        ['statics-51', 'equilibrium from straight, 51 nodes'],
        ['band-solve', 'one banded solve, 51 nodes'],
      ]),
  },
  {
    name: 'cost',
    page: 'docs/fiber.md',
    make: () =>
      benchmark([
        ['fiber-step-100x32', '100 fibers of 32 nodes, plain code'],
        ['kernel-fiber-100x32', 'the same by kernels'],
      ]),
  },
  {
    name: 'frames',
    page: 'docs/contact.md',
    make: () =>
      durations('ms per frame', 1e3, [
        ['contact-head-1000x32', '1,000 hairs on a head'],
        ['kernel-frame-1000x32', '1,000 free hairs'],
        ['contact-head-10000x32', '10,000 hairs on a head'],
        ['contact-head-10000x32-2', 'the same, two threads'],
        ['kernel-frame-10000x32', '10,000 free hairs'],
        ['kernel-frame-10000x32-2', 'the same, two threads'],
      ]),
  },
  {
    name: 'sweep',
    page: 'docs/sweep.md',
    make: () =>
      durations('ms per run', 1e3, [
        ['sweep-overhead', 'overhead per run, one worker, including program start'],
        ['sweep-statics-10000', 'one of 10,000 statics of a rod of 50 edges, two workers'],
        ['sweep-queue-10000', 'one of 10,000 empty runs through Redis on loopback, append-only file on'],
      ]),
  },
];

const marked = (name: string): RegExp => new RegExp(`(<!-- table: ${name} -->\n)[\\s\\S]*?(<!-- end of table -->)`);

/** The page with its tables made anew; throws if a mark is missing. */
export function fillTables(page: string, text: string): string {
  return tables
    .filter((table) => table.page === page)
    .reduce((result, { name, make }) => {
      if (!marked(name).test(result)) throw new Error(`${page} has no mark for the table '${name}'`);
      return result.replace(marked(name), (_, open: string, close: string) => `${open}\n${make()}\n${close}`);
    }, text);
}
