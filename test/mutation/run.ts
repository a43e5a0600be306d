/**
 * Mutation testing of the physics: changes one operator, sign, factor or comparison at a time and runs the nearest tests.
 *
 *   npm run mutate [-- --sample 10 --seed 1 --file models/der/energy.ts]
 *
 * Takes `sample` random mutants per file (all with 0) of models/<id>/energy.ts, models/<id>/kinematics.ts and contact/. Works in a copy of the
 * repository in node_modules/.cache, so a run that is interrupted leaves the sources alone. The tests run once on the unchanged copy, which must
 * pass; after that the quickest test files run first, so that most mutants cost seconds. Prints survivors and the share killed.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { findMutants, type Mutant } from './mutants.ts';

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    file: { type: 'string', default: '' },
  },
});

const src = 'packages/core/src';
const models = ['cosserat', 'der', 'fiber', 'helix', 'massspring', 'strand'];
const contactFiles = readdirSync(join(src, 'contact'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);
const files = [
  ...models.flatMap((model) => ['energy.ts', 'kinematics.ts'].map((name) => `models/${model}/${name}`)),
  ...contactFiles.sort().map((name) => `contact/${name}`),
].filter((file) => file.includes(values.file));

/** Tests nearest to a file: those of its folder, and for models those of the world and of the orders of convergence. */
function testsFor(file: string): string[] {
  if (file.startsWith('contact')) return ['packages/core/test/contact'];
  const model = file.split('/')[1];
  return [
    `packages/core/test/${model}/`,
    'packages/core/test/statics/',
    'packages/core/test/world/',
    'test/repro/order.test.ts',
  ].filter((path) => existsSync(path));
}

const copy = join(process.cwd(), 'node_modules/.cache', `mutation-${process.pid}`);
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
mkdirSync(copy, { recursive: true });
for (const path of ['packages', 'cases', 'test', 'vitest.config.ts', 'package.json', 'tsconfig.base.json'])
  cpSync(path, join(copy, path), { recursive: true, filter: (from) => !/node_modules$/.test(from) });
symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
writeFileSync(
  join(copy, 'mutation.config.ts'),
  `import { mergeConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import base from './vitest.config.ts';
const order = JSON.parse(process.env.MUTATION_ORDER ?? '[]');
class QuickestFirst extends BaseSequencer {
  async sort(files) {
    const rank = ({ moduleId }) => order.findIndex((name) => moduleId.endsWith(name));
    return files.sort((a, b) => rank(a) - rank(b));
  }
}
export default mergeConfig(base, { test: { maxWorkers: 1, sequence: { sequencer: QuickestFirst } } });
`,
);

interface TestRun {
  readonly passed: boolean;
  /** Test files, the quickest first. */
  readonly order: string[];
  /** What failed, if anything did. */
  readonly failures: string[];
}

function runTests(tests: readonly string[], order: readonly string[], timeout: number): TestRun {
  const log = join(copy, 'tests.json');
  rmSync(log, { force: true });
  const { status } = spawnSync(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config',
      'mutation.config.ts',
      '--bail',
      '1',
      '--reporter=json',
      `--outputFile=${log}`,
      ...tests,
    ],
    { cwd: copy, timeout, killSignal: 'SIGKILL', env: { ...process.env, MUTATION_ORDER: JSON.stringify(order) } },
  );
  if (!existsSync(log)) return { passed: false, order: [], failures: ['no report'] };
  const { testResults } = JSON.parse(readFileSync(log, 'utf8')) as {
    testResults: {
      name: string;
      startTime: number;
      endTime: number;
      message: string;
      assertionResults: { status: string; fullName: string }[];
    }[];
  };
  return {
    passed: status === 0,
    order: testResults
      .sort((a, b) => a.endTime - a.startTime - (b.endTime - b.startTime))
      .map(({ name }) => relative(copy, name)),
    failures: testResults.flatMap(({ message, assertionResults }) => [
      ...(message ? [message] : []),
      ...assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
    ]),
  };
}

/** Longest time of the tests of one mutant [ms]; one that takes longer is noticed. */
const limit = 600_000;
const baselines = new Map<string, TestRun>();

/** The order of the tests of a file, from a run without a mutant. */
function baseline(tests: readonly string[]): readonly string[] {
  const key = tests.join(' ');
  let found = baselines.get(key);
  if (!found) {
    found = runTests(tests, [], 2 * limit);
    if (!found.passed) throw new Error(`${key} fails without a mutant: ${found.failures.join('; ')}`);
    baselines.set(key, found);
  }
  return found.order;
}

/** Whether the tests notice it; a mutant that hangs is noticed. */
function isKilled(mutant: Mutant, text: string): boolean {
  const path = join(copy, src, mutant.file);
  const tests = testsFor(mutant.file);
  const order = baseline(tests);
  writeFileSync(path, text.slice(0, mutant.start) + mutant.after + text.slice(mutant.end));
  const { passed } = runTests(tests, order, limit);
  writeFileSync(path, text);
  return !passed;
}

let state = Number(values.seed) >>> 0;
const random = (): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};

/** Some of the mutants in random order; all with 0. */
function draw(mutants: Mutant[], count: number): Mutant[] {
  const keyed = mutants.map((mutant) => ({ mutant, key: random() })).sort((a, b) => a.key - b.key);
  return keyed.slice(0, count || keyed.length).map(({ mutant }) => mutant);
}

const survivors: Mutant[] = [];
let tried = 0;
for (const file of files) {
  const text = readFileSync(join(src, file), 'utf8');
  const mutants = findMutants(file, text);
  if (mutants.length === 0) continue;
  const chosen = draw(mutants, Number(values.sample));
  const alive = chosen.filter((mutant) => !isKilled(mutant, text));
  tried += chosen.length;
  survivors.push(...alive);
  console.log(`${file}: ${chosen.length - alive.length} of ${chosen.length} killed, ${mutants.length} mutants in all`);
  for (const { line, before, after } of alive) {
    console.log(`  survived: line ${line}: ${before} → ${after}   ${text.split('\n')[line - 1].trim()}`);
  }
}
const share = ((100 * (tried - survivors.length)) / tried).toFixed(0);
console.log(`\n${tried - survivors.length} of ${tried} killed: ${share} %`);
