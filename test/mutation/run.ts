/**
 * Mutation testing of the physics: changes one operator, sign, factor or comparison at a time and runs the nearest tests.
 *
 *   npm run mutate [-- --sample 10 --seed 1 --file models/der/energy.ts --near]
 *
 * Takes `sample` random mutants per file (all with 0) of models/<id>/energy.ts, models/<id>/kinematics.ts and contact/. Nothing is written into the
 * sources: a mutant exists only in a bundle of the tests, in the folder of temporary files. The tests run once on the unchanged sources, which must
 * pass; after that the quickest tests run first, so that most mutants cost a second. Prints survivors and the share killed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
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

/** Tests nearest to a file: those of its folder, and for models, unless `near`, those of statics, the world and the orders of convergence. */
function testsFor(file: string): string[] {
  const name = file.startsWith('contact') ? 'contact' : file.split('/')[1];
  const alone = values.near || name === 'contact';
  const folders = [name, ...(alone ? [] : ['statics', 'world'])].map((folder) => join(tested, folder));
  const found = folders.flatMap((folder) => readdirSync(folder).map((entry) => join(folder, entry)));
  return [...found, ...(alone ? [] : ['test/repro/order.test.ts'])].filter((path) => path.endsWith('.test.ts'));
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
  const times = join(scratch, `${name}.json`);
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
  const passed = passes(bundle, { MUTATION_OUT: times }, 3600);
  const report = JSON.parse(readFileSync(times, 'utf8')) as { times: Record<string, number>; failures: string[] };
  if (!passed) throw new Error(`tests fail without a mutant: ${report.failures.join('; ')}`);
  const total = Object.values(report.times).reduce((sum, time) => sum + time, 0) / 1000;
  const suite = { build, bundle, times, limit: Math.ceil(5 + 2 * total) };
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
  return !passes(bundle, { MUTATION_TIMES: times }, limit);
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

let [tried, killed] = [0, 0];
for (const file of files) {
  const text = readFileSync(join(src, file), 'utf8');
  const mutants = findMutants(file, text);
  if (mutants.length === 0) continue;
  mutated = undefined;
  const suite = await suiteFor(file);
  const alive: Mutant[] = [];
  const chosen = draw(mutants, Number(values.sample));
  for (const mutant of chosen) if (!(await isKilled(suite, mutant, text))) alive.push(mutant);
  tried += chosen.length;
  killed += chosen.length - alive.length;
  console.log(`${file}: ${chosen.length - alive.length} of ${chosen.length} killed, ${mutants.length} mutants in all`);
  for (const { line, before, after } of alive) {
    console.log(`  survived: line ${line}: ${before} → ${after}   ${text.split('\n')[line - 1].trim()}`);
  }
}
console.log(`\n${killed} of ${tried} killed: ${((100 * killed) / tried).toFixed(0)} %`);
for (const { build } of suites.values()) await build.dispose();
