/**
 * Mutation testing of the physics: changes one operator, sign, factor or comparison at a time and runs the nearest tests.
 *
 *   npm run mutate [-- --sample 10 --seed 1 --file models/der/energy.ts --near]
 *   npm run mutate -- --file contact/ --total 60 --seconds 30
 *
 * Takes `sample` random mutants per file (all with 0), or `total` of all files together, of models/<id>/energy.ts, models/<id>/kinematics.ts and
 * contact/. `line` takes those of one line, `among` those of some files after the draw; `tests` (a regular expression) takes some test files, `seconds` leaves
 * out the slowest tests beyond this CPU time. Nothing is written into the sources: a mutant exists only in a bundle of the tests. The tests run once on the unchanged sources, which must pass; then the quickest tests run first, so
 * that most mutants cost a second. Prints survivors and the share killed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type BuildContext, context, type Plugin } from 'esbuild';
import { findMutants, type Mutant } from './mutants.ts';

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    file: { type: 'string', default: '' },
    near: { type: 'boolean', default: false },
    total: { type: 'string', default: '0' },
    line: { type: 'string', default: '0' },
    among: { type: 'string', default: '' },
    tests: { type: 'string', default: '' },
    seconds: { type: 'string', default: '3600' },
  },
});

const src = 'packages/core/src';
const tested = 'packages/core/test';
const models = ['cosserat', 'der', 'fiber', 'helix', 'massspring', 'strand'];
const contactFiles = readdirSync(join(src, 'contact'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);
const files = [
  ...models.flatMap((model) => ['energy.ts', 'kinematics.ts'].map((name) => `models/${model}/${name}`)),
  ...contactFiles.sort().map((name) => `contact/${name}`),
].filter((file) => file.includes(values.file));

const scratch = mkdtempSync(join(tmpdir(), 'tendril-mutation-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

const testsFolder = (file: string): string => (file.startsWith('contact') ? 'contact' : file.split('/')[1]);

/** Tests nearest to a file: those of its folder, and for models, unless `near`, those of statics, the world and the orders of convergence. */
function testsFor(file: string): string[] {
  const name = testsFolder(file);
  const alone = values.near || name === 'contact';
  const folders = [name, ...(alone ? [] : ['statics', 'world'])].map((folder) => join(tested, folder));
  const found = folders.flatMap((folder) => readdirSync(folder).map((entry) => join(folder, entry)));
  return [...found, ...(alone ? [] : ['test/repro/order.test.ts'])].filter(
    (path) => path.endsWith('.test.ts') && new RegExp(values.tests).test(path),
  );
}

/** A bundle of tests that is built anew for every mutant. */
interface Suite {
  readonly build: BuildContext;
  readonly bundle: string;
  /** Times of the tests without a mutant. */
  readonly times: string;
  /** CPU time that a mutant may take [s]; one that takes more is noticed. */
  readonly limit: number;
}

let mutated: { readonly path: string; readonly text: string } | undefined;

const plugin: Plugin = {
  name: 'mutation',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^vitest$/ }, () => ({ path: resolve('test/mutation/testShim.ts') }));
    onResolve({ filter: /^@tendril-sim\/core$/ }, () => ({ path: resolve(src, 'index.ts') }));
    onResolve({ filter: /^@tendril-sim\/core\/math$/ }, () => ({ path: resolve(src, 'math/rounded/index.ts') }));
    onLoad({ filter: /packages\/core\/src\/.*\.ts$/ }, ({ path }) =>
      path === mutated?.path ? { contents: mutated.text, loader: 'ts' } : undefined,
    );
  },
};

/** True if all tests pass within the CPU time [s]. */
function passes(bundle: string, env: Record<string, string>, limit: number): boolean {
  const { status } = spawnSync('sh', ['-c', `ulimit -t ${limit}; exec "${process.execPath}" "${bundle}"`], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  return status === 0;
}

const suites = new Map<string, Suite>();

async function suiteFor(file: string): Promise<Suite> {
  const tests = testsFor(file);
  const key = tests.join(' ');
  const known = suites.get(key);
  if (known) return known;
  const name = `suite${suites.size}`;
  const bundle = join(scratch, `${name}.mjs`);
  const contents = [
    ...tests.map((path) => `import ${JSON.stringify(resolve(path))};`),
    "import { runCollected } from 'vitest';",
    'await runCollected();',
  ].join('\n');
  const build = await context({
    stdin: { contents, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    // core says that its files have no side effects; those of its tests do
    ignoreAnnotations: true,
    platform: 'node',
    format: 'esm',
    outfile: bundle,
    plugins: [plugin],
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  await build.rebuild();
  // times of an earlier run, if there was one, say which tests are quick
  const times = join('node_modules/.cache', `mutation-${testsFolder(file)}.json`);
  if (!existsSync(times)) passes(bundle, { MUTATION_OUT: times }, 3600);
  // in the order of the mutants' runs: a test that depends on those before it would count as one that notices every mutant
  const found = join(scratch, `${name}.json`);
  const passed = passes(bundle, { MUTATION_TIMES: times, MUTATION_SECONDS: values.seconds, MUTATION_OUT: found }, 3600);
  const report = JSON.parse(readFileSync(found, 'utf8')) as { times: Record<string, number>; failures: string[] };
  if (!passed) throw new Error(`tests fail without a mutant: ${report.failures.join('; ')}`);
  const total = Object.values(report.times).reduce((sum, time) => sum + time, 0) / 1000;
  const suite = { build, bundle, times, limit: Math.ceil(5 + 2 * Math.min(total, Number(values.seconds))) };
  suites.set(key, suite);
  const size = (statSync(bundle).size / 1e6).toFixed(1);
  console.log(`${Object.keys(report.times).length} tests in ${total.toFixed(0)} s of CPU time, a bundle of ${size} MB`);
  return suite;
}

/** Whether the tests notice it; a mutant that hangs is noticed. */
async function isKilled({ build, bundle, times, limit }: Suite, mutant: Mutant, text: string): Promise<boolean> {
  mutated = {
    path: resolve(src, mutant.file),
    text: text.slice(0, mutant.start) + mutant.after + text.slice(mutant.end),
  };
  await build.rebuild();
  return !passes(bundle, { MUTATION_TIMES: times, MUTATION_SECONDS: values.seconds }, limit);
}

let state = Number(values.seed) >>> 0;
const random = (): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};

/** Some of the mutants in random order; all with 0. */
function draw(mutants: readonly Mutant[], count: number): Mutant[] {
  const keyed = mutants.map((mutant) => ({ mutant, key: random() })).sort((a, b) => a.key - b.key);
  return keyed.slice(0, count || keyed.length).map(({ mutant }) => mutant);
}

/** The mutants to try: some of each file, or some of all files together. */
function choose(): Mutant[] {
  const line = Number(values.line);
  const found = files.map((file) =>
    findMutants(file, readFileSync(join(src, file), 'utf8')).filter((mutant) => line === 0 || mutant.line === line),
  );
  const total = Number(values.total);
  const chosen = total > 0 ? draw(found.flat(), total) : found.flatMap((one) => draw(one, Number(values.sample)));
  const wanted = chosen.filter(({ file }) => file.includes(values.among));
  return wanted.sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.start - b.start);
}

const chosen = choose();
let killed = 0;
for (const mutant of chosen) {
  const { file, line, before, after } = mutant;
  const text = readFileSync(join(src, file), 'utf8');
  mutated = undefined;
  const isNoticed = await isKilled(await suiteFor(file), mutant, text);
  if (isNoticed) killed++;
  const change = `${before} → ${after}   ${text.split('\n')[line - 1].trim()}`;
  console.log(`${isNoticed ? 'killed  ' : 'SURVIVED'} ${file}:${line}: ${change}`);
}
console.log(`\n${killed} of ${chosen.length} killed: ${((100 * killed) / chosen.length).toFixed(0)} %`);
for (const { build } of suites.values()) await build.dispose();
